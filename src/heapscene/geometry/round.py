"""Shapes with round faces, around the Y axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import Geometry
from heapscene.geometry.build import assemble, check_segments, check_size, grid_quads

__all__ = ["cone", "cylinder", "sphere", "torus"]

_Part = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def sphere(radius: float = 0.5, segments: tuple[int, int] = (32, 16)) -> Geometry:
    """Return a sphere of meridians and parallels around the origin: 960 triangles, unless you say so.

    For thousands of them, which are small in the picture, take fewer segments: ``(12, 6)`` has 120.

    Parameters
    ----------
    radius
        Distance of every vertex from the origin.
    segments
        Around the Y axis (at least 3), and from pole to pole (at least 2).

    Raises
    ------
    GeometryError
        The radius is not a number above zero, or there are too few segments.
    """
    check_size("sphere", radius=radius)
    columns, rows = check_segments("sphere", segments, (3, 2))
    u, v = _grid(columns, rows)
    polar = np.pi * v
    around = _ring(u)
    normal = around * np.sin(polar)[:, None]
    normal[:, 1] = np.cos(polar)
    normal[v == 0.0] = (0, 1, 0)
    normal[v == 1.0] = (0, -1, 0)
    # a quad at a pole is one triangle; the pole's vertices lie at the middle of their segments
    quads = grid_quads(columns, rows)
    quads[0, :, 1, 0] = np.arange(columns)
    triangles = np.concatenate([quads[:-1, :, 1].reshape(-1, 3), quads[1:, :, 0].reshape(-1, 3)])
    u = np.where((v == 0.0) | (v == 1.0), u + 0.5 / columns, u)
    return assemble([(normal * radius, normal, np.stack([u, v], axis=1))], triangles)


def cylinder(radius: float = 0.5, height: float = 1.0, segments: int = 32) -> Geometry:
    """Return a closed cylinder along the Y axis around the origin.

    Parameters
    ----------
    radius, height
        Of the round wall, and along Y.
    segments
        Around the axis, at least 3.

    Raises
    ------
    GeometryError
        A size is not a number above zero, or there are too few segments.
    """
    check_size("cylinder", radius=radius, height=height)
    (count,) = check_segments("cylinder", segments, (3,))
    u, v = _grid(count, 1)
    normal = _ring(u)
    position = normal * radius
    position[:, 1] = height * (0.5 - v)
    wall = (position, normal, np.stack([u, v], axis=1))
    top, top_triangles = _disc(radius, height / 2, count, first=2 * (count + 1))
    low, low_triangles = _disc(radius, -height / 2, count, first=3 * (count + 1))
    triangles = [grid_quads(count, 1).reshape(-1, 3), top_triangles, low_triangles]
    return assemble([wall, top, low], np.concatenate(triangles))


def cone(radius: float = 0.5, height: float = 1.0, segments: int = 32) -> Geometry:
    """Return a closed cone with its tip up, centred at half its height.

    Parameters
    ----------
    radius, height
        Of the base, and along Y.
    segments
        Around the axis, at least 3.

    Raises
    ------
    GeometryError
        A size is not a number above zero, or there are too few segments.
    """
    check_size("cone", radius=radius, height=height)
    (count,) = check_segments("cone", segments, (3,))
    u, v = _grid(count, 1)
    # the tip has a vertex per segment, whose normal is that of the segment's middle
    u = np.where(v == 0.0, u + 0.5 / count, u)
    around = _ring(u)
    slant = np.hypot(radius, height)
    normal = around * (height / slant)
    normal[:, 1] = radius / slant
    position = around * (radius * v)[:, None]
    position[:, 1] = height * (0.5 - v)
    used = np.delete(np.arange(2 * (count + 1)), count)
    wall = (position[used], normal[used], np.stack([u, v], axis=1)[used])
    ring = count + np.arange(count)
    triangles = np.stack([np.arange(count), ring, ring + 1], axis=1)
    base, base_triangles = _disc(radius, -height / 2, count, first=len(used))
    return assemble([wall, base], np.concatenate([triangles, base_triangles]))


def torus(radius: float = 0.5, tube: float = 0.2, segments: tuple[int, int] = (32, 16)) -> Geometry:
    """Return a ring around the Y axis.

    Parameters
    ----------
    radius
        From the origin to the middle of the tube.
    tube
        Radius of the tube.
    segments
        Around the axis, and around the tube; at least 3 each.

    Raises
    ------
    GeometryError
        A size is not a number above zero, or there are too few segments.
    """
    check_size("torus", radius=radius, tube=tube)
    columns, rows = check_segments("torus", segments, (3, 3))
    u, v = _grid(columns, rows)
    around = _ring(u)
    angle = np.pi - 2 * np.pi * np.where(v == 1.0, 0.0, v)
    normal = around * np.cos(angle)[:, None]
    normal[:, 1] = np.sin(angle)
    position = around * radius + normal * tube
    part = (position, normal, np.stack([u, v], axis=1))
    return assemble([part], grid_quads(columns, rows))


def _grid(columns: int, rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``u`` and ``v`` in 0..1 of a grid of vertices, row by row."""
    v, u = np.meshgrid(
        np.linspace(0.0, 1.0, rows + 1), np.linspace(0.0, 1.0, columns + 1), indexing="ij"
    )
    return u.reshape(-1), v.reshape(-1)


def _ring(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points of the unit circle in XZ; seen from outside, ``u`` grows to the right."""
    angle = 2 * np.pi * np.where(u == 1.0, 0.0, u)
    return np.stack([np.sin(angle), np.zeros_like(angle), np.cos(angle)], axis=1)


def _disc(radius: float, y: float, count: int, first: int) -> tuple[_Part, NDArray[np.int64]]:
    """Return a fan of ``count + 1`` vertices at height ``y`` that faces away from the origin."""
    ring = _ring(np.arange(count) / count)
    up = 1.0 if y > 0 else -1.0
    position = np.concatenate([ring * radius, np.zeros((1, 3))])
    position[:, 1] = y
    flat = np.concatenate([ring, np.zeros((1, 3))])
    uv = 0.5 + 0.5 * np.stack([flat[:, 0], up * flat[:, 2]], axis=1)
    here, after = np.arange(count), (np.arange(count) + 1) % count
    edge = (here, after) if up > 0 else (after, here)
    triangles = first + np.stack([np.full(count, count), *edge], axis=1)
    return (position, np.tile((0.0, up, 0.0), (count + 1, 1)), uv), triangles
