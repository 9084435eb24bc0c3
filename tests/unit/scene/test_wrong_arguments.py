"""Arguments that mean nothing are refused by name, where Python would fail somewhere inside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import DrawChange
from heapscene.errors import GeometryError, HeapsceneError, InputError, LoadError, SceneError
from heapscene.heap import DrawHeap, check
from heapscene.shader import types

ODD: list[Any] = [None, "up", 1j, object(), [1, [2]], np.zeros(3), np.array("x"), {}, hs.cval(1.0)]
BOX = hs.geometry.box()
RED = hs.UnlitMaterial("red")
REFUSED: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "rotation_x": (InputError, hs.rotation_x),
    "rotation_y": (InputError, hs.rotation_y),
    "rotation_z": (InputError, hs.rotation_z),
    "aspect": (InputError, lambda x: hs.PerspectiveCamera().matrices(x, np.zeros((2, 3)))),
    "bounds": (InputError, lambda x: hs.OrthographicCamera().matrices(1.0, x)),
    "load": (LoadError, hs.load),
    "picture": (InputError, lambda x: hs.save_image("/tmp/picture.png", x)),
    "flat normals": (GeometryError, hs.geometry.flat_normals),
    "with normals": (GeometryError, hs.geometry.with_normals),
    "pinned": (InputError, RED.program.pinned),
    "remove": (SceneError, lambda x: hs.Group(hs.Mesh(BOX, RED)).remove(x)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_name(name: str) -> None:
    error, call = REFUSED[name]
    for odd in ODD:
        with pytest.raises(error):
            call(odd)


@pytest.mark.parametrize("angle", [float("nan"), float("inf"), np.broadcast_to(0.0, (2**33,))])
def test_an_angle_is_one_finite_number(angle: Any) -> None:
    with pytest.raises(InputError, match="finite radians"):
        hs.rotation_z(angle)
    assert hs.rotation_z(np.float32(0)) == hs.rotation_z(0) == (0, 0, 0, 1)


@pytest.mark.parametrize("path", [5, np.zeros(3), object(), hs.cval("a.png")])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(InputError, match="is not a path"):
        hs.save_image(path, np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(LoadError, match="is not a path"):
        hs.load(path)


def test_a_function_of_values_takes_values() -> None:
    with pytest.raises(TypeError, match=r"int is not an adaptive value[\s\S]*hs\.constant"):
        hs.amap(max, hs.cval(1), 2)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="not an adaptive value"):
        hs.cval(1).map(max, 2)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seconds", ["1.5", float("nan"), 1j, np.zeros(2), object()])
def test_a_clock_is_moved_to_a_number(seconds: Any) -> None:
    before = hs.clock().force()
    with pytest.raises(InputError, match="finite number of seconds"):
        hs.tick_clock(seconds)
    assert hs.clock().force() == before


def test_children_of_an_adaptive_value_that_have_no_hash() -> None:
    children: hs.CVal[Any] = hs.cval(None)
    group = hs.Group(children)
    scene = hs.Scene(group)
    reader = scene.draw_reader()
    reader.changes()
    children.value = [np.zeros(3)]
    for _ in range(2):
        with pytest.raises(SceneError, match="ndarray cannot be a child"):
            reader.changes()
    children.value = [hs.Mesh(BOX, RED)]
    assert len(reader.changes()) == 1


WRONG_SHOWN: list[Any] = ["yes", 1, None, np.array([True, False]), 0.5]


@pytest.mark.parametrize("wrong", WRONG_SHOWN, ids=str)
@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("inside", [False, True])
def test_what_is_visible_is_true_or_false(wrong: Any, count: int, inside: bool) -> None:
    """An adaptive value is held to what a plain one is, wherever it is read."""
    shown = hs.cval(True)
    place = hs.cval((0.0, 0, 0))
    meshes = [hs.Mesh(BOX, RED, visible=shown, position=place) for _ in range(count)]
    table = hs.DrawTable(RED, BOX, {"position": np.zeros((3, 3))})
    outer = hs.Group(*meshes, table, visible=hs.cval(True) if inside else True)
    heap = DrawHeap(1 << 20, {"view": types.MAT4, "proj": types.MAT4})
    heap.apply(hs.Scene(hs.Group(outer, visible=shown)).draw_reader().changes())
    assert heap.visible_count == count + 3
    with hs.transact():
        shown.value, place.value = wrong, (1.0, 0, 0)
    for _ in range(2):
        with pytest.raises(InputError, match="visible has to be True or False"):
            heap.pull()
        check(heap)
    assert heap.visible_count == count + 3
    assert heap.world_bounds()[1, 0] == 1.5  # the rest is up to date
    shown.value = False
    heap.pull()
    assert heap.visible_count == 0


@pytest.mark.parametrize("wrong", WRONG_SHOWN, ids=str)
def test_what_arrives_is_true_or_false(wrong: Any) -> None:
    heap = DrawHeap(1 << 20, {"view": types.MAT4, "proj": types.MAT4})
    draws = [
        hs.Draw(
            RED.program, BOX, {"model": np.eye(4), "color": (k / 99, 0, 0)}, visible=hs.cval(wrong)
        )
        for k in range(30)
    ]
    for some in (draws, draws[:1]):
        with pytest.raises(HeapsceneError, match="visible has to be"):
            heap.apply([DrawChange(None, draw) for draw in some])
        assert heap.draw_count == 0


def test_a_target_that_is_none_is_refused(device: Any) -> None:
    scene: Any = hs.Scene(hs.Mesh(BOX, RED))
    with hs.Renderer((8, 8), samples=1, device=device) as renderer:
        for odd in ("target", 5, Path()):
            with pytest.raises(InputError, match="target"):
                renderer.draw(scene, target=odd)


def test_holes_are_closed_at_once(device: Any) -> None:
    places = [(k % 7 - 3, k // 7 - 3, -5) for k in range(49)]
    meshes = [
        hs.Mesh(hs.geometry.sphere(0.3 + k / 100), RED, position=p) for k, p in enumerate(places)
    ]
    scene = hs.Scene(*meshes)
    with hs.Renderer((24, 24), samples=1, device=device) as renderer:
        assert renderer.compact() == 0
        renderer.render(scene)
        scene.remove(*meshes[::3])
        before = renderer.render(scene)
        waste = renderer._scene_of(scene).stats()["waste_bytes"]
        assert waste > 0
        assert renderer.compact() > 0
        assert renderer._scene_of(scene).stats()["waste_bytes"] == 0
        assert (renderer.render(scene) == before).all()
        assert renderer.validate().ok
    with pytest.raises(HeapsceneError, match="closed"):
        renderer.compact()
