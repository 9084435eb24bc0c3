"""Errors end with what to type."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene import shader
from heapscene.errors import ShaderError, ShaderTypeError
from heapscene.shader import Program, builtin, f32, fragment, function, struct, vec4, vertex
from heapscene.shader.interpret import interpret

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


def made_from(text: str, **names: object) -> Any:
    scope = {**vars(shader), "TEXT": text, **names}
    exec(text, scope)
    return scope["f"]


@pytest.mark.parametrize(
    ("signature", "caret", "told"),
    [
        ("*xs: f32", "xs: f32", "'*xs' cannot be given by position"),
        ("**more: f32", "more: f32", r"'\*\*more' cannot be given by position"),
        ("x: f32, *, y: f32", "y: f32", "'y' cannot be given by position"),
        ("x: f32, y: f32 = [1.0]", "[1.0]", "the default of 'y' is no f32"),
        ("x: f32, y: f32 = 'a'", "'a'", "the default of 'y' is no f32"),
        ("x: f32, n: i32 = 1.5", "1.5", "the default of 'n' is no i32"),
        ("x: f32, v: vec2 = (1.0, 2.0, 3.0)", "(1.0, 2.0, 3.0)", "the default of 'v' is no vec2"),
        ("x: float", "float", "float is not a shader type"),
        ("x: f32, y", "y", "the parameter 'y' has no type"),
    ],
)
def test_faults_of_a_signature_have_a_place(signature, caret, told):
    text = f"@function(source=TEXT)\ndef f({signature}) -> f32:\n    return 1.0\n"
    with pytest.raises(ShaderError, match=told.replace("*xs", r"\*xs")) as caught:
        _ = made_from(text).ir
    lines = str(caught.value).splitlines()
    start, stop = lines[3].index("^"), len(lines[3])
    assert lines[2][start:stop] == caret
    assert lines[-1].startswith("Write ")


def test_all_faults_of_a_signature_are_told_at_once():
    text = "@function(source=TEXT)\ndef f(a: float, b, c: f32 = 'x') -> int:\n    return 1\n"
    with pytest.raises(ShaderError) as caught:
        _ = made_from(text).ir
    assert str(caught.value).endswith("4 faults.")


def test_defaults_become_what_their_parameter_is():
    text = (
        "@function(source=TEXT)\n"
        "def g(x: f32, v: vec3 = (1.0, 2.0, 3.0), n: u32 = 2) -> f32:\n"
        "    return x + v.z + f32(n)\n\n"
    )
    g = made_from(text.replace("def g", "def f"))
    caller = "@function(source=TEXT)\ndef f(x: f32) -> f32:\n    return g(x)\n"
    assert made_from(caller, g=g)(1.0) == 6.0
    _ = made_from(caller, g=g).ir


def test_an_async_function_is_no_shader():
    text = "@function(source=TEXT)\nasync def f(x: f32) -> f32:\n    return x\n"
    with pytest.raises(ShaderError, match="is an async function"):
        made_from(text)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: shader.workgroup("a", f32, -1),
        lambda: shader.workgroup("a", f32, 2.5),
        lambda: shader.private("a", f32, True),
        lambda: shader.storage("a", f32, binding="x"),
        lambda: shader.storage("a", f32, binding=-1),
        lambda: shader.texture_2d("a", binding=1.0),
        lambda: shader.sampler("a", binding=0, group=-2),
    ],
)
def test_declarations_of_memory_are_checked(declare):
    with pytest.raises(ShaderTypeError, match=r"Give (a )?whole number"):
        declare()


def test_min_and_max_take_several_as_in_python():
    text = "@function(source=TEXT)\ndef f(a: f32, b: f32) -> f32:\n    return max(min(a, b, 3), 1, b)\n"
    f = made_from(text)
    found = interpret(f.ir, {"a": np.float32([0, 5, 9]), "b": np.float32([2, 4, 8])}).value
    assert found.tolist() == [2, 4, 8]
    assert [float(f(*pair)) for pair in ((0, 2), (5, 4), (9, 8))] == [2, 4, 8]
