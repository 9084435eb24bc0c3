"""A page: words, who owns which of them, and what lies there by key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

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
    "RowsEntry",
    "write_runs",
    "write_scattered",
]


class Piece(NamedTuple):
    """Something that a draw needs on its page, before it has a place there.

    Equal keys share memory: ``(tag, bytes)`` of a constant, the value itself where it is adaptive and
    single. ``follows`` is set if the heap writes later values of ``aval`` into the same place.
    """

    key: Hashable
    nbytes: int
    stride: int
    data: bytes | NDArray[Any] | Entry
    aval: AVal[Any] | None = None
    follows: Follows | None = None

    @property
    def book(self) -> int:
        """Which of a page's books has the key."""
        return 0 if self.follows is None else self.follows.book


class Follows(NamedTuple):
    """How later values of an adaptive input become bytes; a `book` of a page has those of one type."""

    name: str
    type: types.Type
    rows: bool
    book: int
    limits: tuple[float, float] | None = None
    is_place: bool = False


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
    """A range of a page with its bytes, shared by `refs` holders.

    There is one for each value of each draw, so it has no field that it can do without.
    """

    __slots__ = ("follows", "key", "nbytes", "offset", "page", "refs")

    users: ClassVar[dict[Resident, None] | None] = None
    """Who has to point elsewhere if the size changes: only rows may."""

    def __init__(
        self, page: Page, key: Any, nbytes: int, offset: int, follows: Follows | None
    ) -> None:
        self.page = page
        self.key = key
        self.nbytes = nbytes
        self.follows = follows
        self.offset = offset
        self.refs = 0

    @property
    def aval(self) -> AVal[Any] | None:
        """The value that is followed."""
        return None if self.follows is None else self.key

    def read(self) -> NDArray[Any]:
        """Return a copy of the words."""
        first = self.offset >> 2
        return self.page.data[first : first + (self.nbytes + 3 >> 2)].copy()


class RowsEntry(Entry):
    """Rows of an adaptive value, per instance."""

    __slots__ = ("_aval", "users")

    def __init__(
        self, page: Page, key: Any, nbytes: int, offset: int, follows: Follows, aval: AVal[Any]
    ) -> None:
        super().__init__(page, key, nbytes, offset, follows)
        self._aval = aval
        self.users: dict[Resident, None] = {}  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def aval(self) -> AVal[Any]:
        """The value that is followed."""
        return self._aval


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
    books
        Entries by key: single adaptive values in one book per type, all others in book 0.
    moves
        Changes whenever entries have got other offsets.
    arrived
        Gets new entries, while somebody wants to know of them.
    """

    __slots__ = ("allocator", "arrived", "books", "moves", "number", "parts")

    def __init__(self, number: int, limit_bytes: int) -> None:
        super().__init__(1024, limit_bytes // 4)
        self.number = number
        self.moves = 0
        self.arrived: list[Entry] | None = None
        self.allocator = Allocator(limit_bytes)
        self.books: defaultdict[int, dict[Any, Entry]] = defaultdict(dict)
        self.parts: dict[Shape, Part] = {}
        self.resize(4)

    def __repr__(self) -> str:
        live, cursor = self.allocator.live_bytes, self.allocator.cursor
        return f"Page({self.number}: {live:,} of {cursor:,} bytes live)"

    @property
    def entries(self) -> list[Entry]:
        """All that lies here."""
        return [entry for book in self.books.values() for entry in book.values()]

    @property
    def n_entries(self) -> int:
        """How many entries lie here."""
        return sum(map(len, self.books.values()))

    @property
    def is_empty(self) -> bool:
        """Whether nobody has anything here, not even a shape without arrays."""
        return not self.parts and not any(self.books.values())

    def acquire(self, piece: Piece, fresh: Fresh) -> Entry | None:
        """Return the entry of a piece with one more holder, or ``None`` if there is no room.

        A new entry is appended to `fresh`; nothing is written yet.
        """
        key, nbytes, follows = piece.key, piece.nbytes, piece.follows
        book = self.books[piece.book]
        entry = book.get(key)
        if entry is None:
            offset = self.allocator.allocate(nbytes)
            if offset == 0:
                return None
            if follows is not None and follows.rows:
                assert piece.aval is not None
                entry = RowsEntry(self, key, nbytes, offset, follows, piece.aval)
            else:
                entry = Entry(self, key, nbytes, offset, follows)
            book[key] = entry
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
        follows = column.follows
        keys: Sequence[Any]
        if column.avals is not None and follows is not None:
            book = self.books[follows.book]
            keys = column.avals[start:stop]
        else:
            book = self.books[0]
            data = rows.tobytes()
            keys = [(column.tag, data[at : at + nbytes]) for at in range(0, len(data), nbytes)]
        held: list[Entry] = []
        new: list[Entry] = []
        new_at: list[int] = []
        for at, key in enumerate(keys):
            entry = book.get(key)
            if entry is None:
                entry = book[key] = Entry(self, key, nbytes, 0, follows)
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
        del self.books[0 if entry.follows is None else entry.follows.book][entry.key]
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
