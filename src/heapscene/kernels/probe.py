"""The search of the vertex stage, run by a kernel that writes down what it found.

Both kernels call the functions that the vertex stage calls, on the buffers that it reads.
"""

from __future__ import annotations

import numpy as np

from heapscene.heap import RECORD
from heapscene.kernels.expand import owners_of, vertices_of
from heapscene.kernels.kernel import kernel
from heapscene.kernels.locate import (
    Located,
    by_emitted,
    by_vertex,
    locate_emitted,
    locate_vertex,
    tiles,
)
from heapscene.kernels.records import invocation
from heapscene.shader import builtin, compute, function, storage, struct, u32, uniform, vec3u
from heapscene.typing import UintArray

__all__ = ["PROBE_WORDS", "probe_emitted", "probe_reference", "probe_vertices"]

PROBE_WORDS = 5
"""Words per emitted index: record, header row, instance, element, vertex."""


@struct
class Stretch:
    """Which emitted indices, how many records there are, and what the draw call adds to each index."""

    first: u32
    stop: u32
    records: u32
    base_vertex: u32


stretch = uniform("stretch", Stretch, binding=0)
indices = storage("indices", u32, binding=6)
found = storage("found", u32, binding=7, access="read_write")


def _probe_emitted(
    parameters: UintArray,
    page_words: UintArray,
    table: UintArray,
    starts: UintArray,
    _tiles: UintArray,
    result: UintArray,
) -> None:
    first, stop, n = map(int, parameters[:3])
    values = probe_reference(table[:n], starts[: n + 1], page_words, first, stop)
    result[: values.size] = values.reshape(-1)


def _probe_vertices(
    parameters: UintArray,
    table: UintArray,
    starts: UintArray,
    _tiles: UintArray,
    numbers: UintArray,
    result: UintArray,
) -> None:
    first, stop, n, base = map(int, parameters[:4])
    vertices = numbers[: stop - first].astype(np.int64) + base
    owners = np.searchsorted(starts[:n, 1], vertices, side="right") - 1
    record = np.ascontiguousarray(table, np.uint32).reshape(-1).view(RECORD)[owners]
    instance, local = np.divmod(vertices - starts[owners, 1], record["vertex_span"])
    element, vertex = record["first_instance"] + instance, record["vertex_first"] + local
    values = np.stack([owners, record["header"], instance, element, vertex], axis=1)
    result[: values.size] = values.reshape(-1)


@function
def write_found(at: u32, record: u32, located: Located) -> None:
    found[at] = record
    found[at + 1] = located.header
    found[at + 2] = located.instance
    found[at + 3] = located.element
    found[at + 4] = located.vertex


@kernel(twin=_probe_emitted)
@compute(workgroup_size=64)
def probe_emitted(
    thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
) -> None:
    """Write what the mega encoding finds for the emitted indices ``first`` to ``stop``."""
    number = stretch.first + invocation(thread, groups, 64)
    if number >= stretch.stop:
        return
    record = by_emitted(number, tiles[number >> 6], tiles[(number >> 6) + 1])
    write_found((number - stretch.first) * 5, record, locate_emitted(number))


@kernel(twin=_probe_vertices)
@compute(workgroup_size=64)
def probe_vertices(
    thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
) -> None:
    """Write what the expanded encoding finds for a part of its index buffer.

    The buffer is bound from ``first`` on, and read up to ``stop``.
    """
    emitted = invocation(thread, groups, 64)
    if emitted >= stretch.stop - stretch.first:
        return
    number = indices[emitted] + stretch.base_vertex
    record = by_vertex(number, tiles[number >> 6], tiles[(number >> 6) + 1])
    write_found(emitted * 5, record, locate_vertex(number))


def probe_reference(
    table: UintArray, starts: UintArray, page_words: UintArray, first: int, stop: int
) -> UintArray:
    """Return what both encodings should find.

    Parameters
    ----------
    table
        Records, ``(n, 8)`` words.
    starts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`.
    page_words
        Words of the page that the records' indices lie on.
    first, stop
        Which emitted indices.

    Returns
    -------
    numpy.ndarray
        ``(stop - first, 5)``, see :data:`PROBE_WORDS`.
    """
    owners, instance, k = owners_of(table, starts, np.arange(first, stop, dtype=np.int64))
    record = np.ascontiguousarray(table, np.uint32).reshape(-1).view(RECORD)[owners]
    vertex = vertices_of(record, k, page_words)
    element = record["first_instance"] + instance
    return np.stack([owners, record["header"], instance, element, vertex], axis=1).astype(np.uint32)
