"""Whatever happens to scenes, in any order: pictures, books and what lies on the GPU stay right.

A sequence that fails is printed with its seed, and as a call that repeats it with few operations.
``HEAPSCENE_STRESS=100:200`` runs those of the long sequences, and no others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from heapscene.gpu import request_device
from reference.shrinking import minimal, shortest_prefix
from reference.stress_sequence import EVERY, Broken, Operation, random_operations, run
from reference.stress_stage import Tally

pytestmark = pytest.mark.gpu
SHORT, LONG = 20, 500
BATCH = 25
FIRST, END = (int(part) for part in os.environ.get("HEAPSCENE_STRESS", f"0:{LONG}").split(":"))


@pytest.fixture(scope="module")
def devices(device: Any) -> list[Any]:
    """Two devices, for scenes that move from one to the other."""
    return [device, request_device()]


def failure_of(seed: int, operations: Sequence[Operation], devices: list[Any]) -> Broken | None:
    try:
        run(seed, operations, devices)
    except Broken as broken:
        return broken
    return None


def shrink(
    seed: int, operations: Sequence[Operation], devices: list[Any]
) -> list[Operation] | None:
    """Return few operations that fail, in their order; ``None`` if these do not fail at all."""
    broken = failure_of(seed, operations, devices)
    if broken is None:
        return None
    fails: Callable[[list[Operation]], bool] = lambda some: bool(failure_of(seed, some, devices))
    # All checks before this one have passed.
    passed = (broken.step - 1) // EVERY * EVERY
    return minimal(shortest_prefix(operations[: broken.step], fails, passed), fails)


def told(seed: int, broken: Broken, few: list[Operation] | None) -> str:
    """Return what to print: the seed, what was wrong, and what to call to see it again."""
    lines = [f"seed {seed} fails {broken}"]
    if few is None:
        return "\n".join([*lines, "It passes when it is run again."])
    listed = "".join(f"    {operation!r},\n" for operation in few)
    return "\n".join(
        [*lines, "It fails with these operations alone:", f"run({seed}, [\n{listed}], devices)"]
    )


def run_seeds(seeds: Sequence[int], devices: list[Any]) -> Tally:
    total = Tally()
    for seed in seeds:
        operations = random_operations(seed)
        try:
            total.add(run(seed, operations, devices))
        except Broken as broken:
            few = shrink(seed, operations, devices)
            raise AssertionError(told(seed, broken, few)) from broken
    return total


def check_worth(total: Tally, sequences: int) -> None:
    """Check that the sequences have seen what they are for."""
    seen, most = total.seen, total.most
    assert total.pictures == sequences * 10
    assert total.covered >= 0.9 * total.pictures, "too many empty pictures to prove anything"
    assert seen["ties"] <= 0.05 * seen["across pages"]
    assert seen["drawn otherwise"] <= 0.05 * total.pictures
    assert seen["same pages"] >= 0.5 * total.pictures
    assert min(seen["moved"], seen["compacted"], seen["mixed"], seen["across pages"]) >= sequences
    assert min(seen["recovered"], seen["reopened"]) >= sequences / 2
    assert seen["changed device"] >= 1
    assert most["slots"] >= 6
    assert most["pages"] >= 2


@pytest.mark.timeout(300)
def test_random_sequences_keep_everything_right(devices):
    check_worth(run_seeds(range(SHORT), devices), SHORT)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(FIRST, END, BATCH))
def test_many_random_sequences_keep_everything_right(devices, first):
    seeds = range(first, min(first + BATCH, END))
    check_worth(run_seeds(seeds, devices), len(seeds))
