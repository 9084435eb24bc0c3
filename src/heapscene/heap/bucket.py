"""Header rows and records of the draws of one program on one page."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import PipelineState
from heapscene.heap.bucket_limits import BucketLimits, Need
from heapscene.heap.layout import (
    COUNT,
    INSTANCES,
    RECORD_WORDS,
    VERTEX_SPAN,
    WIDTH_SLOT,
    pack_record,
    unpack_record,
)
from heapscene.heap.page import Page, write_runs, write_scattered
from heapscene.heap.resident import Resident
from heapscene.heap.rows import write_rows
from heapscene.heap.schema import HeaderField, Schema
from heapscene.heap.slot import Slot
from heapscene.heap.words import Words
from heapscene.shader import ProgramLike

if TYPE_CHECKING:
    from heapscene.heap.chunk import Chunk
    from heapscene.heap.draw_heap import DrawHeap

__all__ = ["Bucket"]

_ROOM = 8
_FEW = 8
_SLACK = 64
_BLOCK = 4096  # rows of a table whose records are made at once
_ZERO = bytes(4 * RECORD_WORDS)


class Bucket:
    """The draws of one program that lie on one page and take the same inputs from the frame.

    Attributes
    ----------
    headers, records
        The arrays of the GPU.
    slots
        In drawing order: by state key.
    generation
        Changes whenever a record does.
    owner
        The heap whose draws these are.
    limits
        How much it may hold.
    coming
        Indices of draws that have their header rows, but no records yet.
    bounds
        ``(rows, 2, 3)`` smallest and largest corner of each header row's geometry, as of its shape.
    """

    __slots__ = (
        "_by_state",
        "_free_rows",
        "_n_rows",
        "bounds",
        "coming",
        "generation",
        "headers",
        "key",
        "limits",
        "live",
        "owner",
        "page",
        "records",
        "schema",
        "slots",
    )

    owner: DrawHeap

    def __init__(self, schema: Schema, page: Page, limits: BucketLimits) -> None:
        self.schema = schema
        self.page = page
        self.limits = limits
        self.coming = 0
        self.key = (*schema.key, page.number)
        self.headers = Words()
        self.records = Words()
        self.slots: list[Slot] = []
        self.generation = 0
        self.live = 0
        self.bounds: NDArray[np.float32] = np.full((16, 2, 3), np.nan, np.float32)
        self._by_state: dict[PipelineState, Slot] = {}
        self._free_rows: list[int] = []
        self._n_rows = 0

    @property
    def program(self) -> ProgramLike:
        """The program of all draws."""
        return self.schema.program

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Inputs that come from the frame, sorted."""
        return self.schema.frame_names

    @property
    def fields(self) -> tuple[HeaderField, ...]:
        """The layout of a header row."""
        return self.schema.fields

    @property
    def emitted(self) -> int:
        """Indices that all records emit."""
        return sum([slot.emitted for slot in self.slots])

    @property
    def vertices(self) -> int:
        """Vertices that all records span."""
        return sum([slot.vertices for slot in self.slots])

    @property
    def n_records(self) -> int:
        """Records in the table, holes and slack included."""
        return self.records.used // RECORD_WORDS

    def __repr__(self) -> str:
        return (
            f"Bucket({self.program.hash[:8]}, page {self.page.number}: {self.live} draws, "
            f"{len(self.slots)} slots)"
        )

    # Limits

    def has_room(self, need: Need, less: int = 0) -> bool:
        """Whether it may hold so much more.

        Parameters
        ----------
        less
            Indices that are emitted now and will not be then.
        """
        if self.emitted + self.coming + need.emitted - less > self.limits.emitted:
            return False
        rows, records = self._room()
        return need.rows <= rows and need.records <= records

    def room_for_draws(self, emitted: int) -> int:
        """Return for how many draws there is room that emit so many indices each."""
        most = min(self._room())
        if emitted:
            most = min(most, (self.limits.emitted - self.emitted - self.coming) // emitted)
        return most

    def _room(self) -> tuple[int, int]:
        """Return how many header rows and records there may be beside those that there are.

        A header row is taken for a record, which that of a table is not: it may have its record yet to come.
        """
        blocks = sum([slot.block_records for slot in self.slots])
        rows = self.limits.rows(self.schema.row_words)
        return rows - self.live, self.limits.records - self.live - blocks

    # Header rows

    def take_row(self) -> int:
        """Return the number of a free header row."""
        self.live += 1
        if self._free_rows:
            return self._free_rows.pop()
        row = self._n_rows
        self._n_rows += 1
        self.headers.resize(self._n_rows * self.schema.row_words)
        if row == len(self.bounds):
            self.bounds = np.concatenate([self.bounds, np.full_like(self.bounds, np.nan)])
        return row

    def take_rows(self, count: int) -> list[int]:
        """Return the numbers of `count` free header rows."""
        self.live += count
        reused = min(count, len(self._free_rows))
        rows = [self._free_rows.pop() for _ in range(reused)]
        first = self._n_rows
        self._n_rows += count - reused
        rows.extend(range(first, self._n_rows))
        self.headers.resize(self._n_rows * self.schema.row_words)
        missing = self._n_rows - len(self.bounds)
        if missing > 0:
            more = max(missing, len(self.bounds) // 2)
            self.bounds = np.concatenate([self.bounds, np.full((more, 2, 3), np.nan, np.float32)])
        return rows

    def give_row(self, row: int) -> None:
        """Take a header row back."""
        self.live -= 1
        self._free_rows.append(row)

    def write_row(self, row: int, data: bytes, bounds: NDArray[np.float32]) -> None:
        """Write a header row and the bounds of its geometry."""
        self.headers.write(row * self.schema.row_words, data)
        self.bounds[row] = bounds

    def write_rows(
        self, rows: list[int], data: NDArray[np.uint32], bounds: NDArray[np.float32]
    ) -> None:
        """Write header rows, which are ``(n, row_words)``, of draws of one geometry."""
        at = np.array(rows, np.int64)
        write_runs(self.headers, at * self.schema.row_words, data)
        self.bounds[at] = bounds

    # Records

    def slot(self, state: PipelineState) -> Slot:
        """Return the slot of a state, made if there is none."""
        slot = self._by_state.get(state)
        if slot is None:
            taken = {other.number for other in self.slots}
            number = next(n for n in range(len(taken) + 1) if n not in taken)
            slot = Slot(state, number, self.n_records)
            self._by_state[state] = slot
            insort(self.slots, slot, key=lambda other: other.key)
        return slot

    def put(self, resident: Resident) -> None:
        """Write the record of a draw into its slot, at its rank."""
        slot = resident.slot
        if slot.grows(resident.rank):
            self._make_room(slot)
        first, last = slot.place(resident.rank, resident)
        first, last = slot.start + first, slot.start + last
        if last - first > 1:
            data = self.records.data[first * RECORD_WORDS : (last - 1) * RECORD_WORDS].copy()
            self.records.write((first + 1) * RECORD_WORDS, data)
        self._write(slot, first, self._record(resident), is_new=True)

    def put_all(
        self,
        residents: list[Resident],
        state: PipelineState,
        records: NDArray[np.uint32] | None = None,
    ) -> None:
        """Put draws, which are in no slot, into the slot of `state`, in one pass.

        Parameters
        ----------
        records
            Their records but for the slot, ``(n, 8)``, if they are known already.
        """
        slot = self.slot(state)
        for resident in residents:
            resident.slot = slot
        if len(residents) <= _FEW:
            for resident in residents:
                self.put(resident)
            return
        if records is None:
            data = b"".join([self._record(resident) for resident in residents])
            records = np.frombuffer(data, np.uint32).reshape(-1, RECORD_WORDS)
        else:
            records[:, WIDTH_SLOT] |= np.uint32(slot.number << 3)
        self._sum_rows(slot, records)
        is_last = not slot.ranks or min(r.rank for r in residents) > slot.ranks[-1]
        if not is_last:
            self._squeeze(slot)
        if slot.length + len(residents) > slot.room:
            self._make_room(slot, len(residents))
        start, length = (len(slot.ranks), slot.length) if is_last else (0, 0)
        if not is_last:
            records = np.concatenate([self.table()[slot.start : slot.stop], records])
        order = slot.merge(residents, start)
        self.records.write((slot.start + length) * RECORD_WORDS, records[order])
        self.touch(slot)

    def rewrite(self, resident: Resident) -> None:
        """Write the record of a draw where it is."""
        slot = resident.slot
        self._write(slot, slot.find(resident.rank), self._record(resident), is_new=False)

    def show_all(self, residents: Sequence[Resident]) -> None:
        """Write what is visible of draws of one slot into their records, in one pass."""
        slot = residents[0].slot
        at = np.array([slot.find(resident.rank) for resident in residents], np.int64)
        counts = np.array(
            [resident.part.shape.count if resident.visible else 0 for resident in residents],
            np.int64,
        )
        old = self.table()[at].astype(np.int64)
        more = counts - old[:, COUNT]
        slot.emitted += int((more * old[:, INSTANCES]).sum())
        shown = (counts > 0).astype(np.int64) - (old[:, COUNT] > 0)
        slot.vertices += int((shown * old[:, VERTEX_SPAN] * old[:, INSTANCES]).sum())
        places = at * RECORD_WORDS + COUNT
        if write_scattered(self.records, places, counts.astype(np.uint32)[:, None]):
            self.touch(slot)

    def take(self, resident: Resident) -> None:
        """Make the record of a draw a hole; drop the slot with its last draw."""
        slot = resident.slot
        first, _ = slot.clear(resident.rank)
        self._write(slot, slot.start + first, _ZERO, is_new=False)
        if slot.live == 0:
            self._drop(slot)
            return
        self._shrink(slot)

    # Blocks of records: the rows of a table's chunk

    def put_block(self, chunk: Chunk) -> None:
        """Write the records of a chunk into its slot, at its rank."""
        slot, count = chunk.slot, chunk.capacity
        if slot.length + count > slot.room:
            self._make_room(slot, count)
        behind = slot.stop
        first = slot.start + slot.place_block(chunk.rank, chunk, count)
        if first < behind:
            tail = self.table()[first:behind].copy()
            self.records.write((first + count) * RECORD_WORDS, tail)
        chunk.settle()
        template = chunk.template()
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            rows = chunk.records_of(start, stop, template)
            write_rows(self.records, first * RECORD_WORDS, slice(start, stop), rows)
        self.changed(slot, *chunk.sums())

    def take_block(self, chunk: Chunk) -> None:
        """Take the records of a chunk out; drop the slot with its last draw."""
        slot = chunk.slot
        stop = slot.stop
        first, count = slot.take_block(chunk.rank)
        first += slot.start
        emitted, vertices = chunk.sums()
        tail = self.table()[first + count : stop].copy()
        self.records.write(first * RECORD_WORDS, tail)
        self._zero(stop - count, stop)
        self.changed(slot, -emitted, -vertices)
        if slot.live == 0:
            self._drop(slot)
        else:
            self._shrink(slot)

    def block(self, chunk: Chunk) -> NDArray[np.uint32]:
        """Return the records ``(n, 8)`` of a chunk, to be written; see :meth:`changed`."""
        first = chunk.slot.find(chunk.rank)
        return self.table()[first : first + chunk.capacity]

    def block_start(self, chunk: Chunk) -> int:
        """Return the first word of the records of a chunk."""
        return chunk.slot.find(chunk.rank) * RECORD_WORDS

    def changed(self, slot: Slot, emitted: int, vertices: int) -> None:
        """Count what was written into a block: by how much its sums have grown."""
        slot.emitted += emitted
        slot.vertices += vertices
        self.touch(slot)

    def table(self) -> NDArray[np.uint32]:
        """Return the records as ``(n, 8)`` words; a view, not to be written."""
        return self.records.data[: self.records.used].reshape(-1, RECORD_WORDS)

    def _record(self, resident: Resident) -> bytes:
        part, shape = resident.part, resident.part.shape
        return pack_record(
            resident.row * self.schema.row_words,
            part.index_start,
            shape.width | resident.slot.number << 3,
            shape.count if resident.visible else 0,
            resident.instances,
            shape.vertex_first,
            shape.vertex_span,
            0,
        )

    def touch(self, slot: Slot) -> None:
        """Say that records of a slot changed, or what they mean."""
        slot.generation += 1
        self.generation += 1

    def _write(self, slot: Slot, at: int, record: bytes, *, is_new: bool) -> None:
        if not is_new:
            self._sum(slot, self.records.read(at * RECORD_WORDS, RECORD_WORDS), -1)
        self._sum(slot, record, 1)
        if self.records.write(at * RECORD_WORDS, record) or is_new:
            self.touch(slot)

    def _sum(self, slot: Slot, record: bytes, sign: int) -> None:
        _, _, _, count, instances, _, span, _ = unpack_record(record)
        if count and instances:
            slot.emitted += sign * count * instances
            slot.vertices += sign * span * instances

    def _sum_rows(self, slot: Slot, rows: NDArray[np.uint32]) -> None:
        shown = rows[rows[:, COUNT] > 0].astype(np.int64)
        slot.emitted += int((shown[:, COUNT] * shown[:, INSTANCES]).sum())
        slot.vertices += int((shown[:, VERTEX_SPAN] * shown[:, INSTANCES]).sum())

    def _shrink(self, slot: Slot) -> None:
        if slot.holes > max(_ROOM, slot.length - slot.holes):
            self._squeeze(slot)
        if slot.room > _SLACK + 4 * slot.length:
            slot.room = slot.length + _ROOM
            self._trim()

    def _zero(self, first: int, stop: int) -> None:
        self.records.write(first * RECORD_WORDS, np.zeros((stop - first) * RECORD_WORDS, np.uint32))

    def _make_room(self, slot: Slot, more: int = 1) -> None:
        """Give a full slot more records, at the end of the table if others lie behind it.

        Words past the table are zero: whatever shrinks it has made holes of its records.
        """
        length = slot.length
        room = length + max(_ROOM, length // 2, more)
        end = self.n_records
        moves = slot.start + slot.room != end and length > 0
        start = slot.start if length and not moves else end
        if start + room > self.limits.records:
            for other in self.slots:
                if other.holes:
                    self._squeeze(other)
            self._lay_out(slot, more)
            return
        if moves:
            old = slot.start
            self.records.resize((start + room) * RECORD_WORDS)
            data = self.records.data[old * RECORD_WORDS : (old + length) * RECORD_WORDS].copy()
            self.records.write(start * RECORD_WORDS, data)
            self._zero(old, old + length)
            slot.start = start
        else:
            slot.start = start
            self.records.resize((start + room) * RECORD_WORDS)
        slot.room = room
        self._trim()

    def _squeeze(self, slot: Slot) -> None:
        stop = slot.stop
        table = self.table()
        kept = slot.squeeze() + slot.start
        self.records.write(slot.start * RECORD_WORDS, table[kept].copy())
        self._zero(slot.stop, stop)
        self.touch(slot)

    def _drop(self, slot: Slot) -> None:
        self.slots.remove(slot)
        del self._by_state[slot.state]
        self._trim()

    def _trim(self) -> None:
        """Cut off records behind the last slot; close up when most records belong to none."""
        end = max((slot.start + slot.room for slot in self.slots), default=0)
        if end < self.n_records:
            self.records.resize(end * RECORD_WORDS)
            self.generation += 1
        if end > _SLACK + 2 * sum(slot.room for slot in self.slots):
            self._lay_out()

    def _lay_out(self, grows: Slot | None = None, more: int = 0) -> None:
        """Lay the slots one behind the other, with as much slack as the limit allows.

        There is room for `more` records of the slot that `grows`.
        """
        table = self.table().copy()
        laid: list[NDArray[np.uint32]] = []
        start = 0
        needed = [slot.length + more * (slot is grows) for slot in self.slots]
        spare = (self.limits.records - sum(needed)) // max(1, len(needed))
        for slot, least in zip(self.slots, needed, strict=True):
            length = slot.length
            slack = max(slot.room - least, _ROOM, least // 2 if slot is grows else 0)
            room = least + max(0, min(slack, spare))
            rows = np.zeros((room, RECORD_WORDS), np.uint32)
            rows[:length] = table[slot.start : slot.start + length]
            laid.append(rows)
            slot.start, slot.room = start, room
            start += room
        used = self.n_records
        if start < used:
            self._zero(start, used)
        self.records.resize(start * RECORD_WORDS)
        self.records.write(0, np.concatenate(laid))
        self.generation += 1
