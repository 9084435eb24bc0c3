"""Compute functions run on the GPU and in CPython with the same numbers."""

# Shader functions use names of WGSL, and wrong ones are the subject.
from __future__ import annotations

import enum

import numpy as np
import pytest

from heapscene.shader import (
    ComputeProgram,
    abs,
    array_length,
    bitcast_f32,
    bitcast_u32,
    builtin,
    compute,
    cross,
    dot,
    f32,
    fract,
    function,
    i32,
    layout_of,
    mat2,
    mat3,
    mat4,
    max,
    min,
    mix,
    select,
    storage,
    struct,
    transpose,
    u32,
    uniform,
    vec2,
    vec2b,
    vec2u,
    vec3,
    vec3i,
    vec3u,
    vec4,
    workgroup,
    workgroup_barrier,
)
from heapscene.shader.ir import verify_module

N = 96
pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def device():
    wgpu = pytest.importorskip("wgpu")
    adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    return adapter.request_device_sync()


def run(device, shader, buffers, groups=2):
    """Dispatch a compute function; ``buffers`` holds an array for each binding, by name."""
    import wgpu

    program = ComputeProgram(shader)
    verify_module(program.module)
    module = device.create_shader_module(code=program.wgsl)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": program.entry}
    )
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_SRC
    made = {
        b.name: device.create_buffer_with_data(
            data=np.ascontiguousarray(buffers[b.name]).tobytes(), usage=usage
        )
        for b in program.bindings
    }
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[
            {"binding": b.binding, "resource": {"buffer": made[b.name]}} for b in program.bindings
        ],
    )
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(groups)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    return {
        b.name: np.frombuffer(
            device.queue.read_buffer(made[b.name]), buffers[b.name].dtype
        ).reshape(buffers[b.name].shape)
        for b in program.bindings
    }


floats = storage("floats", f32, binding=0)
results = storage("results", f32, binding=1, access="read_write")
words = storage("words", u32, binding=2, access="read_write")


def both(device, shader, **buffers):
    """Run on the GPU and in CPython, for the first N invocations; return both results."""
    names = {b.name: b for b in ComputeProgram(shader).bindings}
    arrays = {name: array.copy() for name, array in buffers.items() if name in names}
    on_gpu = run(device, shader, arrays)
    resources = {r.name: r for r in (floats, results, words)}
    copies = {name: array.copy() for name, array in arrays.items()}
    from contextlib import ExitStack

    with ExitStack() as stack:
        for name, array in copies.items():
            stack.enter_context(resources[name].bound_to(array))
        for k in range(N):
            shader(vec3u(k, 0, 0))
    return on_gpu, copies


@function
def collatz(start: u32) -> u32:
    n = start
    count = u32(0)
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
        if count > 200:
            break
    return count


@compute(workgroup_size=64)
def integers(id: vec3u = builtin.global_invocation_id) -> None:
    i = id.x
    if i >= array_length(words):
        return
    total = collatz(i + 1)
    for k in range(3, 20, 4):
        if k == 11:
            continue
        total += u32(k) * 1000
    signed = i32(i) - 40
    total ^= u32(-signed) >> 3
    total += u32(signed < 0 < signed + 20) if False else 7
    mask = ~i & 0xFF
    words[i] = total * 2654435761 + mask


def test_integers_agree(device):
    on_gpu, in_python = both(device, integers, words=np.zeros(N, np.uint32))
    np.testing.assert_array_equal(on_gpu["words"], in_python["words"])
    assert len(set(on_gpu["words"])) > N // 2


class Mode(enum.IntEnum):
    SUM = 1
    PRODUCT = 2


MODE = Mode.PRODUCT
WEIGHTS = (0.25, 0.5, 0.25)
ROTATION = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
DEBUG = False


@function
def chosen(a: f32, b: f32 = 2.0) -> f32:
    if MODE == Mode.SUM:
        return a + b
    if DEBUG:
        return vec3(a)
    return a * b


@compute(workgroup_size=64)
def floats_and_vectors(id: vec3u = builtin.global_invocation_id) -> None:
    i = id.x
    if i >= array_length(results):
        return
    x = floats[i]
    p = vec3(x, x * 0.5, 1.0)
    turned = ROTATION @ p
    m = mat3(p, turned, vec3(0.0, 0.0, 1.0))
    q = m @ p + p @ m
    q = transpose(m) @ q
    r = -m @ q
    best = min(max(r.zyx, vec3(-8.0)), vec3(8.0)).with_y(x)
    a, b = best.x, best.z
    a, b = b, a
    if x > 0.5:
        tail = vec2(a, b)
    elif x > 0.0:
        tail = vec2(b, a) * 2
    else:
        tail = vec2(0.0)
    same = all(vec2b(tail == tail)) and not any(vec2b(tail != tail))
    weight = WEIGHTS[0] + WEIGHTS[1] * WEIGHTS[2]
    value = dot(cross(best, p), p) + chosen(tail.x) + chosen(tail.y, b=weight)
    value = mix(value, select(0.0, 1.0, same), 0.25) + fract(abs(x) * 3)
    value += m[1][0] + x**3
    results[i] = value


def test_floats_agree(device):
    rng = np.random.default_rng(3)
    given = rng.uniform(-1, 1, N).astype(np.float32)
    on_gpu, in_python = both(
        device, floats_and_vectors, floats=given, results=np.zeros(N, np.float32)
    )
    np.testing.assert_allclose(on_gpu["results"], in_python["results"], rtol=2e-5, atol=2e-5)
    assert np.ptp(on_gpu["results"]) > 1


@struct
class Inner:
    direction: vec3
    kind: u32


@struct
class Everything:
    a: f32
    b: vec2
    c: vec3
    d: f32
    e: mat2
    f: mat3
    inner: Inner
    g: mat4
    h: vec3
    i: i32
    j: vec3i
    k: vec2u


source = storage("source", Everything, binding=0)
target = storage("target", Everything, binding=1, access="read_write")
settings = uniform("settings", Everything, binding=2)


@compute(workgroup_size=64)
def copy_members(id: vec3u = builtin.global_invocation_id) -> None:
    if id.x >= array_length(source):
        return
    s = source[id.x]
    inner = s.inner.replace(kind=s.inner.kind + settings.k.y)
    target[id.x] = s.replace(
        a=s.a + settings.a,
        c=s.c.with_z(settings.h.x),
        inner=inner,
        g=settings.g @ s.g,
        i=settings.i,
    )


def test_layout_is_that_of_the_gpu(device):
    rng = np.random.default_rng(5)
    plan = layout_of(Everything.__shader_type__)
    values = np.zeros(5, plan.dtype)
    one = np.zeros((), layout_of(Everything.__shader_type__, "uniform").dtype)
    for array in (values, one):
        for name in plan.dtype.names:
            if name == "inner":
                array["inner"]["direction"] = rng.normal(size=(*array.shape, 3))
                array["inner"]["kind"] = 5
            else:
                array[name] = rng.integers(0, 50, array[name].shape)
    out = run(
        device,
        copy_members,
        {"source": values, "target": np.zeros_like(values), "settings": one},
        groups=1,
    )["target"]
    expected = values.copy()
    expected["a"] += one["a"]
    expected["c"][:, 2] = one["h"][0]
    expected["inner"]["kind"] += one["k"][1]
    # Matrices lie in the buffer by columns: (settings.g @ s.g).T == s.g.T @ settings.g.T.
    expected["g"] = values["g"] @ one["g"]
    expected["i"] = one["i"]
    for name in ("a", "b", "c", "d", "e", "g", "h", "i", "j", "k"):
        np.testing.assert_array_equal(out[name], expected[name], err_msg=name)
    np.testing.assert_array_equal(out["f"][..., :3], expected["f"][..., :3])
    np.testing.assert_array_equal(out["inner"]["direction"], expected["inner"]["direction"])
    np.testing.assert_array_equal(out["inner"]["kind"], expected["inner"]["kind"])


sums = workgroup("sums", u32, 64)
totals = storage("totals", u32, binding=0, access="read_write")
elements = storage("elements", u32, binding=1)


@compute(workgroup_size=64)
def block_sums(
    id: vec3u = builtin.global_invocation_id,
    lane: u32 = builtin.local_invocation_index,
    group: vec3u = builtin.workgroup_id,
) -> None:
    sums[lane] = elements[id.x] if id.x < array_length(elements) else 0
    workgroup_barrier()
    step = u32(32)
    while step > 0:
        if lane < step:
            sums[lane] += sums[lane + step]
        workgroup_barrier()
        step = step >> 1
    if lane == 0:
        totals[group.x] = sums[0]


def test_workgroup_memory_and_barriers(device):
    values = np.arange(150, dtype=np.uint32) ** 2
    out = run(device, block_sums, {"elements": values, "totals": np.zeros(3, np.uint32)}, groups=3)
    expected = [values[k : k + 64].sum() for k in (0, 64, 128)]
    np.testing.assert_array_equal(out["totals"], expected)


@compute(workgroup_size=64)
def bits(id: vec3u = builtin.global_invocation_id) -> None:
    i = id.x
    if i >= array_length(words):
        return
    number = bitcast_f32(0x3F800000 + i)
    while True:
        number = number * 2.0
        if number > 50.0:
            break
    found = 0
    for n in range(10, -1, -2):
        for m in range(n):
            if m == 3:
                break
            found += 1
    table = mat2(vec2(1.0, 2.0), vec2(3.0, 4.0))
    part = table[i % 2][i32(i) & 1] + vec4(1.0, 2.0, 3.0, 4.0)[i % 4]
    words[i] = bitcast_u32(number) + u32(found) + u32(part)


def test_bits_loops_and_indices_agree(device):
    on_gpu, in_python = both(device, bits, words=np.zeros(N, np.uint32))
    np.testing.assert_array_equal(on_gpu["words"], in_python["words"])
