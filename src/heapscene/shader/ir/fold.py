"""Literals computed at compile time, with the wrapping and rounding of the GPU.

WGSL refuses constant expressions that overflow, though the same operation wraps at run time;
folding keeps one meaning.
"""

from __future__ import annotations

import math
import struct

import numpy as np

from heapscene.shader.numeric import DTYPES, OPERATORS, converted
from heapscene.shader.types import BOOL, F32, I32, U32, Scalar

__all__ = ["fold_binary", "fold_convert", "rounded", "wrapped"]


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
    if isinstance(value, float) or scalar in (BOOL, F32):
        kind = np.float32 if isinstance(value, float) else np.int64
        return converted(np.array([value], kind), scalar)[0].item()
    return wrapped(int(value), scalar)


def fold_binary(op: str, left: float, right: float, scalar: Scalar) -> bool | int | float | None:
    """Return ``left op right`` for two literals, or ``None`` if it is left to the GPU."""
    if op in ("/", "%") and (right == 0 or (scalar == F32 and op == "%")):
        return None
    dtype = DTYPES[scalar]
    other = DTYPES[U32] if op in ("<<", ">>") else dtype
    with np.errstate(all="ignore"):
        value = OPERATORS[op](np.array([left], dtype), np.array([right], other))[0].item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
