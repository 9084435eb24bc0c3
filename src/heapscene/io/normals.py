"""Normals for triangles that come without."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CREASE", "same_places", "shade"]

CREASE = np.deg2rad(40.0)
"""Faces that meet at less than this angle are shaded as one smooth surface."""


def shade(
    position: NDArray[Any], corners: NDArray[Any], crease: float = CREASE
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint32]]:
    """Give normals to triangles: smooth where the surface bends gently, flat at its edges.

    Vertices at the same place count as one, so it does not matter whether a file (STL) repeats
    them. Where all faces around a place lie within ``crease`` of their mean normal, they share it;
    elsewhere each face keeps its own, and the vertex is split.

    Parameters
    ----------
    position
        ``(n, 3)``.
    corners
        ``(m,)`` vertex numbers, three for a triangle.
    crease
        Angle in radians; 0 makes every face flat.

    Returns
    -------
    source, normal, indices
        ``(k,)`` which of the n vertices each of k new ones repeats; its unit normal ``(k, 3)``; and
        the triangles ``(m,)`` over the new vertices.
    """
    faces = corners.reshape(-1, 3)
    normal, size = face_normals(position, faces)
    of_corner = np.repeat(normal, 3, axis=0)
    flat_corners = faces.reshape(-1)
    if crease <= 0.0:
        count = len(flat_corners)
        return flat_corners, of_corner.astype(np.float32), np.arange(count, dtype=np.uint32)
    place = same_places(position)[flat_corners]
    weighted = of_corner * np.repeat(size, 3)[:, None]
    places = int(place.max(initial=-1)) + 1
    mean = np.zeros((places, 3))
    np.add.at(mean, place, weighted)
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.divide(mean, length, out=np.zeros_like(mean), where=length > 0)
    narrow = np.full(places, 1.0)
    # a face without area has no say about edges
    lean = np.where(np.repeat(size, 3) > 0, np.einsum("ij,ij->i", of_corner, mean[place]), 1.0)
    np.minimum.at(narrow, place, lean)
    smooth = narrow[place] >= np.cos(crease)
    key = np.where(smooth, flat_corners, len(position) + np.arange(len(flat_corners)))
    _, first, indices = np.unique(key, return_index=True, return_inverse=True)
    chosen = np.where(smooth[:, None], mean[place], of_corner)[first]
    return flat_corners[first], chosen.astype(np.float32), indices.astype(np.uint32)


def face_normals(
    position: NDArray[Any], faces: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return unit normals ``(f, 3)`` and twice the areas ``(f,)``; zero for degenerate faces."""
    with np.errstate(over="ignore", invalid="ignore"):
        a, b, c = (position[faces[:, k]].astype(np.float64) for k in range(3))
        cross = np.nan_to_num(np.cross(b - a, c - a), posinf=0.0, neginf=0.0)
        size = np.linalg.norm(cross, axis=1)
        size[~np.isfinite(size)] = 0.0
    good = size[:, None] > 0
    return np.divide(cross, size[:, None], out=np.zeros_like(cross), where=good), size


def same_places(position: NDArray[Any]) -> NDArray[np.int64]:
    """Return for each position the number of its place; equal positions have the same."""
    if len(position) == 0:
        return np.zeros(0, np.int64)
    x, y, z = np.where(np.isnan(position), np.inf, position).T
    order = np.lexsort((z, y, x))
    moved = np.zeros(len(position), bool)
    for axis in (x, y, z):
        moved[1:] |= axis[order][1:] != axis[order][:-1]
    place = np.zeros(len(position), np.int64)
    place[order] = np.cumsum(moved)
    return place
