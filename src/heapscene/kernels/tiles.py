"""The tile table: bounds for the search from an index or vertex to its record."""

from __future__ import annotations

import numpy as np

from heapscene.kernels.kernel import Kernel
from heapscene.kernels.records import Params, invocation, params
from heapscene.shader import builtin, compute, max, storage, u32, vec2u, vec3u  # noqa: A004
from heapscene.typing import UintArray

__all__ = ["TILE", "tiles_reference", "write_emitted_tiles", "write_vertex_tiles"]

TILE = 64
"""Emitted indices, or vertices, per tile."""

firsts = storage("firsts", vec2u, binding=1)
emitted_tiles = storage("emitted_tiles", u32, binding=2, access="read_write")
vertex_tiles = storage("vertex_tiles", u32, binding=2, access="read_write")


def _tile_writer(axis: int) -> Kernel:
    """Return the kernel that writes the table over emitted indices (axis 0) or vertices (1)."""
    table = (emitted_tiles, vertex_tiles)[axis]
    place = list(Params.__annotations__).index(table.name)

    def twin(parameters: UintArray, starts: UintArray, result: UintArray) -> None:
        n, count = int(parameters[0]), int(parameters[place])
        result[: count + 1] = tiles_reference(starts[: n + 1], axis, count)

    @compute(workgroup_size=64)
    def write_tiles(
        thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
    ) -> None:
        """Write the record that owns the first element of each tile, then the last record."""
        tile = invocation(thread, groups, 64)
        tiles = params.emitted_tiles if axis == 0 else params.vertex_tiles
        if tile > tiles:
            return
        low = u32(0)
        high = max(params.records, 1) - 1
        at = tile * 64
        if tile == tiles or at >= firsts[params.records][axis]:
            low = high
        while low < high:
            middle = (low + high + 1) // 2
            if firsts[middle][axis] <= at:
                low = middle
            else:
                high = middle - 1
        table[tile] = low

    return Kernel(write_tiles, twin)


write_emitted_tiles = _tile_writer(0)
write_vertex_tiles = _tile_writer(1)


def tiles_reference(starts: UintArray, axis: int, count: int | None = None) -> UintArray:
    """Return the tile table.

    Parameters
    ----------
    starts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`.
    axis
        0 for emitted indices, 1 for vertices.
    count
        Tiles before the sentinel; by default as many as there are elements for.

    Returns
    -------
    numpy.ndarray
        ``(count + 1,)``: the *last* record that starts at or before element ``64 * t``, so that a
        record without elements never owns one. The sentinel is the last record, since a search
        takes the next tile's entry as an inclusive bound.
    """
    begins, total = starts[:-1, axis], int(starts[-1, axis])
    count = -(-total // TILE) if count is None else count
    at = np.arange(count + 1, dtype=np.int64) * TILE
    owners = np.searchsorted(begins, at, side="right") - 1
    last = len(begins) - 1 if len(begins) else 0
    return np.where(at < total, owners, last).astype(np.uint32)
