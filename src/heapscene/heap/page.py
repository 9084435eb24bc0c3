"""A page: words, who owns which of them, and what lies there by key."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, OwnEdge
from heapscene.heap.allocator import Allocator
from heapscene.heap.words import Words
from heapscene.shader import types

if TYPE_CHECKING:
    from heapscene.heap.resident import Resident
    from heapscene.heap.shape import Shape

__all__ = [
    "Column",
    "Entry",
    "Page",
    "Part",
    "Piece",
    "follow_key",
    "write_runs",
    "write_scattered",
]


class Piece(NamedTuple):
    """Something that a draw needs on its page, before it has a place there.

    Equal keys share memory: ``(tag, bytes)`` of a constant, :func:`follow_key` of an adaptive
    value. ``follows`` is set if the heap writes later values of ``aval`` into the same place.
    """

    key: Hashable
    nbytes: int
    stride: int
    data: bytes | NDArray[Any] | Entry
    aval: AVal[Any] | None = None
    follows: Follows | None = None


class Follows(NamedTuple):
    """How later values of an adaptive input become bytes; `number` stands for the type."""

    name: str
    type: types.Type
    rows: bool
    number: int


class Column(NamedTuple):
    """What one input of many draws holds: one piece for all, or `rows` with a value per draw.

    `rows` are ``(draws, words)``; with `follows`, they come from `avals`.
    """

    piece: Piece | None
    tag: str = ""
    rows: NDArray[np.uint32] | None = None
    avals: Sequence[AVal[Any]] | None = None
    follows: Follows | None = None


class Entry(OwnEdge):
    """A range of a page with its bytes, shared by `refs` holders."""

    __slots__ = ("aval", "follows", "key", "nbytes", "offset", "page", "refs", "users")

    users: dict[Resident, None] | None

    def __init__(
        self,
        page: Page,
        key: Hashable,
        nbytes: int,
        offset: int,
        aval: AVal[Any] | None,
        follows: Follows | None,
    ) -> None:
        self.page = page
        self.key = key
        self.nbytes = nbytes
        self.aval = aval
        self.follows = follows
        self.offset = offset
        self.refs = 0
        # Only rows may change their size: then all users have to point elsewhere.
        self.users = {} if follows is not None and follows.rows else None

    def read(self) -> NDArray[Any]:
        """Return a copy of the words."""
        first = self.offset >> 2
        return self.page.data[first : first + (self.nbytes + 3 >> 2)].copy()


Fresh = list[tuple[Entry, "bytes | NDArray[Any] | Entry"]]
"""Entries that have a place, and the bytes that have yet to be written there."""


class Part:
    """A shape on a page: where its attributes and indices lie."""

    __slots__ = ("_index_start", "_moves", "_words", "entries", "page", "refs", "shape")

    def __init__(self, page: Page, shape: Shape, entries: Sequence[Entry]) -> None:
        self.page = page
        self.shape = shape
        self.entries = entries
        self.refs = 0
        self._locate()

    @property
    def words(self) -> list[int]:
        """Base and stride of each attribute, as they begin a header row; not to be changed."""
        if self._moves != self.page.moves:
            self._locate()
        return self._words

    @property
    def index_start(self) -> int:
        """Byte of the first index to draw; 0 without indices."""
        if self._moves != self.page.moves:
            self._locate()
        return self._index_start

    def _locate(self) -> None:
        self._moves = self.page.moves
        self._words: list[int] = []
        for entry, piece in zip(self.entries, self.shape.attributes, strict=False):
            self._words += (entry.offset >> 2, piece.stride)
        self._index_start = 0
        if self.shape.indices is not None:
            self._index_start = self.entries[-1].offset + self.shape.index_skip


class Page(Words):
    """Up to `limit_bytes` of GPU memory and a table of what lies there.

    Attributes
    ----------
    number
        Grows with every new page; buckets are drawn in this order.
    allocator
        Bytes handed out and free.
    moves
        Changes whenever entries have got other offsets.
    arrived
        Gets new entries, while somebody wants to know of them.
    """

    __slots__ = ("allocator", "arrived", "entries", "moves", "number", "parts")

    def __init__(self, number: int, limit_bytes: int) -> None:
        super().__init__(1024, limit_bytes // 4)
        self.number = number
        self.moves = 0
        self.arrived: list[Entry] | None = None
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
            entry = Entry(self, piece.key, piece.nbytes, offset, piece.aval, piece.follows)
            self.entries[piece.key] = entry
            if self.arrived is not None:
                self.arrived.append(entry)
            fresh.append((entry, piece.data))
        elif piece.aval is not None and piece.follows is None:
            fresh.append((entry, piece.data))
        entry.refs += 1
        return entry

    def acquire_column(
        self, column: Column, start: int, stop: int
    ) -> tuple[list[Entry], list[Entry]]:
        """Return the entries of a column's draws, each with one more holder, and the new ones.

        There has to be room for all. New entries are written.
        """
        assert column.rows is not None
        rows = column.rows[start:stop]
        nbytes = rows.shape[1] * 4
        entries, follows = self.entries, column.follows
        avals: Iterable[Any] = repeat(None)
        keys: Iterable[Hashable]
        if column.avals is not None and follows is not None:
            avals = column.avals[start:stop]
            keys = [follow_key(follows, aval) for aval in avals]
        else:
            data = rows.tobytes()
            keys = [(column.tag, data[at : at + nbytes]) for at in range(0, len(data), nbytes)]
        held: list[Entry] = []
        new: list[Entry] = []
        new_at: list[int] = []
        for at, (key, aval) in enumerate(zip(keys, avals, strict=False)):
            entry = entries.get(key)
            if entry is None:
                entry = entries[key] = Entry(self, key, nbytes, 0, aval, follows)
                new.append(entry)
                new_at.append(at)
            entry.refs += 1
            held.append(entry)
        offsets = self.allocator.allocate_many(nbytes, len(new))
        for entry, offset in zip(new, offsets, strict=True):
            entry.offset = offset
        if self.arrived is not None:
            self.arrived += new
        self.fit()
        if len(new) < len(held):
            rows = rows[new_at]
        padded = np.zeros((len(new), max(16, nbytes + 15 & ~15) >> 2), np.uint32)
        padded[:, : rows.shape[1]] = rows
        write_runs(self, np.array(offsets, np.int64) >> 2, padded)
        return held, new

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


def follow_key(follows: Follows, aval: AVal[Any]) -> int:
    """Return the key of single values of `aval`: one small object, as there are so many of them."""
    return id(aval) << 8 | follows.number


def write_runs(words: Words, at: NDArray[np.int64], rows: NDArray[np.uint32]) -> None:
    """Write rows to word offsets; those that follow each other are one write."""
    breaks = np.flatnonzero(np.diff(at) != rows.shape[1]) + 1
    starts = [0, *breaks.tolist()]
    for start, stop in zip(starts, [*starts[1:], len(at)], strict=True):
        if stop > start:
            words.write(int(at[start]), rows[start:stop])


def write_scattered(words: Words, at: NDArray[np.int64], rows: NDArray[np.uint32]) -> bool:
    """Write rows of equal length to word offsets, all different; return whether any differed."""
    places = at[:, None] + np.arange(rows.shape[1])
    differs = (words.data[places] != rows).any(axis=1)
    if not differs.any():
        return False
    words.data[places[differs]] = rows[differs]
    words.dirty.add_rows(at[differs], rows.shape[1])
    return True
