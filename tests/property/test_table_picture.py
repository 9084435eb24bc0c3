"""Tables and draws together are what one draw call per row draws, byte for byte, after any changes."""

from __future__ import annotations

import os

import pytest

from heapscene.draw import TableRows
from heapscene.heap import check
from reference.naive_renderer import NaiveRenderer
from reference.pictures import Seen, Side, compare, validate
from reference.table_worlds import TableWorld

SEQUENCES = int(os.environ.get("HEAPSCENE_TABLE_SEQUENCES", "24"))
BATCHES = 6
STEPS = 24
EVERY = 4


def run_sequence(device, naive, seed, seen):
    samples = (1, 4)[seed % 2]
    page_bytes = (64 * 1024, 6 * 1024)[seed // BATCHES % 2]
    world = TableWorld(seed)
    sides = [
        Side(device, world.elements, encoding, samples, page_bytes)
        for encoding in ("expanded", "mega")
    ]
    try:
        for step in range(STEPS + 1):
            if step:
                world.step()
            if step % EVERY:
                continue
            order = compare(sides, naive, seen, f"seed {seed}, step {step}")
            check(sides[0].scene._heap)
            parts = [part.table for part in order if isinstance(part, TableRows)]
            seen.most |= {"chunks": max(parts.count(table) for table in parts)}
        validate(sides, f"seed {seed}")
    finally:
        for side in sides:
            side.close()


@pytest.mark.gpu
@pytest.mark.timeout(300)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_changes_of_tables_keep_the_picture(device, batch):
    naive, seen = NaiveRenderer(device), Seen()
    for seed in range(batch, SEQUENCES, BATCHES):
        run_sequence(device, naive, seed, seen)
    naive.close()
    seen.check_covered()
    assert seen.most["chunks"] >= 2
