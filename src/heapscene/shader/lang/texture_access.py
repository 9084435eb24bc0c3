"""Intrinsics that load and store texels, and that ask for the sizes of textures."""

# The signatures that editors show stand in texture_access.pyi.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import intrinsic
from heapscene.shader.lang.scalars import UInt32
from heapscene.shader.lang.texels import quantized
from heapscene.shader.lang.texture_calls import checked, components, dimensions, typed
from heapscene.shader.lang.textures import Texture
from heapscene.shader.lang.vector_value import vector_class
from heapscene.shader.types import U32, StorageTextureType

__all__ = [
    "texture_dimensions",
    "texture_load",
    "texture_num_layers",
    "texture_num_levels",
    "texture_num_samples",
    "texture_store",
]


@intrinsic
def texture_load(*args: Any) -> Any:
    """One texel by its column and row, of a level (or sample) and layer where there are several."""
    texture, at, *rest = checked("texture_load", args)
    kind = texture.type
    if isinstance(kind, StorageTextureType):
        _may("read", texture)
        level, layer, tail = 0, rest, []
    elif "multisampled" in kind.kind:
        level, layer, tail = 0, [], rest
    else:
        *layer, level = rest
        tail = []
    if not 0 <= int(level) < len(texture.levels):
        raise IndexError(
            explain(
                f"{texture.name!r} has no level {int(level)}",
                facts={"levels": len(texture.levels)},
                fix=f"Take a level from 0 to {len(texture.levels) - 1}.",
            )
        )
    index = _index(texture, texture.levels[int(level)], at, layer, tail)
    return typed(texture, texture.levels[int(level)][index])


@intrinsic
def texture_store(*args: Any) -> None:
    """Write one texel, rounded to the format of the texture."""
    texture, at, *layer, value = checked("texture_store", args)
    _may("write", texture)
    level = texture.levels[0]
    index = _index(texture, level, at, layer, [])
    level[index] = quantized(np.asarray(value), texture.type.format)


def _may(what: str, texture: Texture) -> None:
    kind = texture.type
    if isinstance(kind, StorageTextureType) and what not in kind.access:
        raise ShaderTypeError(
            explain(
                f"{texture.name!r} has access {kind.access!r}",
                fix=f'Declare it with access="{what}".',
            )
        )


def _index(
    texture: Texture, level: NDArray[Any], at: Any, layer: list[Any], tail: list[Any]
) -> tuple[int, ...]:
    index = (*map(int, layer), *[int(part) for part in reversed(components(at))], *map(int, tail))
    if any(not 0 <= part < size for part, size in zip(index, level.shape, strict=False)):
        raise IndexError(
            explain(
                f"texel {index} of {texture.name!r} does not exist",
                facts={"shape": level.shape},
                fix="Keep the place within the size, for example by clamp.",
            )
        )
    return index


@intrinsic
def texture_dimensions(*args: Any) -> Any:
    """Columns and rows (and depth) of a level, by default the largest."""
    texture, *level = checked("texture_dimensions", args)
    sizes = dimensions(texture, int(level[0]) if level else 0)
    numbers = [UInt32(size) for size in sizes]
    return numbers.pop() if len(numbers) == 1 else vector_class(U32, len(numbers))(*numbers)


@intrinsic
def texture_num_levels(texture: Texture) -> int:
    """How many mip levels there are."""
    (texture,) = checked("texture_num_levels", (texture,))
    return UInt32(len(texture.levels))


@intrinsic
def texture_num_layers(texture: Texture) -> int:
    """How many layers an array has; of cubes, how many cubes."""
    (texture,) = checked("texture_num_layers", (texture,))
    layers = len(texture.levels[0])
    return UInt32(layers // 6 if "cube" in texture.type.kind else layers)


@intrinsic
def texture_num_samples(texture: Texture) -> int:
    """How many samples a pixel has."""
    (texture,) = checked("texture_num_samples", (texture,))
    return UInt32(texture.levels[0].shape[2])
