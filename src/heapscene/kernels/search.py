"""What the vertex stage and the expansion both do: find an owner, read an index."""

from __future__ import annotations

from typing import Any

from heapscene.shader import Resource, ShaderFunction, function, u32

__all__ = ["index_loader", "owner_search"]


def owner_search(firsts: Resource[Any], axis: int) -> ShaderFunction[[u32, u32, u32], u32]:
    """Return a search over prefix sums.

    Parameters
    ----------
    firsts
        Prefix sums of (emitted indices, vertices) over the records.
    axis
        0 to search by emitted index, 1 by vertex.

    Returns
    -------
    ShaderFunction
        ``owner(number, low, high)``: the *last* record of ``low`` to ``high`` whose first number is
        not larger than ``number``. Hidden records and holes own no number, so they are never it.
    """

    @function
    def owner(number: u32, low: u32, high: u32) -> u32:
        first = low
        last = high
        while first < last:
            middle = (first + last + 1) >> 1
            if firsts[middle][axis] <= number:
                first = middle
            else:
                last = middle - 1
        return first

    return owner


def index_loader(page: Resource[Any]) -> ShaderFunction[[u32, u32, u32], u32]:
    """Return ``load_index(start, width, k)``: the k-th index of an array that starts at a byte of the page."""

    @function
    def load_index(start: u32, width: u32, k: u32) -> u32:
        at = start + k * width
        word = page[at >> 2] >> ((at & 3) << 3)
        if width == 1:
            return word & 0xFF
        if width == 2:
            return word & 0xFFFF
        return word

    return load_index
