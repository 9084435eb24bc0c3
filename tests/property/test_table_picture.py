"""Tables and draws together are what one draw call per row draws, byte for byte, after any changes."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from heapscene.draw import TableRows
from heapscene.heap import check
from property.test_picture import BACKGROUND, SIZE, Side, frame_values
from reference.naive_renderer import NaiveRenderer, now, row_draws
from reference.table_worlds import TableWorld

SEQUENCES = int(os.environ.get("HEAPSCENE_TABLE_SEQUENCES", "24"))
BATCHES = 6
STEPS = 24
EVERY = 4


def differing(image, want):
    return int((image != want).any(-1).sum())


def allowance(device):
    """Return how many pixels may differ: none, but for GPUs that fuse products and sums.

    The twin composes a row's matrix with NumPy, the heap in the vertex stage: a fused multiply-add
    there moves a vertex by a unit in the last place, and now and then an edge across a pixel centre.
    """
    return 0 if device.adapter.info["adapter_type"] == "CPU" else SIZE[0] * SIZE[1] // 400


def sensitivity(device, order, draw):
    """Return how many pixels may differ in this very picture.

    A face that is seen edge-on comes or goes as a whole: on a GPU that fuses, as many pixels may differ
    as in pictures of the twin whose matrices are changed by one unit in the last place.
    """
    if allowance(device) == 0:
        return 0
    rng = np.random.default_rng(0)
    rows = [
        d for item in order for d in (row_draws(item) if isinstance(item, TableRows) else [item])
    ]
    want = draw(rows)
    return max(differing(draw([shaken(row, rng) for row in rows]), want) for _ in range(12))


def shaken(draw, rng):
    """Return the draw with each number of its matrix one unit in the last place off, or as it is."""
    matrix = np.array(now(draw.inputs.get("model", np.eye(4))), np.float32)
    step = rng.integers(-1, 2, matrix.shape).astype(np.int32)
    # What is 0 or 1 is so without rounding.
    off = np.where(np.isin(matrix, (0, 1)), matrix, (matrix.view(np.int32) + step).view(np.float32))
    return replace(draw, inputs={**draw.inputs, "model": off})


def run_sequence(device, naive, seed):
    """Return (pictures, those covered by 5 % or more, most chunks of a table)."""
    samples = (1, 4)[seed % 2]
    page_bytes = (64 * 1024, 6 * 1024)[seed // BATCHES % 2]
    world = TableWorld(seed)
    sides = [
        Side(device, world.elements, encoding, samples, page_bytes)
        for encoding in ("expanded", "mega")
    ]
    pictures = covered = chunks = 0
    try:
        for step in range(STEPS + 1):
            if step:
                world.step()
            if step % EVERY:
                continue
            images = [side.picture() for side in sides]
            order = sides[0].scene.order()
            assert sides[1].scene.order() == order
            check(sides[0].scene._heap)

            def draw(items, samples=samples):
                return naive.render(
                    items, frame_values(), size=SIZE, samples=samples, background=BACKGROUND
                )

            want = draw(order)
            for side, image in zip(sides, images, strict=True):
                wrong = differing(image, want)
                fused = allowance(device)
                assert wrong <= fused or wrong <= sensitivity(device, order, draw), (
                    f"seed {seed}, step {step}, {side.report.encodings}: {wrong} pixels differ"
                )
            pictures += 1
            covered += (want != want[0, 0]).any(-1).mean() >= 0.05
            parts = [part.table for part in order if isinstance(part, TableRows)]
            chunks = max(chunks, *(parts.count(table) for table in parts))
        for side in sides:
            report = side.scene.validate()
            assert report.ok, f"seed {seed}: {report}"
            assert not report.skipped
    finally:
        for side in sides:
            side.close()
    return pictures, covered, chunks


@pytest.mark.gpu
@pytest.mark.timeout(300)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_changes_of_tables_keep_the_picture(device, batch):
    naive = NaiveRenderer(device)
    pictures = covered = chunks = 0
    for seed in range(batch, SEQUENCES, BATCHES):
        result = run_sequence(device, naive, seed)
        pictures += result[0]
        covered += result[1]
        chunks = max(chunks, result[2])
    naive.close()
    assert covered >= 0.9 * pictures, "too many empty pictures to prove anything"
    assert chunks >= 2
