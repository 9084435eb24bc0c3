"""Shapes with flat faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import Geometry
from heapscene.geometry.build import assemble, check_size

__all__ = ["box", "plane"]

_CORNERS = np.array([(-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5), (0.5, 0.5)])
_UV = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)])
_FACE = np.array([0, 1, 2, 0, 2, 3])
# per face: to the right and up, seen from outside; right x up is the normal
_SIDES = np.array(
    [
        [(0, 0, -1), (0, 1, 0)],
        [(0, 0, 1), (0, 1, 0)],
        [(1, 0, 0), (0, 0, -1)],
        [(1, 0, 0), (0, 0, 1)],
        [(1, 0, 0), (0, 1, 0)],
        [(-1, 0, 0), (0, 1, 0)],
    ],
    dtype=np.float64,
)


def box(width: float = 1.0, height: float = 1.0, depth: float = 1.0) -> Geometry:
    """Return a box around the origin: 24 vertices, 12 triangles.

    Parameters
    ----------
    width, height, depth
        Sizes along X, Y and Z.

    Raises
    ------
    GeometryError
        A size is not a number above zero.

    Examples
    --------
    >>> box(2, 1, 1).bounds.tolist()
    [[-1.0, -0.5, -0.5], [1.0, 0.5, 0.5]]
    """
    check_size("box", width=width, height=height, depth=depth)
    size = np.array([width, height, depth], dtype=np.float64)
    parts = [_face(right, up, size) for right, up in _SIDES]
    return assemble(parts, _FACE + 4 * np.arange(6)[:, None])


def plane(width: float = 1.0, height: float = 1.0) -> Geometry:
    """Return a rectangle around the origin in the XY plane that faces +Z.

    Parameters
    ----------
    width, height
        Sizes along X and Y.

    Raises
    ------
    GeometryError
        A size is not a number above zero.
    """
    check_size("plane", width=width, height=height)
    position, normal, uv = _face(_SIDES[4, 0], _SIDES[4, 1], np.array([width, height, 0.0]))
    return assemble([(position, normal, uv)], _FACE)


def _face(
    right: NDArray[np.float64], up: NDArray[np.float64], size: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    out = np.cross(right, up)
    position = (_CORNERS[:, :1] * right + _CORNERS[:, 1:] * up + 0.5 * out) * size
    return position, np.tile(out, (4, 1)), _UV
