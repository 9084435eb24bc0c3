"""Atomics: what each does, where they may lie, and that the GPU does the same."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderError, ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    atomic_add,
    atomic_compare_exchange,
    atomic_i32,
    atomic_load,
    atomic_max,
    atomic_store,
    atomic_u32,
    builtin,
    compute,
    f32,
    private,
    storage,
    struct,
    u32,
    uniform,
    vec3u,
    workgroup,
    workgroup_barrier,
)
from heapscene.shader.lang.atomics import AtomicPlace
from heapscene.shader.operations import INTRINSICS

N = 1024
NAMES = sorted(name for name, op in INTRINSICS.items() if op.family == "atomic")
SPECIAL = [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


@struct
class Cell:
    weight: f32
    total: atomic_u32
    low: atomic_i32


counts = storage("counts", atomic_u32, binding=0, access="read_write")
signed = storage("signed", atomic_i32, binding=1, access="read_write")
cells = storage("cells", Cell, binding=2, access="read_write")
plain = storage("plain", u32, binding=3, access="read_write")
shared = workgroup("shared", atomic_u32, 4)


def call_of(name: str, place: str) -> str:
    arguments = {"atomic_load": "", "atomic_compare_exchange": ", b[i], c[i]"}.get(name, ", b[i]")
    return f"{name}({place}{arguments})"


def shader_of(name: str, scalar: str):
    """Return a function that applies one atomic to its own element and keeps the result."""
    cls, atomic = getattr(sh, scalar), getattr(sh, f"atomic_{scalar}")
    call = call_of(name, "a[i]")
    lines = [f"old[i] = {call}"]
    if name == "atomic_store":
        lines = [call]
    if name == "atomic_compare_exchange":
        lines = [f"r = {call}", "old[i] = r.old_value", "if r.exchanged:", "    wrote[i] = 1"]
    text = (
        "@compute(workgroup_size=64, source=TEXT)\n"
        "def run(gid: vec3u = builtin.global_invocation_id) -> None:\n    i = gid.x\n"
        + "".join(f"    {line}\n" for line in lines)
    )
    scope = {
        **vars(sh),
        "TEXT": text,
        "a": storage("a", atomic, binding=0, access="read_write"),
        "b": storage("b", cls, binding=1),
        "c": storage("c", cls, binding=2),
        "old": storage("old", cls, binding=3, access="read_write"),
        "wrote": storage("wrote", u32, binding=4, access="read_write"),
    }
    exec(text, scope)
    return scope["run"], scope


@pytest.mark.gpu
@pytest.mark.parametrize("scalar", ["u32", "i32"])
@pytest.mark.parametrize("name", NAMES)
def test_every_atomic_on_the_gpu(name, scalar):
    wgpu = pytest.importorskip("wgpu")
    rng = np.random.default_rng(len(name))
    dtype = np.uint32 if scalar == "u32" else np.int32
    words = rng.integers(0, 2**32, (3, N), np.uint32) >> rng.integers(0, 31, (3, N), np.uint32)
    words[:, :5] = [rng.permutation(SPECIAL) for _ in range(3)]
    words[1, ::2] = words[0, ::2]  # so that half of the comparisons hold
    data = {key: words[k].view(dtype).copy() for k, key in enumerate("abc")}
    data["old"], data["wrote"] = np.zeros(N, dtype), np.zeros(N, np.uint32)
    shader, scope = shader_of(name, scalar)
    program = ComputeProgram(shader)
    device = wgpu.gpu.request_adapter_sync().request_device_sync()
    buffers = {
        b.name: device.create_buffer_with_data(
            data=data[b.name].tobytes(),
            usage=wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC,
        )
        for b in program.bindings
    }
    pipeline = device.create_compute_pipeline(
        layout="auto",
        compute={
            "module": device.create_shader_module(code=program.wgsl),
            "entry_point": program.entry,
        },
    )
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[
            {"binding": b.binding, "resource": {"buffer": buffers[b.name]}}
            for b in program.bindings
        ],
    )
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(N // 64)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    contexts = [scope[key].bound_to(value) for key, value in data.items()]
    for context in contexts:
        context.__enter__()
    for i in range(N):
        shader(vec3u(i, 0, 0))
    for context in contexts:
        context.__exit__(None, None, None)
    for key, buffer in buffers.items():
        found = np.frombuffer(device.queue.read_buffer(buffer), data[key].dtype)
        assert np.array_equal(found, data[key]), key


def test_members_of_structs_and_workgroup_arrays():
    @compute(workgroup_size=4)
    def run(i: u32 = builtin.local_invocation_index) -> None:
        atomic_add(shared[i], 2)
        before = atomic_add(cells[i].total, atomic_load(shared[i]))
        atomic_max(cells[i].low, -3)
        atomic_store(counts[i], before)

    rows = np.zeros(4, [("weight", "f4"), ("total", "u4"), ("low", "i4")])
    rows["total"], rows["low"] = 9, -7
    own, other = np.array([5, 5, 5, 5], np.uint32), np.zeros(4, np.uint32)
    with cells.bound_to(rows), shared.bound_to(own), counts.bound_to(other):
        for i in range(4):
            run(u32(i))
    assert rows["total"].tolist() == [16] * 4
    assert rows["low"].tolist() == [-3] * 4
    assert other.tolist() == [9] * 4
    text = ComputeProgram(run).wgsl
    assert "atomicAdd(&cells[i].total, atomicLoad(&shared_[i]))" in text
    assert "var<workgroup> shared_: array<atomic<u32>, 4>;" in text


def test_operands_are_read_in_pythons_order():
    @compute(workgroup_size=1)
    def run() -> None:
        n = plain[0] + take(2)
        plain[1] = n
        plain[atomic_add(counts[0], 1)] = take(1)
        r = f32(atomic_load(counts[0])) + f32(atomic_add(counts[0], 5)) ** 2
        plain[2] = u32(r)

    @sh.function
    def take(n: u32) -> u32:
        plain[0] = plain[0] + n
        return plain[0]

    array, count = np.array([10, 0, 0], np.uint32), np.array([0], np.uint32)
    with plain.bound_to(array), counts.bound_to(count):
        run()
    # take(1) runs before the index is taken; the load reads before the add.
    assert array.tolist() == [13, 22, 2]
    assert count.tolist() == [6]
    text = ComputeProgram(run).wgsl
    assert text.index("let kept = ") < text.index("let base = ")
    assert text.index("let stored = take(1u)") < text.index("atomicAdd(&counts[0i], 1u)")


REFUSED = {
    "n = counts[0] + 1": "'counts\\[0\\]' is an atomic, not a value",
    "counts[0] = 1": "atomic",
    "counts[0] += 1": "atomic",
    "n = cells[0]": "holds atomics",
    "atomic_add(plain[0], 1)": "works on an atomic",
    "atomic_add(counts[0], f32(1.0))": "atomic_add is not defined for",
    "atomic_add(counts[0], i32(1))": "Convert the value: u32",
    "n = atomic_store(counts[0], 1)": "gives no value",
    "plain[0] = atomic_compare_exchange(counts[0], 1, 2).old_value": "assigned to a name",
    "atomic_add(counts, 1)": "works on an atomic",
}


@pytest.mark.parametrize("line", REFUSED)
def test_other_uses_are_refused(line):
    text = f"@compute(workgroup_size=1, source=TEXT)\ndef run() -> None:\n    {line}\n"
    scope = {**vars(sh), "TEXT": text, "counts": counts, "plain": plain, "cells": cells}
    exec(text, scope)
    with pytest.raises(ShaderError, match=REFUSED[line]):
        _ = scope["run"].ir


def test_where_atomics_may_lie():
    for declare in (
        lambda: storage("x", atomic_u32, binding=0),
        lambda: private("x", atomic_u32, 3),
        lambda: uniform("x", Cell, binding=0),
        lambda: private("x", Cell, 3),
    ):
        with pytest.raises(ShaderTypeError, match="atomics"):
            declare()


def test_in_cpython_an_atomic_is_no_number():
    with counts.bound_to(np.zeros(2, np.uint32)):
        place = counts[0]
        assert isinstance(place, AtomicPlace)
        assert repr(place) == "<atomic_u32 0>"
        with pytest.raises(TypeError):
            place + 1
        with pytest.raises(ShaderTypeError, match="atomic_load"):
            bool(place)
        with pytest.raises(ShaderTypeError, match="atomic_store"):
            counts[0] = 1
        with pytest.raises(ShaderTypeError, match="works on an atomic"):
            atomic_load(7)
        with pytest.raises(ShaderTypeError, match="u32 is needed"):
            atomic_add(place, sh.i32(1))
        found = atomic_compare_exchange(place, 0, 4)
        assert found == (0, True)
        assert atomic_compare_exchange(place, 0, 9) == (4, False)


def test_vertex_functions_have_none():
    @struct
    class Out:
        clip: sh.vec4 = builtin.position

    @sh.vertex
    def place() -> Out:
        atomic_add(counts[0], 1)
        return Out(clip=sh.vec4(0.0))

    with pytest.raises(ShaderError, match="atomic_add is for fragment and compute"):
        _ = place.ir


def test_barriers_and_atomics_are_effects():
    @compute(workgroup_size=4)
    def run() -> None:
        workgroup_barrier()
        atomic_add(counts[0], 1)

    assert ComputeProgram(run).wgsl.count("_ = atomicAdd") == 1
