"""What lies in memory is read and written by the interpreter as by the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import ShaderError
from heapscene.shader import (
    ComputeProgram,
    array_length,
    builtin,
    compute,
    f32,
    function,
    mat2,
    mat4,
    private,
    storage,
    struct,
    u32,
    vec2,
    vec3,
    vec4,
    wgsl_function,
)
from heapscene.shader.interpret import dispatch, interpret
from unit.shader.test_compute_on_gpu import run

N = 96

turns = storage("turns", mat4, binding=0)
given = storage("given", vec4, binding=1)
found = storage("found", vec4, binding=2, access="read_write")
own = private("own", vec3, 2)


@compute(workgroup_size=48)
def columns(thread: u32 = builtin.local_invocation_index):
    """Columns and cells of matrices in memory, where the index differs for each invocation."""
    i = thread % array_length(turns)
    j = (thread + 1) % array_length(found)
    c = thread % 4
    r = (thread // 4) % 4
    w = turns[i] @ given[j]
    found[thread] = vec4(turns[i][c][r], turns[i][c].y, w.x, f32(array_length(given)))


@compute(workgroup_size=48)
def built(thread: u32 = builtin.local_invocation_index):
    """Matrices made of columns, and cells of private memory."""
    v = given[thread]
    m = mat2(v.xy, v.zw)
    own[thread % 2] = v.xyz
    own[1] = own[thread % 2] + v.yzw
    p = m @ vec2(1.0, -2.0)
    found[thread] = vec4(p, own[0].x, own[1].z)


@pytest.mark.parametrize("program", [columns, built])
def test_the_gpu_and_the_interpreter_agree(device, program):
    rng = np.random.default_rng(1)
    memory = {
        "turns": rng.integers(-9, 9, (7, 4, 4)).astype(np.float32),
        "given": rng.integers(-9, 9, (N, 4)).astype(np.float32),
        "found": np.zeros((N, 4), np.float32),
    }
    # The GPU has columns one after the other.
    buffers = memory | {"turns": np.ascontiguousarray(memory["turns"].swapaxes(1, 2))}
    wanted = run(device, program, buffers, 1)["found"].view(np.float32).reshape(N, 4)
    ours = {name: array.copy() for name, array in memory.items()}
    shader = ComputeProgram(program)
    names = {binding.name for binding in shader.bindings}
    dispatch(shader.module.entries[0], {name: ours[name] for name in names})
    assert np.array_equal(ours["found"], wanted)
    assert len(np.unique(wanted[:48], axis=0)) > 40


def test_vectors_that_do_not_exist_are_zero():
    @function
    def at(i: u32) -> vec4:
        return given[i]

    memory = {"given": np.arange(1, 9, dtype=np.float32).reshape(2, 4)}
    rows = interpret(at.ir, {"i": np.uint32([1, 5, 0])}, memory=memory, bounds="zero").value
    assert rows.tolist() == [[5, 6, 7, 8], [0, 0, 0, 0], [1, 2, 3, 4]]
    with pytest.raises(ShaderError, match="element 5 of 'given'"):
        interpret(at.ir, {"i": np.uint32([1, 5, 0])}, memory=memory)


@struct
class Pair:
    """Members of different shapes, the first one a number."""

    weight: f32
    at: vec3


@wgsl_function("return pair.at * pair.weight * by;")
def scaled(pair: Pair, by: f32) -> vec3:
    return pair.at * pair.weight * by


@function
def weighted(pair: Pair, by: f32) -> vec3:
    """Call what is written in WGSL, and stands for itself here."""
    return scaled(pair, by)


def test_structs_are_inputs_and_arguments_of_twins():
    rng = np.random.default_rng(2)
    weight = rng.integers(1, 5, 6).astype(np.float32)
    at = rng.integers(-5, 5, (6, 3)).astype(np.float32)
    inputs = {"pair": {"weight": weight, "at": at}, "by": np.float32(2)}
    rows = interpret(weighted.ir, inputs).value
    assert np.array_equal(rows, at * weight[:, None] * 2)
    one = {"pair": {"weight": np.float32(3), "at": at[0]}, "by": np.float32([1, 2])}
    assert np.array_equal(interpret(weighted.ir, one).value, np.stack([at[0] * 3, at[0] * 6]))
