"""Whether the books of a heap agree; for tests and for finding faults."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from heapscene.heap.bucket import Bucket
from heapscene.heap.heap import Heap
from heapscene.heap.layout import RECORD_WORDS
from heapscene.heap.page import Entry, Page, Part
from heapscene.heap.resident import Resident

__all__ = ["check"]


def check(heap: Heap) -> None:
    """Raise an :class:`AssertionError` that names the first thing that is wrong.

    Allocations tile their pages, each is held by exactly those who count, records are where slots
    say, and sums are exact. Slow: visits everything.
    """
    residents = list(heap._residents.values())
    assert len(residents) == heap.draw_count
    assert heap.visible_count == sum(resident.is_drawn for resident in residents)
    assert [bucket.key for bucket in heap.buckets] == sorted(heap._buckets)
    for draw, resident in heap._residents.items():
        assert resident.is_live
        assert resident.draw is draw
        assert heap._buckets[resident.bucket.key] is resident.bucket
        assert resident.part.page is resident.bucket.page
        assert resident.bucket.page in heap.pages
    for page in heap.pages:
        _check_page(page, [r for r in residents if r.bucket.page is page])
    for bucket in heap.buckets:
        _check_bucket(bucket, [r for r in residents if r.bucket is bucket])
    shapes = heap._planner.shapes
    assert {s for page in heap.pages for s in page.parts} == set(shapes.values())
    assert not heap._planner.renewed


def _check_page(page: Page, residents: list[Resident]) -> None:
    page.allocator.check()
    assert page.used == page.allocator.cursor // 4
    refs: dict[Entry, int] = {}
    parts: dict[Part, int] = {}
    for resident in residents:
        parts[resident.part] = parts.get(resident.part, 0) + 1
        for entry in resident.entries:
            refs[entry] = refs.get(entry, 0) + 1
    for part in parts:
        for entry in part.entries:
            refs[entry] = refs.get(entry, 0) + 1
    assert set(page.parts.values()) == set(parts)
    assert set(page.entries.values()) == set(refs)
    assert all(part.refs == count for part, count in parts.items())
    assert all(entry.refs == count for entry, count in refs.items())
    assert all(page.entries[entry.key] is entry and entry.page is page for entry in refs)
    live = {entry.offset: max(16, entry.nbytes + 15 & ~15) for entry in refs}
    assert page.allocator._live == live


def _check_bucket(bucket: Bucket, residents: list[Resident]) -> None:
    assert bucket.live == len(residents) > 0
    rows = [resident.row for resident in residents]
    assert sorted(rows + bucket._free_rows) == list(range(bucket._n_rows))
    assert bucket.headers.used == bucket._n_rows * bucket.schema.row_words
    assert [slot.key for slot in bucket.slots] == sorted(slot.key for slot in bucket.slots)
    assert len({slot.number for slot in bucket.slots}) == len(bucket.slots)
    spans = sorted((slot.start, slot.start + slot.room) for slot in bucket.slots)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert spans[-1][1] <= bucket.n_records
    expected = np.zeros((bucket.n_records, RECORD_WORDS), np.uint32)
    for slot in bucket.slots:
        assert slot.live > 0
        assert len(slot.ranks) == len(slot.residents) <= slot.room
        assert slot.ranks == sorted(set(slot.ranks))
        assert slot.live == sum(resident is not None for resident in slot.residents)
        for at, resident in enumerate(slot.residents):
            if resident is not None:
                assert resident.slot is slot
                assert resident.rank == slot.ranks[at]
                record = bucket._record(resident)
                expected[slot.start + at] = np.frombuffer(record, np.uint32)
    assert sum(slot.live for slot in bucket.slots) == bucket.live
    table = bucket.table().astype(np.int64)
    assert np.array_equal(table, expected)
    assert bucket.emitted == int((table[:, 3] * table[:, 4]).sum())
    assert bucket.vertices == int((table[:, 6] * table[:, 4])[table[:, 3] > 0].sum())
