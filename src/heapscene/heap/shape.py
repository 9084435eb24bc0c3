"""A geometry as one program's header rows want it, before it lies on a page."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal
from heapscene.draw import Geometry, check_geometry, numpy_dtype
from heapscene.errors import GeometryError, explain
from heapscene.heap.page import Page, Piece
from heapscene.heap.resident import Resident
from heapscene.heap.schema import HeaderField, Schema
from heapscene.shader import spelled, types
from heapscene.wording import similar

__all__ = ["Shape", "array_key", "as_geometry", "make_shape"]

_BY_ADDRESS = 1 << 20
"""Bytes above which an array that cannot be written is known by its address."""


class Shape:
    """Pieces of a geometry for one list of attributes, and what its records say.

    Adaptive arrays are as they were when the shape was made; a change makes a new shape.

    Attributes
    ----------
    pieces
        `attributes` in header order, then `indices` if there are any.
    count, width, index_skip
        Indices (or vertices) to draw, bytes per index (0: none), bytes before the first.
    vertex_first, vertex_span
        The range of vertices that is used.
    bounds
        Smallest and largest corner, rounded as the vertices are.
    sources
        What its adaptive arrays were.
    pages, users
        Where it lies; who uses it, if it is adaptive.
    """

    __slots__ = (
        "attributes",
        "avals",
        "bounds",
        "count",
        "geometry",
        "index_skip",
        "indices",
        "key",
        "nbytes",
        "pages",
        "pieces",
        "schema",
        "sources",
        "users",
        "vertex_first",
        "vertex_span",
        "width",
    )

    def __init__(
        self, geometry: Geometry, schema: Schema, versions: Mapping[AVal[Any], int]
    ) -> None:
        arrays = geometry.read_attributes()
        indices = geometry.read_indices()
        if not geometry.is_constant:
            check_geometry(arrays, indices, geometry.range)
        self.geometry = geometry
        self.schema = schema
        self.key = (id(geometry), schema.attributes_key)
        self.attributes = tuple(
            _attribute(field, arrays, geometry, schema, versions) for field in schema.attributes
        )
        self.indices = None if indices is None else _indices(indices, geometry, versions)
        self.pieces = self.attributes if self.indices is None else (*self.attributes, self.indices)
        self.width = 0 if indices is None else indices.dtype.itemsize
        drawable = len(arrays["position"]) if indices is None else len(indices)
        first, self.count = geometry.range or (0, drawable)
        # Without anything to draw it would lead out of the allocation.
        self.index_skip = first * self.width if self.count else 0
        self.vertex_first, self.vertex_span = first, self.count
        if indices is not None:
            used = indices[first : first + self.count]
            low, high = (int(used.min()), int(used.max())) if len(used) else (0, -1)
            self.vertex_first, self.vertex_span = low, high - low + 1
        with np.errstate(over="ignore"):
            self.bounds = geometry.bounds.astype(np.float32)
        adaptive = [
            value
            for value in (*geometry.attributes.values(), geometry.indices)
            if isinstance(value, AVal) and not value.is_constant
        ]
        self.avals: tuple[AVal[Any], ...] = tuple(dict.fromkeys(adaptive))
        self.sources = {aval: aval.force() for aval in self.avals}
        self.nbytes = sum(max(16, (piece.nbytes + 15) & ~15) for piece in self.pieces)
        self.pages: list[Page] = []
        self.users: dict[Resident, None] = {}


def make_shape(
    geometry: Any, schema: Schema, versions: Mapping[AVal[Any], int] | None = None
) -> Shape:
    """Return the shape of a geometry for the attributes of a schema.

    Parameters
    ----------
    versions
        Tells places of adaptive arrays apart, where one may not be overwritten.

    Raises
    ------
    GeometryError
        Not a geometry, an attribute is missing or has the wrong number of columns.
    """
    return Shape(as_geometry(geometry), schema, versions or {})


def as_geometry(geometry: Any) -> Geometry:
    """Return a geometry.

    Raises
    ------
    GeometryError
        It is something else.
    """
    if not isinstance(geometry, Geometry):
        raise GeometryError(
            explain(
                "a draw needs a Geometry",
                facts={"given": type(geometry).__name__},
                fix="Write Draw(program, Geometry({...}), ...), or an adaptive value of one.",
            )
        )
    return geometry


def array_key(array: NDArray[Any]) -> tuple[Any, ...]:
    """Return a key that is equal for arrays with equal bytes."""
    words = np.ascontiguousarray(array)
    return ("bytes", words.nbytes, blake2b(words.data, digest_size=16).digest())


def _attribute(
    field: HeaderField,
    arrays: dict[str, NDArray[Any]],
    geometry: Geometry,
    schema: Schema,
    versions: Mapping[AVal[Any], int],
) -> Piece:
    source = arrays.get(field.name)
    if source is None:
        if field.default is None:
            raise GeometryError(
                explain(
                    f"the geometry has no attribute {field.name!r}, which the program reads",
                    facts={"geometry": geometry, "program": schema.program},
                    fix=similar(
                        field.name,
                        sorted(arrays.keys() - {other.name for other in schema.attributes}),
                        f"Add {field.name!r} ({spelled(field.type)}) to the geometry, or give the "
                        "field a default in the program.",
                    ),
                )
            )
        return Piece((field.tag, field.default), len(field.default), 0, field.default)
    array = _columns(field, source, geometry)
    stride = 0 if len(array) == 1 else field.type.words
    value = geometry.attributes[field.name]
    if isinstance(value, AVal) and not value.is_constant:
        key: tuple[Any, ...] = (
            "attribute",
            field.tag,
            id(value),
            array.nbytes,
            versions.get(value),
        )
        return Piece(key, array.nbytes, stride, array, value)
    key = _array_key(array, source, field.tag, source is value)
    return Piece(key, array.nbytes, stride, array)


def _indices(indices: NDArray[Any], geometry: Geometry, versions: Mapping[AVal[Any], int]) -> Piece:
    data = np.ascontiguousarray(indices)
    if data.nbytes % 4:
        data = np.frombuffer(data.tobytes() + bytes(-data.nbytes % 4), np.uint32)
    data = data.view(np.uint32)
    value = geometry.indices
    if isinstance(value, AVal) and not value.is_constant:
        key: tuple[Any, ...] = (
            "indices",
            indices.dtype.str,
            id(value),
            data.nbytes,
            versions.get(value),
        )
        return Piece(key, data.nbytes, 0, data, value)
    key = _array_key(data, indices, indices.dtype.str, indices is value)
    return Piece(key, data.nbytes, 0, data)


def _array_key(
    array: NDArray[Any], source: NDArray[Any], tag: str, is_held: bool
) -> tuple[Any, ...]:
    # The shape holds the geometry, and that may hold the array: then its address is its own.
    if is_held and array.nbytes > _BY_ADDRESS:
        return ("address", source.ctypes.data, source.shape, tag)
    return array_key(array)


def _columns(field: HeaderField, source: NDArray[Any], geometry: Geometry) -> NDArray[Any]:
    """Return the rows of an attribute with as many columns and of such numbers as the type."""
    columns, dtype = field.type.words, numpy_dtype(field.type)
    array = source
    if (
        array.shape[1] == 3
        and columns == 4
        and dtype.kind == "f"
        and isinstance(field.type, types.Vector)
    ):
        array = np.concatenate([array, np.ones((len(array), 1), array.dtype)], axis=1)
    if array.shape[1] != columns or (array.dtype.kind == "f" and dtype.kind != "f"):
        raise GeometryError(
            explain(
                f"attribute {field.name!r} does not have the type that the program reads",
                facts={
                    "program": field.type,
                    "geometry": geometry,
                    "array": f"{source.shape[1]} columns of {source.dtype}",
                },
                fix=f"Give an array of shape (n, {columns}) of {dtype}.",
            )
        )
    return np.ascontiguousarray(array, dtype=dtype)
