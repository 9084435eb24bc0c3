"""Which words changed since somebody last asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["DirtyRanges"]

_PENDING = 4096


class DirtyRanges:
    """Half-open ranges of words, noted as they come and merged when they are drained.

    Noting a range is on the path of every changed value, draining happens once a frame: so the
    sorting is left to the drain.
    """

    __slots__ = ("_count", "_limit", "_ranges", "_rows", "_start", "_stop")

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._rows: list[NDArray[np.int64]] = []  # (n, 2) each
        self._count = 0  # ranges in `_rows`
        self._limit = _PENDING
        self._start = self._stop = 0

    def __bool__(self) -> bool:
        return self._stop > self._start or bool(self._ranges) or bool(self._rows)

    def add(self, start: int, stop: int) -> None:
        """Note that the words ``start`` to ``stop`` (exclusive) changed."""
        if stop <= start:
            return
        if self._start <= start <= self._stop:
            self._stop = max(self._stop, stop)
            return
        if self._stop > self._start:
            self._ranges.append((self._start, self._stop))
        self._start, self._stop = start, stop
        if len(self._ranges) >= self._limit:
            self._ranges = _pairs(_merged(np.array(self._ranges, np.int64), 0))
            self._limit = max(_PENDING, 2 * len(self._ranges))

    def add_rows(self, starts: NDArray[np.integer], length: int) -> None:
        """Note that ``length`` words changed from each of ``starts`` on, in any order.

        Parameters
        ----------
        starts
            ``(n,)`` words; copied.
        """
        if len(starts) == 0 or length <= 0:
            return
        ranges = np.zeros((len(starts), 2), np.int64)
        ranges[:, 0] = starts
        ranges[:, 1] = ranges[:, 0] + length
        self._rows.append(ranges)
        self._count += len(ranges)
        if self._count >= self._limit:
            merged = _merged(np.concatenate(self._rows), 0)
            self._rows = [merged]
            self._count = len(merged)
            self._limit = max(_PENDING, 2 * len(merged))

    def peek(self) -> list[tuple[int, int]]:
        """Return the exact ranges, disjoint and ascending, and keep them."""
        return _pairs(self._exact())

    def drain(self, *, gap: int = 64, most: int = 256) -> list[tuple[int, int]]:
        """Return disjoint ascending ranges that cover what changed, and forget them.

        Parameters
        ----------
        gap
            Ranges with at most so many unchanged words between them become one.
        most
            With more ranges than this, those with the smallest gaps between them become one.
        """
        ranges = _merged(self._exact(), gap)
        self._ranges = []
        self._rows = []
        self._count = 0
        self._limit = _PENDING
        self._start = self._stop = 0
        if len(ranges) <= most:
            return _pairs(ranges)
        gaps = ranges[1:, 0] - ranges[:-1, 1]
        cuts = np.sort(np.argsort(-gaps, kind="stable")[: most - 1])
        starts = np.concatenate([ranges[:1, 0], ranges[cuts + 1, 0]])
        stops = np.concatenate([ranges[cuts, 1], ranges[-1:, 1]])
        return _pairs(np.stack([starts, stops], axis=1))

    def _exact(self) -> NDArray[np.int64]:
        last = [(self._start, self._stop)] if self._stop > self._start else []
        single = np.array(self._ranges + last, np.int64).reshape(-1, 2)
        return _merged(np.concatenate([*self._rows, single]), 0)


def _pairs(ranges: NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(ranges[:, 0].tolist(), ranges[:, 1].tolist(), strict=True))


def _merged(ranges: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
    if len(ranges) < 2:
        return ranges
    array = ranges
    if (array[1:, 0] < array[:-1, 0]).any():
        array = array[np.argsort(array[:, 0], kind="stable")]
    ends = np.maximum.accumulate(array[:, 1])
    breaks = np.flatnonzero(array[1:, 0] > ends[:-1] + gap)
    starts = array[np.concatenate([[0], breaks + 1]), 0]
    stops = ends[np.concatenate([breaks, [len(ends) - 1]])]
    return np.stack([starts, stops], axis=1)
