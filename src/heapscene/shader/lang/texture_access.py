"""Intrinsics that load and store texels, and that ask for the sizes of textures."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import intrinsic
from heapscene.shader.lang.scalars import UInt32
from heapscene.shader.lang.texels import quantized
from heapscene.shader.lang.texture_calls import checked, dimensions, typed
from heapscene.shader.lang.textures import (
    Texture,
    texture_2d,
    texture_2d_array,
    texture_3d,
    texture_cube,
    texture_cube_array,
    texture_depth_2d,
    texture_depth_2d_array,
    texture_depth_cube,
    texture_depth_multisampled_2d,
    texture_multisampled_2d,
    texture_storage_2d,
    texture_storage_2d_array,
    texture_storage_3d,
)
from heapscene.shader.lang.vector_value import vector_class
from heapscene.shader.lang.vectors import vec2i, vec2u, vec3i, vec3u, vec4, vec4i, vec4u
from heapscene.shader.types import U32, StorageTextureType

__all__ = [
    "texture_dimensions",
    "texture_load",
    "texture_num_layers",
    "texture_num_levels",
    "texture_num_samples",
    "texture_store",
]

V = TypeVar("V", vec4, vec4i, vec4u)
_Flat = (
    texture_2d[Any]
    | texture_2d_array[Any]
    | texture_cube[Any]
    | texture_cube_array[Any]
    | texture_multisampled_2d[Any]
    | texture_depth_2d
    | texture_depth_2d_array
    | texture_depth_cube
    | texture_depth_multisampled_2d
    | texture_storage_2d[Any]
    | texture_storage_2d_array[Any]
)


@overload
def texture_load(
    texture: texture_2d[V] | texture_multisampled_2d[V], at: vec2i | vec2u, which: int, /
) -> V: ...
@overload
def texture_load(
    texture: texture_2d_array[V], at: vec2i | vec2u, layer: int, level: int, /
) -> V: ...
@overload
def texture_load(texture: texture_3d[V], at: vec3i | vec3u, level: int, /) -> V: ...
@overload
def texture_load(
    texture: texture_depth_2d | texture_depth_multisampled_2d, at: vec2i | vec2u, which: int, /
) -> float: ...
@overload
def texture_load(
    texture: texture_depth_2d_array, at: vec2i | vec2u, layer: int, level: int, /
) -> float: ...
@overload
def texture_load(texture: texture_storage_2d[V], at: vec2i | vec2u, /) -> V: ...
@overload
def texture_load(texture: texture_storage_2d_array[V], at: vec2i | vec2u, layer: int, /) -> V: ...
@overload
def texture_load(texture: texture_storage_3d[V], at: vec3i | vec3u, /) -> V: ...
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


@overload
def texture_store(texture: texture_storage_2d[V], at: vec2i | vec2u, value: V, /) -> None: ...
@overload
def texture_store(
    texture: texture_storage_2d_array[V], at: vec2i | vec2u, layer: int, value: V, /
) -> None: ...
@overload
def texture_store(texture: texture_storage_3d[V], at: vec3i | vec3u, value: V, /) -> None: ...
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
    index = (*map(int, layer), *[int(part) for part in reversed(tuple(at))], *map(int, tail))
    if any(not 0 <= part < size for part, size in zip(index, level.shape, strict=False)):
        raise IndexError(
            explain(
                f"texel {index} of {texture.name!r} does not exist",
                facts={"shape": level.shape},
                fix="Keep the place within the size, for example by clamp.",
            )
        )
    return index


@overload
def texture_dimensions(
    texture: texture_3d[Any] | texture_storage_3d[Any], level: int = ..., /
) -> vec3u: ...
@overload
def texture_dimensions(texture: _Flat, level: int = ..., /) -> vec2u: ...
@intrinsic
def texture_dimensions(*args: Any) -> Any:
    """Columns and rows (and depth) of a level, by default the largest."""
    texture, *level = checked("texture_dimensions", args)
    sizes = dimensions(texture, int(level[0]) if level else 0)
    return vector_class(U32, len(sizes))(*sizes)


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
