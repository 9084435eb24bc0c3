"""What all heaps over the same pages have to agree on: shapes, and in which book a value stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from heapscene.adaptive import AVal
from heapscene.draw import Geometry
from heapscene.heap.page import Follows
from heapscene.heap.schema import HeaderField, Schema
from heapscene.heap.shape import Shape, make_shape

__all__ = ["Catalog"]


class Catalog:
    """Knows shapes by what they are made from.

    The bytes of an adaptive array are overwritten where they lie when it changes, and so for all
    shapes that read it. Where one of these stays as it is, because the change does not suit it or
    because it belongs to a heap that is not updated now, the array gets another *version*, so that
    the change finds another place.

    Attributes
    ----------
    shapes
        Shapes that lie on a page, by geometry and attributes.
    renewed
        Shapes made since :meth:`forget`, which come first.
    """

    def __init__(self) -> None:
        self.shapes: dict[Any, Shape] = {}
        self.renewed: dict[Any, Shape] = {}
        self._readers: dict[AVal[Any], dict[Shape, None]] = {}
        self._versions: dict[AVal[Any], int] = {}
        self._serial = count(1)
        self._outdated: set[Shape] = set()
        self._follows: dict[tuple[Any, ...], Follows] = {}
        self._books: dict[tuple[Any, ...], int] = {}

    def forget(self) -> None:
        """Drop shapes that no page took."""
        self.renewed = {}

    def following(self, field: HeaderField, *, rows: bool) -> Follows:
        """Return how later values of a field become bytes."""
        key = (field.name, field.tag, rows, field.limits, field.is_place)
        found = self._follows.get(key)
        if found is None:
            # A value is checked where it is written: what is held to less lies in another book.
            held_to = (field.tag, field.limits, field.is_place)
            book = 0 if rows else self._books.setdefault(held_to, len(self._books) + 1)
            found = self._follows[key] = Follows(
                field.name, field.type, rows, book, field.limits, field.is_place
            )
        return found

    def shape(self, geometry: Geometry, schema: Schema) -> Shape:
        """Return the shape of a geometry, made if there is none."""
        key = (id(geometry), schema.attributes_key)
        shape = self.renewed.get(key) or self.shapes.get(key)
        if shape in self._outdated:
            # Its heap has not come to renew it yet, and would tell nobody who joins it now.
            self._part(shape.avals)
            shape = None
        if shape is None:
            shape = make_shape(geometry, schema, self._versions)
            if any(self._is_old(aval, array) for aval, array in shape.sources.items()):
                self._part(shape.sources)
                shape = make_shape(geometry, schema, self._versions)
            self.renewed[key] = shape
        return shape

    def outdate(self, shape: Shape) -> None:
        """Note that the arrays of a shape have changed, until a heap that uses it renews it."""
        self._outdated.add(shape)

    def renew(
        self, stale: Iterable[Shape], is_elsewhere: Callable[[Shape], bool]
    ) -> dict[Shape, Exception]:
        """Make shapes anew with their arrays as they are now.

        Parameters
        ----------
        stale
            Shapes whose arrays have changed; those that another heap has renewed are left out.
        is_elsewhere
            Whether a shape is used by somebody who will be told of it later.

        Returns
        -------
        dict
            What was wrong, for those that stay as they are.
        """
        stale = list(stale)
        self._outdated.difference_update(stale)
        renewing = {shape: None for shape in stale if self.shapes.get(shape.key) is shape}
        avals = {aval: None for shape in renewing for aval in shape.avals}
        self._part(
            aval
            for aval in avals
            if any(r not in renewing or is_elsewhere(r) for r in self._readers[aval])
        )
        failed: dict[Shape, Exception] = {}
        for shape in renewing:
            try:
                self._make(shape)
            except Exception as error:  # noqa: BLE001  raised by who asked
                failed[shape] = error
        if failed:
            kept = {aval: None for shape in failed for aval in shape.avals}
            self._part(kept)
            for shape in renewing:
                if shape not in failed and any(aval in kept for aval in shape.avals):
                    self._make(shape)
        return failed

    def register(self, shape: Shape) -> bool:
        """Note that a shape lies on a page; return whether it is as new as what it is made from."""
        is_new = self.renewed.get(shape.key) is shape
        self.shapes[shape.key] = shape
        for aval in shape.avals:
            self._readers.setdefault(aval, {})[shape] = None
        return is_new

    def unregister(self, shape: Shape) -> None:
        """Note that a shape lies on no page any more."""
        self._outdated.discard(shape)
        if self.shapes.get(shape.key) is shape:
            del self.shapes[shape.key]
        for aval in shape.avals:
            readers = self._readers[aval]
            del readers[shape]
            if not readers:
                del self._readers[aval]
                self._versions.pop(aval, None)

    def _make(self, shape: Shape) -> None:
        self.renewed[shape.key] = make_shape(shape.geometry, shape.schema, self._versions)

    def _is_old(self, aval: AVal[Any], array: Any) -> bool:
        """Whether what lies on pages of a value is another array."""
        return any(shape.sources[aval] is not array for shape in self._readers.get(aval, ()))

    def _part(self, avals: Iterable[AVal[Any]]) -> None:
        for aval in avals:
            self._versions[aval] = next(self._serial)
