"""What the intrinsics on textures share: their arguments and results."""

from __future__ import annotations

from typing import Any

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.scalars import Float32
from heapscene.shader.lang.textures import Texture, sampler, sampler_comparison
from heapscene.shader.lang.vector_value import VectorValue, to_scalar, vector_class
from heapscene.shader.resource_operations import TEXTURES
from heapscene.shader.types import F32, I32, U32, Type, Vector

__all__ = ["checked", "components", "dimensions", "typed"]


def checked(name: str, args: tuple[Any, ...]) -> list[Any]:
    """Return the arguments with literals as numbers of their type.

    Raises
    ------
    ShaderTypeError
        The function has no rule for them.
    """
    operation = TEXTURES[name]
    types = [_type_of(arg) for arg in args]
    for rule in operation.rules:
        wanted = rule.partition(" -> ")[0].split()
        if len(wanted) != len(args):
            continue
        adapted = [
            _adapted(token, arg, type_)
            for token, arg, type_ in zip(wanted, args, types, strict=True)
        ]
        found = [_type_of(arg) for arg in adapted]
        if all(type_ is not None for type_ in found) and operation.type_for(found) is not None:  # pyright: ignore[reportArgumentType]
            return adapted
    given = ", ".join(
        str(type_) if type_ is not None else type(arg).__name__
        for arg, type_ in zip(args, types, strict=True)
    )
    raise ShaderTypeError(
        explain(
            f"{name}() is not defined for ({given})",
            facts={"defined for": ";  ".join(operation.rules)},
            fix="Convert the arguments to one of these lists.",
        )
    )


def _type_of(value: Any) -> Type | None:
    if isinstance(value, (Texture, sampler, sampler_comparison)):
        return value.type
    return getattr(type(value), "__shader_type__", None)


def _adapted(wanted: str, arg: Any, type_: Type | None) -> Any:
    if type_ is None and isinstance(arg, (int, float)) and not isinstance(arg, bool):
        match wanted:
            case "f32":
                return Float32(arg)
            case "int" if isinstance(arg, int):
                return to_scalar(U32 if arg >= 0 else I32, arg)
            case _:
                pass
    return arg


def components(at: Any) -> tuple[Any, ...]:
    """Return the components of a place: of a vector, or a number for one-dimensional textures."""
    return tuple(at) if isinstance(at, VectorValue) else (at,)


def typed(texture: Texture, channels: Any) -> Any:
    """Return the channels of a texel as a value of the language."""
    texel = texture.type.texel
    if isinstance(texel, Vector):
        values = np.asarray(channels)
        if texel.scalar is not F32:
            values = values.astype(int)
        return vector_class(texel.scalar, 4)(*values.tolist())
    return Float32(float(channels))


def dimensions(texture: Texture, level: int) -> tuple[int, ...]:
    """Return the sizes of a level, columns first."""
    axes = texture.axes.split()
    shape = dict(zip(axes, texture.levels[level].shape, strict=False))
    return tuple(shape[axis] for axis in ("columns", "rows", "depth") if axis in shape)
