"""The checks that need no GPU: books of a heap, and words that somebody says were read back."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.draw import Draw, DrawChange, Geometry
from heapscene.heap import CHECKS, DrawHeap, Fault, Faults, Place, check_heap
from heapscene.shader import Interface, types
from reference.heap import FakeProgram

PROGRAM = FakeProgram(
    "p",
    Interface(
        {"position": types.VEC3, "normal": types.VEC3}, {"model": types.MAT4, "offset": types.VEC3}
    ),
)
POSITION = np.arange(15, dtype=np.float32).reshape(5, 3)
NORMAL = POSITION + 100
OFFSETS = np.arange(9, dtype=np.float32).reshape(3, 3) + 50


def heap_of(count: int = 4, page_bytes: int = 65536) -> DrawHeap:
    heap = DrawHeap(page_bytes, {})
    geometry = Geometry(
        {"position": POSITION, "normal": NORMAL}, np.array([1, 2, 3, 2, 3, 4], np.uint16)
    )
    draws = [
        Draw(
            PROGRAM,
            geometry,
            {"model": np.diag([k + 1, k + 1, k + 1, 1])},
            instances={"offset": OFFSETS},
            instance_count=3,
            visible=k != 2,
        )
        for k in range(count)
    ]
    heap.apply([DrawChange(None, draw) for draw in draws])
    return heap


def checked(heap: DrawHeap, change=None) -> Faults:
    """Return faults of a heap whose words were sent, and then changed."""
    copies = {}
    for words in (*heap.pages, *(w for b in heap.buckets for w in (b.headers, b.records))):
        copies[id(words)] = words.data[: words.used].copy()
    if change is not None:
        change(heap, lambda words: copies[id(words)])
    faults = Faults()
    check_heap(faults, heap, lambda words: copies[id(words)])
    return faults


def test_a_sound_heap_has_no_faults():
    faults = checked(heap_of())
    assert faults.total == 0
    assert set(faults.checked) == {
        "books", "overlap", "free-lists", "constants", "references", "headers", "sizes",
        "finite-data", "page-words", "records",
    }  # fmt: skip
    assert set(faults.checked) <= set(CHECKS)


def test_several_pages_are_told_apart():
    heap = heap_of(40, 1024)
    assert len(heap.pages) > 2

    def change(heap, sent):
        for page in heap.pages[1:]:
            sent(page)[page.entries[-1].offset >> 2] ^= 1

    faults = checked(heap, change)
    assert faults.counts == {"page-words": len(heap.pages) - 1}
    assert [fault.page for fault in faults.listed] == [page.number for page in heap.pages[1:]]


def test_words_that_nobody_reads_are_not_reported():
    heap = heap_of()
    heap.apply([DrawChange(list(heap.order())[1], None)])

    def change(heap, sent):
        page, bucket = heap.pages[0], heap.buckets[0]
        assert page.allocator._free
        for offset in page.allocator._free:
            sent(page)[offset >> 2] ^= 1
        width = bucket.schema.row_words
        for row in bucket._free_rows:
            sent(bucket.headers)[row * width : (row + 1) * width] = 77
        sent(page)[:4] = 5

    assert checked(heap, change).total == 0


def test_a_hole_that_draws_is_reported():
    heap = heap_of()
    heap.apply([DrawChange(list(heap.order())[1], None)])

    def change(heap, sent):
        sent(heap.buckets[0].records)[8 + 3] = 6

    faults = checked(heap, change)
    assert faults.counts == {"records": 1}
    fault = faults.listed[0]
    assert (fault.what, fault.draw) == ("count of an unused record", None)
    assert (fault.offset, fault.expected, fault.found) == (4 * (8 + 3), 0, 6)


def test_vertices_that_are_not_drawn_may_be_anything():
    """Vertex 0 is no corner of any triangle; a hidden draw's matrix moves nothing."""
    heap = heap_of()
    hidden = next(r for r in heap._residents.values() if not r.is_drawn)
    position = hidden.part.entries[1]
    for entry, word in ((position, 2), (hidden.entries[0], 5)):
        heap.pages[0].data[(entry.offset >> 2) + word] = np.float32(np.nan).view(np.uint32)
    assert "finite-data" not in checked(heap).counts
    heap.pages[0].data[(position.offset >> 2) + 3] = np.float32(np.nan).view(np.uint32)
    assert checked(heap).counts["finite-data"] == 1


@pytest.mark.parametrize("which", ["value", "array"])
def test_constants_are_what_they_are_known_by(which):
    heap = heap_of()
    resident = next(iter(heap._residents.values()))
    entry = resident.entries[0] if which == "value" else resident.part.entries[0]
    word = (entry.offset >> 2) + (7 if which == "value" else 0)
    heap.pages[0].data[word] ^= 1 << 20
    faults = checked(heap)
    assert faults.counts == {"constants": 1}
    assert faults.listed[0].offset == 4 * word
    assert faults.listed[0].page == 0


def far_vertices(resident):
    resident.part.shape.vertex_first += 100


def far_indices(resident):
    resident.part.shape.index_skip += 8


def more_instances(resident):
    resident.instances += 1


@pytest.mark.parametrize("damage", [far_vertices, far_indices, more_instances])
def test_what_is_read_has_to_lie_inside(damage):
    heap = heap_of()
    damage(next(iter(heap._residents.values())))
    faults = Faults()
    check_heap(faults, heap, None)
    assert faults.counts["sizes"] >= 1
    assert set(faults.counts) <= {"sizes", "books"}, "sums of instances are wrong, too"
    fault = next(fault for fault in faults.listed if fault.check == "sizes")
    assert fault.what.startswith("bytes that")
    assert str(fault.expected).startswith("at most")


def test_an_index_behind_the_last_vertex_is_named():
    def change(heap, sent):
        part = next(iter(heap._residents.values())).part
        sent(heap.pages[0]).view(np.uint16)[part.index_start // 2 + 3] = 5

    faults = checked(heap_of(), change)
    assert faults.counts == {"sizes": 1}
    assert (faults.listed[0].expected, faults.listed[0].found) == ("at most 4", 5)


def test_words_that_never_came_are_wrong():
    heap = heap_of()

    def change(heap, sent):
        sent(heap.pages[0])[64:] = 0

    assert set(checked(heap, change).counts) <= {"page-words", "sizes"}
    faults = Faults()
    check_heap(faults, heap, lambda words: words.data[: words.used // 8 * 4])
    assert {"page-words", "headers", "records"} <= set(faults.counts)
    assert {"number of words", "number of rows", "number of records"} <= {
        fault.what for fault in faults.listed
    }


def test_reading_books_changes_nothing():
    heap = heap_of()
    dirty = [bool(words.dirty) for words in heap.pages]
    generations = [bucket.generation for bucket in heap.buckets]
    checked(heap)
    assert dirty == [bool(words.dirty) for words in heap.pages]
    assert generations == [bucket.generation for bucket in heap.buckets]


def test_faults_are_listed_up_to_a_hundred_and_counted_beyond():
    faults = Faults()
    n = 250
    numbers = np.arange(n)
    nobody = np.full(n, -1)
    values = (np.zeros(n, np.uint32), np.ones(n, np.uint32))
    place = Place("records", 0, 1)
    faults.add_words("records", place, numbers, ["count", "rest"], values, (numbers, nobody))
    faults.add(Fault("headers", "stride of color", *place))
    assert faults.counts == {"records": 250, "headers": 1}
    assert len(faults.listed) == 101
    assert [fault.what for fault in faults.listed[:3]] == ["count", "rest", "rest"]
    assert faults.listed[3].draw == 3
    assert faults.listed[3].row is None


def test_a_fault_says_what_where_and_what_instead():
    fault = Fault("headers", "stride of color", "headers", 2, 0, 36, 17, None, 4, 5)
    assert str(fault) == (
        "headers: stride of color of page 2, bucket 0, draw 17 at byte 36 of its headers: 5, not 4"
    )
    assert fault.to_dict()["expected"] == 4
    assert "nan" in fault.__class__("finite-data", "x", "page", found=np.nan).to_dict()["found"]
