"""What random rules return on the GPU is in their sets, rounding of the GPU included."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from heapscene.shader import BOOL, U32, ir
from heapscene.shader.sets import result_set
from heapscene.shader.types import ArrayType, StructType, Vector
from heapscene.shader.wgsl import emit

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))

from random_rules import make_rule

RULES, INPUTS, WORDS = 48, 512, 12

pytestmark = pytest.mark.gpu


def packed(inputs):
    """Return the words of all inputs, ``(rows, WORDS)``."""
    columns = []
    for values in inputs.values():
        array = values.astype(np.uint32) if values.dtype == bool else values
        columns.append(np.ascontiguousarray(array).view(np.uint32).reshape(len(array), -1))
    words = np.concatenate(columns, axis=1)
    assert words.shape[1] <= WORDS
    return np.pad(words, ((0, 0), (0, WORDS - words.shape[1])))


def read(type_, word):
    """Return a value of a type from words; ``word()`` gives the next one."""
    if type_ == BOOL:
        return ir.binary("!=", word(), 0)
    if isinstance(type_, Vector):
        return ir.construct(type_, *(read(type_.scalar, word) for _ in range(type_.size)))
    return word() if type_ == U32 else ir.bitcast(type_, word())


def scalars(value):
    if isinstance(value.type, StructType):
        return [s for f in value.type.fields for s in scalars(ir.field(value, f.name))]
    return [value if value.type == U32 else ir.convert(U32, value)]


def module_of(rules):
    body = ir.FunctionBuilder("main")
    lane = body.parameter("lane", Vector(U32, 3))
    row = body.let("row", ir.swizzle(lane, "x"))
    source = ir.Resource("source", ArrayType(U32), "storage", "read", 0, 0)
    target = ir.Resource("target", ArrayType(U32), "storage", "read_write", 0, 1)
    for k, rule in enumerate(rules):
        start = body.let(
            "start", ir.binary("+", ir.binary("*", row, len(rules) * WORDS), k * WORDS)
        )
        count = iter(range(WORDS))
        args = [
            read(p.type, lambda: ir.index(source, ir.binary("+", start, next(count))))  # noqa: B023
            for p in rule.function.ir.parameters
        ]
        made = body.let("made", ir.call(rule.function.ir, *args))
        at = body.let("at", ir.binary("+", ir.binary("*", row, len(rules) * 3), k * 3))
        for part, value in enumerate(scalars(ir.expression(made))):
            body.store(ir.index(target, ir.binary("+", at, part)), value)
    port = ir.Port(lane, builtin="global_invocation_id")
    return ir.Module((ir.EntryPoint("compute", body.done(), (port,), workgroup_size=(64, 1, 1)),))


def dispatch(device, wgsl, given, size):
    import wgpu

    pipeline = device.create_compute_pipeline(
        layout="auto",
        compute={"module": device.create_shader_module(code=wgsl), "entry_point": "main"},
    )
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [
        device.create_buffer_with_data(data=given.tobytes(), usage=usage),
        device.create_buffer(size=size * 4, usage=usage),
    ]
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, group)
    work.dispatch_workgroups(INPUTS // 64)
    work.end()
    device.queue.submit([encoder.finish()])
    return np.frombuffer(device.queue.read_buffer(buffers[1]), np.uint32)


def check(device, seeds):
    rules = [make_rule(seed, INPUTS) for seed in seeds]
    given = np.stack([packed(rule.inputs) for rule in rules], axis=1)
    found = dispatch(device, emit(module_of(rules)), given, INPUTS * len(rules) * 3)
    found = found.reshape(INPUTS, len(rules), 3)
    distinct = 0
    for k, rule in enumerate(rules):
        possible = result_set(rule.function, known=rule.known)
        width = len(rule.function.ir.returns.fields) if is_record(rule) else 1
        seen = {tuple(row) for row in np.unique(found[:, k, :width], axis=0).tolist()}
        distinct += len(seen)
        if not possible.is_top:
            allowed = {words_of(value) for value in possible.values}
            assert seen <= allowed, f"{sorted(seen - allowed)}\n{rule.text}\n{rule.known}"
    return distinct


def is_record(rule):
    return isinstance(rule.function.ir.returns, StructType)


def words_of(value):
    parts = vars(value).values() if hasattr(value, "replace") else [value]
    return tuple(int(part) & 0xFFFFFFFF for part in parts)


def test_no_value_is_missing(device):
    assert check(device, range(RULES)) > RULES


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_no_value_is_missing_in_a_thousand_rules(device):
    for first in range(0, 1000, RULES):
        check(device, range(first, first + RULES))
