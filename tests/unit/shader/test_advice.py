"""Errors end with what to type."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import heapscene as hs
from heapscene import shader
from heapscene.errors import ShaderError, ShaderTypeError
from heapscene.shader import Program, builtin, f32, fragment, function, struct, vec4, vertex

tint = hs.cval((1.0, 0, 0, 1.0))
words = hs.cval(("a", "b"))


@function
def lerps(x: f32) -> f32:
    return lerp(x, 1.0, 0.5)


@function
def lerps_of_module(x: f32) -> f32:
    return shader.lerp(x, 1.0, 0.5)


@function
def unknown_of_module(x: f32) -> f32:
    return shader.brighten(x)


@function
def either(a: bool, b: bool) -> bool:
    return a ^ b


@function
def tinted() -> vec4:
    return tint


@function
def worded() -> vec4:
    return words


@struct
class Place:
    clip: vec4 = builtin.position


@vertex
def nowhere() -> Place:
    return Place(clip=vec4(0.0))


@fragment
def black(v: Place) -> vec4:
    return vec4(0.0)


@pytest.mark.parametrize(
    ("wrong", "last"),
    [
        (lerps, "Write mix(a, b, t), from heapscene.shader."),
        (lerps_of_module, "Write mix(a, b, t), from heapscene.shader."),
        (unknown_of_module, "Write one that it has: print(dir(shader)) lists them."),
        (either, "Write a != b."),
        (tinted, "Write cval(vec4(1, 0, 0, 1))."),
        (worded, "Let it hold a number, a bool, a vector or a matrix, and give it a name."),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_last_line_says_what_to_type(wrong, last):
    with pytest.raises(ShaderError) as caught:
        _ = wrong.ir
    assert str(caught.value).splitlines()[-1] == last


@pytest.mark.parametrize(
    ("vertices", "fragments", "stage"), [([], black, "vertex"), (nowhere, (), "fragment")]
)
def test_an_empty_chain_is_named(vertices, fragments, stage):
    with pytest.raises(ShaderTypeError, match=f"^the list of {stage} functions is empty"):
        Program(vertices, fragments)


def test_every_error_of_the_shader_language_has_a_last_line_to_type():
    folder = Path(shader.__file__).parent
    missing = [
        f"{path.relative_to(folder)}:{node.lineno}"
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "explain"
        and not any(keyword.arg == "fix" for keyword in node.keywords)
    ]
    assert not missing
