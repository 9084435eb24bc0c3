"""Intrinsics on the bits of numbers: reinterpreting, counting, packing."""

# A function is named by its result.
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import struct
from typing import Any, TypeVar, overload

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import each, float_vectors, intrinsic
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
    "first_leading_bit",
    "first_trailing_bit",
    "pack2x16float",
    "pack2x16unorm",
    "pack4x8snorm",
    "pack4x8unorm",
    "reverse_bits",
    "unpack2x16float",
    "unpack2x16unorm",
    "unpack4x8snorm",
    "unpack4x8unorm",
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
def pack4x8unorm(x: vec4) -> int:
    """Four numbers in [0, 1] as bytes of one ``u32``, the first in the lowest byte."""
    return _packed(_scaled("pack4x8unorm", x, 4, low=0, scale=255), 8)


@intrinsic
def unpack4x8unorm(x: int) -> vec4:
    """The four bytes of a ``u32`` as numbers in [0, 1], the lowest byte first."""
    return vec4(*[Float32(part) / 255.0 for part in _parts(x, 8)])


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


@intrinsic
def pack4x8snorm(x: vec4) -> int:
    """Four numbers in [-1, 1] as signed bytes of one ``u32``, the first in the lowest byte."""
    return _packed(_scaled("pack4x8snorm", x, 4, low=-1, scale=127), 8)


@intrinsic
def unpack4x8snorm(x: int) -> vec4:
    """The four signed bytes of a ``u32`` as numbers in [-1, 1], the lowest byte first."""
    signed = [part - 256 if part > 127 else part for part in _parts(x, 8)]
    return vec4(*[max(Float32(part) / 127.0, Float32(-1.0)) for part in signed])


@intrinsic
def pack2x16unorm(x: vec2) -> int:
    """Two numbers in [0, 1] as halves of one ``u32``, the first in the lower half."""
    return _packed(_scaled("pack2x16unorm", x, 2, low=0, scale=65535), 16)


@intrinsic
def unpack2x16unorm(x: int) -> vec2:
    """The two halves of a ``u32`` as numbers in [0, 1], the lower half first."""
    return vec2(*[Float32(part) / 65535.0 for part in _parts(x, 16)])


@intrinsic
def pack2x16float(x: vec2) -> int:
    """Two numbers as 16-bit floats in one ``u32``, the first in the lower half."""
    _needs_size("pack2x16float", x, 2)
    with np.errstate(all="ignore"):
        halves = np.asarray(x).astype(np.float16).view(np.uint16)
    return _packed(halves.tolist(), 16)


@intrinsic
def unpack2x16float(x: int) -> vec2:
    """The two 16-bit floats in a ``u32``, the lower half first."""
    halves = np.array(_parts(x, 16), np.uint16).view(np.float16)
    return vec2(*halves.astype(np.float32).tolist())


def _scaled(name: str, x: Any, size: int, *, low: int, scale: int) -> list[int]:
    _needs_size(name, x, size)
    clipped = np.clip(np.nan_to_num(np.asarray(x)), np.float32(low), np.float32(1))
    return np.floor(np.float32(0.5) + clipped * np.float32(scale)).astype(int).tolist()


def _needs_size(name: str, x: Any, size: int) -> None:
    float_vectors(name, x)
    if len(x) != size:
        raise ShaderTypeError(explain(f"{name}() needs a vec{size}, not a {type(x).__name__}"))


def _packed(parts: list[int], width: int) -> UInt32:
    mask = (1 << width) - 1
    return UInt32(sum((part & mask) << (width * i) for i, part in enumerate(parts)))


def _parts(x: object, width: int) -> list[int]:
    word = int(to_scalar(U32, x))
    return [(word >> shift) & ((1 << width) - 1) for shift in range(0, 32, width)]


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
        raise ShaderTypeError(explain(f"a {type(x).__name__} has no 32 bits"))
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
