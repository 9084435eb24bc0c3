"""All intrinsics by name, and which of Python's builtins stand for one."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from heapscene.shader.lang import bits, componentwise, execution, geometric
from heapscene.shader.lang.scalars import scalar_type

__all__ = ["INTRINSICS", "PYTHON_BUILTINS", "shader_bool"]


def shader_bool(value: Any) -> bool:
    """``bool(x)`` in a shader function: whether a number is not zero."""
    return bool(value) if scalar_type(value) is not None else bool(value != 0)


INTRINSICS: Mapping[str, Callable[..., Any]] = {
    function.__intrinsic__: function
    for module in (bits, componentwise, execution, geometric)
    for function in map(vars(module).__getitem__, module.__all__)
    if hasattr(function, "__intrinsic__")
}

# Shader functions may use these without an import: the name means the intrinsic.
PYTHON_BUILTINS: Mapping[object, Callable[..., Any]] = {
    vars(builtins)[name]: INTRINSICS[name]
    for name in ("abs", "all", "any", "max", "min", "pow", "round")
}
