from __future__ import annotations

import numpy as np
import pytest

from heapscene.draw import Draw, DrawChange, Geometry
from heapscene.heap import DrawHeap, check
from heapscene.shader import Interface, types
from reference.heap import FakeProgram

PROGRAM = FakeProgram("p", Interface({"position": types.VEC3}, {"color": types.VEC4}))


def heap_of(count: int) -> DrawHeap:
    heap = DrawHeap(65536, {})
    geometry = Geometry({"position": np.eye(3)})
    draws = [Draw(PROGRAM, geometry, {"color": (k, 0, 0)}) for k in range(count)]
    heap.apply([DrawChange(None, draw) for draw in draws])
    check(heap)
    return heap


def stale_record(heap):
    heap.buckets[0].records.data[8 + 3] += 1


def lost_entry(heap):
    heap.pages[0].allocator.release(heap.pages[0].entries[0].offset)


def wrong_sum(heap):
    heap.buckets[0].slots[0].emitted += 3


def one_reference_too_many(heap):
    heap.pages[0].entries[0].refs += 1


def wrong_rank(heap):
    slot = heap.buckets[0].slots[0]
    slot.ranks[0], slot.ranks[1] = slot.ranks[1], slot.ranks[0]


def two_in_one_row(heap):
    first, second = list(heap._residents.values())[:2]
    first.row = second.row


@pytest.mark.parametrize(
    "fault",
    [stale_record, lost_entry, wrong_sum, one_reference_too_many, wrong_rank, two_in_one_row],
)
def test_a_planted_fault_is_seen(fault):
    heap = heap_of(4)
    fault(heap)
    with pytest.raises(AssertionError):
        check(heap)
