"""What readers give: a tree of plain data, not yet scene nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LoadedMaterial", "LoadedNode", "LoadedPart"]


@dataclass(frozen=True, slots=True, eq=False)
class LoadedMaterial:
    """A surface; parts that share one in the file share the object.

    Attributes
    ----------
    name
        The file's name for it, or ``""``.
    color
        Red, green, blue, alpha in 0..1; sRGB, straight alpha.
    unlit
        Whether the colour is shown as it is, without lights.
    """

    name: str = ""
    color: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    unlit: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LoadedPart:
    """Triangles of one material; nodes that share a mesh in the file share the object.

    Attributes
    ----------
    attributes
        ``position`` ``(n, 3)``, ``normal`` ``(n, 3)`` and, if the file has them, ``uv`` ``(n, 2)``
        and ``color`` ``(n, 4)`` in sRGB; float32.
    indices
        ``(m,)`` vertex numbers, three for a triangle; ``None`` if vertices are drawn in order.
    material
        The surface.
    """

    attributes: Mapping[str, NDArray[Any]]
    indices: NDArray[Any] | None
    material: LoadedMaterial


@dataclass(frozen=True, slots=True, eq=False)
class LoadedNode:
    """A place in the hierarchy of a file.

    Attributes
    ----------
    name
        The file's name for it, or ``""``.
    transform
        ``(4, 4)`` float64, from this node's space to its parent's (column vectors).
    children
        Nodes below this one.
    parts
        What is drawn at this place.
    instances
        ``(k, 4, 4)`` float64: the parts are drawn at each of these places within the node, instead
        of once. ``None`` for once.
    """

    name: str
    transform: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    children: tuple[LoadedNode, ...] = ()
    parts: tuple[LoadedPart, ...] = ()
    instances: NDArray[np.float64] | None = None

    @property
    def object_count(self) -> int:
        """Number of objects at and below this node: parts times instances."""
        return sum(len(node.parts) * len(node.places()) for node, _ in self.walk())

    def places(self) -> NDArray[np.float64]:
        """Return where the parts are drawn within the node, ``(k, 4, 4)``."""
        return np.eye(4)[None] if self.instances is None else self.instances

    def walk(self) -> Iterator[tuple[LoadedNode, NDArray[np.float64]]]:
        """Yield this node and all below it, parents first, each with its transform to the root."""
        waiting: list[tuple[LoadedNode, NDArray[np.float64]]] = [(self, self.transform)]
        while waiting:
            node, to_root = waiting.pop()
            yield node, to_root
            waiting += [(c, to_root @ c.transform) for c in reversed(node.children)]

    def bounds(self) -> NDArray[np.float64]:
        """Smallest and largest corner, ``(2, 3)``, of the parts' boxes; NaN if there is nothing."""
        corners: list[NDArray[np.float64]] = []
        boxes: dict[int, NDArray[np.float64]] = {}
        for node, to_root in self.walk():
            for part in node.parts:
                box = boxes.setdefault(id(part), box_corners(part.attributes["position"]))
                places = to_root @ node.places()
                corners.append((places[:, None] @ box[None, :, :, None])[..., :3, 0].reshape(-1, 3))
        points = np.concatenate(corners) if corners else np.zeros((0, 3))
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) == 0:
            return np.full((2, 3), np.nan)
        return np.stack([points.min(axis=0), points.max(axis=0)])


def box_corners(position: NDArray[Any]) -> NDArray[np.float64]:
    """Return the eight corners ``(8, 4)`` of the box around finite positions, or none."""
    finite = position[np.isfinite(position).all(axis=1)].astype(np.float64)
    if len(finite) == 0:
        return np.zeros((0, 4))
    low, high = finite.min(axis=0), finite.max(axis=0)
    choice = np.indices((2, 2, 2)).reshape(3, -1).T
    return np.column_stack([np.where(choice == 0, low, high), np.ones(8)])
