"""The box around the visible rows of a chunk, kept per block of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.chunk import BOUNDS_ROWS, Chunk
from heapscene.shader import types

__all__ = ["chunk_bounds"]

_SLAB = 1 << 13  # rows at once


def chunk_bounds(chunk: Chunk) -> NDArray[np.float64] | None:
    """Return the smallest and largest corner of all rows that are drawn, ``(2, 3)``.

    Only blocks of rows in which something changed are looked at again. ``None`` if the program reads
    no ``model``.
    """
    fields = {field.name: at for at, field in enumerate(chunk.plan.fields)}
    model = chunk.plan.schema.model
    composed = any(field.name != "transform" for field in chunk.plan.schema.placing)
    if not composed and (model is None or model.type != types.MAT4):
        return None
    shared = [name for name in ("transform", "model") if name in chunk.plan.shared]
    matrices = [_words(chunk, fields[name], 1)[0].reshape(4, 4) for name in shared]
    frame = np.eye(4)
    for matrix in matrices:
        frame = frame @ matrix
    if not np.array_equal(frame, chunk.frame, equal_nan=True):
        chunk.frame = frame
        chunk.stale[:] = True
    blocks = np.flatnonzero(chunk.stale)
    if len(blocks):
        chunk.boxes[blocks] = np.nan
        rows = (blocks[:, None] * BOUNDS_ROWS + np.arange(BOUNDS_ROWS)).reshape(-1)
        rows = rows[rows < chunk.capacity]
        rows = rows[chunk.drawn[rows]]
        for first in range(0, len(rows), _SLAB):
            _look(chunk, fields, rows[first : first + _SLAB])
        chunk.stale[:] = False
    return np.stack([np.fmin.reduce(chunk.boxes[:, 0]), np.fmax.reduce(chunk.boxes[:, 1])])


def _look(chunk: Chunk, fields: dict[str, int], rows: NDArray[np.int64]) -> None:
    """Widen the boxes of blocks by some rows."""
    bounds = chunk.bucket.bounds[chunk.rows].astype(np.float64)[chunk.kinds[rows]]
    center, half = (bounds[:, 0] + bounds[:, 1]) / 2, (bounds[:, 1] - bounds[:, 0]) / 2
    frame = chunk.frame

    def column(name: str) -> NDArray[np.float64] | None:
        if name not in fields or name in chunk.plan.shared:
            return None
        return _words(chunk, fields[name], chunk.capacity)[rows].astype(np.float64)

    model, rotation = column("model"), column("rotation")
    with np.errstate(all="ignore"):
        if model is not None:
            matrices = model.reshape(-1, 4, 4)
            center = np.einsum("nij,nj->ni", matrices[:, :3, :3], center) + matrices[:, :3, 3]
            linear = frame[:3, :3] @ matrices[:, :3, :3]
            half = np.einsum("nij,nj->ni", np.abs(linear), half)
        else:
            scale = column("scale")
            scale = column("uniform_scale") if scale is None else scale
            if scale is not None:
                center, half = center * scale, half * np.abs(scale)
            if rotation is None:
                half = half @ np.abs(frame[:3, :3]).T
            else:
                turns = _turns(rotation)
                center = np.einsum("nij,nj->ni", turns, center)
                half = np.einsum("nij,nj->ni", np.abs(frame[:3, :3] @ turns), half)
            position = column("position")
            center = center if position is None else center + position
        center = center @ frame[:3, :3].T + frame[:3, 3]
        low, high = center - half, center + half
    odd = ~(np.isfinite(low) & np.isfinite(high)).all(axis=1)
    low[odd], high[odd] = np.nan, np.nan
    number = rows // BOUNDS_ROWS
    starts = np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1])
    blocks = number[starts]
    boxes = chunk.boxes
    boxes[blocks, 0] = np.fmin(boxes[blocks, 0], np.fmin.reduceat(low, starts))
    boxes[blocks, 1] = np.fmax(boxes[blocks, 1], np.fmax.reduceat(high, starts))


def _words(chunk: Chunk, at: int, rows: int) -> NDArray[np.float32]:
    """Return rows of a field as they lie on the page, ``(rows, words)``."""
    entry, width = chunk.entries[at], chunk.plan.fields[at].type.words
    start = entry.offset >> 2
    return entry.page.data[start : start + rows * width].view(np.float32).reshape(rows, width)


def _turns(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrices of quaternions, ``(n, 3, 3)``."""
    two = 2 / np.maximum((rotation * rotation).sum(axis=1), 1e-30)
    x, y, z, w = rotation.T
    xs, ys, zs = x * two, y * two, z * two
    return np.stack(
        [
            np.stack([1 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys], axis=1),
            np.stack([x * ys + w * zs, 1 - (x * xs + z * zs), y * zs - w * xs], axis=1),
            np.stack([x * zs - w * ys, y * zs + w * xs, 1 - (x * xs + y * ys)], axis=1),
        ],
        axis=1,
    )
