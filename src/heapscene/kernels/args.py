"""Indirect arguments: what the draw call of each slot reads."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from heapscene.kernels.kernel import Params, Storage, raw_kernel
from heapscene.typing import UintArray

__all__ = ["ARGS_WORDS", "args_reference", "write_args"]

ARGS_WORDS = 5
"""Words per slot in the arguments buffer, whichever encoding: slot s starts at byte ``20 * s``."""

_Pairs = Annotated[UintArray, Storage("array<vec2<u32>>", "read")]
_WordsOut = Annotated[UintArray, Storage("array<u32>", "read_write")]


@raw_kernel(
    """
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let slot = id.x + id.y * groups.x * 64u;
  if (slot >= params.slots) { return; }
  let bounds = ranges[slot];
  let first = firsts[bounds.x].x;
  let at = slot * 5u;
  arguments[at] = firsts[bounds.y].x - first;
  arguments[at + 1u] = 1u;
  arguments[at + 2u] = first;
  arguments[at + 3u] = 0u;
  arguments[at + 4u] = 0u;
}
""",
    workgroup_size=64,
)
def write_args(params: Params, firsts: _Pairs, ranges: _Pairs, arguments: _WordsOut) -> None:
    """Write five words per slot: emitted indices, one instance, the first index, two zeros.

    Read as ``drawIndexedIndirect`` (count, instances, first index, base vertex, first instance)
    they draw the expanded index buffer; their first four, read as ``drawIndirect`` (count,
    instances, first vertex, first instance), draw the same range as mega.
    """
    slots = int(params[2])
    arguments[: slots * ARGS_WORDS] = args_reference(firsts, ranges[:slots]).reshape(-1)


def args_reference(firsts: UintArray, ranges: UintArray) -> UintArray:
    """Return the arguments of each slot.

    Parameters
    ----------
    firsts
        ``(n + 1, 2)``, see :func:`~heapscene.kernels.scan_reference`.
    ranges
        ``(slots, 2)``: first record and the one after the last.

    Returns
    -------
    numpy.ndarray
        ``(slots, 5)``.
    """
    arguments = np.zeros((len(ranges), ARGS_WORDS), np.uint32)
    first = firsts[ranges[:, 0], 0]
    arguments[:, 0] = firsts[ranges[:, 1], 0] - first
    arguments[:, 1] = 1
    arguments[:, 2] = first
    return arguments
