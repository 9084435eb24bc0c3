"""Intervals and bits of 32-bit integers: exact, wrapping as on the GPU."""

from __future__ import annotations

from collections.abc import Callable

from heapscene.shader.ir.fold import wrapped
from heapscene.shader.sets.domain import (
    ALL_BITS,
    INTEGER_LIMITS,
    Finite,
    Interval,
    Known,
    between,
    join,
    top,
)
from heapscene.shader.types import I32, U32, Scalar

__all__ = ["INTEGER_OPERATIONS", "complement", "magnitude", "negated", "reinterpreted"]


def _wrapping(scalar: Scalar, low: int, high: int) -> Known:
    """Return the numbers from ``low`` to ``high``, wrapped to 32 bits."""
    first, last = INTEGER_LIMITS[scalar.name]
    if high - low > ALL_BITS:
        return top(scalar)
    start, end = wrapped(low, scalar), wrapped(high, scalar)
    if start <= end:
        return between(scalar, start, end)
    return join(scalar, between(scalar, start, last), between(scalar, first, end))


def _ends(a: Interval) -> tuple[int, int]:
    return int(a.low), int(a.high)


def _sum(a: Interval, b: Interval) -> Known:
    (low, high), (first, last) = _ends(a), _ends(b)
    return _with_low_bits(a, _wrapping(a.scalar, low + first, high + last), b)


def _difference(a: Interval, b: Interval) -> Known:
    (low, high), (first, last) = _ends(a), _ends(b)
    return _with_low_bits(a, _wrapping(a.scalar, low - last, high - first), b)


def _with_low_bits(a: Interval, found: Known, b: Interval) -> Known:
    """Add that the low bits that are zero in both operands stay zero."""
    zeros = _trailing_zeros(a.may | b.may)
    if zeros == 0 or isinstance(found, Finite):
        return found
    may = found.may & ~((1 << zeros) - 1) & ALL_BITS
    return between(found.scalar, found.low, found.high, may=may, must=found.must & may)


def _trailing_zeros(bits: int) -> int:
    return 31 if bits == 0 else (bits & -bits).bit_length() - 1


def _product(a: Interval, b: Interval) -> Known:
    corners = [x * y for x in _ends(a) for y in _ends(b)]
    found = _wrapping(a.scalar, min(corners), max(corners))
    zeros = min(_trailing_zeros(a.may) + _trailing_zeros(b.may), 31)
    if zeros == 0 or isinstance(found, Finite):
        return found
    may = found.may & ~((1 << zeros) - 1) & ALL_BITS
    return between(found.scalar, found.low, found.high, may=may, must=found.must & may)


def _quotient(a: Interval, b: Interval) -> Known:
    parts: list[Known] = []
    low, high = _ends(b)
    if low <= 0 <= high:
        parts.append(a)  # x / 0 is x
    for first, last in ((low, min(high, -1)), (max(low, 1), high)):
        if first > last:
            continue
        corners = [_truncated(x, y) for x in _ends(a) for y in (first, last)]
        if a.low <= 0 <= a.high:
            corners.append(0)
        parts.append(_wrapping(a.scalar, min(corners), max(corners)))
    return join(a.scalar, *parts)


def _truncated(x: int, y: int) -> int:
    size = abs(x) // abs(y)
    return -size if (x < 0) != (y < 0) else size


def _remainder(a: Interval, b: Interval) -> Known:
    low, high = _ends(a)
    first, last = _ends(b)
    largest = max(abs(first), abs(last)) - 1
    if first > 0 and low >= 0 and high < first:
        return between(a.scalar, low, high, may=a.may, must=a.must)
    limit = min(max(largest, 0), max(abs(low), abs(high)))
    return between(a.scalar, -limit if low < 0 else 0, limit if high > 0 else 0)


def _and(a: Interval, b: Interval) -> Known:
    return _bits(a.scalar, a.may & b.may, a.must & b.must)


def _or(a: Interval, b: Interval) -> Known:
    return _bits(a.scalar, a.may | b.may, a.must | b.must)


def _xor(a: Interval, b: Interval) -> Known:
    fixed = ~(a.may ^ a.must) & ~(b.may ^ b.must) & ALL_BITS
    must = (a.must ^ b.must) & fixed
    return _bits(a.scalar, (must | ~fixed) & ALL_BITS, must)


def _bits(scalar: Scalar, may: int, must: int) -> Known:
    return between(scalar, *INTEGER_LIMITS[scalar.name], may=may, must=must)


def complement(a: Interval) -> Known:
    """Return ``~a``."""
    low, high = _ends(a)
    flipped = _bits(a.scalar, ~a.must & ALL_BITS, ~a.may & ALL_BITS)
    if isinstance(flipped, Finite):
        return flipped
    ends = (-1 - high, -1 - low) if a.scalar == I32 else (ALL_BITS - high, ALL_BITS - low)
    return between(a.scalar, *ends, may=flipped.may, must=flipped.must)


def _left(a: Interval, b: Interval) -> Known:
    return _shifted(a, b, _left_by)


def _left_by(a: Interval, amount: int) -> Known:
    low, high = int(a.low) << amount, int(a.high) << amount
    found = _wrapping(a.scalar, low, high)
    if isinstance(found, Finite):
        return found
    may = found.may & (a.may << amount) & ALL_BITS
    return between(
        a.scalar,
        found.low,
        found.high,
        may=may,
        must=(found.must | ((a.must << amount) & ALL_BITS)) & may,
    )


def _right(a: Interval, b: Interval) -> Known:
    return _shifted(a, b, _right_by)


def _right_by(a: Interval, amount: int) -> Known:
    low, high = int(a.low) >> amount, int(a.high) >> amount
    if a.low < 0:
        return between(a.scalar, low, high)
    return between(a.scalar, low, high, may=a.may >> amount, must=a.must >> amount)


def _shifted(a: Interval, b: Interval, by: Callable[[Interval, int], Known]) -> Known:
    low, high = _ends(b)
    amounts = range(32) if high - low >= 31 else sorted({n & 31 for n in range(low, high + 1)})
    return join(a.scalar, *(by(a, amount) for amount in amounts))


def _smallest(a: Interval, b: Interval) -> Known:
    return between(a.scalar, min(a.low, b.low), min(a.high, b.high))


def _largest(a: Interval, b: Interval) -> Known:
    return between(a.scalar, max(a.low, b.low), max(a.high, b.high))


INTEGER_OPERATIONS: dict[str, Callable[[Interval, Interval], Known]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "%": _remainder,
    "&": _and,
    "|": _or,
    "^": _xor,
    "<<": _left,
    ">>": _right,
    "min": _smallest,
    "max": _largest,
}
"""Operators on intervals; a shift's right side is ``u32``."""


def negated(a: Interval) -> Known:
    """Return ``-a``."""
    return _wrapping(a.scalar, -int(a.high), -int(a.low))


def magnitude(a: Interval) -> Known:
    """Return ``abs(a)``; the smallest ``i32`` stays negative."""
    if a.low >= 0:
        return between(a.scalar, a.low, a.high, may=a.may, must=a.must)
    low, high = _ends(a)
    smallest = INTEGER_LIMITS["i32"][0]
    parts = [between(a.scalar, smallest, smallest)] if low == smallest else []
    low = max(low, smallest + 1)
    ends = [abs(low), abs(high)] + ([0] if high >= 0 else [])
    return join(a.scalar, between(a.scalar, min(ends), max(ends)), *parts)


def reinterpreted(a: Interval, scalar: Scalar) -> Known:
    """Return the same bits as the other integer type."""
    assert scalar in (I32, U32)
    found = _wrapping(scalar, int(a.low), int(a.high))
    if isinstance(found, Finite):
        return found
    return between(scalar, found.low, found.high, may=found.may & a.may, must=found.must | a.must)
