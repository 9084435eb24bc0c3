"""Whether allocations of a page overlap, and whether its free lists are right."""

from __future__ import annotations

from typing import Any

from heapscene.heap.allocator import Allocator
from heapscene.heap.page import Page
from heapscene.heap.validate.fault import Fault, Faults

__all__ = ["check_allocations"]


def check_allocations(faults: Faults, page: Page) -> None:
    """Check what a page has handed out, and what it takes for free."""
    before = faults.total
    _check_overlap(faults, page)
    found = faults.total > before
    _check_free(faults, page, tiles=not found)


def _check_overlap(faults: Faults, page: Page) -> None:
    """Report allocations that reach into the next one, or beyond what is in use."""
    allocator = page.allocator
    claims = dict(allocator._live)
    for entry in page.entries.values():
        size = _rounded(entry.nbytes)
        claims[entry.offset] = max(size, claims.get(entry.offset, 0))
    faults.looked("overlap", len(claims))
    blocks = sorted(claims.items())
    ends = [*(offset for offset, _ in blocks[1:]), allocator.cursor]
    for (offset, size), end in zip(blocks, ends, strict=False):
        if offset % 16 or offset < 16:
            _add(faults, page, ("overlap", "start of an allocation"), offset,
                 "a multiple of 16 from 16 on", offset)  # fmt: skip
        if offset + size > end:
            _add(faults, page, ("overlap", "end of an allocation"), offset,
                 f"at most {end}", offset + size)  # fmt: skip
    offsets: dict[int, Any] = {}
    for key, entry in page.entries.items():
        if offsets.setdefault(entry.offset, key) is not key:
            _add(faults, page, ("overlap", "allocations at one place"), entry.offset, 1, 2)


def _check_free(faults: Faults, page: Page, *, tiles: bool) -> None:
    """Report free blocks that are not the gaps between allocations, and books of them that differ."""
    allocator = page.allocator
    faults.looked("free-lists", len(allocator._free) + 1)
    if tiles:
        gaps = _gaps(page)
        for offset in sorted({*gaps, *allocator._free}):
            if gaps.get(offset) != allocator._free.get(offset):
                _add(faults, page, ("free-lists", "size of a free block"), offset,
                     gaps.get(offset, "no free block"), allocator._free.get(offset, "none"))  # fmt: skip
        held = {entry.offset: _rounded(entry.nbytes) for entry in page.entries.values()}
        for offset in sorted({*held, *allocator._live} if held != allocator._live else ()):
            if held.get(offset) != allocator._live.get(offset):
                _add(faults, page, ("free-lists", "size of what was handed out"), offset,
                     held.get(offset, "nothing"), allocator._live.get(offset, "nothing"))  # fmt: skip
        total = sum(held.values())
        if allocator.live_bytes != total:
            _add(faults, page, ("free-lists", "sum of allocations"), None, total,
                 allocator.live_bytes)  # fmt: skip
    for what, expected, found in _indexes(allocator):
        if expected != found:
            _add(faults, page, ("free-lists", what), None, str(expected), str(found))


def _gaps(page: Page) -> dict[int, int]:
    gaps: dict[int, int] = {}
    at = 16
    for entry in sorted(page.entries.values(), key=lambda entry: entry.offset):
        if entry.offset > at:
            gaps[at] = entry.offset - at
        at = max(at, entry.offset + _rounded(entry.nbytes))
    if page.allocator.cursor > at:
        gaps[at] = page.allocator.cursor - at
    return gaps


def _indexes(allocator: Allocator) -> list[tuple[str, Any, Any]]:
    """Return name, expected and actual content of what finds free blocks."""
    free = allocator._free
    sizes = sorted(set(free.values()))
    ends = {offset + size: offset for offset, size in free.items()}
    listed = {offset: size for size, offsets in allocator._by_size.items() for offset in offsets}
    return [
        ("sizes of free blocks", sizes, allocator._sizes),
        ("ends of free blocks", sorted(ends.items()), sorted(allocator._ends.items())),
        ("free blocks by size", sorted(free.items()), sorted(listed.items())),
    ]


def _rounded(nbytes: int) -> int:
    return max(16, (nbytes + 15) & ~15)


def _add(
    faults: Faults,
    page: Page,
    name: tuple[str, str],
    offset: int | None,
    expected: int | str,
    found: int | str,
) -> None:
    check, what = name
    faults.add(
        Fault(check, what, "books", page=page.number, offset=offset, expected=expected, found=found)
    )
