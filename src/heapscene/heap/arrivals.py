"""Many draws that arrive together: read by column, and written by column.

What draws of one program, geometry and state need differs only in the values of their inputs.
So there is one plan for all, and per input either one piece for all or one array of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import is_
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal
from heapscene.draw import Draw, Geometry, PipelineState, encode_all, read_visible
from heapscene.heap.bucket import Bucket
from heapscene.heap.layout import (
    COUNT,
    HEADER,
    INDEX_START,
    INSTANCES,
    RECORD_WORDS,
    VERTEX_FIRST,
    VERTEX_SPAN,
    WIDTH_SLOT,
)
from heapscene.heap.limited import encode_followed, encode_followed_all
from heapscene.heap.page import Column, Entry, Page, Piece
from heapscene.heap.placement import Placement
from heapscene.heap.plan import Plan, Planner
from heapscene.heap.resident import RANKS, Resident
from heapscene.heap.schema import HeaderField, Schema

__all__ = ["FEW", "Arrivals", "Arriving", "Group", "plan_arrivals"]

FEW = 16
"""Fewer draws than this are planned one by one."""


class Group(NamedTuple):
    """Draws of one program, geometry and state, whose inputs are bound alike.

    `at` tells which of the arriving draws they are, `plan` is that of the first; `shown` holds
    whether each is visible, `bytes_each` what one may take on a page besides the geometry.
    """

    draws: list[Draw]
    at: list[int]
    plan: Plan
    columns: list[Column]
    shown: list[bool]
    bytes_each: int


class Arriving(NamedTuple):
    """Draws in order of arrival: in groups, in order of their first draws, and with plans."""

    draws: Sequence[Draw]
    groups: list[Group]
    alone: list[tuple[int, Plan]]


def plan_arrivals(draws: Sequence[Draw], planner: Planner) -> Arriving:
    """Read arriving draws.

    Raises
    ------
    HeapsceneError
        A value is missing, unknown or of the wrong type, or a draw exceeds a page.
    """
    if len(draws) >= FEW:
        try:
            groups, alone = _grouped(draws, planner)
        except Exception:  # noqa: BLE001  one by one, the first draw that is wrong raises
            groups, alone = [], list(range(len(draws)))
    else:
        groups, alone = [], list(range(len(draws)))
    return Arriving(draws, groups, [(at, planner.plan(draws[at])) for at in alone])


def _grouped(draws: Sequence[Draw], planner: Planner) -> tuple[list[Group], list[int]]:
    """Return groups, and the places of all others."""
    sorted_: dict[Any, list[int]] = {}
    alone: list[int] = []
    for at, draw in enumerate(draws):
        state, count = draw.state, draw.instance_count
        if type(draw.geometry) is Geometry and type(state) is PipelineState and type(count) is int:
            key = (id(draw.program), id(draw.geometry), id(state), count, *draw.inputs)
            if not draw.instances:
                sorted_.setdefault(key, []).append(at)
                continue
        alone.append(at)
    groups: list[Group] = []
    for places in sorted_.values():
        if len(places) < FEW or not _is_constant(draws[places[0]].geometry):
            alone += places
            continue
        for part in _alike([draws[at] for at in places], places):
            group = _group([draws[at] for at in part], part, planner)
            if group.plan.shape.nbytes + group.bytes_each <= planner.limit_bytes - 16:
                groups.append(group)
            else:
                alone += part
    alone.sort()
    return groups, alone


def _alike(draws: list[Draw], places: list[int]) -> Iterator[list[int]]:
    """Split draws by which of their inputs may change."""
    changing: list[str] = []
    for name in draws[0].inputs:
        kinds = set(map(type, [draw.inputs[name] for draw in draws]))
        if len({issubclass(kind, AVal) and not kind.is_constant for kind in kinds}) > 1:
            changing.append(name)
    if not changing:
        yield places
        return
    parts: dict[tuple[bool, ...], list[int]] = {}
    for draw, at in zip(draws, places, strict=True):
        key = tuple([_changes(draw.inputs[name]) for name in changing])
        parts.setdefault(key, []).append(at)
    yield from parts.values()


def _is_constant(geometry: Any) -> bool:
    return geometry.is_constant


def _changes(value: Any) -> bool:
    return isinstance(value, AVal) and not value.is_constant


def _group(draws: list[Draw], at: list[int], planner: Planner) -> Group:
    plan = planner.plan(draws[0])
    columns = [
        _column(field, piece, draws)
        for field, piece in zip(plan.schema.inputs, plan.pieces, strict=True)
    ]
    shown = [
        read_visible(value.force()) if isinstance(value, AVal) else bool(value)
        for value in [draw.visible for draw in draws]
    ]
    return Group(draws, at, plan, columns, shown, plan.schema.input_bytes)


def _column(field: HeaderField, first: Piece, draws: list[Draw]) -> Column:
    name, type_ = field.name, field.type
    if name not in draws[0].inputs:
        return Column(first)
    values = [draw.inputs[name] for draw in draws]
    if all(map(is_, values, repeat(values[0]))):
        return Column(first)
    if first.follows is not None:
        rows = encode_followed_all(field, [aval.force() for aval in values], values)
        return Column(None, field.tag, rows, values, first.follows)
    plain = [value.force() if isinstance(value, AVal) else value for value in values]
    rows = encode_all(type_, plain, name)
    for value in values:
        if isinstance(value, AVal):  # plain values were checked where they were given
            encode_followed(field, value)
    return Column(None, field.tag, rows)


class RoomOn(Protocol):
    """For how many draws that emit so many indices each the bucket on a page has room."""

    def __call__(self, page: Page, schema: Schema, emitted: int) -> int: ...


class Arrivals:
    """Puts groups into a heap's pages and buckets; records of a slot are written once."""

    def __init__(
        self,
        placement: Placement,
        bucket_of: Callable[[Schema, Page], Bucket],
        room_on: RoomOn,
    ) -> None:
        self._placement = placement
        self._bucket_of = bucket_of
        self._room_on = room_on
        self._waiting: dict[tuple[Bucket, PipelineState], _Waiting] = {}

    def put(self, group: Group, rank: int, start: int) -> list[Resident]:
        """Put draws of a group from number `start` on, as many as fit on a page that there is.

        Parameters
        ----------
        rank
            Rank of the first of all arriving draws.
        """
        plan, shape = group.plan, group.plan.shape
        emitted = shape.count * plan.instances
        found = self._placement.room_for(
            shape,
            group.bytes_each,
            len(group.draws) - start,
            partial(self._room_on, schema=plan.schema, emitted=emitted),
        )
        if found is None:
            return []
        page, count = found
        part = self._placement.take_part(page, shape, count)
        stop = start + count
        bucket = self._bucket_of(plan.schema, page)
        rows = bucket.take_rows(count)
        bucket.coming += count * emitted
        width = plan.schema.row_words
        header = np.zeros((count, width), np.uint32)
        n_fixed = len(part.words)
        header[:, :n_fixed] = part.words
        held: list[Iterable[Entry]] = []
        for number, column in enumerate(group.columns):
            entries, bases = self._placement.take_column(page, column, start, stop)
            held.append(entries)
            header[:, n_fixed + 2 * number] = bases
        bucket.write_rows(rows, header, shape.bounds)
        residents: list[Resident] = []
        for draw, at, row, visible, entries in zip(
            group.draws[start:stop],
            group.at[start:stop],
            rows,
            group.shown[start:stop],
            zip(*held, strict=True) if held else repeat((), count),
            strict=True,
        ):
            resident = Resident(draw, (rank + at) * RANKS)
            resident.bucket = bucket
            resident.part = part
            resident.entries = entries
            resident.row = row
            resident.visible = visible
            resident.instances = plan.instances
            residents.append(resident)
        records = np.zeros((count, RECORD_WORDS), np.uint32)
        records[:, HEADER] = np.array(rows, np.uint32) * np.uint32(width)
        records[:, INDEX_START] = part.index_start
        records[:, WIDTH_SLOT] = shape.width
        records[:, COUNT] = np.array(group.shown[start:stop], np.uint32) * np.uint32(shape.count)
        records[:, INSTANCES] = plan.instances
        records[:, VERTEX_FIRST] = shape.vertex_first
        records[:, VERTEX_SPAN] = shape.vertex_span
        waiting = self._waiting.setdefault((bucket, plan.state), _Waiting([], []))
        waiting.residents.extend(residents)
        waiting.records.append(records)
        return residents

    def finish(self) -> None:
        """Write the records of all that was put."""
        for (bucket, state), waiting in self._waiting.items():
            bucket.coming = 0
            bucket.put_all(waiting.residents, state, np.concatenate(waiting.records))
        self._waiting = {}


class _Waiting(NamedTuple):
    residents: list[Resident]
    records: list[NDArray[np.uint32]]
