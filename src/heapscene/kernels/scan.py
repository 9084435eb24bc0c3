"""Prefix sums: at which index and at which vertex each record starts.

Three passes: each workgroup sums one block of 1,024 records; one workgroup scans the block sums,
256 at a time with a carry, so their number has no limit; each workgroup scans its block from there.
All sums are of integers, so the result does not depend on scheduling.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from heapscene.kernels.kernel import Params, Storage, raw_kernel
from heapscene.kernels.records import contributions
from heapscene.typing import UintArray

__all__ = ["BLOCK", "scan_reference", "scan_sums", "sum_blocks", "write_firsts"]

BLOCK = 1024
"""Records per workgroup: 256 invocations, 4 each."""

_Records = Annotated[UintArray, Storage("array<vec4<u32>>", "read")]
_Pairs = Annotated[UintArray, Storage("array<vec2<u32>>", "read")]
_PairsOut = Annotated[UintArray, Storage("array<vec2<u32>>", "read_write")]

_COMMON = """
const PER_THREAD = 4u;
var<workgroup> shared_sums: array<vec2<u32>, 256>;

fn contribution(record: u32) -> vec2<u32> {
  if (record >= params.records) { return vec2<u32>(); }
  let first_half = records[record * 2u];
  let second_half = records[record * 2u + 1u];
  let count = first_half.w;
  let instances = second_half.x;
  let span = second_half.z;
  return vec2<u32>(count * instances, select(0u, span * instances, count > 0u));
}
"""

_SCAN_SHARED = """
// Inclusive scan over the workgroup; every invocation gets its own prefix.
fn scan_shared(lane: u32, value: vec2<u32>) -> vec2<u32> {
  shared_sums[lane] = value;
  workgroupBarrier();
  for (var step = 1u; step < 256u; step <<= 1u) {
    var before = vec2<u32>();
    if (lane >= step) { before = shared_sums[lane - step]; }
    workgroupBarrier();
    shared_sums[lane] += before;
    workgroupBarrier();
  }
  return shared_sums[lane];
}
"""


@raw_kernel(
    _COMMON
    + """
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let block = group.x + group.y * groups.x;
  let start = (block * 256u + lane) * PER_THREAD;
  var total = vec2<u32>();
  for (var k = 0u; k < PER_THREAD; k++) { total += contribution(start + k); }
  shared_sums[lane] = total;
  workgroupBarrier();
  for (var step = 128u; step > 0u; step >>= 1u) {
    if (lane < step) { shared_sums[lane] += shared_sums[lane + step]; }
    workgroupBarrier();
  }
  if (lane == 0u && block < params.blocks) { sums[block] = shared_sums[0]; }
}
""",
    workgroup_size=256,
)
def sum_blocks(params: Params, records: _Records, sums: _PairsOut) -> None:
    """Write the sum of each block of records."""
    values = contributions(records)[: params[0]]
    for block in range(int(params[1])):
        sums[block] = values[block * BLOCK : (block + 1) * BLOCK].sum(axis=0)


@raw_kernel(
    "var<workgroup> shared_sums: array<vec2<u32>, 256>;"
    + _SCAN_SHARED
    + """
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
  var carry = vec2<u32>();
  for (var start = 0u; start < params.blocks; start += 256u) {
    let at = start + lane;
    var value = vec2<u32>();
    if (at < params.blocks) { value = sums[at]; }
    let prefix = scan_shared(lane, value);
    if (at < params.blocks) { sums[at] = carry + prefix - value; }
    carry += shared_sums[255];
    workgroupBarrier();
  }
  if (lane == 0u) { sums[params.blocks] = carry; }
}
""",
    workgroup_size=256,
)
def scan_sums(params: Params, sums: _PairsOut) -> None:
    """Replace block sums by what comes before each block, and append the total."""
    blocks = int(params[1])
    prefix = np.cumsum(sums[:blocks].astype(np.int64), axis=0)
    sums[0] = 0
    sums[1 : blocks + 1] = prefix


@raw_kernel(
    _COMMON
    + _SCAN_SHARED
    + """
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  let block = group.x + group.y * groups.x;
  let start = (block * 256u + lane) * PER_THREAD;
  var values = array<vec2<u32>, 4>();
  var total = vec2<u32>();
  for (var k = 0u; k < PER_THREAD; k++) {
    values[k] = contribution(start + k);
    total += values[k];
  }
  var first = scan_shared(lane, total) - total;
  if (block < params.blocks) { first += sums[block]; }
  for (var k = 0u; k < PER_THREAD; k++) {
    if (start + k < params.records) { firsts[start + k] = first; }
    first += values[k];
  }
  if (block == 0u && lane == 0u) { firsts[params.records] = sums[params.blocks]; }
}
""",
    workgroup_size=256,
)
def write_firsts(params: Params, records: _Records, sums: _Pairs, firsts: _PairsOut) -> None:
    """Write the exclusive prefix sums of all records, and the total after the last."""
    n, blocks = int(params[0]), int(params[1])
    values = contributions(records)[:n]
    for block in range(blocks):
        part = values[block * BLOCK : (block + 1) * BLOCK]
        before = np.cumsum(part, axis=0) - part
        firsts[block * BLOCK : block * BLOCK + len(part)] = sums[block] + before
    firsts[n] = sums[blocks]


def scan_reference(records: UintArray) -> UintArray:
    """Return where each record starts, computed in one step.

    Parameters
    ----------
    records
        ``(n, 8)`` words.

    Returns
    -------
    numpy.ndarray
        ``(n + 1, 2)``: first emitted index and first vertex of each record, then the totals.

    Examples
    --------
    >>> records = np.zeros((2, 8), np.uint32)
    >>> records[0, 3:7] = 6, 2, 0, 4  # six indices over four vertices, two instances
    >>> scan_reference(records).tolist()
    [[0, 0], [12, 8], [12, 8]]
    """
    values = contributions(records)
    firsts = np.zeros((len(values) + 1, 2), np.uint32)
    firsts[1:] = np.cumsum(values, axis=0)
    return firsts
