"""What a frame costs, counted: calls, bytes, nodes, GPU objects."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import heapscene as hs
from heapscene.adaptive import live_nodes

pytestmark = pytest.mark.gpu

RECORD_BYTES = 32


class Grid:
    """Meshes in a cube, each with its own transform and colour cell, over four geometries."""

    def __init__(self, count: int) -> None:
        shapes = [
            hs.geometry.box(),
            hs.geometry.sphere(0.5, (8, 6)),
            hs.geometry.cone(0.5, 1.0, 8),
            hs.geometry.cylinder(0.5, 1.0, 8),
        ]
        side = int(np.ceil(count ** (1 / 3)))
        self.transforms = []
        self.colors = []
        self.meshes = []
        for k in range(count):
            matrix = np.eye(4)
            matrix[:3, 3] = np.unravel_index(k, (side,) * 3)
            matrix[:3, :3] *= 0.5
            self.transforms.append(hs.cval(matrix))
            self.colors.append(hs.cval((k % 17 / 17, k % 23 / 23, k % 5 / 5)))
            self.meshes.append(
                hs.Mesh(
                    shapes[k % 4],
                    hs.PhongMaterial(color=self.colors[k]),
                    transform=self.transforms[k],
                )
            )
        self.scene = hs.Scene(*self.meshes)


@pytest.fixture(scope="module")
def renderer(device):
    with hs.Renderer((160, 120), samples=1, device=device) as renderer:
        yield renderer


@pytest.fixture(scope="module")
def grid():
    return Grid(10_000)


def still(renderer, scene):
    """Draw until nothing is left to do, and return the report of one more frame."""
    for _ in range(3):
        renderer.draw(scene)
    return renderer.draw(scene)


def calls_of(function):
    """Count the Python function calls that ``function()`` makes."""
    count = 0

    def tracer(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(tracer)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_ten_thousand_objects_are_one_or_two_draw_calls(renderer, grid):
    report = still(renderer, grid.scene)
    assert report.draws == report.visible_draws == 10_000
    assert 1 <= report.draw_calls <= 2


def test_a_still_frame_does_nothing(renderer, grid):
    report = still(renderer, grid.scene)
    assert report.bytes_uploaded == 0
    assert report.upload_writes == 0
    assert report.nodes_evaluated == 0
    assert report.compute_passes == 0
    assert report.buffers_created == 0
    assert report.pipelines_created == 0
    assert report.shader_modules_created == 0


def test_a_still_frame_makes_the_same_calls_at_any_size(renderer, grid):
    small = Grid(1_000)
    counts = []
    for scene in (small.scene, grid.scene):
        still(renderer, scene)
        counts.append(calls_of(lambda scene=scene: renderer.draw(scene)))
    assert counts[0] == counts[1]


def test_one_colour_uploads_its_bytes(renderer, grid):
    still(renderer, grid.scene)
    grid.colors[4321].value = (0.1, 0.9, 0.3)
    report = renderer.draw(grid.scene)
    assert 0 < report.bytes_uploaded <= 64
    assert report.upload_writes == 1
    assert report.compute_passes == 0


def test_the_same_colour_again_uploads_nothing(renderer, grid):
    still(renderer, grid.scene)
    grid.colors[77].value = tuple(grid.colors[77].value)
    assert renderer.draw(grid.scene).bytes_uploaded == 0


def test_one_transform_uploads_its_bytes(renderer, grid):
    still(renderer, grid.scene)
    camera = hs.PerspectiveCamera(position=(40, 30, 50), target=(10, 10, 10), near=1, far=200)
    renderer.draw(grid.scene, camera)
    matrix = grid.transforms[5].value.copy()
    matrix[0, 3] += 0.25
    grid.transforms[5].value = matrix
    report = renderer.draw(grid.scene, camera)
    assert 0 < report.bytes_uploaded <= 64


def test_hiding_uploads_one_record_and_makes_nothing(renderer, grid):
    still(renderer, grid.scene)
    mesh = grid.meshes[123]
    nodes = live_nodes()
    mesh.visible = False
    report = renderer.draw(grid.scene)
    assert report.visible_draws == 9_999
    assert 0 < report.bytes_uploaded <= RECORD_BYTES
    assert report.buffers_created == 0
    assert report.pipelines_created == 0
    assert report.nodes_evaluated == 0
    assert live_nodes() == nodes
    mesh.visible = True
    report = renderer.draw(grid.scene)
    assert report.visible_draws == 10_000
    assert 0 < report.bytes_uploaded <= RECORD_BYTES


def test_each_pipeline_is_made_once(device):
    with hs.Renderer((64, 64), device=device) as renderer:
        grid = Grid(500)
        first = renderer.draw(grid.scene)
        assert first.pipelines_created <= 12
        again = renderer.draw(Grid(500).scene)
        assert again.pipelines_created == 0
        assert again.shader_modules_created == 0


def test_emptying_and_refilling_leaves_page_bytes(renderer):
    grid = Grid(2_000)
    renderer.draw(grid.scene)
    stats = []
    for _ in range(10):
        grid.scene.remove(*grid.meshes)
        assert renderer.draw(grid.scene).visible_draws == 0
        grid.scene.add(*grid.meshes)
        assert renderer.draw(grid.scene).visible_draws == 2_000
        stats.append(renderer.stats()["scenes"][-1])
    assert len({(entry["page_bytes"], entry["live_bytes"]) for entry in stats}) == 1
