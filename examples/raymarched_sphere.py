"""A sphere from no triangles
==========================

Each pixel of a box looks along its ray for a sphere with ripples, and writes the depth of what it
finds: meshes in front of it, behind it and inside of it are hidden where they should be.
"""

# gallery: image    test: run

import heapscene as hs
from heapscene.shader import (
    builtin,
    discard,
    dot,
    f32,
    fragment,
    function,
    length,
    mat4,
    max,
    normalize,
    sin,
    struct,
    vec3,
    vec4,
    vertex,
)


@struct
class Corner:
    position: vec3


@struct
class Inputs:
    view: mat4
    proj: mat4
    camera_position: vec3
    radius: f32


@struct
class Varyings:
    clip: vec4 = builtin.position
    world: vec3


@struct
class Pixel:
    color: vec4
    depth: f32 = builtin.frag_depth


@vertex
def place(a: Corner, u: Inputs) -> Varyings:
    return Varyings(clip=u.proj @ u.view @ vec4(a.position, 1.0), world=a.position)


@function
def distance_to_surface(p: vec3, radius: f32) -> f32:
    return (length(p) - radius + 0.03 * sin(14.0 * p.x) * sin(14.0 * p.y) * sin(14.0 * p.z)) * 0.7


@fragment
def march(v: Varyings, u: Inputs) -> Pixel:
    p, ray = v.world, normalize(v.world - u.camera_position)
    for _ in range(64):
        p = p + ray * distance_to_surface(p, u.radius)
    if length(p) > u.radius + 0.1:
        discard()
    clip = u.proj @ u.view @ vec4(p, 1.0)
    light = max(dot(normalize(p), vec3(0.3, 0.8, 0.5)), 0.1)
    return Pixel(color=vec4(vec3(0.9, 0.5, 0.2) * light, 1.0), depth=clip.z / clip.w)


sphere = hs.Draw(hs.Program(place, march), hs.geometry.box(2.2, 2.2, 2.2), {"radius": 1})
bar = hs.Mesh(hs.geometry.box(3, 0.4, 0.4), hs.PhongMaterial("steelblue"), position=(0, 0.3, 0.6))
camera = hs.PerspectiveCamera(position=(1.5, 2, 3), target=(0, 0, 0), near=1)
image = hs.render([sphere, hs.Scene(bar)], camera=camera, size=(400, 300), background="white")
hs.save_image("raymarched_sphere.png", image)
