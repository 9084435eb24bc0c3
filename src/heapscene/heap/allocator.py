"""Who owns which bytes of a page."""

from __future__ import annotations

import mmap
from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

__all__ = ["Allocator"]

_LARGE = 16 * 2**20


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

    __slots__ = ("_by_size", "_ends", "_free", "_sizes", "_starts", "cursor", "limit", "live_bytes")

    def __init__(self, limit: int) -> None:
        self.limit = limit & ~15
        self.cursor = 16
        self.live_bytes = 0
        # A byte per 16: 1 where a block begins, handed out or free. It is as long as the next one, so
        # no size is kept for what is handed out, of which there is a lot.
        self._starts = _marks(self.limit)
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
            self._reach()
            self._starts[offset >> 4] = 1
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
        if self.cursor > start:
            self._reach()
            self._starts[start >> 4 : self.cursor >> 4 : size >> 4] = b"\1" * (
                (self.cursor - start) // size
            )
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
        end = int(places[-1] + sizes[-1])
        starts = self.marks()
        starts[low >> 4 : stop >> 4] = 0
        starts[places >> 4] = 1
        if end < stop:
            size = stop - end
            if stop in self._free:
                size += self._remove(stop)
                starts[stop >> 4] = 0
            if end + size == self.cursor:
                self.cursor = end
            else:
                starts[end >> 4] = 1
                self._insert(end, size)
        return places

    def release(self, offset: int) -> None:
        """Give a range back.

        Raises
        ------
        ValueError
            No range that is handed out begins at ``offset``.
        """
        is_start = offset & 15 == 0 and 0 <= offset < self.cursor and self._starts[offset >> 4]
        if not is_start or offset in self._free:
            raise ValueError(f"offset {offset} is not allocated: released twice, or never given")
        size = self._size(offset)
        self.live_bytes -= size
        before = self._ends.get(offset)
        if before is not None:
            size += self._remove(before)
            self._starts[offset >> 4] = 0
            offset = before
        if offset + size in self._free:
            self._starts[offset + size >> 4] = 0
            size += self._remove(offset + size)
        if offset + size == self.cursor:
            self.cursor = offset
            self._starts[offset >> 4] = 0
        else:
            self._insert(offset, size)

    def marks(self) -> NDArray[np.uint8]:
        """Return a byte per 16: 1 where a block begins; nobody may keep it."""
        return np.frombuffer(self._starts, np.uint8)

    def live(self) -> dict[int, int]:
        """Return the size of every range that is handed out, by its offset; for tests."""
        starts = (16 * np.flatnonzero(self.marks())).tolist()
        return {offset: self._size(offset) for offset in starts if offset not in self._free}

    def check(self) -> None:
        """Raise an :class:`AssertionError` unless blocks tile the used part and all books agree."""
        live = self.live()
        at = 16
        for offset, size in sorted([*live.items(), *self._free.items()]):
            assert offset == at, f"gap or overlap at {at}: next block begins at {offset}"
            assert size > 0
            assert size % 16 == 0
            at += size
        assert at == self.cursor <= self.limit, (at, self.cursor, self.limit)
        assert self.live_bytes == sum(live.values())
        assert not self.marks()[self.cursor >> 4 :].any()
        assert self._ends == {offset + size: offset for offset, size in self._free.items()}
        assert self._sizes == sorted(set(self._free.values()))
        listed = {offset: size for size, offsets in self._by_size.items() for offset in offsets}
        assert listed == self._free
        assert self.cursor not in self._ends, "a free block at the end was not reclaimed"
        assert not any(offset in self._ends for offset in self._free), "free neighbours"

    def _size(self, offset: int) -> int:
        """Return the size of the block that begins at `offset`."""
        after = self._starts.find(b"\1", (offset >> 4) + 1)
        return (self.cursor if after < 0 else after << 4) - offset

    def _reach(self) -> None:
        """Have room to note starts up to the cursor."""
        missing = (self.cursor >> 4) - len(self._starts)
        if missing > 0:
            assert isinstance(self._starts, bytearray)
            self._starts.extend(bytes(missing))

    def _take(self, size: int) -> int:
        at = bisect_left(self._sizes, size)
        if at == len(self._sizes):
            return 0
        found = self._sizes[at]
        offset = next(iter(self._by_size[found]))
        self._remove(offset)
        if found > size:
            self._starts[offset + size >> 4] = 1
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


def _marks(limit: int) -> bytearray | mmap.mmap:
    """Return marks, all 0: one, to be extended, or all that a large page may need.

    The system gives those memory where one is set: little, if what is allocated is large.
    """
    if limit < _LARGE or not hasattr(mmap, "MAP_PRIVATE"):
        return bytearray(1)
    return mmap.mmap(-1, limit >> 4, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
