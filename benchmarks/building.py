"""What a mesh costs until its first frame is encoded: CPU time and memory, for several recipes.

Each figure is the smallest of some rounds, each with a new scene, as CPU time of the process. The
first line is a loop of two million additions on the same machine; docs/performance.md gives times
as they are where that loop takes 0.18 s, and so does this.

    python benchmarks/building.py [--meshes 20000] [--rounds 5]

    cells       a cell for the colour and one for the matrix of each mesh, one geometry
    plain       a colour and a position as they are, one geometry
    mixed       as plain, with 1,000 geometries that take turns
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

import heapscene as hs
from heapscene.gpu import request_device

if TYPE_CHECKING:
    import wgpu

LOOP_S = 0.18  # on the machine of docs/performance.md
GEOMETRIES = 1000
CAMERA = hs.PerspectiveCamera(position=(0, 0, 200), near=1, far=400)


class Recipe:
    """Numbers of all meshes, made beforehand, and how one of the meshes is made."""

    def __init__(self, name: str, count: int) -> None:
        rng = np.random.default_rng(1)
        self.name, self.count = name, count
        self.places: list[Any] = [tuple(row) for row in rng.uniform(-50, 50, (count, 3)).tolist()]
        self.colors: list[Any] = [tuple(row) for row in rng.random((count, 4)).tolist()]
        boxes = [hs.geometry.box(1 + k / GEOMETRIES) for k in range(GEOMETRIES)]
        self.boxes = [boxes[k % GEOMETRIES if name == "mixed" else 0] for k in range(count)]
        if name == "cells":
            matrices = np.tile(np.eye(4), (count, 1, 1))
            matrices[:, :3, 3] = self.places
            self.places = [hs.cval(matrix) for matrix in matrices]
            self.colors = [hs.cval(color) for color in self.colors]
        self.place = "transform" if name == "cells" else "position"

    def meshes(self) -> list[hs.Mesh]:
        """Return new meshes."""
        given = zip(self.boxes, self.colors, self.places, strict=True)
        return [
            hs.Mesh(box, hs.PhongMaterial(color), **{self.place: place})
            for box, color, place in given
        ]


@contextmanager
def timed(times: dict[str, float], name: str) -> Iterator[None]:
    start = time.process_time()
    yield
    times[name] = min(times.get(name, np.inf), time.process_time() - start)


def loop_seconds() -> float:
    """Return the CPU time of two million additions."""
    times: dict[str, float] = {}
    for _ in range(9):
        with timed(times, "loop"):
            total = 0
            for k in range(2_000_000):
                total += k
    return times["loop"]


def one_round(device: wgpu.GPUDevice, recipe: Recipe, times: dict[str, float]) -> None:
    gc.collect()
    scene = hs.Scene()
    with timed(times, "mesh"):
        meshes = recipe.meshes()
    with timed(times, "scene.add"):
        scene.add(meshes)
    with hs.HeapScene(device, hs.Targets(), scene) as drawn:
        with timed(times, "first update"):
            report = drawn.update(CAMERA, inputs={"viewport": (64, 64)})
        assert report.draws == recipe.count
        stages = report.stage_ms
        total = sum(stages.values())
        for stage in ("scene", "heap"):
            spent = stages[stage] / total * times["first update"]
            times[stage] = min(times.get(stage, np.inf), spent)


def kilobytes(device: wgpu.GPUDevice, name: str, count: int) -> float:
    """Return what a mesh keeps: Python objects and NumPy arrays, with its numbers or cells."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    recipe = Recipe(name, count)
    scene = hs.Scene(recipe.meshes())
    with hs.HeapScene(device, hs.Targets(), scene) as drawn:
        drawn.update(CAMERA, inputs={"viewport": (64, 64)})
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert drawn.stats()
    return kept / recipe.count / 1000


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--meshes", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    device = request_device()
    loop = loop_seconds()
    print(f"two million additions: {loop:.3f} s; times are scaled to {LOOP_S} s")
    for name in ("cells", "plain", "mixed"):
        recipe = Recipe(name, options.meshes)
        times: dict[str, float] = {}
        for _ in range(options.rounds):
            one_round(device, recipe, times)
        scaled = {
            step: seconds / options.meshes * 1e6 * LOOP_S / loop for step, seconds in times.items()
        }
        shown = ", ".join(f"{step} {us:.1f} µs" for step, us in scaled.items())
        print(f"{name}: {shown}; {kilobytes(device, name, options.meshes):.2f} kB")


if __name__ == "__main__":
    main()
