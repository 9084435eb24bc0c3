"""Matrices of every shape on the GPU: layout of structs, loads from pages, products."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.kernels.loads import LOADERS
from heapscene.shader import ComputeProgram, Matrix, builtin, layout_of, storage, vec3u
from heapscene.shader.operations import spelled

SHAPES = [Matrix(columns, rows) for columns, rows in itertools.product((2, 3, 4), repeat=2)]
N = 64
pytestmark = pytest.mark.gpu
wgpu = pytest.importorskip("wgpu")


@pytest.fixture(scope="module")
def device():
    return wgpu.gpu.request_adapter_sync().request_device_sync()


def run(device, shader, buffers, result_bytes):
    program = ComputeProgram(shader)
    module = device.create_shader_module(code=program.wgsl)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": program.entry}
    )
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_SRC
    made = {
        name: device.create_buffer_with_data(data=data.tobytes(), usage=usage)
        for name, data in buffers.items()
    }
    made["out"] = device.create_buffer(size=result_bytes, usage=usage)
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
    compute_pass.dispatch_workgroups(1)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    return np.frombuffer(device.queue.read_buffer(made["out"]), np.float32)


def shader_of(text, scope):
    full = f"@compute(workgroup_size={N}, source=TEXT)\n{text}"
    names = {**vars(sh), **scope, "TEXT": full}
    exec(full, names)
    return names["run"]


@pytest.mark.parametrize("space", ["storage", "uniform"])
@pytest.mark.parametrize("kind", SHAPES, ids=str)
def test_a_struct_holds_it_where_its_layout_says(device, kind, space):
    name = spelled(kind)
    row = f"vec{kind.rows}"
    scope = dict(vars(sh))
    exec(
        f"@struct\nclass Item:\n    a: f32\n    m: {name}\n    b: f32\n    n: {name}\n",
        scope,
    )
    item = scope["Item"]
    layout = layout_of(item.__shader_type__, space)
    rng = np.random.default_rng(kind.words)
    m, n = rng.normal(size=(2, kind.rows, kind.columns)).astype(np.float32)
    data = np.zeros(1, layout.dtype)
    data["a"], data["b"] = 2.0, 3.0
    data["m"][0, :, : kind.rows], data["n"][0, :, : kind.rows] = m.T, n.T
    out = storage("out", getattr(sh, row), binding=1, access="read_write")
    if space == "storage":
        source, read = storage("items", item, binding=0), "items[0]"
    else:
        source, read = sh.uniform("items", item, binding=0), "items"
    text = (
        "def run(gid: vec3u = builtin.global_invocation_id) -> None:\n"
        f"    if gid.x < {kind.columns}:\n"
        f"        out[gid.x] = {read}.m[gid.x] * {read}.a + {read}.n[gid.x] * {read}.b\n"
    )
    shader = shader_of(text, {"items": source, "out": out, "builtin": builtin, "vec3u": vec3u})
    stride = 2 if kind.rows == 2 else 4
    found = run(device, shader, {"items": data}, kind.columns * stride * 4)
    found = found.reshape(kind.columns, stride)[:, : kind.rows]
    assert np.allclose(found, (2 * m + 3 * n).T, rtol=1e-6)


@pytest.mark.parametrize("kind", SHAPES, ids=str)
def test_a_page_holds_it_row_by_row(device, kind):
    rng = np.random.default_rng(kind.words)
    m = rng.normal(size=(N, kind.rows, kind.columns)).astype(np.float32)
    v = rng.normal(size=(N, kind.columns)).astype(np.float32)
    page = np.concatenate([m.reshape(N, -1), v], axis=1)
    width = page.shape[1]
    out = storage("out", sh.f32, binding=2, access="read_write")
    text = (
        "def run(gid: vec3u = builtin.global_invocation_id) -> None:\n"
        f"    at = gid.x * {width}\n"
        f"    r = load(at) @ load_vector(at + {kind.words})\n"
        f"    for k in range({kind.rows}):\n"
        f"        out[gid.x * {kind.rows} + u32(k)] = r[k]\n"
    )
    scope = {
        "load": LOADERS[kind],
        "load_vector": LOADERS[sh.Vector(sh.F32, kind.columns)],
        "out": out,
    }
    found = run(device, shader_of(text, scope), {"page": page}, N * kind.rows * 4)
    expected = np.einsum("nrc,nc->nr", m.astype(np.float64), v)
    assert np.allclose(found.reshape(N, kind.rows), expected, rtol=1e-5, atol=1e-5)
