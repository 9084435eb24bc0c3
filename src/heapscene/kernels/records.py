"""What all kernels of a bucket read: parameters and records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.heap import RECORD
from heapscene.shader import function, select, storage, struct, u32, uniform, vec2u, vec3u
from heapscene.typing import UintArray

__all__ = ["Params", "Record", "contribution", "contributions", "invocation", "params", "records"]


@struct
class Params:
    """Numbers of a bucket, see :func:`heapscene.kernels.plan`."""

    records: u32
    blocks: u32
    slots: u32
    emitted_tiles: u32
    vertex_tiles: u32


@struct
class Record:
    """One draw, see :mod:`heapscene.heap`."""

    header: u32
    index_start: u32
    width_slot: u32
    count: u32
    instances: u32
    vertex_first: u32
    vertex_span: u32
    first_instance: u32


params = uniform("params", Params, binding=0)
records = storage("records", Record, binding=1)


@function
def invocation(thread: vec3u, groups: vec3u, size: u32) -> u32:
    """Return the number of an invocation of a dispatch in two dimensions."""
    return thread.x + thread.y * groups.x * size


@function
def contribution(number: u32) -> vec2u:
    """Return how many indices a record emits and how many vertices it spans."""
    if number >= params.records:
        return vec2u(0)
    record = records[number]
    emitted = record.count * record.instances
    return vec2u(emitted, select(u32(0), record.vertex_span * record.instances, record.count > 0))


def contributions(table: UintArray) -> NDArray[np.int64]:
    """Return how many indices each record emits and how many vertices it spans.

    Parameters
    ----------
    table
        ``(n, 8)`` words.

    Returns
    -------
    numpy.ndarray
        ``(n, 2)``; both are 0 for a hidden record, which has a count of 0.
    """
    rows = np.ascontiguousarray(table, np.uint32).reshape(-1).view(RECORD)
    instances = rows["instances"].astype(np.int64)
    emitted = rows["count"] * instances
    vertices = rows["vertex_span"] * instances * (rows["count"] > 0)
    return np.stack([emitted, vertices], axis=1)
