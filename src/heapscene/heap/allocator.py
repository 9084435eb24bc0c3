"""Who owns which bytes of a page."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

__all__ = ["Allocator"]


class Allocator:
    """Hands out 16-byte-aligned ranges below a limit; offset 0 is reserved as null.

    The smallest free block that is large enough is taken, the one freed first among equals;
    without one, the cursor moves up. Free neighbours merge, and a free block at the end moves
    the cursor down, so that whoever gives everything back gets the initial state.

    Attributes
    ----------
    limit, cursor, live_bytes
        Bytes that may be used, that are spanned now, and that are handed out.
    """

    __slots__ = ("_by_size", "_ends", "_free", "_live", "_sizes", "cursor", "limit", "live_bytes")

    def __init__(self, limit: int) -> None:
        self.limit = limit & ~15
        self.cursor = 16
        self.live_bytes = 0
        self._live: dict[int, int] = {}
        self._free: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._by_size: dict[int, dict[int, None]] = {}
        self._sizes: list[int] = []

    def allocate(self, nbytes: int) -> int:
        """Return the offset of a new range, or 0 if there is no room for it."""
        size = max(16, (nbytes + 15) & ~15)
        offset = self._take(size)
        if offset == 0:
            offset = self.cursor
            if offset + size > self.limit:
                return 0
            self.cursor = offset + size
        self._live[offset] = size
        self.live_bytes += size
        return offset

    def allocate_many(self, nbytes: int, count: int) -> list[int]:
        """Return the offsets of `count` ranges of one size, for which there is room at the end.

        Free blocks are taken first; what lies at the end lies without gaps, in order.
        """
        size = max(16, (nbytes + 15) & ~15)
        offsets: list[int] = []
        while len(offsets) < count and (offset := self._take(size)):
            offsets.append(offset)
        start = self.cursor
        self.cursor += size * (count - len(offsets))
        assert self.cursor <= self.limit
        offsets.extend(range(start, self.cursor, size))
        self._live.update(dict.fromkeys(offsets, size))
        self.live_bytes += size * count
        return offsets

    @property
    def waste(self) -> int:
        """Free bytes below the cursor."""
        return self.cursor - 16 - self.live_bytes

    def first_hole(self) -> int:
        """Return the offset of the first free block, or the cursor."""
        return min(self._free, default=self.cursor)

    def pack(self, offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let ranges follow each other from the end of what lies before them.

        Parameters
        ----------
        offsets, sizes
            ``(n,)`` bytes, ascending: all ranges that are handed out from the first to the last.

        Returns
        -------
        numpy.ndarray
            ``(n,)`` where they lie now; what they left is free.
        """
        stop = int(offsets[-1] + sizes[-1])
        low = self._ends.get(int(offsets[0]), int(offsets[0]))
        before = np.concatenate([[low], (offsets + sizes)[:-1]])
        for hole in before[before < offsets].tolist():
            self._remove(hole)
        places = low + np.cumsum(sizes) - sizes
        self._moved(offsets, sizes, places)
        end = int(places[-1] + sizes[-1])
        if end < stop:
            size = stop - end
            if stop in self._free:
                size += self._remove(stop)
            if end + size == self.cursor:
                self.cursor = end
            else:
                self._insert(end, size)
        return places

    def _moved(
        self, offsets: NDArray[np.int64], sizes: NDArray[np.int64], places: NDArray[np.int64]
    ) -> None:
        for offset in offsets.tolist():
            del self._live[offset]
        self._live.update(zip(places.tolist(), sizes.tolist(), strict=True))

    def release(self, offset: int) -> None:
        """Give a range back.

        Raises
        ------
        ValueError
            No range that is handed out begins at ``offset``.
        """
        size = self._live.pop(offset, 0)
        if size == 0:
            raise ValueError(f"offset {offset} is not allocated: released twice, or never given")
        self.live_bytes -= size
        before = self._ends.get(offset)
        if before is not None:
            size += self._remove(before)
            offset = before
        if offset + size in self._free:
            size += self._remove(offset + size)
        if offset + size == self.cursor:
            self.cursor = offset
        else:
            self._insert(offset, size)

    def check(self) -> None:
        """Raise an :class:`AssertionError` unless blocks tile the used part and all books agree."""
        blocks = sorted([*self._live.items(), *self._free.items()])
        at = 16
        for offset, size in blocks:
            assert offset == at, f"gap or overlap at {at}: next block begins at {offset}"
            assert size > 0
            assert size % 16 == 0
            at += size
        assert at == self.cursor <= self.limit, (at, self.cursor, self.limit)
        assert self.live_bytes == sum(self._live.values())
        assert self._ends == {offset + size: offset for offset, size in self._free.items()}
        assert self._sizes == sorted(set(self._free.values()))
        listed = {offset: size for size, offsets in self._by_size.items() for offset in offsets}
        assert listed == self._free
        assert self.cursor not in self._ends, "a free block at the end was not reclaimed"
        assert not any(offset in self._ends for offset in self._free), "free neighbours"

    def _take(self, size: int) -> int:
        at = bisect_left(self._sizes, size)
        if at == len(self._sizes):
            return 0
        found = self._sizes[at]
        offset = next(iter(self._by_size[found]))
        self._remove(offset)
        if found > size:
            self._insert(offset + size, found - size)
        return offset

    def _insert(self, offset: int, size: int) -> None:
        self._free[offset] = size
        self._ends[offset + size] = offset
        offsets = self._by_size.get(size)
        if offsets is None:
            self._by_size[size] = {offset: None}
            insort(self._sizes, size)
        else:
            offsets[offset] = None

    def _remove(self, offset: int) -> int:
        size = self._free.pop(offset)
        del self._ends[offset + size]
        offsets = self._by_size[size]
        del offsets[offset]
        if not offsets:
            del self._by_size[size]
            del self._sizes[bisect_left(self._sizes, size)]
        return size
