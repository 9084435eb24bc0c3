"""Three small programs for comparing renderers: they touch every kind of input."""

from __future__ import annotations

from heapscene import Program
from heapscene.shader import (
    builtin,
    cross,
    dpdx,
    dpdy,
    f32,
    fract,
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


@struct
class Position:
    position: vec3


@struct
class Shaded:
    position: vec3
    normal: vec3
    color: vec4 = vec4(1.0, 1.0, 1.0, 1.0)


@struct
class Place:
    model: mat4
    view: mat4
    proj: mat4
    color: vec4


@struct
class InstancedPlace:
    model: mat4
    view: mat4
    proj: mat4
    color: vec4
    offset: vec3
    time: f32


@struct
class Flat:
    clip: vec4 = builtin.position


@struct
class Lit:
    world: vec3
    normal: vec3
    color: vec4
    clip: vec4 = builtin.position


@vertex
def place(a: Position, u: Place) -> Flat:
    return Flat(clip=u.proj @ u.view @ u.model @ vec4(a.position, 1.0))


@fragment
def plain(v: Flat, u: Place) -> vec4:
    return u.color


@vertex
def place_lit(a: Shaded, u: Place) -> Lit:
    world = u.model @ vec4(a.position, 1.0)
    normal = u.model @ vec4(a.normal, 0.0)
    return Lit(clip=u.proj @ u.view @ world, world=world.xyz, normal=normal.xyz, color=a.color)


@fragment
def lit(v: Lit, u: Place) -> vec4:
    facet = normalize(cross(dpdx(v.world), dpdy(v.world)))
    light = 0.3 + 0.5 * max(facet.z, 0.0) + 0.2 * max(normalize(v.normal).z, 0.0)
    grain = fract(sin(v.world.x * 91.7 + v.world.y * 17.3) * 43.1) * 0.1
    shade = light + grain
    return vec4(u.color.xyz * v.color.xyz * shade, u.color.w)


@vertex
def place_instance(a: Shaded, u: InstancedPlace) -> Lit:
    p = a.position + u.offset + a.normal * (0.1 * sin(u.time))
    world = u.model @ vec4(p, 1.0)
    normal = u.model @ vec4(a.normal, 0.0)
    return Lit(
        clip=u.proj @ u.view @ world,
        world=world.xyz,
        normal=normal.xyz,
        color=vec4(u.offset + vec3(0.5, 0.5, 0.5), 1.0),
    )


@fragment
def tinted(v: Lit, u: InstancedPlace) -> vec4:
    light = 0.4 + 0.6 * max(normalize(v.normal).z, 0.0)
    return vec4(u.color.xyz * v.color.xyz * light, u.color.w * 0.9)


PROGRAMS = (
    Program(place, plain),
    Program(place_lit, lit),
    Program(place_instance, tinted),
)
