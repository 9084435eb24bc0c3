"""Every intrinsic on numbers, on 1,024 random inputs (256 for further types): the GPU and NumPy.

Tolerances are those of the WGSL specification ("Floating point accuracy"); where it says that a
function inherits the accuracy of an expression, the errors of that expression are added up. Integer
results are equal. An entry of the table without a case here fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from heapscene.shader import dtype_of, ir
from heapscene.shader.lang import operation, value_class
from heapscene.shader.operations import INTRINSICS, NAMES, scalar_of
from heapscene.shader.types import BOOL, F32, I32, U32, ArrayType, Matrix, Type, Vector
from heapscene.shader.wgsl import emit

N = 1024
EPS = 2.0**-24  # half a unit in the last place, relative to the power of two below
pytestmark = pytest.mark.gpu
wgpu = pytest.importorskip("wgpu")

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
Bound = Callable[..., Any]


def ulp(x: Any) -> np.ndarray:
    """Return a unit in the last place of an f32, no smaller than for the smallest normal."""
    return np.spacing(np.maximum(np.abs(np.float32(x)), np.float32(2.0**-126))).astype(float)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.normal(scale=2.0, size=shape)


def within(low: float, high: float) -> Draw:
    return lambda rng, shape: rng.uniform(low, high, shape)


def words(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    made = rng.integers(0, 2**32, shape, np.uint32) >> rng.integers(0, 32, shape, np.uint32)
    flat = made.reshape(-1)
    flat[:10] = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00800000]
    return made


def below(limit: int) -> Draw:
    return lambda rng, shape: rng.integers(0, limit, shape, np.uint32)


def exact(*_args: Any) -> float:
    return 0.0


def ulps(count: float) -> Bound:
    return lambda result, *_: count * ulp(result)


def absolute(error: float) -> Bound:
    return lambda result, *_: error + ulp(result)


def of_exp(result: Any, x: Any) -> Any:
    return (3.0 + 2.0 * np.abs(x)) * ulp(result) + ulp(result)


def of_log(result: Any, x: Any) -> Any:
    near = (np.asarray(x) >= 0.5) & (np.asarray(x) <= 2.0)
    return np.where(near, 2.0**-21, 3.0 * ulp(result)) + ulp(result)


def of_log_of(inner: Any, error: Any, result: Any) -> Any:
    """Return the error of a logarithm whose argument has an error."""
    return of_log(result, inner) + np.abs(error / inner)


def of_asin(result: Any, _x: Any) -> Any:
    return 6.81e-5 + 4096.0 * ulp(result)  # either bound, or that of atan2 which it may stand for


def of_tan(result: Any, x: Any) -> Any:
    return 2.0**-11 * (1.0 + np.abs(result)) / np.abs(np.cos(x)) + 3.5 * ulp(result)


def of_sinh(result: Any, x: Any) -> Any:
    both = of_exp(np.exp(x), x) + of_exp(np.exp(-x), x)
    return 0.5 * both + ulp(np.exp(np.abs(x)))


def of_tanh(result: Any, x: Any) -> Any:
    part = of_sinh(np.sinh(x), x)
    return part * (1.0 + np.abs(result)) / np.cosh(x) + 3.5 * ulp(result)


def of_asinh(result: Any, x: Any) -> Any:
    root = np.sqrt(x * x + 1.0)
    return of_log_of(x + root, 6.0 * ulp(root), result)


def of_acosh(result: Any, x: Any) -> Any:
    root = np.sqrt(x * x - 1.0)
    error = 5.0 * ulp(root) + 2.0 * ulp(x * x) / np.maximum(root, 1e-3)
    return of_log_of(x + root, error + ulp(x), result)


def of_atanh(result: Any, x: Any) -> Any:
    ratio = (1.0 + x) / (1.0 - x)
    error = 2.5 * ulp(ratio) + ratio * (EPS * 2 / (1.0 - x) + EPS * 2 / (1.0 + x))
    return 0.5 * of_log_of(ratio, error, 2.0 * result) + ulp(result)


def of_pow(result: Any, x: Any, y: Any) -> Any:
    power = y * np.log2(x)
    error = np.abs(y) * of_log(np.log2(x), x) + ulp(power)
    return np.abs(result) * np.log(2.0) * error + of_exp(result, power)


def of_sum(*terms: Any, roundings: float = 1.0) -> Any:
    return sum(np.abs(term) for term in terms) * 2.0 * EPS * roundings


def of_mix(result: Any, x: Any, y: Any, z: Any) -> Any:
    return of_sum(x * (1.0 - z), y * z, x, result, roundings=2.0)


def of_fma(result: Any, x: Any, y: Any, z: Any) -> Any:
    return of_sum(x * y, result)


def of_dot(result: Any, a: Any, b: Any) -> Any:
    return of_sum(*(np.moveaxis(a * b, -1, 0)), roundings=a.shape[-1])


def of_length(result: Any, *_: Any) -> Any:
    return 10.0 * ulp(result)


def of_cross(result: Any, a: Any, b: Any) -> Any:
    left = np.abs(a[:, [1, 2, 0]] * b[:, [2, 0, 1]])
    return of_sum(left, a[:, [2, 0, 1]] * b[:, [1, 2, 0]], roundings=2.0)


def of_reflect(result: Any, incident: Any, normal_: Any) -> Any:
    size = np.abs(incident) + 2.0 * np.abs(normal_) * np.abs(incident * normal_).sum(-1)[:, None]
    return of_sum(size, roundings=6.0)


@dataclass(frozen=True)
class Case:
    """Argument types, how each is drawn, and the error that is allowed."""

    types: tuple[str, ...]
    draws: tuple[Draw, ...] = (normal,)
    bound: Bound = exact
    prepare: Callable[..., Any] | None = None
    notes: str = field(default="", compare=False)


def floats(bound: Bound, *draws: Draw, shapes: tuple[str, ...] = ("f32", "vec3")) -> list[Case]:
    draws = draws or (normal,)
    return [Case((shape,) * len(draws), draws, bound) for shape in shapes]


def integers(
    *draws: Draw, shapes: tuple[str, ...] = ("u32", "i32", "vec3u", "vec2i")
) -> list[Case]:
    draws = draws or (words,)
    return [Case((shape,) * len(draws), draws) for shape in shapes]


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def sorted_last_two(*args: np.ndarray) -> list[np.ndarray]:
    return [args[0], np.minimum(*args[1:]), np.maximum(*args[1:])]


PI = within(-3.14159, 3.14159)
UNITS = Case(("vec3", "vec3"), (normal, normal), of_reflect, lambda a, b: [a, unit(b)])
SELECTS = [
    Case((kind, kind, condition), (draw, draw, words))
    for kind, condition, draw in (
        ("f32", "bool", normal),
        ("vec3", "bool", normal),
        ("vec3", "vec3b", normal),
        ("vec2i", "vec2b", words),
        ("bool", "bool", words),
    )
]
BITS = [
    Case((kind, "u32", "u32"), (words, below(40), below(40)))
    for kind in ("u32", "i32", "vec3u", "vec2i")
]

CASES: dict[str, list[Case]] = {
    **{name: [*floats(exact), *integers()] for name in ("abs",)},
    "sign": [*floats(exact), *integers(shapes=("i32", "vec2i"))],
    **{name: [*floats(exact, normal, normal), *integers(words, words)] for name in ("min", "max")},
    "clamp": [
        Case((kind,) * 3, (draw,) * 3, exact, sorted_last_two)
        for kind, draw in (("f32", normal), ("vec3", normal), ("u32", words), ("vec2i", words))
    ],
    "mix": [
        *floats(of_mix, normal, normal, within(0, 1)),
        Case(
            ("vec3", "vec3", "f32"),
            (normal, normal, within(0, 1)),
            lambda r, x, y, z: of_mix(r, x, y, z[:, None]),
        ),
    ],
    "step": floats(exact, normal, normal),
    "smoothstep": floats(absolute(2.0**-20), within(-2, -1), within(1, 2), within(-3, 3)),
    **{name: floats(exact) for name in ("floor", "ceil", "round", "trunc", "saturate")},
    "fract": floats(ulps(1)),
    "sqrt": floats(ulps(5), within(0.001, 100)),
    "inverse_sqrt": floats(ulps(3), within(0.001, 100)),
    "exp": floats(of_exp, within(-20, 20)),
    "exp2": floats(of_exp, within(-20, 20)),
    "log": floats(of_log, within(0.001, 10)),
    "log2": floats(of_log, within(0.001, 10)),
    "sin": floats(absolute(2.0**-11), PI),
    "cos": floats(absolute(2.0**-11), PI),
    "tan": floats(of_tan, within(-1.5, 1.5)),
    "asin": floats(of_asin, within(-1, 1)),
    "acos": floats(of_asin, within(-1, 1)),
    "atan": floats(ulps(4096)),
    "atan2": floats(ulps(4096), normal, normal),
    "sinh": floats(of_sinh, within(-5, 5)),
    "cosh": floats(of_sinh, within(-5, 5)),
    "tanh": floats(of_tanh, within(-5, 5)),
    "asinh": floats(of_asinh, within(-5, 5)),
    "acosh": floats(of_acosh, within(1.01, 20)),
    "atanh": floats(of_atanh, within(-0.95, 0.95)),
    "radians": floats(ulps(2)),
    "degrees": floats(ulps(2)),
    "pow": floats(of_pow, within(0.01, 10), within(-4, 4)),
    "dot": [
        *[Case((kind, kind), (normal, normal), of_dot) for kind in ("vec2", "vec3", "vec4")],
        *[Case((kind, kind), (words, words)) for kind in ("vec3u", "vec4i")],
    ],
    "cross": [Case(("vec3", "vec3"), (normal, normal), of_cross)],
    "length": [Case((kind,), (normal,), of_length) for kind in ("f32", "vec2", "vec3", "vec4")],
    "distance": [
        Case((kind, kind), (normal, normal), lambda r, a, _b: 10 * ulp(r) + 8 * EPS)
        for kind in ("f32", "vec3")
    ],
    "normalize": [Case((kind,), (normal,), absolute(2.0**-20)) for kind in ("vec2", "vec4")],
    "reflect": [UNITS],
    "refract": [
        Case(
            ("vec3", "vec3", "f32"),
            (normal, normal, within(0.5, 0.8)),
            absolute(2.0**-18),
            lambda a, b, r: [unit(a), unit(b), r],
        )
    ],
    "faceforward": [Case(("vec3",) * 3, (normal,) * 3)],
    "transpose": [Case((name,)) for name in NAMES if name.startswith("mat")],
    "determinant": [
        Case((kind,), (within(-1, 1),), absolute(2.0**-18)) for kind in ("mat2", "mat3", "mat4")
    ],
    "select": SELECTS,
    "any": [Case((kind,), (words,)) for kind in ("bool", "vec2b", "vec3b", "vec4b")],
    "all": [Case((kind,), (words,)) for kind in ("bool", "vec2b", "vec3b", "vec4b")],
    "fma": floats(of_fma, normal, normal, normal),
    **{
        name: floats(
            exact, lambda rng, shape: normal(rng, shape) * 8.0 ** rng.integers(-9, 9, shape)
        )
        for name in ("modf.fract", "modf.whole", "frexp.fract", "frexp.exp")
    },
    "ldexp": [
        Case(types, (normal, lambda rng, n: rng.integers(-20, 20, n)))
        for types in (("f32", "i32"), ("vec3", "vec3i"))
    ],
    **{
        name: integers()
        for name in (
            "count_one_bits",
            "count_leading_zeros",
            "count_trailing_zeros",
            "reverse_bits",
            "first_leading_bit",
            "first_trailing_bit",
        )
    },
    "extract_bits": BITS,
    "insert_bits": [Case((c.types[0], *c.types), (words, *c.draws)) for c in BITS],
    # A number between two halves may become either.
    "quantize_to_f16": floats(lambda r, _x: np.spacing(np.abs(r).astype(np.float16)).astype(float)),
    **{
        name: [Case(("vec4" if "4x" in name else "vec2",), (within(-1.2, 1.2),))]
        for name in ("pack4x8unorm", "pack4x8snorm", "pack2x16unorm", "pack2x16snorm")
    },
    "pack2x16float": [Case(("vec2",))],
    **{
        name: [Case(("u32",), (words,), ulps(3))]
        for name in ("unpack4x8unorm", "unpack4x8snorm", "unpack2x16unorm", "unpack2x16snorm")
    },
    "unpack2x16float": [
        Case(
            ("u32",), (words,), exact, lambda w: [w & np.uint32(0x77FF77FF) | np.uint32(0x04000400)]
        )
    ],
    **{name: [Case(("vec4i",), (words,))] for name in ("pack4xi8", "pack4xi8_clamp")},
    **{name: [Case(("vec4u",), (words,))] for name in ("pack4xu8", "pack4xu8_clamp")},
    "unpack4xi8": [Case(("u32",), (words,))],
    "unpack4xu8": [Case(("u32",), (words,))],
    "dot4u8_packed": [Case(("u32", "u32"), (words, words))],
    "dot4i8_packed": [Case(("u32", "u32"), (words, words))],
}
# The last step of these is a rounding that a GPU may take the other way by one part.
PARTS = {"pack4x8unorm": 8, "pack4x8snorm": 8, "pack2x16unorm": 16, "pack2x16snorm": 16}
PARTS["pack2x16float"] = 16


@pytest.fixture(scope="module")
def device():
    return wgpu.gpu.request_adapter_sync().request_device_sync()


def test_every_intrinsic_on_numbers_has_a_case():
    wanted = {name for name, op in INTRINSICS.items() if op.family == "number"}
    assert wanted == set(CASES)
    tested_elsewhere = {"derivative", "barrier", "atomic", "texture", "array"}
    assert {op.family for op in INTRINSICS.values()} == {"number", *tested_elsewhere}


def shape_of(type_: Type) -> tuple[int, ...]:
    if isinstance(type_, Matrix):
        return (type_.rows, type_.columns)
    return (type_.size,) if isinstance(type_, Vector) else ()


def stored_type(type_: Type) -> Type:
    """Return the type that lies in a buffer for a value of ``type_``."""
    if scalar_of(type_) != BOOL:
        return type_
    return Vector(U32, type_.size) if isinstance(type_, Vector) else U32


def drawn(rng: np.random.Generator, type_: Type, draw: Draw, count: int) -> np.ndarray:
    found = draw(rng, (count, *shape_of(type_)))
    scalar = scalar_of(type_)
    if scalar == BOOL:
        return found.astype(np.uint32) & 1
    if scalar == I32:
        return (
            found.astype(np.uint32).view(np.int32)
            if found.dtype == np.uint32
            else found.astype(np.int32)
        )
    return found.astype(np.uint32 if scalar == U32 else np.float32)


def to_buffer(array: np.ndarray, type_: Type) -> np.ndarray:
    size = (shape_of(type_) or (1,))[0]
    if isinstance(type_, Matrix):
        made = np.zeros((len(array), type_.columns, 2 if type_.rows == 2 else 4), np.float32)
        made[..., : type_.rows] = np.swapaxes(array, 1, 2)
        return made
    made = np.zeros((len(array), 4 if size == 3 else size), array.dtype)
    made[:, :size] = array.reshape(len(array), -1)
    return made


def from_buffer(data: Any, type_: Type, count: int) -> np.ndarray:
    scalar = scalar_of(type_)
    dtype = {F32: np.float32, I32: np.int32}.get(scalar, np.uint32)
    array = np.frombuffer(data, dtype)
    if isinstance(type_, Matrix):
        return np.swapaxes(array.reshape(count, type_.columns, -1)[..., : type_.rows], 1, 2)
    array = array.reshape(count, -1)[:, : (shape_of(type_) or (1,))[0]]
    return array if shape_of(type_) else array[:, 0]


def on_gpu(device, name: str, types: list[Type], arrays: list[np.ndarray]) -> tuple[Type, Any]:
    body = ir.FunctionBuilder("main")
    gid = body.parameter("gid", Vector(U32, 3))
    at = body.let("at", ir.swizzle(gid, "x"))
    args = []
    for k, type_ in enumerate(types):
        place = ir.Resource(f"in_{k}", ArrayType(stored_type(type_)), "storage", "read", 0, k)
        value = ir.index(place, at)
        args.append(ir.convert(type_, value) if scalar_of(type_) == BOOL else value)
    made = ir.intrinsic(name, *args)
    kind = stored_type(made.type)
    out = ir.Resource("out", ArrayType(kind), "storage", "read_write", 0, len(types))
    body.store(ir.index(out, at), ir.convert(kind, made) if kind != made.type else made)
    port = ir.Port(gid, builtin="global_invocation_id")
    function = body.done()
    ir.verify_function(function)
    entry = ir.EntryPoint("compute", function, (port,), workgroup_size=(64, 1, 1))
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [
        device.create_buffer_with_data(data=to_buffer(array, type_).tobytes(), usage=usage)
        for array, type_ in zip(arrays, types, strict=True)
    ]
    count = len(arrays[0])
    size = count * dtype_of(ArrayType(kind, 1)).itemsize
    buffers.append(device.create_buffer(size=size, usage=usage))
    module = device.create_shader_module(code=emit(ir.Module((entry,))))
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "main"}
    )
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(count // 64)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    return made.type, from_buffer(device.queue.read_buffer(buffers[-1]), kind, count)


def in_python(name: str, types: list[Type], arrays: list[np.ndarray], result: Type) -> np.ndarray:
    function = operation(name)
    arrays = [a != 0 if scalar_of(t) == BOOL else a for a, t in zip(arrays, types, strict=True)]
    classes = [value_class(type_) for type_ in types]
    lists = [
        array if shape_of(t) else array.tolist() for array, t in zip(arrays, types, strict=True)
    ]
    found = [
        function(*(cls(part) for cls, part in zip(classes, row, strict=True)))
        for row in zip(*lists, strict=True)
    ]
    assert all(type(each) is value_class(result) for each in found[:3])
    dtype = {F32: np.float32, I32: np.int32}.get(scalar_of(result), np.uint32)
    return np.array([np.asarray(each) for each in found]).astype(dtype)


IDS = [(name, case) for name, cases in CASES.items() for case in cases]


@pytest.mark.parametrize(
    ("name", "case"), IDS, ids=[f"{name}-{'-'.join(case.types)}" for name, case in IDS]
)
def test_gpu_and_numpy(device, name, case):
    rng = np.random.default_rng(len(name) + len(case.types[0]))
    types = [NAMES[each] for each in case.types]
    draws = case.draws * len(types) if len(case.draws) == 1 else case.draws
    count = N if case is CASES[name][0] else N // 4
    arrays = [drawn(rng, type_, draw, count) for type_, draw in zip(types, draws, strict=True)]
    if case.prepare is not None:
        made = case.prepare(*arrays)
        arrays = [part.astype(array.dtype) for part, array in zip(made, arrays, strict=True)]
    result, gpu = on_gpu(device, name, types, arrays)
    python = in_python(name, types, arrays, result)
    if name in PARTS:
        parts = np.int8 if PARTS[name] == 8 else np.int16
        apart = gpu.view(parts).astype(int) - python.view(parts).astype(int)
        assert np.abs(apart).max() <= 1
        assert np.count_nonzero(apart) <= count // 8
        return
    if scalar_of(result) != F32:
        assert np.array_equal(gpu, python)
        return
    wide = [array.astype(np.float64) for array in arrays]
    allowed = np.broadcast_to(case.bound(python.astype(np.float64), *wide), python.shape)
    apart = np.abs(gpu.astype(np.float64) - python)
    worst = np.argmax(apart - allowed)
    assert (apart <= allowed).all(), (
        apart.reshape(-1)[worst],
        allowed.reshape(-1)[worst],
        python.reshape(-1)[worst],
    )
