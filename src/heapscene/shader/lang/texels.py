"""Texels in CPython: addressing, filtering, mip levels, formats.

As WebGPU defines sampling: texel centres lie at half integers, ``linear`` weighs the four (in
three dimensions eight) nearest. Weights are exact here; a GPU may round them to 1/256.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderError, explain

__all__ = ["COMPARISONS", "cube_face", "filtered", "footprint", "quantized"]

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "never": lambda _a, _b: False,
    "less": operator.lt,
    "equal": operator.eq,
    "less-equal": operator.le,
    "greater": operator.gt,
    "not-equal": operator.ne,
    "greater-equal": operator.ge,
    "always": lambda _a, _b: True,
}


def _addressed(index: int, size: int, mode: str) -> int:
    if mode == "repeat":
        return index % size
    if mode == "mirror-repeat":
        index %= 2 * size
        return 2 * size - 1 - index if index >= size else index
    return min(max(index, 0), size - 1)


def footprint(
    shape: tuple[int, ...],
    at: tuple[float, ...],
    filter_: str,
    address: str,
    offset: tuple[int, ...] = (),
) -> list[tuple[tuple[int, ...], float]]:
    """Return the texels that a sample reads, by index, each with its weight.

    Parameters
    ----------
    shape
        Sizes along the axes of the array; ``at`` has the same axes in opposite order (x first).
    offset
        How many texels further along each axis, x first; none by default.
    """
    axes: list[list[tuple[int, float]]] = []
    further = reversed(offset or (0,) * len(at))
    for size, coordinate, step in zip(shape, reversed(at), further, strict=True):
        place = coordinate * size
        if filter_ == "nearest":
            axes.append([(_addressed(math.floor(place) + step, size, address), 1.0)])
            continue
        low = math.floor(place - 0.5)
        share = place - 0.5 - low
        low += step
        axes.append(
            [
                (_addressed(low, size, address), 1.0 - share),
                (_addressed(low + 1, size, address), share),
            ]
        )
    return [
        (tuple(index for index, _ in corner), math.prod(weight for _, weight in corner))
        for corner in itertools.product(*axes)
    ]


def filtered(
    level: NDArray[Any],
    at: tuple[float, ...],
    filter_: str,
    address: str,
    change: Callable[[Any], Any] = lambda texel: texel,
    offset: tuple[int, ...] = (),
) -> Any:
    """Return the weighted sum of texels of one level, each changed first."""
    shape = level.shape[: len(at)]
    return sum(
        np.asarray(change(level[index]), np.float64) * weight
        for index, weight in footprint(shape, at, filter_, address, offset)
    )


def cube_face(direction: tuple[float, float, float]) -> tuple[int, float, float]:
    """Return the face that a direction hits, and where (WebGPU, "texture coordinates of cubes")."""
    x, y, z = direction
    size = max(abs(x), abs(y), abs(z))
    if size == 0.0 or not math.isfinite(size):
        raise ShaderError(
            explain(
                f"the direction {direction} hits no face of a cube",
                fix="Give a direction that is finite and not zero.",
            )
        )
    if abs(z) == size:
        face, s, t = (4, x, -y) if z > 0 else (5, -x, -y)
    elif abs(y) == size:
        face, s, t = (2, x, z) if y > 0 else (3, x, -z)
    else:
        face, s, t = (0, -z, -y) if x > 0 else (1, z, -y)
    return face, 0.5 * (s / size + 1.0), 0.5 * (t / size + 1.0)


def quantized(texel: NDArray[Any], format_: str) -> NDArray[Any]:
    """Return four channels as a format keeps them; channels that it lacks read as 0, 0, 1."""
    channels = {"r32": 1, "rg3": 2}.get(format_[:3], 4)
    made = np.array([0, 0, 0, 1], texel.dtype)
    made[:channels] = texel[:channels]
    if format_.endswith("unorm"):
        return (np.round(np.clip(made, 0, 1) * 255) / 255).astype(np.float32)
    if format_.endswith("snorm"):
        return (np.round(np.clip(made, -1, 1) * 127) / 127).astype(np.float32)
    if format_ == "rgba16float":
        with np.errstate(all="ignore"):
            return made.astype(np.float16).astype(np.float32)
    width = next((bits for bits in (8, 16) if f"a{bits}" in format_), 0)
    if width and format_.endswith("uint"):
        return np.minimum(made, (1 << width) - 1).astype(np.uint32)
    if width:
        return np.clip(made, -(1 << (width - 1)), (1 << (width - 1)) - 1).astype(np.int32)
    return made
