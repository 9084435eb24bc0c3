from __future__ import annotations

import numpy as np
import pytest

from heapscene.draw import Draw, Geometry, PipelineState
from heapscene.heap import Slot
from heapscene.heap.resident import Resident
from heapscene.shader import Interface
from reference.heap import FakeProgram

DRAW = Draw(FakeProgram("p", Interface({}, {})), Geometry({"position": [(0, 0, 0)]}))


def slot_of(*ranks: int) -> Slot:
    slot = Slot(PipelineState(), 0, 10)
    slot.room = 20
    for rank in ranks:
        slot.place(rank, Resident(DRAW, rank))
    return slot


def ranks(slot: Slot) -> list[int | None]:
    return [None if resident is None else resident.rank for resident in slot.residents]


def test_newcomers_append():
    slot = slot_of(0, 1, 5)
    assert slot.place(7, Resident(DRAW, 7)) == (3, 4)
    assert (slot.stop, slot.live, slot.holes) == (14, 4, 0)
    assert slot.find(5) == 12


def test_one_who_returns_takes_the_old_hole():
    slot = slot_of(0, 1, 5, 7)
    assert slot.clear(1) == (1, 2)
    assert (slot.stop, slot.live, slot.holes) == (14, 3, 1)
    assert slot.place(1, Resident(DRAW, 1)) == (1, 2)
    assert ranks(slot) == [0, 1, 5, 7]


@pytest.mark.parametrize(("hole", "rank", "place"), [(1, 3, 1), (5, 3, 2)])
def test_a_hole_beside_the_place_is_taken(hole, rank, place):
    slot = slot_of(0, 1, 5, 7)
    slot.clear(hole)
    assert slot.place(rank, Resident(DRAW, rank)) == (place, place + 1)
    assert [r for r in ranks(slot) if r is not None] == sorted({0, 1, 5, 7, 3} - {hole})


def test_others_move_up_to_the_next_hole_only():
    slot = slot_of(0, 2, 4, 6, 8)
    slot.clear(6)
    assert slot.place(1, Resident(DRAW, 1)) == (1, 4)
    assert ranks(slot) == [0, 1, 2, 4, 8]


def test_holes_at_the_end_vanish():
    slot = slot_of(0, 1, 2, 3)
    slot.clear(1)
    slot.clear(2)
    slot.clear(3)
    assert ranks(slot) == [0]
    assert slot.stop == 11


def test_squeeze_keeps_order():
    slot = slot_of(*range(6))
    for rank in (0, 2, 3):
        slot.clear(rank)
    assert slot.squeeze().tolist() == [1, 4, 5]
    assert ranks(slot) == [1, 4, 5]
    assert slot.ranks == [1, 4, 5]


@pytest.mark.parametrize("seed", range(5))
def test_random_slots_stay_in_rank_order(seed):
    rng = np.random.default_rng(seed)
    slot, here = slot_of(), set()
    for _ in range(400):
        rank = int(rng.integers(60))
        length = len(slot.ranks)
        if rank in here:
            slot.clear(rank)
            here.remove(rank)
        else:
            slot.room = length
            grows = slot.grows(rank)
            before = list(slot.residents)
            new = Resident(DRAW, rank)
            first, last = slot.place(rank, new)
            assert grows == (len(slot.ranks) > length)
            before[first:last] = [new, *before[first : last - 1]]
            assert slot.residents == before
            here.add(rank)
        assert [r for r in ranks(slot) if r is not None] == sorted(here)
        assert slot.live == len(here)
        assert slot.ranks == sorted(set(slot.ranks))


class Block:
    """Stands for a chunk."""

    def __init__(self, rank: int) -> None:
        self.rank = rank


def test_a_block_has_many_records_under_one_rank():
    slot = slot_of(0, 2, 6)
    block = Block(4)
    assert slot.place_block(4, block, 5) == 2
    assert (slot.length, slot.stop, slot.live, slot.holes) == (8, 18, 4, 0)
    assert [slot.find(rank) for rank in (0, 2, 4, 6)] == [10, 11, 12, 17]
    assert slot.blocks == [(12, 5)]
    assert slot.chunks == [block]
    assert slot.place(1, Resident(DRAW, 1)) == (1, 9)
    assert slot.find(6) == 18
    assert slot.clear(2) == (2, 3)
    assert slot.clear(6) == (8, 9)
    assert slot.stop == 18
    assert slot.take_block(4) == (3, 5)
    assert (slot.length, slot.blocks) == (3, [])


def test_holes_and_newcomers_are_counted_in_records_around_blocks():
    slot = slot_of(0, 1, 9)
    slot.place_block(5, Block(5), 3)
    slot.clear(0)
    assert slot.squeeze().tolist() == [1, 2, 3, 4, 5]
    order = slot.merge([Resident(DRAW, 7), Resident(DRAW, 0)])
    assert order.tolist() == [6, 0, 1, 2, 3, 5, 4]
    assert [slot.find(rank) for rank in (0, 1, 5, 7, 9)] == [10, 11, 12, 15, 16]
