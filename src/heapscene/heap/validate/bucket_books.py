"""What header rows and records of a bucket should be, from the draws and chunks that own them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import PipelineState
from heapscene.heap.bucket import Bucket
from heapscene.heap.chunk import Chunk
from heapscene.heap.heap import Heap
from heapscene.heap.layout import RECORD_WORDS
from heapscene.heap.page import Part
from heapscene.heap.resident import Resident
from heapscene.heap.slot import Slot

__all__ = ["BucketBooks", "read_books"]


class BucketBooks(NamedTuple):
    """What should be there.

    Attributes
    ----------
    number
        Place in drawing order.
    rows, headers, row_owners
        Live header rows ``(n,)``, their words ``(n, row_words)`` and who owns them ``(n,)``.
    records, owners, handles
        All records ``(r, 8)``, with zeros where none should be; the place in ``order()`` of the
        owner of each, and the handle if it is a table's row, ``(r,)``; -1 for none.
    ranges, states
        First record of each slot and the one behind its last, ``(slots, 2)``, and its state.
    members
        Draws and chunks with their place in ``order()``.
    """

    bucket: Bucket
    number: int
    rows: NDArray[np.int64]
    headers: NDArray[np.uint32]
    row_owners: NDArray[np.int64]
    records: NDArray[np.uint32]
    owners: NDArray[np.int64]
    handles: NDArray[np.int64]
    ranges: NDArray[np.uint32]
    states: list[PipelineState]
    members: list[tuple[int, Resident | Chunk]]


def read_books(heap: Heap) -> list[BucketBooks]:
    """Return the books of all buckets, in drawing order."""
    books: list[BucketBooks] = []
    place = 0
    for number, bucket in enumerate(heap.buckets):
        books.append(_Reader(bucket, place).read(number))
        place += len(books[-1].members)
    return books


class _Reader:
    """Makes the books of one bucket; draws are numbered from `place` on."""

    def __init__(self, bucket: Bucket, place: int) -> None:
        self.bucket = bucket
        self.place = place
        self.members: list[tuple[int, Resident | Chunk]] = []
        self.rows: list[int] = []
        self.row_owners: list[int] = []
        self.headers: list[list[int]] = []
        self.records = np.zeros((bucket.n_records, RECORD_WORDS), np.uint32)
        self.owners = np.full(bucket.n_records, -1, np.int64)
        self.handles = np.full(bucket.n_records, -1, np.int64)
        self.parts: dict[Part, tuple[list[int], list[int]]] = {}

    def read(self, number: int) -> BucketBooks:
        bucket = self.bucket
        for slot in bucket.slots:
            self._read_slot(slot)
        headers = np.array(self.headers, np.uint32).reshape(-1, bucket.schema.row_words)
        return BucketBooks(
            bucket,
            number,
            np.array(self.rows, np.int64),
            headers,
            np.array(self.row_owners, np.int64),
            self.records,
            self.owners,
            self.handles,
            np.array([(slot.start, slot.stop) for slot in bucket.slots], np.uint32).reshape(-1, 2),
            [slot.state for slot in bucket.slots],
            self.members,
        )

    def _read_slot(self, slot: Slot) -> None:
        at = slot.start
        places: list[int] = []
        records: list[list[int]] = []
        first = self.place
        for resident in slot.residents:
            if isinstance(resident, Chunk):
                self._read_chunk(resident, at)
                at += resident.capacity
            elif resident is not None:
                places.append(at)
                records.append(self._read_draw(resident))
                at += 1
            else:
                at += 1
        if places:
            self.records[places] = np.array(records, np.uint32)
            self.owners[places] = [
                place
                for place, member in self.members[len(self.members) - (self.place - first) :]
                if isinstance(member, Resident)
            ]

    def _read_draw(self, resident: Resident) -> list[int]:
        """Note the header row of a draw; return its record."""
        attributes, record = self._part(resident.part)
        header = list(attributes)
        instances = resident.draw.instances
        for field, entry in zip(self.bucket.schema.inputs, resident.entries, strict=True):
            words = field.type.words if field.name in instances else 0
            header += (entry.offset >> 2, 0 if entry.nbytes == 4 * words else words)
        self._note(resident, [resident.row], [header])
        index_start, width, count, first, span = record
        return [
            resident.row * self.bucket.schema.row_words,
            index_start,
            width | resident.slot.number << 3,
            count if resident.visible else 0,
            resident.instances,
            first,
            span,
            0,
        ]

    def _read_chunk(self, chunk: Chunk, at: int) -> None:
        """Note header rows and records of a chunk whose block begins at record `at`."""
        own: list[int] = []
        for field, entry in zip(chunk.plan.fields, chunk.entries, strict=True):
            is_shared = field.name in chunk.plan.shared
            own += (entry.offset >> 2, 0 if is_shared else field.type.words)
        words, slot = self.bucket.schema.row_words, chunk.slot.number << 3
        headers: list[list[int]] = []
        template = np.zeros((len(chunk.parts), RECORD_WORDS), np.uint32)
        for k, (row, part) in enumerate(zip(chunk.rows, chunk.parts, strict=True)):
            attributes, (index_start, width, count, first, span) = self._part(part)
            headers.append([*attributes, *own])
            template[k] = (row * words, index_start, width | slot, count, 1, first, span, 0)
        stop = at + chunk.capacity
        self.records[at:stop] = chunk.records_of(0, chunk.capacity, template)
        self.owners[at:stop] = self.place
        self.handles[at:stop] = np.arange(chunk.first, chunk.first + chunk.capacity)
        self._note(chunk, chunk.rows, headers)

    def _note(self, member: Resident | Chunk, rows: list[int], headers: list[list[int]]) -> None:
        self.members.append((self.place, member))
        self.rows += rows
        self.row_owners += [self.place] * len(rows)
        self.headers += headers
        self.place += 1

    def _part(self, part: Part) -> tuple[list[int], list[int]]:
        """Return the header words of a part's attributes, and what its records say."""
        known = self.parts.get(part)
        if known is not None:
            return known
        shape, words = part.shape, list[int]()
        for entry, piece in zip(part.entries, shape.attributes, strict=False):
            words += (entry.offset >> 2, piece.stride)
        start = 0 if shape.indices is None else part.entries[-1].offset + shape.index_skip
        record = [start, shape.width, shape.count, shape.vertex_first, shape.vertex_span]
        self.parts[part] = words, record
        return words, record
