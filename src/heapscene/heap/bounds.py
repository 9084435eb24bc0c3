"""The box around everything visible, from records, headers and pages at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.bucket import Bucket
from heapscene.heap.chunk_bounds import chunk_bounds
from heapscene.heap.layout import COUNT, HEADER, INSTANCES
from heapscene.shader import types

__all__ = ["world_bounds"]


def world_bounds(buckets: Iterable[Bucket]) -> NDArray[np.float64]:
    """Return the smallest and largest corner of all visible draws that bind ``model``.

    The eight corners of each geometry's box are transformed; what is not finite is left out.

    Returns
    -------
    numpy.ndarray
        ``(2, 3)`` float64, NaN if there is nothing.
    """
    result = np.full((2, 3), np.nan)
    for bucket in buckets:
        blocks = sorted(block for slot in bucket.slots for block in slot.blocks)
        for slot in bucket.slots:
            for chunk in slot.chunks if blocks else ():
                box = chunk_bounds(chunk)
                if box is not None:
                    result[0] = np.fmin(result[0], box[0])
                    result[1] = np.fmax(result[1], box[1])
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
        local = bucket.bounds[table[:, HEADER] // bucket.schema.row_words]
        copies = np.where(stride > 0, table[:, INSTANCES].astype(np.int64), 1)
        if (copies > 1).any():
            number = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
            base = np.repeat(base, copies) + number * np.repeat(stride, copies)
            local = np.repeat(local, copies, axis=0)
        words = bucket.page.data[base[:, None] + np.arange(16)]
        low, high = _transformed(words.view(np.float32).reshape(-1, 4, 4), local)
        result[0] = np.fmin(result[0], low)
        result[1] = np.fmax(result[1], high)
    return result


def _transformed(
    models: NDArray[np.float32], local: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    matrices = models.astype(np.float64)
    linear, offset = matrices[:, :3, :3], matrices[:, :3, 3]
    center, half = (local[:, 0] + local[:, 1]) / 2, (local[:, 1] - local[:, 0]) / 2
    with np.errstate(all="ignore"):
        center = np.einsum("nij,nj->ni", linear, center) + offset
        half = np.einsum("nij,nj->ni", np.abs(linear), half)
        finite = np.isfinite(center).all(axis=1) & np.isfinite(half).all(axis=1)
    if not finite.any():
        nothing = np.full(3, np.nan)
        return nothing, nothing
    center, half = center[finite], half[finite]
    return (center - half).min(axis=0), (center + half).max(axis=0)
