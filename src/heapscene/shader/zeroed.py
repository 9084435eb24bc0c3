"""Workgroup memory starts at zero, as WGSL promises, also where the driver does not keep that.

Some do not (lavapipe leaves what was there; AMD's zeroes without a barrier). An entry point therefore
begins with the zeros, spread over the invocations, unless its first statements write all of the
array anyway.
"""

from __future__ import annotations

import math
from dataclasses import replace

from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.body import FunctionBuilder
from heapscene.shader.ir.nodes import EntryPoint, Expr, Function, Local, Port, Resource, Stmt
from heapscene.shader.ir.visit import reachable_resources, walk
from heapscene.shader.types import U32, ArrayType, AtomicType, StructType

__all__ = ["zeroed"]


def zeroed(entry: EntryPoint) -> EntryPoint:
    """Return the compute entry point with zeros in the workgroup memory that it may read first."""
    function, size = entry.function, math.prod(entry.workgroup_size)
    port = next((p for p in entry.inputs if p.builtin == "local_invocation_index"), None)
    arrays = [
        resource
        for resource in reachable_resources(function)
        if resource.space == "workgroup"
        and not (port is not None and _is_written_first(function, resource, port.local, size))
    ]
    if not arrays:
        return entry
    body = FunctionBuilder(function.name)
    body.start_after(function)
    if port is None:
        port = Port(body.parameter("lane", U32), builtin="local_invocation_index")
    for resource in arrays:
        assert isinstance(resource.type, ArrayType)
        length = resource.type.length or 0
        if length > size:
            with body.for_range("k", port.local, length, size) as k:
                _zero(body, build.index(resource, k))
        elif length == size:
            _zero(body, build.index(resource, port.local))
        else:
            with body.if_(build.binary("<", port.local, length)):
                _zero(body, build.index(resource, port.local))
    body.evaluate(build.intrinsic("workgroup_barrier"))
    inputs = entry.inputs if port in entry.inputs else (*entry.inputs, port)
    made = replace(
        function,
        parameters=tuple(each.local for each in inputs),
        body=(*body.done().body, *function.body),
    )
    return replace(entry, function=made, inputs=inputs)


def _zero(body: FunctionBuilder, place: Expr) -> None:
    if isinstance(place.type, AtomicType):
        body.evaluate(build.intrinsic("atomic_store", place, build.zero(place.type.scalar)))
    elif isinstance(place.type, StructType) and _holds_atomic(place.type):
        for field in place.type.fields:
            _zero(body, build.field(place, field.name))
    else:
        body.store(place, build.zero(place.type))


def _holds_atomic(type_: StructType) -> bool:
    return any(
        isinstance(field.type, AtomicType)
        or (isinstance(field.type, StructType) and _holds_atomic(field.type))
        for field in type_.fields
    )


def _is_written_first(function: Function, resource: Resource, lane: Local, size: int) -> bool:
    """Tell whether each invocation writes its element before the array is read.

    What others read before a barrier is not defined by WGSL in the first place.
    """
    if not isinstance(resource.type, ArrayType) or resource.type.length != size:
        return False
    for statement in function.body:
        if isinstance(statement, nodes.Assign):
            target = statement.target
            own = (
                isinstance(target, nodes.Index)
                and isinstance(target.value, nodes.Global)
                and target.value.resource == resource
                and isinstance(target.index, nodes.Read)
                and target.index.local == lane
            )
            if own:
                return not _mentions(statement.value, resource)
        if _mentions(statement, resource) or _may_leave(statement):
            return False
    return False


def _mentions(part: Expr | Stmt, resource: Resource) -> bool:
    for node in walk(part):
        if isinstance(node, nodes.Global) and node.resource == resource:
            return True
        if isinstance(node, nodes.Call) and resource in reachable_resources(node.function):
            return True
    return False


def _may_leave(statement: Stmt) -> bool:
    return any(isinstance(node, nodes.Return) for node in walk(statement))
