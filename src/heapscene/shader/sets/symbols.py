"""Scalars as expressions of the inputs, each made once.

Equal expressions are one symbol, so what a condition says of one is known wherever it appears.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TypeAlias

from heapscene.shader.ir.nodes import Span
from heapscene.shader.sets.domain import NAN, Finite, Known, Number, top
from heapscene.shader.sets.transfer import SAME, transfer
from heapscene.shader.types import BOOL, F32, Scalar

__all__ = ["Symbol", "Symbols", "Value", "flatten", "map_values"]


class Symbol:
    """A scalar.

    Attributes
    ----------
    op
        ``const``, ``leaf``, ``table``, or an operation of :mod:`.transfer`.
    args
        Its operands.
    data
        Value of a constant; values of a table.
    known
        What is known of it everywhere: of leaves from the start.
    why
        What a leaf stands for, in words.
    number
        Order of creation: it decides all orders, so results are the same in every process.
    users
        Symbols that have it as an operand.
    """

    __slots__ = (
        *("args", "data", "demanded", "known", "number", "op", "span", "type", "users", "why"),
        "_found",
    )

    def __init__(
        self,
        op: str,
        type_: Scalar,
        args: tuple[Symbol, ...],
        data: object,
        number: int,
        span: Span | None,
    ) -> None:
        self.op = op
        self.type = type_
        self.args = args
        self.data = data
        self.number = number
        self.span = span
        self.known: Known | None = None
        self.why = ""
        self.users: list[Symbol] = []
        self.demanded: dict[tuple[Known, ...], list[tuple[Symbol, Known]]] = {}
        self._found: dict[tuple[Known, ...], Known] = {}

    def __repr__(self) -> str:
        inner = self.data if self.op == "const" else ", ".join(map(repr, self.args))
        return f"{self.op}#{self.number}({inner})"

    def from_args(self, args: tuple[Known, ...]) -> tuple[Known, bool]:
        """Return what its operands say of it, and whether that was computed now."""
        if self.known is not None and not self.args:
            return self.known, False
        found = self._found.get(args)
        if found is not None:
            return found, False
        found = self._found[args] = self._computed(args)
        return found, True

    def _computed(self, args: tuple[Known, ...]) -> Known:
        if self.op == "table":
            (at,) = args
            assert isinstance(at, Finite)
            table: tuple[Number, ...] = self.data  # pyright: ignore[reportAssignmentType]
            return Finite(frozenset(table[int(k)] for k in at.values))
        if len(args) == 2 and self.args[0] is self.args[1] and self.op in SAME:
            return SAME[self.op](self.type, args[0])
        return transfer(self.op, self.type, args, [arg.type for arg in self.args])


Value: TypeAlias = "Symbol | tuple[Value, ...]"
"""A scalar, or the parts of a vector, matrix (columns), array or struct."""


def flatten(value: Value) -> list[Symbol]:
    """List the scalars of a value."""
    if isinstance(value, Symbol):
        return [value]
    return [symbol for part in value for symbol in flatten(part)]


def map_values(function: Callable[..., Symbol], *values: Value) -> Value:
    """Apply a function to the scalars of values of one shape."""
    first = values[0]
    if isinstance(first, Symbol):
        return function(*values)
    parts = zip(*values, strict=True)  # pyright: ignore[reportArgumentType]
    return tuple(map_values(function, *each) for each in parts)


class Symbols:
    """Makes symbols, and finds those that exist."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], Symbol] = {}
        self._count = 0

    def constant(self, value: Number, type_: Scalar, span: Span | None = None) -> Symbol:
        """Return a literal."""
        if type_ == F32 and not math.isnan(value):
            value = float(value) or 0.0
        made = self._find("const", type_, (), _key(value), span)
        if made.known is None:
            made.data = value
            made.known = Finite(frozenset((NAN if math.isnan(value) else value,)))
        return made

    def leaf(self, type_: Scalar, known: Known, why: str, span: Span | None) -> Symbol:
        """Return a new scalar of which only that much is known."""
        made = self._find("leaf", type_, (), self._count, span)
        made.known, made.why = known, why
        return made

    def read(self, key: tuple[object, ...], args: tuple[Symbol, ...], type_: Scalar) -> Symbol:
        """Return a scalar that may be anything, the same for the same key."""
        return self._find("?read", type_, args, key, None)

    def table(self, values: tuple[Number, ...], at: Symbol, type_: Scalar) -> Symbol:
        """Return element ``at`` of constant values."""
        made = self._find("table", type_, (at,), tuple(map(_key, values)), at.span)
        made.data = values
        return made

    def apply(
        self, op: str, type_: Scalar, args: tuple[Symbol, ...], span: Span | None = None
    ) -> Symbol:
        """Return the result of an operation, as a constant if there is only one."""
        if op == "convert" and args[0].type == type_:
            return args[0]
        made = self._find(op, type_, args, None, span)
        if all(arg.op == "const" for arg in args) and made.known is None:
            made.known, _ = made.from_args(tuple(arg.known or top(arg.type) for arg in args))
        known = made.known
        if isinstance(known, Finite) and len(known.values) == 1 and not known.loose:
            return self.constant(next(iter(known.values)), type_, span)
        return made

    def opposite(self, condition: Symbol) -> Symbol:
        """Return ``not condition``."""
        return condition.args[0] if condition.op == "!" else self.apply("!", BOOL, (condition,))

    def _find(
        self, op: str, type_: Scalar, args: tuple[Symbol, ...], data: object, span: Span | None
    ) -> Symbol:
        key = (op, type_.name, data, *(arg.number for arg in args))
        found = self._made.get(key)
        if found is None:
            found = Symbol(op, type_, args, data, self._count, span)
            self._count += 1
            self._made[key] = found
            for arg in args:
                arg.users.append(found)
        elif found.span is None:
            found.span = span
        return found


def _key(value: Number) -> object:
    """Return what identifies a value: 1, 1.0 and True are three, all NaNs are one."""
    if isinstance(value, float):
        return struct.pack("<d", NAN if math.isnan(value) else value)
    return (type(value).__name__, value)
