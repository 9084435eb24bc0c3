"""Intrinsics over whole vectors and matrices, and selection."""

# WGSL's names are Python's builtins, and a function is named by its result.
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import each, float_vectors, floats, intrinsic, rounded
from heapscene.shader.lang.matrices import MatrixValue, dot_products, matrix_class
from heapscene.shader.lang.matrix_shapes import (
    mat2,
    mat2x3,
    mat2x4,
    mat3,
    mat3x2,
    mat3x4,
    mat4,
    mat4x2,
    mat4x3,
)
from heapscene.shader.lang.vector_value import VectorValue
from heapscene.shader.lang.vectors import (
    vec2,
    vec2b,
    vec2i,
    vec2u,
    vec3,
    vec3b,
    vec3i,
    vec3u,
    vec4,
    vec4b,
    vec4i,
    vec4u,
)
from heapscene.shader.types import BOOL, Matrix

__all__ = [
    "all",
    "any",
    "cross",
    "determinant",
    "distance",
    "dot",
    "faceforward",
    "length",
    "normalize",
    "reflect",
    "refract",
    "select",
    "transpose",
]

FV = TypeVar("FV", vec2, vec3, vec4)
F = TypeVar("F", float, vec2, vec3, vec4)
M = TypeVar("M", mat2, mat3, mat4)
T = TypeVar("T")
BV = TypeVar("BV", vec2b, vec3b, vec4b)

_root = rounded("sqrt")


@overload
def dot(a: FV, b: FV) -> float: ...
@overload
def dot(a: vec2i | vec3i | vec4i, b: vec2i | vec3i | vec4i) -> int: ...
@overload
def dot(a: vec2u | vec3u | vec4u, b: vec2u | vec3u | vec4u) -> int: ...
@intrinsic
def dot(a: Any, b: Any) -> Any:
    """Sum of the products of components, from the first on."""
    if not isinstance(a, VectorValue) or type(a) is not type(b):
        given = f"{type(a).__name__}, {type(b).__name__}"
        raise ShaderTypeError(
            explain(
                "dot() needs two vectors of one type",
                facts={"given": given},
                fix="Convert one of them, for example vec3(v).",
            )
        )
    return dot_products(a, (b,))[0]


@intrinsic
def cross(a: vec3, b: vec3) -> vec3:
    """Vector perpendicular to both, right-handed."""
    float_vectors("cross", a, b)
    if type(a) is not vec3:
        raise ShaderTypeError(
            explain("cross() needs two vec3", fix="Give two vec3, for example  a.xyz.")
        )
    return vec3(
        a.y * b.z - a.z * b.y,
        a.z * b.x - a.x * b.z,
        a.x * b.y - a.y * b.x,
    )


@intrinsic
def length(x: float | vec2 | vec3 | vec4) -> float:
    """Euclidean length; the magnitude of a number."""
    if not isinstance(x, VectorValue):
        return floats("length", x)[0].__abs__()
    float_vectors("length", x)
    return _root(dot_products(x, (x,))[0])


@intrinsic
def distance(a: F, b: F) -> float:
    """``length(a - b)``."""
    return length(each("distance", lambda p, q: p - q, a, b, floats_only=True))


@intrinsic
def normalize(x: FV) -> FV:
    """``x / length(x)``; not defined for the zero vector."""
    float_vectors("normalize", x)
    return x / length(x)


@intrinsic
def reflect(incident: FV, normal: FV) -> FV:
    """Mirror a direction at a surface with that unit normal."""
    float_vectors("reflect", incident, normal)
    return incident - 2.0 * dot(normal, incident) * normal


@intrinsic
def refract(incident: FV, normal: FV, ratio: float) -> FV:
    """Bend a unit direction at a surface; zero if everything is reflected.

    Parameters
    ----------
    incident, normal
        Unit vectors.
    ratio
        Index of refraction on the incoming side, divided by that on the other side.
    """
    float_vectors("refract", incident, normal)
    (eta,) = floats("refract", ratio)
    cosine = dot(normal, incident)
    k = 1.0 - eta * eta * (1.0 - cosine * cosine)
    if k < 0.0:
        return type(incident)(0.0)
    return eta * incident - (eta * cosine + _root(k)) * normal


@intrinsic
def faceforward(normal: FV, incident: FV, reference: FV) -> FV:
    """``normal`` if ``dot(incident, reference) < 0``, else ``-normal``."""
    float_vectors("faceforward", normal, incident, reference)
    return normal if dot(incident, reference) < 0.0 else -normal


@overload
def transpose(m: M) -> M: ...
@overload
def transpose(m: mat2x3) -> mat3x2: ...
@overload
def transpose(m: mat2x4) -> mat4x2: ...
@overload
def transpose(m: mat3x2) -> mat2x3: ...
@overload
def transpose(m: mat3x4) -> mat4x3: ...
@overload
def transpose(m: mat4x2) -> mat2x4: ...
@overload
def transpose(m: mat4x3) -> mat3x4: ...
@intrinsic
def transpose(m: Any) -> Any:
    """Columns become rows."""
    _needs_matrix("transpose", m)
    kind = m.__shader_type__
    return matrix_class(Matrix(kind.rows, kind.columns))(np.asarray(m).T)


@intrinsic
def determinant(m: mat2 | mat3 | mat4) -> float:
    """Determinant, by expansion along the first column."""
    _needs_matrix("determinant", m)
    if len(m) != len(m[0]):
        raise ShaderTypeError(
            explain(
                f"{type(m).__name__} is not square and has no determinant",
                fix="Give a mat2, mat3 or mat4.",
            )
        )
    return _determinant([list(column) for column in m])


def _determinant(columns: list[list[Any]]) -> Any:
    if len(columns) == 2:
        return columns[0][0] * columns[1][1] - columns[1][0] * columns[0][1]
    total: Any = None
    for row in range(len(columns)):
        minor = [column[:row] + column[row + 1 :] for column in columns[1:]]
        term = columns[0][row] * _determinant(minor)
        total = term if total is None else (total - term if row % 2 else total + term)
    return total


def _needs_matrix(name: str, m: object) -> None:
    if not isinstance(m, MatrixValue):
        raise ShaderTypeError(
            explain(
                f"{name}() needs a matrix, not a {type(m).__name__}",
                fix=f"Write  {name}(m) with m a matrix, such as mat3(rows).",
            )
        )


@overload
def select(if_false: T, if_true: T, condition: bool) -> T: ...
@overload
def select(if_false: T, if_true: T, condition: vec2b | vec3b | vec4b) -> T: ...
@intrinsic
def select(if_false: Any, if_true: Any, condition: Any) -> Any:
    """The second where the condition holds, else the first; both are evaluated (WGSL's order)."""
    if isinstance(condition, (bool, np.bool_)):
        both = (if_false, if_true)
        if not isinstance(if_false, (VectorValue, bool)):
            both = each("select", lambda *pair: pair, *both)
        elif type(if_false) is not type(if_true):
            raise ShaderTypeError(
                explain(
                    "select() needs two values of one type",
                    fix="Write  select(if_false, if_true, condition), both of one type.",
                )
            )
        return both[1] if condition else both[0]
    sized = isinstance(condition, VectorValue) and condition.__shader_type__.scalar is BOOL
    if not sized or type(if_false) is not type(if_true) or len(if_false) != len(condition):
        raise ShaderTypeError(
            explain(
                "select() needs two values of one type and a bool, or a bool per component",
                facts={
                    "given": ", ".join(type(v).__name__ for v in (if_false, if_true, condition))
                },
                fix="Write  select(if_false, if_true, condition).",
            )
        )
    chosen = [b if c else a for a, b, c in zip(if_false, if_true, condition, strict=True)]
    return type(if_false)(*chosen)


@intrinsic
def any(x: bool | vec2b | vec3b | vec4b) -> bool:
    """Whether at least one component is true."""
    return True in _bools("any", x)


@intrinsic
def all(x: bool | vec2b | vec3b | vec4b) -> bool:
    """Whether every component is true."""
    return False not in _bools("all", x)


def _bools(name: str, x: object) -> tuple[bool, ...]:
    if isinstance(x, (bool, np.bool_)):
        return (bool(x),)
    if isinstance(x, VectorValue) and x.__shader_type__.scalar is BOOL:
        return x._parts
    raise ShaderTypeError(
        explain(f"{name}() needs bools, not a {type(x).__name__}", fix=f"Compare: {name}(v > w).")
    )
