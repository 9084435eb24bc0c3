from __future__ import annotations

from heapscene.heap import DirtyRanges


def test_far_ranges_stay_apart():
    ranges = DirtyRanges()
    ranges.add(1_000_000, 1_000_004)
    ranges.add(8, 12)
    assert ranges.peek() == [(8, 12), (1_000_000, 1_000_004)]
    assert ranges.drain() == [(8, 12), (1_000_000, 1_000_004)]
    assert ranges.drain() == []


def test_near_ranges_become_one():
    ranges = DirtyRanges()
    ranges.add(0, 4)
    ranges.add(20, 24)
    ranges.add(41, 42)
    assert ranges.drain(gap=16) == [(0, 24), (41, 42)]


def test_smallest_gaps_go_first():
    ranges = DirtyRanges()
    for start in (0, 1000, 1100, 5000):
        ranges.add(start, start + 1)
    assert ranges.drain(gap=0, most=3) == [(0, 1), (1000, 1101), (5000, 5001)]
    for start in (0, 1000, 1100, 5000):
        ranges.add(start, start + 1)
    assert ranges.drain(gap=0, most=1) == [(0, 5001)]


def test_empty_ranges_are_ignored():
    ranges = DirtyRanges()
    ranges.add(5, 5)
    ranges.add(7, 3)
    assert not ranges
    ranges.add(0, 1)
    assert ranges


def test_many_notes_do_not_pile_up():
    ranges = DirtyRanges()
    for k in range(100_000):
        ranges.add(k % 500 * 10, k % 500 * 10 + 4)
    assert len(ranges._ranges) < 10_000
    assert len(ranges.peek()) == 500


def test_merging_keeps_ranges_that_lie_inside_others():
    ranges = DirtyRanges()
    ranges.add(0, 100)
    ranges.add(200, 210)
    ranges.add(10, 20)
    ranges.add(90, 120)
    assert ranges.drain(gap=0) == [(0, 120), (200, 210)]
