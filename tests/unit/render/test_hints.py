"""What is given twice, or one by one, is named, with what to write."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import GeometryError, InputError, SceneError
from heapscene.render import Heap, HeapScene, Targets
from heapscene.shader import builtin, f32, fragment, struct, vec3, vec4, vertex


def mesh() -> hs.Mesh:
    return hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red"))


def scene() -> hs.Scene:
    return hs.Scene(mesh(), mesh())


def table() -> hs.DrawTable:
    return hs.DrawTable(hs.UnlitMaterial(), hs.geometry.box(), {"position": [(0, 0, 0)]})


def draw() -> hs.Draw:
    return hs.Draw(
        hs.UnlitMaterial().program, hs.geometry.box(), {"color": "red", "model": np.eye(4)}
    )


@pytest.mark.parametrize("make", [scene, table, draw])
def test_the_same_thing_twice_is_named(device, make: Callable[[], Any]) -> None:
    one, other = make(), make()
    with hs.Renderer((8, 8), device=device) as renderer:
        with pytest.raises(SceneError) as caught:
            renderer.render((one, other, one))
        kind = type(one).__name__
        assert f"the same {kind} is given twice" in str(caught.value)
        assert f"{one!r:.50}" in str(caught.value)
        assert "[0] and [2]" in str(caught.value)
        assert renderer.render((one, other)).any()


def test_a_list_may_be_there_twice_while_it_is_empty(device) -> None:
    nothing: list[Any] = []
    with Heap(device) as heap, HeapScene(device, Targets(), [nothing, nothing], heap=heap) as made:
        assert made.update().draws == 0


def test_generators_are_wrapped_in_a_list(device) -> None:
    for many in ((mesh() for _ in range(2)), {mesh()}, map(str, [1]), {1: mesh()}.values()):
        with pytest.raises(SceneError, match=r"Wrap it in list\(\): Scene\(list"):
            hs.Scene(many)
    group = hs.Group()
    with pytest.raises(SceneError, match="Wrap it in list"):
        group.add(mesh(), (mesh() for _ in range(2)))
    assert repr(group) == "Group(0 children)"
    with hs.Renderer((8, 8), device=device) as renderer:
        with pytest.raises(SceneError, match="Make a list of what is in it"):
            renderer.render(scene() for _ in range(1))
        with pytest.raises(SceneError, match=r"Scene\(mesh\)"):
            renderer.render("scene")


@pytest.mark.parametrize("turn", [hs.rotation_x, hs.rotation_y, hs.rotation_z])
@pytest.mark.parametrize("angle", ["90", None, (1, 2), math.inf, math.nan, [1.0], 1j])
def test_an_angle_is_a_finite_number(turn: Any, angle: Any) -> None:
    with pytest.raises(InputError, match="this angle cannot be used"):
        turn(angle)


def test_an_angle_that_changes_is_mapped() -> None:
    angle = hs.cval(0.5)
    with pytest.raises(InputError, match=r"angle.map\(rotation_y\)"):
        hs.rotation_y(angle)  # pyright: ignore[reportArgumentType]
    assert angle.map(hs.rotation_y).value == hs.rotation_y(0.5)


@struct
class Attributes:
    position: vec3
    shade: f32


@struct
class Varyings:
    clip: vec4 = builtin.position
    shade: f32


@vertex
def place(a: Attributes) -> Varyings:
    return Varyings(clip=vec4(a.position, 1.0), shade=a.shade)


@fragment
def paint(v: Varyings) -> vec4:
    return vec4(v.shade)


def test_an_input_of_a_frame_that_is_nearly_right(device) -> None:
    scene = HeapScene(device, Targets(), [], inputs={"light": (0, 1, 0)})
    with scene, pytest.raises(InputError, match=r"Did you mean 'light'\?"):
        scene.update(inputs={"lights": (1, 0, 0)})


def test_an_attribute_that_is_nearly_right(device) -> None:
    shape = hs.Geometry({"position": np.zeros((3, 3)), "shades": np.zeros(3)})
    draw = hs.Draw(hs.Program(place, paint), shape)
    with hs.Renderer((8, 8), device=device) as renderer, pytest.raises(GeometryError) as caught:
        renderer.render(draw)
    assert "Did you mean 'shades'? Or: Add 'shade' (f32)" in str(caught.value)
    assert "Program(place, paint)" in str(caught.value)
