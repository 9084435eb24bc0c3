"""From plain data to scene nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import Geometry, Material
from heapscene.io.model import LoadedMaterial, LoadedNode, LoadedPart
from heapscene.materials import PhongMaterial, UnlitMaterial
from heapscene.scene import Group, Mesh, Scene

__all__ = ["NamedGroup", "build_scene"]

_IDENTITY = np.eye(4)


class NamedGroup(Group):
    """A group that knows what it is called in the file it comes from.

    Attributes
    ----------
    name
        The file's name for it, or ``""``.
    """

    __slots__ = ("name",)

    name: str

    def __init__(self, name: str, *children: Any, transform: Any = None) -> None:
        self.name = name
        super().__init__(*children, transform=transform)


def build_scene(root: LoadedNode) -> Scene:
    """Make nodes of what a reader gave.

    Parts that are one object become meshes over one geometry, and one material likewise, so the
    heap stores them once.

    Raises
    ------
    GeometryError
        A part's arrays do not fit together.
    InputError
        A transform is not a finite affine matrix.
    """
    geometries: dict[int, Geometry] = {}
    materials: dict[int, Material] = {}

    def mesh_at(part: LoadedPart, place: Any) -> Mesh:
        if id(part) not in geometries:
            geometries[id(part)] = Geometry(part.attributes, part.indices)
        if id(part.material) not in materials:
            materials[id(part.material)] = make_material(part.material)
        return Mesh(geometries[id(part)], materials[id(part.material)], transform=_moved(place))

    # children before parents, without recursion: files may nest deeper than Python may
    groups: dict[int, NamedGroup] = {}
    for node, _ in reversed(list(root.walk())):
        below = [groups.pop(id(child)) for child in node.children]
        meshes = [mesh_at(part, place) for place in node.places() for part in node.parts]
        groups[id(node)] = NamedGroup(node.name, *meshes, *below, transform=_moved(node.transform))
    return Scene(groups[id(root)])


def _moved(place: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return a matrix, or ``None`` for one that moves nothing: such a node can be given a position."""
    return None if np.array_equal(place, _IDENTITY) else place


def make_material(material: LoadedMaterial) -> Material:
    """Return the material that shows what a file says."""
    kind = UnlitMaterial if material.unlit else PhongMaterial
    return kind(color=material.color)
