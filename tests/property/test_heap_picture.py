"""Pictures stay the same, byte for byte, while the heap moves its data about."""

from __future__ import annotations

import numpy as np
import pytest

from reference.naive_renderer import NaiveRenderer
from reference.pictures import Side
from reference.worlds import World

pytestmark = pytest.mark.gpu
STEPS = 24


def restless(side: Side, most_bytes: int) -> Side:
    """Let a scene compact whatever it can, a little in each frame."""
    compactor = side.scene._heap.memory.compactor
    compactor.waste_share = compactor.least_waste = 0
    compactor.most_bytes = most_bytes
    return side


@pytest.mark.parametrize("seed", range(6))
def test_compaction_keeps_the_picture(device, seed):
    naive = NaiveRenderer(device)
    samples = (1, 4)[seed % 2]
    world = World(500 + seed)
    sides = [
        restless(Side(device, world, encoding, samples, page_bytes), most_bytes)
        for encoding in ("expanded", "mega")
        for page_bytes, most_bytes in ((64 * 1024, 2**23), (4096, 400))
    ]
    moved = 0
    try:
        for step in range(STEPS):
            for _ in range(4):
                world.step()
            images = [side.picture() for side in sides]
            moved += sum(side.report.bytes_moved > 0 for side in sides)
            if step % 3 == 0:
                for side in sides:
                    side.scene._heap.memory.compact()
            for side, image in zip(sides, images, strict=True):
                assert np.array_equal(image, side.twin(naive)), (seed, step, side.report.encodings)
    finally:
        for side in sides:
            side.close()
        naive.close()
    assert moved > 5


def test_moving_costs_an_upload_and_no_kernel(device):
    world = World(3)
    side = Side(device, world, "expanded", 1)
    side.picture()
    for _ in range(6):
        world.remove()
        world.add()
    before = side.picture()
    assert side.scene._heap.memory.compact() > 0
    after = side.picture()
    assert side.report.compute_passes == 0
    assert side.report.bytes_uploaded > 0
    assert np.array_equal(before, after)
    still = side.picture()
    assert side.report.bytes_uploaded == 0
    assert np.array_equal(before, still)
    side.close()
