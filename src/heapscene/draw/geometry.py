"""Geometry: named vertex attributes and indices, as plain arrays."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal
from heapscene.draw.numbers import as_array, check_bytes, holds_numbers, within
from heapscene.errors import GeometryError, explain
from heapscene.wording import one_line

__all__ = ["Geometry", "as_attribute", "as_indices"]

_INDEX_TYPES = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))


class Geometry:
    """Mesh data that any number of draws share; stored once on the GPU.

    Parameters
    ----------
    attributes
        Arrays by name, all with one row per vertex (or a single row for all): ``position``
        ``(n, 3)``, and as materials use them ``normal`` ``(n, 3)``, ``uv`` ``(n, 2)``, ``color``
        ``(n, 4)`` sRGB in 0..1. Converted to float32 (integers stay 32-bit integers) and copied, so
        that later edits of your array change nothing. An adaptive value of an array may stand for
        an array.
    indices
        Vertex numbers, ``(m,)`` or ``(m, 3)``, or ``None`` if vertices are drawn in order. uint8,
        uint16 and uint32 are kept, other integers become uint32. May be an adaptive value.
    range
        ``(first, count)``: draw only this part of the indices (or of the vertices).

    Raises
    ------
    GeometryError
        Rows differ in number, a shape is wrong, an index is negative or past the last vertex.

    Examples
    --------
    >>> triangle = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})
    >>> triangle.vertex_count
    3
    """

    __slots__ = ("__weakref__", "_bounds", "attributes", "indices", "range")

    attributes: Mapping[str, NDArray[Any] | AVal[Any]]
    indices: NDArray[Any] | AVal[Any] | None
    range: tuple[int, int] | None

    def __init__(
        self,
        attributes: Mapping[str, Any],
        indices: Any = None,
        *,
        range: tuple[int, int] | None = None,  # noqa: A002  public contract
    ) -> None:
        if not isinstance(attributes, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise GeometryError(
                explain(
                    "attributes have to be a dict of arrays by name",
                    facts={"given": type(attributes).__name__},
                    fix='Write Geometry({"position": array_of_shape_n_3, ...}).',
                )
            )
        if "position" not in attributes:
            raise GeometryError(
                explain(
                    "a geometry needs an attribute named 'position'",
                    facts={"given": ", ".join(sorted(attributes)) or "nothing"},
                    fix='Write Geometry({"position": array_of_shape_n_3, ...}).',
                )
            )
        for name in attributes:
            if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise GeometryError(
                    explain(
                        f"an attribute cannot be named {name!r}",
                        fix='Names are strings: Geometry({"position": points}).',
                    )
                )
        self.attributes = MappingProxyType(
            {
                name: value if isinstance(value, AVal) else as_attribute(name, value)
                for name, value in attributes.items()
            }
        )
        self.indices = (
            indices if indices is None or isinstance(indices, AVal) else as_indices(indices)
        )
        self.range = None if range is None else _as_range(range)
        self._bounds: NDArray[np.float64] | None = None
        check_geometry(self.read_attributes(), self.read_indices(), self.range)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "_bounds" and hasattr(self, name):
            raise GeometryError(
                explain(
                    f"a geometry never changes: its {name} cannot be assigned",
                    fix="Assign mesh.geometry = Geometry(...), or give an adaptive array, such as "
                    'Geometry({"position": cval(points)}).',
                )
            )
        object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (dict(self.attributes), self.indices, self.range)

    def read_attributes(self) -> dict[str, NDArray[Any]]:
        """Return the arrays as they are now, adaptive ones read and converted."""
        return {
            name: as_attribute(name, value.force()) if isinstance(value, AVal) else value
            for name, value in self.attributes.items()
        }

    def read_indices(self) -> NDArray[Any] | None:
        """Return the index array as it is now, ``(m,)``, or ``None``."""
        if isinstance(self.indices, AVal):
            value = self.indices.force()
            return None if value is None else as_indices(value)
        return self.indices

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return max(len(array) for array in self.read_attributes().values())

    @property
    def is_constant(self) -> bool:
        """Whether no array is adaptive."""
        return not any(
            isinstance(value, AVal) and not value.is_constant
            for value in (*self.attributes.values(), self.indices)
        )

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Smallest and largest position, ``(2, 3)``; NaN rows if there is no finite vertex.

        Only vertices that are drawn count, and non-finite ones are left out.
        """
        if self._bounds is not None:
            return self._bounds
        bounds = drawn_bounds(self.read_attributes()["position"], self.read_indices(), self.range)
        if self.is_constant:
            self._bounds = bounds
        return bounds

    def __repr__(self) -> str:
        try:
            indices, count = self.read_indices(), self.vertex_count
        except Exception as error:  # noqa: BLE001  whatever an adaptive array raises, this tells
            return one_line(f"Geometry({', '.join(self.attributes)}; {type(error).__name__} now)")
        drawn = "no indices" if indices is None else f"{len(indices)} indices"
        return one_line(f"Geometry({', '.join(self.attributes)}; {count} vertices, {drawn})")


def _remade(attributes: Mapping[str, Any], indices: Any, part: Any) -> Geometry:
    return Geometry(attributes, indices, range=part)


def _as_range(value: Any) -> tuple[int, int]:
    try:
        first, count = map(operator.index, value)
    except (TypeError, ValueError):
        raise GeometryError(
            explain(
                "range has to be two whole numbers: the first to draw, and how many",
                facts={"given": repr(value)},
                fix="Write range=(0, 36).",
            )
        ) from None
    return first, count


def drawn_bounds(
    position: NDArray[Any], indices: NDArray[Any] | None, part: tuple[int, int] | None
) -> NDArray[np.float64]:
    """Return the smallest and largest finite position among the vertices that are drawn."""
    first, count = part or (0, len(position) if indices is None else len(indices))
    if indices is None:
        points = position[first : first + count]
    elif part is None and len(indices) >= len(position):
        points = position
    else:
        points = position[np.unique(indices[first : first + count])]
    points = points[np.isfinite(points).all(axis=1)].astype(np.float64)
    if len(points) == 0:
        return np.full((2, 3), np.nan)
    return np.stack([points.min(axis=0), points.max(axis=0)])


def as_attribute(name: str, value: Any) -> NDArray[Any]:
    """Return ``value`` as a read-only, contiguous ``(n, 1..16)`` array of 32-bit numbers.

    Raises
    ------
    GeometryError
        Not numbers, or not one row per vertex.
    """
    array = as_array(value)
    if not holds_numbers(array):
        raise GeometryError(
            explain(
                f"attribute {name!r} does not hold numbers",
                facts={"dtype": array.dtype},
                fix=f"Pass a float array, for example {name}.astype(numpy.float32).",
            )
        )
    if array.ndim == 1 and name == "position" and array.size % 3:
        array = array[:, None]  # refused below
    elif array.ndim == 1 and (name != "position" or array.size == 0):
        array = array.reshape(-1, 3) if name == "position" else array[:, None]
    if array.ndim != 2 or array.shape[1] > 16 or (name == "position" and array.shape[1] != 3):
        raise GeometryError(
            explain(
                f"attribute {name!r} needs one row per vertex",
                facts={
                    "shape": array.shape,
                    "expected": "(n, 3)" if name == "position" else "(n, k)",
                },
                fix=f"Reshape it, for example {name}.reshape(-1, 3).",
            )
        )
    check_bytes(f"attribute {name!r}", len(array), 4 * array.shape[1], GeometryError)
    kind = {"f": np.float32, "i": np.int32, "u": np.uint32, "b": np.uint32}[array.dtype.kind]
    if name in ("position", "normal", "uv", "color"):
        kind = np.float32
    if array.dtype.kind in "iu" and array.dtype.itemsize > 4 and kind is not np.float32:
        limits = np.iinfo(np.int32 if kind is np.int32 else np.uint32)
        if not within(array, limits.min, limits.max):
            raise GeometryError(
                explain(
                    f"attribute {name!r} has a number that 32 bits cannot hold",
                    facts={"smallest": int(array.min()), "largest": int(array.max())},
                    fix=f"Give numbers from {limits.min} to {limits.max}.",
                )
            )
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.array(array, dtype=kind, order="C", copy=True)
    result.flags.writeable = False
    return result


def as_indices(value: Any) -> NDArray[Any]:
    """Return ``value`` as a read-only ``(m,)`` array of uint8, uint16 or uint32.

    Raises
    ------
    GeometryError
        Not integers, negative, or larger than 32 bits.
    """
    array = as_array(value)
    if array.size == 0 and array.ndim and not isinstance(value, np.ndarray):
        array = array.astype(np.uint32)  # an empty list has no type of its own
    if array.dtype.kind in "iu" and array.ndim in (1, 2):
        check_bytes("the index array", array.size, min(4, array.dtype.itemsize), GeometryError)
    if array.dtype.kind not in "iu":
        raise GeometryError(
            explain(
                "indices have to be integers",
                facts={"dtype": array.dtype},
                fix="Pass indices.astype(numpy.uint32).",
            )
        )
    if array.ndim not in (1, 2):
        raise GeometryError(
            explain(
                "indices have one number per corner, or one row per triangle",
                facts={"shape": array.shape, "expected": "(m,) or (m, 3)"},
                fix="Write indices.reshape(-1).",
            )
        )
    flat = array.reshape(-1)
    native = flat.dtype.newbyteorder("=")
    if native not in _INDEX_TYPES:
        if flat.size and (int(flat.min()) < 0 or int(flat.max()) >= 2**32 - 1):
            raise GeometryError(
                explain(
                    "indices have to lie between 0 and 2³² − 2",
                    facts={"smallest": int(flat.min()), "largest": int(flat.max())},
                    fix="Count vertices from 0; negative numbers have no meaning here.",
                )
            )
        native = np.dtype(np.uint32)
    result = np.array(flat, dtype=native, copy=True)
    result.flags.writeable = False
    return result


def check_geometry(
    attributes: Mapping[str, NDArray[Any]],
    indices: NDArray[Any] | None,
    part: tuple[int, int] | None,
) -> None:
    """Raise a :class:`GeometryError` unless the arrays fit together."""
    count = max(len(array) for array in attributes.values())
    odd = {name: len(array) for name, array in attributes.items() if len(array) not in (1, count)}
    if odd or len(attributes["position"]) != count:
        raise GeometryError(
            explain(
                "attributes have different numbers of rows",
                facts={name: f"{len(array):,} rows" for name, array in attributes.items()},
                fix="Give every attribute one row per vertex, or a single row for all.",
            )
        )
    if indices is not None and len(indices) and int(indices.max()) >= count:
        raise GeometryError(
            explain(
                f"index {int(indices.max()):,} is past the last of {count:,} vertices",
                facts={"at": f"indices[{int(indices.argmax())}]"},
                fix=f"Indices count from 0, so the largest allowed is {count - 1:,}.",
            )
        )
    if part is not None:
        drawable = count if indices is None else len(indices)
        first, length = part
        if first < 0 or length < 0 or first + length > drawable:
            raise GeometryError(
                explain(
                    f"range=({first}, {length}) leaves the geometry",
                    facts={
                        "drawable": f"{drawable:,} {'vertices' if indices is None else 'indices'}"
                    },
                    fix=f"Choose first and count with first + count <= {drawable}.",
                )
            )
