"""Intervals of 32-bit floats, as wide as WGSL allows a GPU to be inexact.

Source of the bounds: WGSL specification, "Accuracy of Concrete Floating Point Expressions". Sums
and products are rounded once, to the nearest; for other functions each bound is moved outwards by
the allowed error. A product may be fused with a sum that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from heapscene.shader.ir.fold import rounded
from heapscene.shader.sets.domain import Interval, Known, apart, between, hull, top
from heapscene.shader.types import F32

__all__ = [
    "FLOAT_FUNCTIONS",
    "dot_products",
    "outwards",
    "power",
    "product",
    "quotient",
    "remainder",
    "total",
]

_FLOAT_EPSILON = 2.0**-23
_LARGEST_DIVISOR = 2.0**126  # beyond it WGSL promises nothing
_QUOTIENT_STEPS = 3  # 2.5 units in the last place
_UNIT = 1.0 + 2.0**-11  # what a sine may reach


def outwards(low: float, high: float, steps: int, *, nan: bool = False) -> Known:
    """Return the interval from ``low`` to ``high``, rounded and moved outwards by some floats."""
    return between(F32, apart(rounded(low), -steps), apart(rounded(high), steps), nan=nan)


def _infinite(*intervals: Interval) -> bool:
    return any(math.isinf(each.low) or math.isinf(each.high) for each in intervals)


def total(a: Interval, b: Interval) -> Known:
    """Return ``a + b``."""
    opposite = (a.low == -math.inf and b.high == math.inf) or (
        a.high == math.inf and b.low == -math.inf
    )
    nan = a.nan or b.nan or opposite
    if a.low > a.high or b.low > b.high:
        return between(F32, math.inf, -math.inf, nan=nan)
    low, high = a.low + b.low, a.high + b.high
    low = -math.inf if math.isnan(low) else rounded(low)
    high = math.inf if math.isnan(high) else rounded(high)
    return between(F32, low, high, nan=nan)


def product(a: Interval, b: Interval) -> Known:
    """Return ``a * b``."""
    vanish = (_infinite(a) and b.low <= 0.0 <= b.high) or (_infinite(b) and a.low <= 0.0 <= a.high)
    nan = a.nan or b.nan or vanish
    if a.low > a.high or b.low > b.high:
        return between(F32, math.inf, -math.inf, nan=nan)
    corners = [x * y if x and y else 0.0 for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(corners), max(corners)
    low = rounded(low) if rounded(low) == low else apart(rounded(low), -1)
    high = rounded(high) if rounded(high) == high else apart(rounded(high), 1)
    return between(F32, low, high, nan=nan)


def quotient(a: Interval, b: Interval) -> Known:
    """Return ``a / b``."""
    if b.low <= 0.0 <= b.high or a.low > a.high or b.low > b.high:
        return top(F32)
    nan = a.nan or b.nan or (_infinite(a) and _infinite(b))
    corners = [_divided(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    if max(abs(b.low), abs(b.high)) > _LARGEST_DIVISOR:
        corners.append(0.0)
    return outwards(min(corners), max(corners), _QUOTIENT_STEPS, nan=nan)


def _divided(x: float, y: float) -> float:
    return 0.0 if math.isinf(y) else x / y


def remainder(a: Interval, b: Interval) -> Known:
    """Return ``a - b * trunc(a / b)``: near a multiple of ``b`` it may fall on either side."""
    largest = max(abs(a.low), abs(a.high))
    if b.low <= 0.0 <= b.high or a.low > a.high or not math.isfinite(largest) or _infinite(b):
        return top(F32)
    margin = 8.0 * _FLOAT_EPSILON * largest
    limit = min(max(abs(b.low), abs(b.high)), largest) + margin
    low = -limit if a.low < 0.0 else -margin
    high = limit if a.high > 0.0 else margin
    return outwards(low, high, 1, nan=a.nan or b.nan)


def _monotone(
    function: Callable[[float], float],
    steps: int,
    *,
    low: float = -math.inf,
    floor: float | None = None,
) -> Callable[[Interval], Known]:
    """Make a function that never falls, defined from ``low`` on, with an error in floats."""

    def apply(a: Interval) -> Known:
        nan = a.nan or a.low < low
        first, last = max(a.low, low), a.high
        if first > last:
            return between(F32, math.inf, -math.inf, nan=nan)
        found = outwards(function(first), function(last), steps, nan=nan)
        if floor is None:
            return found
        inner = hull(found, F32)
        return between(F32, max(inner.low, floor), max(inner.high, floor), nan=nan)

    return apply


def _exact(function: Callable[[float], float]) -> Callable[[Interval], Known]:
    def safe(x: float) -> float:
        return x if math.isinf(x) else float(function(x))

    return _monotone(safe, 0)


def _ranged(low: float, high: float, *, nan: bool = True) -> Callable[[Interval], Known]:
    def apply(a: Interval) -> Known:
        return between(F32, low, high, nan=nan or a.nan)

    return apply


def _wave(function: Callable[[float], float]) -> Callable[[Interval], Known]:
    """Make a sine: within 2**-11 from -π to π, and then at least between its extremes."""

    def apply(a: Interval) -> Known:
        nan = a.nan or _infinite(a)
        if a.low == a.high and abs(a.low) <= math.pi:
            middle = function(a.low)
            return outwards(middle - 2.0**-11, middle + 2.0**-11, 1, nan=nan)
        return outwards(-_UNIT, _UNIT, 1, nan=nan)

    return apply


def _power(base: float) -> Callable[[Interval], Known]:
    """Make an exponential: 3 + 2 |x| units in the last place."""

    def apply(a: Interval) -> Known:
        if a.low > a.high:
            return between(F32, math.inf, -math.inf, nan=a.nan)
        parts = [_raised(base, x) for x in (a.low, a.high)]
        errors = [(8.0 + 2.0 * min(abs(x), 200.0)) * _FLOAT_EPSILON for x in (a.low, a.high)]
        low = max(parts[0] * (1.0 - errors[0]), 0.0)
        high = parts[1] * (1.0 + errors[1])
        return (
            outwards(low, high, 1, nan=a.nan)
            if low > 0.0
            else between(F32, 0.0, apart(rounded(high), 1), nan=a.nan)
        )

    return apply


def _raised(base: float, x: float) -> float:
    if x > 200.0:
        return math.inf
    return 0.0 if x < -200.0 else base**x


def _logarithm(function: Callable[[float], float]) -> Callable[[Interval], Known]:
    """Make a logarithm: 2**-21, or three units in the last place."""

    def apply(a: Interval) -> Known:
        if a.low > a.high:
            return between(F32, math.inf, -math.inf, nan=True)
        nan = a.nan or a.low < 0.0
        if a.high < 0.0:
            return top(F32)
        low = -math.inf if a.low <= 0.0 else function(a.low)
        high = function(a.high) if 0.0 < a.high < math.inf else (math.inf if a.high else -math.inf)
        margin = 2.0**-21
        return outwards(low - margin, high + margin, 4, nan=nan)

    return apply


def _fraction(a: Interval) -> Known:
    if not _infinite(a) and a.low <= a.high and math.floor(a.low) == math.floor(a.high):
        whole = math.floor(a.low)
        return between(F32, rounded(a.low - whole), rounded(a.high - whole), nan=a.nan)
    return between(F32, 0.0, 1.0, nan=a.nan or _infinite(a))


def _root(a: Interval) -> Known:
    return _monotone(lambda x: math.sqrt(x) if x < math.inf else x, 6, low=0.0, floor=0.0)(a)


def _inverse_root(a: Interval) -> Known:
    if a.low <= 0.0 or a.low > a.high:
        return top(F32)
    low = 0.0 if math.isinf(a.high) else 1.0 / math.sqrt(a.high)
    high = 0.0 if math.isinf(a.low) else 1.0 / math.sqrt(a.low)
    found = hull(outwards(low, high, 3, nan=a.nan), F32)
    return between(F32, max(found.low, 0.0), found.high, nan=a.nan)


def _smooth(a: Interval) -> Known:
    """Return ``t * t * (3 - 2 * t)`` for t from 0 to 1: it never falls."""

    def curve(t: float) -> float:
        return t * t * (3.0 - 2.0 * t)

    if a.low > a.high:
        return between(F32, math.inf, -math.inf, nan=a.nan)
    low, high = curve(max(a.low, 0.0)), curve(min(a.high, 1.0))
    first = low if low in (0.0, 1.0) else max(apart(rounded(low), -8), 0.0)
    last = high if high in (0.0, 1.0) else min(apart(rounded(high), 8), 1.0)
    return between(F32, first, last, nan=a.nan)


def _arc(a: Interval) -> Known:
    if a.low > a.high:
        return between(F32, math.inf, -math.inf, nan=a.nan)
    error = 4096.0 * _FLOAT_EPSILON
    ends = [math.atan(a.low), math.atan(a.high)]
    return outwards(ends[0] - abs(ends[0]) * error, ends[1] + abs(ends[1]) * error, 1, nan=a.nan)


FLOAT_FUNCTIONS: dict[str, Callable[[Interval], Known]] = {
    "floor": _exact(math.floor),
    "ceil": _exact(math.ceil),
    "trunc": _exact(math.trunc),
    "round": _exact(round),
    "fract": _fraction,
    "sqrt": _root,
    "inverse_sqrt": _inverse_root,
    "exp": _power(math.e),
    "exp2": _power(2.0),
    "log": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "sin": _wave(math.sin),
    "cos": _wave(math.cos),
    "tan": lambda _: top(F32),
    "asin": _ranged(-1.6, 1.6),
    "acos": _ranged(-0.1, 3.2),
    "atan": _arc,
    "sinh": lambda _: top(F32),
    "cosh": lambda _: top(F32),
    "tanh": _ranged(-1.01, 1.01),
    "asinh": lambda _: top(F32),
    "acosh": lambda _: top(F32),
    "atanh": lambda _: top(F32),
    "smooth": _smooth,
}
"""Functions of one float, on intervals."""


def power(a: Interval, b: Interval) -> Known:
    """Return ``exp2(b * log2(a))``, which is how accurate a power must be."""
    if a.low < 0.0 or a.nan or b.nan:
        return top(F32)
    exponent = product(b, hull(FLOAT_FUNCTIONS["log2"](a), F32))
    return FLOAT_FUNCTIONS["exp2"](hull(exponent, F32))


def _square(a: Interval) -> Interval:
    found = hull(product(a, a), F32)
    return Interval(F32, max(found.low, 0.0), found.high, a.nan)


def dot_products(a: Iterable[Interval], b: Iterable[Interval]) -> Known:
    """Return the sum of products, in any order and fused or not."""
    parts = [_square(x) if x is y else hull(product(x, y), F32) for x, y in zip(a, b, strict=True)]
    nan = any(part.nan for part in parts)
    lows, highs = [part.low for part in parts], [part.high for part in parts]
    mixed = math.inf in highs and -math.inf in lows
    low = -math.inf if -math.inf in lows else sum(lows)
    high = math.inf if math.inf in highs else sum(highs)
    largest = sum(max(abs(x), abs(y)) for x, y in zip(lows, highs, strict=True))
    margin = 0.0 if math.isinf(largest) else largest * _FLOAT_EPSILON * len(parts)
    if largest > 3.4e38 and low < 0.0 < high:
        mixed = True
    low = 0.0 if low >= 0.0 and min(lows) >= 0.0 and low - margin < 0.0 else low - margin
    return outwards(low, high + margin, 1, nan=nan or mixed)
