"""All intrinsics by name, and which of Python's builtins stand for one."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang import (
    atomics,
    bits,
    componentwise,
    execution,
    geometric,
    packing,
    sampling,
    texture_access,
)
from heapscene.shader.lang.literals import AbstractInt
from heapscene.shader.lang.scalars import scalar_type
from heapscene.shader.operations import PARTS

__all__ = ["INTRINSICS", "PYTHON_BUILTINS", "operation", "shader_bool"]


def shader_bool(value: Any) -> bool:
    """``bool(x)`` in a shader function: whether a number is not zero."""
    if scalar_type(value) is None and not isinstance(value, AbstractInt):
        raise ShaderTypeError(
            explain(f"bool() does not take a {type(value).__name__}", fix="Compare:  v != vec3(0).")
        )
    return bool(value)


INTRINSICS: Mapping[str, Callable[..., Any]] = {
    function.__intrinsic__: function
    for module in (
        atomics,
        bits,
        componentwise,
        execution,
        geometric,
        packing,
        sampling,
        texture_access,
    )
    for function in map(vars(module).__getitem__, module.__all__)
    if hasattr(function, "__intrinsic__")
}


def operation(name: str) -> Callable[..., Any]:
    """Return what computes an operation of the table: an intrinsic, or one part of its result."""
    function, _, part = name.partition(".")
    if not part:
        return INTRINSICS[name]
    number = PARTS[function].index(name)
    return lambda *operands: INTRINSICS[function](*operands)[number]


# Shader functions may use these without an import: the name means the intrinsic.
PYTHON_BUILTINS: Mapping[object, Callable[..., Any]] = {
    vars(builtins)[name]: INTRINSICS[name]
    for name in ("abs", "all", "any", "max", "min", "pow", "round")
}
