"""Whether the books of a heap agree, as an assertion; for tests."""

from __future__ import annotations

import numpy as np

from heapscene.heap.draw_heap import DrawHeap
from heapscene.heap.tables import TableResident
from heapscene.heap.validate import Faults, check_heap

__all__ = ["check"]


def check(heap: DrawHeap) -> None:
    """Raise an :class:`AssertionError` that names what is wrong.

    Allocations tile their pages, each is held by exactly those who count, records are where slots
    say, sums are exact, and columns of tables are what the tables hold: nothing may be pending.
    Slow: visits everything.
    """
    faults = Faults()
    check_heap(faults, heap, lambda words: words.data[: words.used])
    # A user may give numbers that are not finite: that is wrong, but nothing that the heap did.
    wrong = [fault for fault in faults.listed if fault.check != "finite-data"]
    assert not wrong, "\n".join(map(str, wrong))
    _check_shapes(heap)
    waiting = {*heap.memory.placement.sink.peek(), *heap.backlog}
    for resident in heap._residents.values():
        if isinstance(resident, TableResident):
            _check_table(resident)
        elif resident.part.shape not in waiting:
            for aval, array in resident.part.shape.sources.items():
                assert aval.force() is array, "a draw has old arrays, and will hear of no others"


def _check_shapes(heap: DrawHeap) -> None:
    memory = heap.memory
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
        assert chunk.capacity <= plan.chunk_rows
        assert chunk.slot.state == plan.state
        assert chunk.shown == plan.visible
        at += chunk.capacity
        used = slice(chunk.first, chunk.first + chunk.used)
        assert np.array_equal(chunk.kinds[: chunk.used], table.chosen_geometry(used))
        assert np.array_equal(chunk.drawn[: chunk.used], table.shown(used) & chunk.shown)
        for name, column in table.columns.items():
            number = next(k for k, f in enumerate(plan.fields) if f.name == column.name)
            entry = chunk.entries[number]
            start = entry.offset // 4
            words = entry.page.data[start : start + chunk.used * column.type.words]
            assert np.array_equal(words, column.data[used].view(np.uint32).reshape(-1)), name
    assert at >= table.handles
