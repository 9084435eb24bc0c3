"""Normals for geometry that comes without."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, computed
from heapscene.draw import Geometry, as_indices
from heapscene.errors import GeometryError, explain

__all__ = ["flat_normals", "with_normals"]

_made: WeakKeyDictionary[Geometry, Geometry] = WeakKeyDictionary()


def with_normals(geometry: Geometry) -> Geometry:
    """Return ``geometry`` if it has normals, else its :func:`flat_normals`, made once per geometry.

    Examples
    --------
    >>> bare = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})
    >>> with_normals(bare).attributes["normal"][0].tolist()
    [0.0, 0.0, 1.0]
    """
    _check(geometry)
    if "normal" in geometry.attributes:
        return geometry
    made = _made.get(geometry)
    if made is None:
        made = _made[geometry] = flat_normals(geometry)
    return made


def flat_normals(geometry: Geometry) -> Geometry:
    """Return the same triangles with three vertices each and the triangle's normal on all three.

    Corners stop being shared, so every edge is sharp. Only the drawn part (``range``) is kept. A
    triangle without an area gets a zero normal. Adaptive arrays stay adaptive.
    """
    _check(geometry)
    indices, part = geometry.indices, geometry.range
    attributes: dict[str, Any] = {
        name: _spread(value, indices, part) for name, value in geometry.attributes.items()
    }
    position = attributes["position"]
    attributes["normal"] = (
        position.map(_triangle_normals)
        if isinstance(position, AVal)
        else _triangle_normals(position)
    )
    return Geometry(attributes)


def _check(geometry: Any) -> None:
    if not isinstance(geometry, Geometry):
        raise GeometryError(
            explain(
                f"a {type(geometry).__name__} is not a geometry",
                fix="Write flat_normals(heapscene.geometry.box()), or make a Geometry of arrays.",
            )
        )


def _spread(
    value: NDArray[Any] | AVal[Any], indices: NDArray[Any] | AVal[Any] | None, part: Any
) -> Any:
    """Return one row per drawn corner."""
    if not isinstance(value, AVal) and len(value) == 1:
        return value
    if isinstance(value, AVal) or isinstance(indices, AVal):
        return computed(lambda: _pick(_now(value), _now(indices), part))
    return _pick(value, indices, part)


def _now(value: Any) -> Any:
    return value.value if isinstance(value, AVal) else value


def _pick(value: Any, indices: Any, part: tuple[int, int] | None) -> NDArray[Any]:
    rows = np.asarray(value)
    drawn = np.arange(len(rows)) if indices is None else as_indices(indices)
    if part is not None:
        drawn = drawn[part[0] : part[0] + part[1]]
    return rows[drawn[: len(drawn) // 3 * 3]]


def _triangle_normals(position: Any) -> NDArray[np.float32]:
    corners = np.asarray(position, dtype=np.float64).reshape(-1, 3, 3)
    with np.errstate(over="ignore", invalid="ignore"):
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        usable = np.isfinite(length) & (length > 0)
        unit = np.divide(normal, length, out=np.zeros_like(normal), where=usable)
    return np.repeat(unit.astype(np.float32), 3, axis=0)
