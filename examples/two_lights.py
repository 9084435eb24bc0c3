"""A material of your own
======================

A material is a program, values for its inputs and a pipeline state. This one is lit from the sky and
from a lamp in three steps; every mesh with it shares one draw call.
"""

# gallery: image    test: run

import heapscene as hs
from heapscene.shader import (
    builtin,
    dot,
    f32,
    floor,
    fragment,
    mat4,
    max,
    mix,
    normalize,
    struct,
    vec3,
    vec4,
    vertex,
)


@struct
class Attributes:
    position: vec3
    normal: vec3


@struct
class Inputs:
    model: mat4
    view: mat4
    proj: mat4
    color: vec3
    lamp: vec3 = vec3(3.0, 4.0, 2.0)
    steps: f32 = 3.0


@struct
class Varyings:
    clip: vec4 = builtin.position
    world: vec3
    normal: vec3


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    world = u.model @ vec4(a.position, 1.0)
    normal = u.model @ vec4(a.normal, 0.0)
    return Varyings(clip=u.proj @ u.view @ world, world=world.xyz, normal=normal.xyz)


@fragment
def shade(v: Varyings, u: Inputs) -> vec4:
    n = normalize(v.normal)
    sky = mix(vec3(0.15, 0.1, 0.1), vec3(0.25, 0.3, 0.4), 0.5 + 0.5 * n.y)
    lamp = max(dot(n, normalize(u.lamp - v.world)), 0.0)
    return vec4(u.color * (sky + vec3(floor(lamp * u.steps + 0.5) / u.steps)), 1.0)


class ToonMaterial:
    program = hs.Program(place, shade)
    state = hs.PipelineState()

    def __init__(self, color, steps):
        self.inputs = {"color": color, "steps": steps}


ring, ball = hs.geometry.torus(0.9, 0.35, (64, 32)), hs.geometry.sphere(0.7)
scene = hs.Scene()
for x in range(3):
    scene.add(hs.Mesh(ring, ToonMaterial((1, 0.5, 0.1), 2.0 + x), position=(2.7 * x, 0, 0)))
    scene.add(hs.Mesh(ball, ToonMaterial((0.2, 0.6, 0.9), 2.0 + x), position=(2.7 * x, 0, 0)))
camera = hs.PerspectiveCamera(40, position=(2.7, 4, 8), target=(2.7, 0, 0))
image = hs.render(scene, camera=camera, size=(400, 300), background="white")
hs.save_image("two_lights.png", image)
