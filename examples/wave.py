"""A wave
======

One vertex function makes waves of a flat grid, a second one, which knows nothing of waves, places
the result. The fragment function lights it by the normal that the first one worked out.
"""

# gallery: image    test: run

import numpy as np

import heapscene as hs
from heapscene.shader import (
    builtin,
    cos,
    dot,
    f32,
    fragment,
    mat4,
    mix,
    normalize,
    sin,
    struct,
    vec2,
    vec3,
    vec4,
    vertex,
)


@struct
class Grid:
    position: vec3


@struct
class Frame:
    view: mat4
    proj: mat4
    time: f32


@struct
class Surface:
    position: vec3
    normal: vec3


@vertex
def wave(a: Grid, u: Frame) -> Surface:
    p = a.position
    phase = vec2(3.0 * p.x + u.time, 2.0 * p.z + 4.0 * sin(p.x))
    slope = vec2(3.0 * cos(phase.x) + 4.0 * cos(p.x) * cos(phase.y), 2.0 * cos(phase.y)) * 0.25
    height = 0.25 * (sin(phase.x) + sin(phase.y))
    return Surface(position=vec3(p.x, height, p.z), normal=vec3(-slope.x, 1.0, -slope.y))


@struct
class Placed:
    clip: vec4 = builtin.position


@vertex
def place(s: Surface, u: Frame) -> Placed:
    return Placed(clip=u.proj @ u.view @ vec4(s.position, 1.0))


@fragment
def water(s: Surface) -> vec4:
    light = dot(normalize(s.normal), normalize(vec3(0.5, 1.0, 0.2)))
    return vec4(mix(vec3(0.0, 0.05, 0.2), vec3(0.3, 0.7, 0.8), light * light), 1.0)


z, x = np.mgrid[-3:3:200j, -3:3:200j]
grid = np.stack([x, 0 * x, z], axis=-1).reshape(-1, 3)
first = np.arange(200 * 199).reshape(199, 200)[:, :-1, None]
sea = hs.Geometry({"position": grid}, (first + np.array([0, 200, 1, 1, 200, 201])).reshape(-1))
camera = hs.PerspectiveCamera(position=(3, 3, 5), target=(0, 0, 0))
draw = hs.Draw(hs.Program([wave, place], water), sea, inputs={"time": 1.0})
image = hs.render(draw, camera=camera, size=(400, 300), background="white")
hs.save_image("wave.png", image)
