"""The scene of the demo: a sunflower of simple shapes, each one an object of its own.

Objects lie where a sunflower keeps its seeds, every cell of equal area. Their heights and colours
follow smooth fields; which shape stands where follows the spirals that the eye sees anyway.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from heapscene.adaptive import CVal
    from heapscene.scene import PerspectiveCamera, Scene

__all__ = ["BACKGROUND", "FOV", "Demo", "Layout", "lay_out", "make_demo"]

BACKGROUND = (0.09, 0.11, 0.17, 1.0)
FOV = 42.0

_SHAPES = ("box", "sphere", "cone", "cylinder", "torus")
_ARMS = 55
_PALETTE = np.array(
    [
        (0.16, 0.30, 0.58),
        (0.07, 0.47, 0.56),
        (0.35, 0.75, 0.60),
        (0.96, 0.80, 0.37),
        (0.94, 0.45, 0.30),
        (0.68, 0.18, 0.42),
        (0.42, 0.24, 0.63),
    ]
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where n objects are, and what they look like.

    Attributes
    ----------
    transforms
        ``(n, 4, 4)`` float64.
    shapes
        ``(n,)`` index into box, sphere, cone, cylinder, torus.
    colors
        ``(n, 4)``, sRGB in 0..1.
    radius
        Radius of the disc that the objects fill.
    """

    transforms: NDArray[np.float64]
    shapes: NDArray[np.int64]
    colors: NDArray[np.float64]
    radius: float


@dataclass(frozen=True, slots=True)
class Demo:
    """A scene, a good place to see it from, and the colours to play with."""

    scene: Scene
    camera: PerspectiveCamera
    colors: tuple[CVal[tuple[float, float, float, float]], ...]
    shapes: int


def make_demo(count: int) -> Demo:
    """Make ``count`` meshes over five geometries, each with values of its own."""
    from heapscene import geometry
    from heapscene.adaptive import cval
    from heapscene.materials import PhongMaterial
    from heapscene.scene import Mesh, PerspectiveCamera, Scene

    layout = lay_out(count)
    shapes = (
        geometry.box(0.8, 1.0, 0.8),
        geometry.sphere(0.5, segments=(12, 6)),
        geometry.cone(0.5, 1.0, segments=10),
        geometry.cylinder(0.45, 1.0, segments=10),
        geometry.torus(0.35, 0.15, segments=(12, 6)),
    )
    colors = tuple(cval((r, g, b, a)) for r, g, b, a in layout.colors.tolist())
    meshes = [
        Mesh(shapes[shape], PhongMaterial(color=color), transform=cval(transform))
        for shape, color, transform in zip(
            layout.shapes.tolist(), colors, layout.transforms, strict=True
        )
    ]
    eye, target = viewpoint(layout.radius)
    camera = PerspectiveCamera(FOV, position=eye, target=target)
    return Demo(Scene(*meshes), camera, colors, len(np.unique(layout.shapes)))


def viewpoint(radius: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return from where and at what to look, so that the disc fills a wide picture."""
    far, elevation = 1.62 * radius, math.radians(33.0)
    return (
        (0.0, far * math.sin(elevation), far * math.cos(elevation)),
        (0.0, 0.0, 0.24 * radius),
    )


def lay_out(count: int) -> Layout:
    """Compute where ``count`` objects are; one unit of area for each."""
    k = np.arange(count)
    share = np.sqrt((k + 0.5) / count)
    radius = math.sqrt(count / math.pi)
    angle = k.astype(np.float64) * (math.pi * (3.0 - math.sqrt(5.0)))
    lift = height_field(share, angle)
    shapes = k % _ARMS * len(_SHAPES) // _ARMS
    transforms = np.zeros((count, 4, 4))
    transforms[:, 3, 3] = 1.0
    width = np.where(shapes == _SHAPES.index("torus"), 1.05, 0.95)
    tall = np.array([1.0, 0.9, 1.5, 1.0, 1.3])[shapes] * (0.7 + 0.055 * radius * lift)
    cos, sin = np.cos(angle) * width, np.sin(angle) * width
    transforms[:, 0, 0], transforms[:, 0, 2] = cos, sin
    transforms[:, 2, 0], transforms[:, 2, 2] = -sin, cos
    transforms[:, 1, 1] = tall
    transforms[:, 0, 3] = radius * share * np.cos(angle)
    transforms[:, 2, 3] = -radius * share * np.sin(angle)
    transforms[:, 1, 3] = tall / 2 + 0.04 * radius * lift
    colors = np.ones((count, 4))
    colors[:, :3] = color_field(share, angle, lift)
    return Layout(transforms, shapes, colors, radius)


def height_field(share: NDArray[np.float64], angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights in about 0..2.5: a bud in the middle, five petals that turn around it."""
    petals = 0.5 + 0.5 * np.cos(5.0 * angle + 7.0 * share)
    ring = np.exp(-(((share - 0.62) / 0.2) ** 2))
    bud = np.exp(-((share / 0.17) ** 2))
    rim = np.exp(-(((share - 1.0) / 0.06) ** 2))
    return 1.5 * petals * ring + 2.2 * bud + 0.5 * rim


def color_field(
    share: NDArray[np.float64], angle: NDArray[np.float64], lift: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return sRGB ``(n, 3)``: a palette that runs outward and up, lighter where it is high."""
    at = (0.75 * share + 0.3 * lift + 0.06 * np.cos(5.0 * angle)) % 1.0 * len(_PALETTE)
    low = at.astype(np.int64) % len(_PALETTE)
    mix = (at - np.floor(at))[:, None]
    color = _PALETTE[low] * (1 - mix) + _PALETTE[(low + 1) % len(_PALETTE)] * mix
    return np.clip(color * (0.9 + 0.12 * lift)[:, None], 0.0, 1.0)
