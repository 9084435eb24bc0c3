"""Intrinsics that pack several small numbers into one ``u32``, and round to 16 bits."""

# A function is named by its result.

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import each, float_vectors, intrinsic
from heapscene.shader.lang.scalars import Float32, Int32, UInt32
from heapscene.shader.lang.vector_value import VectorValue, to_scalar
from heapscene.shader.lang.vectors import vec2, vec3, vec4, vec4i, vec4u
from heapscene.shader.types import U32

__all__ = [
    "dot4i8_packed",
    "dot4u8_packed",
    "pack2x16float",
    "pack2x16snorm",
    "pack2x16unorm",
    "pack4x8snorm",
    "pack4x8unorm",
    "pack4xi8",
    "pack4xi8_clamp",
    "pack4xu8",
    "pack4xu8_clamp",
    "quantize_to_f16",
    "unpack2x16float",
    "unpack2x16snorm",
    "unpack2x16unorm",
    "unpack4x8snorm",
    "unpack4x8unorm",
    "unpack4xi8",
    "unpack4xu8",
]

F = TypeVar("F", float, vec2, vec3, vec4)


@intrinsic
def pack4x8unorm(x: vec4) -> int:
    """Four numbers in [0, 1] as bytes of one ``u32``, the first in the lowest byte."""
    return _packed(_scaled("pack4x8unorm", x, 4, low=0, scale=255), 8)


@intrinsic
def unpack4x8unorm(x: int) -> vec4:
    """The four bytes of a ``u32`` as numbers in [0, 1], the lowest byte first."""
    return vec4(*[Float32(part) / 255.0 for part in _parts(x, 8)])


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


@intrinsic
def pack2x16snorm(x: vec2) -> int:
    """Two numbers in [-1, 1] as signed halves of one ``u32``, the first in the lower half."""
    return _packed(_scaled("pack2x16snorm", x, 2, low=-1, scale=32767), 16)


@intrinsic
def unpack2x16snorm(x: int) -> vec2:
    """The two signed halves of a ``u32`` as numbers in [-1, 1], the lower half first."""
    return vec2(*[max(Float32(p) / 32767.0, Float32(-1.0)) for p in _signed(_parts(x, 16), 16)])


@intrinsic
def pack4xi8(x: vec4i) -> int:
    """The lowest bytes of four ``i32`` in one ``u32``, the first in the lowest byte."""
    return _packed(_four("pack4xi8", x, vec4i), 8)


@intrinsic
def pack4xu8(x: vec4u) -> int:
    """The lowest bytes of four ``u32`` in one ``u32``, the first in the lowest byte."""
    return _packed(_four("pack4xu8", x, vec4u), 8)


@intrinsic
def pack4xi8_clamp(x: vec4i) -> int:
    """Four ``i32``, clamped to -128 and 127, as bytes of one ``u32``, the first lowest."""
    return _packed([min(max(p, -128), 127) for p in _four("pack4xi8_clamp", x, vec4i)], 8)


@intrinsic
def pack4xu8_clamp(x: vec4u) -> int:
    """Four ``u32``, clamped to 255, as bytes of one ``u32``, the first in the lowest byte."""
    return _packed([min(p, 255) for p in _four("pack4xu8_clamp", x, vec4u)], 8)


@intrinsic
def unpack4xi8(x: int) -> vec4i:
    """The four bytes of a ``u32`` as numbers from -128 to 127, the lowest byte first."""
    return vec4i(*_signed(_parts(x, 8), 8))


@intrinsic
def unpack4xu8(x: int) -> vec4u:
    """The four bytes of a ``u32`` as numbers from 0 to 255, the lowest byte first."""
    return vec4u(*_parts(x, 8))


@intrinsic
def dot4u8_packed(a: int, b: int) -> int:
    """Sum of the products of the four unsigned bytes of two ``u32``."""
    return UInt32(sum(p * q for p, q in zip(_parts(a, 8), _parts(b, 8), strict=True)))


@intrinsic
def dot4i8_packed(a: int, b: int) -> int:
    """Sum of the products of the four signed bytes of two ``u32``, as ``i32``."""
    left, right = _signed(_parts(a, 8), 8), _signed(_parts(b, 8), 8)
    return Int32(sum(p * q for p, q in zip(left, right, strict=True)))


@intrinsic
def quantize_to_f16(x: F) -> F:
    """The nearest number that a 16-bit float can hold."""
    return each("quantize_to_f16", _half, x, floats_only=True)


def _half(x: Any) -> Float32:
    with np.errstate(all="ignore"):
        return Float32(float(np.float32(x).astype(np.float16)))


def _scaled(name: str, x: Any, size: int, *, low: int, scale: int) -> list[int]:
    _needs_size(name, x, size)
    clipped = np.clip(np.nan_to_num(np.asarray(x)), np.float32(low), np.float32(1))
    return np.floor(np.float32(0.5) + clipped * np.float32(scale)).astype(int).tolist()


def _needs_size(name: str, x: Any, size: int) -> None:
    float_vectors(name, x)
    if len(x) != size:
        raise ShaderTypeError(
            explain(
                f"{name}() needs a vec{size}, not a {type(x).__name__}",
                fix=f"Write  {name}(vec{size}(...)).",
            )
        )


def _packed(parts: list[int], width: int) -> UInt32:
    mask = (1 << width) - 1
    return UInt32(sum((part & mask) << (width * i) for i, part in enumerate(parts)))


def _parts(x: object, width: int) -> list[int]:
    word = int(to_scalar(U32, x))
    return [(word >> shift) & ((1 << width) - 1) for shift in range(0, 32, width)]


def _signed(parts: list[int], width: int) -> list[int]:
    return [part - (1 << width) if part >> (width - 1) else part for part in parts]


def _four(name: str, x: Any, wanted: type[VectorValue[Any, Any, Any, Any, Any]]) -> list[int]:
    if type(x) is not wanted:
        raise ShaderTypeError(
            explain(
                f"{name}() needs a {wanted.__name__}, not a {type(x).__name__}",
                fix=f"Write  {name}({wanted.__name__}(...)).",
            )
        )
    return [int(part) for part in x]
