"""Which words changed since somebody last asked."""

from __future__ import annotations

from array import array
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Comb", "DirtyRanges"]

_PENDING = 1 << 14
_COMBS = 64


Comb: TypeAlias = tuple[int, int, int]
"""Single words at equal distances: the first, how many, and the distance."""


class DirtyRanges:
    """Half-open ranges of words, noted as they come and merged when they are drained.

    Noting a range is on the path of every changed value, draining happens once a frame: so the
    sorting is left to the drain. Only what changed is kept: which gaps are cheaper to send than
    to skip is a question of the GPU.
    """

    __slots__ = ("_bounds", "_combs", "_count", "_limit", "_note", "_rows")

    def __init__(self) -> None:
        self._bounds = array("q")  # start, stop, start, stop, ...
        self._note = self._bounds.append
        self._rows: list[NDArray[np.int64]] = []  # (n, 2) each
        self._combs: list[Comb] = []
        self._count = 0  # ranges in `_rows`
        self._limit = _PENDING

    def __bool__(self) -> bool:
        return bool(self._bounds) or bool(self._rows) or bool(self._combs)

    def add(self, start: int, stop: int) -> None:
        """Note that the words ``start`` to ``stop`` (exclusive) changed."""
        if stop > start:
            self._note(start)
            self._note(stop)
            if len(self._bounds) >= 2 * self._limit:
                self._compact()

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
            self._compact()

    def add_comb(self, start: int, count: int, stride: int) -> None:
        """Note that ``count`` words changed, one every ``stride``."""
        if count > 0:
            self._combs.append((start, count, stride))
            if len(self._combs) > _COMBS:
                self._compact()

    def take_combs(self) -> list[Comb]:
        """Return the combs, and forget them; what is not taken is drained with what lies between."""
        combs, self._combs = self._combs, []
        return combs

    def drain(self) -> NDArray[np.int64]:
        """Return what changed, exactly (apart from combs), and forget it.

        Returns
        -------
        numpy.ndarray
            ``(n, 2)``: start and stop in words, ascending, disjoint, never touching each other.
        """
        for start, count, stride in self.take_combs():
            self.add(start, start + (count - 1) * stride + 1)
        ranges = np.array(self._bounds, np.int64).reshape(-1, 2)
        if self._rows:
            ranges = np.concatenate([*self._rows, ranges])
        del self._bounds[:]
        self._rows = []
        self._count = 0
        self._limit = _PENDING
        return _merge(ranges)

    def _compact(self) -> None:
        """Merge what nobody has asked for yet, so that it does not pile up."""
        merged = self.drain()
        self._rows = [merged]
        self._count = len(merged)
        self._limit = max(_PENDING, 2 * len(merged))


def _merge(ranges: NDArray[np.int64]) -> NDArray[np.int64]:
    if len(ranges) < 2:
        return ranges
    starts, stops = ranges[:, 0], ranges[:, 1]
    if (starts[1:] < starts[:-1]).any():
        order = np.argsort(starts)
        starts, stops = starts[order], stops[order]
    ends = np.maximum.accumulate(stops)
    breaks = np.flatnonzero(starts[1:] > ends[:-1])
    result = np.zeros((len(breaks) + 1, 2), np.int64)
    result[0, 0] = starts[0]
    result[1:, 0] = starts[breaks + 1]
    result[:-1, 1] = ends[breaks]
    result[-1, 1] = ends[-1]
    return result
