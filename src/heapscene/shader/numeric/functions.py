"""Intrinsic functions.

Every function that is built from others says in which order it rounds, so that CPython, the
interpreter and constant folding agree in the last bit.
"""

# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from heapscene.shader.numeric import bits
from heapscene.shader.numeric.operators import Array

__all__ = ["FUNCTIONS", "WHOLE"]

_ONE, _TWO, _THREE = np.float32(1), np.float32(2), np.float32(3)
_NAN = np.float32(np.nan)
_DEGREES = np.float32(180.0 / math.pi)
_RADIANS = np.float32(math.pi / 180.0)


def _min(a: Array, b: Array, *more: Array) -> Array:
    smaller = np.where(b < a, b, a)
    return _min(smaller, *more) if more else smaller


def _max(a: Array, b: Array, *more: Array) -> Array:
    larger = np.where(a < b, b, a)
    return _max(larger, *more) if more else larger


def _clamp(x: Array, low: Array, high: Array) -> Array:
    return _min(_max(x, low), high)


def _saturate(x: Array) -> Array:
    return _clamp(x, np.zeros_like(x), np.ones_like(x))


def _smoothstep(low: Array, high: Array, x: Array) -> Array:
    t = _saturate((x - low) / (high - low))
    return t * t * (_THREE - _TWO * t)


def _sign(x: Array) -> Array:
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)


def _fma(a: Array, b: Array, c: Array) -> Array:
    exact = a.astype(np.float64) * b.astype(np.float64)
    return (exact + c.astype(np.float64)).astype(np.float32)


def _modf_fract(x: Array) -> Array:
    return x - np.trunc(x)


def _frexp_fract(x: Array) -> Array:
    return np.frexp(x)[0]


def _frexp_exp(x: Array) -> Array:
    return np.frexp(x)[1]


def _ldexp(x: Array, exponent: Array) -> Array:
    return np.ldexp(x.astype(np.float64), exponent).astype(np.float32)


FUNCTIONS: dict[str, Callable[..., Array]] = {
    "abs": np.abs,
    "sign": _sign,
    "min": _min,
    "max": _max,
    "clamp": _clamp,
    "mix": lambda a, b, t: a * (_ONE - t) + b * t,
    "step": lambda edge, x: (edge <= x).astype(np.float32),
    "smoothstep": _smoothstep,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "trunc": np.trunc,
    "fract": lambda x: x - np.floor(x),
    "sqrt": np.sqrt,
    "inverse_sqrt": lambda x: _ONE / np.sqrt(x),
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "radians": lambda x: x * _RADIANS,
    "degrees": lambda x: x * _DEGREES,
    "saturate": _saturate,
    "pow": lambda base, exponent: np.where(base >= 0, np.power(base, exponent), _NAN),
    "atan2": np.arctan2,
    "select": lambda a, b, condition: np.where(condition, b, a),
    "fma": _fma,
    "ldexp": _ldexp,
    "modf.fract": _modf_fract,
    "modf.whole": np.trunc,
    "frexp.fract": _frexp_fract,
    "frexp.exp": _frexp_exp,
    "quantize_to_f16": lambda x: x.astype(np.float16).astype(np.float32),
    **bits.FUNCTIONS,
}
"""Component by component."""


def _dot(a: Array, b: Array) -> Array:
    total = a[:, 0] * b[:, 0]
    for k in range(1, a.shape[1]):
        total = total + a[:, k] * b[:, k]
    return total


def _cross(a: Array, b: Array) -> Array:
    rows = [a[:, j] * b[:, k] - a[:, k] * b[:, j] for j, k in ((1, 2), (2, 0), (0, 1))]
    return np.stack(rows, axis=1)


def _length(x: Array) -> Array:
    return np.abs(x) if x.ndim == 1 else np.sqrt(_dot(x, x))


def _reflect(incident: Array, normal: Array) -> Array:
    return incident - (_TWO * _dot(normal, incident))[:, None] * normal


def _refract(incident: Array, normal: Array, eta: Array) -> Array:
    cosine = _dot(normal, incident)
    k = _ONE - eta * eta * (_ONE - cosine * cosine)
    bent = eta[:, None] * incident - (eta * cosine + np.sqrt(k))[:, None] * normal
    return np.where((k < 0)[:, None], np.float32(0), bent)


def _faceforward(normal: Array, incident: Array, reference: Array) -> Array:
    return np.where((_dot(incident, reference) < 0)[:, None], normal, -normal)


def _determinant(m: Array) -> Array:
    size = m.shape[1]
    if size == 2:
        return m[:, 0, 0] * m[:, 1, 1] - m[:, 0, 1] * m[:, 1, 0]
    total: Any = None
    for row in range(size):
        minor = np.delete(m[:, :, 1:], row, axis=1)
        term = m[:, row, 0] * _determinant(minor)
        total = term if total is None else (total - term if row % 2 else total + term)
    return total


WHOLE: dict[str, Callable[..., Array]] = {
    "dot": _dot,
    "cross": _cross,
    "length": _length,
    "distance": lambda a, b: _length(a - b),
    "normalize": lambda x: x / _length(x)[:, None],
    "reflect": _reflect,
    "refract": _refract,
    "faceforward": _faceforward,
    "transpose": lambda m: np.ascontiguousarray(np.swapaxes(m, 1, 2)),
    "determinant": _determinant,
    "any": lambda x: x if x.ndim == 1 else x.any(axis=1),
    "all": lambda x: x if x.ndim == 1 else x.all(axis=1),
    **bits.WHOLE,
}
"""Over whole vectors ``(n, size)`` and matrices ``(n, rows, columns)``; scalars are ``(n,)``."""
