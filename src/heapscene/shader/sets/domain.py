"""What is known of a scalar: a small set of values, or an interval with known bits.

Vectors, matrices and structs are taken apart, so scalars are all that the domain describes. Floats
are those that a GPU may compute: a zero has either sign, a NaN is one value, and what is denormal
may have become zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from heapscene.shader.ir.fold import rounded, wrapped
from heapscene.shader.types import BOOL, F32, I32, Scalar

__all__ = [
    "ALL_BITS",
    "EMPTY",
    "INTEGER_LIMITS",
    "MAX_VALUES",
    "NAN",
    "Finite",
    "Interval",
    "Known",
    "Number",
    "apart",
    "between",
    "contains",
    "finite",
    "hull",
    "is_inside",
    "join",
    "meet",
    "top",
]

MAX_VALUES = 64
"""A larger set becomes an interval.

No state of a pipeline has more values (blend factors: 17), no draw so many levels of detail.
"""

ALL_BITS = 0xFFFFFFFF
INTEGER_LIMITS = {"i32": (-(1 << 31), (1 << 31) - 1), "u32": (0, ALL_BITS)}
NAN = math.nan
_SMALLEST_NORMAL = 2.0**-126
_FREE_BITS = 6  # enumerated: 2**6 == MAX_VALUES

Number: TypeAlias = bool | int | float


@dataclass(frozen=True, slots=True)
class Finite:
    """One of these values.

    ``loose`` marks products that were rounded: a GPU may fuse them with a following addition, so
    what is added may be the exact product.
    """

    values: frozenset[Number]
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """A number from ``low`` to ``high``, both included.

    ``nan`` says that a float may also be NaN. ``may`` and ``must`` hold the bits of an integer's
    pattern that can be one and that are one.
    """

    scalar: Scalar
    low: float
    high: float
    nan: bool = False
    may: int = ALL_BITS
    must: int = 0


Known: TypeAlias = Finite | Interval
EMPTY = Finite(frozenset())
_BOTH = Finite(frozenset((False, True)))
_TOPS: dict[str, Known] = {
    "bool": _BOTH,
    "f32": Interval(F32, -math.inf, math.inf, nan=True),
    "i32": Interval(I32, *INTEGER_LIMITS["i32"]),
    "u32": Interval(Scalar("u32"), *INTEGER_LIMITS["u32"]),
}


def apart(value: float, steps: int) -> float:
    """Return the float that lies ``steps`` after this one."""
    found = np.float32(value)
    towards = np.float32(math.inf if steps > 0 else -math.inf)
    with np.errstate(over="ignore", under="ignore"):
        for _ in range(abs(steps)):
            found = np.nextafter(found, towards)
    return float(found)


def top(scalar: Scalar) -> Known:
    """Return what is known of a value when only its type is."""
    return _TOPS[scalar.name]


def finite(scalar: Scalar, values: Iterable[Number], *, loose: bool = False) -> Known:
    """Return a set of values, as an interval if it is large."""
    if scalar == F32:
        found = frozenset(_floats(values))
    elif scalar == BOOL:
        found = frozenset(bool(value) for value in values)
    else:
        found = frozenset(int(value) for value in values)
    if len(found) <= MAX_VALUES:
        return Finite(found, loose)
    numbers = [value for value in found if not math.isnan(value)]
    low, high = min(numbers), max(numbers)
    if loose:
        low, high = apart(low, -1), apart(high, 1)
    return between(scalar, low, high, nan=len(numbers) < len(found))


def _floats(values: Iterable[Number]) -> Iterable[float]:
    for value in values:
        number = rounded(float(value))
        if math.isnan(number):
            yield NAN
            continue
        if 0.0 < abs(number) < _SMALLEST_NORMAL:
            yield 0.0
        yield number or 0.0


def between(
    scalar: Scalar,
    low: float,
    high: float,
    *,
    nan: bool = False,
    may: int = ALL_BITS,
    must: int = 0,
) -> Known:
    """Return an interval, as a set of values if it is small."""
    if scalar == F32:
        return _float_interval(low, high, nan)
    low, high = int(low), int(high)
    may, must, low, high = _tightened(scalar, low, high, may, must)
    if low > high or must & ~may:
        return EMPTY
    if high - low < MAX_VALUES:
        values = (v for v in range(low, high + 1) if _fits(v, may, must))
        return Finite(frozenset(values))
    free = may & ~must
    if free.bit_count() <= _FREE_BITS:
        patterns = (wrapped(p, scalar) for p in _patterns(must, free))
        return Finite(frozenset(v for v in patterns if low <= v <= high))
    return Interval(scalar, low, high, False, may, must)


def _float_interval(low: float, high: float, nan: bool) -> Known:
    if 0.0 < low < _SMALLEST_NORMAL:
        low = 0.0
    if -_SMALLEST_NORMAL < high < 0.0:
        high = 0.0
    if low > high:
        return Finite(frozenset((NAN,))) if nan else EMPTY
    if low == high:
        return Finite(frozenset((low or 0.0, NAN) if nan else (low or 0.0,)))
    return Interval(F32, low, high, nan)


def _tightened(
    scalar: Scalar, low: int, high: int, may: int, must: int
) -> tuple[int, int, int, int]:
    """Let the limits and the bits of an integer narrow each other."""
    signed = scalar == I32
    if signed and may >> 31 == 0:
        low = max(low, 0)
    if signed and must >> 31:
        high = min(high, -1)
    if low > high:
        return may, must, low, high
    if low >= 0 or high < 0:
        first, last = low & ALL_BITS, high & ALL_BITS
        varying = (1 << (first ^ last).bit_length()) - 1
        may &= first | varying
        must |= first & ~varying & ALL_BITS
        low = max(low, wrapped(must, scalar))
        high = min(high, wrapped(may, scalar))
    return may, must, low, high


def _fits(value: int, may: int, must: int) -> bool:
    pattern = value & ALL_BITS
    return pattern & ~may == 0 and pattern & must == must


def _patterns(must: int, free: int) -> Iterable[int]:
    part = free
    while True:  # every subset of the free bits, the largest first
        yield must | part
        if part == 0:
            return
        part = (part - 1) & free


def hull(known: Known, scalar: Scalar) -> Interval:
    """Return the smallest interval around what is known, which must not be empty.

    A float that can only be NaN has an empty interval: its low end is above its high end. A loose
    product reaches one float further, to where the exact product is.
    """
    if isinstance(known, Interval):
        return known
    numbers = [value for value in known.values if not math.isnan(value)]
    nan = len(numbers) < len(known.values)
    if scalar == F32:
        low, high = min(numbers, default=math.inf), max(numbers, default=-math.inf)
        if known.loose and numbers:
            low, high = apart(low, -1), apart(high, 1)
        return Interval(F32, low, high, nan)
    may = must = int(numbers[0]) & ALL_BITS
    for value in numbers:
        may |= int(value) & ALL_BITS
        must &= int(value) & ALL_BITS
    return Interval(scalar, min(numbers), max(numbers), False, may, must)


def contains(known: Known, value: Number) -> bool:
    """Tell whether a value is possible."""
    if isinstance(known, Finite):
        return (NAN if math.isnan(value) else value) in known.values
    if math.isnan(value):
        return known.nan
    if not known.low <= value <= known.high:
        return False
    return known.scalar == F32 or _fits(int(value), known.may, known.must)


def is_inside(inner: Known, outer: Known) -> bool:
    """Tell whether everything possible in ``inner`` is possible in ``outer``."""
    if isinstance(inner, Finite):
        return all(contains(outer, value) for value in inner.values)
    if isinstance(outer, Finite):
        return False
    return (
        outer.low <= inner.low
        and inner.high <= outer.high
        and (outer.nan or not inner.nan)
        and inner.may & ~outer.may == 0
        and outer.must & ~inner.must == 0
    )


def join(scalar: Scalar, *parts: Known) -> Known:
    """Return what is known of a value that is one of several."""
    parts = tuple(part for part in parts if part != EMPTY)
    if not parts:
        return EMPTY
    loose = any(isinstance(part, Finite) and part.loose for part in parts)
    sets = [part.values for part in parts if isinstance(part, Finite)]
    if len(sets) == len(parts):
        return finite(scalar, frozenset[Number]().union(*sets), loose=loose)
    hulls = [hull(part, scalar) for part in parts]
    may, must = 0, ALL_BITS
    for each in hulls:
        may |= each.may
        must &= each.must
    return between(
        scalar,
        min(each.low for each in hulls),
        max(each.high for each in hulls),
        nan=any(each.nan for each in hulls),
        may=may,
        must=must,
    )


def meet(scalar: Scalar, a: Known, b: Known) -> Known:
    """Return what is known of a value that is one of ``a`` and one of ``b``."""
    if isinstance(a, Finite):
        values = frozenset(value for value in a.values if contains(b, value))
        return Finite(values, a.loose) if values else EMPTY
    if isinstance(b, Finite):
        return meet(scalar, b, a)
    return between(
        scalar,
        max(a.low, b.low),
        min(a.high, b.high),
        nan=a.nan and b.nan,
        may=a.may & b.may,
        must=a.must | b.must,
    )
