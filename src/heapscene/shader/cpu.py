"""Run a shader function in CPython with the arithmetic of the GPU.

What runs is a copy of the function's syntax tree. In it literals, captured numbers and enumeration
members are typed values, ``range`` counts in ``i32`` or ``u32``, and conditions must be bools.
Positions, file name and names are those of the user's text, so debuggers and tracebacks show that.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heapscene.adaptive import AVal
from heapscene.errors import ShaderNameError, ShaderTypeError, explain
from heapscene.shader.advice import advice
from heapscene.shader.desugar import desugared, is_static_call, static_names
from heapscene.shader.lang import (
    PYTHON_BUILTINS,
    Builtin,
    Discard,
    captured,
    concrete,
    convert,
    elements,
    i32,
    result_type,
    shader_bool,
    type_of,
    u32,
)
from heapscene.shader.operators import SYMBOLS, binary, boolean, compare, number

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["Runner", "Twin", "shader_range"]

_CONCRETE, _BOOLEAN, _CAPTURED, _FIT = ".concrete", ".boolean", ".captured", ".fit"
_BINARY, _COMPARE, _NUMBER = ".binary", ".compare", ".number"
_STATIC, _EACH = ".static", ".each"


class Runner:
    """The executable copy of one shader function.

    Parameters
    ----------
    shader
        The function. Its free names are resolved at every call, as Python does.
    """

    def __init__(self, shader: ShaderFunction[..., Any]) -> None:
        self._shader = shader
        source = shader.source
        tree = desugared(source)
        static_calls = static_names(source)
        typing = _Typing(_local_names(tree), static_calls)
        self._prunes = bool(static_calls)
        definition = typing.copy_of(tree)
        module = ast.fix_missing_locations(ast.Module([definition], []))
        self._names = sorted(typing.free)
        self._scope: dict[str, Any] = {
            "__builtins__": builtins,
            "__name__": shader._body.__module__,
            "__file__": source.filename,
            _CONCRETE: concrete,
            _BOOLEAN: boolean,
            _CAPTURED: _seen,
            _FIT: convert,
            _BINARY: binary,
            _COMPARE: compare,
            _NUMBER: number,
            _STATIC: self._static,
            _EACH: _each,
            **typing.literals,
        }
        exec(compile(module, source.filename, "exec", dont_inherit=True), self._scope)  # noqa: S102
        self._function = self._scope.pop(source.tree.name)
        for key, annotation in typing.annotations.items():
            self._scope[key] = type_of(
                source.evaluate(annotation), f"{annotation} in {shader.name}"
            )

    def _static(self, text: str, **names: Any) -> Any:
        return _seen(self._shader.source.compute(text, names))

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """Call it: arguments and result are converted to the types of the signature."""
        values = _arguments(self._shader, args, kwargs)
        for name in self._names:
            try:
                self._scope[name] = _seen(self._shader.source.resolve(name))
            except ShaderNameError:
                if not self._prunes:  # else it may stand in a branch that is never taken
                    raise
                self._scope.pop(name, None)
        try:
            result = self._function(**values)
        except Discard:
            if self._shader.stage == "fragment":
                return None
            raise
        if self._shader.returns is None:
            return concrete(result)
        kind = result_type(self._shader.returns)
        return convert(result, kind, f"result of {self._shader.name}")


class Twin:
    """A function given as WGSL: its Python body runs as it is written.

    Parameters
    ----------
    shader
        Made by :func:`~heapscene.shader.wgsl_function`.
    """

    def __init__(self, shader: ShaderFunction[..., Any]) -> None:
        self._shader = shader

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        """Call it: arguments and result are converted to the types of the signature."""
        shader = self._shader
        result = shader._body(**_arguments(shader, args, kwargs))
        return convert(result, type_of(shader.returns), f"result of {shader.name}")


def _arguments(
    shader: ShaderFunction[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    try:
        given = shader._signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise ShaderTypeError(
            explain(
                f"{shader.name}(): {error}",
                fix=f"Call it as  {shader.name}({', '.join(p.name for p in shader.parameters)}).",
            )
        ) from None
    values: dict[str, Any] = {}
    for parameter in shader.parameters:
        value = given.get(parameter.name, parameter.default)
        if isinstance(value, Builtin):
            raise ShaderTypeError(
                explain(
                    f"{shader.name}() needs {parameter.name!r} in CPython",
                    fix=f"Pass  {parameter.name}={parameter.type}(...)",
                )
            )
        where = f"argument {parameter.name!r} of {shader.name}"
        values[parameter.name] = convert(value, parameter.type, where)
    return values


def shader_range(*bounds: Any) -> Iterator[Any]:
    """Count as ``range`` does, in ``u32`` if a bound is one, else in ``i32``."""
    unsigned = any(isinstance(bound, u32) for bound in bounds)
    kind = u32 if unsigned else i32
    for bound in bounds:
        if isinstance(bound, float) or (unsigned and isinstance(bound, i32)):
            names = ", ".join(type(b).__name__ for b in bounds)
            raise ShaderTypeError(
                explain(f"range({names}) is not defined", fix="Give all bounds as i32 or as u32.")
            )
    return map(kind, range(*[int(kind(bound)) for bound in bounds]))


class _Typing(ast.NodeTransformer):
    """Replaces what has no shader type by calls and names that have one."""

    def __init__(self, local: frozenset[str], static_calls: frozenset[str]) -> None:
        self.free: set[str] = set()
        self._static_calls = static_calls
        self.literals: dict[str, Any] = {}
        self.annotations: dict[str, str] = {}
        self._local = local

    def copy_of(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        made = copy.deepcopy(tree)
        made.decorator_list = []
        made.returns = None
        made.args.defaults = []
        for argument in (*made.args.posonlyargs, *made.args.args):
            argument.annotation = None
        made.args.args = [*made.args.posonlyargs, *made.args.args]
        made.args.posonlyargs = []
        made.body = [cast("ast.stmt", self.visit(statement)) for statement in made.body]
        return made

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            return node
        key = f".{node.value!r}"
        self.literals[key] = captured(node.value)
        return ast.copy_location(ast.Name(key, ast.Load()), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not is_static_call(node, self._static_calls) or len(node.args) != 1:
            return self.generic_visit(node)
        text = ast.copy_location(ast.Constant(ast.unparse(node.args[0])), node)
        made = _call(_STATIC, text)
        assert isinstance(made, ast.Call)
        used = {n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name)}
        for name in sorted(used & self._local):
            value = ast.copy_location(ast.Name(name, ast.Load()), node)
            made.keywords.append(ast.keyword(name, value))
        return ast.copy_location(made, node)

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call(_EACH, node.iter)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id not in self._local:
            self.free.add(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self._local:
            return self.generic_visit(node)
        self.free.add(root.id)
        if isinstance(node.ctx, ast.Load):
            return _call(_CAPTURED, node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(target.elts, value.elts, strict=False)
            value.elts = [_assigned(each, part) for each, part in pairs]
        else:
            node.value = _assigned(target, value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        given = node.annotation
        text = given.value if isinstance(given, ast.Constant) else ast.unparse(given)
        key = f".annotation {text}"
        self.annotations[key] = str(text)
        where = f"{ast.unparse(node.target)!r}"
        value = cast("ast.expr", self.visit(node.value))
        kind = ast.copy_location(ast.Name(key, ast.Load()), node.value)
        label = ast.copy_location(ast.Constant(where), node.value)
        fitted = _call(_FIT, value, kind, label)
        target = cast("ast.expr", self.visit(node.target))
        return ast.copy_location(ast.Assign([target], fitted), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _operation(_BINARY, node, type(node.op), node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            node.value = _call(_NUMBER, node.value)
            return node
        old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        new = _operation(_BINARY, node, type(node.op), old, node.value)
        return ast.copy_location(ast.Assign([node.target], _made_concrete(new)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in SYMBOLS:
            return node
        return _operation(_COMPARE, node, type(node.ops[0]), node.left, node.comparators[0])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [_call(_BOOLEAN, value) for value in node.values]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = _call(_BOOLEAN, node.operand)
        else:
            node.operand = _call(_NUMBER, node.operand)
        return node

    def _visit_test(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = _call(_BOOLEAN, node.test)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _visit_test


def _call(name: str, value: ast.expr, *more: ast.expr) -> ast.expr:
    function = ast.copy_location(ast.Name(name, ast.Load()), value)
    return ast.copy_location(ast.Call(function, [value, *more], []), value)


def _operation(
    name: str, node: ast.AST, operator: type, left: ast.expr, right: ast.expr
) -> ast.expr:
    symbol = ast.copy_location(ast.Constant(SYMBOLS[operator]), left)
    return ast.copy_location(_call(name, symbol, left, right), node)


def _made_concrete(value: ast.expr) -> ast.expr:
    return _call(_CONCRETE, value)


def _assigned(target: ast.expr, value: ast.expr) -> ast.expr:
    # Elements of arrays have a type of their own, to which a literal adapts.
    return value if isinstance(target, ast.Subscript) else _made_concrete(value)


def _each(values: Any) -> Any:
    """Return what a loop runs over: numbers of a range, or captured objects with their types."""
    found = elements(values)
    return values if found is None else [_known(each) for each in found]


def _known(value: Any) -> Any:
    return tuple(map(_known, value)) if isinstance(value, tuple) else _seen(value)


def _local_names(tree: ast.FunctionDef) -> frozenset[str]:
    arguments = {argument.arg for argument in (*tree.args.posonlyargs, *tree.args.args)}
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return frozenset(arguments | stored)


def _seen(value: object) -> Any:
    """Return what a captured object is inside a shader function."""
    if isinstance(value, AVal):
        return captured(cast("AVal[Any]", value).value)
    if isinstance(value, (BuiltinFunctionType, type)) and value in _REPLACED:
        return _REPLACED[value]
    if value is int or value is float:
        fix = "Write f32(x)." if value is float else "Write i32(x) or u32(x)."
        raise ShaderTypeError(explain(f"{value.__name__} has no 32-bit type", fix=fix))
    if isinstance(value, np.ufunc) or getattr(value, "__module__", None) in ("math", "cmath"):
        name = getattr(value, "__name__", str(value))
        raise ShaderTypeError(
            explain(
                f"{name}() of NumPy or math does not compute in f32",
                fix=advice(name, "Write it with functions of heapscene.shader."),
            )
        )
    return captured(value)


_REPLACED: dict[object, Any] = {**PYTHON_BUILTINS, range: shader_range, bool: shader_bool}
