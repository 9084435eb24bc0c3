"""Whether the books of a heap agree; for tests and for finding faults."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from heapscene.heap.bucket import Bucket
from heapscene.heap.chunk import Chunk
from heapscene.heap.heap import Heap
from heapscene.heap.layout import RECORD_WORDS
from heapscene.heap.memory import Memory
from heapscene.heap.page import Entry, Page, Part
from heapscene.heap.resident import Resident
from heapscene.heap.tables import TableResident

__all__ = ["check"]


def check(heap: Heap) -> None:
    """Raise an :class:`AssertionError` that names the first thing that is wrong.

    Allocations tile their pages, each is held by exactly those who count, records are where slots
    say, and sums are exact. Slow: visits everything.
    """
    everyone = list(heap._residents.values())
    residents = [resident for resident in everyone if isinstance(resident, Resident)]
    tables = [resident for resident in everyone if isinstance(resident, TableResident)]
    chunks = [chunk for table in tables for chunk in table.chunks]
    rows = sum(len(table.draw.table) for table in tables)
    assert len(residents) + rows == heap.draw_count
    drawn = sum(int(np.count_nonzero(chunk.drawn)) for chunk in chunks)
    assert heap.visible_count == drawn + sum(resident.is_drawn for resident in residents)
    for table in tables:
        _check_table(table)
    assert [bucket.key for bucket in heap.buckets] == sorted(heap._buckets)
    assert all(resident.draw is draw for draw, resident in heap._residents.items())
    for resident in residents:
        assert resident.is_live
        assert heap._buckets[resident.bucket.key] is resident.bucket
        assert resident.part.page is resident.bucket.page
        assert resident.bucket.page in heap.pages
    _check_memory(heap.memory)
    for bucket in heap.buckets:
        _check_bucket(
            bucket,
            [r for r in residents if r.bucket is bucket],
            [chunk for chunk in chunks if chunk.bucket is bucket],
        )


def _check_memory(memory: Memory) -> None:
    everyone = [held for heap in memory.heaps for held in heap._residents.values()]
    residents = [held for held in everyone if isinstance(held, Resident)]
    tables = [held for held in everyone if isinstance(held, TableResident)]
    chunks = [chunk for table in tables for chunk in table.chunks]
    for page in memory.pages:
        _check_page(
            page,
            [r for r in residents if r.bucket.page is page],
            [chunk for chunk in chunks if chunk.bucket.page is page],
        )
    catalog = memory.catalog
    parts = {shape for page in memory.pages for shape in page.parts}
    assert parts.issuperset(catalog.shapes.values())
    # A heap that is not up to date may hold a shape that has been renewed for another.
    assert {shape.key for shape in parts} == set(catalog.shapes)
    assert len(parts) == len(catalog.shapes) or len(memory.heaps) > 1
    assert not catalog.renewed
    assert set(catalog._readers) == {aval for shape in parts for aval in shape.avals}
    assert set(catalog._versions) <= set(catalog._readers)


def _check_table(resident: TableResident) -> None:
    table, plan = resident.draw.table, resident.plan
    assert resident.live == len(table)
    at = 0
    for chunk in resident.chunks:
        assert chunk.plan is plan
        assert chunk.first == at
        assert chunk.capacity <= plan.chunk_rows
        assert chunk.slot.state == plan.state
        assert chunk.shown == plan.visible
        at += chunk.capacity
        used = slice(chunk.first, chunk.first + chunk.used)
        for name, column in table.columns.items():
            number = next(k for k, f in enumerate(plan.fields) if f.name == column.name)
            entry = chunk.entries[number]
            start = entry.offset // 4
            words = entry.page.data[start : start + chunk.used * column.type.words]
            assert np.array_equal(words, column.data[used].view(np.uint32).reshape(-1)), name
    assert at >= table.handles


def _check_page(page: Page, residents: list[Resident], chunks: list[Chunk]) -> None:
    page.allocator.check()
    assert page.used == page.allocator.cursor // 4
    refs: dict[Entry, int] = {}
    parts: dict[Part, int] = {}
    for resident in residents:
        parts[resident.part] = parts.get(resident.part, 0) + 1
        for entry in resident.entries:
            refs[entry] = refs.get(entry, 0) + 1
    for chunk in chunks:
        for part in chunk.parts:
            assert part.page is page
            parts[part] = parts.get(part, 0) + 1
        for entry in chunk.entries:
            refs[entry] = refs.get(entry, 0) + 1
    for part in parts:
        for entry in part.entries:
            refs[entry] = refs.get(entry, 0) + 1
    assert set(page.parts.values()) == set(parts)
    assert set(page.entries) == set(refs)
    assert all(part.refs == count for part, count in parts.items())
    assert all(entry.refs == count for entry, count in refs.items())
    for number, book in page.books.items():
        for key, entry in book.items():
            assert entry.key is key
            assert entry.page is page
            assert number == (entry.follows.book if entry.follows else 0)
    live = {entry.offset: max(16, entry.nbytes + 15 & ~15) for entry in refs}
    assert page.allocator.live() == live


def _check_headers(bucket: Bucket, residents: list[Resident], chunks: list[Chunk]) -> None:
    """Header rows lead to where the entries lie."""
    width = bucket.schema.row_words
    rows = bucket.headers.data[: bucket.headers.used].reshape(-1, width) if width else None
    held = [(r.row, r.part, r.entries) for r in residents]
    held += [(row, p, c.entries) for c in chunks for row, p in zip(c.rows, c.parts, strict=True)]
    for row, part, entries in held if rows is not None else ():
        assert rows is not None
        attributes = part.entries[: len(bucket.schema.attributes)]
        bases = [entry.offset >> 2 for entry in (*attributes, *entries)]
        assert rows[row, 0::2].tolist() == bases


def _check_bucket(bucket: Bucket, residents: list[Resident], chunks: list[Chunk]) -> None:
    rows = [resident.row for resident in residents]
    rows += [row for chunk in chunks for row in chunk.rows]
    assert bucket.live == len(rows) > 0
    assert sorted(rows + bucket._free_rows) == list(range(bucket._n_rows))
    assert bucket.headers.used == bucket._n_rows * bucket.schema.row_words
    assert [slot.key for slot in bucket.slots] == sorted(slot.key for slot in bucket.slots)
    assert len({slot.number for slot in bucket.slots}) == len(bucket.slots)
    spans = sorted((slot.start, slot.start + slot.room) for slot in bucket.slots)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert spans[-1][1] <= bucket.n_records
    expected = np.zeros((bucket.n_records, RECORD_WORDS), np.uint32)
    _check_headers(bucket, residents, chunks)
    for slot in bucket.slots:
        assert slot.live > 0
        assert len(slot.ranks) == len(slot.residents)
        assert slot.length <= slot.room
        assert slot.ranks == sorted(set(slot.ranks))
        assert slot.live == sum(resident is not None for resident in slot.residents)
        at = slot.start
        for rank, resident in zip(slot.ranks, slot.residents, strict=True):
            size = resident.capacity if isinstance(resident, Chunk) else 1
            if resident is not None:
                assert resident.slot is slot
                assert resident.rank == rank
                assert slot.find(rank) == at
            if isinstance(resident, Chunk):
                expected[at : at + size] = resident.records()
            elif resident is not None:
                record = bucket._record(resident)
                expected[at] = np.frombuffer(record, np.uint32)
            at += size
        assert at == slot.stop
    entries = sum(slot.live for slot in bucket.slots)
    assert entries == len(residents) + len(chunks)
    table = bucket.table().astype(np.int64)
    assert np.array_equal(table, expected)
    for slot in bucket.slots:
        own = table[slot.start : slot.stop]
        assert slot.emitted == int((own[:, 3] * own[:, 4]).sum())
        assert slot.vertices == int((own[:, 6] * own[:, 4])[own[:, 3] > 0].sum())
