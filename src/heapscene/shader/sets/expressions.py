"""Expressions of the IR become symbols: vectors, matrices and structs part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Span
from heapscene.shader.operations import scalar_of
from heapscene.shader.sets.composites import COMPOSITES
from heapscene.shader.sets.domain import MAX_VALUES, Finite, top
from heapscene.shader.sets.state import State
from heapscene.shader.sets.symbols import Symbol, Symbols, Value, flatten, map_values
from heapscene.shader.sets.transfer import COMPARISONS, SCALAR_INTRINSICS
from heapscene.shader.types import (
    BOOL,
    F32,
    U32,
    ArrayType,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

__all__ = ["Expressions", "shaped"]

_CONSTANT_SPACES = ("storage", "uniform", "input")


def shaped(type_: Type, make: Callable[[Scalar, str], Symbol], path: str = "") -> Value | None:
    """Return a value of a type, its scalars made one by one; ``None`` if it has no fixed size."""
    if isinstance(type_, Scalar):
        return make(type_, path)
    parts: list[Value | None]
    if isinstance(type_, Vector):
        parts = [make(type_.scalar, f"{path}.{'xyzw'[k]}") for k in range(type_.size)]
    elif isinstance(type_, Matrix):
        column = Vector(F32, type_.rows)
        parts = [shaped(column, make, f"{path}[{k}]") for k in range(type_.columns)]
    elif isinstance(type_, StructType):
        parts = [shaped(field.type, make, f"{path}.{field.name}") for field in type_.fields]
    elif isinstance(type_, ArrayType) and (type_.length or MAX_VALUES + 1) <= MAX_VALUES:
        parts = [shaped(type_.element, make, f"{path}[{k}]") for k in range(type_.length or 0)]
    else:
        return None
    return None if None in parts else tuple(p for p in parts if p is not None)


class Expressions:
    """Turns expressions into values in a state.

    Calls are run before the expression that holds them; their results lie in the state.
    """

    def __init__(self) -> None:
        self.symbols = Symbols()

    def value(self, node: Expr, state: State) -> Value:
        """Return the value of an expression."""
        return _EXPRESSIONS[type(node)](self, node, state)

    def scalar(self, node: Expr, state: State) -> Symbol:
        """Return the value of an expression that is a scalar."""
        found = self.value(node, state)
        assert isinstance(found, Symbol)
        return found

    def unknown(self, type_: Type, why: str, span: Span | None) -> Value:
        """Return a value of which only the type is known."""
        made = shaped(type_, lambda scalar, _: self.symbols.leaf(scalar, top(scalar), why, span))
        return () if made is None else made

    def zero(self, type_: Type) -> Value:
        """Return the value that a variable starts with."""
        made = shaped(
            type_, lambda scalar, _: self.symbols.constant(0 if scalar != BOOL else False, scalar)
        )
        return () if made is None else made

    def apply(self, op: str, type_: Type, values: Sequence[Value], span: Span | None) -> Value:
        """Apply an operation component by component; a number goes with each component."""
        scalar = scalar_of(type_)
        assert scalar is not None
        size = max((len(v) for v in values if isinstance(v, tuple)), default=0)
        if size == 0:
            return self.symbols.apply(op, scalar, tuple(values), span)  # pyright: ignore[reportArgumentType]
        wide = [v if isinstance(v, tuple) else (v,) * size for v in values]
        inner = scalar if not isinstance(type_, Matrix) else Vector(F32, type_.rows)
        return tuple(self.apply(op, inner, each, span) for each in zip(*wide, strict=True))

    def binary(self, op: str, type_: Type, left: Value, right: Value) -> Value:
        """Apply an operator component by component."""
        return self.apply(op, type_, (left, right), None)

    def number(self, value: float) -> Symbol:
        """Return a constant float."""
        return self.symbols.constant(value, F32)

    # Nodes -----------------------------------------------------------------------------------

    def _literal(self, node: nodes.Literal, state: State) -> Value:
        del state
        assert isinstance(node.type, Scalar)
        return self.symbols.constant(node.value, node.type, node.span)

    def _read(self, node: nodes.Read, state: State) -> Value:
        return state.locals[node.local.number]

    def _unary(self, node: nodes.Unary, state: State) -> Value:
        value = self.value(node.operand, state)
        if node.op == "!":
            return map_values(self.symbols.opposite, value)
        op = "neg" if node.op == "-" else node.op
        return self.apply(op, node.type, (value,), node.span)

    def _binary(self, node: nodes.Binary, state: State) -> Value:
        left, right = self.value(node.left, state), self.value(node.right, state)
        if node.op == "@":
            return self._product(node, left, right)
        if node.op in COMPARISONS:
            shape = BOOL if isinstance(left, Symbol) else Vector(BOOL, len(left))
            return self.apply(node.op, shape, (left, right), node.span)
        return self.apply(node.op, node.type, (left, right), node.span)

    def _product(self, node: nodes.Binary, left: Any, right: Any) -> Value:
        def dot(a: Sequence[Symbol], b: Sequence[Symbol]) -> Symbol:
            return self.symbols.apply("dot", F32, (*a, *b), node.span)

        if not isinstance(node.left.type, Matrix):
            return tuple(dot(left, column) for column in right)
        rows = list(zip(*left, strict=True))
        if not isinstance(node.right.type, Matrix):
            return tuple(dot(row, right) for row in rows)
        return tuple(tuple(dot(row, column) for row in rows) for column in right)

    def _intrinsic(self, node: nodes.Intrinsic, state: State) -> Value:
        if node.name in SCALAR_INTRINSICS:
            values = [self.value(arg, state) for arg in node.args]
            return self.apply(node.name, node.type, values, node.span)
        made = COMPOSITES.get(node.name)
        if made is not None:
            return made(self, node, [self.value(arg, state) for arg in node.args])
        if node.name == "array_length" and isinstance(node.args[0], nodes.Global):
            return self.symbols.read(("length", node.args[0].resource.name), (), U32)
        return self.unknown(node.type, f"{node.name} may give anything", node.span)

    def _construct(self, node: nodes.Construct, state: State) -> Value:
        if not node.args:
            return self.zero(node.type)
        values = [self.value(arg, state) for arg in node.args]
        type_ = node.type
        if isinstance(type_, StructType | ArrayType):
            return tuple(values)
        parts = [symbol for value in values for symbol in flatten(value)]
        if isinstance(type_, Matrix):
            size = type_.rows
            return tuple(tuple(parts[k : k + size]) for k in range(0, len(parts), size))
        assert isinstance(type_, Vector)
        return tuple(parts) if len(parts) == type_.size else (parts[0],) * type_.size

    def _convert(self, node: nodes.Convert, state: State) -> Value:
        return self.apply("convert", node.type, (self.value(node.value, state),), node.span)

    def _bitcast(self, node: nodes.Bitcast, state: State) -> Value:
        return self.apply("bitcast", node.type, (self.value(node.value, state),), node.span)

    def _swizzle(self, node: nodes.Swizzle, state: State) -> Value:
        value = self.value(node.value, state)
        assert isinstance(value, tuple)
        parts = tuple(value["xyzw".index(letter)] for letter in node.letters)
        return parts[0] if len(parts) == 1 else parts

    def _field(self, node: nodes.Field, state: State) -> Value:
        if _root(node) is not None:
            return self._loaded(node, state)
        value = self.value(node.value, state)
        type_ = node.value.type
        assert isinstance(type_, StructType)
        assert isinstance(value, tuple)
        if not value:
            return self.unknown(node.type, "a field beside a large array", node.span)
        return value[[field.name for field in type_.fields].index(node.name)]

    def _index(self, node: nodes.Index, state: State) -> Value:
        if _root(node) is not None:
            return self._loaded(node, state)
        parts, at = self.value(node.value, state), self.scalar(node.index, state)
        if not isinstance(parts, tuple) or not parts:
            return self.unknown(node.type, "an element of a large array", node.span)
        known = state.known(at)
        inside = [
            k for k in range(len(parts)) if not isinstance(known, Finite) or k in known.values
        ]
        outside = not isinstance(known, Finite) or any(k not in inside for k in known.values)
        if outside:  # WGSL leaves open which element is read then
            every = (*parts, self.zero(node.type))
            chosen = map_values(lambda *each: self._any_of(each, node.span), *every)
        else:
            chosen = parts[inside.pop()]
        for k in inside:
            same = self.symbols.apply(
                "==", BOOL, (at, self.symbols.constant(k, at.type)), node.span
            )
            chosen = map_values(self._choice(same), chosen, parts[k])
        return chosen

    def _choice(self, condition: Symbol) -> Callable[[Symbol, Symbol], Symbol]:
        return lambda no, yes: self.symbols.apply("select", no.type, (no, yes, condition))

    def _any_of(self, parts: Sequence[Symbol], span: Span | None) -> Symbol:
        if all(part is parts[0] for part in parts):
            return parts[0]
        return self.symbols.apply("any_of", parts[0].type, tuple(parts), span)

    def _loaded(self, node: Expr, state: State) -> Value:
        """Return what a place of a resource holds: the same at each read if nobody writes it."""
        path: list[object] = []
        indices: list[Symbol] = []
        place = node
        while isinstance(place, nodes.Index | nodes.Field):
            if isinstance(place, nodes.Index):
                indices.append(self.scalar(place.index, state))
                path.append("[]")
            else:
                path.append(place.name)
            place = place.value
        assert isinstance(place, nodes.Global)
        resource = place.resource
        if resource.access != "read" or resource.space not in _CONSTANT_SPACES:
            return self.unknown(node.type, f"{resource.name!r} may hold anything", node.span)
        key = (resource.name, resource.group, resource.binding, *path)

        def make(scalar: Scalar, part: str) -> Symbol:
            made = self.symbols.read((*key, part), tuple(indices), scalar)
            made.why = f"{resource.name!r} may hold anything"
            made.span = made.span or node.span
            return made

        found = shaped(node.type, make)
        return () if found is None else found

    def _call(self, node: nodes.Call, state: State) -> Value:
        return state.results[id(node)]


def _root(node: Expr) -> nodes.Global | None:
    while isinstance(node, nodes.Index | nodes.Field):
        node = node.value
    return node if isinstance(node, nodes.Global) else None


_EXPRESSIONS: dict[type, Callable[[Any, Any, State], Value]] = {
    nodes.Literal: Expressions._literal,
    nodes.Read: Expressions._read,
    nodes.Global: Expressions._loaded,
    nodes.Unary: Expressions._unary,
    nodes.Binary: Expressions._binary,
    nodes.Intrinsic: Expressions._intrinsic,
    nodes.Construct: Expressions._construct,
    nodes.Convert: Expressions._convert,
    nodes.Bitcast: Expressions._bitcast,
    nodes.Swizzle: Expressions._swizzle,
    nodes.Field: Expressions._field,
    nodes.Index: Expressions._index,
    nodes.Call: Expressions._call,
}
