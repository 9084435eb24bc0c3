"""Intrinsics on the bits of numbers: reinterpreting, counting, packing."""

# A function is named by its result.
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import struct
from typing import Any, TypeVar, overload

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import each, intrinsic
from heapscene.shader.lang.literals import concrete
from heapscene.shader.lang.scalars import Float32, Int32, UInt32, scalar_type
from heapscene.shader.lang.vector_value import VectorValue, to_scalar, vector_class
from heapscene.shader.lang.vectors import vec2, vec2i, vec2u, vec3, vec3i, vec3u, vec4, vec4i, vec4u
from heapscene.shader.types import BOOL, F32, I32, U32, Scalar

__all__ = [
    "bitcast_f32",
    "bitcast_i32",
    "bitcast_u32",
    "count_leading_zeros",
    "count_one_bits",
    "count_trailing_zeros",
    "extract_bits",
    "first_leading_bit",
    "first_trailing_bit",
    "insert_bits",
    "reverse_bits",
]

I = TypeVar("I", int, vec2i, vec3i, vec4i, vec2u, vec3u, vec4u)

_CODES = {F32: "<f", I32: "<i", U32: "<I"}


@overload
def bitcast_f32(x: float) -> float: ...
@overload
def bitcast_f32(x: vec2i | vec2u) -> vec2: ...
@overload
def bitcast_f32(x: vec3i | vec3u) -> vec3: ...
@overload
def bitcast_f32(x: vec4i | vec4u) -> vec4: ...
@intrinsic
def bitcast_f32(x: Any) -> Any:
    """The float with the same 32 bits."""
    return _bitcast(F32, x)


@overload
def bitcast_u32(x: float) -> int: ...
@overload
def bitcast_u32(x: vec2 | vec2i) -> vec2u: ...
@overload
def bitcast_u32(x: vec3 | vec3i) -> vec3u: ...
@overload
def bitcast_u32(x: vec4 | vec4i) -> vec4u: ...
@intrinsic
def bitcast_u32(x: Any) -> Any:
    """The ``u32`` with the same 32 bits."""
    return _bitcast(U32, x)


@overload
def bitcast_i32(x: float) -> int: ...
@overload
def bitcast_i32(x: vec2 | vec2u) -> vec2i: ...
@overload
def bitcast_i32(x: vec3 | vec3u) -> vec3i: ...
@overload
def bitcast_i32(x: vec4 | vec4u) -> vec4i: ...
@intrinsic
def bitcast_i32(x: Any) -> Any:
    """The ``i32`` with the same 32 bits."""
    return _bitcast(I32, x)


@intrinsic
def extract_bits(x: I, offset: int, count: int) -> I:
    """The ``count`` bits from ``offset`` on, as a number; sign-extended in ``i32``.

    Offset and count are cut to the 32 bits there are.
    """
    start, size = _range("extract_bits", offset, count)
    return each("extract_bits", lambda a: _extracted(a, start, size), _integers(x))


@intrinsic
def insert_bits(x: I, new: I, offset: int, count: int) -> I:
    """``x`` with its ``count`` bits from ``offset`` on replaced by the lowest bits of ``new``."""
    start, size = _range("insert_bits", offset, count)
    mask = ((1 << size) - 1) << start
    return each(
        "insert_bits",
        lambda a, b: type(a)(UInt32(_bits(a) & ~mask | (_bits(b) << start) & mask)),
        _integers(x),
        _integers(new),
    )


def _range(name: str, offset: object, count: object) -> tuple[int, int]:
    if scalar_type(offset) is F32 or scalar_type(count) is F32:
        raise ShaderTypeError(explain(f"{name}() counts bits in u32", fix="Write u32(n)."))
    start = min(int(to_scalar(U32, offset)), 32)
    return start, min(int(to_scalar(U32, count)), 32 - start)


def _extracted(a: Any, start: int, size: int) -> Any:
    part = (_bits(a) >> start) & ((1 << size) - 1)
    if isinstance(a, Int32) and size and part >> (size - 1):
        part -= 1 << size
    return type(a)(part)


@intrinsic
def count_one_bits(x: I) -> I:
    """How many bits are set."""
    return each(
        "count_one_bits", lambda a: type(a)((int(a) & 0xFFFFFFFF).bit_count()), _integers(x)
    )


@intrinsic
def first_leading_bit(x: I) -> I:
    """Number of the highest bit that differs from the sign (that is set, in ``u32``), or -1.

    For ``u32`` the -1 is ``0xffffffff``.
    """
    return each("first_leading_bit", _leading, _integers(x))


@intrinsic
def first_trailing_bit(x: I) -> I:
    """Number of the lowest bit that is set, or -1 (``0xffffffff``)."""
    return each("first_trailing_bit", lambda a: type(a)(Int32(_trailing(a))), _integers(x))


@intrinsic
def count_leading_zeros(x: I) -> I:
    """How many bits above the highest set bit."""
    return each("count_leading_zeros", lambda a: type(a)(32 - _bits(a).bit_length()), _integers(x))


@intrinsic
def count_trailing_zeros(x: I) -> I:
    """How many bits below the lowest set bit; 32 for zero."""
    return each("count_trailing_zeros", lambda a: type(a)(_trailing(a) % 33), _integers(x))


@intrinsic
def reverse_bits(x: I) -> I:
    """The bits in opposite order."""
    return each(
        "reverse_bits", lambda a: type(a)(UInt32(int(f"{_bits(a):032b}"[::-1], 2))), _integers(x)
    )


def _bits(a: Any) -> int:
    return int(a) & 0xFFFFFFFF


def _trailing(a: Any) -> int:
    return (_bits(a) & -_bits(a)).bit_length() - 1


def _bitcast(target: Scalar, x: Any) -> Any:
    if isinstance(x, VectorValue):
        cls = vector_class(target, len(x))
        return cls(*[_bitcast(target, part) for part in x])
    x = concrete(x)
    if isinstance(x, float):
        x = Float32(x)
    kind = scalar_type(x)
    if kind is None or kind is BOOL:
        raise ShaderTypeError(
            explain(
                f"a {type(x).__name__} has no 32 bits",
                fix="Give an f32, i32 or u32, for example u32(flag).",
            )
        )
    (bits,) = struct.unpack(_CODES[target], struct.pack(_CODES[kind], x))
    return to_scalar(target, bits)


def _leading(a: Int32 | UInt32) -> Int32 | UInt32:
    magnitude = ~int(a) if int(a) < 0 else int(a)
    position = magnitude.bit_length() - 1
    return type(a)(Int32(position))


def _integers(x: Any) -> Any:
    kind = x.__shader_type__ if isinstance(x, VectorValue) else None
    if isinstance(x, float) or (kind is not None and not kind.scalar.is_integer):
        raise ShaderTypeError(explain("only integers have bits to count", fix="Convert: u32(x)."))
    return x
