"""Which record, instance and vertex a vertex number means: the search of the vertex stage.

Both searches return the *last* record whose first number is not larger than the one asked for, so
hidden records and holes, which own no number, are never returned.
"""

from __future__ import annotations

from heapscene.kernels.loads import page
from heapscene.kernels.records import Record
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


@function
def find_emitted(number: u32) -> u32:
    low = tiles[number >> 6]
    high = tiles[(number >> 6) + 1]
    while low < high:
        middle = (low + high + 1) >> 1
        if firsts[middle].x <= number:
            low = middle
        else:
            high = middle - 1
    return low


@function
def find_vertex(number: u32) -> u32:
    low = tiles[number >> 6]
    high = tiles[(number >> 6) + 1]
    while low < high:
        middle = (low + high + 1) >> 1
        if firsts[middle].y <= number:
            low = middle
        else:
            high = middle - 1
    return low


@function
def load_index(start: u32, width: u32, k: u32) -> u32:
    at = start + k * width
    word = page[at >> 2]
    if width == 4:
        return word
    shifted = word >> ((at & 3) << 3)
    if width == 2:
        return shifted & 0xFFFF
    return shifted & 0xFF


@function
def locate_vertex(number: u32) -> Located:
    """Return what a vertex of the expanded encoding belongs to."""
    found = find_vertex(number)
    record = records[found]
    local = number - firsts[found].y
    instance = local // record.vertex_span
    vertex = record.vertex_first + local - instance * record.vertex_span
    element = record.first_instance + instance
    return Located(header=record.header, instance=instance, element=element, vertex=vertex)


@function
def locate_emitted(number: u32) -> Located:
    """Return what an emitted index of the mega encoding belongs to."""
    found = find_emitted(number)
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
