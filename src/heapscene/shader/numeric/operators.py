"""Operators and conversions.

Integer division truncates; ``x / 0`` is ``x`` and ``x % 0`` is 0, as WGSL defines for values that
are not constants. The smallest ``i32`` divided by -1 is itself. Shift amounts count modulo 32.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from heapscene.shader.types import BOOL, F32, I32, U32, Scalar

__all__ = ["DTYPES", "OPERATORS", "UNARY", "Array", "converted", "product"]

Array: TypeAlias = NDArray[Any]

DTYPES: dict[Scalar, np.dtype[Any]] = {
    F32: np.dtype(np.float32),
    I32: np.dtype(np.int32),
    U32: np.dtype(np.uint32),
    BOOL: np.dtype(np.bool_),
}
"""NumPy's type of each component."""

# The largest f32 within the range of each integer type.
_FLOAT_RANGE = {I32: (-2147483648.0, 2147483520.0), U32: (0.0, 4294967040.0)}


def _quotient(left: Array, right: Array) -> tuple[Array, Array]:
    """Return the truncated quotient in 64 bits, and the divisor with 1 in place of 0."""
    divisor = np.where(right == 0, 1, right).astype(np.int64)
    value = left.astype(np.int64)
    size = np.abs(value) // np.abs(divisor)
    return np.where((value < 0) != (divisor < 0), -size, size), divisor


def _divide(left: Array, right: Array) -> Array:
    if left.dtype.kind == "f":
        return left / right
    return _quotient(left, right)[0].astype(left.dtype)


def _remainder(left: Array, right: Array) -> Array:
    if left.dtype.kind == "f":
        return np.fmod(left, right)
    quotient, divisor = _quotient(left, right)
    return (left.astype(np.int64) - quotient * divisor).astype(left.dtype)


def _shift_left(value: Array, amount: Array) -> Array:
    return (value.astype(np.uint32) << (amount & np.uint32(31))).astype(value.dtype)


def _shift_right(value: Array, amount: Array) -> Array:
    return value >> (amount & np.uint32(31)).astype(value.dtype)


OPERATORS: dict[str, Callable[[Array, Array], Array]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": _shift_left,
    ">>": _shift_right,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
}
"""Component by component; both sides have one type, except that shift amounts are ``u32``."""

UNARY: dict[str, Callable[[Array], Array]] = {"-": operator.neg, "~": np.invert, "!": np.invert}
"""``!`` is for bools, the others for numbers."""


def converted(value: Array, scalar: Scalar) -> Array:
    """Return the same numbers in another type: integers wrap, floats truncate and clamp."""
    if scalar == BOOL:
        return value != 0
    if value.dtype.kind == "f" and scalar != F32:
        low, high = _FLOAT_RANGE[scalar]
        whole = np.clip(np.trunc(value.astype(np.float64)), low, high)
        return np.where(np.isnan(whole), 0.0, whole).astype(DTYPES[scalar])
    return value.astype(DTYPES[scalar])


def _sum(terms: list[Array]) -> Array:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def product(left: Array, right: Array) -> Array:
    """Return the product of linear algebra, summed in order of the index.

    Parameters
    ----------
    left, right
        ``(n, rows, columns)`` for a matrix, ``(n, size)`` for a vector.
    """
    if right.ndim == 2:
        return _sum([left[:, :, k] * right[:, k, None] for k in range(left.shape[2])])
    if left.ndim == 2:
        return _sum([left[:, k, None] * right[:, k, :] for k in range(left.shape[1])])
    return _sum([left[:, :, k, None] * right[:, None, k, :] for k in range(left.shape[2])])
