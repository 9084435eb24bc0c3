"""Functions that return several values: CPython, the interpreter, the GPU, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderError
from heapscene.shader import (
    ComputeProgram,
    atan2,
    builtin,
    compute,
    f32,
    function,
    i32,
    ir,
    length,
    modf,
    result_set,
    storage,
    u32,
    vec2,
    vec3,
    vec3u,
)
from heapscene.shader.interpret import dispatch, interpret
from unit.shader.test_compute_on_gpu import run

N = 1024
points = storage("points", vec2, binding=0)
found = storage("found", f32, binding=1, access="read_write")


@function
def polar(v: vec2) -> tuple[f32, f32]:
    return length(v), atan2(v.y, v.x)


@function
def clipped(x: f32) -> tuple[f32, vec3, i32]:
    if x > 1.0:
        return x, vec3(x), 2
    return 0, vec3(0.5), 3


@function
def split(x: f32) -> tuple[f32, f32]:
    return modf(x)


@function
def swapped(x: f32) -> tuple[f32, f32]:
    a, b = split(x)
    return b, a


@function
def passed_on(x: f32) -> tuple[f32, f32]:
    return swapped(x)


@function
def uses_all(v: vec2) -> f32:
    r, phi = polar(v)
    both = passed_on(r * 3.5)
    whole, fract = both
    r, phi = phi, r
    x, w, n = clipped(phi)
    if n == 2:
        x, fract = swapped(x)
    return r + phi * 10.0 + both[0] + whole * fract + x + w.y + f32(n) + polar(v)[1]


@compute(workgroup_size=64)
def main(i: vec3u = builtin.global_invocation_id) -> None:
    found[i.x] = uses_all(points[i.x])


def test_in_cpython_they_are_tuples_of_values() -> None:
    x, w, n = clipped(3.0)
    assert (x, tuple(w), n) == (3.0, (3.0, 3.0, 3.0), 2)
    assert [type(part) for part in clipped(0.0)] == [f32, vec3, i32]
    assert passed_on(2.75) == (2.0, 0.75)


def test_the_interpreter_computes_the_same() -> None:
    rng = np.random.default_rng(3)
    given = rng.normal(size=(200, 2)).astype(np.float32)
    values = interpret(uses_all.ir, {"v": given}).value
    python = [float(uses_all(vec2(row))) for row in given]
    np.testing.assert_allclose(values, python, rtol=2e-6, atol=2e-6)


@pytest.mark.gpu
def test_the_gpu_computes_the_same(device) -> None:
    rng = np.random.default_rng(4)
    buffers = {
        "points": rng.normal(size=(N, 2)).astype(np.float32),
        "found": np.zeros(N, np.float32),
    }
    on_gpu = run(device, main, buffers, groups=N // 64)["found"]
    dispatch(ComputeProgram(main).module.entries[0], buffers, (N // 64, 1, 1))
    # atan2 may be off by 4096 units in the last place.
    np.testing.assert_allclose(on_gpu, buffers["found"], atol=4e-3)
    assert np.ptp(on_gpu) > 10


def test_the_text_and_the_form() -> None:
    program = ComputeProgram(main)
    ir.verify_module(program.module)
    assert "struct tuple_f32_vec3_i32 {" in program.wgsl
    assert "-> tuple_f32_f32 {" in program.wgsl


def test_sets_follow_them() -> None:
    @function
    def sides(x: f32) -> tuple[i32, i32]:
        if x > 0.0:
            return 1, 10
        return 2, 20

    @function
    def rule(x: f32) -> i32:
        a, b = sides(x)
        return a + b

    assert set(result_set(rule).values) == {11, 22}


WRONG = {
    "a, b = single(x)": "single returns f32, which is one value",
    "a, b, c = split(x)": "2 values for 3 names",
    "a = split(x)[2]": "there is no result 2",
    "a = split(x)[u32(x)]": "the number of a result is a constant",
    "a = split(x) + split(x)": r"cannot add tuple\[f32, f32\] and",
    "a = split(x).x": r"tuple\[f32, f32\] has no field 'x'",
    "t = split(x)\n    return t": r"returns f32, not tuple\[f32, f32\]",
    "t = split(x).replace()": "has no method 'replace'",
    "a, b = x": "a tuple is assigned from a tuple",
    "a = (x, x)": "a tuple as a value",
}


@function
def single(x: f32) -> f32:
    return x


def made(text: str):
    scope = {**vars(sh), "TEXT": text, "split": split, "single": single}
    exec(text, scope)
    return scope["f"]


@pytest.mark.parametrize("line", WRONG)
def test_wrong_uses_are_refused(line) -> None:
    f = made(f"@function(source=TEXT)\ndef f(x: f32) -> f32:\n    {line}\n    return x\n")
    with pytest.raises(ShaderError, match=WRONG[line]):
        _ = f.ir


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        ("tuple[f32]", "two or more types"),
        ("tuple[f32, ...]", "two or more types"),
        ("tuple", "tuple is not a shader type"),
        ("tuple[f32, float]", "float is not a shader type"),
        ("tuple[f32, i32]", r"returns tuple\[f32, i32\], not tuple\[f32, f32\]"),
        ("tuple[f32, f32, f32]", r"returns tuple\[f32, f32, f32\], not"),
    ],
)
def test_wrong_declarations_are_refused(annotation, told) -> None:
    f = made(f"@function(source=TEXT)\ndef f(x: f32) -> {annotation}:\n    return x, x\n")
    with pytest.raises(ShaderError, match=told):
        _ = f.ir
    with pytest.raises(ShaderError):
        f(1.0)


def test_only_helpers_return_them() -> None:
    text = "@fragment(source=TEXT)\ndef f(v: V) -> tuple[vec4, vec4]:\n    return vec4(0.0), vec4(0.0)\n"
    with pytest.raises(ShaderError, match="tuple is not a shader type"):
        _ = made(text.replace("v: V", "")).ir
    with pytest.raises(ShaderError, match="tuple is not a shader type"):
        storage("pairs", tuple[f32, u32], binding=0)
