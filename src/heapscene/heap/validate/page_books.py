"""Who owns which bytes of a page, and what has to hold for the numbers there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.chunk import Chunk
from heapscene.heap.page import Page, Part
from heapscene.heap.validate.bucket_books import BucketBooks
from heapscene.shader import types

__all__ = ["PageBooks", "Ranges", "page_books"]

_MATRICES = (types.MAT2, types.MAT3, types.MAT4)


Words = NDArray[np.int64]


class Ranges(NamedTuple):
    """Ranges of words, ascending and disjoint, with an owner each, and a name by its number."""

    starts: Words
    stops: Words
    owners: Words
    named: Words
    names: list[str]

    def find(self, words: Words) -> Words:
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
    columns
        Columns of tables, ascending: first word, words per row, rows, handle of the first; ``(n, 4)``.
    """

    page: Page
    live: Ranges
    finite: Ranges
    parts: list[tuple[Part, int]]
    columns: Words

    def handles(self, words: Words) -> Words:
        """Return the handle of the table's row that each word belongs to, or -1."""
        if not len(self.columns):
            return np.full(len(words), -1)
        at = np.searchsorted(self.columns[:, 0], words, side="right") - 1
        start, width, count, first = self.columns[at].T
        row = (words - start) // width
        return np.where((at >= 0) & (row < count), first + row, -1)


class _Spans:
    """Ranges as they are noted, in any order."""

    def __init__(self) -> None:
        self._parts: list[Words] = []
        self._names: dict[str, int] = {}

    def add(self, starts: Words | int, stops: Words | int, name: str, owners: Words | int) -> None:
        named = self._names.setdefault(name, len(self._names))
        columns = np.broadcast_arrays(starts, stops, owners, named)
        self._parts.append(np.stack(columns, axis=-1).reshape(-1, 4).astype(np.int64))

    def merged(self) -> Ranges:
        """Return the ranges in order; those that overlap become one."""
        spans = np.concatenate([np.zeros((0, 4), np.int64), *self._parts])
        spans = spans[spans[:, 1] > spans[:, 0]]
        spans = spans[np.argsort(spans[:, 0], kind="stable")]
        ends = np.maximum.accumulate(spans[:, 1])
        opens = np.ones(len(spans), np.bool_)
        opens[1:] = spans[1:, 0] >= ends[:-1]
        firsts = spans[opens]
        last = np.append(opens[1:], True)[: len(spans)]
        return Ranges(firsts[:, 0], ends[last], firsts[:, 2], firsts[:, 3], list(self._names))


class _Collector:
    def __init__(self) -> None:
        self.live = _Spans()
        self.finite = _Spans()
        self.parts: dict[Part, int] = {}
        self.drawn: set[Part] = set()
        self.columns: list[tuple[int, int, int, int]] = []

    def part(self, part: Part, place: int, *, drawn: bool) -> None:
        """Note a geometry, at the first draw that has it and at the first that shows it."""
        if part not in self.parts:
            self.parts[part] = place
            names = [field.name for field in part.shape.schema.attributes]
            for entry, name in zip(part.entries, [*names, "indices"], strict=False):
                base = entry.offset >> 2
                self.live.add(base, base + (entry.nbytes + 3 >> 2), name, place)
        if not drawn or part in self.drawn:
            return
        self.drawn.add(part)
        shape = part.shape
        for entry, piece, field in zip(
            part.entries, shape.attributes, shape.schema.attributes, strict=False
        ):
            if field.name == "position":
                first = shape.vertex_first if piece.stride else 0
                stop = first + shape.vertex_span if piece.stride else 1
                base, words = entry.offset >> 2, field.type.words
                self.finite.add(base + first * words, base + stop * words, field.name, place)

    def draws(self, books: BucketBooks) -> None:
        draws = books.draws
        for resident, place, drawn in zip(
            draws.residents, draws.places.tolist(), draws.drawn.tolist(), strict=True
        ):
            part = resident.part
            if part not in self.drawn:
                self.part(part, place, drawn=drawn)
        for k, field in enumerate(books.bucket.schema.inputs):
            starts = draws.offsets[k] >> 2
            stops = starts + (draws.nbytes[k] + 3 >> 2)
            self.live.add(starts, stops, field.name, draws.places)
            if field.type in _MATRICES:
                shown = draws.drawn
                self.finite.add(starts[shown], stops[shown], field.name, draws.places[shown])

    def chunk(self, chunk: Chunk, place: int) -> None:
        """Note what a chunk holds; only rows that are drawn have to be finite."""
        drawn = np.flatnonzero(chunk.drawn)
        for part in chunk.parts:
            self.part(part, place, drawn=len(drawn) > 0)
        breaks = np.flatnonzero(np.diff(drawn) > 1)
        firsts = drawn[np.concatenate([[0], breaks + 1])] if len(drawn) else drawn
        stops = drawn[np.concatenate([breaks, [-1]])] + 1 if len(drawn) else drawn
        for field, entry in zip(chunk.plan.fields, chunk.entries, strict=True):
            base, words = entry.offset >> 2, field.type.words
            self.live.add(base, base + (entry.nbytes >> 2), field.name, place)
            if field.name not in chunk.plan.shared:
                self.columns.append((base, words, chunk.capacity, chunk.first))
            if field.kind != "table" and field.type not in _MATRICES:
                continue
            if field.name in chunk.plan.shared:
                stop = base + (words if len(drawn) else 0)
                self.finite.add(base, stop, field.name, place)
            else:
                self.finite.add(base + firsts * words, base + stops * words, field.name, place)


def page_books(page: Page, buckets: Iterable[BucketBooks]) -> PageBooks:
    """Return the books of a page, from those of its buckets."""
    found = _Collector()
    for books in buckets:
        found.draws(books)
        for place, chunk in books.chunks:
            found.chunk(chunk, place)
    parts = list(found.parts.items())
    columns = np.array(sorted(found.columns), np.int64).reshape(-1, 4)
    return PageBooks(page, found.live.merged(), found.finite.merged(), parts, columns)
