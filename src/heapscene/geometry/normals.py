"""Normals for geometry that comes without."""

from __future__ import annotations

from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, computed
from heapscene.draw import Geometry, as_attribute, as_indices, check_geometry
from heapscene.errors import GeometryError, explain

__all__ = ["flat_normals", "with_normals"]

_made: WeakKeyDictionary[Geometry, Geometry] = WeakKeyDictionary()


def with_normals(geometry: Geometry) -> Geometry:
    """Return ``geometry`` if it has normals, else its :func:`flat_normals`, made once per geometry.

    Raises
    ------
    GeometryError
        Not a geometry.

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
    triangle without an area gets a zero normal. Adaptive arrays stay adaptive, and are converted as
    plain ones are, so that both give the same numbers.

    Raises
    ------
    GeometryError
        Adaptive arrays do not fit together any more; later, whoever reads the result is told.
    """
    _check(geometry)
    # Nothing here may refer to the geometry: it is what the result is kept for.
    part = geometry.range
    given: dict[str, Any]
    if geometry.is_constant:
        given, indices = geometry.read_attributes(), geometry.read_indices()
    else:
        given = {name: _as_drawn(name, value) for name, value in geometry.attributes.items()}
        indices = geometry.indices
        if isinstance(indices, AVal):
            indices = indices.map(_indices)

    def fit() -> None:
        arrays = {name: _now(value) for name, value in given.items()}
        check_geometry(arrays, _now(indices), part)

    fits = computed(fit)
    attributes: dict[str, Any] = {}
    for name, value in given.items():
        attributes[name] = _spread(name, value, indices, part, fits)
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


def _as_drawn(name: str, value: NDArray[Any] | AVal[Any]) -> NDArray[Any] | AVal[Any]:
    return value.map(partial(as_attribute, name)) if isinstance(value, AVal) else value


def _indices(value: Any) -> NDArray[Any] | None:
    return None if value is None else as_indices(value)


def _spread(
    name: str,
    value: NDArray[Any] | AVal[Any],
    indices: NDArray[Any] | AVal[Any] | None,
    part: tuple[int, int] | None,
    fits: AVal[None],
) -> Any:
    """Return one row per drawn corner; of any attribute but positions, one row for all stays one."""

    def pick(rows: NDArray[Any], corners: NDArray[Any] | None) -> NDArray[Any]:
        if len(rows) == 1 and name != "position":
            return rows
        drawn = np.arange(len(rows)) if corners is None else corners
        if part is not None:
            drawn = drawn[part[0] : part[0] + part[1]]
        return rows[drawn[: len(drawn) // 3 * 3]]

    def pick_now() -> NDArray[Any]:
        fits.value  # noqa: B018  raises unless all arrays fit together
        return pick(_now(value), _now(indices))

    if isinstance(value, AVal) or isinstance(indices, AVal):
        return computed(pick_now)
    return pick(value, indices)


def _now(value: Any) -> Any:
    return value.value if isinstance(value, AVal) else value


def _triangle_normals(position: Any) -> NDArray[np.float32]:
    corners = np.asarray(position, dtype=np.float64).reshape(-1, 3, 3)
    with np.errstate(over="ignore", invalid="ignore"):
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        usable = np.isfinite(length) & (length > 0)
        unit = np.divide(normal, length, out=np.zeros_like(normal), where=usable)
    return np.repeat(unit.astype(np.float32), 3, axis=0)
