"""Sequences of operations on a stress world and on what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference.stress_stage import STAGE_OPERATIONS, Stage, Tally
from reference.stress_world import CHANGES, StressWorld

Operation = tuple[str, int]
EVERY = 20
STEPS = 200
FIRST = ("add_draw",) * 4 + ("add_mesh",) * 3 + ("add_group", "add_table", "add_held_draw")


class Broken(AssertionError):
    """A sequence failed at one of its operations."""

    def __init__(self, step: int, error: BaseException) -> None:
        told = str(error)
        told = told if len(told) < 600 else f"{told[:600]} ..."
        super().__init__(f"after operation {step}: {type(error).__name__}: {told}")
        self.step = step


def random_operations(seed: int, steps: int = STEPS) -> list[Operation]:
    """Return the operations of a seed; the first ones put something there."""
    rng = np.random.default_rng([seed, 2])
    kinds = {
        name: weight for table in (CHANGES, STAGE_OPERATIONS) for name, (weight, _) in table.items()
    }
    weights = np.array(list(kinds.values())) / sum(kinds.values())
    names = [*FIRST, *rng.choice(list(kinds), steps - len(FIRST), p=weights).tolist()]
    return [
        (name, int(number))
        for name, number in zip(names, rng.integers(2**31, size=steps), strict=True)
    ]


def run(seed: int, operations: Sequence[Operation], devices: Sequence[Any]) -> Tally:
    """Carry out operations, and check after every 20th and at the end.

    Raises
    ------
    Broken
        Something was wrong, or raised.
    """
    world = StressWorld(seed)
    stage = Stage(world, seed, devices)
    step = 0
    try:
        for step, (name, number) in enumerate(operations, 1):
            (world if name in CHANGES else stage).do(name, number)
            if step % EVERY == 0 or step == len(operations):
                stage.check(is_last=step == len(operations))
    except Exception as error:
        raise Broken(step, error) from error
    finally:
        stage.close()
    return stage.tally
