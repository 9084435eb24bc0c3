"""Sequences that fail are made short: lists of numbers, and a stage whose heap has a planted fault."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.gpu import request_device
from heapscene.heap import compaction
from property.test_stress import failure_of, shrink, told
from reference.shrinking import minimal, shortest_prefix
from reference.stress_sequence import EVERY, STEPS, random_operations
from reference.stress_stage import STAGE_OPERATIONS
from reference.stress_world import CHANGES

SEED = 25  # its first 20 operations let something move


@pytest.mark.parametrize("seed", range(20))
def test_a_list_is_shrunk_to_the_items_that_make_it_fail(seed):
    rng = np.random.default_rng(seed)
    items = list(range(int(rng.integers(20, 200))))
    guilty = sorted(int(n) for n in rng.permutation(items)[: int(rng.integers(1, 5))])
    runs = []

    def fails(some):
        runs.append(some)
        return set(guilty) <= set(some)

    passed = guilty[-1] // 20 * 20
    assert shortest_prefix(items, fails, passed) == items[: guilty[-1] + 1]
    assert len(runs) <= 20
    assert minimal(items, fails, most_runs=10**6) == guilty
    assert minimal(items[: guilty[-1] + 1], fails) == guilty


def test_nothing_more_can_be_left_out():
    """Two items that fail only without each other: one of them stays."""
    fails = lambda some: 7 in some and ((3 in some) != (5 in some) or {3, 4, 5} <= set(some))
    few = minimal(range(10), fails)
    assert fails(few)
    assert not any(fails(few[:k] + few[k + 1 :]) for k in range(len(few)))


def test_a_list_that_does_not_fail_is_told():
    with pytest.raises(ValueError, match="no prefix"):
        shortest_prefix(range(5), lambda some: False, 0)


def test_runs_are_bounded():
    few = minimal(range(1000), lambda some: set(some) >= {1, 500, 900}, most_runs=10)
    assert {1, 500, 900} <= set(few)


def test_operations_are_all_there_and_the_same_each_time():
    every = [name for seed in range(30) for name, _ in random_operations(seed)]
    assert set(every) == {*CHANGES, *STAGE_OPERATIONS}
    assert len(random_operations(0)) == STEPS
    assert random_operations(5) == random_operations(5) != random_operations(6)


@pytest.mark.gpu
@pytest.mark.timeout(300)
def test_a_planted_fault_is_found_and_told_in_few_operations(device, monkeypatch):
    """Records do not follow indices that move: it takes something to draw, a hole and a compaction."""
    devices = [device, request_device()]
    shift = compaction._shift

    def forget_records(words, rows, first, moves):
        if first == 0:
            shift(words, rows, first, moves)

    with monkeypatch.context() as patch:
        patch.setattr(compaction, "_shift", forget_records)
        operations = random_operations(SEED)[:EVERY]
        broken = failure_of(SEED, operations, devices)
        assert broken is not None
        few = shrink(SEED, operations, devices)
        assert few is not None
        assert len(few) <= 4
        assert not any(failure_of(SEED, few[:k] + few[k + 1 :], devices) for k in range(len(few)))
        text = told(SEED, broken, few)
        assert f"seed {SEED} fails after operation {EVERY}: Mismatch" in text
        call = text[text.index("run(") :]
        found = []
        eval(call, {"run": lambda *given: found.append(given), "devices": devices})
        assert found == [(SEED, few, devices)]
    assert failure_of(SEED, few, devices) is None
