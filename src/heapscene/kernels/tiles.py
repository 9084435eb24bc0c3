"""The tile table: bounds for the search from an index or vertex to its record."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from heapscene.kernels.kernel import Params, Storage, raw_kernel
from heapscene.typing import UintArray

__all__ = ["TILE", "tiles_reference", "write_tiles"]

TILE = 64
"""Emitted indices, or vertices, per tile."""

_Pairs = Annotated[UintArray, Storage("array<vec2<u32>>", "read")]
_WordsOut = Annotated[UintArray, Storage("array<u32>", "read_write")]


@raw_kernel(
    """
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let tile = id.x + id.y * groups.x * 64u;
  if (tile > params.tiles) { return; }
  var low = 0u;
  var high = max(params.records, 1u) - 1u;
  let at = tile * 64u;
  if (tile == params.tiles || at >= firsts[params.records][params.axis]) {
    low = high;
  }
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (firsts[middle][params.axis] <= at) { low = middle; } else { high = middle - 1u; }
  }
  table[tile] = low;
}
""",
    workgroup_size=64,
)
def write_tiles(params: Params, firsts: _Pairs, table: _WordsOut) -> None:
    """Write the record that owns the first element of each tile, then the last record."""
    records, count, axis = int(params[0]), int(params[3]), int(params[4])
    table[: count + 1] = tiles_reference(firsts[: records + 1], axis, count)


def tiles_reference(firsts: UintArray, axis: int, count: int | None = None) -> UintArray:
    """Return the tile table.

    Parameters
    ----------
    firsts
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
    starts, total = firsts[:-1, axis], int(firsts[-1, axis])
    count = -(-total // TILE) if count is None else count
    at = np.arange(count + 1, dtype=np.int64) * TILE
    owners = np.searchsorted(starts, at, side="right") - 1
    last = max(len(starts), 1) - 1
    return np.where(at < total, owners, last).astype(np.uint32)
