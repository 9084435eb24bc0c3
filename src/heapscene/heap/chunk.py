"""Chunk: rows of a table that lie on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import DrawTable, Rows
from heapscene.heap.layout import COUNT, FIRST_INSTANCE, RECORD_WORDS, VERTEX_SPAN
from heapscene.heap.rows import write_rows
from heapscene.heap.table_plan import TablePlan
from heapscene.heap.words import Words

if TYPE_CHECKING:
    from heapscene.heap.bucket import Bucket
    from heapscene.heap.page import Entry, Part
    from heapscene.heap.slot import Slot

__all__ = ["Chunk"]

BOUNDS_ROWS = 1024
_NEAR = 8  # records: with fewer unchanged ones between them, two changes are noted as one range
_MANY = 8  # one changed row in so many, from which on all are written
_FEW = 8  # changes per range, from which on ranges are noted one by one


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
    kinds, drawn
        What the records say: the geometry of each row, and whether it is drawn.
    boxes
        ``(blocks, 2, 3)``: bounds of every 1,024 rows, up to date where `stale` is false, under the
        matrix `frame` that all rows share.
    """

    __slots__ = (
        "boxes", "bucket", "capacity", "drawn", "entries", "first", "frame", "kinds", "parts", "plan",
        "rank", "rows", "shown", "slot", "stale",
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
        self.frame: NDArray[np.float64] = np.eye(4)
        self.shown = True
        self.kinds: NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.drawn: NDArray[np.bool_] = np.zeros(capacity, np.bool_)

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
            source = column.data.take(rows + self.first, axis=0)
        changed = write_rows(entry.page, entry.offset >> 2, rows, source)
        # Whoever shares the column may have written it already.
        may_differ = changed or entry.refs > 1 or self.bucket.owner.memory.was_shared
        if may_differ and (column.name == "model" or self.plan.fields[at].kind == "table"):
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
        self.settle()
        return self.records_of(0, self.capacity, self.template())

    def records_of(self, first: int, stop: int, template: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the records of some rows, as `kinds` and `drawn` say."""
        records = template[self.kinds[first:stop]]
        records[:, FIRST_INSTANCE] = np.arange(first, stop)
        records[:, COUNT] *= self.drawn[first:stop]
        return records

    def sums(self) -> tuple[int, int]:
        """Return how many indices and vertices the records emit, as they were written."""
        template = self.template()
        rows = np.bincount(self.kinds[self.drawn], minlength=len(template))
        counts = template[:, COUNT].astype(np.int64)
        spans = template[:, VERTEX_SPAN] * (counts > 0)
        return int(rows @ counts), int(rows @ spans)

    def settle(self) -> None:
        """Let `kinds` and `drawn` be what the table says; the records have to be written then."""
        used = self.used
        handles = slice(self.first, self.first + used)
        geometry = self.table.chosen_geometry(handles)
        shown = self._drawn_now(handles)
        if (self.kinds[:used] != geometry).any() or (self.drawn[:used] != shown).any():
            self.kinds[:used] = geometry
            self.drawn[:used] = shown
            self.stale[:] = True

    def _drawn_now(self, handles: Rows) -> NDArray[np.bool_]:
        shown = self.table.shown(handles)
        return shown if self.shown else np.zeros_like(shown)

    def refresh(self, rows: Rows) -> None:
        """Bring the records of some rows up to date; only words that differ are written."""
        first, bucket = self.first, self.bucket
        if isinstance(rows, slice):
            handles: Rows = slice(rows.start + first, rows.stop + first)
        else:
            handles = rows + first
        geometry = self.table.chosen_geometry(handles)
        shown = self._drawn_now(handles)
        old_geometry, was_shown = self.kinds[rows], self.drawn[rows]
        differ = shown != was_shown
        moved = geometry != old_geometry if len(self.parts) > 1 else np.zeros(0, np.bool_)
        moves = bool(moved.any())
        if not moves and isinstance(rows, slice) and _MANY * np.count_nonzero(differ) > len(differ):
            self._flip(rows, geometry, shown)
            return
        at = np.flatnonzero(differ | moved if moves else differ)
        if not len(at):
            return
        numbers = at + rows.start if isinstance(rows, slice) else rows[at]
        geometry, shown = geometry[at], shown[at]
        template = self.template()
        if moves:
            grown = np.bincount(geometry, shown, len(template))
            grown -= np.bincount(old_geometry[at], was_shown[at], len(template))
        else:
            grown = np.bincount(geometry, np.where(shown, 1.0, -1.0), len(template))
        self.drawn[numbers] = shown
        words, start, width = bucket.records, bucket.block_start(self), template.shape[1]
        table = bucket.block(self)
        if moves:
            self.kinds[numbers] = geometry
            fresh = template[geometry]
            fresh[:, FIRST_INSTANCE] = numbers
            fresh[:, COUNT] *= shown
            table[numbers] = fresh
            _note(words, start, numbers, width, width)
        else:
            table[:, COUNT][numbers] = template[:, COUNT].take(geometry) * shown
            _note(words, start + COUNT, numbers, width, 1)
        counts = template[:, COUNT]
        spans = template[:, VERTEX_SPAN] * (counts > 0)
        bucket.changed(self.slot, int(grown @ counts), int(grown @ spans))
        self.touch(rows)

    def _flip(self, rows: slice, kinds: NDArray[np.int32], shown: NDArray[np.bool_]) -> None:
        """Show and hide many of some rows: to write all counts is cheaper than to pick some."""
        bucket, template = self.bucket, self.template()
        counts = template[:, COUNT]
        each = counts if len(counts) == 1 else counts.take(kinds)
        np.multiply(each, shown, out=bucket.block(self)[rows, COUNT])
        start = bucket.block_start(self) + rows.start * RECORD_WORDS + COUNT
        bucket.records.dirty.add_comb(start, len(kinds), RECORD_WORDS)
        grown = _tally(kinds, shown, len(template)) - _tally(kinds, self.drawn[rows], len(template))
        self.drawn[rows] = shown
        bucket.changed(
            self.slot, int(grown @ counts), int(grown @ (template[:, VERTEX_SPAN] * (counts > 0)))
        )
        self.touch(rows)

    def touch(self, rows: Rows) -> None:
        """Note that bounds of rows may be others."""
        if isinstance(rows, slice):
            if rows.stop > rows.start:
                self.stale[rows.start // BOUNDS_ROWS : (rows.stop - 1) // BOUNDS_ROWS + 1] = True
        else:
            self.stale[rows // BOUNDS_ROWS] = True


def _tally(kinds: NDArray[np.int32], shown: NDArray[np.bool_], number: int) -> NDArray[np.int64]:
    """Return how many of some rows are shown of each kind."""
    if number > _FEW:
        return np.bincount(kinds[shown], minlength=number)
    if number == 1:
        return np.array([np.count_nonzero(shown)])
    return np.array([np.count_nonzero((kinds == kind) & shown) for kind in range(number)])


def _note(words: Words, start: int, numbers: NDArray[np.int64], stride: int, length: int) -> None:
    """Note `length` changed words in each of some records."""
    breaks = np.flatnonzero(np.diff(numbers) > _NEAR)
    if len(breaks) * _FEW > len(numbers):
        words.dirty.add_rows(start + numbers * stride, length)
        return
    starts = start + numbers[np.concatenate([[0], breaks + 1])] * stride
    stops = start + numbers[np.concatenate([breaks, [len(numbers) - 1]])] * stride + length
    for first, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        words.dirty.add(first, stop)
