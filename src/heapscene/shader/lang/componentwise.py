"""Intrinsics that go component by component: rounding, roots, exponentials, angles, interpolation.

Each works on ``f32`` and on float vectors (those marked so also on integers) and computes in single
precision.
"""

# WGSL's names are Python's builtins, and a function is named by its result.
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import math
from functools import reduce
from typing import Any, TypeVar, overload

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import each, float_vectors, floats, intrinsic, rounded
from heapscene.shader.lang.scalars import Float32, Int32, scalar_type
from heapscene.shader.lang.vector_value import VectorValue, to_scalar, vector_class
from heapscene.shader.lang.vectors import vec2, vec2i, vec2u, vec3, vec3i, vec3u, vec4, vec4i, vec4u
from heapscene.shader.types import I32, U32

__all__ = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "degrees",
    "exp",
    "exp2",
    "floor",
    "fma",
    "fract",
    "frexp",
    "inverse_sqrt",
    "ldexp",
    "log",
    "log2",
    "max",
    "min",
    "mix",
    "modf",
    "pow",
    "radians",
    "round",
    "saturate",
    "sign",
    "sin",
    "sinh",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "trunc",
]

F = TypeVar("F", float, vec2, vec3, vec4)
N = TypeVar("N", int, float, vec2, vec3, vec4, vec2i, vec3i, vec4i, vec2u, vec3u, vec4u)
FV = TypeVar("FV", vec2, vec3, vec4)

_DEGREES = Float32(180.0 / math.pi)
_RADIANS = Float32(math.pi / 180.0)


@intrinsic
def floor(x: F) -> F:
    """Round down."""
    return each("floor", rounded("floor"), x, floats_only=True)


@intrinsic
def ceil(x: F) -> F:
    """Round up."""
    return each("ceil", rounded("ceil"), x, floats_only=True)


@intrinsic
def trunc(x: F) -> F:
    """Round towards zero."""
    return each("trunc", rounded("trunc"), x, floats_only=True)


@intrinsic
def round(x: F) -> F:
    """Round to the nearest integer, halves to the even one."""
    return each("round", rounded("round"), x, floats_only=True)


@intrinsic
def sqrt(x: F) -> F:
    """Square root."""
    return each("sqrt", rounded("sqrt"), x, floats_only=True)


@intrinsic
def exp(x: F) -> F:
    """Euler's number to the power of x."""
    return each("exp", rounded("exp"), x, floats_only=True)


@intrinsic
def exp2(x: F) -> F:
    """2 to the power of x."""
    return each("exp2", rounded("exp2"), x, floats_only=True)


@intrinsic
def log(x: F) -> F:
    """Natural logarithm."""
    return each("log", rounded("log"), x, floats_only=True)


@intrinsic
def log2(x: F) -> F:
    """Logarithm to base 2."""
    return each("log2", rounded("log2"), x, floats_only=True)


@intrinsic
def sin(x: F) -> F:
    """Sine of an angle in radians."""
    return each("sin", rounded("sin"), x, floats_only=True)


@intrinsic
def cos(x: F) -> F:
    """Cosine of an angle in radians."""
    return each("cos", rounded("cos"), x, floats_only=True)


@intrinsic
def tan(x: F) -> F:
    """Tangent of an angle in radians."""
    return each("tan", rounded("tan"), x, floats_only=True)


@intrinsic
def asin(x: F) -> F:
    """Angle in radians with that sine."""
    return each("asin", rounded("asin"), x, floats_only=True)


@intrinsic
def acos(x: F) -> F:
    """Angle in radians with that cosine."""
    return each("acos", rounded("acos"), x, floats_only=True)


@intrinsic
def atan(x: F) -> F:
    """Angle in radians with that tangent."""
    return each("atan", rounded("atan"), x, floats_only=True)


@intrinsic
def sinh(x: F) -> F:
    """Hyperbolic sine."""
    return each("sinh", rounded("sinh"), x, floats_only=True)


@intrinsic
def cosh(x: F) -> F:
    """Hyperbolic cosine."""
    return each("cosh", rounded("cosh"), x, floats_only=True)


@intrinsic
def tanh(x: F) -> F:
    """Hyperbolic tangent."""
    return each("tanh", rounded("tanh"), x, floats_only=True)


@intrinsic
def asinh(x: F) -> F:
    """Inverse hyperbolic sine."""
    return each("asinh", rounded("asinh"), x, floats_only=True)


@intrinsic
def acosh(x: F) -> F:
    """Inverse hyperbolic cosine."""
    return each("acosh", rounded("acosh"), x, floats_only=True)


@intrinsic
def atanh(x: F) -> F:
    """Inverse hyperbolic tangent."""
    return each("atanh", rounded("atanh"), x, floats_only=True)


@intrinsic
def saturate(x: F) -> F:
    """``clamp(x, 0.0, 1.0)``."""
    return each("saturate", lambda a: clamp(a, 0.0, 1.0), x, floats_only=True)


@overload
def ldexp(x: float, exponent: int) -> float: ...
@overload
def ldexp(x: vec2, exponent: vec2i) -> vec2: ...
@overload
def ldexp(x: vec3, exponent: vec3i) -> vec3: ...
@overload
def ldexp(x: vec4, exponent: vec4i) -> vec4: ...
@intrinsic
def ldexp(x: Any, exponent: Any) -> Any:
    """``x`` times 2 to the power of ``exponent``."""
    if isinstance(x, VectorValue) or isinstance(exponent, VectorValue):
        float_vectors("ldexp", x)
        if type(exponent) is not vector_class(I32, len(x)):
            raise ShaderTypeError(
                explain(
                    f"ldexp() takes a vec{len(x)}i beside a vec{len(x)}",
                    facts={"given": type(exponent).__name__},
                    fix=f"Convert: vec{len(x)}i(n).",
                )
            )
        return type(x)._of(map(_scaled, x, exponent))
    (number,) = floats("ldexp", x)
    return _scaled(number, to_scalar(I32, exponent))


def _scaled(x: float, exponent: int) -> Float32:
    with np.errstate(all="ignore"):
        return Float32(np.ldexp(float(x), int(exponent)))


@intrinsic
def modf(x: F) -> tuple[F, F]:
    """``fract, whole = modf(x)``: both parts have the sign of x, and add up to it."""
    whole = trunc(x)
    return x - whole, whole


@overload
def frexp(x: float) -> tuple[float, int]: ...
@overload
def frexp(x: vec2) -> tuple[vec2, vec2i]: ...
@overload
def frexp(x: vec3) -> tuple[vec3, vec3i]: ...
@overload
def frexp(x: vec4) -> tuple[vec4, vec4i]: ...
@intrinsic
def frexp(x: Any) -> Any:
    """``fract, exponent = frexp(x)``: ``x == ldexp(fract, exponent)``, fract in [0.5, 1) or 0."""
    fract = each("frexp", rounded("frexp.fract"), x, floats_only=True)
    if not isinstance(x, VectorValue):
        return fract, Int32(math.frexp(fract if x == 0 else x)[1])
    exponents = [math.frexp(part)[1] for part in x]
    return fract, vector_class(I32, len(exponents))(*exponents)


@intrinsic
def abs(x: N) -> N:
    """Magnitude, of floats and integers; the smallest ``i32`` stays negative."""
    return each("abs", lambda a: a.__abs__(), x)


@intrinsic
def sign(x: N) -> N:
    """-1, 0 or 1, of floats and ``i32``."""
    return each("sign", _sign_of, x)


def _sign_of(a: Any) -> Any:
    if scalar_type(a) == U32:
        raise ShaderTypeError(
            explain("sign() is not defined for u32", fix="Convert: sign(i32(x)).")
        )
    return type(a)((a > 0) - (a < 0))


@intrinsic
def min(a: N, b: N, *more: N) -> N:
    """The smallest, of floats and integers."""
    return reduce(lambda p, q: each("min", _smaller, p, q), (b, *more), a)


@intrinsic
def max(a: N, b: N, *more: N) -> N:
    """The largest, of floats and integers."""
    return reduce(lambda p, q: each("max", _larger, p, q), (b, *more), a)


@intrinsic
def clamp(x: N, low: N, high: N) -> N:
    """``min(max(x, low), high)``, of floats and integers."""
    return min(max(x, low), high)


@intrinsic
def fract(x: F) -> F:
    """``x - floor(x)``."""
    return each("fract", lambda a: a - floor(a), x, floats_only=True)


@intrinsic
def inverse_sqrt(x: F) -> F:
    """``1 / sqrt(x)``."""
    return each("inverse_sqrt", lambda a: 1.0 / sqrt(a), x, floats_only=True)


@intrinsic
def pow(base: F, exponent: F) -> F:
    """Power; a negative base gives NaN here and nothing defined on a GPU."""
    return each("pow", rounded(_power), base, exponent, floats_only=True)


def _power(base: Any, exponent: Any) -> Any:
    return np.power(base, exponent) if base >= 0.0 else np.float32(np.nan)


@intrinsic
def atan2(y: F, x: F) -> F:
    """Angle in radians of the direction (x, y), in [-π, π]."""
    return each("atan2", rounded("atan2"), y, x, floats_only=True)


@intrinsic
def radians(angle: F) -> F:
    """Degrees to radians."""
    return each("radians", lambda a: a * _RADIANS, angle, floats_only=True)


@intrinsic
def degrees(angle: F) -> F:
    """Radians to degrees."""
    return each("degrees", lambda a: a * _DEGREES, angle, floats_only=True)


@intrinsic
def step(edge: F, x: F) -> F:
    """1 where ``edge <= x``, else 0."""
    return each("step", lambda e, a: Float32(1.0 if e <= a else 0.0), edge, x, floats_only=True)


@intrinsic
def smoothstep(low: F, high: F, x: F) -> F:
    """0 at ``low``, 1 at ``high``, smooth between."""
    return each("smoothstep", _smooth, low, high, x, floats_only=True)


@intrinsic
def fma(a: F, b: F, c: F) -> F:
    """``a * b + c``, rounded once."""
    return each(
        "fma", lambda p, q, r: Float32(float(p) * float(q) + float(r)), a, b, c, floats_only=True
    )


@overload
def mix(a: F, b: F, t: F) -> F: ...
@overload
def mix(a: FV, b: FV, t: float) -> FV: ...
@intrinsic
def mix(a: Any, b: Any, t: Any) -> Any:
    """``a * (1 - t) + b * t``; ``t`` may be one number for all components."""
    if isinstance(a, VectorValue) and not isinstance(t, VectorValue):
        t = type(a)(*floats("mix", t))
    return each("mix", lambda p, q, s: p * (1.0 - s) + q * s, a, b, t, floats_only=True)


def _smaller(a: Any, b: Any) -> Any:
    return b if b < a else a  # noqa: FURB136 - min() is the intrinsic here


def _larger(a: Any, b: Any) -> Any:
    return b if a < b else a  # noqa: FURB136


def _smooth(low: Float32, high: Float32, x: Float32) -> Any:
    t = clamp((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
