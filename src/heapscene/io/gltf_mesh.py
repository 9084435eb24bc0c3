"""Meshes and materials of glTF files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.io.accessor import read_accessor, read_floats
from heapscene.io.color import linear_to_srgb
from heapscene.io.container import Container
from heapscene.io.fault import load_error
from heapscene.io.model import LoadedMaterial, LoadedPart
from heapscene.io.normals import shade
from heapscene.io.omitted import Omitted

__all__ = ["MeshReader", "to_triangles"]

_WIDTHS = {"position": (3,), "normal": (3,), "uv": (2,), "color": (3, 4)}
_POINTS, _LINES, _TRIANGLES, _STRIP, _FAN = 0, (1, 2, 3), 4, 5, 6


class MeshReader:
    """Reads meshes and materials of one file, each once."""

    __slots__ = ("_container", "_materials", "_omitted", "_parts")

    def __init__(self, container: Container, omitted: Omitted) -> None:
        self._container = container
        self._omitted = omitted
        self._parts: dict[int, tuple[LoadedPart, ...]] = {}
        self._materials: dict[tuple[int | None, bool], LoadedMaterial] = {}

    def parts(self, mesh: int) -> tuple[LoadedPart, ...]:
        """Return the triangles of a mesh, one part per primitive; the same objects every time."""
        if mesh not in self._parts:
            primitives = self._container.header["meshes"][mesh]["primitives"]
            parts = [self._part(primitive) for primitive in primitives]
            self._parts[mesh] = tuple(part for part in parts if part is not None)
        return self._parts[mesh]

    def _part(self, primitive: dict[str, Any]) -> LoadedPart | None:
        mode = primitive.get("mode", _TRIANGLES)
        if mode == _POINTS or mode in _LINES:
            self._omitted.add("point sets" if mode == _POINTS else "line sets")
            return None
        given = primitive["attributes"]
        if "POSITION" not in given:
            self._omitted.add("unplaced meshes")
            return None
        arrays = {
            ours: read_floats(self._container, given[theirs])
            for theirs, ours in (
                ("POSITION", "position"),
                ("NORMAL", "normal"),
                ("TEXCOORD_0", "uv"),
            )
            if theirs in given
        }
        colored = "COLOR_0" in given
        material = self._material(primitive.get("material"), colored=colored)
        if colored:
            arrays["color"] = read_floats(self._container, given["COLOR_0"])
        corners = (
            read_accessor(self._container, primitive["indices"])[:, 0]
            if "indices" in primitive
            else None
        )
        self._check(arrays, corners)
        if colored:
            factor = self._factor(primitive.get("material"))
            arrays["color"] = vertex_colors(arrays["color"], factor)
        indices = to_triangles(corners, mode, len(arrays["position"]))
        if "normal" not in arrays:  # the specification wants them flat then
            every = np.arange(len(arrays["position"])) if indices is None else indices
            source, normal, indices = shade(arrays["position"], every, crease=0.0)
            arrays = {name: array[source] for name, array in arrays.items()}
            arrays["normal"] = normal
        if len(arrays["position"] if indices is None else indices) == 0:
            return None
        return LoadedPart(arrays, indices, material)

    def _check(self, arrays: dict[str, NDArray[Any]], corners: NDArray[Any] | None) -> None:
        name = self._container.path.name
        odd = {what: a.shape[1] for what, a in arrays.items() if a.shape[1] not in _WIDTHS[what]}
        if odd or (corners is not None and corners.dtype.kind != "u"):
            raise load_error(f"{name}: attributes or indices of a mesh have a bad type", facts=odd)
        rows = {what: len(array) for what, array in arrays.items()}
        count = rows["position"]
        if len(set(rows.values())) > 1:
            raise load_error(f"{name}: attributes of a mesh have different lengths", facts={**rows})
        if corners is not None and len(corners) and int(corners.max()) >= count:
            raise load_error(
                f"{name}: index {int(corners.max()):,} is past the last of {count:,} vertices"
            )

    def _material(self, index: int | None, *, colored: bool) -> LoadedMaterial:
        """Return a material; with vertex colours, which hold its factor already, a white one."""
        if (index, colored) not in self._materials:
            found = {} if index is None else self._container.header["materials"][index]
            if found.get("alphaMode", "OPAQUE") != "OPAQUE":
                self._omitted.add("transparent materials")
            r, g, b = linear_to_srgb(self._factor(index)).tolist()
            self._materials[index, colored] = LoadedMaterial(
                name=str(found.get("name", "")),
                color=(1.0, 1.0, 1.0, 1.0) if colored else (r, g, b, 1.0),
                unlit="KHR_materials_unlit" in found.get("extensions", {}),
            )
        return self._materials[index, colored]

    def _factor(self, index: int | None) -> NDArray[np.float64]:
        """Return the linear base colour of a material; alpha has no effect while it is opaque."""
        found = {} if index is None else self._container.header["materials"][index]
        factor = found.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1, 1, 1, 1))
        return np.array(factor[:3], np.float64)


def vertex_colors(linear: NDArray[np.float32], factor: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return sRGB ``(n, 4)`` of linear vertex colours times a linear factor; opaque.

    The product is taken here, because in sRGB it would be another one.
    """
    result = np.ones((len(linear), 4), np.float32)
    result[:, :3] = linear_to_srgb(linear[:, :3] * factor)
    return result


def to_triangles(corners: NDArray[Any] | None, mode: int, vertices: int) -> NDArray[Any] | None:
    """Return triangles of a list, strip or fan; ``None`` if a list is drawn in vertex order.

    An incomplete triangle at the end is left out. No index means "restart": glTF forbids those.
    """
    if mode not in (_TRIANGLES, _STRIP, _FAN):
        raise load_error(f"primitive mode {mode} is not one of glTF's 0 to 6")
    if mode == _TRIANGLES:
        if corners is None and vertices % 3 == 0:
            return None
        every = np.arange(vertices, dtype=np.uint32) if corners is None else corners
        return np.ascontiguousarray(every[: len(every) // 3 * 3])
    every = np.arange(vertices, dtype=np.uint32) if corners is None else corners
    count = max(len(every) - 2, 0)
    first, odd = np.arange(count), np.arange(count) % 2
    if mode == _STRIP:
        chosen = np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)
    else:
        chosen = np.stack([first + 1, first + 2, np.zeros_like(first)], axis=1)
    return np.ascontiguousarray(every[chosen.reshape(-1)])
