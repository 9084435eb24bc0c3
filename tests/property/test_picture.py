"""The heap draws what one draw call per object draws, byte for byte, after any changes."""

from __future__ import annotations

import os

import pytest

from reference.naive_renderer import NaiveRenderer
from reference.pictures import Seen, Side, compare, validate
from reference.worlds import World

SEQUENCES = int(os.environ.get("HEAPSCENE_SEQUENCES", "200"))
STEPS = 50
EVERY = 5
BATCHES = 20
VALIDATED = 3  # every so many sequences end with a look at all that lies on the GPU


def run_sequence(device, naive, seed, seen):
    samples = (1, 4)[seed % 2]
    page_bytes = (64 * 1024, 4 * 1024)[seed // BATCHES % 2]
    world = World(seed)
    # In a third of the worlds some slots do not get their share of the index buffer.
    tight = ("auto", 1500) if seed % 3 == 0 else ("expanded", None)
    sides = [
        Side(device, world, encoding, samples, page_bytes, budget)
        for encoding, budget in (tight, ("mega", None))
    ]
    try:
        for step in range(STEPS + 1):
            if step:
                world.step()
            if step % EVERY:
                continue
            order = compare(sides, naive, seen, f"seed {seed}, step {step}")
            assert set(order) == set(world.live)
        if seed % VALIDATED == 0:
            validate(sides, f"seed {seed}")
    finally:
        for side in sides:
            side.close()


@pytest.mark.gpu
@pytest.mark.timeout(600)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_changes_keep_the_picture(device, batch):
    naive, seen = NaiveRenderer(device), Seen()
    for seed in range(batch, SEQUENCES, BATCHES):
        run_sequence(device, naive, seed, seen)
    naive.close()
    seen.check_covered()
    assert seen.most["slots"] >= 4
    assert seen.most["pages"] >= 2
    assert seen.mixed >= 5, "too few frames in which slots were drawn in both encodings"
