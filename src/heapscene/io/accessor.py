"""glTF accessors: typed views of bytes, as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.io.container import Container
from heapscene.io.fault import load_error

__all__ = ["read_accessor", "read_floats"]

_COMPONENTS = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def read_accessor(container: Container, index: int) -> NDArray[Any]:
    """Return an accessor's numbers as they are stored, ``(count, width)``; sparse ones filled in.

    Raises
    ------
    LoadError
        The accessor leaves its buffer, or has a type that WebGPU has no use for.
    """
    accessor = container.header["accessors"][index]
    dtype = _COMPONENTS.get(accessor["componentType"])
    width = _WIDTHS.get(accessor["type"])
    if dtype is None or width is None:
        raise load_error(
            f"{container.path.name}: accessor {index} has a type that cannot be read",
            facts={"componentType": accessor["componentType"], "type": accessor["type"]},
        )
    count = int(accessor["count"])
    if "bufferView" in accessor:
        values = read_view(
            container, accessor["bufferView"], accessor.get("byteOffset", 0), (count, width), dtype
        )
    else:
        values = np.zeros((count, width), dtype)
    if sparse := accessor.get("sparse"):
        number = int(sparse["count"])
        where, what = sparse["indices"], sparse["values"]
        rows = read_view(
            container,
            where["bufferView"],
            where.get("byteOffset", 0),
            (number, 1),
            _COMPONENTS[where["componentType"]],
        )
        values = values.copy()
        values[rows[:, 0].astype(np.int64)] = read_view(
            container, what["bufferView"], what.get("byteOffset", 0), (number, width), dtype
        )
    return values


def read_floats(container: Container, index: int) -> NDArray[np.float32]:
    """Return an accessor as float32, normalised integers brought into 0..1 or −1..1."""
    values = read_accessor(container, index)
    if container.header["accessors"][index].get("normalized") and values.dtype.kind in "iu":
        scaled = values.astype(np.float64) / np.iinfo(values.dtype).max
        return np.maximum(scaled, -1.0).astype(np.float32)
    return values.astype(np.float32)


def read_view(
    container: Container, view: int, offset: int, shape: tuple[int, int], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return ``shape`` elements of a buffer view, rows ``byteStride`` apart if it says so."""
    description = container.header["bufferViews"][view]
    row = shape[1] * dtype.itemsize
    stride = int(description.get("byteStride", row)) or row
    length = (shape[0] - 1) * stride + row if shape[0] else 0
    data = container.buffer(description["buffer"])
    start = int(description.get("byteOffset", 0)) + int(offset)
    limit = min(len(data), int(description.get("byteOffset", 0)) + int(description["byteLength"]))
    if start < 0 or shape[0] < 0 or stride < row or start + length > limit:
        raise load_error(
            f"{container.path.name}: buffer view {view} is too short for what it should hold",
            facts={"bytes needed": f"{start + length:,}", "bytes there": f"{limit:,}"},
            fix="Export or download the file again.",
        )
    if shape[0] == 0:
        return np.zeros(shape, dtype)
    return np.ndarray(shape, dtype, buffer=data, offset=start, strides=(stride, dtype.itemsize))
