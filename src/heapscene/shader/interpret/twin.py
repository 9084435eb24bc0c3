"""Functions whose text is WGSL: their twin in Python says what they compute.

The twin takes one value at a time, so here, and only here, distinct arguments are gone through one
by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heapscene.errors import ShaderError, explain
from heapscene.shader.interpret.values import Value, zero
from heapscene.shader.ir.nodes import Function
from heapscene.shader.lang import convert, value_class
from heapscene.shader.numeric.operators import Array
from heapscene.shader.types import StructType, Type

__all__ = ["called"]


def called(function: Function, args: list[Value], active: Array) -> Value:
    """Return the twin's value for each active invocation; zeros for the others."""
    if function.twin is None:
        raise ShaderError(
            explain(
                f"{function.name} is WGSL and has no Python function beside it",
                fix="Give it one that computes the same.",
            )
        )
    lanes = np.flatnonzero(active)
    result = zero(function.returns, len(active))
    known: dict[bytes, Any] = {}
    for lane in lanes.tolist():
        rows = [_row(p.type, arg, lane) for p, arg in zip(function.parameters, args, strict=True)]
        key = b"".join(np.asarray(row).tobytes() for row in rows)
        if key not in known:
            known[key] = function.twin(*rows)
        _put(function.returns, result, lane, known[key])
    return result


def _row(type_: Type, value: Value, lane: int) -> Any:
    if isinstance(type_, StructType):
        members = {m.name: _row(m.type, value[m.name], lane) for m in type_.fields}
        return value_class(type_)(**members)
    return value_class(type_)(value[lane])


def _put(type_: Type, result: Value, lane: int, value: Any) -> None:
    if isinstance(type_, StructType):
        for member in type_.fields:
            _put(member.type, result[member.name], lane, getattr(value, member.name))
    else:
        result[lane] = np.asarray(convert(value, type_, "the result"))
