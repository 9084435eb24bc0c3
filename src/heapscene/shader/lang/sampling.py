"""Intrinsics on textures.

In CPython a texture has the texels that it is bound to. What needs the neighbouring pixels, the mip
level of :func:`texture_sample` above all, is known only where there is one level; elsewhere the call
says so and names the function that takes the level.
"""

# WGSL's functions take the shape of the texture for granted; so do these overloads.
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import math
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderError, explain
from heapscene.shader.lang.apply import intrinsic
from heapscene.shader.lang.scalars import Float32
from heapscene.shader.lang.texels import COMPARISONS, cube_face, filtered, footprint
from heapscene.shader.lang.texture_calls import checked, dimensions, typed
from heapscene.shader.lang.textures import (
    Texture,
    sampler,
    sampler_comparison,
    texture_2d,
    texture_2d_array,
    texture_3d,
    texture_cube,
    texture_cube_array,
    texture_depth_2d,
    texture_depth_2d_array,
    texture_depth_cube,
)
from heapscene.shader.lang.vector_value import vector_class
from heapscene.shader.lang.vectors import vec2, vec3, vec4, vec4i, vec4u

__all__ = [
    "texture_gather",
    "texture_gather_compare",
    "texture_sample",
    "texture_sample_bias",
    "texture_sample_compare",
    "texture_sample_compare_level",
    "texture_sample_grad",
    "texture_sample_level",
]

V = TypeVar("V", vec4, vec4i, vec4u)


def _layer(texture: Texture, at: Any, layer: int) -> tuple[int | None, tuple[float, ...]]:
    """Return the layer of the array that is sampled, and the place within it."""
    place = tuple(float(part) for part in at)
    kind = texture.type.kind
    if "cube" in kind:
        face, u, v = cube_face(place)  # pyright: ignore[reportArgumentType]
        return 6 * layer + face, (u, v)
    return (layer if "array" in kind else None), place


def _level_of(texture: Texture, number: int, layer: int | None) -> NDArray[Any]:
    level = texture.levels[number]
    return level if layer is None else level[min(layer, len(level) - 1)]


def _sampled(
    texture: Texture, how: Any, at: Any, layer: int, mip: float, change: Any = lambda texel: texel
) -> Any:
    if "cube" in texture.type.kind and how.filter == "linear":
        raise ShaderError(
            explain(
                f"CPython does not filter {texture.name!r} across the edges of a cube",
                fix=f'Declare {how.name} with filter="nearest", or run the function on the GPU.',
            )
        )
    which, place = _layer(texture, at, max(layer, 0))
    mip = min(max(mip, 0.0), len(texture.levels) - 1.0)

    def at_level(number: int) -> Any:
        level = _level_of(texture, number, which)
        return filtered(level, place, how.filter, how.address, change)

    if how.mipmap_filter == "nearest":
        return at_level(math.floor(mip + 0.5))
    low = math.floor(mip)
    if mip == low:
        return at_level(low)
    return at_level(low) * (1.0 - (mip - low)) + at_level(low + 1) * (mip - low)


def _first(layer: list[Any]) -> int:
    return int(layer[0]) if layer else 0


def _one_level(name: str, texture: Texture) -> None:
    if len(texture.levels) > 1:
        raise ShaderError(
            explain(
                f"{name}() finds the mip level from the neighbouring pixels, "
                "and a call in CPython has one",
                facts={"levels": len(texture.levels)},
                fix=f"Write texture_sample_level(...), or bind {texture.name} to one level.",
            )
        )


@overload
def texture_sample(texture: texture_2d[vec4], how: sampler, at: vec2, /) -> vec4: ...
@overload
def texture_sample(
    texture: texture_3d[vec4] | texture_cube[vec4], how: sampler, at: vec3, /
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_2d_array[vec4], how: sampler, at: vec2, layer: int, /
) -> vec4: ...
@overload
def texture_sample(
    texture: texture_cube_array[vec4], how: sampler, at: vec3, layer: int, /
) -> vec4: ...
@overload
def texture_sample(texture: texture_depth_2d, how: sampler, at: vec2, /) -> float: ...
@overload
def texture_sample(texture: texture_depth_cube, how: sampler, at: vec3, /) -> float: ...
@overload
def texture_sample(
    texture: texture_depth_2d_array, how: sampler, at: vec2, layer: int, /
) -> float: ...
@intrinsic
def texture_sample(*args: Any) -> Any:
    """Sample at the level that the distance of neighbouring pixels suggests."""
    texture, how, at, *layer = checked("texture_sample", args)
    _one_level("texture_sample", texture)
    return typed(texture, _sampled(texture, how, at, _first(layer), 0.0))


@overload
def texture_sample_bias(
    texture: texture_2d[vec4], how: sampler, at: vec2, bias: float, /
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_3d[vec4] | texture_cube[vec4], how: sampler, at: vec3, bias: float, /
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_2d_array[vec4], how: sampler, at: vec2, layer: int, bias: float, /
) -> vec4: ...
@overload
def texture_sample_bias(
    texture: texture_cube_array[vec4], how: sampler, at: vec3, layer: int, bias: float, /
) -> vec4: ...
@intrinsic
def texture_sample_bias(*args: Any) -> Any:
    """Sample at that level plus a bias from -16 to 15.99."""
    texture, how, at, *layer, _ = checked("texture_sample_bias", args)
    _one_level("texture_sample_bias", texture)
    return typed(texture, _sampled(texture, how, at, _first(layer), 0.0))


@overload
def texture_sample_level(
    texture: texture_2d[vec4], how: sampler, at: vec2, level: float, /
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_3d[vec4] | texture_cube[vec4], how: sampler, at: vec3, level: float, /
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_2d_array[vec4], how: sampler, at: vec2, layer: int, level: float, /
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_cube_array[vec4], how: sampler, at: vec3, layer: int, level: float, /
) -> vec4: ...
@overload
def texture_sample_level(
    texture: texture_depth_2d, how: sampler, at: vec2, level: int, /
) -> float: ...
@overload
def texture_sample_level(
    texture: texture_depth_cube, how: sampler, at: vec3, level: int, /
) -> float: ...
@overload
def texture_sample_level(
    texture: texture_depth_2d_array, how: sampler, at: vec2, layer: int, level: int, /
) -> float: ...
@intrinsic
def texture_sample_level(*args: Any) -> Any:
    """Sample at a mip level, 0 the largest; a whole number for depth textures."""
    texture, how, at, *layer, level = checked("texture_sample_level", args)
    return typed(texture, _sampled(texture, how, at, _first(layer), float(level)))


@overload
def texture_sample_grad(
    texture: texture_2d[vec4], how: sampler, at: vec2, dx: vec2, dy: vec2, /
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_3d[vec4] | texture_cube[vec4], how: sampler, at: vec3, dx: vec3, dy: vec3, /
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_2d_array[vec4], how: sampler, at: vec2, layer: int, dx: vec2, dy: vec2, /
) -> vec4: ...
@overload
def texture_sample_grad(
    texture: texture_cube_array[vec4], how: sampler, at: vec3, layer: int, dx: vec3, dy: vec3, /
) -> vec4: ...
@intrinsic
def texture_sample_grad(*args: Any) -> Any:
    """Sample at the level that these differences of the coordinates to the neighbours suggest."""
    texture, how, at, *layer, dx, dy = checked("texture_sample_grad", args)
    if "cube" in texture.type.kind:
        _one_level("texture_sample_grad", texture)
    sizes = np.array(dimensions(texture, 0), np.float64)[: len(dx)]
    longest = max(float(np.linalg.norm(np.asarray(d)[: len(sizes)] * sizes)) for d in (dx, dy))
    mip = math.log2(longest) if longest > 0.0 else 0.0
    return typed(texture, _sampled(texture, how, at, _first(layer), mip))


@overload
def texture_sample_compare(
    texture: texture_depth_2d, how: sampler_comparison, at: vec2, reference: float, /
) -> float: ...
@overload
def texture_sample_compare(
    texture: texture_depth_cube, how: sampler_comparison, at: vec3, reference: float, /
) -> float: ...
@overload
def texture_sample_compare(
    texture: texture_depth_2d_array,
    how: sampler_comparison,
    at: vec2,
    layer: int,
    reference: float,
    /,
) -> float: ...
@intrinsic
def texture_sample_compare(*args: Any) -> Any:
    """The share of texels that the reference passes the comparison with."""
    texture = checked("texture_sample_compare", args)[0]
    _one_level("texture_sample_compare", texture)
    return texture_sample_compare_level(*args)


@overload
def texture_sample_compare_level(
    texture: texture_depth_2d, how: sampler_comparison, at: vec2, reference: float, /
) -> float: ...
@overload
def texture_sample_compare_level(
    texture: texture_depth_cube, how: sampler_comparison, at: vec3, reference: float, /
) -> float: ...
@overload
def texture_sample_compare_level(
    texture: texture_depth_2d_array,
    how: sampler_comparison,
    at: vec2,
    layer: int,
    reference: float,
    /,
) -> float: ...
@intrinsic
def texture_sample_compare_level(*args: Any) -> Any:
    """The same in the largest level, in any kind of function."""
    texture, how, at, *layer, reference = checked("texture_sample_compare_level", args)
    passes = COMPARISONS[how.compare]
    limit = np.float32(min(max(float(reference), 0.0), 1.0))
    change = lambda texel: float(passes(limit, texel))  # noqa: E731
    return Float32(float(_sampled(texture, how, at, _first(layer), 0.0, change)))


@overload
def texture_gather(texture: texture_2d[V], how: sampler, at: vec2, channel: int, /) -> V: ...
@overload
def texture_gather(texture: texture_cube[V], how: sampler, at: vec3, channel: int, /) -> V: ...
@overload
def texture_gather(
    texture: texture_2d_array[V], how: sampler, at: vec2, layer: int, channel: int, /
) -> V: ...
@overload
def texture_gather(
    texture: texture_cube_array[V], how: sampler, at: vec3, layer: int, channel: int, /
) -> V: ...
@overload
def texture_gather(texture: texture_depth_2d, how: sampler, at: vec2, /) -> vec4: ...
@overload
def texture_gather(texture: texture_depth_cube, how: sampler, at: vec3, /) -> vec4: ...
@overload
def texture_gather(
    texture: texture_depth_2d_array, how: sampler, at: vec2, layer: int, /
) -> vec4: ...
@intrinsic
def texture_gather(*args: Any) -> Any:
    """One channel of the four texels that ``linear`` would weigh: lower left, then around.

    ``channel`` is a constant from 0 to 3, and comes last.
    """
    texture, how, at, *rest = checked("texture_gather", args)
    channel = None if texture.type.is_depth else int(rest.pop())
    texels = _four(texture, how, at, rest)
    values = texels if channel is None else [texel[channel] for texel in texels]
    scalar = texture.type.sampled
    return vector_class(scalar, 4)(*[np.asarray(value).item() for value in values])


@overload
def texture_gather_compare(
    texture: texture_depth_2d, how: sampler_comparison, at: vec2, reference: float, /
) -> vec4: ...
@overload
def texture_gather_compare(
    texture: texture_depth_cube, how: sampler_comparison, at: vec3, reference: float, /
) -> vec4: ...
@overload
def texture_gather_compare(
    texture: texture_depth_2d_array,
    how: sampler_comparison,
    at: vec2,
    layer: int,
    reference: float,
    /,
) -> vec4: ...
@intrinsic
def texture_gather_compare(*args: Any) -> Any:
    """Whether the reference passes the comparison with each of these four texels: 0 or 1."""
    texture, how, at, *layer, reference = checked("texture_gather_compare", args)
    limit = np.float32(min(max(float(reference), 0.0), 1.0))
    passes = COMPARISONS[how.compare]
    return vec4(*[float(passes(limit, texel)) for texel in _four(texture, how, at, layer)])


def _four(texture: Texture, how: Any, at: Any, layer: list[Any]) -> list[Any]:
    if "cube" in texture.type.kind:
        raise ShaderError(
            explain(
                f"CPython does not gather from {texture.name!r} across the edges of a cube",
                fix="Run the function on the GPU.",
            )
        )
    which, place = _layer(texture, at, max(_first(layer), 0))
    level = _level_of(texture, 0, which)
    corners = footprint(level.shape[:2], place, "linear", how.address)
    top_left, top_right, low_left, low_right = [level[index] for index, _ in corners]
    return [low_left, low_right, top_right, top_left]
