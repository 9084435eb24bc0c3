"""What is no shader function, no shader type or bound twice is named, with what to write."""

from __future__ import annotations

from typing import Any

import pytest

import heapscene as hs
from heapscene.errors import ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    atomic_u32,
    builtin,
    compute,
    f32,
    storage,
    u32,
    vec3,
    vec3u,
    vec4,
)

first = storage("first", vec4, binding=0)
second = storage("second", vec4, binding=0, access="read_write")
free = storage("free", vec4, binding=1)


@compute(workgroup_size=64)
def clash(i: vec3u = builtin.global_invocation_id) -> None:
    second[i.x] = free[i.x]
    second[i.x] = first[i.x]


def plain(v: Any) -> Any:
    return v


class Callable:
    def __call__(self) -> None: ...


def message(action: Any) -> str:
    with pytest.raises(ShaderTypeError) as caught:
        action()
    assert type(caught.value) is ShaderTypeError
    assert "0x" not in str(caught.value)
    return str(caught.value)


def test_a_plain_function_wants_its_decorator() -> None:
    phong = hs.PhongMaterial().program
    vertex: Any = phong._vertex
    assert "Decorate it with @vertex." in message(lambda: hs.Program(plain, plain))  # pyright: ignore[reportArgumentType]
    assert "Decorate it with @fragment." in message(lambda: hs.Program(vertex, plain))  # pyright: ignore[reportArgumentType]
    text = message(lambda: ComputeProgram(plain))  # pyright: ignore[reportArgumentType]
    assert "'plain' is a Python function, and no compute function yet" in text
    assert "Decorate it with @compute(workgroup_size=64)." in text


@pytest.mark.parametrize("given", [lambda: 1, Callable(), 3, None, "step"])
def test_so_does_whatever_else_is_given(given: Any) -> None:
    assert "compute function" in message(lambda: ComputeProgram(given))
    assert "vertex function" in message(lambda: hs.Program(given, given))


def test_a_vertex_function_does_not_compute() -> None:
    vertex: Any = hs.PhongMaterial().program._vertex[0]
    text = message(lambda: ComputeProgram(vertex))
    assert "'phong_vertex' is no compute function" in text


def test_a_type_is_a_class_and_no_string() -> None:
    text = message(lambda: storage("x", "f32", binding=0))  # pyright: ignore[reportArgumentType]
    assert "the string 'f32' is not a shader type" in text
    assert "without quotes: f32" in text


def test_a_binding_that_is_taken_is_shown_where_it_is_used() -> None:
    text = message(lambda: ComputeProgram(clash).wgsl)
    assert "'second' and 'first' share group 0, binding 0" in text
    assert "array of vec4" in text
    assert f'File "{__file__}"' in text
    assert "second[i.x] = free[i.x]" in text


counts = storage("counts", atomic_u32, binding=2, access="read_write")


@compute(workgroup_size=64)
def added(i: vec3u = builtin.global_invocation_id) -> None:
    counts[i.x] += 1


@compute(workgroup_size=64)
def compared(i: vec3u = builtin.global_invocation_id) -> None:
    if counts[i.x] < u32(3):
        return


@compute(workgroup_size=64)
def whole(i: vec3u = builtin.global_invocation_id) -> None:
    second[i] = vec4(0.0)


@compute(workgroup_size=64)
def fractions(i: vec3u = builtin.global_invocation_id) -> None:
    second[vec3(0.0)] = vec4(0.0)


@compute(workgroup_size=64)
def given(n: u32 = 3) -> None:
    second[n] = vec4(0.0)


@compute(workgroup_size=64)
def lane(n: u32) -> None:
    second[n] = vec4(0.0)


@compute(workgroup_size=64)
def place(n: vec3u) -> None:
    second[n.x] = vec4(0.0)


@compute(workgroup_size=64)
def width(n: f32) -> None:
    second[0] = vec4(n)


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (added, "write atomic_add(counts[i], x) to change it, atomic_load(counts[i]) to read it"),
        (compared, "Write atomic_load(place)"),
        (whole, "Take one component, such as i.x."),
        (fractions, "Take one component, such as i.x: u32(i.x)."),
        (given, "Write n = 3 in the function"),
        (lane, "Write n: u32 = builtin.local_invocation_index"),
        (place, "Write n: vec3u = builtin.global_invocation_id"),
        (width, "Declare a uniform(...) or storage(...) called n"),
    ],
)
def test_advice_in_compute_functions(function: Any, hint: str) -> None:
    assert hint in message(lambda: ComputeProgram(function).wgsl)
