"""Every operation of the shader language gives the same on the GPU and in CPython."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.shader import ComputeProgram, f32, i32, storage, u32, vec2, vec4
from heapscene.shader.lang import type_of
from heapscene.shader.operations import spelled

N = 64
pytestmark = pytest.mark.gpu
wgpu = pytest.importorskip("wgpu")

SPECIAL_WORDS = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00800000]
USUAL = (f32,) * 3
WORDS = (u32, u32)

# (expression, classes of a, b and c, class of the result)
FLOATS = [
    *[
        (f"{name}(a)", (cls,), cls)
        for name in [
            "abs",
            "sign",
            "floor",
            "ceil",
            "round",
            "trunc",
            "fract",
            "exp",
            "exp2",
            "sin",
            "cos",
            "tan",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "radians",
            "degrees",
            "saturate",
        ]
        for cls in (f32, vec4)
    ],
    *[(f"{name}(abs(a) + 0.25)", (f32,), f32) for name in ["sqrt", "inverse_sqrt", "log", "log2"]],
    *[(f"{name}(fract(a) * 1.8 - 0.9)", (f32,), f32) for name in ["asin", "acos", "atanh"]],
    ("acosh(abs(a) + 1.0)", (f32,), f32),
    ("pow(abs(a) + 0.1, b)", (f32, f32), f32),
    ("atan2(a, b)", (f32, f32), f32),
    *[(f"{name}(a, b)", (cls, cls), cls) for name in ("min", "max", "step") for cls in (f32, vec4)],
    ("clamp(a, min(b, c), max(b, c))", USUAL, f32),
    ("mix(a, b, c)", USUAL, f32),
    ("mix(a, b, 0.25)", (vec4, vec4), vec4),
    ("smoothstep(-1.0, 2.5, a)", (f32,), f32),
    ("fma(a, b, c)", USUAL, f32),
    ("ldexp(a, i32(b))", (f32, f32), f32),
    ("dot(a, b)", (vec4, vec4), f32),
    ("vec4(cross(a.xyz, b.xyz), 0.0)", (vec4, vec4), vec4),
    ("length(a)", (vec4,), f32),
    ("distance(a, b)", (vec4, vec4), f32),
    ("normalize(a)", (vec4,), vec4),
    ("reflect(a, normalize(b))", (vec4, vec4), vec4),
    ("refract(normalize(a), normalize(b), 0.7)", (vec2, vec2), vec2),
    ("refract(normalize(a), normalize(b), 1.7)", (vec2, vec2), vec2),
    ("faceforward(a, b, c)", (vec4,) * 3, vec4),
    ("select(a, b, a < b)", (vec4, vec4), vec4),
    ("select(a, b, c > 0.5)", USUAL, f32),
    ("a % b", (f32, f32), f32),
    ("a ** 3", (f32,), f32),
    ("a.wzyx * b.xxyy - 2.0 / a", (vec4, vec4), vec4),
    ("mat4(a, b, c, a.yzwx) @ b", (vec4,) * 3, vec4),
    ("b @ mat4(a, b, c, a.yzwx)", (vec4,) * 3, vec4),
    ("(mat4(a, b, c, a.yzwx) @ mat4(b, c, a, b.wzyx))[2]", (vec4,) * 3, vec4),
    ("transpose(mat4(a, b, c, a.yzwx))[1]", (vec4,) * 3, vec4),
    ("determinant(mat4(a, b, c, a.yzwx))", (vec4,) * 3, f32),
    ("determinant(mat3(a.xyz, b.xyz, c.xyz))", (vec4,) * 3, f32),
    ("unpack4x8unorm(a)", (u32,), vec4),
    ("unpack4x8snorm(a)", (u32,), vec4),
    ("unpack2x16unorm(a)", (u32,), vec2),
    ("f32(a)", (u32,), f32),
    ("f32(a)", (i32,), f32),
    ("1.0 if all(a < b) else 2.0 if any(a < b) else 3.0", (vec4, vec4), f32),
]
INTEGERS = [
    *[
        (f"a {symbol} b", (cls, cls), cls)
        for symbol in ("+", "-", "*", "&", "|", "^")
        for cls in (u32, i32)
    ],
    ("a // b", WORDS, u32),
    ("a % b", WORDS, u32),
    ("a // (b & 3)", WORDS, u32),
    ("a << b", WORDS, u32),
    ("a >> b", WORDS, u32),
    ("a << b", (i32, u32), i32),
    ("a >> b", (i32, u32), i32),
    ("~a", (u32,), u32),
    ("-a", (i32,), i32),
    ("abs(a)", (i32,), i32),
    ("sign(a)", (i32,), i32),
    ("min(a, b)", (i32, i32), i32),
    ("max(a, b)", WORDS, u32),
    ("clamp(a, 3, 1000)", (u32,), u32),
    *[
        (f"{name}(a)", (cls,), cls)
        for name in [
            "count_one_bits",
            "count_leading_zeros",
            "count_trailing_zeros",
            "reverse_bits",
            "first_leading_bit",
            "first_trailing_bit",
        ]
        for cls in (u32, i32)
    ],
    ("u32(a)", (i32,), u32),
    ("i32(a)", (u32,), i32),
    ("u32(a * 1.0e9)", (f32,), u32),
    ("i32(a * 1.0e9)", (f32,), i32),
    ("u32(a > 0.0)", (f32,), u32),
    ("bitcast_u32(a)", (f32,), u32),
    ("bitcast_i32(bitcast_f32(a & 0x3fffffff))", (u32,), i32),
    ("u32(a < b)", (i32, i32), u32),
    ("u32(bool(a))", (u32,), u32),
    ("pack2x16float(a)", (vec2,), u32),
]
PACKED = ["pack4x8unorm", "pack4x8snorm"]


@pytest.fixture(scope="module")
def device():
    adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    return adapter.request_device_sync()


def values(rng: np.random.Generator, cls: type) -> np.ndarray:
    if cls in (u32, i32):
        words = rng.integers(0, 2**32, N, dtype=np.uint32) >> rng.integers(
            0, 32, N, dtype=np.uint32
        )
        words[: len(SPECIAL_WORDS)] = rng.permutation(SPECIAL_WORDS)
        return words.view(np.int32) if cls is i32 else words
    shape = (N,) if cls is f32 else (N, type_of(cls).size)
    return rng.normal(scale=2.0, size=shape).astype(np.float32)


def run_both(device, expression: str, classes: tuple[type, ...], result: type):
    """Return what the GPU and what CPython make of ``expression`` for N random inputs."""
    rng = np.random.default_rng(len(expression))
    names = "abc"[: len(classes)]
    inputs = {name: values(rng, cls) for name, cls in zip(names, classes, strict=True)}
    resources = {
        f"in_{name}": storage(f"in_{name}", cls, binding=i)
        for i, (name, cls) in enumerate(zip(names, classes, strict=True))
    }
    out = storage("out", result, binding=3, access="read_write")
    assigned = "\n".join(f"    {name} = in_{name}[i]" for name in names)
    text = (
        "@compute(workgroup_size=64, source=TEXT)\n"
        "def run(gid: vec3u = builtin.global_invocation_id) -> None:\n"
        f"    i = gid.x\n{assigned}\n    out[i] = {expression}\n"
    )
    scope = {**vars(sh), **resources, "out": out, "TEXT": text}
    exec(text, scope)
    shader = scope["run"]
    size = getattr(type_of(result), "size", 1)
    shape = (N,) if size == 1 else (N, size)
    dtype = {"u32": np.uint32, "i32": np.int32}.get(spelled(type_of(result)), np.float32)
    found = np.zeros(shape, dtype)
    with out.bound_to(found):
        contexts = [resources[f"in_{n}"].bound_to(inputs[n]) for n in names]
        for context in contexts:
            context.__enter__()
        for i in range(N):
            shader(sh.vec3u(i, 0, 0))
        for context in reversed(contexts):
            context.__exit__(None, None, None)
    program = ComputeProgram(shader)
    data = {**{f"in_{n}": inputs[n] for n in names}, "out": np.zeros(shape, dtype)}
    return dispatch(device, program, data).view(dtype).reshape(shape), found


def dispatch(device, program: ComputeProgram, data: dict[str, np.ndarray]) -> np.ndarray:
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = {
        name: device.create_buffer_with_data(data=array.tobytes(), usage=usage)
        for name, array in data.items()
    }
    module = device.create_shader_module(code=program.wgsl)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": program.entry}
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
    compute_pass.dispatch_workgroups(1)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    return np.frombuffer(device.queue.read_buffer(buffers["out"]), np.uint32).copy()


def label(row: tuple[str, tuple[type, ...], type]) -> str:
    return f"{row[0]}:{','.join(spelled(type_of(cls)) for cls in row[1])}"


@pytest.mark.parametrize("row", FLOATS, ids=label)
def test_floats(device, row):
    gpu, python = run_both(device, *row)
    scale = 1e-4 * np.maximum(1.0, np.abs(python).max(initial=0.0, where=np.isfinite(python)))
    tolerance = 1e-3 if row[0].startswith(("sin", "cos", "tan", "a % b")) else scale
    assert np.allclose(gpu, python, rtol=2e-3, atol=min(tolerance, 1e-2), equal_nan=True)


@pytest.mark.parametrize("row", INTEGERS, ids=label)
def test_integers(device, row):
    gpu, python = run_both(device, *row)
    assert np.array_equal(gpu, python)


@pytest.mark.parametrize("name", PACKED)
def test_packing(device, name):
    # A product that ends next to one half may round either way.
    gpu, python = run_both(device, f"{name}(a)", (vec4,), u32)
    apart = gpu.view(np.int8).astype(int) - python.view(np.int8).astype(int)
    assert np.abs(apart).max() <= 1
    assert np.count_nonzero(apart) <= 2
