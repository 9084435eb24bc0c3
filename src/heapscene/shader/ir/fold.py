"""Literals computed at compile time, with the wrapping and rounding of the GPU.

WGSL refuses constant expressions that overflow, though the same operation wraps at run time;
folding keeps one meaning.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable

from heapscene.shader.types import BOOL, F32, I32, U32, Scalar

__all__ = ["fold_binary", "fold_convert", "rounded", "wrapped"]

_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_FLOAT: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def rounded(value: float) -> float:
    """Return the nearest f32; infinite if it is out of range."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def wrapped(value: int, scalar: Scalar) -> int:
    """Return the lowest 32 bits as ``i32`` or ``u32``."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if scalar == I32 and value >= 1 << 31 else value


def fold_convert(value: float, scalar: Scalar) -> bool | int | float:
    """Return a number in another scalar type: integers wrap, floats truncate and clamp."""
    if scalar == BOOL:
        return bool(value)
    if scalar == F32:
        return rounded(float(value))
    if isinstance(value, float):
        low, high = (0, 0xFFFFFFFF) if scalar == U32 else (-(1 << 31), (1 << 31) - 1)
        return min(max(math.trunc(value), low), high)
    return wrapped(int(value), scalar)


def fold_binary(op: str, left: float, right: float, scalar: Scalar) -> bool | int | float | None:
    """Return ``left op right`` for two literals, or ``None`` if it is left to the GPU."""
    if op in _COMPARE:
        return _COMPARE[op](left, right)
    if op == "and":
        return bool(left and right)
    if op == "or":
        return bool(left or right)
    if scalar == F32:
        if op not in _FLOAT or (op == "/" and right == 0):
            return None
        value = rounded(_FLOAT[op](left, right))
        return value if math.isfinite(value) else None
    if scalar == BOOL:
        return bool(_INTEGER[op](int(left), int(right)))
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(int(left)) // abs(int(right)) * (-1 if (left < 0) != (right < 0) else 1)
        return wrapped(quotient if op == "/" else int(left) - quotient * int(right), scalar)
    return wrapped(_INTEGER[op](int(left), int(right)), scalar)
