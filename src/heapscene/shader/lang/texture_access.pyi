# Written by tools/write_texture_stubs.py from the table of operations.
from typing import Any, TypeVar, overload

from heapscene.shader.lang.textures import (
    texture_1d,
    texture_2d,
    texture_2d_array,
    texture_3d,
    texture_cube,
    texture_cube_array,
    texture_depth_2d,
    texture_depth_2d_array,
    texture_depth_cube,
    texture_depth_cube_array,
    texture_depth_multisampled_2d,
    texture_multisampled_2d,
    texture_storage_1d,
    texture_storage_2d,
    texture_storage_2d_array,
    texture_storage_3d,
)
from heapscene.shader.lang.vectors import (
    vec2i,
    vec2u,
    vec3i,
    vec3u,
    vec4,
    vec4i,
    vec4u,
)

__all__ = [
    "texture_dimensions",
    "texture_load",
    "texture_num_layers",
    "texture_num_levels",
    "texture_num_samples",
    "texture_store",
]

_V = TypeVar("_V", vec4, vec4i, vec4u)

@overload
def texture_dimensions(
    texture: texture_1d[Any],
    level: int = ...,
    /,
) -> int: ...
@overload
def texture_dimensions(
    texture: texture_2d[Any]
    | texture_2d_array[Any]
    | texture_cube[Any]
    | texture_cube_array[Any]
    | texture_depth_2d
    | texture_depth_2d_array
    | texture_depth_cube
    | texture_depth_cube_array,
    level: int = ...,
    /,
) -> vec2u: ...
@overload
def texture_dimensions(
    texture: texture_3d[Any],
    level: int = ...,
    /,
) -> vec3u: ...
@overload
def texture_dimensions(
    texture: texture_multisampled_2d[Any]
    | texture_depth_multisampled_2d
    | texture_storage_2d[Any]
    | texture_storage_2d_array[Any],
    /,
) -> vec2u: ...
@overload
def texture_dimensions(
    texture: texture_storage_1d[Any],
    /,
) -> int: ...
@overload
def texture_dimensions(
    texture: texture_storage_3d[Any],
    /,
) -> vec3u: ...
@overload
def texture_load(
    texture: texture_1d[_V],
    at: int,
    level: int,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_2d[_V] | texture_multisampled_2d[_V],
    at: vec2i | vec2u,
    level: int,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_2d_array[_V],
    at: vec2i | vec2u,
    layer: int,
    level: int,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_3d[_V],
    at: vec3i | vec3u,
    level: int,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_depth_2d | texture_depth_multisampled_2d,
    at: vec2i | vec2u,
    level: int,
    /,
) -> float: ...
@overload
def texture_load(
    texture: texture_depth_2d_array,
    at: vec2i | vec2u,
    layer: int,
    level: int,
    /,
) -> float: ...
@overload
def texture_load(
    texture: texture_storage_1d[_V],
    at: int,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_storage_2d[_V],
    at: vec2i | vec2u,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_storage_2d_array[_V],
    at: vec2i | vec2u,
    layer: int,
    /,
) -> _V: ...
@overload
def texture_load(
    texture: texture_storage_3d[_V],
    at: vec3i | vec3u,
    /,
) -> _V: ...
def texture_num_layers(
    texture: texture_2d_array[Any]
    | texture_cube_array[Any]
    | texture_depth_2d_array
    | texture_depth_cube_array
    | texture_storage_2d_array[Any],
    /,
) -> int: ...
def texture_num_levels(
    texture: texture_1d[Any]
    | texture_2d[Any]
    | texture_2d_array[Any]
    | texture_3d[Any]
    | texture_cube[Any]
    | texture_cube_array[Any]
    | texture_depth_2d
    | texture_depth_2d_array
    | texture_depth_cube
    | texture_depth_cube_array,
    /,
) -> int: ...
def texture_num_samples(
    texture: texture_multisampled_2d[Any] | texture_depth_multisampled_2d,
    /,
) -> int: ...
@overload
def texture_store(
    texture: texture_storage_1d[_V],
    at: int,
    value: _V,
    /,
) -> None: ...
@overload
def texture_store(
    texture: texture_storage_2d[_V],
    at: vec2i | vec2u,
    value: _V,
    /,
) -> None: ...
@overload
def texture_store(
    texture: texture_storage_2d_array[_V],
    at: vec2i | vec2u,
    layer: int,
    value: _V,
    /,
) -> None: ...
@overload
def texture_store(
    texture: texture_storage_3d[_V],
    at: vec3i | vec3u,
    value: _V,
    /,
) -> None: ...
