"""Bounds of a table whose rows only move are those of the stupid way."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import DrawChange
from heapscene.heap import DrawHeap
from heapscene.shader import types

FRAME = {"view": types.MAT4, "proj": types.MAT4}
SHAPE = hs.geometry.box(1, 2, 3)


@pytest.mark.parametrize("place", ["none", "moved", "turned"])
def test_bounds_of_rows_that_move(place: str) -> None:
    rng = np.random.default_rng(3)
    matrix = np.eye(4)
    if place != "none":
        matrix[:3, 3] = (10, -20, 30)
    if place == "turned":
        matrix[:3, :3] = [[0, -2, 0], [1, 0, 0], [0, 0, 1]]
    table = hs.DrawTable(
        hs.UnlitMaterial(),
        geometry=[SHAPE],
        columns={"position": rng.normal(size=(20_000, 3)) * 100},
        transform=None if place == "none" else matrix,
    )
    heap = DrawHeap(1 << 22, FRAME)
    heap.apply([DrawChange(None, table.as_draw())])
    for step in range(6):
        rows = rng.choice(20_000, 500, replace=False)
        table.write("position", rng.normal(size=(500, 3)) * 200, rows)
        table.write("visible", rng.random(20_000) < 0.5)
        if step > 2:
            table.write("position", (np.nan, 5000, 0), rows[:3])
            table.write("visible", True, rows[:3])
        heap.pull()
        np.testing.assert_allclose(heap.world_bounds(), expected(table, matrix), rtol=1e-6)


def expected(table: hs.DrawTable, matrix: np.ndarray) -> np.ndarray:
    shown = table["position"][table["visible"]].astype(np.float64)
    shown = shown[np.isfinite(shown).all(axis=1)]
    corners = np.array(np.meshgrid(*SHAPE.bounds.T)).reshape(3, -1).T
    points = (shown[:, None] + corners).reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([points.min(axis=0), points.max(axis=0)])


def test_the_last_chunk_takes_the_rows_that_are_left() -> None:
    table = hs.DrawTable(
        hs.UnlitMaterial(), geometry=[SHAPE], columns={"position": np.zeros((1000, 3))}
    )
    heap = DrawHeap(1 << 14, FRAME)
    heap.apply([DrawChange(None, table.as_draw())])
    (resident,) = heap._residents.values()
    capacities = [chunk.capacity for chunk in resident.chunks]
    assert len(capacities) > 2
    assert len(set(capacities[:-1])) == 1
    assert sum(capacities) == 1000
