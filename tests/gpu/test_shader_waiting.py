"""What invocations of a workgroup do together: the GPU and the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import ShaderError, ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    atomic_add,
    atomic_load,
    atomic_u32,
    builtin,
    compute,
    f32,
    ir,
    storage,
    struct,
    texture_barrier,
    texture_load,
    texture_storage_2d,
    texture_store,
    u32,
    vec2u,
    vec3,
    vec3u,
    vec4u,
    workgroup,
    workgroup_barrier,
    workgroup_uniform_load,
)
from heapscene.shader.interpret import dispatch
from unit.shader.test_compute_on_gpu import run

pytestmark = pytest.mark.gpu
pytest.importorskip("wgpu")
GROUPS, SIZE = 16, 64

given = storage("given", u32, binding=0)
results = storage("results", u32, binding=1, access="read_write")
shared = workgroup("shared", u32, SIZE)
count = workgroup("count", atomic_u32, 1)
picture = texture_storage_2d("picture", "r32uint", binding=2, access="read_write")


@compute(workgroup_size=SIZE)
def waits(
    i: vec3u = builtin.global_invocation_id,
    lane: u32 = builtin.local_invocation_index,
    group: vec3u = builtin.workgroup_id,
) -> None:
    shared[lane] = given[i.x]
    if given[i.x] % 3 == 0:
        atomic_add(count[0], 1)
    rounds = workgroup_uniform_load(shared[5]) % 7
    for k in range(rounds):  # a barrier under a condition that is the same for the workgroup
        before = shared[(lane + 1) % 64]
        workgroup_barrier()
        shared[lane] = shared[lane] * 3 + before + k
        workgroup_barrier()
    results[i.x] = shared[lane] + workgroup_uniform_load(count[0]) * 1000 + group.x


def test_a_uniform_load_is_the_same_on_both_sides(device):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 1000, GROUPS * SIZE, np.uint32)
    buffers = {"given": values, "results": np.zeros(GROUPS * SIZE, np.uint32)}
    on_gpu = run(device, waits, buffers, groups=GROUPS)["results"]
    dispatch(ComputeProgram(waits).module.entries[0], buffers, (GROUPS, 1, 1))
    assert np.array_equal(on_gpu, buffers["results"])
    assert len(set(on_gpu.tolist())) > SIZE
    assert len(set((values.reshape(GROUPS, SIZE)[:, 5] % 7).tolist())) > 3


@struct
class Cell:
    hits: atomic_u32
    weight: f32


cells = workgroup("cells", Cell, 3)
longer = workgroup("longer", vec3, 100)
floats = storage("floats", f32, binding=3, access="read_write")


@compute(workgroup_size=SIZE)
def expects_zeros(group: vec3u = builtin.workgroup_id) -> None:
    atomic_add(cells[1].hits, 1)
    workgroup_barrier()
    here = group.x
    results[here] = atomic_load(cells[1].hits) + atomic_load(cells[2].hits)
    floats[here] = cells[0].weight + longer[99].x + longer[64].z + longer[3].y


@compute(workgroup_size=SIZE)
def leaves_numbers(lane: u32 = builtin.local_invocation_index) -> None:
    for k in range(u32(8)):
        atomic_add(cells[k % 3].hits, 5)
    longer[lane] = vec3(7.0)
    longer[36 + lane] = vec3(9.0)
    workgroup_barrier()
    results[lane % 16] = u32(longer[50].x)


def test_workgroup_memory_begins_at_zero(device):
    buffers = {"results": np.zeros(GROUPS, np.uint32), "floats": np.ones(GROUPS, np.float32)}
    for _ in range(3):
        run(device, leaves_numbers, buffers, groups=GROUPS)
        found = run(device, expects_zeros, buffers, groups=GROUPS)
        assert found["results"].tolist() == [SIZE] * GROUPS
        assert found["floats"].tolist() == [0.0] * GROUPS


def test_zeros_are_left_out_where_everything_is_written_first():
    @compute(workgroup_size=SIZE)
    def writes(lane: u32 = builtin.local_invocation_index) -> None:
        x = given[lane] * 2
        shared[lane] = x
        workgroup_barrier()
        results[lane] = shared[63 - lane]

    assert ComputeProgram(writes).wgsl.count("workgroupBarrier") == 1
    assert ComputeProgram(expects_zeros).wgsl.count("workgroupBarrier") == 2
    for change in (
        "shared[lane] = shared[lane] + 1",
        "shared[lane + 1] = 1",
        "if lane > 3:\n        return",
    ):
        text = f"""@compute(workgroup_size={SIZE}, source=TEXT)
def reads(lane: u32 = builtin.local_invocation_index) -> None:
    {change}
    shared[lane] = 1
    results[lane] = shared[63 - lane]
"""
        scope = {**globals(), "TEXT": text}
        exec(text, scope)
        made = ComputeProgram(scope["reads"])
        ir.verify_module(made.module)
        assert made.wgsl.count("workgroupBarrier") == 1, change


def test_all_of_a_workgroup_have_to_load():
    @compute(workgroup_size=SIZE)
    def partly(lane: u32 = builtin.local_invocation_index) -> None:
        if lane < 3:
            results[lane] = workgroup_uniform_load(shared[0])

    with pytest.raises(ShaderError, match="3 of 64"):
        dispatch(ComputeProgram(partly).module.entries[0], {"results": np.zeros(4, np.uint32)})


def test_only_elements_of_workgroup_memory_are_loaded():
    with pytest.raises(ShaderTypeError, match="element of a workgroup array"):
        ir.intrinsic("workgroup_uniform_load", ir.literal(1))
    for memory, place in ((given, "given[0]"), (shared, "shared")):
        text = (
            "@compute(workgroup_size=4, source=TEXT)\n"
            f"def run() -> None:\n    x = workgroup_uniform_load({place})\n"
        )
        scope = {
            "TEXT": text,
            "compute": compute,
            memory.name: memory,
            "workgroup_uniform_load": workgroup_uniform_load,
        }
        exec(text, scope)
        with pytest.raises(ShaderTypeError, match=r"Write workgroup_uniform_load\(shared\[0\]\)"):
            _ = scope["run"].ir


def test_a_call_in_cpython_has_no_workgroup():
    with pytest.raises(ShaderError, match="other invocations"):
        workgroup_uniform_load(1)


@compute(workgroup_size=4)
def hands_on(lane: u32 = builtin.local_invocation_index) -> None:
    texture_store(picture, vec2u(lane, 0), vec4u(lane * 10))
    texture_barrier()
    results[lane] = texture_load(picture, vec2u((lane + 1) % 4, 0)).x


def test_texels_are_seen_behind_a_texture_barrier(device):
    import wgpu

    program = ComputeProgram(hands_on)
    assert "textureBarrier();" in program.wgsl
    usage = wgpu.TextureUsage.STORAGE_BINDING
    texture = device.create_texture(size=(4, 1, 1), format="r32uint", usage=usage)
    buffer = device.create_buffer(
        size=16, usage=wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    )
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": device.create_shader_module(code=program.wgsl)}
    )
    entries = [
        {"binding": 1, "resource": {"buffer": buffer}},
        {"binding": 2, "resource": texture.create_view()},
    ]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(1)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    assert np.frombuffer(device.queue.read_buffer(buffer), np.uint32).tolist() == [10, 20, 30, 0]
