from __future__ import annotations

import numpy as np
import pytest

from heapscene.heap import DirtyRanges


def test_far_ranges_stay_apart():
    ranges = DirtyRanges()
    ranges.add(1_000_000, 1_000_004)
    ranges.add(8, 12)
    assert ranges.drain().tolist() == [[8, 12], [1_000_000, 1_000_004]]
    assert ranges.drain().shape == (0, 2)


def test_only_ranges_that_touch_become_one():
    ranges = DirtyRanges()
    ranges.add(0, 4)
    ranges.add(5, 8)
    ranges.add(20, 24)
    ranges.add(8, 10)
    assert ranges.drain().tolist() == [[0, 4], [5, 10], [20, 24]]


def test_empty_ranges_are_ignored():
    ranges = DirtyRanges()
    ranges.add(5, 5)
    ranges.add(7, 3)
    ranges.add_rows(np.array([], np.int64), 4)
    ranges.add_rows(np.array([3]), 0)
    assert not ranges
    ranges.add(0, 1)
    assert ranges


@pytest.mark.parametrize("in_rows", [False, True])
def test_many_notes_do_not_pile_up(in_rows):
    ranges = DirtyRanges()
    starts = np.arange(100_000) % 500 * 10
    if in_rows:
        for some in np.split(starts, 100):
            ranges.add_rows(some, 4)
    else:
        for start in starts.tolist():
            ranges.add(start, start + 4)
    assert ranges._count + len(ranges._bounds) // 2 < 20_000
    assert len(ranges.drain()) == 500


def test_merging_keeps_ranges_that_lie_inside_others():
    ranges = DirtyRanges()
    ranges.add(0, 100)
    ranges.add(200, 210)
    ranges.add(10, 20)
    ranges.add(90, 120)
    assert ranges.drain().tolist() == [[0, 120], [200, 210]]


def test_rows_in_any_order_join_what_was_noted_one_by_one():
    ranges = DirtyRanges()
    starts = np.array([30, 3, 6, 60], np.uint32)
    ranges.add(9, 12)
    ranges.add_rows(starts, 3)
    starts[:] = 0  # a copy was taken
    assert ranges
    assert ranges.drain().tolist() == [[3, 12], [30, 33], [60, 63]]
    assert not ranges


def test_combs_are_taken_apart_or_drained_with_what_lies_between():
    ranges = DirtyRanges()
    ranges.add_comb(10, 4, 8)
    ranges.add_comb(100, 0, 8)
    assert ranges
    assert ranges.take_combs() == [(10, 4, 8)]
    assert not ranges
    ranges.add_comb(10, 4, 8)
    ranges.add(0, 2)
    assert ranges.drain().tolist() == [[0, 2], [10, 35]]
    assert ranges.take_combs() == []


def test_many_combs_do_not_pile_up():
    ranges = DirtyRanges()
    for at in range(1000):
        ranges.add_comb(at % 8, 5, 8)
    assert len(ranges.take_combs()) <= 64
    assert ranges.drain().tolist() == [[0, 40]]
