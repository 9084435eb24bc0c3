"""Prefix sums: at which index and at which vertex each record starts.

Three passes: each workgroup sums one block of 1,024 records; one workgroup scans the block sums,
256 at a time with a carry, so their number has no limit; each workgroup scans its block from there.
All sums are of integers, so the result does not depend on scheduling.
"""

from __future__ import annotations

import numpy as np

from heapscene.kernels.kernel import kernel
from heapscene.kernels.records import contribution, contributions, invocation, params
from heapscene.shader import (
    builtin,
    compute,
    function,
    storage,
    u32,
    vec2u,
    vec3u,
    workgroup,
    workgroup_barrier,
)
from heapscene.typing import UintArray

__all__ = ["BLOCK", "scan_reference", "scan_sums", "sum_blocks", "write_firsts"]

BLOCK = 1024
"""Records per workgroup: 256 invocations, 4 each."""

sums = storage("sums", vec2u, binding=2, access="read_write")
block_starts = storage("sums", vec2u, binding=2)
firsts = storage("firsts", vec2u, binding=3, access="read_write")
lanes = workgroup("lanes", vec2u, 256)


@function
def scan_lanes(lane: u32, value: vec2u) -> vec2u:
    """Return the sum of the values of all invocations up to this one."""
    lanes[lane] = value
    workgroup_barrier()
    distance = u32(1)
    while distance < 256:
        before = vec2u(0)
        if lane >= distance:
            before = lanes[lane - distance]
        workgroup_barrier()
        lanes[lane] += before
        workgroup_barrier()
        distance *= 2
    return lanes[lane]


def _sum_blocks(parameters: UintArray, table: UintArray, block_sums: UintArray) -> None:
    n, blocks = int(parameters[0]), int(parameters[1])
    values = contributions(table)[:n]
    for block in range(blocks):
        block_sums[block] = values[block * BLOCK : (block + 1) * BLOCK].sum(axis=0)


@kernel(twin=_sum_blocks)
@compute(workgroup_size=256)
def sum_blocks(
    group: vec3u = builtin.workgroup_id,
    groups: vec3u = builtin.num_workgroups,
    lane: u32 = builtin.local_invocation_index,
) -> None:
    """Write the sum of each block of records."""
    block = invocation(group, groups, 1)
    start = block * 1024 + lane * 4
    total = contribution(start)
    total += contribution(start + 1)
    total += contribution(start + 2)
    total += contribution(start + 3)
    lanes[lane] = total
    workgroup_barrier()
    distance = u32(128)
    while distance > 0:
        if lane < distance:
            lanes[lane] += lanes[lane + distance]
        workgroup_barrier()
        distance //= 2
    if lane == 0 and block < params.blocks:
        sums[block] = lanes[0]


def _scan_sums(parameters: UintArray, block_sums: UintArray) -> None:
    blocks = int(parameters[1])
    ends = np.cumsum(block_sums[:blocks].astype(np.int64), axis=0)
    block_sums[0] = 0
    block_sums[1 : blocks + 1] = ends


@kernel(twin=_scan_sums)
@compute(workgroup_size=256)
def scan_sums(lane: u32 = builtin.local_invocation_index) -> None:
    """Replace block sums by what comes before each block, and append the total."""
    carry = vec2u(0)
    start = u32(0)
    while start < params.blocks:
        block = start + lane
        value = vec2u(0)
        if block < params.blocks:
            value = sums[block]
        end = scan_lanes(lane, value)
        if block < params.blocks:
            sums[block] = carry + end - value
        carry += lanes[255]
        workgroup_barrier()
        start += 256
    if lane == 0:
        sums[params.blocks] = carry


def _write_firsts(
    parameters: UintArray, table: UintArray, starts: UintArray, result: UintArray
) -> None:
    n, blocks = int(parameters[0]), int(parameters[1])
    values = contributions(table)[:n]
    for block in range(blocks):
        part = values[block * BLOCK : (block + 1) * BLOCK]
        before = np.cumsum(part, axis=0) - part
        result[block * BLOCK : block * BLOCK + len(part)] = starts[block] + before
    result[n] = starts[blocks]


@kernel(twin=_write_firsts)
@compute(workgroup_size=256)
def write_firsts(
    group: vec3u = builtin.workgroup_id,
    groups: vec3u = builtin.num_workgroups,
    lane: u32 = builtin.local_invocation_index,
) -> None:
    """Write the exclusive prefix sums of all records, and the total after the last."""
    block = invocation(group, groups, 1)
    start = block * 1024 + lane * 4
    second = contribution(start)
    third = second + contribution(start + 1)
    fourth = third + contribution(start + 2)
    total = fourth + contribution(start + 3)
    first = scan_lanes(lane, total) - total
    if block < params.blocks:
        first += block_starts[block]
    if start < params.records:
        firsts[start] = first
    if start + 1 < params.records:
        firsts[start + 1] = first + second
    if start + 2 < params.records:
        firsts[start + 2] = first + third
    if start + 3 < params.records:
        firsts[start + 3] = first + fourth
    if block == 0 and lane == 0:
        firsts[params.records] = block_starts[params.blocks]


def scan_reference(table: UintArray) -> UintArray:
    """Return where each record starts, computed in one step.

    Parameters
    ----------
    table
        ``(n, 8)`` words.

    Returns
    -------
    numpy.ndarray
        ``(n + 1, 2)``: first emitted index and first vertex of each record, then the totals.

    Examples
    --------
    >>> table = np.zeros((2, 8), np.uint32)
    >>> table[0, 3:7] = 6, 2, 0, 4  # six indices over four vertices, two instances
    >>> scan_reference(table).tolist()
    [[0, 0], [12, 8], [12, 8]]
    """
    values = contributions(table)
    result = np.zeros((len(values) + 1, 2), np.uint32)
    result[1:] = np.cumsum(values, axis=0)
    return result
