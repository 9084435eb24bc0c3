"""Entry points by hand around a program: what a renderer with its own memory does."""

from __future__ import annotations

import pytest

from heapscene.shader import (
    Program,
    call_stage,
    emit,
    fragment,
    fragment_entry,
    fragment_result,
    ir,
    mat4,
    struct,
    vec4,
    vertex,
    vertex_result,
)
from heapscene.shader.types import F32, MAT4, U32, VEC4, ArrayType, StructField, Vector
from reference.structs import Attributes, Varyings


@struct
class Inputs:
    model: mat4
    color: vec4


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    return Varyings(clip=u.model @ vec4(a.position, 1.0), normal=a.normal)


@fragment
def shade(v: Varyings, u: Inputs) -> vec4:
    return vec4(v.normal, 0.0) + u.color


PAGE = ir.Resource("page", ArrayType(U32), "storage", "read", 0, 1)


def float_at(offset, k):
    return ir.bitcast(F32, ir.index(PAGE, ir.binary("+", offset, k)))


def fetch(type_, offset):
    """Load packed words; matrices lie row by row."""
    if isinstance(type_, Vector):
        return ir.construct(type_, *(float_at(offset, k) for k in range(type_.size)))
    assert type_ == MAT4
    rows = [ir.construct(VEC4, *(float_at(offset, 4 * r + k) for k in range(4))) for r in range(4)]
    return ir.intrinsic("transpose", ir.construct(MAT4, *rows))


def heap_module(program):
    extra = (StructField("heap_row", U32),)
    result, locations, position = vertex_result(program.vertex_stage, program.varyings, extra)
    body = ir.FunctionBuilder("vertex_main", result)
    index = body.parameter("vertex_index", U32)
    row = body.let("row", ir.binary("/", index, 36))
    offsets = {"position": 0, "normal": 3, "model": 100, "color": 116}

    def load(parameter, field):
        base = ir.binary("+", ir.binary("*", row, 1000), offsets[field.name])
        return fetch(field.type, body.let(field.name, base))

    made = body.let("made", call_stage(program.vertex_stage, load))
    members = {v.name: ir.field(made, v.name) for v in program.varyings}
    members |= {position: ir.field(made, position), "heap_row": row}
    body.return_(ir.struct(result, members))
    ports = (ir.Port(index, builtin="vertex_index"),)
    entry = ir.EntryPoint("vertex", body.done(), ports, locations)

    fragment_body = ir.FunctionBuilder("fragment_main", fragment_result(program)[0])
    heap_row = fragment_body.parameter("heap_row", U32)

    def load_input(field):
        base = ir.binary("+", ir.binary("*", heap_row, 1000), offsets[field.name])
        return fetch(field.type, base)

    number = dict(locations)["heap_row"]
    return ir.Module(
        (entry, fragment_entry(program, load_input, ((heap_row, number),), fragment_body))
    )


def test_a_program_over_pages_is_valid():
    module = heap_module(Program(place, shade))
    ir.verify_module(module)
    text = emit(module)
    assert "@location(1) @interpolate(flat) heap_row: u32," in text
    assert text.count("fn place(") == 1
    assert "vertex_main(@builtin(vertex_index) vertex_index: u32) -> VertexOut" in text
    # The color is not read by the vertex function, the model not by the fragment function.
    assert "let color" not in text


@pytest.mark.gpu
def test_a_program_over_pages_is_accepted():
    wgpu = pytest.importorskip("wgpu")
    device = wgpu.gpu.request_adapter_sync(
        power_preference="high-performance"
    ).request_device_sync()
    module = device.create_shader_module(code=emit(heap_module(Program(place, shade))))
    device.create_render_pipeline(
        layout="auto",
        vertex={"module": module, "entry_point": "vertex_main"},
        fragment={
            "module": module,
            "entry_point": "fragment_main",
            "targets": [{"format": "rgba8unorm"}],
        },
    )
