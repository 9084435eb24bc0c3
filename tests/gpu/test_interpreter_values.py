"""Every intrinsic gives the same in the interpreter, in CPython and on the GPU.

The cases are made from the table of operations, so a new intrinsic is in them by itself.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from heapscene.shader import emit, ir
from heapscene.shader.interpret import interpret
from heapscene.shader.ir import build
from heapscene.shader.lang import operation, value_class
from heapscene.shader.operations import INTRINSICS, scalar_of
from heapscene.shader.passes.fold import EXACT
from heapscene.shader.types import BOOL, F32, I32, MAT3, U32, Matrix, Scalar, Vector

ROWS = 1024
SAMPLE = 12
TYPES = [
    *(F32, I32, U32, BOOL, MAT3, Matrix(2, 3), Matrix(2, 2), Matrix(4, 4)),
    *(Vector(scalar, size) for scalar in (F32, I32, U32, BOOL) for size in (3,)),
    *(Vector(scalar, 2) for scalar in (F32,)),
    *(Vector(scalar, 4) for scalar in (F32, I32, U32)),
]

# What the arguments of some functions may be; others are normal with a scale of 2.
POSITIVE = ("sqrt", "inverse_sqrt", "log", "log2")
WITHIN_ONE = ("asin", "acos", "atanh")
IN_ORDER = {"clamp": (1, 2), "smoothstep": (0, 1)}
HALVES = ("pack2x16float", "quantize_to_f16")

# WGSL's own accuracy: absolute errors, relative errors in units of 2^-23.
ABSOLUTE = {"sin": 2**-11, "cos": 2**-11, "tan": 2**-9, "log": 2**-20, "log2": 2**-20}
ULPS = {"atan": 4096, "atan2": 4096, "asin": 4096, "acos": 4096, "acosh": 4096, "pow": 64}
WHOLE_NUMBERS = EXACT | {"transpose", "dot4i8_packed", "dot4u8_packed"}


def cases():
    for name, entry in INTRINSICS.items():
        if entry.family != "number":
            continue
        count = len(entry.rules[0].split(" -> ")[0].split())
        for types in itertools.product(TYPES, repeat=count):
            if entry.type_for(types) is not None:
                yield name, types


def few(all_cases):
    """Keep two shapes for each function and type of component."""
    kept = {}
    for name, types in all_cases:
        scalars = tuple(scalar_of(type_) for type_ in types)
        kept.setdefault((name, scalars), []).append((name, types))
    return [case for same in kept.values() for case in same[:2]]


CASES = few(cases())


def words(rng, count):
    shifted = rng.integers(0, 2**32, count, dtype=np.uint32) >> rng.integers(
        0, 32, count, dtype=np.uint32
    )
    special = [0, 1, 31, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    shifted[: len(special)] = special
    return rng.permutation(shifted)


def values(rng, name, type_, position):
    shape = build_shape(type_)
    scalar = F32 if isinstance(type_, Matrix) else getattr(type_, "scalar", type_)
    count = ROWS * int(np.prod(shape))
    if scalar == BOOL:
        return rng.integers(0, 2, (ROWS, *shape)).astype(bool)
    if scalar != F32:
        if name == "unpack2x16float":
            halves = rng.normal(scale=9, size=(ROWS, 2)).astype(np.float16)
            return halves.view(np.uint32)[:, 0].copy()
        if name == "ldexp":
            return rng.integers(-20, 20, (ROWS, *shape)).astype(np.int32)
        if name in ("extract_bits", "insert_bits") and position >= len(name.split("_")[0]) % 3 + 1:
            return rng.integers(0, 33, (ROWS, *shape)).astype(np.uint32)
        made = words(rng, count).reshape(ROWS, *shape)
        return made.view(np.int32) if scalar == I32 else made
    made = rng.normal(scale=2.0, size=(ROWS, *shape))
    if name in POSITIVE or (name == "pow" and position == 0):
        made = np.abs(made) + 0.05
    elif name in WITHIN_ONE:
        made = rng.uniform(-0.9, 0.9, made.shape)
    elif name == "acosh":
        made = np.abs(made) + 1.01
    elif name == "tan":
        made = rng.uniform(-1.4, 1.4, made.shape)
    elif name in HALVES:
        made = made * 100
    elif (name == "refract" and position < 2) or name == "faceforward":
        made = made / np.linalg.norm(made, axis=1, keepdims=True)
    elif name == "refract":
        made = rng.uniform(0.3, 0.9, made.shape)  # far from where all is reflected
    return made.astype(np.float32)


def build_shape(type_):
    if isinstance(type_, Scalar):
        return ()
    return (type_.size,) if isinstance(type_, Vector) else (type_.rows, type_.columns)


def arguments(name, types):
    rng = np.random.default_rng([len(name), *map(ord, name), len(types)])
    args = [values(rng, name, type_, k) for k, type_ in enumerate(types)]
    if name in IN_ORDER:
        low, high = IN_ORDER[name]
        args[low], args[high] = np.minimum(args[low], args[high]), np.maximum(args[low], args[high])
        if name == "smoothstep":
            args[high] = args[high] + np.float32(0.5)
    return args


def function_of(name, types):
    body = ir.FunctionBuilder(f"case_{name}", INTRINSICS[name].type_for(types))
    parameters = [body.parameter(f"p{k}", type_) for k, type_ in enumerate(types)]
    body.return_(build.intrinsic(name, *parameters))
    return body.done()


def interpreted(name, types, args):
    inputs = {f"p{k}": arg for k, arg in enumerate(args)}
    return interpret(function_of(name, types), inputs).value


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_cpython_computes_the_same_bits(name):
    for types in (types for each, types in CASES if each == name):
        if any(isinstance(t, Matrix) and t.columns != t.rows for t in types):
            continue  # the interpreter's are compared with the GPU's
        args = arguments(name, types)
        found = interpreted(name, types, args)
        for row in range(SAMPLE):
            given = [value_class(t)(arg[row]) for t, arg in zip(types, args, strict=True)]
            expected = np.asarray(operation(name)(*given), found.dtype)
            assert expected.tobytes() == found[row].tobytes(), f"{types} {given}"


def decoded(type_, word):
    """Return an expression for a value of a type; ``word(k)`` is its k-th word."""
    if isinstance(type_, Scalar):
        if type_ == BOOL:
            return build.binary("!=", word(0), 0)
        return build.bitcast(type_, word(0))
    if isinstance(type_, Vector):
        return build.construct(
            type_, *(decoded(type_.scalar, lambda _, k=k: word(k)) for k in range(type_.size))
        )
    column, rows = Vector(F32, type_.rows), type_.rows
    return build.construct(
        type_,
        *(decoded(column, lambda k, c=c: word(c * rows + k)) for c in range(type_.columns)),
    )


def encoded(value):
    """List the components of a value as words."""
    type_ = value.type
    if type_ == BOOL:
        return [build.convert(U32, value)]
    if isinstance(type_, Scalar):
        return [build.bitcast(U32, value)]
    count = type_.size if isinstance(type_, Vector) else type_.columns
    return [word for k in range(count) for word in encoded(build.index(value, k))]


def flat(array, type_):
    """Return the words of values as the GPU reads them, a matrix by columns."""
    if isinstance(type_, Matrix):
        array = np.swapaxes(array, 1, 2)
    made = np.ascontiguousarray(array)
    made = made.astype(np.uint32) if made.dtype == bool else made.view(np.uint32)
    return made.reshape(ROWS, -1)


def module_of(chosen):
    """Return an entry point that computes all cases for one row, and how many words it has."""
    from heapscene.shader.types import ArrayType

    body = ir.FunctionBuilder("main")
    thread = body.parameter("thread", Vector(U32, 3))
    row = body.let("row", build.swizzle(thread, "x"))
    source = ir.Resource("source", ArrayType(U32), "storage", "read", 0, 0)
    target = ir.Resource("target", ArrayType(U32), "storage", "read_write", 0, 1)
    widths = [sum(t.words for t in types) for _, types in chosen]
    results = [INTRINSICS[name].type_for(types).words for name, types in chosen]
    at = to = 0
    for name, types in chosen:
        args = []
        for type_ in types:
            place = build.binary("+", build.binary("*", row, sum(widths)), at)

            def word(k, place=place):
                return build.index(source, build.binary("+", place, k))

            args.append(body.let("arg", decoded(type_, word)))
            at += type_.words
        made = body.let("made", build.call(function_of(name, types), *args))
        for value in encoded(build.expression(made)):
            place = build.binary("+", build.binary("*", row, sum(results)), to)
            body.store(build.index(target, place), value)
            to += 1
    port = ir.Port(thread, builtin="global_invocation_id")
    entry = ir.EntryPoint("compute", body.done(), (port,), workgroup_size=(64, 1, 1))
    return ir.Module((entry,)), sum(results)


def on_gpu(device, module, given, width):
    import wgpu

    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    code = device.create_shader_module(code=emit(module))
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": code, "entry_point": "main"}
    )
    buffers = [
        device.create_buffer_with_data(data=np.ascontiguousarray(given).tobytes(), usage=usage),
        device.create_buffer(size=ROWS * width * 4, usage=usage),
    ]
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, group)
    work.dispatch_workgroups(ROWS // 64)
    work.end()
    device.queue.submit([encoder.finish()])
    return np.frombuffer(device.queue.read_buffer(buffers[1]), np.uint32).reshape(ROWS, width)


def assert_close(name, gpu, found):
    if name.startswith("pack"):  # a product next to one half may round either way
        size = 16 if "2x16" in name else 8
        parts = [
            (words[:, None] >> np.arange(0, 32, size, dtype=np.uint32)) for words in (gpu, found)
        ]
        low, high = (p.astype(np.int64) & ((1 << size) - 1) for p in parts)
        apart = np.abs(low - high)
        assert np.minimum(apart, (1 << size) - apart).max() <= 1, name
    elif found.dtype != np.float32 or name in WHOLE_NUMBERS:
        assert np.array_equal(gpu, found), name
    else:
        # What is summed may round in another order, in proportion to the largest numbers in it.
        scale = 2e-6 * max(1.0, float(np.abs(found).max()))
        assert np.allclose(
            gpu, found, rtol=ULPS.get(name, 32) * 2.0**-23, atol=ABSOLUTE.get(name, scale)
        ), f"{name}: {np.abs(gpu - found).max()}"


@pytest.mark.gpu
@pytest.mark.parametrize("part", range(4))
def test_the_gpu_computes_the_same_numbers(device, part):
    chosen = CASES[part::4]
    given = [
        np.concatenate([flat(a, t) for a, t in zip(arguments(*case), case[1], strict=True)], axis=1)
        for case in chosen
    ]
    module, width = module_of(chosen)
    gpu = on_gpu(device, module, np.concatenate(given, axis=1), width)
    at = 0
    for name, types in chosen:
        found = interpreted(name, types, arguments(name, types))
        expected = flat(found, INTRINSICS[name].type_for(types))
        part_ = gpu[:, at : at + expected.shape[1]]
        at += expected.shape[1]
        kind = np.uint32 if found.dtype == bool else found.dtype
        assert_close(name, *(w.copy().view(kind)[:, :] for w in (part_, expected)))


def test_every_intrinsic_has_a_case():
    numbers = {name for name, operation in INTRINSICS.items() if operation.family == "number"}
    assert {name for name, _ in CASES} == numbers
