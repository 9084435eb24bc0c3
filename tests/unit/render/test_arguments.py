"""Arguments of the wrong kind are refused when they are given, and closed objects say that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import check_mapping
from heapscene.errors import FrameOrderError, InputError, SceneError, ShaderTypeError, StateError
from heapscene.render.frame_inputs import FrameInputs

UNLIT = hs.UnlitMaterial().program
NAN = float("nan")


@pytest.mark.parametrize(
    "values",
    [
        {"colors": None}, {"colors": {"color": 5}}, {"colors": {"color": "nonsense"}},
        {"colors": {5: "rgba8unorm"}}, {"samples": True}, {"samples": "4"}, {"samples": 2},
        {"samples": np.array([1, 4])}, {"depth": []}, {"depth": np.zeros(2)}, {"stencil": 1},
    ],
)  # fmt: skip
def test_targets(values: dict[str, Any]) -> None:
    with pytest.raises(StateError):
        hs.Targets(**values)


def test_targets_do_not_change_later() -> None:
    colors = {"color": "rgba8unorm-srgb"}
    targets = hs.Targets(colors=colors)
    colors["color"] = "nonsense"
    assert dict(targets.colors) == {"color": "rgba8unorm-srgb"}


@pytest.mark.parametrize(
    "values",
    [
        {"write_mask": 5}, {"write_mask": ["r"]}, {"depth_bias": "x"}, {"depth_bias": 1.5},
        {"depth_bias": 2**40}, {"depth_bias": True}, {"depth_bias_clamp": NAN}, {"blend": np.zeros(2)},
        {"depth_bias_slope_scale": float("inf")}, {"depth_write": "no"}, {"alpha_to_coverage": 1},
        {"topology": None}, {"topology": []},
    ],
)  # fmt: skip
def test_states(values: dict[str, Any]) -> None:
    with pytest.raises(StateError):
        hs.PipelineState(**values)


@pytest.mark.parametrize(
    "limits", [5, {"nothing": (0, 1)}, {"color": 5}, {"color": (1, 0)}, {"color": (0, "1")}]
)
def test_limits_of_programs(limits: Any) -> None:
    with pytest.raises(ShaderTypeError, match="limits"):
        hs.Program(UNLIT._vertex, UNLIT._fragment, limits=limits)


@pytest.mark.parametrize(
    "options",
    [
        {"page_bytes": "x"}, {"page_bytes": 65536.5}, {"page_bytes": 2**40}, {"page_bytes": -1},
        {"page_bytes": True}, {"expanded_bytes": "x"}, {"expanded_bytes": -1}, {"inputs": 5},
        {"inputs": {5: 1.0}}, {"inputs": {"a b": 1.0}}, {"inputs": {"light": [[1], [1, 2]]}},
        {"heap": 5}, {"heap": 5, "page_bytes": 65536}, {"encoding": []}, {"encoding": np.zeros(2)},
    ],
)  # fmt: skip
def test_heap_scenes(options: dict[str, Any], device: Any) -> None:
    with pytest.raises(InputError):
        hs.HeapScene(device, hs.Targets(), (), **options)


@pytest.mark.parametrize("wrong", [None, 5, "gpu", hs.HeapScene])
def test_devices_and_targets(wrong: Any, device: Any) -> None:
    with pytest.raises(InputError, match="not a device"):
        hs.HeapScene(wrong, hs.Targets())
    with pytest.raises(InputError, match="not a device"):
        hs.Heap(wrong)
    with pytest.raises(InputError, match="targets"):
        hs.HeapScene(device, wrong)


MADE: dict[str, Callable[[], Any]] = {
    "program of a draw": lambda: hs.Draw(5, hs.geometry.box()),
    "inputs": lambda: hs.Draw(UNLIT, hs.geometry.box(), 5),
    "visible": lambda: hs.Draw(UNLIT, hs.geometry.box(), visible="yes"),
    "rules": lambda: hs.Draw(UNLIT, hs.geometry.box(), rules=5),
    "program of a table": lambda: hs.DrawTable(5, hs.geometry.box(), {}),
    "columns": lambda: hs.DrawTable(UNLIT, hs.geometry.box(), 5),
    "background": lambda: hs.Scene(background=5),
    "mapping": lambda: check_mapping("inputs", [("color", 5)]),
    "frame input": lambda: FrameInputs({"": 1.0}),
}


@pytest.mark.parametrize("name", MADE)
def test_arguments(name: str) -> None:
    with pytest.raises(InputError):
        MADE[name]()


@pytest.mark.parametrize("name", [[], np.zeros(0), np.broadcast_to(0, (2**33, 3)), None, 5])
def test_names_of_columns(name: Any) -> None:
    table = hs.DrawTable(hs.UnlitMaterial(), hs.geometry.box(), {"position": (0, 0, 0)})
    with pytest.raises(InputError, match="no column"):
        table[name]
    with pytest.raises(InputError, match="no column"):
        table.write(name, 5)


@pytest.mark.parametrize("what", [hs.Scene, hs.DrawTable, 5, None, {}, "scene"])
def test_what_cannot_be_rendered(what: Any, device: Any) -> None:
    with hs.Renderer((4, 4), device=device) as renderer:
        with pytest.raises(SceneError):
            renderer.render(what)
        with pytest.raises(InputError):
            renderer.render(hs.Scene(), hs.PerspectiveCamera)


def test_closed_objects_say_so(device: Any) -> None:
    renderer = hs.Renderer((4, 4), device=device)
    renderer.close()
    scene = hs.HeapScene(device, hs.Targets())
    scene.close()
    heap = hs.Heap(device)
    heap.close()
    draw = hs.Draw(UNLIT, hs.geometry.box(), {"model": np.eye(4), "color": (1, 0, 0)})
    for call in (
        lambda: renderer.order(hs.Scene()),
        lambda: renderer.resize((5, 5)),
        renderer.fit,
        renderer.stats,
        renderer.validate,
        renderer.recover,
        renderer.__enter__,
        lambda: scene.add(draw),
        lambda: scene.remove(draw),
        scene.order,
        scene.fit,
        scene.stats,
        scene.ready,
        scene.world_bounds,
        scene.validate,
        scene.__enter__,
        heap.stats,
        heap.__enter__,
    ):
        with pytest.raises(FrameOrderError, match="closed"):
            call()
    with pytest.raises(FrameOrderError, match=r"Renderer\(\(4, 4\)\)"):
        renderer.fit()
    for closed in (renderer, scene, heap):
        closed.close()  # closing twice is fine


@pytest.mark.parametrize("wrong", [5, None, hs.geometry.box(), hs.Scene()])
def test_only_draws_and_tables_are_added_by_hand(wrong: Any, device: Any) -> None:
    scene = hs.HeapScene(device, hs.Targets())
    for call in (scene.add, scene.remove):
        with pytest.raises(SceneError, match="neither a draw nor a table"):
            call(wrong)
    assert scene.update().draws == 0
    scene.close()


def test_a_wrong_value_is_told_by_every_scene_of_a_heap(device: Any) -> None:
    color = hs.cval("red")
    box = hs.geometry.box()
    shows = hs.Scene(hs.Mesh(box, hs.UnlitMaterial(color)))
    other = hs.Scene(hs.Mesh(box, hs.UnlitMaterial("blue")))
    with hs.Heap(device) as heap:
        scenes = [hs.HeapScene(device, hs.Targets(), what, heap=heap) for what in (shows, other)]
        for scene in scenes:
            scene.update()
        color.value = (255, 0, 0)
        for scene in (*reversed(scenes), *scenes):
            with pytest.raises(InputError, match="Divide by 255"):
                scene.update()
        color.value = "lime"
        for scene in scenes:
            assert scene.update().draws == 1


def test_matrices_of_a_camera_are_looked_at(device: Any) -> None:
    class Camera:
        def __init__(self, found: Any) -> None:
            self.found = found

        def matrices(self, aspect: float, bounds: Any) -> Any:
            return self.found

    good = hs.PerspectiveCamera().matrices(1.0, np.zeros((2, 3)))
    scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial()))
    with hs.Renderer((4, 4), samples=1, device=device) as renderer:
        before = renderer.render(scene, Camera(good))
        for wrong in (
            None,
            5,
            good._replace(view=np.eye(3)),
            good._replace(proj=np.full((4, 4), NAN)),
        ):
            with pytest.raises(InputError):
                renderer.render(scene, Camera(wrong))
        assert (renderer.render(scene, Camera(good)) == before).all()
