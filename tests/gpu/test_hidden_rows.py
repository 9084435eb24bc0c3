"""Hidden rows leave their room to others; shown again, they may find it taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import HeapFullError
from heapscene.heap import check

CAMERA = hs.PerspectiveCamera(position=(0, 0, 5), near=0.1, far=10)
PLANE = hs.geometry.plane(0.3, 0.3)  # of six indices
ROWS = 20


def rows(height: float, color: str, *, visible: bool) -> hs.DrawTable:
    position = np.zeros((ROWS, 3))
    position[:, 0], position[:, 1] = np.linspace(-2, 2, ROWS), height
    return hs.DrawTable(hs.UnlitMaterial(color), PLANE, {"position": position, "visible": visible})


@pytest.mark.parametrize("encoding", ["mega", "expanded"])
@pytest.mark.parametrize("many", [ROWS, 15])
def test_rows_that_are_shown_past_a_limit_are_refused_until_fewer_are(
    encoding: str, many: int, device: Any
) -> None:
    first, second = rows(0.5, "red", visible=False), rows(-0.5, "blue", visible=True)
    color = hs.cval("lime")
    beside = hs.Mesh(hs.geometry.box(), hs.PhongMaterial(color), position=(0, 0, -2))
    scene = hs.Scene(beside)
    with (
        hs.Renderer((24, 24), samples=1, device=device, encoding=encoding) as renderer,
        hs.Renderer((24, 24), samples=1, device=device, encoding=encoding) as fresh,
    ):
        renderer.render(scene, CAMERA)
        heap = renderer._scene_of(scene)._heap
        heap.memory.limits.emitted = 200
        scene.add(first, second)
        before = renderer.render(scene, CAMERA)
        assert (renderer.report.pages, renderer.report.emitted_indices) == (1, 36 + 6 * ROWS)
        order = renderer.order(scene)

        first.write("visible", True, slice(0, many))
        color.value = "yellow"
        for _ in range(3):
            with pytest.raises(HeapFullError) as caught:
                renderer.render(scene, CAMERA)
            assert f"emit {6 * (ROWS + many)} indices" in str(caught.value)
            assert "limit  200" in str(caught.value)
            check(heap)
            assert renderer.order(scene) == order

        first.write("visible", False, slice(13, many))  # 6 * 33 = 198
        shown = renderer.render(scene, CAMERA)
        assert (shown != before).any()
        assert (shown == fresh.render(scene, CAMERA)).all()
        assert renderer.validate().ok
        first.write("visible", False)
        color.value = "lime"
        assert (renderer.render(scene, CAMERA) == before).all()


def test_a_mask_of_rows_and_a_draw_are_refused_alike(device: Any) -> None:
    """A draw that is shown goes to another page; if it passes the limit alone, nobody can place it."""
    count = hs.cval(1)
    draw = hs.Draw(
        hs.UnlitMaterial().program, PLANE, {"model": np.eye(4), "color": "red"}, {}, count, False
    )
    what = hs.cset([draw])
    with hs.Renderer((8, 8), samples=1, device=device) as renderer:
        blank = renderer.render(what, CAMERA)
        renderer._scene_of(what)._heap.memory.limits.emitted = 200
        count.value = 40
        for _ in range(2):
            with pytest.raises(HeapFullError, match=r"indices\s+240\n\s+limit\s+200"):
                renderer.render(what, CAMERA)
        count.value = 33
        assert (renderer.render(what, CAMERA) == blank).all()
        assert renderer.validate().ok
