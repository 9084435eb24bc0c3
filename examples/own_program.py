"""Shaders are Python
==================

A vertex and a fragment function make a program; each draw gives values to its inputs. The functions
run in Python too, so a debugger steps through them.
"""

# gallery: image    test: run

import numpy as np

import heapscene as hs
from heapscene.shader import builtin, fragment, mat4, struct, vec3, vec4, vertex


@struct
class Attributes:
    position: vec3
    normal: vec3


@struct
class Inputs:
    model: mat4
    view: mat4
    proj: mat4
    color: vec4


@struct
class Varyings:
    normal: vec3
    color: vec4
    clip: vec4 = builtin.position


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    world = u.model @ vec4(a.position, 1.0)
    return Varyings(clip=u.proj @ u.view @ world, normal=a.normal, color=u.color)


@fragment
def shade(v: Varyings) -> vec4:
    return vec4(v.color.xyz * 0.5 + v.normal * 0.5, 1.0)


program = hs.Program(place, shade)
draws = []
for number in range(5):
    model = np.eye(4)
    model[:3, 3] = (1.5 * number, 0, 0)
    inputs = {"model": model, "color": (number / 4, 0.6, 1 - number / 4)}
    draws.append(hs.Draw(program, hs.geometry.torus(), inputs))
image = hs.render(draws, size=(400, 300))
hs.save_image("own_program.png", image)
