"""A growable array of 32-bit words that remembers what changed in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.dirty import DirtyRanges

__all__ = ["Words"]

_GROWTH = 1.5  # by how much a full array grows at least
_MUCH = 8  # one word in so many is too few to keep the others
_KEPT = 1 << 18  # words that are always kept
_ROOM = 16  # one word in so many is left free when much comes at once


class Words:
    """The CPU side of one GPU buffer: pages, header rows and records are such arrays.

    Attributes
    ----------
    data
        ``(capacity,)`` uint32. Another array after growth, so do not keep it.
    used
        How many words at the front have a meaning. Words that become used are dirty.
    dirty
        What changed since the last drain, in words.
    """

    __slots__ = ("_bytes", "data", "dirty", "limit", "used")

    data: NDArray[np.uint32]
    used: int
    dirty: DirtyRanges

    def __init__(self, capacity: int = 256, limit: int | None = None) -> None:
        self.limit = limit
        self.used = 0
        self.dirty = DirtyRanges()
        self.data = np.zeros(capacity if limit is None else min(capacity, limit), np.uint32)
        self._bytes = _bytes_of(self.data)

    def resize(self, used: int) -> None:
        """Set how many words are used.

        Capacity grows by half, or to what is needed and a sixteenth, and to the limit from an eighth of it on:
        the system gives memory to zeros where something is written, whereas copies leave holes of tens
        of megabytes behind. Of a large array of which an eighth is used at most, all but twice that is
        given back.
        """
        if used <= len(self.data) // _MUCH and len(self.data) > _KEPT:
            self._move(max(_KEPT, 2 * used), min(used, self.used))
        elif used > len(self.data):
            capacity = max(int(_GROWTH * len(self.data)), used + used // _ROOM)
            if self.limit is not None:
                capacity = self.limit if used > self.limit // _MUCH else capacity
            self._move(capacity, len(self.data))
        if used > self.used:
            self.dirty.add(self.used, used)
        self.used = used

    def _move(self, capacity: int, kept: int) -> None:
        data = np.zeros(capacity, np.uint32)
        data[:kept] = self.data[:kept]
        self.data = data
        self._bytes = _bytes_of(data)

    def read(self, offset: int, words: int) -> bytes:
        """Return the bytes of `words` words from `offset` on."""
        return self._bytes[offset * 4 : (offset + words) * 4].tobytes()

    def write(self, offset: int, data: bytes | NDArray[Any]) -> bool:
        """Write ``data`` from word ``offset`` on, inside the used part.

        Parameters
        ----------
        data
            A whole number of words: bytes, or an array of 32-bit numbers.

        Returns
        -------
        bool
            Whether any byte differed. Only then something becomes dirty.
        """
        if isinstance(data, bytes) and len(data) <= 256:
            start = offset * 4
            stop = start + len(data)
            if self._bytes[start:stop].tobytes() == data:
                return False
            self._bytes[start:stop] = data
            self.dirty.add(offset, stop >> 2)
            return True
        if isinstance(data, bytes):
            new = np.frombuffer(data, np.uint32)
        else:
            new = np.ascontiguousarray(data).reshape(-1).view(np.uint32)
        old = self.data[offset : offset + len(new)]
        changed = old != new
        first = int(changed.argmax()) if len(new) else 0
        if not len(new) or not changed[first]:
            return False
        last = len(new) - int(changed[::-1].argmax())
        old[first:last] = new[first:last]
        self.dirty.add(offset + first, offset + last)
        return True


def _bytes_of(data: NDArray[np.uint32]) -> memoryview:
    return memoryview(data).cast("B")  # pyright: ignore[reportArgumentType]
