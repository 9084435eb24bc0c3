"""What the parameters and results of entry functions must look like."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

from heapscene.errors import ShaderTypeError
from heapscene.shader import lang
from heapscene.shader.diagnostics import Diagnostic
from heapscene.shader.frontend.lowering import Fault, Lowering
from heapscene.shader.operations import scalar_of, spelled
from heapscene.shader.types import BOOL, VEC4, VOID, Matrix, Scalar, StructType, Type, Vector

if TYPE_CHECKING:
    from heapscene.shader.stages import Parameter

__all__ = ["builtin_inputs", "check_signature", "check_types", "entry_structs"]

_ALLOWED: dict[str, tuple[str, ...]] = {
    "vertex": ("vertex_index", "instance_index"),
    "fragment": ("position", "front_facing", "sample_index"),
    "compute": (
        "global_invocation_id",
        "local_invocation_id",
        "local_invocation_index",
        "workgroup_id",
        "num_workgroups",
    ),
    "function": (),
}


def builtin_inputs(parameters: tuple[Parameter, ...]) -> dict[str, str]:
    """Return WGSL's builtin of each parameter that has one."""
    return {p.name: p.default.name for p in parameters if isinstance(p.default, lang.Builtin)}


def entry_structs(parameters: tuple[Parameter, ...]) -> list[Parameter]:
    """Return the parameters that are no builtins."""
    return [p for p in parameters if not isinstance(p.default, lang.Builtin)]


def check_types(state: Lowering) -> None:
    """Check that parameters, their defaults and the result have types.

    Raises
    ------
    Fault
        All that have none.
    """
    function = state.function
    tree = function.source.tree
    given = function._signature.parameters
    arguments = [*tree.args.posonlyargs, *tree.args.args]
    defaults = dict(
        zip([arg.arg for arg in reversed(arguments)], reversed(tree.args.defaults), strict=False)
    )
    faults: list[Diagnostic] = []
    for arg in arguments:
        try:
            _check_parameter(state, arg, given[arg.arg], defaults.get(arg.arg))
        except Fault as fault:
            faults.extend(fault.diagnostics)
    if tree.returns is not None:
        try:
            given_type = function._signature.return_annotation
            may_be_several = function.stage == "function" and function.wgsl is None
            state.type_at(tree.returns, given_type, result=may_be_several)
        except Fault as fault:
            faults.extend(fault.diagnostics)
    if faults:
        raise Fault(*faults)


def _check_parameter(
    state: Lowering, arg: ast.arg, given: inspect.Parameter, default: ast.expr | None
) -> None:
    if arg.annotation is None:
        raise state.fault(
            arg, f"the parameter {arg.arg!r} has no type", fix=f"Write {arg.arg}: f32."
        )
    kind = state.type_at(arg.annotation, given.annotation)
    value = given.default
    if default is None or isinstance(value, lang.Builtin | lang.Interpolation):
        return
    try:
        lang.convert(value, kind, "default")
    except ShaderTypeError as error:
        raise state.fault(
            default,
            f"the default of {arg.arg!r} is no {spelled(kind)}",
            facts={"wanted": spelled(kind), "found": type(value).__name__},
            fix=f"Write {arg.arg}: {spelled(kind)} = {spelled(kind)}(...).",
        ) from error


def check_signature(state: Lowering, parameters: tuple[Parameter, ...], returns: Type) -> None:
    """Check the signature of an entry function.

    Raises
    ------
    Fault
        A parameter or the result is not what the stage has.
    """
    function = state.function
    stage = function.stage
    args = {arg.arg: arg for arg in function.source.tree.args.args}
    for parameter in parameters:
        given = parameter.default
        if not isinstance(given, lang.Builtin):
            continue
        if given.name not in _ALLOWED[stage]:
            raise state.fault(
                args[parameter.name],
                f"builtin.{given.name} is no input of a {stage} function",
                facts={"inputs": ", ".join(_ALLOWED[stage]) or "none"},
                fix="Use one of these, or pass the value as a parameter.",
            )
        if given.type != parameter.type:
            raise state.fault(
                args[parameter.name],
                f"builtin.{given.name} is {spelled(given.type)}, not {spelled(parameter.type)}",
                fix=f"Write {parameter.name}: {spelled(given.type)} = builtin.{given.name}",
            )
    if stage == "function":
        return
    plain = entry_structs(parameters)
    node: Any = args[plain[0].name] if plain else function.source.tree
    if stage == "compute":
        if plain:
            raise state.fault(
                node,
                f"the parameter {plain[0].name!r} of a compute function is no builtin",
                fix=f"Write {plain[0].name}: vec3u = builtin.global_invocation_id, "
                "or capture a resource.",
            )
        if returns != VOID:
            raise state.fault(
                function.source.tree.returns or node,
                "a compute function returns nothing",
                facts={"found": spelled(returns)},
                fix="Write -> None, and store the value in a resource.",
            )
        return
    first, second = ("attributes", "inputs") if stage == "vertex" else ("varyings", "inputs")
    if len(plain) > 2 or not all(isinstance(p.type, StructType) for p in plain):
        raise state.fault(
            node,
            f"a {stage} function takes {first} and {second}, each a @struct class",
            facts={"found": ", ".join(f"{p.name}: {spelled(p.type)}" for p in plain)},
            fix="Put the values into @struct classes, or add '= builtin....' to a parameter.",
        )
    _check_result(state, returns)


def _check_result(state: Lowering, returns: Type) -> None:
    tree = state.function.source.tree
    node: ast.AST = tree.returns or tree
    if state.function.stage == "fragment":
        outputs = returns.fields if isinstance(returns, StructType) else ()
        if returns != VEC4 and not outputs:
            raise state.fault(
                node,
                "a fragment function returns vec4, or a @struct with one field per target",
                facts={"found": spelled(returns)},
                fix="Write -> vec4.",
            )
        return
    if not isinstance(returns, StructType):
        raise state.fault(
            node,
            "a vertex function returns a @struct class",
            facts={"found": spelled(returns)},
            fix="Write a @struct class with the field  clip: vec4 = builtin.position",
        )
    positions = [member.name for member in returns.fields if member.builtin == "position"]
    if len(positions) > 1:  # none: another function of the chain returns it
        raise state.fault(
            node,
            f"{returns.name} has {len(positions)} fields with builtin.position, one is possible",
            facts={"fields": ", ".join(positions)},
            fix="Keep one of them.",
        )
    for member in returns.fields:
        is_flat = isinstance(member.type, Scalar | Vector) and scalar_of(member.type) != BOOL
        if not is_flat and member.builtin is None:
            advice = "Pass its columns as vectors." if isinstance(member.type, Matrix) else ""
            raise state.fault(
                node,
                f"the varying {member.name!r} of {returns.name} is {spelled(member.type)}, "
                "which is not interpolated",
                facts={member.name: spelled(member.type)},
                fix=advice or "Use numbers and vectors of numbers.",
            )
