"""A page: words, who owns which of them, and what lies there by key."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from heapscene.adaptive import AVal
from heapscene.heap.allocator import Allocator
from heapscene.heap.words import Words
from heapscene.shader import types

if TYPE_CHECKING:
    from heapscene.heap.resident import Resident
    from heapscene.heap.shape import Shape

__all__ = ["Entry", "Page", "Part", "Piece"]


class Piece(NamedTuple):
    """Something that a draw needs on its page, before it has a place there.

    Equal keys share memory: ``(tag, bytes)`` of a constant, ``(tag, id(aval))`` of an adaptive
    value. ``follows`` is set if the heap writes later values of ``aval`` into the same place.
    """

    key: Hashable
    nbytes: int
    stride: int
    data: bytes | NDArray[Any] | Entry
    aval: AVal[Any] | None = None
    follows: Follows | None = None


class Follows(NamedTuple):
    """How later values of an adaptive input become bytes."""

    name: str
    type: types.Type
    rows: bool


class Entry:
    """A range of a page with its bytes, shared by `refs` holders."""

    __slots__ = ("aval", "follows", "key", "nbytes", "offset", "page", "refs", "users")

    def __init__(self, page: Page, piece: Piece, offset: int) -> None:
        self.page = page
        self.key = piece.key
        self.nbytes = piece.nbytes
        self.aval = piece.aval
        self.follows = piece.follows
        self.offset = offset
        self.refs = 0
        # Only rows may change their size: then all users have to point elsewhere.
        rows = piece.follows is not None and piece.follows.rows
        self.users: dict[Resident, None] | None = {} if rows else None

    def read(self) -> NDArray[Any]:
        """Return a copy of the words."""
        first = self.offset >> 2
        return self.page.data[first : first + (self.nbytes + 3 >> 2)].copy()


Fresh = list[tuple[Entry, "bytes | NDArray[Any] | Entry"]]
"""Entries that have a place, and the bytes that have yet to be written there."""


class Part:
    """A shape on a page: where its attributes and indices lie."""

    __slots__ = ("entries", "index_start", "page", "refs", "shape", "words")

    def __init__(self, page: Page, shape: Shape, entries: Sequence[Entry]) -> None:
        self.page = page
        self.shape = shape
        self.entries = entries
        self.refs = 0
        self.words: list[int] = []
        for entry, piece in zip(entries, shape.attributes, strict=False):
            self.words += (entry.offset >> 2, piece.stride)
        self.index_start = 0
        if shape.indices is not None:
            self.index_start = entries[-1].offset + shape.index_skip


class Page(Words):
    """Up to `limit_bytes` of GPU memory and a table of what lies there.

    Attributes
    ----------
    number
        Grows with every new page; buckets are drawn in this order.
    allocator
        Bytes handed out and free.
    """

    __slots__ = ("allocator", "entries", "number", "parts")

    def __init__(self, number: int, limit_bytes: int) -> None:
        super().__init__(1024, limit_bytes // 4)
        self.number = number
        self.allocator = Allocator(limit_bytes)
        self.entries: dict[Hashable, Entry] = {}
        self.parts: dict[Shape, Part] = {}
        self.resize(4)

    def __repr__(self) -> str:
        live, cursor = self.allocator.live_bytes, self.allocator.cursor
        return f"Page({self.number}: {live:,} of {cursor:,} bytes live)"

    def acquire(self, piece: Piece, fresh: Fresh) -> Entry | None:
        """Return the entry of a piece with one more holder, or ``None`` if there is no room.

        A new entry is appended to `fresh`; nothing is written yet.
        """
        entry = self.entries.get(piece.key)
        if entry is None:
            offset = self.allocator.allocate(piece.nbytes)
            if offset == 0:
                return None
            entry = Entry(self, piece, offset)
            self.entries[piece.key] = entry
            fresh.append((entry, piece.data))
        elif piece.aval is not None and piece.follows is None:
            fresh.append((entry, piece.data))
        entry.refs += 1
        return entry

    def release(self, entry: Entry) -> bool:
        """Drop one holder; return whether it was the last, whose memory is free now."""
        entry.refs -= 1
        if entry.refs:
            return False
        self.allocator.release(entry.offset)
        del self.entries[entry.key]
        return True

    def acquire_all(self, pieces: Sequence[Piece], fresh: Fresh) -> list[Entry] | None:
        """Return the entries of all pieces, or ``None`` and no change if one has no room."""
        entries: list[Entry] = []
        for piece in pieces:
            entry = self.acquire(piece, fresh)
            if entry is None:
                for taken in entries:
                    self.release(taken)
                return None
            entries.append(entry)
        return entries

    def fit(self) -> None:
        """Make the used words follow the allocator."""
        used = self.allocator.cursor >> 2
        if used != self.used:
            self.resize(used)
