"""Which adaptive value of a draw cannot be used: looked for when a frame has raised, never before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from heapscene.adaptive import AVal, Reading, refuses
from heapscene.draw.draw import check_count, check_kind, read_visible
from heapscene.draw.encode import encode_rows, encode_value, numpy_dtype
from heapscene.draw.geometry import Geometry, as_attribute, as_indices, check_geometry
from heapscene.draw.limits import check_all_limits
from heapscene.draw.place import check_places, encode_place, is_place
from heapscene.draw.source import Drawable
from heapscene.draw.state import PipelineState
from heapscene.draw.table_draw import TableDraw
from heapscene.errors import GeometryError

__all__ = ["as_given", "at_fault", "geometry_at_fault"]


def as_given(reading: Reading) -> Reading:
    """Return what was being read, of a table if its rows were drawn."""
    of = reading.of
    return reading._replace(of=of.table) if isinstance(of, TableDraw) else reading


def at_fault(draw: Drawable) -> Reading:
    """Return what of a draw is to blame for an exception, or just the draw.

    Values are looked at in the order in which a heap reads them.
    """
    for name, check in _ROLES.items():
        value = getattr(draw, name, None)
        if isinstance(value, AVal) and refuses(value, check):
            return Reading(name, draw, value)
    for geometry in draw.table.geometries if isinstance(draw, TableDraw) else (draw.geometry,):
        found = geometry_at_fault(geometry, draw)
        if found is not None:
            return found
    return _input_at_fault(draw) or Reading("", draw)


def geometry_at_fault(geometry: Any, of: object) -> Reading | None:
    """Return what of a geometry cannot be used, if anything."""
    if isinstance(geometry, AVal):
        if refuses(geometry, lambda value: check_kind(value, Geometry, "geometry", "")):
            return Reading("geometry", of, geometry)
        geometry = geometry.force()
    for name, value in geometry.attributes.items():
        if isinstance(value, AVal) and refuses(value, partial(as_attribute, name)):
            return Reading(f"attribute {name!r}", of, value)
    indices = geometry.indices
    if isinstance(indices, AVal) and refuses(indices, _check_indices):
        return Reading("indices", of, indices)
    try:
        check_geometry(geometry.read_attributes(), geometry.read_indices(), geometry.range)
    except GeometryError:  # each is fine by itself
        values = [value for value in geometry.attributes.values() if isinstance(value, AVal)]
        return Reading("geometry", of, values[0] if values else indices)
    return None


def _check_state(value: Any) -> None:
    check_kind(value, PipelineState, "state", "")


_ROLES: dict[str, Callable[[Any], Any]] = {
    "visible": read_visible,
    "instance_count": check_count,
    "state": _check_state,
}


def _check_indices(value: Any) -> None:
    if value is not None:
        as_indices(value)


def _input_at_fault(draw: Drawable) -> Reading | None:
    face = draw.program.interface
    values = dict(draw.inputs)
    if isinstance(draw, TableDraw) and "model" not in values:
        values["transform"] = draw.place()
    for name, value in values.items():
        type_ = face.inputs.get("model" if name == "transform" else name)
        if not isinstance(value, AVal) or type_ is None:
            continue

        def check(now: Any, name: str = name, type_: Any = type_) -> None:
            if name == "transform" or is_place(name, type_):
                encode_place(now, name)
            data = encode_value(type_, now, name)
            if name in face.input_limits:
                numbers = np.frombuffer(data, numpy_dtype(type_))
                check_all_limits(name, numbers[None], face.input_limits[name])

        if refuses(value, check):
            return Reading(f"input {name!r}", draw, value)
    for name, value in draw.instances.items():
        type_ = face.inputs[name]

        def check_rows(now: Any, name: str = name, type_: Any = type_) -> None:
            rows = encode_rows(type_, now, name).view(numpy_dtype(type_))
            if is_place(name, type_):
                check_places(name, rows)
            if name in face.input_limits:
                check_all_limits(name, rows, face.input_limits[name])

        if isinstance(value, AVal) and refuses(value, check_rows):
            return Reading(f"instances {name!r}", draw, value)
    return None
