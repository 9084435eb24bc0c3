"""Which words changed since somebody last asked."""

from __future__ import annotations

import numpy as np

__all__ = ["DirtyRanges"]

_PENDING = 4096


class DirtyRanges:
    """Half-open ranges of words, noted as they come and merged when they are drained.

    Noting a range is on the path of every changed value, draining happens once a frame: so the
    sorting is left to the drain.
    """

    __slots__ = ("_limit", "_ranges", "_start", "_stop")

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._limit = _PENDING
        self._start = self._stop = 0

    def __bool__(self) -> bool:
        return self._stop > self._start or bool(self._ranges)

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
            self._ranges = _merge(self._ranges, 0)
            self._limit = max(_PENDING, 2 * len(self._ranges))

    def peek(self) -> list[tuple[int, int]]:
        """Return the exact ranges, disjoint and ascending, and keep them."""
        last = [(self._start, self._stop)] if self._stop > self._start else []
        return _merge(self._ranges + last, 0)

    def drain(self, *, gap: int = 64, most: int = 256) -> list[tuple[int, int]]:
        """Return disjoint ascending ranges that cover what changed, and forget them.

        Parameters
        ----------
        gap
            Ranges with at most so many unchanged words between them become one.
        most
            With more ranges than this, those with the smallest gaps between them become one.
        """
        exact = self.peek()
        self._ranges = []
        self._limit = _PENDING
        self._start = self._stop = 0
        ranges = _merge(exact, gap)
        if len(ranges) <= most:
            return ranges
        array = np.array(ranges, dtype=np.int64)
        gaps = array[1:, 0] - array[:-1, 1]
        cuts = np.sort(np.argsort(-gaps, kind="stable")[: most - 1])
        starts = np.concatenate([array[:1, 0], array[cuts + 1, 0]])
        stops = np.concatenate([array[cuts, 1], array[-1:, 1]])
        return list(zip(starts.tolist(), stops.tolist(), strict=True))


def _merge(ranges: list[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    if len(ranges) < 2:
        return list(ranges)
    array = np.array(ranges, dtype=np.int64)
    array = array[np.argsort(array[:, 0], kind="stable")]
    ends = np.maximum.accumulate(array[:, 1])
    breaks = np.flatnonzero(array[1:, 0] > ends[:-1] + gap)
    starts = array[np.concatenate([[0], breaks + 1]), 0]
    stops = ends[np.concatenate([breaks, [len(ends) - 1]])]
    return list(zip(starts.tolist(), stops.tolist(), strict=True))
