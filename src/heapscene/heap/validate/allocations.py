"""Whether allocations of a page overlap, and whether its free lists are right."""

from __future__ import annotations

from typing import Any

import numpy as np

from heapscene.heap.allocator import Allocator
from heapscene.heap.page import Entry, Page
from heapscene.heap.validate.fault import Fault, Faults

__all__ = ["check_allocations"]


def check_allocations(faults: Faults, page: Page) -> None:
    """Check what a page has handed out, and what it takes for free."""
    entries = sorted(page.entries, key=lambda entry: entry.offset)
    before = faults.total
    _check_overlap(faults, page, entries)
    if faults.total == before:
        _check_blocks(faults, page, entries)
    _check_indexes(faults, page)


def _check_overlap(faults: Faults, page: Page, entries: list[Entry]) -> None:
    """Report allocations that reach into the next one, or beyond what is in use."""
    faults.looked("overlap", len(entries))
    starts = np.array([entry.offset for entry in entries], np.int64)
    stops = starts + _sizes(entries)
    limits = np.append(starts[1:], page.allocator.cursor)
    for at in np.flatnonzero((starts % 16 != 0) | (starts < 16)).tolist():
        offset = int(starts[at])
        _add(faults, page, ("overlap", "start of an allocation"), offset,
             "a multiple of 16 from 16 on", offset)  # fmt: skip
    for at in np.flatnonzero(stops > limits[: len(stops)]).tolist():
        _add(faults, page, ("overlap", "end of an allocation"), int(starts[at]),
             f"at most {limits[at]}", int(stops[at]))  # fmt: skip


def _check_blocks(faults: Faults, page: Page, entries: list[Entry]) -> None:
    """Report free blocks that are not the gaps between allocations, and others handed out."""
    allocator = page.allocator
    held = dict(zip([e.offset for e in entries], _sizes(entries).tolist(), strict=True))
    blocks = _blocks(allocator)
    given = {offset: size for offset, size in blocks.items() if offset not in allocator._free}
    for what, expected, found in (
        ("size of a free block", _gaps(held, allocator.cursor), allocator._free),
        ("size of what was handed out", held, given),
    ):
        faults.looked("free-lists", len(expected))
        for offset in sorted({*expected, *found} if expected != found else ()):
            if expected.get(offset) != found.get(offset):
                _add(faults, page, ("free-lists", what), offset,
                     expected.get(offset, "nothing"), found.get(offset, "nothing"))  # fmt: skip
    total = sum(held.values())
    if allocator.live_bytes != total:
        _add(faults, page, ("free-lists", "sum of allocations"), None, total, allocator.live_bytes)


def _check_indexes(faults: Faults, page: Page) -> None:
    """Report books of free blocks that do not agree with each other."""
    allocator = page.allocator
    free = allocator._free
    sizes = sorted(set(free.values()))
    ends = {offset + size: offset for offset, size in free.items()}
    listed = {offset: size for size, offsets in allocator._by_size.items() for offset in offsets}
    behind = int(allocator.marks()[allocator.cursor >> 4 :].sum())
    checks: list[tuple[str, Any, Any]] = [
        ("sizes of free blocks", sizes, allocator._sizes),
        ("ends of free blocks", sorted(ends.items()), sorted(allocator._ends.items())),
        ("free blocks by size", sorted(free.items()), sorted(listed.items())),
        ("blocks behind the end", 0, behind),
    ]
    for what, expected, found in checks:
        faults.looked("free-lists", 1)
        if expected != found:
            _add(faults, page, ("free-lists", what), None, str(expected), str(found))


def _blocks(allocator: Allocator) -> dict[int, int]:
    """Return the size of each block that begins below the cursor, handed out or free."""
    starts = 16 * np.flatnonzero(allocator.marks()[: allocator.cursor >> 4])
    sizes = np.diff(np.append(starts, allocator.cursor))
    return dict(zip(starts.tolist(), sizes.tolist(), strict=True))


def _gaps(held: dict[int, int], cursor: int) -> dict[int, int]:
    starts = np.array([*held, cursor], np.int64)
    stops = np.array([16, *(offset + size for offset, size in held.items())], np.int64)
    at = np.flatnonzero(starts > stops)
    return dict(zip(stops[at].tolist(), (starts - stops)[at].tolist(), strict=True))


def _sizes(entries: list[Entry]) -> Any:
    nbytes = np.array([entry.nbytes for entry in entries], np.int64)
    return np.maximum(16, nbytes + 15 & ~15)


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
