"""Expressions of many invocations at once, by the functions of :mod:`heapscene.shader.numeric`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from heapscene.errors import ShaderError, explain
from heapscene.shader.interpret.atomics import atomic
from heapscene.shader.interpret.memory import Memory, Place
from heapscene.shader.interpret.quads import DERIVATIVES
from heapscene.shader.interpret.values import Value, component_type, mapped, zero
from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function
from heapscene.shader.numeric import FUNCTIONS, OPERATORS, UNARY, WHOLE, converted, product
from heapscene.shader.numeric.operators import Array
from heapscene.shader.operations import INTRINSICS, Operation, scalar_of
from heapscene.shader.types import ArrayType, Matrix, StructType, Vector

__all__ = ["Expressions"]

_LETTERS = {letter: k for k, letter in enumerate("xyzw")}
_ALIGNED = ("+", "-", "*", "/", "%")


class Expressions:
    """Evaluates expressions for the invocations that are active.

    Every expression is evaluated in all rows; rows that are not active hold anything, and have no
    effect.
    """

    def __init__(self, count: int, memory: Memory) -> None:
        self.count = count
        self.memory = memory
        self.lanes = np.arange(count)
        self.active = np.ones(count, np.bool_)
        self.discarded = np.zeros(count, np.bool_)
        self.locals: dict[int, Value] = {}
        self._literals: dict[int, Array] = {}
        self._kept: list[Expr] = []

    def value(self, node: Expr) -> Value:
        """Return the value of an expression."""
        return self._EXPRESSIONS[type(node)](self, node)

    def call(self, function: Function, args: list[Value]) -> Value:
        """Run a function for the active invocations."""
        raise NotImplementedError

    def barrier(self, name: str) -> None:
        """Check that all invocations of each workgroup are here, or none."""
        raise NotImplementedError

    def derivative(self, name: str, value: Array) -> Array:
        """Return a derivative of an expression."""
        raise NotImplementedError

    def place(self, node: Expr) -> Place | None:
        """Return where an expression lies, or ``None`` if it is no part of a resource."""
        if isinstance(node, nodes.Global):
            return self.memory.place(node.resource)
        if not isinstance(node, nodes.Index | nodes.Field | nodes.Swizzle):
            return None
        place = self.place(node.value)
        if place is None:
            return None
        if isinstance(node, nodes.Field):
            place.field(node.name)
        elif isinstance(node, nodes.Index):
            place.index(self.value(node.index), self.active)
        elif len(node.letters) == 1:
            at = np.full(self.count, _LETTERS[node.letters], np.int32)
            place.index(at, self.active)
        else:
            return None
        return place

    # Kinds of expressions --------------------------------------------------------------------

    def _literal(self, node: nodes.Literal) -> Value:
        found = self._literals.get(id(node))
        if found is None:
            found = np.full(self.count, node.value, component_type(node.type))
            # The node is kept, so that no other gets its id.
            self._literals[id(node)] = found
            self._kept.append(node)
        return found

    def _read(self, node: nodes.Read) -> Value:
        return self.locals[node.local.number]

    def _global(self, node: nodes.Global) -> Value:
        return self.memory.place(node.resource).load()

    def _unary(self, node: nodes.Unary) -> Value:
        return UNARY[node.op](self.value(node.operand))

    def _binary(self, node: nodes.Binary) -> Value:
        op = node.op
        left = self.value(node.left)
        if op in ("and", "or"):
            return self._late(op, left, node.right)
        right = self.value(node.right)
        if op == "@":
            return product(left, right)
        if op in _ALIGNED:
            left, right = _aligned(left, right)
        return OPERATORS[op](left, right)

    def _late(self, op: str, left: Array, node: Expr) -> Array:
        """Evaluate the right side of ``and`` and ``or`` where the left side leaves it open."""
        outer = self.active
        self.active = outer & (left if op == "and" else ~left)
        right = self.value(node) if self.active.any() else left
        self.active = outer
        return OPERATORS[op](left, right)

    def _intrinsic(self, node: nodes.Intrinsic) -> Value:
        name, operation = node.name, INTRINSICS[node.name]
        if operation.place:
            return self._on_place(node, operation)
        if operation.family == "barrier":
            self.barrier(name)
            return None
        args = [self.value(arg) for arg in node.args]
        if name in DERIVATIVES:
            return self.derivative(name, args[0])
        if name in WHOLE:
            return WHOLE[name](*args)
        size = max(arg.ndim for arg in args)
        spread = [arg[:, None] if arg.ndim < size else arg for arg in args]
        return FUNCTIONS[name](*spread)

    def _on_place(self, node: nodes.Intrinsic, operation: Operation) -> Value:
        family = operation.family
        if family == "texture":
            raise ShaderError(
                explain(
                    f"{node.name}() needs a texture, which the interpreter does not have",
                    fix="Run the program on the GPU, or pass the texel as a parameter.",
                )
            )
        place = self.place(node.args[0])
        assert place is not None, f"{node.name} works on a resource"
        if family == "array":
            return np.full(self.count, place.length, np.uint32)
        if family == "barrier":
            self.barrier(node.name)
            return place.load()
        args = [self.value(arg) for arg in node.args[1:]]
        return atomic(node.name, place, args, self.active & ~self.discarded)

    def _construct(self, node: nodes.Construct) -> Value:
        type_ = node.type
        if not node.args:
            return zero(type_, self.count)
        args = [self.value(arg) for arg in node.args]
        if isinstance(type_, StructType):
            return {m.name: arg for m, arg in zip(type_.fields, args, strict=True)}
        if isinstance(type_, ArrayType):
            return mapped(lambda *parts: np.stack(parts, axis=1), *args)
        if isinstance(type_, Matrix):
            if args[0].ndim == 2:
                return np.stack(args, axis=2)
            cells = np.stack(args, axis=1).reshape(self.count, type_.columns, type_.rows)
            return np.swapaxes(cells, 1, 2)
        assert isinstance(type_, Vector)
        if len(args) == 1 and args[0].ndim == 1:
            return np.repeat(args[0][:, None], type_.size, axis=1)
        return np.concatenate([a[:, None] if a.ndim == 1 else a for a in args], axis=1)

    def _convert(self, node: nodes.Convert) -> Value:
        scalar = scalar_of(node.type)
        assert scalar is not None
        return converted(self.value(node.value), scalar)

    def _bitcast(self, node: nodes.Bitcast) -> Value:
        return np.ascontiguousarray(self.value(node.value)).view(component_type(node.type))

    def _swizzle(self, node: nodes.Swizzle) -> Value:
        value = self.value(node.value)
        if len(node.letters) == 1:
            return value[:, _LETTERS[node.letters]]
        return value[:, [_LETTERS[letter] for letter in node.letters]]

    def _field(self, node: nodes.Field) -> Value:
        place = self.place(node)
        return self.value(node.value)[node.name] if place is None else place.load()

    def _index(self, node: nodes.Index) -> Value:
        place = self.place(node)
        if place is not None:
            return place.load()
        # A value is read like a resource of which each invocation has its own.
        value = self.value(node.value)
        place = Place("value", node.value.type, value, self.lanes, self.memory.bounds)
        place.index(self.value(node.index), self.active)
        return place.load()

    def _call(self, node: nodes.Call) -> Value:
        return self.call(node.function, [self.value(arg) for arg in node.args])

    _EXPRESSIONS: ClassVar[dict[type, Callable[[Any, Any], Value]]] = {
        nodes.Literal: _literal,
        nodes.Read: _read,
        nodes.Global: _global,
        nodes.Unary: _unary,
        nodes.Binary: _binary,
        nodes.Intrinsic: _intrinsic,
        nodes.Construct: _construct,
        nodes.Convert: _convert,
        nodes.Bitcast: _bitcast,
        nodes.Swizzle: _swizzle,
        nodes.Field: _field,
        nodes.Index: _index,
        nodes.Call: _call,
    }


def _aligned(left: Array, right: Array) -> tuple[Array, Array]:
    """Give a scalar the axes of the vector or matrix beside it."""
    if left.ndim < right.ndim:
        left = left.reshape(-1, *(1,) * (right.ndim - 1))
    elif right.ndim < left.ndim:
        right = right.reshape(-1, *(1,) * (left.ndim - 1))
    return left, right
