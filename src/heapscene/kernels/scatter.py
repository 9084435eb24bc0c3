"""Scatter: many short, far apart pieces of a buffer arrive in one write and are put in place here.

What is staged is one array of words:

- two words: sections, and elements in all of them;
- six words for each section, whose elements have the same length: the number of its first element,
  words per element, the high half of the first place, and where its *high table*, its *low halves*
  and its data lie among the staged words;
- per section the high table, the low halves and the data.

In a *comb*, places are at equal distances: the third word of its head is the first place, the
fourth the distance, and the fifth is zero, as it has neither high table nor low halves.

The place of an element is a word number. Elements ascend, so their high 16 bits are told by a table
(for each value of the high half, how many elements come before it) and only the low 16 bits are
stored with each: two bytes an element.
"""

from __future__ import annotations

import numpy as np

from heapscene.kernels.kernel import kernel
from heapscene.kernels.records import invocation
from heapscene.shader import builtin, compute, function, storage, u32, vec3u
from heapscene.typing import UintArray

__all__ = ["scatter", "scatter_reference"]

staged = storage("staged", u32, binding=0)
target = storage("target", u32, binding=1, access="read_write")


def _scatter(words: UintArray, result: UintArray) -> None:
    result[:] = scatter_reference(words, result)


@function
def section_of(element: u32) -> u32:
    """Return where the head of the section of an element lies."""
    head = u32(2)
    last = 2 + 6 * (staged[0] - 1)
    while head < last and staged[head + 6] <= element:
        head += 6
    return head


@function
def high_half(table: u32, stop: u32, element: u32) -> u32:
    """Return the last entry of a high table, which ends at `stop`, that is not above `element`."""
    low = u32(0)
    high = stop - table - 1
    while low < high:
        middle = (low + high + 1) // 2
        if staged[table + middle] <= element:
            low = middle
        else:
            high = middle - 1
    return low


@kernel(twin=_scatter)
@compute(workgroup_size=64)
def scatter(
    thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
) -> None:
    """Copy each staged element to its place."""
    number = invocation(thread, groups, 64)
    if number >= staged[1]:
        return
    head = section_of(number)
    element = number - staged[head]
    length = staged[head + 1]
    lows = staged[head + 4]
    place = staged[head + 2] + element * staged[head + 3]
    if lows > 0:
        low = (staged[lows + element // 2] >> (16 * (element % 2))) & 65535
        high = staged[head + 2] + high_half(staged[head + 3], lows, element)
        place = high * 65536 + low
    source = staged[head + 5] + element * length
    word = u32(0)
    while word < length:
        target[place + word] = staged[source + word]
        word += 1


def scatter_reference(words: UintArray, before: UintArray) -> UintArray:
    """Return the target after a scatter.

    Parameters
    ----------
    words
        What was staged.
    before
        The target before it.
    """
    result = before.copy()
    heads = words[2 : 2 + 6 * int(words[0])].reshape(-1, 6).astype(np.int64)
    ends = [*heads[1:, 0], int(words[1])]
    for (first, length, first_high, table, lows, data), end in zip(heads, ends, strict=True):
        count = end - first
        elements = np.arange(count)
        if lows:
            halves = words[lows : lows + (count + 1) // 2]
            low = np.stack([halves & 0xFFFF, halves >> 16], axis=1).reshape(-1)[:count]
            high = first_high + np.searchsorted(words[table:lows], elements, side="right") - 1
            places = (high << 16) + low
        else:
            places = first_high + elements * table
        values = words[data : data + count * length].reshape(count, length)
        result[places[:, None] + np.arange(length)] = values
    return result
