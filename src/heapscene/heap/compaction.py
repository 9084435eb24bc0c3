"""Compaction: what lies on a page moves towards its start, and whoever holds an offset follows.

Offsets of a page are held by its entries, by parts (which look them up again after a move), by header
rows and by records. All of a step's moves are one table, from each 16 bytes to how far they move, and
header rows and records go through it once, as whole arrays; words that are no offsets are not looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.bucket import Bucket
from heapscene.heap.layout import INDEX_START
from heapscene.heap.page import Entry, Page
from heapscene.heap.words import Words

__all__ = ["Compactor"]

# Measured by benchmarks/churn.py, 30,000 operations on 6 MB with sizes that drift: what was moved in all,
# and how much of the page was free at most. Nothing moved: 0.96 in the long run.
#  share       0.15   0.25   0.4   0.5
#  MB moved    66     28     14    0
#  waste       0.15   0.25   0.40  0.41
WASTE_SHARE = 0.3
# Less than that is not worth an upload; with it, small pages are left alone.
LEAST_WASTE = 256 * 1024
# About a frame's worth of copying and sending (2 ms); and of Python, which sets the offset of each entry
# (10 ms for 8,192 of 16 bytes in a heap of 45,000 draws, header rows and records included).
MOST_BYTES = 8 * 2**20
MOST_ENTRIES = 8192
_ENTRY_SHARE = 32
_offset = attrgetter("offset")
Buckets = Callable[[], Iterable[Bucket]]


class Moves(NamedTuple):
    """By how much the data at each 16 bytes from `low` on moved down; 0 where nothing lies.

    Offsets are in bytes or in words: `unit` of them are 16 bytes.
    """

    low: int
    shift: NDArray[np.int64]
    nbytes: int
    unit: int = 16


class Compactor:
    """Decides which pages to compact, and does it in steps.

    After each step everything is in order again; what was allocated or given back between two steps
    is taken into account.

    Attributes
    ----------
    waste_share, least_waste
        A page is compacted when more than this share of its used bytes is free, and so many bytes.
    most_bytes
        What a step moves at most; a single allocation that is larger moves alone.
    """

    def __init__(self) -> None:
        self.waste_share = WASTE_SHARE
        self.least_waste = LEAST_WASTE
        self.most_bytes = MOST_BYTES
        self._passes: dict[Page, _Pass] = {}

    def wants(self, page: Page) -> bool:
        """Whether a page wastes too much."""
        waste = page.allocator.waste
        return waste > self.least_waste and waste > self.waste_share * page.allocator.cursor

    def step(self, pages: Iterable[Page], buckets: Buckets) -> int:
        """Move what one frame may move; return how many bytes.

        Parameters
        ----------
        buckets
            Returns the buckets on all pages.
        """
        for page in [page for page in self._passes if page.is_empty]:
            self._end(page)
        left = self.most_bytes
        for page in pages:
            run = self._passes.get(page)
            if run is None:
                if not self.wants(page):
                    continue
                run = self._passes[page] = _Pass(page)
            # A page of very many small things is done in as many steps as one of large things.
            most = max(MOST_ENTRIES, page.n_entries // _ENTRY_SHARE)
            if left < self.most_bytes and left < run.least_bytes:
                continue
            left -= self._advance(run, buckets, left, most)
            if left <= 0:
                break
        return self.most_bytes - left

    def all(self, pages: Iterable[Page], buckets: Buckets) -> int:
        """Leave no free bytes between what is in use; return how many bytes were moved."""
        moved = 0
        for page in pages:
            if page in self._passes:
                self._end(page)
            if page.allocator.waste:
                run = self._passes[page] = _Pass(page)
                while page in self._passes:
                    moved += self._advance(run, buckets, MOST_BYTES, page.n_entries)
        return moved

    def _advance(self, run: _Pass, buckets: Buckets, nbytes: int, entries: int) -> int:
        moves = run.step(nbytes, entries)
        if moves is None:
            self._end(run.page)
            return 0
        for bucket in buckets():
            if bucket.page is run.page:
                _follow(bucket, moves)
        return moves.nbytes

    def _end(self, page: Page) -> None:
        page.arrived = None
        del self._passes[page]


class _Pass:
    """One pass over a page, from its first hole to its end.

    What lies below `frontier` has been seen; what is allocated meanwhile is noted by the page.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.arrived: list[Entry] = []
        page.arrived = self.arrived
        self.frontier = page.allocator.first_hole()
        self._entries = entries = page.entries
        offsets = np.fromiter(map(_offset, entries), np.int64, len(entries))
        behind = np.flatnonzero(offsets >= self.frontier)
        self._waiting = behind[np.argsort(offsets[behind])]  # places in that list
        self._at = 0

    @property
    def least_bytes(self) -> int:
        """What the next step moves at least."""
        return sum([entry.nbytes for entry in self._waiting_at(self._at, self._at + 1)])

    def step(self, most_bytes: int, most_entries: int) -> Moves | None:
        """Move the next entries; ``None`` if there are none left."""
        waiting: list[Entry] = []
        taken: list[Entry] = []
        stop = self._at
        while not taken and stop < len(self._waiting):
            self._at, stop = stop, min(stop + most_entries, len(self._waiting))
            waiting = self._waiting_at(self._at, stop)
            taken = [entry for entry in waiting if entry.refs]
        if self.arrived:
            self.arrived[:] = [e for e in self.arrived if e.refs and e.offset >= self.frontier]
            end = waiting[-1].offset if stop < len(self._waiting) else None
            taken += [e for e in self.arrived if end is None or e.offset <= end]
            taken.sort(key=_offset)
        if not taken:
            return None
        offsets = np.fromiter(map(_offset, taken), np.int64, len(taken))
        sizes = np.fromiter([entry.nbytes for entry in taken], np.int64, len(taken))
        sizes = np.maximum(sizes + 15 & ~15, 16)
        fit = max(1, int(np.searchsorted(np.cumsum(sizes), most_bytes, side="right")))
        taken, offsets, sizes = taken[:fit], offsets[:fit], sizes[:fit]
        self._at += bisect_right(waiting, taken[-1].offset, key=_offset)
        return self._move(taken, offsets, sizes)

    def _waiting_at(self, first: int, stop: int) -> list[Entry]:
        """Return some of those that wait. All at once would take half of the first step."""
        return [self._entries[at] for at in self._waiting[first:stop].tolist()]

    def _move(
        self, taken: list[Entry], offsets: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> Moves:
        """Move entries, which are all that lies between the first and the last, to the hole before."""
        page = self.page
        places = page.allocator.pack(offsets, sizes)
        low, high = int(offsets[0]), int(offsets[-1] + sizes[-1])
        starts, stops = (offsets - low) >> 4, (offsets + sizes - low) >> 4
        moved = offsets - places
        steps = np.zeros(((high - low) >> 4) + 1, np.int64)
        steps[starts] += moved
        steps[stops] -= moved
        shift = np.cumsum(steps)[:-1]
        # Whoever has not moved lies before all that have: holes only add up.
        first = int(np.searchsorted(moved, 0, side="right"))
        nbytes = int(sizes[first:].sum())
        if nbytes:
            items = page.data[: page.used].view("V16")
            source = np.flatnonzero(shift) + (low >> 4)
            start = int(places[first]) >> 4
            items[start : start + len(source)] = items[source]
            page.dirty.add(start << 2, (start + len(source)) << 2)
            for entry, place in zip(taken[first:], places[first:].tolist(), strict=True):
                entry.offset = place
            page.moves += 1
        self.frontier = int(places[-1] + sizes[-1])
        page.fit()
        return Moves(low, shift, nbytes)


def _follow(bucket: Bucket, moves: Moves) -> None:
    """Let header rows and records of a bucket point to where the data lie now.

    Where indices begin changes nothing that kernels have computed from them, so nothing is computed
    again.
    """
    width = bucket.schema.row_words
    if width:
        rows = bucket.headers.data[: bucket.headers.used].reshape(-1, width)
        in_words = Moves(moves.low >> 2, moves.shift >> 2, 0, 4)
        _shift(bucket.headers, rows, 0, in_words)
    if bucket.n_records:
        _shift(bucket.records, bucket.table(), INDEX_START, moves)


def _shift(words: Words, rows: NDArray[np.uint32], first: int, moves: Moves) -> None:
    """Renew the offsets in rows of words: word `first`, or every other word if that is word 0.

    A free row may hold anything, and nobody reads it.
    """
    width = rows.shape[1]
    held = rows[:, first::2] if first == 0 else rows[:, first, None]
    inside = (held >= moves.low) & (held < moves.low + moves.unit * len(moves.shift))
    at, columns = np.nonzero(inside)
    values = held[at, columns].astype(np.int64)
    shift = moves.shift[(values - moves.low) // moves.unit]
    some = shift > 0
    if some.any():
        at, columns = at[some], columns[some]
        held[at, columns] = values[some] - shift[some]
        words.dirty.add_rows(at * width + first + 2 * columns, 1)
