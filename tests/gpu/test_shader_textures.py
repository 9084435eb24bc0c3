"""Textures: every rule of the table compiles, and what can be computed in CPython agrees."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.shader import ComputeProgram, f32, i32, ir, storage, vec2, vec2i, vec3, vec4, vec4u
from heapscene.shader.ir.places import is_offset
from heapscene.shader.lang import type_of
from heapscene.shader.lang.texels import quantized
from heapscene.shader.lang.textures import FORMATS
from heapscene.shader.operations import INTRINSICS, NAMES, RESOURCE_NAMES
from heapscene.shader.types import (
    I32,
    U32,
    VOID,
    SamplerType,
    StorageTextureType,
    TextureType,
    Vector,
)
from heapscene.shader.wgsl import emit

N = 256
pytestmark = pytest.mark.gpu
wgpu = pytest.importorskip("wgpu")
TEXTURES = {name: op for name, op in INTRINSICS.items() if op.family == "texture"}
LOOSE = {"int": (I32, U32), "vec2int": (Vector(I32, 2), Vector(U32, 2))}
LOOSE["vec3int"] = (Vector(I32, 3), Vector(U32, 3))


@pytest.fixture(scope="module")
def device():
    return wgpu.gpu.request_adapter_sync().request_device_sync()


# Every rule --------------------------------------------------------------------------------------


def meanings(token, access):
    """Return the types that a token of a rule may stand for."""
    if token in LOOSE:
        return LOOSE[token]
    if token.startswith("texture_storage"):
        return [
            StorageTextureType(token, format_, access)
            for format_ in ("rgba8unorm", "r32sint", "rgba32uint")
        ]
    if token.startswith("texture_") and token not in RESOURCE_NAMES:
        return [TextureType(token, sh.Scalar(name)) for name in ("f32", "i32", "u32")]
    return [RESOURCE_NAMES[token] if token in RESOURCE_NAMES else NAMES[token]]


def cases(stage):
    for name, operation in TEXTURES.items():
        if stage not in operation.stages:
            continue
        access = "read" if name == "texture_load" else "write"
        for rule in operation.rules:
            tokens = [t for t in rule.partition(" -> ")[0].split() if t != "T.texel"]
            stored = "T.texel" in rule.partition(" -> ")[0]
            for types in itertools.product(*(meanings(token, access) for token in tokens)):
                yield name, (*types, types[0].texel) if stored else types


def module_of(stage):
    """Return an entry point with one call for each rule, and its resources."""
    body = ir.FunctionBuilder("main")
    variables = {}
    resources = {}
    count = 0
    for name, types in cases(stage):
        args = []
        for type_ in types:
            if isinstance(type_, TextureType | StorageTextureType | SamplerType):
                found = resources.setdefault(
                    type_,
                    ir.Resource(f"r{len(resources)}", type_, "handle", "read", 0, len(resources)),
                )
            else:
                found = variables.get(type_) or variables.setdefault(type_, body.var("v", type_))
            args.append(found)
        shifted = is_offset(name, types[-1])
        if shifted:
            steps = (1, -8, 7)[: types[-1].size]
            args[-1] = ir.construct(types[-1], *(ir.literal(step, I32) for step in steps))
        if name == "texture_gather" and not types[0].is_depth:
            channel = -2 if shifted else -1
            args[channel] = ir.literal(2, types[channel])
        made = ir.intrinsic(name, *args)
        count += 1
        if made.type == VOID:
            body.evaluate(made)
        else:
            body.let("r", made)
    function = body.done()
    ir.verify_function(function)
    return ir.Module((ir.EntryPoint(stage, function),)), count


@pytest.mark.parametrize("stage", ["fragment", "compute"])
def test_every_rule_is_accepted(device, stage):
    module, count = module_of(stage)
    assert count > 100
    device.create_shader_module(code=emit(module))


@pytest.mark.refused_wgsl
def test_vertex_functions_sample_a_level():
    """The text is enough here: a vertex function would have to return a position."""
    module, count = module_of("vertex")
    assert count > 100
    assert "textureSampleLevel(" in emit(module)


# Values ------------------------------------------------------------------------------------------


def upload(device, texture, levels):
    """Return a GPU texture with these levels."""
    kind = texture.type
    first = levels[0]
    channels = 1 if isinstance(kind, TextureType) and kind.is_depth else 4
    scalar = {"f32": "float", "i32": "sint", "u32": "uint"}[kind.sampled.name]
    width = 16 if scalar == "float" else 32  # 32-bit floats are not filtered everywhere
    format_ = "depth16unorm" if channels == 1 else f"rgba{width}{scalar}"
    if isinstance(kind, StorageTextureType):
        format_ = kind.format
    rank = len(texture.axes.split())
    shape = first.shape[:rank]
    line = kind.kind.endswith("1d")
    size = (shape[-1], 1 if line else shape[-2], shape[0] if rank == 3 else 1)
    usage = wgpu.TextureUsage.TEXTURE_BINDING | wgpu.TextureUsage.COPY_DST
    usage |= wgpu.TextureUsage.COPY_SRC
    if isinstance(kind, StorageTextureType):
        usage |= wgpu.TextureUsage.STORAGE_BINDING
    if channels == 1:
        usage |= wgpu.TextureUsage.RENDER_ATTACHMENT
    made = device.create_texture(
        size=size,
        format=format_,
        usage=usage,
        mip_level_count=len(levels),
        dimension="1d" if line else "3d" if kind.kind.endswith("3d") else "2d",
    )
    for number, level in enumerate(levels):
        if isinstance(kind, StorageTextureType):
            continue
        rows = 1 if line else level.shape[rank - 2]
        extent = (level.shape[rank - 1], rows, level.shape[0] if rank == 3 else 1)
        texels = level.astype(np.float16) if format_ == "rgba16float" else level
        if channels == 1:
            texels = np.round(level * 65535).astype(np.uint16)
        row = level.shape[rank - 1] * channels * texels.itemsize
        device.queue.write_texture(
            {"texture": made, "mip_level": number},
            np.ascontiguousarray(texels),
            {"bytes_per_row": row, "rows_per_image": extent[1]},
            extent,
        )
    dimension = kind.kind.removeprefix("texture_").removeprefix("depth_").removeprefix("storage_")
    return made, made.create_view(dimension=dimension.replace("_", "-"))


def sampler_of(device, how):
    compare = getattr(how, "compare", None)
    extra = {"compare": compare} if compare else {}
    return device.create_sampler(
        address_mode_u=how.address,
        address_mode_v=how.address,
        address_mode_w=how.address,
        mag_filter=how.filter,
        min_filter=how.filter,
        mipmap_filter=how.mipmap_filter,
        **extra,
    )


def run_both(device, texture, levels, expression, coordinates, result, how=None):
    """Return ``expression`` for all coordinates, on the GPU and in CPython."""
    out = storage("out", result, binding=3, access="read_write")
    at = storage("at", type(coordinates[0]), binding=2)
    text = (
        "@compute(workgroup_size=64, source=TEXT)\n"
        "def run(gid: vec3u = builtin.global_invocation_id) -> None:\n"
        f"    p = at[gid.x]\n    out[gid.x] = {expression}\n"
    )
    scope = {**vars(sh), "t": texture, "s": how, "at": at, "out": out, "TEXT": text}
    exec(text, scope)
    shader = scope["run"]
    kind = type_of(result)
    size = getattr(kind, "size", 1)
    scalar = getattr(kind, "scalar", kind).name
    dtype = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}[scalar]
    inputs = np.array([np.asarray(c) for c in coordinates])
    found = np.zeros((len(inputs), size) if size > 1 else len(inputs), dtype)
    with texture.bound_to(*levels), at.bound_to(inputs), out.bound_to(found):
        for i in range(len(inputs)):
            shader(sh.vec3u(i, 0, 0))
    width = inputs.shape[1]
    padded = np.zeros((len(inputs), 4 if width == 3 else width), inputs.dtype)
    padded[:, :width] = inputs
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = {
        "at": device.create_buffer_with_data(data=padded.tobytes(), usage=usage),
        "out": device.create_buffer(size=4 * len(inputs) * (4 if size == 3 else size), usage=usage),
    }
    program = ComputeProgram(shader)
    entries = []
    for binding in program.bindings:
        if binding.kind == "texture":
            resource = upload(device, texture, levels)[1]
        elif binding.kind == "sampler":
            resource = sampler_of(device, how)
        else:
            resource = {"buffer": buffers[binding.name]}
        entries.append({"binding": binding.binding, "resource": resource})
    execute(device, program, entries, -(-len(inputs) // 64))
    return read_back(device, buffers["out"], dtype, found.shape), found


def execute(device, program, entries, groups):
    pipeline = device.create_compute_pipeline(
        layout="auto",
        compute={
            "module": device.create_shader_module(code=program.wgsl),
            "entry_point": program.entry,
        },
    )
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(groups)
    compute_pass.end()
    device.queue.submit([encoder.finish()])


def read_back(device, out, dtype, shape):
    got = np.frombuffer(device.queue.read_buffer(out), dtype)
    if len(shape) == 2 and shape[1] == 3:
        return got.reshape(-1, 4)[:, :3]
    return got.reshape(shape)


def halves(values):
    """Return numbers that a 16-bit float holds."""
    return np.asarray(values).astype(np.float16).astype(np.float32)


def mips(rng, *shape, count=3, dtype=np.float32):
    """Return levels whose two largest axes before the channels halve."""
    made = []
    for level in range(count):
        sizes = [max(1, n >> level) for n in shape[:2]]
        values = rng.random((*sizes, *shape[2:])) if dtype == np.float32 else None
        if values is None:
            values = rng.integers(0, 100, (*sizes, *shape[2:]))
        made.append(halves(values) if dtype == np.float32 else values.astype(dtype))
    return made


def places(rng, size, low=-1.5, high=2.5):
    cls = vec2 if size == 2 else vec3
    return [cls(*row) for row in rng.uniform(low, high, (N, size))]


def places_inside(rng, size, count=N):
    """Return places well within texels and halves of texels, where every GPU agrees which they are."""
    cls = vec2 if size == 2 else vec3
    cells = rng.integers(-96, 160, (count, size)) + rng.uniform(0.1, 0.9, (count, size))
    return [cls(*row) for row in cells / 64]


@pytest.mark.parametrize("address", ["clamp-to-edge", "repeat", "mirror-repeat"])
@pytest.mark.parametrize("filter_", ["nearest", "linear"])
def test_sampling_in_two_dimensions(device, filter_, address):
    rng = np.random.default_rng(7)
    texture = sh.texture_2d("t", binding=0)
    how = sh.sampler("s", binding=1, filter=filter_, mipmap_filter=filter_, address=address)
    levels = mips(rng, 8, 16, 4)
    for expression in (
        "texture_sample_level(t, s, p, 0.0)",
        "texture_sample_level(t, s, p, fract(p.x) * 2.0)",
        "texture_sample_level(t, s, p, 1)",
    ):
        gpu, python = run_both(device, texture, levels, expression, places(rng, 2), vec4, how)
        # A nearest sample next to a border, and the choice of a level, may fall on either side.
        apart = np.abs(gpu - python).max(axis=1)
        assert np.mean(apart > 1.5 / 256) <= (0.005 if filter_ == "nearest" else 0.0), expression


def test_gradients_choose_the_level(device):
    rng = np.random.default_rng(8)
    texture = sh.texture_2d("t", binding=0)
    how = sh.sampler("s", binding=1, filter="nearest", mipmap_filter="nearest")
    levels = [np.full((32 >> n, 32 >> n, 4), n, np.float32) for n in range(4)]
    gpu, python = run_both(
        device,
        texture,
        levels,
        "texture_sample_grad(t, s, p, vec2(p.x * 0.2, 0.0), vec2(0.0, p.x * 0.1))",
        places(rng, 2, 0.01, 1.5),
        vec4,
        how,
    )
    assert set(python[:, 0]) == {0, 1, 2, 3}
    assert np.mean(gpu[:, 0] != python[:, 0]) < 0.03


@pytest.mark.parametrize("address", ["clamp-to-edge", "repeat", "mirror-repeat"])
@pytest.mark.parametrize("filter_", ["nearest", "linear"])
def test_offsets_in_texels(device, filter_, address):
    rng = np.random.default_rng(17)
    count = 1024 if address == "repeat" else N // 2
    how = sh.sampler("s", binding=1, filter=filter_, mipmap_filter="nearest", address=address)
    plane, levels = sh.texture_2d("t", binding=0), mips(rng, 8, 16, 4)
    layers = halves(rng.random((3, 8, 8, 4)))
    block = halves(rng.random((4, 8, 8, 4)))
    for texture, given, expression, size in (
        (plane, levels, "texture_sample_level(t, s, p, 1.0, vec2i(3, -2))", 2),
        (plane, levels[:1], "texture_gather(t, s, p, 2, vec2i(-8, 7))", 2),
        (plane, levels, "texture_sample_grad(t, s, p, vec2(0.0), vec2(0.0), vec2i(1))", 2),
        (
            sh.texture_2d_array("t", binding=0),
            [layers],
            "texture_sample_level(t, s, p, 2, 0.0, vec2i(1, 0))",
            2,
        ),
        (
            sh.texture_3d("t", binding=0),
            [block],
            "texture_sample_level(t, s, p, 0.0, vec3i(1, -2, 3))",
            3,
        ),
    ):
        at = places_inside(rng, size, count)
        gpu, python = run_both(device, texture, given, expression, at, vec4, how)
        apart = 4 / 256 if filter_ == "linear" and "gather" not in expression else 0.0
        assert np.abs(gpu - python).max() <= apart, expression
        plain = re.sub(r", vec[23]i\([^)]*\)\)$", ")", expression)
        assert not np.array_equal(run_both(device, texture, given, plain, at, vec4, how)[0], gpu)


def test_offsets_in_depth(device):
    rng = np.random.default_rng(19)
    depth = sh.texture_depth_2d("t", binding=0)
    level = (rng.integers(0, 65536, (8, 8)) / 65535).astype(np.float32)
    compare = sh.sampler_comparison("s", binding=1, filter="nearest")
    plain = sh.sampler("s", binding=1, filter="nearest", mipmap_filter="nearest")
    for expression, result, how in (
        ("texture_sample_compare_level(t, s, p, 0.5, vec2i(2, 1))", f32, compare),
        ("texture_gather_compare(t, s, p, 0.5, vec2i(2, 1))", vec4, compare),
        ("texture_sample_level(t, s, p, 0, vec2i(2, 1))", f32, plain),
        ("texture_gather(t, s, p, vec2i(2, 1))", vec4, plain),
    ):
        at = places_inside(rng, 2, 1024)
        gpu, python = run_both(device, depth, [level], expression, at, result, how)
        assert np.array_equal(gpu, python), expression
        assert len(np.unique(gpu)) > 1


def test_lines_and_clamped_pictures(device):
    rng = np.random.default_rng(18)
    line = sh.texture_1d("t", binding=0)
    level = halves(rng.random((16, 4)))
    for filter_ in ("nearest", "linear"):
        how = sh.sampler("s", binding=1, filter=filter_, mipmap_filter="nearest", address="repeat")
        for expression in (
            "texture_sample_level(t, s, p.x, 0.0)",
            "texture_load(t, i32(abs(p.x) * 6.0), 0)",
            "vec4(f32(texture_dimensions(t) * 10 + texture_num_levels(t)))",
        ):
            gpu, python = run_both(device, line, [level], expression, places(rng, 2), vec4, how)
            apart = np.abs(gpu - python).max(axis=1)
            assert np.mean(apart > 2 / 256) <= 0.01, (filter_, expression)
    picture = sh.texture_2d("t", binding=0)
    for filter_ in ("nearest", "linear"):
        how = sh.sampler("s", binding=1, filter=filter_, address="repeat")
        gpu, python = run_both(
            device,
            picture,
            mips(rng, 8, 16, 4, count=1),
            "texture_sample_base_clamp_to_edge(t, s, p)",
            places(rng, 2),
            vec4,
            how,
        )
        assert np.mean(np.abs(gpu - python).max(axis=1) > 2 / 256) <= 0.01


def test_layers_blocks_and_cubes(device):
    rng = np.random.default_rng(9)
    nearest = sh.sampler("s", binding=1, filter="nearest", mipmap_filter="nearest")
    linear = sh.sampler("s", binding=1, mipmap_filter="nearest")
    layers = sh.texture_2d_array("t", binding=0)
    block = sh.texture_3d("t", binding=0)
    cube = sh.texture_cube("t", binding=0)
    for texture, shape, expression, how, at in (
        (layers, (3, 8, 8, 4), "texture_sample_level(t, s, p, i32(p.x * 9.0), 0)", linear, 2),
        (
            sh.texture_cube_array("t", binding=0),
            (12, 8, 8, 4),
            "texture_sample_level(t, s, p - 0.5, 1, 0.0)",
            nearest,
            3,
        ),
        (block, (4, 8, 8, 4), "texture_sample_level(t, s, p, 0.0)", linear, 3),
        (cube, (6, 8, 8, 4), "texture_sample_level(t, s, p - 0.5, 0.0)", nearest, 3),
    ):
        level = halves(rng.random(shape))
        gpu, python = run_both(device, texture, [level], expression, places(rng, at), vec4, how)
        apart = np.abs(gpu - python).max(axis=1)
        assert np.mean(apart > 4 / 256) <= 0.01, texture


def test_depth_is_compared(device):
    rng = np.random.default_rng(10)
    depth = sh.texture_depth_2d("t", binding=0)
    level = (rng.integers(0, 65536, (8, 8)) / 65535).astype(np.float32)
    for compare in ("less", "greater-equal", "always", "never"):
        how = sh.sampler_comparison("s", binding=1, compare=compare, filter="nearest")
        gpu, python = run_both(
            device,
            depth,
            [level],
            "texture_sample_compare_level(t, s, p, fract(p.x * 3.0))",
            places(rng, 2),
            f32,
            how,
        )
        assert np.mean(gpu != python) < 0.01, compare
    how = sh.sampler_comparison("s", binding=1, compare="less")
    gpu, python = run_both(
        device,
        depth,
        [level],
        "texture_gather_compare(t, s, p, 0.5)",
        places(rng, 2),
        vec4,
        how,
    )
    assert np.mean(gpu != python) < 0.01
    cubes = sh.texture_depth_cube_array("t", binding=0)
    six = (rng.integers(0, 65536, (12, 8, 8)) / 65535).astype(np.float32)
    how = sh.sampler_comparison("s", binding=1, filter="nearest")
    expression = "texture_sample_compare_level(t, s, p - 0.5, 1, 0.5)"
    gpu, python = run_both(device, cubes, [six], expression, places(rng, 3), f32, how)
    assert np.mean(gpu != python) < 0.01
    assert 0.2 < np.mean(python) < 0.8
    plain = sh.sampler("s", binding=1, filter="nearest", mipmap_filter="nearest")
    for expression, result in (
        ("texture_sample_level(t, s, p, 0)", f32),
        ("texture_gather(t, s, p)", vec4),
        ("texture_load(t, vec2i(i32(abs(p.x)), 3), 0)", f32),
    ):
        gpu, python = run_both(device, depth, [level], expression, places(rng, 2), result, plain)
        assert np.mean(gpu != python) < 0.01, expression


@pytest.mark.parametrize("channel", range(4))
def test_gathers(device, channel):
    rng = np.random.default_rng(channel)
    how = sh.sampler("s", binding=1, filter="nearest", address="repeat")
    for texel, dtype in ((vec4, np.float32), (vec4u, np.uint32)):
        texture = sh.texture_2d("t", texel, binding=0)
        level = mips(rng, 8, 8, 4, count=1, dtype=dtype)
        gpu, python = run_both(
            device,
            texture,
            level,
            f"texture_gather(t, s, p, {channel})",
            places(rng, 2),
            texel,
            how,
        )
        assert np.mean(gpu != python) < 0.01


def test_loads_and_sizes(device):
    rng = np.random.default_rng(11)
    texture = sh.texture_2d("t", vec4u, binding=0)
    levels = mips(rng, 8, 16, 4, dtype=np.uint32)
    at = [vec2i(int(x), int(y)) for x, y in rng.integers(0, (16, 8), (N, 2))]
    for expression in (
        "texture_load(t, p, 0)",
        "texture_load(t, vec2i(p.x >> 1, p.y >> 1), 1)",
        "vec4u(texture_dimensions(t), texture_dimensions(t, 2))",
        "vec4u(texture_num_levels(t))",
    ):
        gpu, python = run_both(device, texture, levels, expression, at, vec4u)
        assert np.array_equal(gpu, python), expression
    layers = sh.texture_2d_array("t", binding=0)
    level = halves(rng.random((3, 8, 16, 4)))
    gpu, python = run_both(device, layers, [level], "texture_load(t, p, 2, 0)", at, vec4)
    assert np.array_equal(gpu, python)
    gpu, python = run_both(device, layers, [level], "i32(texture_num_layers(t))", at, i32)
    assert np.array_equal(gpu, python)
    assert set(python) == {3}


@pytest.mark.parametrize("format_", FORMATS)
def test_stores_round_to_the_format(device, format_):
    rng = np.random.default_rng(12)
    texture = sh.texture_storage_2d("t", format_, binding=0)
    texel = (
        sh.vec4
        if texture.type.sampled.name == "f32"
        else getattr(sh, f"vec4{texture.type.sampled.name[0]}")
    )
    dtype = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}[texture.type.sampled.name]
    values = storage("values", texel, binding=1)
    text = (
        "@compute(workgroup_size=64, source=TEXT)\n"
        "def run(gid: vec3u = builtin.global_invocation_id) -> None:\n"
        "    texture_store(t, vec2u(gid.x & 15, gid.x >> 4), values[gid.x])\n"
    )
    scope = {**vars(sh), "t": texture, "values": values, "TEXT": text}
    exec(text, scope)
    shader = scope["run"]
    if dtype == np.float32:
        given = rng.uniform(-1.2, 1.2, (N, 4)).astype(dtype)
    else:
        given = rng.integers(-100 if dtype == np.int32 else 0, 100, (N, 4)).astype(dtype)
    level = np.zeros((16, 16, 4), dtype)
    with texture.bound_to(level), values.bound_to(given):
        for i in range(N):
            shader(sh.vec3u(i, 0, 0))
    assert np.array_equal(level.reshape(N, 4)[5], quantized(given[5], format_))
    made, view = upload(device, texture, [level])
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    entries = [
        {"binding": 0, "resource": view},
        {
            "binding": 1,
            "resource": {
                "buffer": device.create_buffer_with_data(data=given.tobytes(), usage=usage)
            },
        },
    ]
    execute(device, ComputeProgram(shader), entries, N // 64)
    assert np.allclose(
        read_texels(device, made, format_),
        level.reshape(N, 4),
        atol=1.01 / 127 if "norm" in format_ else 1e-3,
    )


def read_texels(device, texture, format_):
    """Return the stored texels as four channels."""
    scalar = "u32" if format_.endswith("uint") else "i32" if format_.endswith("sint") else "f32"
    width = next(bits for bits in (32, 16, 8) if str(bits) in format_)
    channels = 4 if format_.startswith("rgba") else 2 if format_.startswith("rg") else 1
    row = 16 * channels * width // 8
    data = device.queue.read_texture(
        {"texture": texture}, {"bytes_per_row": row, "rows_per_image": 16}, (16, 16, 1)
    )
    dtype = {
        (8, "f32"): np.int8 if "snorm" in format_ else np.uint8,
        (8, "u32"): np.uint8,
        (8, "i32"): np.int8,
        (16, "u32"): np.uint16,
        (16, "i32"): np.int16,
        (16, "f32"): np.float16,
        (32, "f32"): np.float32,
        (32, "u32"): np.uint32,
        (32, "i32"): np.int32,
    }[width, scalar]
    raw = np.frombuffer(data, dtype).reshape(N, channels).astype(np.float64)
    if "unorm" in format_:
        raw /= 255
    if "snorm" in format_:
        raw = np.maximum(raw / 127, -1)
    made = np.zeros((N, 4))
    made[:, 3] = 1
    made[:, :channels] = raw
    return made
