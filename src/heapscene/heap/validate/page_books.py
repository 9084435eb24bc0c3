"""Who owns which bytes of a page, and what has to hold for the numbers there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.chunk import Chunk
from heapscene.heap.page import Entry, Page, Part
from heapscene.heap.resident import Resident
from heapscene.heap.schema import HeaderField
from heapscene.heap.validate.bucket_books import BucketBooks
from heapscene.shader import types

__all__ = ["PageBooks", "Ranges", "page_books"]

_MATRICES = (types.MAT2, types.MAT3, types.MAT4)


class Ranges(NamedTuple):
    """Ranges of words, ascending and disjoint, with a name and an owner each."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    names: list[str]
    owners: NDArray[np.int64]

    def find(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the range in which each word lies, or -1."""
        if not len(self.starts):
            return np.full(len(words), -1)
        at = np.searchsorted(self.starts, words, side="right") - 1
        return np.where((at >= 0) & (words < self.stops[at]), at, -1)


class PageBooks(NamedTuple):
    """What lies on a page.

    Attributes
    ----------
    live
        Words that somebody reads: one range per allocation, but for the padding behind it.
    finite
        Those of them that have to be finite numbers: positions and matrices of what is drawn.
    parts
        Geometries, and the place in ``order()`` of a draw that uses each.
    """

    page: Page
    live: Ranges
    finite: Ranges
    parts: list[tuple[Part, int]]


class _Spans:
    """Ranges as they are noted, in any order."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.stops: list[int] = []
        self.names: list[str] = []
        self.owners: list[int] = []

    def add(self, first: int, stop: int, name: str, owner: int) -> None:
        if stop > first:
            self.starts.append(first)
            self.stops.append(stop)
            self.names.append(name)
            self.owners.append(owner)

    def add_all(self, starts: list[int], stops: list[int], name: str, owner: int) -> None:
        self.starts += starts
        self.stops += stops
        self.names += [name] * len(starts)
        self.owners += [owner] * len(starts)

    def merged(self) -> Ranges:
        """Return the ranges in order; those that overlap become one."""
        order = np.argsort(np.array(self.starts, np.int64), kind="stable")
        starts = np.array(self.starts, np.int64)[order]
        owners = np.array(self.owners, np.int64)[order]
        if not len(order):
            return Ranges(starts, starts, [], owners)
        ends = np.maximum.accumulate(np.array(self.stops, np.int64)[order])
        firsts = np.concatenate([[0], np.flatnonzero(starts[1:] >= ends[:-1]) + 1])
        lasts = np.concatenate([firsts[1:] - 1, [len(starts) - 1]])
        names = [self.names[k] for k in order[firsts].tolist()]
        return Ranges(starts[firsts], ends[lasts], names, owners[firsts])


class _Collector:
    def __init__(self) -> None:
        self.entries: set[Entry] = set()
        self.live = _Spans()
        self.finite = _Spans()
        self.parts: dict[Part, int] = {}
        self._drawn: set[Part] = set()

    def part(self, part: Part, fields: Sequence[HeaderField], place: int, *, drawn: bool) -> None:
        if part not in self.parts:
            self.parts[part] = place
            names = [field.name for field in fields]
            if part.shape.indices is not None:
                names.append("indices")
            for entry, name in zip(part.entries, names, strict=False):
                self._hold(entry, name, place)
        if not drawn or part in self._drawn:
            return
        self._drawn.add(part)
        shape = part.shape
        for entry, piece, field in zip(part.entries, shape.attributes, fields, strict=False):
            if field.name == "position":
                first = shape.vertex_first if piece.stride else 0
                stop = first + shape.vertex_span if piece.stride else 1
                base, words = entry.offset >> 2, field.type.words
                self.finite.add(base + first * words, base + stop * words, field.name, place)

    def values(
        self, fields: Iterable[HeaderField], entries: Iterable[Entry], place: int, *, drawn: bool
    ) -> None:
        for field, entry in zip(fields, entries, strict=True):
            if entry not in self.entries:
                self._hold(entry, field.name, place)
            if drawn and field.type in _MATRICES:
                base = entry.offset >> 2
                self.finite.add(base, base + (entry.nbytes >> 2), field.name, place)

    def columns(self, chunk: Chunk, place: int) -> None:
        """Note the columns of a chunk: those of rows that are drawn have to be finite."""
        drawn = np.flatnonzero(chunk.drawn)
        breaks = np.flatnonzero(np.diff(drawn) > 1)
        firsts, stops = drawn[np.r_[:1, breaks + 1]], drawn[np.r_[breaks, -1]] + 1
        for field, entry in zip(chunk.plan.fields, chunk.entries, strict=True):
            if field.name in chunk.plan.shared:
                continue
            if entry not in self.entries:
                self._hold(entry, field.name, place)
            if field.kind == "table" or field.type in _MATRICES:
                base, words = entry.offset >> 2, field.type.words
                self.finite.add_all(
                    (base + firsts * words).tolist(),
                    (base + stops * words).tolist(),
                    field.name,
                    place,
                )

    def _hold(self, entry: Entry, name: str, place: int) -> None:
        self.entries.add(entry)
        base = entry.offset >> 2
        self.live.add(base, base + (entry.nbytes + 3 >> 2), name, place)


def page_books(page: Page, buckets: Iterable[BucketBooks]) -> PageBooks:
    """Return the books of a page, from those of its buckets."""
    found = _Collector()
    for books in buckets:
        schema = books.bucket.schema
        for place, member in books.members:
            if isinstance(member, Resident):
                drawn = member.is_drawn
                found.part(member.part, schema.attributes, place, drawn=drawn)
                found.values(schema.inputs, member.entries, place, drawn=drawn)
            else:
                _read_chunk(found, member, schema.attributes, place)
    parts = list(found.parts.items())
    return PageBooks(page, found.live.merged(), found.finite.merged(), parts)


def _read_chunk(
    found: _Collector, chunk: Chunk, attributes: Sequence[HeaderField], place: int
) -> None:
    drawn = bool(chunk.drawn.any())
    for part in chunk.parts:
        found.part(part, attributes, place, drawn=drawn)
    pairs = list(zip(chunk.plan.fields, chunk.entries, strict=True))
    shared = [(field, entry) for field, entry in pairs if field.name in chunk.plan.shared]
    fields, entries = [field for field, _ in shared], [entry for _, entry in shared]
    found.values(fields, entries, place, drawn=drawn)
    if drawn:
        found.columns(chunk, place)
    else:
        found.values([field for field, _ in pairs], chunk.entries, place, drawn=False)
