import gc

import pytest

from heapscene.adaptive import Sink, clock, computed, live_nodes, tick_clock
from heapscene.errors import AdaptiveError


def test_time_moves_between_frames_only():
    now = clock()
    first = now.value
    assert now.value is first
    tick_clock()
    second = now.value
    assert second.frame == first.frame + 1
    assert second.seconds >= 0
    tick_clock(2.5)
    assert now.value == (2.5, first.frame + 2)
    assert clock() is now


def test_what_reads_it_is_marked_and_called():
    angle = clock().map(lambda now: now.seconds * 2)
    sink, seen = Sink(), []
    angle.force()
    sink.watch(angle, "angle")
    with angle.on_change(seen.append):
        tick_clock(3)
        assert sink.drain() == ["angle"]
        assert angle.value == 6
        assert seen == [6]
    tick_clock(3)
    assert sink.drain() == ["angle"]


def test_nobody_reading_keeps_nothing():
    gc.collect()
    frame = clock().value.frame
    before = live_nodes()
    tick_clock(1)
    assert live_nodes() == before
    assert clock().value.frame == frame + 1


def test_it_does_not_move_while_something_is_computed():
    now = clock()
    before = now.value
    with pytest.raises(AdaptiveError, match="written while"):
        computed(lambda: tick_clock(9)).force()
    assert now.value == before
    tick_clock(1)
    assert now.value.frame == before.frame + 1
