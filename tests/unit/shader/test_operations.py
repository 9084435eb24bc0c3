"""Every entry of the table of intrinsics and operators is accepted by the WGSL compiler."""

from __future__ import annotations

import itertools

import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import ir
from heapscene.shader.ir.build import binary, convert, intrinsic
from heapscene.shader.operations import BINARY, INTRINSICS, NAMES, binary_type, scalar_of, spelled
from heapscene.shader.types import BOOL, F32, I32, U32, VEC3, VEC4, VOID, Matrix, Scalar, Vector
from heapscene.shader.wgsl import emit

pytestmark = pytest.mark.gpu
TYPES = [type_ for type_ in NAMES.values() if type_ != VOID]


@pytest.fixture(scope="module")
def device():
    wgpu = pytest.importorskip("wgpu")
    adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    return adapter.request_device_sync()


def module_of(stage, cases):
    """Return an entry point that declares a variable of each type and a local for each case."""
    body = ir.FunctionBuilder("main")
    variables = {type_: body.var("v", type_) for type_ in TYPES}
    for make in cases:
        value = make(variables)
        if value.type == VOID:
            body.evaluate(value)
        else:
            body.let("r", value)
    function = body.done()
    ir.verify_function(function)
    return ir.Module((ir.EntryPoint(stage, function),))


def intrinsic_cases(stage):
    for name, operation in INTRINSICS.items():
        if operation.place or stage not in operation.stages:
            continue  # atomics and textures are tested on their own
        count = len(operation.rules[0].split(" -> ")[0].split())
        known = TYPES if count < 4 else [t for t in TYPES if scalar_of(t) in (I32, U32)]
        for types in itertools.product(known, repeat=count):
            if operation.type_for(types) is not None:
                yield name, types


@pytest.mark.parametrize("stage", ["compute", "fragment"])
def test_every_intrinsic_is_accepted(device, stage):
    cases = [
        lambda v, name=name, types=types: intrinsic(name, *(v[t] for t in types))
        for name, types in intrinsic_cases(stage)
    ]
    assert len(cases) > 250
    device.create_shader_module(code=emit(module_of(stage, cases)))


def test_every_operator_is_accepted(device):
    cases = [
        lambda v, op=op, a=a, b=b: binary(op, v[a], v[b])
        for op in BINARY
        for a, b in itertools.product(TYPES, repeat=2)
        if binary_type(op, a, b) is not None
    ]
    assert len(cases) > 200
    device.create_shader_module(code=emit(module_of("compute", cases)))


def test_every_conversion_is_accepted(device):
    def same_shape(a, b):
        return getattr(a, "size", 0) == getattr(b, "size", 0)

    flat = [t for t in TYPES if isinstance(t, Scalar | Vector)]
    pairs = [(a, b) for a, b in itertools.product(flat, repeat=2) if same_shape(a, b)]
    cases = [lambda v, a=a, b=b: convert(a, v[b]) for a, b in pairs]
    cases += [
        lambda v, a=a, b=b: ir.bitcast(a, v[b]) for a, b in pairs if "bool" not in (a.wgsl + b.wgsl)
    ]
    cases += [
        lambda v, t=t: ir.unary("-", v[t])
        for t in flat
        if t.wgsl.count("u32") + t.wgsl.count("bool") == 0
    ]
    cases += [lambda v, t=t: ir.construct(t, v[t.scalar]) for t in flat if isinstance(t, Vector)]
    cases += [lambda v, t=t: ir.zero(t) for t in TYPES]
    cases += [lambda v: ir.construct(VEC4, v[F32], v[VEC3])]
    device.create_shader_module(code=emit(module_of("compute", cases)))


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("dot", (F32, F32)),
        ("cross", (VEC4, VEC4)),
        ("max", (VEC3, F32)),
        ("sin", (I32,)),
        ("normalize", (F32,)),
        ("transpose", (VEC3,)),
        ("select", (F32, I32, BOOL)),
        ("any", (F32,)),
        ("count_one_bits", (F32,)),
    ],
)
def test_other_types_are_refused(name, types):
    with pytest.raises(ShaderTypeError, match=f"{name} is not defined for"):
        intrinsic(name, *(ir.zero(type_) for type_ in types))


def test_types_have_python_names():
    assert [spelled(t) for t in (F32, U32, VEC3, Vector(U32, 2), Matrix(4, 4))] == [
        "f32",
        "u32",
        "vec3",
        "vec2u",
        "mat4",
    ]
