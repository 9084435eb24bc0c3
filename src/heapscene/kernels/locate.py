"""Which record, instance and vertex a vertex number means: the search of the vertex stage.

The tile table bounds the search: one entry per 64 numbers, the owner of the first of them.
"""

from __future__ import annotations

from heapscene.kernels.loads import page
from heapscene.kernels.records import Record
from heapscene.kernels.search import index_loader, owner_search
from heapscene.shader import function, storage, struct, u32, vec2u

__all__ = ["Located", "firsts", "locate_emitted", "locate_vertex", "records", "tiles"]


@struct
class Located:
    """Header row, instance, element of per-instance inputs, and vertex of the geometry."""

    header: u32
    instance: u32
    element: u32
    vertex: u32


records = storage("records", Record, binding=3)
firsts = storage("firsts", vec2u, binding=4)
tiles = storage("tiles", u32, binding=5)


by_emitted = owner_search(firsts, 0)
by_vertex = owner_search(firsts, 1)
load_index = index_loader(page)


@function
def locate_vertex(number: u32) -> Located:
    """Return what a vertex of the expanded encoding belongs to."""
    found = by_vertex(number, tiles[number >> 6], tiles[(number >> 6) + 1])
    record = records[found]
    local = number - firsts[found].y
    instance = local // record.vertex_span
    vertex = record.vertex_first + local - instance * record.vertex_span
    element = record.first_instance + instance
    return Located(header=record.header, instance=instance, element=element, vertex=vertex)


@function
def locate_emitted(number: u32) -> Located:
    """Return what an emitted index of the mega encoding belongs to."""
    found = by_emitted(number, tiles[number >> 6], tiles[(number >> 6) + 1])
    record = records[found]
    local = number - firsts[found].x
    instance = local // record.count
    k = local - instance * record.count
    vertex = record.vertex_first + k
    width = record.width_slot & 7
    if width != 0:
        vertex = load_index(record.index_start, width, k)
    element = record.first_instance + instance
    return Located(header=record.header, instance=instance, element=element, vertex=vertex)
