"""A chain of functions draws what one function written by hand draws, in the direct and heap form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import ShaderTypeError
from heapscene.shader import (
    Program,
    builtin,
    dot,
    f32,
    fragment,
    mat4,
    max,
    normalize,
    sin,
    struct,
    vec3,
    vec4,
    vertex,
)
from reference.naive_renderer import NaiveRenderer
from reference.structs import Attributes, Inputs

SIZE = (96, 64)


@struct
class Placed:
    clip: vec4 = builtin.position
    world: vec3
    normal: vec3


@vertex
def place(a: Attributes, u: Inputs) -> Placed:
    world = u.model @ vec4(a.position, 1.0)
    normal = u.model @ vec4(a.normal, 0.0)
    return Placed(clip=u.proj @ (u.view @ world), world=world.xyz, normal=normal.xyz)


@struct
class World:
    world: vec3
    normal: vec3


@struct
class Rings:
    rings: f32


@struct
class Ringed:
    normal: vec3
    wave: f32


@vertex
def ring(w: World, u: Rings) -> Ringed:
    wave = sin(w.world.x * u.rings)
    return Ringed(wave=wave, normal=normalize(w.normal + vec3(0.5 * wave, 0.0, 0.0)))


@struct
class Shaded:
    wave: f32


@struct
class Paint:
    color: vec4


@fragment
def paint(v: Shaded, u: Paint) -> vec4:
    return vec4(u.color.xyz * (0.6 + 0.4 * v.wave), 1.0)


@struct
class Painted:
    color: vec4
    normal: vec3


@fragment
def light(p: Painted) -> vec4:
    return vec4(p.color.xyz * max(dot(normalize(p.normal), vec3(0.0, 0.6, 0.8)), 0.1), 1.0)


@struct
class AllInputs:
    model: mat4
    view: mat4
    proj: mat4
    rings: f32


@struct
class Varyings:
    clip: vec4 = builtin.position
    normal: vec3
    wave: f32


@vertex
def by_hand(a: Attributes, u: AllInputs) -> Varyings:
    world = u.model @ vec4(a.position, 1.0)
    turned = u.model @ vec4(a.normal, 0.0)
    wave = sin(world.x * u.rings)
    normal = normalize(turned.xyz + vec3(0.5 * wave, 0.0, 0.0))
    return Varyings(clip=u.proj @ (u.view @ world), normal=normal, wave=wave)


@fragment
def shaded_by_hand(v: Varyings, u: Paint) -> vec4:
    color = u.color.xyz * (0.6 + 0.4 * v.wave)
    return vec4(color * max(dot(normalize(v.normal), vec3(0.0, 0.6, 0.8)), 0.1), 1.0)


CHAIN = Program([place, ring], [paint, light])
SINGLE = Program(by_hand, shaded_by_hand)
CAMERA = hs.PerspectiveCamera(position=(2.0, 2.0, 3.0), target=(0.0, 0.0, 0.0))


def draws(program: Program) -> list[hs.Draw]:
    made: list[hs.Draw] = []
    for number in range(3):
        model = np.eye(4)
        model[:3, 3] = (1.2 * number - 1.2, 0, 0)
        values = {"model": model, "rings": 6.0, "color": (1, 0.5, 0.3 * number, 1)}
        known = {name: value for name, value in values.items() if name in program.interface.inputs}
        made.append(hs.Draw(program, hs.geometry.torus(), known))
    return made


def in_heap_form(program: Program, encoding: Any, device: Any) -> Any:
    with hs.Renderer(SIZE, encoding=encoding, device=device) as renderer:
        return renderer.render(hs.Scene(*draws(program)), CAMERA)


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_in_heap_form(encoding: Any, device: Any) -> None:
    expected = in_heap_form(SINGLE, encoding, device)
    assert (expected != expected[0, 0]).any(axis=2).mean() > 0.1
    np.testing.assert_array_equal(in_heap_form(CHAIN, encoding, device), expected)


def test_in_direct_form(device: Any) -> None:
    naive = NaiveRenderer(device)
    frame = {"view": np.eye(4), "proj": np.diag([0.5, 0.5, 0.1, 1.0])}
    single, chain = (naive.render(draws(p), frame, size=SIZE) for p in (SINGLE, CHAIN))
    assert (single != single[0, 0]).any(axis=2).mean() > 0.1
    np.testing.assert_array_equal(chain, single)
    naive.close()


@struct
class Two:
    extra: vec4
    color: vec4
    depth: f32 = builtin.frag_depth


@fragment
def two_outputs(v: Varyings, u: Paint) -> Two:
    return Two(extra=vec4(v.wave), color=u.color, depth=0.25)


@struct
class OnlyColor:
    color: vec4
    depth: f32 = builtin.frag_depth


@fragment
def one_output(u: Varyings, p: Paint) -> OnlyColor:
    return OnlyColor(color=p.color, depth=0.25)


def test_outputs_without_a_target_are_left_out(device: Any) -> None:
    both, one = Program(by_hand, two_outputs), Program(by_hand, one_output)
    expected = in_heap_form(one, "expanded", device)
    np.testing.assert_array_equal(in_heap_form(both, "expanded", device), expected)
    assert both.pinned(["color"]).interface.varyings == {}


def spread(count: int, *, reads_input: bool) -> Program:
    """A program whose stages share that many numbers."""
    fields = "".join(f"    v{k}: f32\n" for k in range(count))
    values = ", ".join(f"v{k}={k}.0" for k in range(count))
    total = " + ".join(f"v.v{k}" for k in range(count))
    clip = "u.proj @ u.view @ u.model @ vec4(a.position, 1.0)"
    vertex_text = (
        f"def far(a: Attributes, u: Inputs) -> Many:\n    return Many(clip={clip}, {values})\n"
    )
    fragment_text = f"def near(v: Many, u: Paint) -> vec4:\n    return vec4(({total}) / 120.0)"
    fragment_text += " * u.color\n" if reads_input else "\n"
    scope = {**globals(), "VERTEX": vertex_text, "FRAGMENT": fragment_text}
    exec(
        f"@struct\nclass Many:\n    clip: vec4 = builtin.position\n{fields}\n"
        f"@vertex(source=VERTEX)\n{vertex_text}\n@fragment(source=FRAGMENT)\n{fragment_text}",
        scope,
    )
    return Program(scope["far"], scope["near"])


def test_as_many_varyings_as_every_device_takes(device: Any) -> None:
    image = in_heap_form(spread(16, reads_input=False), "expanded", device)
    assert (image == 255).all(axis=2).mean() > 0.05  # 0 + 1 + ... + 15 is 120
    in_heap_form(spread(14, reads_input=True), "expanded", device)
    with pytest.raises(ShaderTypeError) as caught:
        in_heap_form(spread(15, reads_input=True), "expanded", device)
    text = str(caught.value)
    assert "17 values go from the vertex to the fragment stage, 16 are possible" in text
    assert "draw_header, draw_element" in text
    assert "v14: f32" in text
