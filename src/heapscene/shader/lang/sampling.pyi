# Written by tools/write_texture_stubs.py from the table of operations.
from typing import TypeVar, overload

from heapscene.shader.lang.textures import (
    sampler,
    sampler_comparison,
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
)
from heapscene.shader.lang.vectors import (
    vec2,
    vec2i,
    vec3,
    vec3i,
    vec4,
    vec4i,
    vec4u,
)

__all__ = [
    "texture_gather",
    "texture_gather_compare",
    "texture_sample",
    "texture_sample_base_clamp_to_edge",
    "texture_sample_bias",
    "texture_sample_compare",
    "texture_sample_compare_level",
    "texture_sample_grad",
    "texture_sample_level",
]

_V = TypeVar("_V", vec4, vec4i, vec4u)

@overload
def texture_gather(
    texture: texture_2d[_V],
    how: sampler,
    at: vec2,
    channel: int,
    offset: vec2i = ...,
    /,
) -> _V: ...
@overload
def texture_gather(
    texture: texture_2d_array[_V],
    how: sampler,
    at: vec2,
    layer: int,
    channel: int,
    offset: vec2i = ...,
    /,
) -> _V: ...
@overload
def texture_gather(
    texture: texture_cube[_V],
    how: sampler,
    at: vec3,
    channel: int,
    /,
) -> _V: ...
@overload
def texture_gather(
    texture: texture_cube_array[_V],
    how: sampler,
    at: vec3,
    layer: int,
    channel: int,
    /,
) -> _V: ...
@overload
def texture_gather(
    texture: texture_depth_2d,
    how: sampler,
    at: vec2,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_gather(
    texture: texture_depth_2d_array,
    how: sampler,
    at: vec2,
    layer: int,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_gather(
    texture: texture_depth_cube,
    how: sampler,
    at: vec3,
    /,
) -> vec4: ...
@overload
def texture_gather(
    texture: texture_depth_cube_array,
    how: sampler,
    at: vec3,
    layer: int,
    /,
) -> vec4: ...
@overload
def texture_gather_compare(
    texture: texture_depth_2d,
    how: sampler_comparison,
    at: vec2,
    reference: float,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_gather_compare(
    texture: texture_depth_2d_array,
    how: sampler_comparison,
    at: vec2,
    layer: int,
    reference: float,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_gather_compare(
    texture: texture_depth_cube,
    how: sampler_comparison,
    at: vec3,
    reference: float,
    /,
) -> vec4: ...
@overload
def texture_gather_compare(
    texture: texture_depth_cube_array,
    how: sampler_comparison,
    at: vec3,
    layer: int,
    reference: float,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_2d[vec4],
    how: sampler,
    at: vec2,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_2d_array[vec4],
    how: sampler,
    at: vec2,
    layer: int,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_3d[vec4],
    how: sampler,
    at: vec3,
    offset: vec3i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_cube[vec4],
    how: sampler,
    at: vec3,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_cube_array[vec4],
    how: sampler,
    at: vec3,
    layer: int,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_1d[vec4],
    how: sampler,
    at: float,
    /,
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_depth_2d,
    how: sampler,
    at: vec2,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample(
    texture: texture_depth_2d_array,
    how: sampler,
    at: vec2,
    layer: int,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample(
    texture: texture_depth_cube,
    how: sampler,
    at: vec3,
    /,
) -> float: ...
@overload
def texture_sample(
    texture: texture_depth_cube_array,
    how: sampler,
    at: vec3,
    layer: int,
    /,
) -> float: ...
def texture_sample_base_clamp_to_edge(
    texture: texture_2d[vec4],
    how: sampler,
    at: vec2,
    /,
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_2d[vec4],
    how: sampler,
    at: vec2,
    bias: float,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_2d_array[vec4],
    how: sampler,
    at: vec2,
    layer: int,
    bias: float,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_3d[vec4],
    how: sampler,
    at: vec3,
    bias: float,
    offset: vec3i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_cube[vec4],
    how: sampler,
    at: vec3,
    bias: float,
    /,
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_cube_array[vec4],
    how: sampler,
    at: vec3,
    layer: int,
    bias: float,
    /,
) -> vec4: ...
@overload
def texture_sample_compare(
    texture: texture_depth_2d,
    how: sampler_comparison,
    at: vec2,
    reference: float,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample_compare(
    texture: texture_depth_2d_array,
    how: sampler_comparison,
    at: vec2,
    layer: int,
    reference: float,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample_compare(
    texture: texture_depth_cube,
    how: sampler_comparison,
    at: vec3,
    reference: float,
    /,
) -> float: ...
@overload
def texture_sample_compare(
    texture: texture_depth_cube_array,
    how: sampler_comparison,
    at: vec3,
    layer: int,
    reference: float,
    /,
) -> float: ...
@overload
def texture_sample_compare_level(
    texture: texture_depth_2d,
    how: sampler_comparison,
    at: vec2,
    reference: float,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample_compare_level(
    texture: texture_depth_2d_array,
    how: sampler_comparison,
    at: vec2,
    layer: int,
    reference: float,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample_compare_level(
    texture: texture_depth_cube,
    how: sampler_comparison,
    at: vec3,
    reference: float,
    /,
) -> float: ...
@overload
def texture_sample_compare_level(
    texture: texture_depth_cube_array,
    how: sampler_comparison,
    at: vec3,
    layer: int,
    reference: float,
    /,
) -> float: ...
@overload
def texture_sample_grad(
    texture: texture_2d[vec4],
    how: sampler,
    at: vec2,
    dx: vec2,
    dy: vec2,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_2d_array[vec4],
    how: sampler,
    at: vec2,
    layer: int,
    dx: vec2,
    dy: vec2,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_3d[vec4],
    how: sampler,
    at: vec3,
    dx: vec3,
    dy: vec3,
    offset: vec3i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_cube[vec4],
    how: sampler,
    at: vec3,
    dx: vec3,
    dy: vec3,
    /,
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_cube_array[vec4],
    how: sampler,
    at: vec3,
    layer: int,
    dx: vec3,
    dy: vec3,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_2d[vec4],
    how: sampler,
    at: vec2,
    level: float,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_2d_array[vec4],
    how: sampler,
    at: vec2,
    layer: int,
    level: float,
    offset: vec2i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_3d[vec4],
    how: sampler,
    at: vec3,
    level: float,
    offset: vec3i = ...,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_cube[vec4],
    how: sampler,
    at: vec3,
    level: float,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_cube_array[vec4],
    how: sampler,
    at: vec3,
    layer: int,
    level: float,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_1d[vec4],
    how: sampler,
    at: float,
    level: float,
    /,
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_depth_2d,
    how: sampler,
    at: vec2,
    level: int,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample_level(
    texture: texture_depth_2d_array,
    how: sampler,
    at: vec2,
    layer: int,
    level: int,
    offset: vec2i = ...,
    /,
) -> float: ...
@overload
def texture_sample_level(
    texture: texture_depth_cube,
    how: sampler,
    at: vec3,
    level: int,
    /,
) -> float: ...
@overload
def texture_sample_level(
    texture: texture_depth_cube_array,
    how: sampler,
    at: vec3,
    layer: int,
    level: int,
    /,
) -> float: ...
