"""A program that captures adaptive values draws what one with the same inputs draws, and follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import ShaderError, ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    Program,
    compute,
    f32,
    flat,
    fragment,
    function,
    mat4,
    storage,
    struct,
    vec3,
    vec4,
    vertex,
)
from heapscene.shader import builtin as values
from reference.naive_renderer import NaiveRenderer

SIZE = (64, 48)
CAMERA = hs.PerspectiveCamera(position=(2.0, 2.0, 3.0), target=(0.0, 0.0, 0.0))
lift = hs.cval(0.25)
tint = hs.cval(vec3(1.0, 0.5, 0.25))
out = storage("out", f32, binding=0, access="read_write")


@struct
class Attributes:
    position: vec3
    normal: vec3


@struct
class Inputs:
    model: mat4
    view: mat4
    proj: mat4


@struct
class AllInputs:
    model: mat4
    view: mat4
    proj: mat4
    lift: f32


@struct
class Tint:
    tint: vec3


@struct
class Varyings:
    clip: vec4 = values.position
    normal: vec3


@function
def lifted(p: vec3) -> vec4:
    return vec4(p.x, p.y + lift, p.z, 1.0)


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    return Varyings(clip=u.proj @ u.view @ u.model @ lifted(a.position), normal=a.normal)


@fragment
def shade(v: Varyings) -> vec4:
    return vec4(tint * (0.6 + 0.4 * v.normal.y), 1.0)


@vertex
def place_by_input(a: Attributes, u: AllInputs) -> Varyings:
    p = vec4(a.position.x, a.position.y + u.lift, a.position.z, 1.0)
    return Varyings(clip=u.proj @ u.view @ u.model @ p, normal=a.normal)


@fragment
def shade_by_input(v: Varyings, u: Tint) -> vec4:
    return vec4(u.tint * (0.6 + 0.4 * v.normal.y), 1.0)


CAPTURES = Program(place, shade)
GIVEN = Program(place_by_input, shade_by_input)


def draws(program: Program, **given: Any) -> list[hs.Draw]:
    made: list[hs.Draw] = []
    for number in range(3):
        model = np.eye(4)
        model[:3, 3] = (1.2 * number - 1.2, 0, 0)
        made.append(hs.Draw(program, hs.geometry.box(), {"model": model, **given}))
    return made


def test_it_is_an_input_with_that_value() -> None:
    face = CAPTURES.interface
    assert str(face.inputs["lift"]) == "f32"
    assert face.captured == {"lift": lift, "tint": tint}
    (draw, *_) = draws(CAPTURES)
    assert draw.inputs["lift"] is lift
    assert draws(CAPTURES, lift=1.0)[0].inputs["lift"] == 1.0


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_pictures_follow_the_value(encoding: Any, device: Any) -> None:
    with hs.Renderer(SIZE, encoding=encoding, device=device) as renderer:
        scene = hs.Scene(*draws(CAPTURES))
        before = renderer.render(scene, CAMERA)
        lift.value, tint.value = 0.75, vec3(0.0, 1.0, 0.5)
        after = renderer.render(scene, CAMERA)
        uploaded = renderer.report.bytes_uploaded
        lift.value, tint.value = 0.25, vec3(1.0, 0.5, 0.25)
    assert uploaded <= 128  # one value is one allocation, whoever reads it
    for picture, height, color in ((before, 0.25, (1, 0.5, 0.25)), (after, 0.75, (0, 1, 0.5))):
        with hs.Renderer(SIZE, encoding=encoding, device=device) as renderer:
            scene = hs.Scene(*draws(GIVEN, lift=height, tint=color))
            np.testing.assert_array_equal(renderer.render(scene, CAMERA), picture)
    assert (before != after).any(axis=2).mean() > 0.05


def test_in_direct_form(device: Any) -> None:
    naive = NaiveRenderer(device)
    frame = {"view": np.eye(4), "proj": np.diag([0.5, 0.5, 0.1, 1.0])}
    captured = naive.render(draws(CAPTURES), frame, size=SIZE)
    given = naive.render(draws(GIVEN, lift=0.25, tint=(1, 0.5, 0.25)), frame, size=SIZE)
    np.testing.assert_array_equal(captured, given)
    assert (given != given[0, 0]).any(axis=2).mean() > 0.05
    naive.close()


def test_rows_of_a_table_share_it(device: Any) -> None:
    place_of = np.array([[-1.2, 0, 0], [0, 0, 0], [1.2, 0, 0]])
    pictures = []
    for program, given in ((CAPTURES, {}), (GIVEN, {"lift": 0.25, "tint": (1, 0.5, 0.25)})):
        columns = {name: np.tile(np.float32(value), (3, 1)) for name, value in given.items()}
        if "lift" in columns:
            columns["lift"] = columns["lift"][:, 0]
        table = hs.DrawTable(program, hs.geometry.box(), {"position": place_of, **columns})
        with hs.Renderer(SIZE, device=device) as renderer:
            pictures.append(renderer.render(hs.Scene(table), CAMERA))
    np.testing.assert_array_equal(*pictures)


def test_in_cpython_it_is_its_value() -> None:
    assert lifted(vec3(0.0)).y == 0.25
    height = hs.computed(lambda: float(lifted(vec3(0.0)).y))
    lift.value = 0.5
    assert height.force() == 0.5
    lift.value = 0.25
    assert height.force() == 0.25


def test_the_hash_has_the_name_and_type_not_the_value() -> None:
    before = Program(place, shade).hash
    lift.value = 9.0
    assert Program(place, shade).hash == before
    lift.value = 0.25


def fragment_of(value: Any, text: str = "vec4(level)") -> Any:
    body = f"@fragment(source=TEXT)\ndef shade_it(v: Varyings) -> vec4:\n    return {text}\n"
    scope = {"TEXT": body, "fragment": fragment, "Varyings": Varyings, "vec4": vec4, "level": value}
    exec(body, scope)
    return scope["shade_it"]


def test_what_is_refused() -> None:
    with pytest.raises(ShaderError, match="adaptive value of a str"):
        _ = fragment_of(hs.cval("tomato")).ir

    @compute(workgroup_size=1)
    def run() -> None:
        out[0] = lift

    with pytest.raises(ShaderTypeError, match="nothing gives the captured adaptive value 'lift'"):
        _ = ComputeProgram(run).wgsl

    @function
    def writes(x: f32) -> f32:
        tint[0] = x
        return x

    with pytest.raises(ShaderTypeError, match="outside of shaders"):
        _ = writes.ir

    @struct
    class Lift:
        lift: f32 = flat

    @fragment
    def both(v: Varyings, u: Lift) -> vec4:
        return vec4(u.lift)

    with pytest.raises(ShaderTypeError, match="also a captured adaptive value") as caught:
        Program(place, both)
    assert "Lift.lift, read by both" in str(caught.value)
    assert f"{__file__}:" in str(caught.value)

    other = hs.cval(1.0)

    def second() -> Any:
        lift = other

        @fragment
        def shade_it(v: Varyings) -> vec4:
            return vec4(lift)

        return shade_it

    with pytest.raises(ShaderTypeError, match="two adaptive values have the name 'lift'"):
        Program(place, second())
