"""Indirect arguments: what the draw call of each slot reads."""

from __future__ import annotations

import numpy as np

from heapscene.kernels.kernel import kernel
from heapscene.kernels.records import invocation, params
from heapscene.shader import builtin, compute, storage, u32, vec2u, vec3u, vec4u
from heapscene.typing import UintArray

__all__ = ["ARGS_WORDS", "args_reference", "write_args"]

ARGS_WORDS = 5
"""Words per slot in the arguments buffer, whichever encoding: slot s starts at byte ``20 * s``."""

firsts = storage("firsts", vec2u, binding=1)
ranges = storage("ranges", vec4u, binding=2)
arguments = storage("arguments", u32, binding=3, access="read_write")


def _write_args(
    parameters: UintArray, starts: UintArray, bounds: UintArray, result: UintArray
) -> None:
    slots = int(parameters[2])
    result[: slots * ARGS_WORDS] = args_reference(starts, bounds[:slots]).reshape(-1)


@kernel(twin=_write_args)
@compute(workgroup_size=64)
def write_args(
    thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
) -> None:
    """Write five words per slot, by its encoding.

    Expanded, as ``drawIndexedIndirect`` reads them: indices, one instance, first index, base
    vertex, 0. Mega, as ``drawIndirect`` reads the first four: indices, one instance, first, 0.
    """
    slot = invocation(thread, groups, 64)
    if slot >= params.slots:
        return
    bounds = ranges[slot]
    first = firsts[bounds.x]
    at = slot * 5
    arguments[at] = firsts[bounds.y].x - first.x
    arguments[at + 1] = u32(1)
    if bounds.w == 1:
        arguments[at + 2] = bounds.z
        arguments[at + 3] = first.y
    else:
        arguments[at + 2] = first.x
        arguments[at + 3] = u32(0)
    arguments[at + 4] = u32(0)


def args_reference(starts: UintArray, bounds: UintArray) -> UintArray:
    """Return the arguments of each slot.

    Parameters
    ----------
    starts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`.
    bounds
        ``(slots, 4)``: first record, the one after the last, first index in the index buffer, and
        1 for expanded or 0 for mega.

    Returns
    -------
    numpy.ndarray
        ``(slots, 5)``.
    """
    result = np.zeros((len(bounds), ARGS_WORDS), np.uint32)
    first = starts[bounds[:, 0]]
    is_expanded = bounds[:, 3] == 1
    result[:, 0] = starts[bounds[:, 1], 0] - first[:, 0]
    result[:, 1] = 1
    result[:, 2] = np.where(is_expanded, bounds[:, 2], first[:, 0])
    result[:, 3] = np.where(is_expanded, first[:, 1], 0)
    return result
