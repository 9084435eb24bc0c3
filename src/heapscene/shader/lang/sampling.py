"""Intrinsics on textures.

In CPython a texture has the texels that it is bound to. What needs the neighbouring pixels, the mip
level of :func:`texture_sample` above all, is known only where there is one level; elsewhere the call
says so and names the function that takes the level.
"""

# The signatures that editors show stand in sampling.pyi.
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderError, ShaderTypeError, explain
from heapscene.shader.lang.apply import intrinsic
from heapscene.shader.lang.scalars import Float32
from heapscene.shader.lang.texels import COMPARISONS, cube_face, filtered, footprint
from heapscene.shader.lang.texture_calls import checked, components, dimensions, typed
from heapscene.shader.lang.textures import Texture
from heapscene.shader.lang.vector_value import VectorValue, vector_class
from heapscene.shader.lang.vectors import vec4
from heapscene.shader.types import I32

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


@dataclass(frozen=True, slots=True)
class _Sample:
    """Where a texture is sampled.

    Attributes
    ----------
    at
        The place in a layer or block, x first, from 0 to 1.
    layer
        Which layer of the array of texels; ``None`` if it has none.
    offset
        Texels further along each axis, x first; empty for none.
    """

    texture: Texture
    how: Any
    at: tuple[float, ...]
    layer: int | None
    offset: tuple[int, ...] = ()

    def level(self, number: int) -> NDArray[Any]:
        """Return the texels of a mip level."""
        level = self.texture.levels[number]
        return level if self.layer is None else level[min(self.layer, len(level) - 1)]

    def value(self, mip: float, change: Any = lambda texel: texel) -> Any:
        """Return the filtered texels, each changed before it is weighed."""
        if "cube" in self.texture.type.kind and self.how.filter == "linear":
            raise ShaderError(
                explain(
                    f"CPython does not filter {self.texture.name!r} across the edges of a cube",
                    fix=f'Declare {self.how.name} with filter="nearest", '
                    "or run the function on the GPU.",
                )
            )
        mip = min(max(mip, 0.0), len(self.texture.levels) - 1.0)

        def at_level(number: int) -> Any:
            how, level = self.how, self.level(number)
            return filtered(level, self.at, how.filter, how.address, change, self.offset)

        if self.how.mipmap_filter == "nearest":
            return at_level(math.floor(mip + 0.5))
        low = math.floor(mip)
        if mip == low:
            return at_level(low)
        return at_level(low) * (1.0 - (mip - low)) + at_level(low + 1) * (mip - low)

    def typed(self, mip: float) -> Any:
        """Return the filtered texels as a value of the language."""
        return typed(self.texture, self.value(mip))

    def four(self) -> list[Any]:
        """Return the four texels that a linear sample weighs: lower left, then around."""
        if "cube" in self.texture.type.kind:
            raise ShaderError(
                explain(
                    f"CPython does not gather from {self.texture.name!r} across the edges of a cube",
                    fix="Run the function on the GPU.",
                )
            )
        level = self.level(0)
        corners = footprint(level.shape[:2], self.at, "linear", self.how.address, self.offset)
        top_left, top_right, low_left, low_right = [level[index] for index, _ in corners]
        return [low_left, low_right, top_right, top_left]


def _sample(name: str, args: tuple[Any, ...]) -> tuple[_Sample, list[Any]]:
    """Return where a call samples, and the arguments that say more."""
    texture, how, at, *rest = checked(name, args)
    offset: tuple[int, ...] = ()
    if rest and isinstance(rest[-1], VectorValue) and type(rest[-1]).__shader_type__.scalar == I32:
        offset = _small(name, rest.pop())
    kind, place = texture.type.kind, tuple(float(part) for part in components(at))
    layer = max(int(rest.pop(0)), 0) if "array" in kind else None
    if "cube" in kind:
        face, u, v = cube_face(place)  # pyright: ignore[reportArgumentType]
        layer, place = 6 * (layer or 0) + face, (u, v)
    return _Sample(texture, how, place, layer, offset), rest


def _small(name: str, offset: Any) -> tuple[int, ...]:
    parts = tuple(int(part) for part in offset)
    if not all(-8 <= part <= 7 for part in parts):
        raise ShaderTypeError(
            explain(
                f"the offset of {name} is a constant from -8 to 7 in each direction",
                facts={"offset": parts},
                fix="Add larger steps to the coordinates: at + step / size.",
            )
        )
    return parts


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


@intrinsic
def texture_sample(*args: Any) -> Any:
    """Sample at the level that the distance of neighbouring pixels suggests.

    As in all these functions, an offset in texels may come last, a constant such as ``vec2i(1, 0)``.
    """
    sample, _ = _sample("texture_sample", args)
    _one_level("texture_sample", sample.texture)
    return sample.typed(0.0)


@intrinsic
def texture_sample_bias(*args: Any) -> Any:
    """Sample at that level plus a bias from -16 to 15.99."""
    sample, _ = _sample("texture_sample_bias", args)
    _one_level("texture_sample_bias", sample.texture)
    return sample.typed(0.0)


@intrinsic
def texture_sample_level(*args: Any) -> Any:
    """Sample at a mip level, 0 the largest; a whole number for depth textures."""
    sample, (level,) = _sample("texture_sample_level", args)
    return sample.typed(float(level))


@intrinsic
def texture_sample_grad(*args: Any) -> Any:
    """Sample at the level that these differences of the coordinates to the neighbours suggest."""
    sample, (dx, dy) = _sample("texture_sample_grad", args)
    if "cube" in sample.texture.type.kind:
        _one_level("texture_sample_grad", sample.texture)
    sizes = np.array(dimensions(sample.texture, 0), np.float64)[: len(dx)]
    longest = max(float(np.linalg.norm(np.asarray(d)[: len(sizes)] * sizes)) for d in (dx, dy))
    return sample.typed(math.log2(longest) if longest > 0.0 else 0.0)


@intrinsic
def texture_sample_base_clamp_to_edge(*args: Any) -> Any:
    """Sample the largest level, the place clamped so that no texel beyond the edges is weighed."""
    sample, _ = _sample("texture_sample_base_clamp_to_edge", args)
    half = [0.5 / size for size in dimensions(sample.texture, 0)]
    at = tuple(min(max(x, h), 1.0 - h) for x, h in zip(sample.at, half, strict=True))
    return replace(sample, at=at).typed(0.0)


@intrinsic
def texture_sample_compare(*args: Any) -> Any:
    """The share of texels that the reference passes the comparison with."""
    sample, _ = _sample("texture_sample_compare", args)
    _one_level("texture_sample_compare", sample.texture)
    return texture_sample_compare_level(*args)


@intrinsic
def texture_sample_compare_level(*args: Any) -> Any:
    """The same in the largest level, in any kind of function."""
    sample, (reference,) = _sample("texture_sample_compare_level", args)
    passes = _comparison(sample, reference)
    return Float32(float(sample.value(0.0, passes)))


@intrinsic
def texture_gather(*args: Any) -> Any:
    """One channel of the four texels that ``linear`` would weigh: lower left, then around.

    ``channel`` is a constant from 0 to 3, behind the place.
    """
    sample, channel = _sample("texture_gather", args)
    texels = sample.four()
    values = [texel[int(channel[0])] for texel in texels] if channel else texels
    scalar = sample.texture.type.sampled
    return vector_class(scalar, 4)(*[np.asarray(value).item() for value in values])


@intrinsic
def texture_gather_compare(*args: Any) -> Any:
    """Whether the reference passes the comparison with each of these four texels: 0 or 1."""
    sample, (reference,) = _sample("texture_gather_compare", args)
    return vec4(*map(_comparison(sample, reference), sample.four()))


def _comparison(sample: _Sample, reference: Any) -> Callable[[Any], float]:
    passes = COMPARISONS[sample.how.compare]
    limit = np.float32(min(max(float(reference), 0.0), 1.0))
    return lambda texel: float(passes(limit, texel))
