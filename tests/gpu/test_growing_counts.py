"""Counts that grow past what tables were made for, and passes that lack what others have."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.gpu import read_texture
from heapscene.render import OffscreenTarget, Targets
from reference.large_scene import CORNERS, PARTS, PROGRAMS

CAMERA = hs.PerspectiveCamera(position=(0, 0, 3), target=(0, 0, 0), near=0.1, far=10)
TILES_OF_64_KIB = 16_384  # with 64 indices each


def cell(number: int, count=1, visible=True, vertices: int = 6) -> hs.Draw:
    """Return a quad in one of four cells, of a colour of its own."""
    position = np.zeros((vertices, 3), np.float32)
    position[:6, :2] = CORNERS
    color = np.array([0.02 * number, 0.05, 0.1, 0.125], np.float32)
    geometry = hs.Geometry({"position": position} | dict.fromkeys(PARTS, color[None]))
    offset = (number % 2 - 1, number // 2 - 1, 0.5)
    return hs.Draw(PROGRAMS[0], geometry, {"offset": offset}, {}, count, visible)


@pytest.mark.parametrize("encoding", ["mega", "expanded"])
def test_what_grows_past_a_tile_table_is_drawn_with_all_behind_it(device, encoding: str) -> None:
    """A count and a draw that is shown raise the sums as an arrival does."""
    count, shown = hs.cval(1), hs.cval(False)
    vertices = 3 * (TILES_OF_64_KIB * 64 // 9)
    large = cell(1, visible=shown, vertices=vertices)
    what = hs.cset([cell(0, count), large, cell(2), cell(3)])
    with hs.Renderer((8, 8), samples=1, device=device, encoding=encoding) as renderer:
        first = renderer.render(what, CAMERA)
        assert len(np.unique(first.reshape(-1, 4), axis=0)) == 4  # three cells, and nothing
        count.value = TILES_OF_64_KIB * 64 // 9
        assert (renderer.render(what, CAMERA) == first).all()
        shown.value = True
        grown = renderer.render(what, CAMERA)
        assert renderer.report.emitted_indices > TILES_OF_64_KIB * 64
        assert len(np.unique(grown.reshape(-1, 4), axis=0)) == 4
        count.value = 1
        assert (renderer.render(what, CAMERA) == grown).all()
        shown.value = False
        assert (renderer.render(what, CAMERA) == first).all()
        assert renderer.validate().ok


def test_a_pass_without_depth_is_drawn_in_order(device) -> None:
    targets = Targets(depth=None, samples=1)
    target = OffscreenTarget(device, (8, 8), targets)
    scene = hs.HeapScene(device, targets, hs.cset([cell(k) for k in range(4)]))
    scene.update(CAMERA)
    encoder = device.create_command_encoder()
    scene.encode_compute(encoder)
    render_pass = encoder.begin_render_pass(**target.pass_descriptor((0, 0, 0, 1)))
    scene.encode_draws(render_pass)
    render_pass.end()
    device.queue.submit([encoder.finish()])
    picture = read_texture(device, target.color, (8, 8))
    assert len(np.unique(picture.reshape(-1, 4), axis=0)) == 4
    scene.close()
    target.close()
