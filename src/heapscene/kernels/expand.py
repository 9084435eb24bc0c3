"""The expanded index buffer: all draws of a slot as one indexed mesh.

Vertices are numbered from the slot's first, which the draw call adds as its base vertex: so the
indices of a slot depend on its own records only.
"""

from __future__ import annotations

import numpy as np

from heapscene.heap import RECORD
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

__all__ = ["expand_reference", "write_indices"]


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


def expand_reference(table: UintArray, starts: UintArray, page_words: UintArray) -> UintArray:
    """Return the expanded index buffer of a slot.

    Parameters
    ----------
    table
        ``(n, 8)`` words: the slot's records.
    starts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`; the slot begins at ``(0, 0)``.
    page_words
        Words of the page that the records' indices lie on.

    Returns
    -------
    numpy.ndarray
        ``(emitted,)``: the record's first vertex + instance * vertex span + index - smallest index.
    """
    emitted = np.arange(int(starts[-1, 0]), dtype=np.int64)
    owners = np.searchsorted(starts[:-1, 0], emitted, side="right") - 1
    record = np.ascontiguousarray(table, np.uint32).reshape(-1).view(RECORD)[owners]
    instance, k = np.divmod(emitted - starts[owners, 0], record["count"])
    width = record["width_slot"] & 7
    byte = record["index_start"] + k * width
    word = page_words[byte // 4].astype(np.int64) >> (byte % 4 * 8)
    mask = np.array([0, 0xFF, 0xFFFF, 0, 0xFFFFFFFF])[width]
    local = np.where(width == 0, k, (word & mask) - record["vertex_first"])
    vertex = starts[owners, 1] + instance * record["vertex_span"] + local
    return (vertex & 0xFFFFFFFF).astype(np.uint32)
