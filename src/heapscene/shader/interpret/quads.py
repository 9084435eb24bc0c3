"""Derivatives: differences within blocks of 2 by 2 pixels.

Four rows that follow each other are a block, in the order (0, 0), (1, 0), (0, 1), (1, 1).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heapscene.shader.numeric.operators import Array

__all__ = ["DERIVATIVES"]


def _x_fine(q: Array) -> Array:
    """Differences in x, for each row of the block."""
    top, bottom = q[:, 1] - q[:, 0], q[:, 3] - q[:, 2]
    return np.stack([top, top, bottom, bottom], axis=1)


def _y_fine(q: Array) -> Array:
    left, right = q[:, 2] - q[:, 0], q[:, 3] - q[:, 1]
    return np.stack([left, right, left, right], axis=1)


def _x_coarse(q: Array) -> Array:
    return np.repeat((q[:, 1] - q[:, 0])[:, None], 4, axis=1)


def _y_coarse(q: Array) -> Array:
    return np.repeat((q[:, 2] - q[:, 0])[:, None], 4, axis=1)


def _in_blocks(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def call(value: Array) -> Array:
        blocks = value.reshape(-1, 4, *value.shape[1:])
        return function(blocks).reshape(value.shape)

    return call


def _width(x: Callable[[Array], Array], y: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda q: np.abs(x(q)) + np.abs(y(q))


DERIVATIVES: dict[str, Callable[[Array], Array]] = {
    "dpdx": _in_blocks(_x_fine),
    "dpdy": _in_blocks(_y_fine),
    "fwidth": _in_blocks(_width(_x_fine, _y_fine)),
    "dpdx_fine": _in_blocks(_x_fine),
    "dpdy_fine": _in_blocks(_y_fine),
    "fwidth_fine": _in_blocks(_width(_x_fine, _y_fine)),
    "dpdx_coarse": _in_blocks(_x_coarse),
    "dpdy_coarse": _in_blocks(_y_coarse),
    "fwidth_coarse": _in_blocks(_width(_x_coarse, _y_coarse)),
}
"""WGSL leaves the choice between fine and coarse open where the name has none; here it is fine."""
