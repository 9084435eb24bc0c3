"""A chain of functions draws what one function written by hand draws, in the direct and heap form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
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

SIZE = (96, 64)


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
        made.append(hs.Draw(program, hs.geometry.torus(), values))
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
