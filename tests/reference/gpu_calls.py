"""One shader helper on the GPU, once for each row of its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from heapscene.shader import dtype_of, ir
from heapscene.shader.operations import scalar_of
from heapscene.shader.types import BOOL, F32, I32, U32, ArrayType, Type, Vector
from heapscene.shader.wgsl import emit


def stored(type_: Type) -> Type:
    """Return the type that lies in a buffer for a value of ``type_``."""
    if scalar_of(type_) != BOOL:
        return type_
    return Vector(U32, type_.size) if isinstance(type_, Vector) else U32


def call_on_gpu(device: Any, helper: Any, *arguments: np.ndarray) -> np.ndarray:
    """Return what a ``@function`` gives for every row: scalars, or vectors of two or four."""
    import wgpu

    count = len(arguments[0])
    function = helper.ir
    body = ir.FunctionBuilder("main")
    gid = body.parameter("gid", Vector(U32, 3))
    at = body.let("at", ir.swizzle(gid, "x"))
    values = []
    for k, parameter in enumerate(function.parameters):
        array = ArrayType(stored(parameter.type))
        value = ir.index(ir.Resource(f"in_{k}", array, "storage", "read", 0, k), at)
        values.append(
            ir.convert(parameter.type, value) if array.element != parameter.type else value
        )
    kind = stored(function.returns)
    out = ir.Resource("out", ArrayType(kind), "storage", "read_write", 0, len(values))
    made = ir.call(function, *values)
    with body.if_(ir.binary("<", at, count)):
        body.store(ir.index(out, at), ir.convert(kind, made) if kind != made.type else made)
    port = ir.Port(gid, builtin="global_invocation_id")
    entry = ir.EntryPoint("compute", body.done(), (port,), workgroup_size=(64, 1, 1))
    module = ir.Module((entry,))
    ir.verify_module(module)
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [
        device.create_buffer_with_data(data=np.ascontiguousarray(a).tobytes(), usage=usage)
        for a in arguments
    ]
    size = count * dtype_of(ArrayType(kind, 1)).itemsize
    buffers.append(device.create_buffer(size=size, usage=usage))
    pipeline = device.create_compute_pipeline(
        layout="auto",
        compute={"module": device.create_shader_module(code=emit(module)), "entry_point": "main"},
    )
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(-(-count // 64))
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    dtype = {F32: np.float32, I32: np.int32}.get(scalar_of(kind), np.uint32)
    found = np.frombuffer(device.queue.read_buffer(buffers[-1]), dtype)
    return found.reshape(count, -1) if isinstance(kind, Vector) else found
