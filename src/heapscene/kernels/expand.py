"""The expanded index buffer: all draws of a slot as one indexed mesh.

Vertices are numbered from the slot's first, which the draw call adds as its base vertex: so the
indices of a slot depend on its own records only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.heap import COUNT, RECORD
from heapscene.kernels.kernel import kernel
from heapscene.kernels.records import invocation, records
from heapscene.kernels.search import index_loader, owner_search
from heapscene.shader import (
    builtin,
    compute,
    min,  # noqa: A004
    storage,
    struct,
    u32,
    uniform,
    vec2u,
    vec3u,
    vec4u,
)
from heapscene.typing import UintArray

__all__ = ["expand_reference", "owners_of", "vertices_of", "write_indices"]


@struct
class Part:
    """Indices ``first`` to ``stop`` of the slot ``slot``, counted from its first."""

    slot: u32
    first: u32
    stop: u32


part = uniform("part", Part, binding=0)
firsts = storage("firsts", vec2u, binding=2)
ranges = storage("ranges", vec4u, binding=3)
page = storage("page", u32, binding=4)
indices = storage("indices", u32, binding=5, access="read_write")


owner = owner_search(firsts, 0)
load_index = index_loader(page)


def _write_indices(
    words: UintArray,
    table: UintArray,
    starts: UintArray,
    bounds: UintArray,
    page_words: UintArray,
    result: UintArray,
) -> None:
    slot, first, stop = map(int, words[:3])
    begin, end = map(int, bounds[slot, :2])
    own = starts[begin : end + 1] - starts[begin]
    values = expand_reference(table[begin:end], own, page_words)[first:stop]
    result[: len(values)] = values


# One invocation walks over 64 consecutive indices. Milliseconds on llvmpipe, beside a search for
# each index (through a tile table) and one invocation per record:
#                                    walk   search   record
#   10,000 boxes (0.36 M indices)     2.4      8.8      1.7
#   5,000 mixed spheres (4.7 M)      24      170       30
#   10,000 boxes, 90 % hidden         0.3      0.9      1.7
# Per record a single large mesh would be written by a single invocation.
@kernel(twin=_write_indices)
@compute(workgroup_size=64)
def write_indices(
    thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
) -> None:
    """Write one part of a slot's indices into a window that starts with it."""
    bounds = ranges[part.slot]
    start = firsts[bounds.x]
    at = part.first + invocation(thread, groups, 64) * 64
    total = min(part.stop, firsts[bounds.y].x - start.x)
    if at >= total:
        return
    emitted = start.x + at
    stop = emitted + min(64, total - at)
    number = owner(emitted, bounds.x, bounds.y - 1)
    while emitted < stop:
        if firsts[number + 1].x <= emitted:
            number = owner(emitted, number + 1, bounds.y - 1)
        record = records[number]
        width = record.width_slot & 7
        first = firsts[number]
        k = (emitted - first.x) % record.count
        instance = (emitted - first.x) // record.count
        vertex = first.y - start.y + instance * record.vertex_span
        end = min(firsts[number + 1].x, stop)
        while emitted < end:
            index = k
            if width > 0:
                index = load_index(record.index_start, width, k) - record.vertex_first
            indices[emitted - start.x - part.first] = vertex + index
            emitted += 1
            k += 1
            if k == record.count:
                k = u32(0)
                vertex += record.vertex_span


def expand_reference(
    table: UintArray,
    starts: UintArray,
    page_words: UintArray,
    first: int = 0,
    stop: int | None = None,
) -> UintArray:
    """Return the expanded index buffer of a slot, or a part of it.

    Parameters
    ----------
    table
        ``(n, 8)`` words: the slot's records.
    starts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`; the slot begins at ``(0, 0)``.
    page_words
        Words of the page that the records' indices lie on.
    first, stop
        Which emitted indices; by default all.

    Returns
    -------
    numpy.ndarray
        ``(stop - first,)``: the record's first vertex + instance * vertex span + index - smallest index.
    """
    stop = int(starts[-1, 0]) if stop is None else stop
    owners, instance, k = owners_of(table, starts, np.arange(first, stop, dtype=np.int64))
    record = np.ascontiguousarray(table, np.uint32).reshape(-1).view(RECORD)[owners]
    local = vertices_of(record, k, page_words) - record["vertex_first"]
    vertex = starts[owners, 1] + instance * record["vertex_span"] + local
    return (vertex & 0xFFFFFFFF).astype(np.uint32)


def owners_of(
    table: UintArray, starts: UintArray, emitted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return to which record and instance emitted indices belong, and which index of it they are."""
    owners = np.searchsorted(starts[:-1, 0], emitted, side="right") - 1
    counts = np.maximum(table[owners, COUNT], 1)  # no owner has none, unless a table is damaged
    instance, k = np.divmod(emitted - starts[owners, 0], counts)
    return owners, instance, k


def vertices_of(
    record: NDArray[Any], k: NDArray[np.int64], page_words: UintArray
) -> NDArray[np.int64]:
    """Return the vertex of the geometry that the k-th index of each record names.

    What lies outside of the page is read as its nearest word.
    """
    width = record["width_slot"] & 7
    byte = record["index_start"] + k * width
    word = page_words[np.clip(byte // 4, 0, len(page_words) - 1)].astype(np.int64)
    mask = np.array([0, 0xFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, *[0xFFFFFFFF] * 3])[width]
    return np.where(width == 0, record["vertex_first"] + k, (word >> (byte % 4 * 8)) & mask)
