"""What all shapes share: checked arguments, small indices, grids of quads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import Geometry
from heapscene.errors import GeometryError, explain

__all__ = ["assemble", "check_segments", "check_size", "grid_quads", "small_indices"]

MOST_VERTICES = 2**26
"""Positions and normals of more would not fit on a page."""

MOST_SIZE = 1e37
"""Corners are stored as float32."""


def check_size(shape: str, **sizes: Any) -> None:
    """Raise a :class:`GeometryError` unless every size is a number above zero that fits float32."""
    for name, value in sizes.items():
        is_real = isinstance(value, (int, float, np.integer, np.floating))
        if not is_real or isinstance(value, bool) or not 0 < value <= MOST_SIZE:
            raise GeometryError(
                explain(
                    f"{shape}: {name} has to be a number above 0, and at most {MOST_SIZE:g}",
                    facts={name: repr(value)},
                    fix=f"Write {shape}({name}=1.0).",
                )
            )


def check_segments(shape: str, value: Any, least: tuple[int, ...]) -> tuple[int, ...]:
    """Return segment counts as a tuple, each at least as large as its entry in ``least``."""
    given = value if isinstance(value, (tuple, list)) else (value,)
    counts = tuple(item for item in given if isinstance(item, (int, np.integer)))
    if (
        len(counts) != len(given)
        or len(given) != len(least)
        or any(count < bound for count, bound in zip(counts, least, strict=True))
    ):
        example = least[0] if len(least) == 1 else least
        raise GeometryError(
            explain(
                f"{shape}: segments={value!r} cannot be used",
                facts={"smallest": example},
                fix=f"Write {shape}(segments={32 if len(least) == 1 else (32, 16)}).",
            )
        )
    vertices = math.prod(int(count) + 1 for count in counts)
    if vertices > MOST_VERTICES:
        raise GeometryError(
            explain(
                f"{shape}: segments={value!r} make too many vertices",
                facts={"vertices": f"{vertices:,}", "most": f"{MOST_VERTICES:,}"},
                fix=f"Write {shape}(segments={32 if len(least) == 1 else (32, 16)}).",
            )
        )
    return tuple(int(count) for count in counts)


def small_indices(indices: NDArray[Any]) -> NDArray[Any]:
    """Return indices in the smallest of uint8, uint16 and uint32 that holds them."""
    largest = int(indices.max()) if indices.size else 0
    if largest <= 0xFF:
        return indices.astype(np.uint8)
    return indices.astype(np.uint16 if largest <= 0xFFFF else np.uint32)


def grid_quads(columns: int, rows: int, first: int = 0) -> NDArray[np.int64]:
    """Return the triangles of a grid of quads, ``(rows, columns, 2, 3)``.

    The ``(rows + 1) * (columns + 1)`` vertices are numbered row by row from ``first``; seen from
    outside, row 0 is the top row and column 0 the left. The first triangle of a quad touches its
    upper edge, the second its lower one.
    """
    row, column = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    top_left = first + row * (columns + 1) + column
    top_right, low_left = top_left + 1, top_left + columns + 1
    upper = np.stack([top_left, low_left, top_right], axis=-1)
    lower = np.stack([top_right, low_left, low_left + 1], axis=-1)
    return np.stack([upper, lower], axis=2)


def assemble(
    parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]], triangles: NDArray[Any]
) -> Geometry:
    """Return a geometry of ``(position, normal, uv)`` parts, one after the other."""
    position, normal, uv = (
        np.concatenate([np.asarray(part[item], np.float32) for part in parts]) for item in range(3)
    )
    return Geometry(
        {"position": position, "normal": normal, "uv": uv}, small_indices(triangles.reshape(-1))
    )
