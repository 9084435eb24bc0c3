"""Tables in a heap: chunks that follow what is written to a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heapscene.adaptive import AVal
from heapscene.draw import PipelineState, TableDraw, TableRows, read_visible
from heapscene.heap.bucket_limits import Need
from heapscene.heap.chunk import Chunk
from heapscene.heap.page import Entry, Page, Piece
from heapscene.heap.plan import check_whole, read_state
from heapscene.heap.rows import rows_within
from heapscene.heap.table_plan import TablePlan, plan_table

if TYPE_CHECKING:
    from heapscene.heap.draw_heap import DrawHeap

__all__ = ["TableResident", "TableWatch", "Tables"]

Role = Literal["news", "state", "visible"]
_LEAST_ROWS = 64


class TableWatch:
    """What the heap's sink reports when a table, its state or its visibility was marked."""

    __slots__ = ("aval", "resident", "role")

    def __init__(self, resident: TableResident, role: Role, aval: AVal[Any]) -> None:
        self.resident = resident
        self.role: Role = role
        self.aval = aval


class TableResident:
    """A table that lives in the heap: its place in the order, and its chunks by first row."""

    __slots__ = ("chunks", "drawn", "live", "plan", "rank", "reader", "watches")

    def __init__(self, plan: TablePlan, rank: int) -> None:
        self.plan = plan
        self.rank = rank
        self.chunks: list[Chunk] = []
        self.reader = plan.draw.table.reader()
        self.watches: list[TableWatch] = []
        self.live = 0
        self.drawn = 0

    @property
    def draw(self) -> TableDraw:
        """What stands for the table in the drawing order."""
        return self.plan.draw


class Tables:
    """Does for tables what the heap does for draws: add, replace, remove, hear.

    Attributes
    ----------
    number
        Tables there are.
    """

    def __init__(self, heap: DrawHeap) -> None:
        self._heap = heap
        self.number = 0

    def plan(self, draw: TableDraw) -> TablePlan:
        """Read and check a table; nothing is touched."""
        return plan_table(self._heap._planner, draw)

    def add(self, plan: TablePlan, rank: int) -> TableResident:
        """Give a table memory and records."""
        resident = TableResident(plan, rank)
        self.number += 1
        self._watch(resident)
        self._extend(resident)
        self._recount(resident)
        return resident

    def remove(self, resident: TableResident) -> None:
        """Give everything back."""
        self.number -= 1
        self._unwatch(resident)
        for chunk in resident.chunks:
            self._drop(chunk)
        resident.chunks = []
        self._heap.draw_count -= resident.live
        self._heap.visible_count -= resident.drawn
        self._heap.bounds_generation += 1

    def replace(self, resident: TableResident, plan: TablePlan) -> TableResident:
        """Make a table look as another plan says; its rows keep their memory if they can."""
        old = resident.plan
        if plan.draw.table is not old.draw.table or plan.schema is not old.schema:
            self.remove(resident)
            return self.add(plan, resident.rank)
        # What was written to the table is still to be heard: forgetting the watch would forget the mark.
        self._unwatch(resident, but="news")
        resident.plan = plan
        self._watch(resident)
        for at, chunk in enumerate(resident.chunks):
            if not self._repoint(chunk, plan):
                self._drop(chunk)
                resident.chunks[at] = self._make(resident, at, chunk.first, chunk.capacity)
        self._route(resident, plan.state)
        self._show(resident, visible=plan.visible)
        self._heap.bounds_generation += 1
        return resident

    def hear(self, watch: TableWatch) -> None:
        """Bring what was marked up to date.

        Raises
        ------
        HeapsceneError
            What all rows share has got a wrong value; nothing has changed.
        """
        resident = watch.resident
        if watch.role == "state":
            state = read_state(watch.aval.force())
            for shape in resident.plan.shapes:
                check_whole(shape, state)
            self._route(resident, state)
        elif watch.role == "visible":
            self._show(resident, visible=read_visible(watch.aval.force()))
        else:
            watch.aval.force()
            self._follow(resident)

    def rows(self, chunk: Chunk) -> TableRows:
        """Return the rows of a chunk as part of the drawing order."""
        return TableRows(chunk.plan.draw, range(chunk.first, chunk.first + chunk.used))

    # Following a table

    def _follow(self, resident: TableResident) -> None:
        reader, table = resident.reader, resident.draw.table
        if table.handles and not resident.chunks:
            resident.plan = self.plan(resident.draw)  # nobody listened to what rows share
        shared, reader.shared = reader.shared, False
        writes, records = reader.writes, reader.records
        reader.clear()
        fresh = self._extend(resident)
        for chunk in resident.chunks:
            if chunk in fresh:
                continue
            stop = chunk.first + chunk.capacity
            for name, parts in writes.items():
                for rows in parts:
                    inside = rows_within(rows, chunk.first, stop)
                    chunk.write_column(name, inside)
            for rows in records:
                chunk.refresh(rows_within(rows, chunk.first, stop))
        if records or fresh:
            self._recount(resident)
        if records or fresh or any(np.count_nonzero(chunk.stale) for chunk in resident.chunks):
            self._heap.bounds_generation += 1
        assert table.handles <= sum(chunk.capacity for chunk in resident.chunks)
        if shared:
            try:
                plan = self.plan(resident.draw)
            except Exception:
                reader.shared = True
                raise
            self._heap._residents[plan.draw] = self.replace(resident, plan)

    def _extend(self, resident: TableResident) -> list[Chunk]:
        """Make chunks until all handles have a place; return those that are new."""
        chunks, most = resident.chunks, resident.plan.chunk_rows
        handles = resident.draw.table.handles
        fresh: list[Chunk] = []
        if chunks and chunks[-1].capacity < most:
            last = chunks[-1]
            needed = handles - last.first
            if needed > last.capacity:
                room = max(needed, last.capacity + last.capacity // 2, _LEAST_ROWS)
                fresh.append(self._grow(resident, last, min(most, room)))
                chunks[-1] = fresh[-1]
        at = chunks[-1].first + chunks[-1].capacity if chunks else 0
        while at < handles:
            shared = _shared(chunks[-1]) if chunks else None
            rows = min(most, handles - at)
            fresh.append(self._make(resident, len(chunks), at, rows, shared))
            chunks.append(fresh[-1])
            at += fresh[-1].capacity
        return fresh

    def _recount(self, resident: TableResident) -> None:
        heap, table = self._heap, resident.draw.table
        live = len(table)
        drawn = 0
        if resident.plan.visible:
            drawn = int(np.count_nonzero(table.shown(slice(0, table.handles))))
        heap.draw_count += live - resident.live
        heap.visible_count += drawn - resident.drawn
        resident.live, resident.drawn = live, drawn

    def _show(self, resident: TableResident, *, visible: bool) -> None:
        resident.plan.visible = visible
        for chunk in resident.chunks:
            if chunk.shown != visible:
                chunk.shown = visible
                chunk.refresh(slice(0, chunk.used))
        self._recount(resident)
        self._heap.bounds_generation += 1

    def _route(self, resident: TableResident, state: PipelineState) -> None:
        resident.plan.state = state
        for chunk in resident.chunks:
            if chunk.slot.state != state:
                chunk.bucket.take_block(chunk)
                chunk.slot = chunk.bucket.slot(state)
                chunk.bucket.put_block(chunk)

    # Chunks

    def _grow(self, resident: TableResident, chunk: Chunk, capacity: int) -> Chunk:
        """Make the last chunk anew with more rows; its memory is given back first."""
        bucket, shared = chunk.bucket, _shared(chunk)
        for entry in shared.values():
            entry.refs += 1
        bucket.live += 1
        self._drop(chunk)
        at = len(resident.chunks) - 1
        grown = self._make(resident, at, chunk.first, capacity, shared)
        bucket.live -= 1
        self._heap._leave_empty(bucket)
        self._heap.memory.placement.release_all((), list(shared.values()))
        return grown

    def _make(
        self,
        resident: TableResident,
        at: int,
        first: int,
        capacity: int,
        shared: Mapping[str, Entry] | None = None,
    ) -> Chunk:
        """Make chunk `at` of a table; `shared` is where the values lie that all rows share, if they do yet."""
        heap, plan = self._heap, resident.plan
        pieces: list[Piece] = []
        for field in plan.fields:
            piece = plan.shared.get(field.name)
            if piece is None:
                nbytes = capacity * field.type.words * 4
                key = ("column", id(plan.draw.table), field.name, field.tag, first, capacity)
                piece = Piece(key, nbytes, 0, b"")
            elif shared is not None:
                piece = piece._replace(data=shared[field.name])
            pieces.append(piece)
        need = Need(len(plan.shapes), capacity, capacity * plan.largest)
        parts, entries = heap.memory.placement.place_all(
            plan.shapes, pieces, self._home(resident), partial(self._fits, plan, need)
        )
        chunk = Chunk(plan, first, capacity, parts, entries)
        chunk.shown = plan.visible
        chunk.rank = resident.rank + at
        chunk.bucket = bucket = heap._bucket(plan.schema, parts[0].page)
        chunk.rows = [bucket.take_row() for _ in parts]
        chunk.write_headers()
        for name in plan.draw.table.columns:
            chunk.write_column(name, slice(0, chunk.used))
        chunk.slot = bucket.slot(plan.state)
        bucket.put_block(chunk)
        heap.bounds_generation += 1
        return chunk

    def _fits(self, plan: TablePlan, need: Need, page: Page) -> bool:
        bucket = self._heap._buckets.get((*plan.schema.key, page.number))
        return bucket is None or bucket.has_room(need)

    def _home(self, resident: TableResident) -> Page | None:
        return resident.chunks[-1].bucket.page if resident.chunks else None

    def _drop(self, chunk: Chunk) -> None:
        bucket = chunk.bucket
        bucket.take_block(chunk)
        for row in chunk.rows:
            bucket.give_row(row)
        self._heap._leave_empty(bucket)
        self._heap.memory.placement.release_all(chunk.parts, chunk.entries)

    def _repoint(self, chunk: Chunk, plan: TablePlan) -> bool:
        """Point a chunk's header rows to what its rows share now; return whether there is room."""
        kept = [field.name not in plan.shared for field in plan.fields]
        pieces = [plan.shared[field.name] for field in plan.fields if field.name in plan.shared]
        page = chunk.bucket.page
        fresh = self._heap.memory.placement.acquire(page, pieces)
        if fresh is None:
            return False
        old = [entry for entry, keep in zip(chunk.entries, kept, strict=True) if not keep]
        new = iter(fresh)
        chunk.entries = [
            entry if keep else next(new) for entry, keep in zip(chunk.entries, kept, strict=True)
        ]
        chunk.plan = plan
        chunk.write_headers()
        chunk.stale[:] = True
        self._heap.memory.placement.release_all((), old)
        return True

    # Listening

    def _watch(self, resident: TableResident) -> None:
        draw = resident.draw
        roles: dict[Role, Any] = {
            "news": draw.table.news,
            "state": draw.table.state,
            "visible": draw.visible,
        }
        for role, aval in roles.items():
            if any(watch.role == role for watch in resident.watches):
                continue
            if isinstance(aval, AVal) and not aval.is_constant:
                watch = TableWatch(resident, role, aval)
                self._heap._sink.watch(aval, watch)
                resident.watches.append(watch)

    def _unwatch(self, resident: TableResident, but: Role | None = None) -> None:
        for watch in resident.watches:
            if watch.role != but:
                self._heap._sink.unwatch(watch.aval, watch)
        resident.watches = [watch for watch in resident.watches if watch.role == but]


def _shared(chunk: Chunk) -> dict[str, Entry]:
    """Return where what all rows share lies: a plan knows only what it was when it was made."""
    return {
        field.name: entry
        for field, entry in zip(chunk.plan.fields, chunk.entries, strict=True)
        if field.name in chunk.plan.shared
    }
