"""Everything that a draw needs from the heap, read and checked before anything is touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from heapscene.adaptive import AVal, Reading
from heapscene.draw import (
    Draw,
    Drawable,
    PipelineState,
    as_given,
    at_fault,
    check_count,
    check_instances,
    encode_rows,
    encode_value,
    read_visible,
)
from heapscene.errors import GeometryError, HeapFullError, StateError, explain
from heapscene.heap.bucket_limits import BucketLimits, check_emitted
from heapscene.heap.catalog import Catalog
from heapscene.heap.limited import encode_followed, encode_followed_rows
from heapscene.heap.page import Entry, Piece
from heapscene.heap.resident import Resident
from heapscene.heap.schema import HeaderField, Schema, make_schema
from heapscene.heap.shape import Shape, array_key, as_geometry
from heapscene.shader import types

__all__ = ["CORNERS", "Plan", "Planner", "check_whole", "is_adaptive", "read_count", "read_state"]

CORNERS = {"point-list": 1, "line-list": 2, "triangle-list": 3}


class Plan:
    """A draw as values: what to reserve, what to write, where to route.

    With `keeps`, only `visible` and `instances` may differ from what is there, and nothing else is
    set.
    """

    __slots__ = ("draw", "instances", "keeps", "pieces", "schema", "shape", "state", "visible")

    draw: Draw
    keeps: bool
    schema: Schema
    shape: Shape
    pieces: list[Piece]
    state: PipelineState
    visible: bool
    instances: int


class Planner:
    """Makes plans; knows schemas by what they are made from.

    Attributes
    ----------
    catalog
        Knows shapes.
    schemas
        Schemas by what they are made from.
    origin
        Says of something that was being read what its user calls it; by default it is a draw's.
    """

    def __init__(
        self,
        frame_inputs: Mapping[str, types.Type],
        limit_bytes: int,
        limits: BucketLimits,
        catalog: Catalog,
    ) -> None:
        self.frame_inputs = dict(frame_inputs)
        self.limit_bytes = limit_bytes
        self.limits = limits
        self.catalog = catalog
        self.schemas: dict[Any, Schema] = {}
        self.origin: Callable[[Reading], Reading] = as_given

    def plan(self, draw: Draw, before: Resident | None = None) -> Plan:
        """Read a draw's values.

        Parameters
        ----------
        before
            What replaces a resident may hold an adaptive value of it that raises just now; then
            the last good value is taken over.

        Raises
        ------
        HeapsceneError
            A value is missing, unknown or of the wrong type, all of it exceeds a page, or it emits
            more than the GPU can number.
        """
        try:
            return self._plan(draw, before)
        except Exception as error:
            self.origin(at_fault(draw)).note_on(error)
            raise

    def _plan(self, draw: Draw, before: Resident | None) -> Plan:
        plan = Plan()
        plan.draw = draw
        plan.keeps = False
        if before is None:
            plan.visible = read_visible(_read(draw.visible))
            plan.instances = read_count(_read(draw.instance_count))
            plan.state = read_state(_read(draw.state))
            geometry = _read(draw.geometry)
        else:
            last = before.draw
            plan.visible = _read_again(draw.visible, last.visible, before.visible, read_visible)
            plan.instances = _read_again(
                draw.instance_count, last.instance_count, before.instances, read_count
            )
            if draw is not last and _keeps(draw, last):
                plan.keeps = True
                check_emitted(before.part.shape, plan.instances, self.limits)
                return plan
            plan.state = _read_again(draw.state, last.state, before.slot.state, read_state)
            shape = before.part.shape
            geometry = _read_again(draw.geometry, last.geometry, shape.geometry, as_geometry)
        plan.schema = schema = self._schema(draw)
        plan.shape = self.catalog.shape(geometry, schema)
        plan.pieces = [self.input(field, draw, plan, before) for field in schema.inputs]
        check_whole(plan.shape, plan.state)
        check_emitted(plan.shape, plan.instances, self.limits)
        self._check_size(plan)
        return plan

    def _schema(self, draw: Draw) -> Schema:
        key = (draw.program.hash, *draw.inputs, None, *draw.instances)
        schema = self.schemas.get(key)
        if schema is None:
            schema = make_schema(draw.program, {*draw.inputs, *draw.instances}, self.frame_inputs)
            # Draws that leave defaults out have the schema of those that write them.
            schema = self.schemas.setdefault(schema.key, schema)
            self.schemas[key] = schema
        return schema

    def input(
        self, field: HeaderField, draw: Drawable, plan: Plan, before: Resident | None
    ) -> Piece:
        """Return what a draw needs of its page for one input."""
        name = field.name
        if name in draw.inputs:
            value = draw.inputs[name]
            if not isinstance(value, AVal) or value.is_constant:
                # plain values were checked where they were given
                data = (
                    encode_followed(field, value)
                    if isinstance(value, AVal)
                    else encode_value(field.type, value, name)
                )
                return Piece((field.tag, data), len(data), 0, data)
            try:
                data = encode_followed(field, value)
            except Exception:
                held = _held(before, name, value)
                if held is None:
                    raise
                return Piece(held.key, held.nbytes, 0, held, value, held.follows)
            follows = self.catalog.following(field, rows=False)
            return Piece(value, len(data), 0, data, value, follows)
        if name in draw.instances:
            return self._rows(field, draw, plan, before)
        assert field.default is not None
        return Piece((field.tag, field.default), len(field.default), 0, field.default)

    def _rows(
        self, field: HeaderField, draw: Drawable, plan: Plan, before: Resident | None
    ) -> Piece:
        name, words = field.name, field.type.words
        value = draw.instances[name]
        if not is_adaptive(value):
            # plain rows were checked where they were given
            rows = (
                encode_followed_rows(field, value)
                if isinstance(value, AVal)
                else encode_rows(field.type, value, name)
            )
            piece = Piece(array_key(rows), rows.nbytes, words, rows)
        else:
            follows = self.catalog.following(field, rows=True)
            try:
                rows = encode_followed_rows(field, value)
            except Exception:
                held = _held(before, name, value)
                if held is None:
                    raise
                piece = Piece(held.key, held.nbytes, words, held, value, follows)
            else:
                key = (field.tag, id(value), rows.nbytes)
                piece = Piece(key, rows.nbytes, words, rows, value, follows)
        count = piece.nbytes // (4 * words)
        assert isinstance(draw, Draw), "rows of a table have no instances"
        adaptive = isinstance(draw.instance_count, AVal)
        if count != plan.instances and not (adaptive and count > plan.instances):
            check_instances(name, count, draw.instance_count)
        return piece if count != 1 else piece._replace(stride=0)

    def _check_size(self, plan: Plan) -> None:
        room = self.limit_bytes - 16
        if not plan.draw.instances and plan.shape.nbytes + plan.schema.input_bytes <= room:
            return
        pieces = (*plan.shape.pieces, *plan.pieces)
        sizes = {(piece.book, piece.key): max(16, (piece.nbytes + 15) & ~15) for piece in pieces}
        total = sum(sizes.values())
        if total <= room:
            return
        geometry = sum(sizes[0, key] for key in {piece.key for piece in plan.shape.pieces})
        raise HeapFullError(
            explain(
                "a draw does not fit on a page of the heap",
                facts={
                    "needed": f"{total:,} bytes",
                    "page": f"{room:,} bytes",
                    "geometry": f"{geometry:,} bytes",
                    "inputs": f"{total - geometry:,} bytes",
                },
                fix="Split the geometry into several draws, or give a larger page_bytes=.",
            )
        )


def is_adaptive(value: Any) -> bool:
    """Whether a value may change."""
    return isinstance(value, AVal) and not value.is_constant


def read_count(value: Any) -> int:
    """Return an instance count.

    Raises
    ------
    InputError
        Not a whole number, negative, or too large.
    """
    check_count(value)
    return int(value)


def check_whole(shape: Shape, state: PipelineState) -> None:
    """Raise unless a geometry has a whole number of primitives.

    Many draws share one draw call: a rest of one would become the beginning of the next.

    Raises
    ------
    GeometryError
        It has not.
    """
    corners = CORNERS[state.topology]
    if shape.count % corners:
        what = "vertices" if shape.width == 0 else "indices"
        whole = shape.count // corners * corners
        raise GeometryError(
            explain(
                f"{shape.count:,} {what} are no whole number of {state.topology} primitives",
                facts={"geometry": shape.geometry, f"{what} each": corners},
                fix=f"Give a multiple of {corners}, or draw a part: Geometry(..., range=(0, {whole})).",
            )
        )


def read_state(value: Any) -> PipelineState:
    """Return a pipeline state.

    Raises
    ------
    StateError
        It is something else.
    """
    if not isinstance(value, PipelineState):
        raise StateError(
            explain(
                "state has to be a PipelineState",
                facts={"given": type(value).__name__},
                fix="Write state=PipelineState(cull_mode='back'), or an adaptive value of one.",
            )
        )
    return value


def _read(value: Any) -> Any:
    return value.force() if isinstance(value, AVal) else value


def _read_again(value: Any, was: Any, last: Any, checked: Callable[[Any], Any]) -> Any:
    """Return the value now; if it is what was read before and is wrong or raises, the `last` good one."""
    if value is not was or not isinstance(value, AVal):
        return checked(_read(value))
    try:
        return checked(value.force())
    except Exception:  # noqa: BLE001  whoever pulls it raises it
        return last


def _keeps(draw: Draw, last: Draw) -> bool:
    """Whether two draws differ in `visible` and `instance_count` at most."""
    if (
        draw.program is not last.program
        or draw.geometry is not last.geometry
        or draw.state is not last.state
        or draw.instances
        or last.instances
        or len(draw.inputs) != len(last.inputs)
    ):
        return False
    inputs = last.inputs
    return all(
        inputs.get(name) is value and _is_fixed(value) for name, value in draw.inputs.items()
    )


def _is_fixed(value: Any) -> bool:
    """Whether the same object has the same bytes as before, or is listened to."""
    if isinstance(value, np.ndarray):
        return not value.flags.writeable
    return isinstance(value, (AVal, tuple, str, int, float))


def _held(before: Resident | None, name: str, value: Any) -> Entry | None:
    """Return the entry of an input that the resident already takes from `value`."""
    if before is None:
        return None
    if before.draw.inputs.get(name) is not value and before.draw.instances.get(name) is not value:
        return None
    for field, entry in zip(before.bucket.schema.inputs, before.entries, strict=True):
        if field.name == name and entry.aval is value:
            return entry
    return None
