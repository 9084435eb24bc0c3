"""One function from beginning to end: parameters, body, checks of its stage."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from heapscene.errors import ShaderError
from heapscene.shader import lang
from heapscene.shader.diagnostics import Diagnostic, raise_all
from heapscene.shader.frontend.lowering import Fault
from heapscene.shader.frontend.signature import check_signature, check_types
from heapscene.shader.frontend.stage import check_stage
from heapscene.shader.frontend.statements import Statements
from heapscene.shader.ir.body import FunctionBuilder
from heapscene.shader.ir.nodes import Function
from heapscene.shader.operations import spelled
from heapscene.shader.types import VOID, Type
from heapscene.shader.wgsl.names import safe

if TYPE_CHECKING:
    from heapscene.shader.stages import Parameter, ShaderFunction

__all__ = ["Outcome", "lower", "lowered"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A compiled function, or what is wrong with it."""

    function: Function | None
    diagnostics: tuple[Diagnostic, ...]


_outcomes: WeakKeyDictionary[Any, Outcome] = WeakKeyDictionary()


def lower(function: ShaderFunction[..., Any]) -> Function:
    """Compile a shader function to the IR. The result is kept with the function.

    Raises
    ------
    ShaderTypeError, ShaderNameError, ShaderSyntaxError
        Something is wrong; the message lists every fault, the class is that of the first.
    """
    outcome = lowered(function, ())
    if outcome.function is None:
        raise_all(outcome.diagnostics)
    return outcome.function


def lowered(
    function: ShaderFunction[..., Any], stack: tuple[ShaderFunction[..., Any], ...]
) -> Outcome:
    """Compile a function that is called by those of ``stack``."""
    found = _outcomes.get(function)
    if found is None:
        found = _lowered(Statements(function, stack))
        function.source.forget()
        if found.function is not None or not stack:
            _outcomes[function] = found
    return found


def _lowered(state: Statements) -> Outcome:
    function = state.function
    tree = state.tree
    try:
        try:
            parameters = function.parameters
            returns = lang.result_type(function.returns)
        except ShaderError:
            check_types(state)  # which finds the place of each
            raise
        if tree.args.defaults:
            check_types(state)
        state.builder = FunctionBuilder(function.name, returns, span=state.span(tree))
        check_signature(state, parameters, returns)
    except Fault as fault:
        return Outcome(None, fault.diagnostics)
    if function.wgsl is not None:
        return _given(state, parameters, returns)
    for parameter in parameters:
        local = state.builder.parameter(parameter.name, parameter.type)
        state.locals[parameter.name] = local
        state.assigned.add(parameter.name)
    for parameter in parameters:
        if parameter.name in state.uses:  # WGSL's parameters do not change
            copy = state.builder.var(parameter.name, parameter.type, state.locals[parameter.name])
            state.locals[parameter.name] = copy
    state.run(tree.body)
    if state.alive and returns != VOID and not state.diagnostics:
        fault = state.fault(
            _head(tree),
            f"{function.name!r} does not return a value on every path",
            facts={"declared": spelled(returns)},
            fix="End with a return.",
        )
        state.diagnostics.extend(fault.diagnostics)
    if state.diagnostics:
        return Outcome(None, tuple(state.diagnostics))
    made = state.builder.done()
    if function.stage != "function":
        faults = check_stage(made, function)
        if faults:
            return Outcome(None, tuple(faults))
    return Outcome(made, ())


def _given(state: Statements, parameters: tuple[Parameter, ...], returns: Type) -> Outcome:
    """Return a function whose body is WGSL."""
    function = state.function
    arguments = {arg.arg: arg for arg in function.source.tree.args.args}
    for parameter in parameters:
        if safe(parameter.name) != parameter.name:
            fault = state.fault(
                arguments[parameter.name],
                f"{parameter.name!r} cannot be a name in WGSL",
                kind="name",
                fix="Give the parameter another name, in the text too.",
            )
            return Outcome(None, fault.diagnostics)
    if returns == VOID:
        fault = state.fault(
            _head(function.source.tree),
            f"{function.name!r} returns nothing",
            fix="WGSL text computes a value: write its type after '->'.",
        )
        return Outcome(None, fault.diagnostics)
    for parameter in parameters:
        state.builder.parameter(parameter.name, parameter.type)
    made = replace(state.builder.done(), wgsl=(function.wgsl or "").strip(), twin=function)
    return Outcome(made, ())


def _head(tree: ast.FunctionDef) -> ast.expr:
    """Return a node that covers ``def name``."""
    head = ast.Name(tree.name)
    head.lineno = head.end_lineno = tree.lineno
    head.col_offset = tree.col_offset
    head.end_col_offset = tree.col_offset + len("def ") + len(tree.name.encode())
    return head
