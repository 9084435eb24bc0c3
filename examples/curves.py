"""Curves in triangles
===================

A triangle whose corners have the texture coordinates (0, 0), (1/2, 0) and (1, 1) holds the curve
v = u²: one side of it is filled, at any size (Loop and Blinn, 2005). The derivatives tell how far away
the curve is in pixels, which smooths its edge.
"""

# gallery: image    test: run

import numpy as np

import heapscene as hs
from heapscene.shader import (
    builtin,
    fragment,
    fwidth,
    mat4,
    saturate,
    struct,
    vec2,
    vec3,
    vec4,
    vertex,
)


@struct
class Corner:
    position: vec3
    uv: vec2 = vec2(0.0, 1.0)  # inside: far from the curve


@struct
class Inputs:
    model: mat4
    view: mat4
    proj: mat4
    color: vec4


@struct
class Varyings:
    clip: vec4 = builtin.position
    uv: vec2


@vertex
def place(a: Corner, u: Inputs) -> Varyings:
    return Varyings(clip=u.proj @ u.view @ u.model @ vec4(a.position, 1.0), uv=a.uv)


@fragment
def fill(v: Varyings, u: Inputs) -> vec4:
    distance = v.uv.y - v.uv.x * v.uv.x
    slope = fwidth(distance)
    coverage = 1.0 if slope == 0.0 else saturate(0.5 + distance / slope)
    return vec4(u.color.xyz, u.color.w * coverage)


def flower(petals: int, bulge: float) -> list[hs.Geometry]:
    angles = np.arange(2 * petals + 1) * np.pi / petals
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    ends, tips = ring[::2], ring[1::2] * bulge
    curves = np.stack([ends[:-1], tips, ends[1:]], axis=1).reshape(-1, 3)
    uv = np.tile([(0, 0), (0.5, 0), (1, 1)], (petals, 1))
    inside = np.stack([0 * tips, ends[:-1], ends[1:]], axis=1).reshape(-1, 3)
    return [hs.Geometry({"position": curves, "uv": uv}), hs.Geometry({"position": inside})]


program = hs.Program(place, fill)
blended = hs.PipelineState(blend="alpha", cull_mode="none", depth_compare="always")
draws = []
for number, shape in enumerate([(4, 2.2), (5, 2.0), (8, 1.7), (3, 2.4)]):
    model = np.eye(4)
    model[:2, 3] = 3.2 * (number % 2), 3.2 * (number // 2)
    inputs = {"model": model, "color": (0.8, 0.03 + 0.1 * number, 0.1, 1)}
    draws += [hs.Draw(program, part, inputs, state=blended) for part in flower(*shape)]
camera = hs.OrthographicCamera(7, position=(1.6, 1.6, 5), target=(1.6, 1.6, 0))
image = hs.render(draws, camera=camera, size=(400, 300), background="white")
hs.save_image("curves.png", image)
