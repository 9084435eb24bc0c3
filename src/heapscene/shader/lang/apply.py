"""How an intrinsic is applied: operands get one type, vectors go component by component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.literals import AbstractInt
from heapscene.shader.lang.scalars import Float32, scalar_type
from heapscene.shader.lang.vector_value import VectorValue, to_scalar
from heapscene.shader.numeric import FUNCTIONS
from heapscene.shader.types import F32, I32, Scalar

__all__ = ["each", "float_vectors", "floats", "intrinsic", "rounded"]

C = TypeVar("C", bound=Callable[..., Any])


def intrinsic(function: C) -> C:
    """Mark a function as an intrinsic: the compiler knows it by its name."""
    function.__intrinsic__ = function.__name__  # pyright: ignore[reportFunctionMemberAccess]
    return function


def each(name: str, function: Callable[..., Any], *operands: Any, floats_only: bool = False) -> Any:
    """Apply a scalar function to scalars, or to the components of vectors of one class.

    Raises
    ------
    ShaderTypeError
        Operands of different types, or integers where only floats are allowed.
    """
    vectors = [operand for operand in operands if isinstance(operand, VectorValue)]
    if not vectors:
        return function(*_same_scalars(name, operands, floats_only=floats_only))
    cls = type(vectors[0])
    if any(type(operand) is not cls for operand in operands):
        raise ShaderTypeError(
            explain(
                f"{name}() needs operands of one type",
                facts={"given": ", ".join(type(operand).__name__ for operand in operands)},
                fix=f"Make a vector of the number: {cls.__name__}(x).",
            )
        )
    _check_kind(name, cls.__shader_type__.scalar, floats_only=floats_only)
    return cls._of(iter([function(*parts) for parts in zip(*operands, strict=True)]))


def _same_scalars(name: str, operands: tuple[Any, ...], *, floats_only: bool) -> list[Any]:
    kinds = {kind for kind in map(_kind, operands) if kind is not None}
    if len(kinds) > 1:
        given = ", ".join(type(operand).__name__ for operand in operands)
        raise ShaderTypeError(
            explain(
                f"{name}() needs operands of one type",
                facts={"given": given},
                fix="Convert, for example f32(x).",
            )
        )
    wanted = kinds.pop() if kinds else (F32 if floats_only else I32)
    _check_kind(name, wanted, floats_only=floats_only)
    return [to_scalar(wanted, operand) for operand in operands]


def _kind(operand: object) -> Scalar | None:
    found = scalar_type(operand)
    if found is None and isinstance(operand, (float, np.floating)):
        return F32
    if found is None and not isinstance(operand, (AbstractInt, int, np.integer)):
        raise ShaderTypeError(
            explain(
                f"a {type(operand).__name__} is not a number or vector",
                fix="Give a number, such as f32(x), or a vector.",
            )
        )
    return found


def _check_kind(name: str, kind: Scalar, *, floats_only: bool) -> None:
    if kind.name == "bool" or (floats_only and not kind.is_float):
        raise ShaderTypeError(
            explain(f"{name}() is not defined for {kind.name}", fix="Convert: f32(x).")
        )


def rounded(function: str | Callable[..., Any]) -> Callable[..., Float32]:
    """Return a NumPy function as one of ``f32``, computed in single precision, without warnings.

    A name means the function that the interpreter and constant folding use.
    """
    function = FUNCTIONS[function] if isinstance(function, str) else function

    def call(*operands: float) -> Float32:
        with np.errstate(all="ignore"):
            return Float32(function(*[np.float32(operand) for operand in operands]))

    return call


def floats(name: str, *operands: Any) -> list[Float32]:
    """Return the operands as ``f32``."""
    return _same_scalars(name, operands, floats_only=True)


def float_vectors(name: str, *operands: Any) -> None:
    """Check that all operands are float vectors of one class."""
    first = operands[0]
    right = isinstance(first, VectorValue) and first.__shader_type__.scalar is F32
    if not right or any(type(operand) is not type(first) for operand in operands):
        raise ShaderTypeError(
            explain(
                f"{name}() needs float vectors of one size",
                facts={"given": ", ".join(type(operand).__name__ for operand in operands)},
                fix="Convert, for example vec3(v) for integers or v.xyz for a longer one.",
            )
        )
