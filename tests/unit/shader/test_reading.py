"""What a program says about itself."""

from __future__ import annotations

import re

from heapscene.shader import (
    ComputeProgram,
    Program,
    builtin,
    compute,
    f32,
    flat,
    fragment,
    function,
    mat4,
    storage,
    struct,
    u32,
    vec2,
    vec3,
    vec4,
    vertex,
)


@struct
class Attributes:
    position: vec3
    uv: vec2 = vec2(0.5)


@struct
class Inputs:
    model: mat4
    gain: f32 = 2.0
    spare: f32


@struct
class Varyings:
    clip: vec4 = builtin.position
    height: f32
    kind: u32 = flat
    unread: vec3


@struct
class Paint:
    color: vec4
    gain: f32


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    clip = u.model @ vec4(a.position, 1.0)
    return Varyings(clip=clip, height=a.position.y * u.gain, kind=u32(3), unread=a.position)


@function
def stripes(height: f32) -> f32:
    total = 0.0
    for k in range(3):
        if height > 0.5:
            total += height
        else:
            total -= 1.0
    return total


@fragment
def shade(v: Varyings, u: Paint) -> vec4:
    return u.color * (stripes(v.height) * u.gain) if v.kind > 1 else u.color


def test_explain():
    program = Program(place, shade)
    text = re.sub(r"\(\S+:\d+\)", "(HERE)", program.explain())
    assert text == (
        f"program {program.hash[:8]}\n"
        "  vertex    place (HERE)\n"
        "  fragment  shade (HERE)\n"
        "attributes\n"
        "  position  vec3  vertex\n"
        "  uv        vec2  not read  default vec2(0.5, 0.5)\n"
        "inputs\n"
        "  color  vec4  fragment\n"
        "  gain   f32   vertex, fragment  default f32(2.0)\n"
        "  model  mat4  vertex\n"
        "  spare  f32   not read\n"
        "varyings: 2 of 16 locations\n"
        "  0  height  f32\n"
        "  1  kind    u32  flat\n"
        "not handed over, as no fragment function reads it\n"
        "  unread  vec3\n"
        "targets\n"
        "  0  color  vec4"
    )


def test_dump_has_types_and_places():
    text = Program(place, shade).dump()
    first = stripes.source.tree.lineno
    lines = text.split("\n")
    at = lines.index("stripes(height%0: f32) -> f32")
    shown = [line.split("  # ")[0].rstrip() for line in lines[at : at + 8]]
    assert shown == [
        "stripes(height%0: f32) -> f32",
        "  var total%1: f32 = 0.0",
        "  for k%2 in 0, 3, 1",
        "    if (height%0 > 0.5)",
        "      total%1 = (total%1 + height%0)",
        "    else",
        "      total%1 = (total%1 - 1.0)",
        "  return total%1",
    ]
    places = [line.rpartition("# ")[2] for line in lines[at : at + 8] if "# " in line]
    assert places == [f"test_reading.py:{first + k}" for k in (1, 2, 3, 4, 6, 7)]


numbers = storage("numbers", f32, binding=2, access="read_write")


@compute(workgroup_size=(8, 4))
def double(i: u32 = builtin.local_invocation_index) -> None:
    numbers[i] = numbers[i] * 2.0


def test_a_compute_program():
    program = ComputeProgram(double)
    text = re.sub(r"\(\S+:\d+\)", "(HERE)", program.explain())
    assert text == (
        f"program {program.hash[:8]}\n"
        "  compute    double (HERE)\n"
        "  workgroup  8 x 4 x 1 invocations\n"
        "bindings\n"
        "  group 0  binding 2  numbers  array of f32  storage"
    )
    assert "@numbers[i%0] = (@numbers[i%0] * 2.0)" in program.dump()
