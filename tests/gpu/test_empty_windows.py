"""Windows without pixels, and with a single one."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import InputError

NEAR = hs.PerspectiveCamera(position=(0, 0, 1.2), target=(0, 0, 0), near=0.1, far=50)
CAMERA = hs.PerspectiveCamera(position=(0, 0, 3), target=(0, 0, 0), near=0.1, far=50)


def make_scene() -> hs.Scene:
    return hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red")), background="white")


@pytest.mark.parametrize("empty", [(0, 0), (0, 30), (40, 0)])
def test_a_window_without_pixels_skips_frames(device, empty: tuple[int, int]) -> None:
    scene = make_scene()
    with hs.Renderer((40, 30), samples=1, device=device) as renderer:
        picture = renderer.render(scene, CAMERA)
        renderer.resize(empty)
        assert renderer.size == empty
        scene.add(hs.Mesh(hs.geometry.sphere(), hs.UnlitMaterial("blue"), position=(1, 0, 0)))
        posted: list[int] = []
        hs.post(lambda: posted.append(1))
        report = renderer.draw(scene, CAMERA)
        assert (report, renderer.report) == (hs.FrameReport(), hs.FrameReport())
        assert posted == [1]
        assert report.resolve().gpu_ms is None
        assert renderer.render(scene, CAMERA).shape == (empty[1], empty[0], 4)
        renderer.recover(device)
        renderer.resize((40, 30))
        after = renderer.render(scene, CAMERA)
        assert not np.array_equal(after, picture)
    with hs.Renderer((40, 30), samples=1, device=device) as fresh:
        assert np.array_equal(fresh.render(scene, CAMERA), after)


def test_what_was_posted_fails_although_the_frame_is_skipped(device) -> None:
    with hs.Renderer((4, 4), device=device) as renderer:
        renderer.resize((0, 0))
        hs.post(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            renderer.draw(make_scene(), CAMERA)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_one_pixel_is_drawn(device, samples: int, encoding: str) -> None:
    with hs.Renderer((1, 1), samples=samples, device=device, encoding=encoding) as renderer:
        assert renderer.render(make_scene(), NEAR).tolist() == [[[255, 0, 0, 255]]]
        assert renderer.render(hs.Scene(background="white")).tolist() == [[[255] * 4]]


@pytest.mark.parametrize("viewport", [(0, 0), (4, 0), (0, 4), (float("nan"), 4), (-1, 4)])
def test_a_viewport_without_pixels_is_refused(device, viewport: tuple[float, float]) -> None:
    scene = hs.HeapScene(device, hs.Targets(), make_scene())
    with pytest.raises(InputError, match="Skip the frame"):
        scene.update(CAMERA, inputs={"viewport": viewport})
    assert scene.update(CAMERA, inputs={"viewport": (4, 4)}).draws == 1
    scene.close()
