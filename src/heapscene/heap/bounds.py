"""The box around everything visible, from records, headers and pages at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.bucket import Bucket
from heapscene.heap.chunk_bounds import chunk_bounds
from heapscene.heap.layout import COUNT, HEADER, INSTANCES
from heapscene.shader import types

__all__ = ["bounds_of", "world_boxes"]


def bounds_of(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the smallest and largest corner of boxes, ``(2, 3)``; NaN if there are none."""
    if not len(boxes):
        return np.full((2, 3), np.nan)
    flat = boxes.reshape(len(boxes), 6)
    return np.concatenate([flat.min(axis=0)[:3], flat.max(axis=0)[3:]]).reshape(2, 3)


def world_boxes(buckets: Iterable[Bucket]) -> NDArray[np.float64]:
    """Return the box of each visible draw or instance, ``(n, 2, 3)``; a table counts by chunks.

    The eight corners of each geometry's box are transformed. What does not bind ``model``, and what
    is not finite, is left out.
    """
    found: list[NDArray[np.float64]] = []
    for bucket in buckets:
        blocks = sorted(block for slot in bucket.slots for block in slot.blocks)
        for slot in bucket.slots:
            for chunk in slot.chunks if blocks else ():
                box = chunk_bounds(chunk)
                if box is not None and np.isfinite(box).all():
                    found.append(np.asarray(box)[None])
        field = bucket.schema.model
        if field is None or field.type != types.MAT4:
            continue
        table = bucket.table()
        for first, count in reversed(blocks):
            table = np.concatenate([table[:first], table[first + count :]])
        table = table[(table[:, COUNT] > 0) & (table[:, INSTANCES] > 0)]
        if not len(table):
            continue
        headers = bucket.headers.data
        base = headers[table[:, HEADER] + field.word].astype(np.int64)
        stride = headers[table[:, HEADER] + (field.word + 1)].astype(np.int64)
        local = bucket.bounds[table[:, HEADER] // bucket.schema.row_words].astype(np.float64)
        copies = np.where(stride > 0, table[:, INSTANCES].astype(np.int64), 1)
        if (copies > 1).any():
            number = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
            base = np.repeat(base, copies) + number * np.repeat(stride, copies)
            local = np.repeat(local, copies, axis=0)
        words = bucket.page.data[base[:, None] + np.arange(16)]
        found.append(_transformed(words.view(np.float32).reshape(-1, 4, 4), local))
    return np.concatenate(found) if found else np.zeros((0, 2, 3))


def _transformed(models: NDArray[np.float32], local: NDArray[np.float64]) -> NDArray[np.float64]:
    matrices = models.astype(np.float64)
    linear, offset = matrices[:, :3, :3], matrices[:, :3, 3]
    center, half = (local[:, 0] + local[:, 1]) / 2, (local[:, 1] - local[:, 0]) / 2
    with np.errstate(all="ignore"):
        center = np.einsum("nij,nj->ni", linear, center) + offset
        half = np.einsum("nij,nj->ni", np.abs(linear), half)
        finite = np.isfinite(center).all(axis=1) & np.isfinite(half).all(axis=1)
    center, half = center[finite], half[finite]
    return np.stack([center - half, center + half], axis=1)
