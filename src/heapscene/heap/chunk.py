"""Chunk: rows of a table that lie on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import DrawTable, Rows
from heapscene.heap.layout import COUNT, FIRST_INSTANCE, HEADER, VERTEX_SPAN
from heapscene.heap.rows import write_rows
from heapscene.heap.table_plan import TablePlan

if TYPE_CHECKING:
    from heapscene.heap.bucket import Bucket
    from heapscene.heap.page import Entry, Part
    from heapscene.heap.slot import Slot

__all__ = ["Chunk"]

BOUNDS_ROWS = 1024


class Chunk:
    """Rows ``first`` to ``first + capacity`` of a table: their columns, header rows and records.

    There is a header row for each geometry of the table, and a record for each row; rows that are
    not alive have records that draw nothing.

    Attributes
    ----------
    rank
        Of its block of records, in the heap's drawing order.
    entries
        Where each field of the plan lies.
    boxes
        ``(blocks, 2, 3)``: bounds of every 1,024 rows, up to date where `stale` is false.
    """

    __slots__ = (
        "boxes", "bucket", "capacity", "entries", "first", "parts", "plan", "rank", "rows", "shown",
        "slot", "stale",
    )  # fmt: skip

    bucket: Bucket
    slot: Slot

    def __init__(
        self, plan: TablePlan, first: int, capacity: int, parts: list[Part], entries: list[Entry]
    ) -> None:
        self.plan = plan
        self.first = first
        self.capacity = capacity
        self.parts = parts
        self.entries = entries
        self.rank = -1
        self.rows: list[int] = []
        blocks = -(-capacity // BOUNDS_ROWS)
        self.boxes: NDArray[np.float64] = np.full((blocks, 2, 3), np.nan)
        self.stale = np.ones(blocks, np.bool_)
        self.shown = True

    @property
    def table(self) -> DrawTable:
        """Whose rows these are."""
        return self.plan.draw.table

    @property
    def used(self) -> int:
        """How many of its rows have handles."""
        return min(self.capacity, self.table.handles - self.first)

    def write_headers(self) -> None:
        """Write the header row of each geometry."""
        bucket = self.bucket
        own: list[int] = []
        columns = self.plan.shared
        for field, entry in zip(self.plan.fields, self.entries, strict=True):
            own += (entry.offset >> 2, 0 if field.name in columns else field.type.words)
        for row, part in zip(self.rows, self.parts, strict=True):
            bucket.write_row(row, bucket.schema.pack_row(*part.words, *own), part.shape.bounds)

    def write_column(self, name: str, rows: Rows) -> None:
        """Bring a column up to date, by the name that the table calls it."""
        column = self.table.columns[name]
        at = next(k for k, field in enumerate(self.plan.fields) if field.name == column.name)
        entry = self.entries[at]
        if isinstance(rows, slice):
            source = column.data[rows.start + self.first : rows.stop + self.first]
        else:
            source = column.data[rows + self.first]
        changed = write_rows(entry.page, entry.offset >> 2, rows, source)
        if changed and (column.name == "model" or self.plan.fields[at].kind == "table"):
            self.touch(rows)

    def template(self) -> NDArray[np.uint32]:
        """Return the record of each geometry, ``(geometries, 8)``."""
        words = self.bucket.schema.row_words
        slot = self.slot.number << 3
        return np.array(
            [
                (
                    row * words,
                    part.index_start,
                    part.shape.width | slot,
                    part.shape.count,
                    1,
                    part.shape.vertex_first,
                    part.shape.vertex_span,
                    0,
                )
                for row, part in zip(self.rows, self.parts, strict=True)
            ],
            np.uint32,
        )

    def records(self) -> NDArray[np.uint32]:
        """Return the records of all rows, ``(capacity, 8)``."""
        template, used = self.template(), self.used
        handles = slice(self.first, self.first + used)
        records = np.zeros((self.capacity, template.shape[1]), np.uint32)
        np.take(template, self.table.chosen_geometry(handles), axis=0, out=records[:used])
        records[used:] = template[0]
        records[:, FIRST_INSTANCE] = np.arange(self.capacity)
        records[used:, COUNT] = 0
        if self.shown:
            records[:used, COUNT][~self.table.shown(handles)] = 0
        else:
            records[:, COUNT] = 0
        return records

    def refresh(self, rows: Rows) -> None:
        """Bring the records of some rows up to date; only words that differ are written."""
        first, bucket = self.first, self.bucket
        if isinstance(rows, slice):
            handles: Rows = slice(rows.start + first, rows.stop + first)
        else:
            handles = rows + first
        template = self.template()
        geometry = self.table.chosen_geometry(handles)
        table = bucket.block(self)
        start = bucket.block_start(self)
        old_header, old_count = table[rows, HEADER], table[rows, COUNT]
        count = template[:, COUNT][geometry] if len(template) > 1 else template[0, COUNT]
        shown = self.table.shown(handles) if self.shown else np.zeros(len(geometry), np.bool_)
        new_count = shown * count
        span = table[rows, VERTEX_SPAN]
        new_header = template[:, HEADER][geometry]
        moved = np.flatnonzero(old_header != new_header)
        flipped = np.flatnonzero(old_count != new_count)
        if not len(moved) and not len(flipped):
            return
        self.touch(rows)
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        old_vertices = int(span[old_count > 0].sum(dtype=np.int64))
        emitted = int(new_count.sum(dtype=np.int64)) - int(old_count.sum(dtype=np.int64))
        if len(moved):
            fresh = template[geometry[moved]]
            fresh[:, FIRST_INSTANCE] = numbers[moved]
            fresh[:, COUNT] = new_count[moved]
            table[numbers[moved]] = fresh
            bucket.records.dirty.add_rows(start + numbers[moved] * table.shape[1], table.shape[1])
            span = template[:, VERTEX_SPAN][geometry]
        if len(flipped):
            table[numbers[flipped], COUNT] = new_count[flipped]
            bucket.records.dirty.add_rows(start + numbers[flipped] * table.shape[1] + COUNT, 1)
        bucket.changed(emitted, int(span[new_count > 0].sum(dtype=np.int64)) - old_vertices)

    def touch(self, rows: Rows) -> None:
        """Note that bounds of rows may be others."""
        if isinstance(rows, slice):
            if rows.stop > rows.start:
                self.stale[rows.start // BOUNDS_ROWS : (rows.stop - 1) // BOUNDS_ROWS + 1] = True
        else:
            self.stale[rows // BOUNDS_ROWS] = True
