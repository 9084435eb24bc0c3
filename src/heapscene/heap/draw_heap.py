"""A draw heap: draws in, arrays with dirty ranges out."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, Reading, Sink, collector_paused
from heapscene.draw import (
    Draw,
    Drawable,
    DrawChange,
    PipelineState,
    TableDraw,
    TableRows,
    read_visible,
)
from heapscene.errors import InputError, explain
from heapscene.heap.arrivals import Arrivals, Arriving, plan_arrivals
from heapscene.heap.blame import reading_of
from heapscene.heap.bounds import bounds_of, world_boxes
from heapscene.heap.bucket import Bucket
from heapscene.heap.bucket_limits import Need, check_emitted
from heapscene.heap.chunk import Chunk
from heapscene.heap.listener import ROLES, Listener, Listeners
from heapscene.heap.memory import Memory
from heapscene.heap.page import Entry, Page
from heapscene.heap.plan import Plan, Planner, check_whole, read_count, read_state
from heapscene.heap.resident import RANKS, Resident
from heapscene.heap.schema import Schema
from heapscene.heap.shape import Shape
from heapscene.heap.slot import Slot
from heapscene.heap.table_plan import TablePlan
from heapscene.heap.tables import TableResident, Tables, TableWatch
from heapscene.shader import types

__all__ = ["DrawHeap"]

_MANY = 16  # from so many on, draws are shown and hidden together
_Step = tuple[Drawable | None, Plan | TablePlan | Arriving | None]


class DrawHeap:
    """All draws, as the words that the GPU reads.

    Values, attributes and indices lie in pages, shared where they are the same; each draw has a
    header row that says where, and a record that says how much to draw. Draws of one program on
    one page form a bucket. A draw's *rank* is its order of arrival; a change keeps it. The rows of a
    table lie in chunks; each has a header row per geometry, and a record per row.

    Parameters
    ----------
    memory
        Where to keep the data, shared with other heaps; or the limit of a page in bytes. A draw with
        all its arrays has to fit on one.
    frame_inputs
        Names and types of what comes from the frame (``view``, ``proj``, ...).

    Attributes
    ----------
    pages, buckets
        In drawing order. Both lists are the heap's own: look, do not change.
    draw_count, visible_count
        Draws and rows of tables, and those of them that emit something.
    bounds_generation
        Changes when :meth:`world_bounds` may have.
    memory, backlog
        The pages, and what in them draws have to be placed anew for in the next pull.

    Examples
    --------
    >>> heap = DrawHeap(1 << 20, {"view": types.MAT4, "proj": types.MAT4})
    >>> heap.apply([])
    >>> heap.draw_count
    0
    """

    pages: list[Page]
    buckets: list[Bucket]

    def __init__(self, memory: Memory | int, frame_inputs: Mapping[str, types.Type]) -> None:
        self.memory = memory = Memory(memory) if isinstance(memory, int) else memory
        self.page_bytes = memory.page_bytes
        self.pages = memory.pages
        self.backlog: dict[Entry | Shape, None] = {}
        self.buckets = []
        self.draw_count = 0
        self.visible_count = 0
        self.bounds_generation = 0
        self._planner = Planner(frame_inputs, self.page_bytes, memory.limits, memory.catalog)
        self._sink: Sink[Any] = Sink()
        self._listeners = Listeners(self._sink)
        self._residents: dict[Drawable, Resident | TableResident] = {}
        self._tables = Tables(self)
        self._buckets: dict[Any, Bucket] = {}
        self._rank = 0
        self._bounds: tuple[int, NDArray[np.float64]] = (-1, np.full((2, 3), np.nan))
        memory.join(self)

    def __contains__(self, draw: object) -> bool:
        return draw in self._residents

    def tell_origin(self, origin: Callable[[Reading], Reading]) -> None:
        """Have exceptions say what was being read as `origin` says it, who knows where draws come from."""
        self._planner.origin = origin

    # What changed

    def apply(self, changes: Iterable[DrawChange]) -> None:
        """Add, remove and replace draws.

        Everything is read and checked first; when that raises, nothing has changed.

        Raises
        ------
        InputError
            A draw is added twice, or one that is not here is removed or replaced; a value of a
            draw is missing or of the wrong type.
        GeometryError
            A geometry lacks an attribute, or has it with other columns than the program reads.
        HeapFullError
            One draw does not fit on a page, or emits more than the GPU can number.
        """
        try:
            with collector_paused():
                early, steps = self._prepare(changes)
                for resident in early:
                    self._remove(resident)
                for old, plan in steps:
                    if isinstance(plan, Arriving):
                        self._arrive(plan)
                    else:
                        self._step(old, plan)
        finally:
            self.memory.catalog.forget()
        if early or steps:
            self.memory.tidy()

    def pull(self) -> None:
        """Bring what adaptive values have become into the arrays.

        Costs nothing when nothing was marked. A value that raises leaves its old bytes and is
        asked again in the next pull; the others are brought up to date first.

        Raises
        ------
        Exception
            The first of what values raised, or what is wrong with one of them.
        """
        failed = self.memory.pull()
        told: set[Any] = set()
        keys = self._sink.drain()
        if not (keys or failed or self.backlog):
            return
        stale: dict[Resident, list[Any]] = {}
        states: dict[Resident, PipelineState] = {}
        try:
            self._catch_up(stale, failed)
            # Tables come last: a chunk that moves takes along what its rows share as it is by then.
            if self._tables.number:
                keys.sort(key=_is_table)
            for key in keys:
                try:
                    self._hear(key, stale, states)
                except Exception as error:  # noqa: BLE001  raised below
                    failed[key] = error
            _route(states)
            for resident, causes in stale.items():
                try:
                    self._settle(resident, self._planner.plan(resident.draw, resident))
                except Exception as error:  # noqa: BLE001  raised below
                    failed.update(dict.fromkeys(causes, error))
                    told.update(causes)
        finally:
            self.memory.catalog.forget()
        for key in failed:
            sink = self.memory.placement.sink if isinstance(key, (Entry, Shape)) else self._sink
            sink.retry(key)
        self.memory.tidy()
        if failed:
            key, error = next(iter(failed.items()))
            reading = None if key in told else reading_of(key, self._residents.values())
            if reading is not None:
                self._planner.origin(reading).note_on(error)
            raise error

    def close(self) -> None:
        """Give back what draws hold of pages that are shared; the heap is of no use any more."""
        placement = self.memory.placement
        for resident in self._residents.values():
            if isinstance(resident, Resident):
                resident.row = -1
                placement.release(resident, resident.part, resident.entries)
                continue
            for chunk in resident.chunks:
                placement.release_all(chunk.parts, chunk.entries)
        self._residents = {}
        self.buckets = []
        self.memory.leave(self)

    # What there is

    def order(self) -> list[Draw | TableRows]:
        """Return draws, and ranges of rows, as the GPU takes them: by bucket, slot and rank."""
        return [
            self._tables.rows(resident) if isinstance(resident, Chunk) else resident.draw
            for bucket in self.buckets
            for slot in bucket.slots
            for resident in slot.residents
            if resident is not None
        ]

    def world_bounds(self) -> NDArray[np.float64]:
        """Return the box around all visible draws that bind ``model``, ``(2, 3)`` float64.

        Rows are the smallest and the largest corner; NaN if there is nothing. Kept until a model, a
        geometry or the set of visible draws changes.
        """
        if self._bounds[0] != self.bounds_generation:
            self.world_boxes()
        return self._bounds[1].copy()

    def world_boxes(self) -> NDArray[np.float64]:
        """Return the box of each visible draw or instance, ``(n, 2, 3)``; a table counts by chunks."""
        boxes = world_boxes(self.buckets)
        self._bounds = (self.bounds_generation, bounds_of(boxes))
        return boxes

    def stats(self) -> dict[str, int]:
        """Return counts and bytes."""
        slots = [slot for bucket in self.buckets for slot in bucket.slots]
        return {
            **self.memory.stats(),
            "draws": self.draw_count,
            "visible_draws": self.visible_count,
            "buckets": len(self.buckets),
            "slots": len(slots),
            "records": sum(bucket.n_records for bucket in self.buckets),
            "holes": sum(slot.holes for slot in slots),
        }

    # Steps of a batch

    def _prepare(
        self, changes: Iterable[DrawChange]
    ) -> tuple[list[Resident | TableResident], list[_Step]]:
        """Return what to remove at once, so that its memory can be taken again, and the rest."""
        early: list[Resident | TableResident] = []
        steps: list[_Step] = []
        here: dict[Drawable, bool] = {}
        coming: list[Draw] = []
        for old, new in changes:
            if old is not None and not here.get(old, old in self._residents):
                raise _unknown(old, "replaced" if new is not None else "removed")
            if new is not None and new is not old and here.get(new, new in self._residents):
                raise InputError(
                    explain(
                        "a draw is added twice",
                        facts={"draw": getattr(new, "table", new)},
                        fix="Make a second Draw: each is one object in the order.",
                    )
                )
            before = None if old is None or old in here else self._residents[old]
            if old is not None:
                here[old] = False
            if new is not None:
                here[new] = True
                if old is None and isinstance(new, Draw):
                    coming.append(new)
                    continue
            elif before is not None:
                early.append(before)
                continue
            if coming:
                steps.append((None, plan_arrivals(coming, self._planner)))
                coming = []
            if new is not None:
                steps.append((old, self._planned(new, before)))
            elif old is not None:
                steps.append((old, None))
        if coming:
            steps.append((None, plan_arrivals(coming, self._planner)))
        return early, steps

    def _planned(self, new: Drawable, before: Resident | TableResident | None) -> Plan | TablePlan:
        if isinstance(new, TableDraw):
            return self._tables.plan(new)
        return self._planner.plan(new, before if isinstance(before, Resident) else None)

    def _arrive(self, arriving: Arriving) -> None:
        """Take in draws that arrive together: groups in bulk, all others one by one."""
        first, self._rank = self._rank, self._rank + len(arriving.draws)
        arrivals = Arrivals(self.memory.placement, self._bucket, self._room_on)
        for group in arriving.groups:
            start = 0
            while start < len(group.draws):
                residents = arrivals.put(group, first, start)
                start += len(residents)
                if residents:
                    self._note(residents)
                else:  # no page has room at its end: this one fills a hole, or opens a page
                    rank = (first + group.at[start]) * RANKS
                    plan = self._planner.plan(group.draws[start])
                    plan.shape = group.plan.shape  # it may lie nowhere yet, or not any more
                    self._add(plan, rank)
                    start += 1
        arrivals.finish()
        for at, plan in arriving.alone:
            self._add(plan, (first + at) * RANKS)

    def _note(self, residents: list[Resident]) -> None:
        """Count draws that have just come, and listen to whether they are visible."""
        self._residents.update({resident.draw: resident for resident in residents})
        self.draw_count += len(residents)
        self.visible_count += sum([resident.is_drawn for resident in residents])
        self.bounds_generation += 1
        for resident in residents:
            visible = resident.draw.visible
            if isinstance(visible, AVal):
                self._listeners.add("visible", visible, resident)

    def _step(self, old: Drawable | None, plan: Plan | TablePlan | None) -> None:
        resident = None if old is None else self._residents[old]
        if plan is None:
            assert resident is not None
            self._remove(resident)
        elif resident is None:
            self._rank += 1
            self._add(plan, (self._rank - 1) * RANKS)
        elif isinstance(plan, Plan) and isinstance(resident, Resident):
            self._replace(resident, plan)
        elif isinstance(plan, TablePlan) and isinstance(resident, TableResident):
            del self._residents[resident.draw]
            self._residents[plan.draw] = self._tables.replace(resident, plan)
        else:
            self._remove(resident)
            self._add(plan, resident.rank)

    def _add(self, plan: Plan | TablePlan, rank: int) -> None:
        if isinstance(plan, TablePlan):
            self._residents[plan.draw] = self._tables.add(plan, rank)
            return
        resident = Resident(plan.draw, rank)
        self._residents[plan.draw] = resident
        self._settle(resident, plan)
        for role in ROLES:
            value = getattr(plan.draw, role)
            if isinstance(value, AVal):
                self._listeners.add(role, value, resident)

    def _replace(self, resident: Resident, plan: Plan) -> None:
        old = resident.draw
        del self._residents[old]
        self._residents[plan.draw] = resident
        if plan.keeps:
            resident.draw = plan.draw
            self._resize(resident, plan.visible, plan.instances)
        else:
            self._settle(resident, plan)
        for role in ROLES:
            was, value = getattr(old, role), getattr(plan.draw, role)
            if was is not value:
                if isinstance(value, AVal):
                    self._listeners.add(role, value, resident)
                if isinstance(was, AVal):
                    self._listeners.discard(role, was, resident)

    def _remove(self, resident: Resident | TableResident) -> None:
        draw = resident.draw
        del self._residents[draw]
        if isinstance(resident, TableResident):
            self._tables.remove(resident)
            return
        for role in ROLES:
            value = getattr(draw, role)
            if isinstance(value, AVal):
                self._listeners.discard(role, value, resident)
        self._leave(resident)
        resident.row = -1
        self.memory.placement.release(resident, resident.part, resident.entries)
        self.draw_count -= 1
        self.visible_count -= resident.is_drawn
        self.bounds_generation += 1

    # One draw

    def _settle(self, resident: Resident, plan: Plan) -> None:
        """Give a draw what its plan says; what it has already keeps its place."""
        was_live = resident.is_live
        same_shape = was_live and resident.part.shape is plan.shape
        home = resident.bucket.page if was_live else None
        part, entries = self.memory.placement.place(plan, home, self._fits(plan, resident))
        bucket = self._bucket(plan.schema, part.page)
        if was_live:
            old_part, old_entries = resident.part, resident.entries
            self.visible_count -= resident.is_drawn
            moves = bucket is not resident.bucket
            reroutes = moves or resident.slot.state != plan.state
            if moves:
                self._leave(resident)
            elif reroutes:
                bucket.take(resident)
        else:
            self.draw_count += 1
            old_part, old_entries, moves, reroutes = None, [], True, True
        if moves:
            resident.bucket = bucket
            resident.row = bucket.take_row()
        resident.draw = plan.draw
        resident.part, resident.entries = part, entries
        resident.visible, resident.instances = plan.visible, plan.instances
        words = list(part.words)
        for entry, piece in zip(entries, plan.pieces, strict=True):
            words += (entry.offset >> 2, piece.stride)
            if entry.users is not None:
                entry.users[resident] = None
        if part.shape.avals:
            part.shape.users[resident] = None
        bucket.write_row(resident.row, bucket.schema.pack_row(*words), part.shape.bounds)
        if reroutes:
            resident.slot = bucket.slot(plan.state)
            bucket.put(resident)
        else:
            bucket.rewrite(resident)
            # Other indices may lie in the same place now, and equal records would hide that.
            if not same_shape:
                bucket.touch(resident.slot)
        self.visible_count += resident.is_drawn
        self.bounds_generation += 1
        if old_part is not None:
            self.memory.placement.release(resident, old_part, old_entries)

    def _leave(self, resident: Resident) -> None:
        bucket = resident.bucket
        bucket.take(resident)
        bucket.give_row(resident.row)
        self._leave_empty(bucket)

    def _leave_empty(self, bucket: Bucket) -> None:
        if bucket.live == 0:
            del self._buckets[bucket.key]
            self.buckets.remove(bucket)

    def _bucket(self, schema: Schema, page: Page) -> Bucket:
        key = (*schema.key, page.number)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(schema, page, self.memory.limits)
            bucket.owner = self
            insort(self.buckets, bucket, key=lambda other: other.key)
        return bucket

    def _fits(self, plan: Plan, resident: Resident) -> Callable[[Page], bool]:
        """Return what tells whether a draw, as planned, has room in the bucket on a page."""
        emitted = plan.shape.count * plan.instances

        def fits(page: Page) -> bool:
            bucket = self._buckets.get((*plan.schema.key, page.number))
            if bucket is None:
                return True
            if resident.is_live and resident.bucket is bucket:
                return bucket.has_room(Need(0, 0, emitted), resident.emitted)
            return bucket.has_room(Need(1, 1, emitted))

        return fits

    def _has_room(self, resident: Resident, instances: int) -> bool:
        """Whether a draw may have so many instances where it is."""
        emitted = resident.part.shape.count * instances
        return resident.bucket.has_room(Need(0, 0, emitted), resident.emitted)

    def _room_on(self, page: Page, schema: Schema, emitted: int) -> int:
        bucket = self._buckets.get((*schema.key, page.number))
        limits = self.memory.limits
        if bucket is not None:
            return bucket.room_for_draws(emitted)
        room = min(limits.records, limits.rows(schema.row_words))
        return min(room, limits.emitted // emitted) if emitted else room

    # One value

    def _hear(
        self,
        key: Any,
        stale: dict[Resident, list[Any]],
        states: dict[Resident, PipelineState],
    ) -> None:
        """Bring one marked value up to date, or note the draws to plan anew or to route."""
        if isinstance(key, TableWatch):
            self._tables.hear(key)
            return
        assert isinstance(key, Listener)
        if key.role != "state":
            self._hear_role(key, stale)
            return
        state = read_state(key.aval.force())
        for resident in key.users:
            check_whole(resident.part.shape, state)
        states.update(dict.fromkeys(key.users, state))

    def _catch_up(self, stale: dict[Resident, list[Any]], failed: dict[Any, Exception]) -> None:
        """Renew shapes that have changed, and note the draws to plan anew."""
        backlog, self.backlog = self.backlog, {}
        shapes = [key for key in backlog if isinstance(key, Shape)]
        memory = self.memory
        odd = memory.catalog.renew(shapes, lambda shape: memory.is_elsewhere(shape, self))
        failed.update(odd)
        for key in backlog:
            for resident in key.users or () if key not in odd else ():
                if resident.bucket.owner is self:
                    stale.setdefault(resident, []).append(key)

    def _hear_role(self, listener: Listener, stale: dict[Resident, list[Any]]) -> None:
        value = listener.aval.force()
        if listener.role == "visible":
            visible = read_visible(value)
            if self._may_show_all(listener.users, visible=visible):
                self._show_all(listener.users, visible=visible)
                return
            for resident in listener.users:
                self._resize(resident, visible, resident.instances)
        elif listener.role == "instance_count":
            count = read_count(value)
            for resident in listener.users:
                check_emitted(resident.part.shape, count, self.memory.limits)
            for resident in listener.users:
                if resident.draw.instances:
                    stale.setdefault(resident, []).append(listener)
                else:
                    self._resize(resident, resident.visible, count)
        else:
            for resident in listener.users:
                stale.setdefault(resident, []).append(listener)

    def _may_show_all(self, residents: Collection[Resident], *, visible: bool) -> bool:
        """Whether there are many, and all may be shown where they are."""
        if len(residents) < _MANY:
            return False
        more: dict[Bucket, int] = {}
        for resident in residents if visible else ():
            emitted = resident.part.shape.count * resident.instances - resident.emitted
            more[resident.bucket] = more.get(resident.bucket, 0) + emitted
        return all(bucket.has_room(Need(0, 0, emitted)) for bucket, emitted in more.items())

    def _show_all(self, residents: Iterable[Resident], *, visible: bool) -> None:
        slots: dict[Slot, list[Resident]] = {}
        for resident in residents:
            if resident.visible is not visible:
                resident.visible = visible
                slots.setdefault(resident.slot, []).append(resident)
        sign = 1 if visible else -1
        for changed in slots.values():
            changed[0].bucket.show_all(changed)
            self.visible_count += sign * sum([resident.instances > 0 for resident in changed])
            self.bounds_generation += 1

    def _resize(self, resident: Resident, visible: bool, instances: int) -> None:
        if resident.visible == visible and resident.instances == instances:
            return
        if not self._has_room(resident, instances if visible else 0):
            self._settle(resident, self._planner.plan(resident.draw, resident))
            return
        self.visible_count -= resident.is_drawn
        resident.visible, resident.instances = visible, instances
        self.visible_count += resident.is_drawn
        resident.bucket.rewrite(resident)
        self.bounds_generation += 1


def _is_table(key: Any) -> bool:
    return isinstance(key, TableWatch)


def _route(states: dict[Resident, PipelineState]) -> None:
    """Move draws to the slots of their states, all of a slot at once."""
    groups: dict[tuple[Bucket, PipelineState], list[Resident]] = {}
    for resident, state in states.items():
        if resident.slot.state != state:
            resident.bucket.take(resident)
            groups.setdefault((resident.bucket, state), []).append(resident)
    for (bucket, state), residents in groups.items():
        bucket.put_all(residents, state)


def _unknown(draw: Drawable, what: str) -> InputError:
    return InputError(
        explain(
            f"a draw is {what} that is not in the heap",
            facts={"draw": getattr(draw, "table", draw)},
            fix="Add it first, and remove the very object that was added.",
        )
    )
