"""The expanded index buffer: all draws of a bucket as one indexed mesh."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from heapscene.kernels.kernel import Params, Storage, raw_kernel
from heapscene.kernels.records import (
    COUNT,
    INDEX_START,
    INDEX_WIDTH,
    RECORD_WORDS,
    VERTEX_FIRST,
    VERTEX_SPAN,
)
from heapscene.typing import UintArray

__all__ = ["expand_reference", "write_indices"]

_Records = Annotated[UintArray, Storage("array<vec4<u32>>", "read")]
_Pairs = Annotated[UintArray, Storage("array<vec2<u32>>", "read")]
_Words = Annotated[UintArray, Storage("array<u32>", "read")]
_WordsOut = Annotated[UintArray, Storage("array<u32>", "read_write")]

# One invocation walks over 64 consecutive indices. Milliseconds on llvmpipe, beside a search for
# each index (through a tile table) and one invocation per record:
#                                    walk   search   record
#   10,000 boxes (0.36 M indices)     2.4      8.8      1.7
#   5,000 mixed spheres (4.7 M)      24      170       30
#   10,000 boxes, 90 % hidden         0.3      0.9      1.7
# Per record a single large mesh would be written by a single invocation.
_WALK = """
// The last record from 'low' on that starts at or before 'emitted': the one that owns it.
fn owner(emitted: u32, from_record: u32) -> u32 {
  var low = from_record;
  var high = params.records - 1u;
  while (low < high) {
    let middle = (low + high + 1u) / 2u;
    if (firsts[middle].x <= emitted) { low = middle; } else { high = middle - 1u; }
  }
  return low;
}

fn index_at(start: u32, width: u32, k: u32) -> u32 {
  let byte = start + k * width;
  let word = page[byte / 4u] >> (byte % 4u * 8u);
  if (width == 1u) { return word & 0xffu; }
  if (width == 2u) { return word & 0xffffu; }
  return word;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let tile = id.x + id.y * groups.x * 64u;
  var emitted = params.first + tile * 64u;
  let total = min(params.stop, firsts[params.records].x);
  if (emitted >= total) { return; }
  let stop = emitted + min(64u, total - emitted);
  var record = owner(emitted, 0u);
  while (emitted < stop) {
    if (firsts[record + 1u].x <= emitted) { record = owner(emitted, record + 1u); }
    let first_half = records[record * 2u];
    let second_half = records[record * 2u + 1u];
    let start = first_half.y;
    let width = first_half.z;
    let count = first_half.w;
    let local = emitted - firsts[record].x;
    var k = local % count;
    var vertex = firsts[record].y + local / count * second_half.z;
    let end = min(firsts[record + 1u].x, stop);
    while (emitted < end) {
      var index = k;
      if (width > 0u) { index = index_at(start, width, k) - second_half.y; }
      indices[emitted - params.first] = vertex + index;
      emitted += 1u;
      k += 1u;
      if (k == count) {
        k = 0u;
        vertex += second_half.z;
      }
    }
  }
}
"""


@raw_kernel(_WALK, workgroup_size=64)
def write_indices(
    params: Params,
    records: _Records,
    firsts: _Pairs,
    page: _Words,
    indices: _WordsOut,
) -> None:
    """Write the indices ``first`` to ``stop`` into a window that starts at ``first``."""
    n, first, stop = int(params[0]), int(params[5]), int(params[6])
    values = expand_reference(records, firsts[: n + 1], page)[first:stop]
    indices[: len(values)] = values


def expand_reference(records: UintArray, firsts: UintArray, page: UintArray) -> UintArray:
    """Return the expanded index buffer.

    Parameters
    ----------
    records
        ``(n, 8)`` words.
    firsts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`.
    page
        Words of the page that the records' indices lie on.

    Returns
    -------
    numpy.ndarray
        ``(emitted,)``: the record's first vertex + instance * vertex span + index - smallest index.
    """
    emitted = np.arange(int(firsts[-1, 0]), dtype=np.int64)
    owner = np.searchsorted(firsts[:-1, 0], emitted, side="right") - 1
    record = records.reshape(-1, RECORD_WORDS)[owner].astype(np.int64)
    instance, k = np.divmod(emitted - firsts[owner, 0], record[:, COUNT])
    width = record[:, INDEX_WIDTH]
    byte = record[:, INDEX_START] + k * width
    word = page[byte // 4].astype(np.int64) >> (byte % 4 * 8)
    mask = np.array([0, 0xFF, 0xFFFF, 0, 0xFFFFFFFF])[width]
    local = np.where(width == 0, k, (word & mask) - record[:, VERTEX_FIRST])
    vertex = firsts[owner, 1] + instance * record[:, VERTEX_SPAN] + local
    return (vertex & 0xFFFFFFFF).astype(np.uint32)
