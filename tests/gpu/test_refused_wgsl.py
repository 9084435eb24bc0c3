"""What only the GPU's own validator refuses is shown where it stands in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import GpuError
from heapscene.gpu import Binding, Pipelines
from heapscene.gpu.counters import Counters
from heapscene.shader import (
    ComputeProgram,
    builtin,
    clamp,
    compute,
    f32,
    fragment,
    function,
    i32,
    mat4,
    storage,
    struct,
    u32,
    vec3,
    vec4,
    vertex,
    wgsl_function,
)

pytestmark = pytest.mark.refused_wgsl

results = storage("results", f32, binding=0, access="read_write")
counts = storage("counts", i32, binding=1, access="read_write")


@function
def helper(x: f32) -> f32:
    low = x * 2.0
    return low + clamp(1.0, 3.0, 2.0)


@compute(workgroup_size=64)
def calls_helper(i: u32 = builtin.local_invocation_index) -> None:
    results[i] = helper(1.0)


@compute(workgroup_size=64)
def beyond_the_end(i: u32 = builtin.local_invocation_index) -> None:
    v = vec3(1.0)
    k = 7
    if i > 3:
        results[i] = 2.0
    elif v[k] > 1.0:
        results[i] = 1.0


@wgsl_function("let twice = x * 2.0;\nreturn twice + 1u;")
def raw(x: f32) -> f32:
    return x * 2.0 + 1.0


@compute(workgroup_size=64)
def calls_raw(i: u32 = builtin.local_invocation_index) -> None:
    results[i] = raw(1.0)


@compute(workgroup_size=(1, 1, 128))
def too_deep(i: u32 = builtin.local_invocation_index) -> None:
    results[i] = 1.0


@pytest.mark.parametrize(
    ("shader", "line", "shown", "cause"),
    [
        (calls_helper, (helper, 2), "return low + clamp(1.0, 3.0, 2.0)", "greater than `high`"),
        (beyond_the_end, (beyond_the_end, 5), "v[k] > 1.0", "out of [2] bounds"),
        (calls_raw, (raw, 0), "def raw(x: f32)", "1u"),
        (too_deep, (too_deep, 0), "def too_deep", "128"),
    ],
)
def test_a_kernel(device: Any, shader: Any, line: Any, shown: str, cause: str) -> None:
    program = ComputeProgram(shader)
    groups = (tuple(Binding(b.binding, b.kind, name=b.name) for b in program.bindings),)
    with pytest.raises(GpuError) as caught:
        Pipelines(device, Counters()).compute(program.wgsl, program.entry, groups)
    text = str(caught.value)
    owner, after = line
    at = owner.source.tree.lineno + after
    _, place, source, caret, *_ = text.split("\n")
    assert place == f'  File "{__file__}", line {at}, in {owner.name}'
    assert shown in source
    under = source[caret.index("^") : caret.rindex("^") + 1]
    assert under.startswith(shown)
    assert cause in text


@struct
class Attributes:
    position: vec3


@struct
class Inputs:
    model: mat4
    proj: mat4


@struct
class Varyings:
    clip: vec4 = builtin.position


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    return Varyings(clip=u.proj @ u.model @ vec4(a.position, 1.0))


@fragment
def shade(v: Varyings, u: Inputs) -> vec4:
    return vec4(helper(u.model[0].x))


def test_a_program_of_a_draw() -> None:
    draw = hs.Draw(hs.Program(place, shade), hs.geometry.box(), {"model": np.eye(4)})
    with pytest.raises(GpuError) as caught:
        hs.render([draw], size=(8, 8))
    assert f"line {helper.source.tree.lineno + 2}, in helper" in str(caught.value)
