"""What the heap counts and sorts, beside what there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np

from heapscene.heap.bucket import Bucket
from heapscene.heap.draw_heap import DrawHeap
from heapscene.heap.layout import COUNT, INSTANCES, VERTEX_SPAN
from heapscene.heap.page import Entry, Page, Part
from heapscene.heap.resident import Resident
from heapscene.heap.tables import TableResident
from heapscene.heap.validate.bucket_books import BucketBooks
from heapscene.heap.validate.fault import Fault, Faults

__all__ = ["check_counts", "check_holders"]

Claim = tuple[str, Any, Any]
"""What, what it should be, what it is."""


def check_counts(faults: Faults, heap: DrawHeap, books: list[BucketBooks]) -> None:
    """Compare sums, ranks and rows with those of all draws, one by one."""
    _claim(faults, _of_heap(heap, books))
    for bucket in books:
        place = {"page": bucket.bucket.page.number, "bucket": bucket.number}
        _claim(faults, _of_bucket(bucket), **place)


def check_holders(faults: Faults, page: Page, books: list[BucketBooks]) -> None:
    """Compare the reference counts of a page with who holds what there: the draws of `books`."""
    _claim(faults, _of_page(page, books), page=page.number)


def _claim(faults: Faults, claims: Iterator[Claim], **place: int) -> None:
    for what, expected, found in claims:
        faults.looked("books", 1)
        if expected != found:
            faults.add(Fault("books", what, "books", **place, expected=_short(expected),
                             found=_short(found)))  # fmt: skip


def _of_heap(heap: DrawHeap, books: list[BucketBooks]) -> Iterator[Claim]:
    draws = [r for r in heap._residents.values() if isinstance(r, Resident)]
    tables = [r for r in heap._residents.values() if isinstance(r, TableResident)]
    chunks = [chunk for table in tables for chunk in table.chunks]
    drawn = sum(resident.is_drawn for resident in draws)
    drawn += sum(int(np.count_nonzero(chunk.drawn)) for chunk in chunks)
    yield "draws", len(draws) + sum(table.live for table in tables), heap.draw_count
    yield "visible draws", drawn, heap.visible_count
    members = {id(resident) for bucket in books for resident in bucket.draws.residents}
    members |= {id(chunk) for bucket in books for _, chunk in bucket.chunks}
    yield "draws in buckets", {id(member) for member in (*draws, *chunks)}, members
    yield "order of buckets", sorted(heap._buckets), [bucket.key for bucket in heap.buckets]
    yield "live draws", len(draws), sum(resident.is_live for resident in draws)
    yield (
        "draws under their own key",
        [],
        [k for k, (draw, held) in enumerate(heap._residents.items()) if held.draw is not draw],
    )
    for table in tables:
        ends = [0, *np.cumsum([chunk.capacity for chunk in table.chunks]).tolist()]
        yield "first rows of chunks", ends[:-1], [chunk.first for chunk in table.chunks]


def _of_bucket(books: BucketBooks) -> Iterator[Claim]:
    bucket = books.bucket
    rows = sorted(books.rows.tolist())
    yield "header rows in use", len(rows), bucket.live
    yield "header rows", list(range(bucket._n_rows)), sorted([*rows, *bucket._free_rows])
    yield "header words", bucket._n_rows * bucket.schema.row_words, bucket.headers.used
    table = books.records.astype(np.int64)
    for slot in bucket.slots:
        own = table[slot.start : slot.stop]
        shown = own[:, COUNT] > 0
        yield "sum of indices", int((own[:, COUNT] * own[:, INSTANCES]).sum()), slot.emitted
        vertices = int((own[:, VERTEX_SPAN] * own[:, INSTANCES])[shown].sum())
        yield "sum of vertices", vertices, slot.vertices
    yield from _of_slots(bucket)


def _of_slots(bucket: Bucket) -> Iterator[Claim]:
    keys = [slot.key for slot in bucket.slots]
    yield "order of slots", sorted(keys), keys
    yield "numbers of slots", len(keys), len({slot.number for slot in bucket.slots})
    spans = sorted((slot.start, slot.start + slot.room) for slot in bucket.slots)
    yield "slots that overlap", 0, sum(a[1] > b[0] for a, b in pairwise(spans))
    yield "records of slots", True, max((stop for _, stop in spans), default=0) <= bucket.n_records
    for slot in bucket.slots:
        yield "ranks", sorted(set(slot.ranks)), slot.ranks
        live = [resident for resident in slot.residents if resident is not None]
        yield "draws in a slot", len(live), slot.live
        yield "room in a slot", True, slot.length <= slot.room
        astray = [
            resident.rank
            for resident, rank in zip(slot.residents, slot.ranks, strict=False)
            if resident is not None
            and (
                resident.slot is not slot or resident.bucket is not bucket or resident.rank != rank
            )
        ]
        yield "draws of other slots", [], astray


def _of_page(page: Page, buckets: list[BucketBooks]) -> Iterator[Claim]:
    entries: Counter[Entry] = Counter()
    parts: Counter[Part] = Counter()
    for books in buckets:
        parts.update(resident.part for resident in books.draws.residents)
        entries.update(chain.from_iterable(r.entries for r in books.draws.residents))
        for _, chunk in books.chunks:
            parts.update(chunk.parts)
            entries.update(chunk.entries)
    for part in parts:
        entries.update(part.entries)
    yield "used words", page.allocator.cursor // 4, page.used
    yield "geometries", set(map(id, parts)), set(map(id, page.parts.values()))
    yield "allocations", set(map(id, entries)), set(map(id, page.entries))
    yield "users of geometries", list(parts.values()), [part.refs for part in parts]
    yield "users of allocations", list(entries.values()), [entry.refs for entry in entries]
    astray = [
        entry.offset
        for number, book in page.books.items()
        for key, entry in book.items()
        if entry.key is not key or number != (entry.follows.book if entry.follows else 0)
    ]
    yield "allocations under another key", [], astray
    yield "allocations of other pages", 0, sum(entry.page is not page for entry in entries)


def _short(value: Any) -> int | str:
    if isinstance(value, int):
        return value
    text = f"{len(value)}: {value}" if isinstance(value, (list, set)) else str(value)
    return text if len(text) <= 80 else text[:77] + "..."
