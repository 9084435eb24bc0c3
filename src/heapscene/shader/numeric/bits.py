"""Intrinsics on the bits of integers, and packing."""

# pyright: reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heapscene.shader.numeric.operators import Array

__all__ = ["FUNCTIONS", "WHOLE"]


_FULL = np.uint32(32)


def _bits(x: Array) -> Array:
    return x.astype(np.uint32)


def _ones(x: Array) -> Array:
    v = _bits(x)
    v = v - ((v >> np.uint32(1)) & np.uint32(0x55555555))
    v = (v & np.uint32(0x33333333)) + ((v >> np.uint32(2)) & np.uint32(0x33333333))
    v = (v + (v >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    return (v * np.uint32(0x01010101)) >> np.uint32(24)


def _length(v: Array) -> Array:
    """Return the number of the highest set bit, counted from 1; 0 for zero."""
    for shift in (1, 2, 4, 8, 16):
        v = v | (v >> np.uint32(shift))
    return _ones(v)


def _reversed(x: Array) -> Array:
    v = _bits(x)
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        high = (v >> np.uint32(shift)) & np.uint32(mask)
        v = high | ((v & np.uint32(mask)) << np.uint32(shift))
    return ((v >> np.uint32(16)) | (v << np.uint32(16))).astype(x.dtype)


def _trailing(x: Array) -> Array:
    """Return how many zeros are below the lowest set bit; 32 for zero."""
    v = _bits(x)
    return _ones((v & (~v + np.uint32(1))) - np.uint32(1))


def _first_leading(x: Array) -> Array:
    v = _bits(np.where(x < 0, ~x, x)) if x.dtype.kind == "i" else x
    return (_length(v) - np.uint32(1)).astype(x.dtype)


def _first_trailing(x: Array) -> Array:
    found = _trailing(x)
    return np.where(found == 32, np.uint32(0xFFFFFFFF), found).astype(x.dtype)


def _range(offset: Array, count: Array) -> tuple[Array, Array]:
    start = np.minimum(offset, np.uint32(32))
    return start, np.minimum(count, np.uint32(32) - start)


def _mask(size: Array) -> Array:
    """Return that many low bits set; shifts by 32 are not defined."""
    return np.where(size == 0, np.uint32(0), np.uint32(0xFFFFFFFF) >> (_FULL - size) % _FULL)


def _extract(x: Array, offset: Array, count: Array) -> Array:
    start, size = _range(offset, count)
    unused = (_FULL - size) % _FULL
    high = _bits(x) << (_FULL - start - size) % _FULL  # its highest bit is the part's
    part = high.astype(x.dtype) >> unused.astype(x.dtype)
    return np.where(size == 0, 0, part).astype(x.dtype)


def _insert(x: Array, new: Array, offset: Array, count: Array) -> Array:
    start, size = _range(offset, count)
    at = start % _FULL
    mask = _mask(size) << at
    return ((_bits(x) & ~mask) | ((_bits(new) << at) & mask)).astype(x.dtype)


FUNCTIONS: dict[str, Callable[..., Array]] = {
    "extract_bits": _extract,
    "insert_bits": _insert,
    "count_one_bits": lambda x: _ones(x).astype(x.dtype),
    "count_leading_zeros": lambda x: (np.uint32(32) - _length(_bits(x))).astype(x.dtype),
    "count_trailing_zeros": lambda x: _trailing(x).astype(x.dtype),
    "reverse_bits": _reversed,
    "first_leading_bit": _first_leading,
    "first_trailing_bit": _first_trailing,
}


def _scaled(x: Array, low: float, scale: float) -> Array:
    clipped = np.clip(np.nan_to_num(x), np.float32(low), np.float32(1))
    whole = np.floor(np.float32(0.5) + clipped * np.float32(scale))
    return whole.astype(np.int32).astype(np.uint32)


def _joined(parts: Array, width: int) -> Array:
    mask = np.uint32((1 << width) - 1)
    word = parts[:, 0] & mask
    for k in range(1, 32 // width):
        word = word | ((parts[:, k] & mask) << np.uint32(width * k))
    return word


def _split(word: Array, width: int) -> Array:
    shifts = np.arange(0, 32, width, dtype=np.uint32)
    return (word[:, None] >> shifts) & np.uint32((1 << width) - 1)


def _signed(word: Array, width: int) -> Array:
    parts = _split(word, width).astype(np.int32)
    scaled = np.where(parts >> (width - 1), parts - (1 << width), parts).astype(np.float32)
    return np.maximum(scaled / np.float32((1 << (width - 1)) - 1), np.float32(-1))


def _bytes(word: Array) -> Array:
    return _split(word, 8).astype(np.uint8).view(np.int8).astype(np.int32)


def _sum_of_products(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=1, dtype=a.dtype)


def _halves(x: Array) -> Array:
    return x.astype(np.float16).view(np.uint16).astype(np.uint32)


WHOLE: dict[str, Callable[..., Array]] = {
    "pack4x8unorm": lambda x: _joined(_scaled(x, 0, 255), 8),
    "pack4x8snorm": lambda x: _joined(_scaled(x, -1, 127), 8),
    "pack2x16unorm": lambda x: _joined(_scaled(x, 0, 65535), 16),
    "pack2x16snorm": lambda x: _joined(_scaled(x, -1, 32767), 16),
    "pack4xi8": lambda x: _joined(x.astype(np.uint32), 8),
    "pack4xu8": lambda x: _joined(x, 8),
    "pack4xi8_clamp": lambda x: _joined(np.clip(x, -128, 127).astype(np.uint32), 8),
    "pack4xu8_clamp": lambda x: _joined(np.minimum(x, np.uint32(255)), 8),
    "unpack4xi8": _bytes,
    "unpack4xu8": lambda w: _split(w, 8),
    "dot4i8_packed": lambda a, b: _sum_of_products(_bytes(a), _bytes(b)),
    "dot4u8_packed": lambda a, b: _sum_of_products(_split(a, 8), _split(b, 8)),
    "pack2x16float": lambda x: _joined(_halves(x), 16),
    "unpack4x8unorm": lambda w: _split(w, 8).astype(np.float32) / np.float32(255),
    "unpack4x8snorm": lambda w: _signed(w, 8),
    "unpack2x16unorm": lambda w: _split(w, 16).astype(np.float32) / np.float32(65535),
    "unpack2x16snorm": lambda w: _signed(w, 16),
    "unpack2x16float": lambda w: (
        _split(w, 16).astype(np.uint16).view(np.float16).astype(np.float32)
    ),
}
