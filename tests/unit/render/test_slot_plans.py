"""How slots are drawn, and where their indices lie."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from heapscene.errors import HeapFullError
from heapscene.heap import BucketLimits
from heapscene.kernels import LARGEST_VERTEX
from heapscene.render.slot_plans import IndexWindows, choose_encodings


class FakeSlot(SimpleNamespace):
    """A slot with its sums; slots are told apart by identity."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


def bucket(*emitted: int, vertices: int = 100):
    slots = [FakeSlot(emitted=count) for count in emitted]
    limits = BucketLimits()
    return SimpleNamespace(slots=slots, emitted=sum(emitted), vertices=vertices, limits=limits)


def encodings(made, wanted="auto", budget=10_000, largest=2**30) -> str:
    return "".join(name[0] for name in choose_encodings(made, wanted, budget, largest))


def test_a_slot_over_the_budget_is_mega_and_smaller_ones_stay_expanded():
    assert encodings(bucket(640, 6400, 640)) == "eme"
    assert encodings(bucket(640, 6400, 640), budget=100_000) == "eee"


def test_what_is_asked_for_holds_as_far_as_the_device_goes():
    made = bucket(640, 6400)
    assert encodings(made, "mega") == "mm"
    assert encodings(made, "expanded") == "ee"
    assert encodings(made, "expanded", largest=10_000) == "em"


def test_vertices_beyond_a_base_vertex_are_never_expanded():
    assert encodings(bucket(64, vertices=LARGEST_VERTEX)) == "e"
    assert encodings(bucket(64, vertices=LARGEST_VERTEX + 1), "expanded") == "m"


def test_more_indices_than_32_bits_are_refused_with_numbers():
    with pytest.raises(HeapFullError, match="4,294,967,296"):
        choose_encodings(bucket(2**31, 2**31), "auto", 1, 1)


def test_as_many_indices_as_the_limit_are_drawn():
    limit = BucketLimits().emitted
    assert encodings(bucket(limit)) == "m"
    with pytest.raises(HeapFullError, match=f"{limit + 1:,}"):
        encodings(bucket(limit, 1))


@pytest.mark.parametrize("seed", range(20))
def test_windows_hold_their_slots_and_never_overlap(seed: int):
    rng = np.random.default_rng(seed)
    most = 6000
    windows, slots = IndexWindows(), []
    kept = 0
    before: dict = {}
    for _ in range(200):
        roll = rng.random()
        if roll < 0.2 or not slots:
            slots.insert(int(rng.integers(0, len(slots) + 1)), FakeSlot(emitted=0))
        elif roll < 0.3:
            slots.pop(int(rng.integers(len(slots))))
        elif roll < 0.9:
            slots[int(rng.integers(len(slots)))].emitted = int(rng.integers(0, 400))
        while sum(-(-max(1, slot.emitted) // 64) * 64 for slot in slots) > most:
            slots.pop()
        placed = dict(windows.place(slots, most))
        assert list(placed) == slots
        ranges = sorted(placed.values())
        for start, room in ranges:
            assert start % 64 == 0
            assert start + room <= most
        for (start, room), (following, _) in pairwise(ranges):
            assert start + room <= following
        assert all(placed[slot][1] >= slot.emitted for slot in slots)
        kept += sum(before.get(slot) == placed[slot] for slot in slots) >= len(slots) - 1
        before = placed
    assert kept > 120, "a change of one slot moves the others too often"
