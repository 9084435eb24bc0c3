"""What header rows and records of a bucket should be, from the draws and chunks that own them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import PipelineState
from heapscene.heap.bucket import Bucket
from heapscene.heap.chunk import Chunk
from heapscene.heap.draw_heap import DrawHeap
from heapscene.heap.layout import RECORD_WORDS
from heapscene.heap.page import Part
from heapscene.heap.resident import Resident
from heapscene.heap.schema import HeaderField

__all__ = ["BucketBooks", "DrawBooks", "read_books", "without_places"]


class DrawBooks(NamedTuple):
    """The draws of a bucket, in drawing order, as columns.

    Attributes
    ----------
    places
        In ``order()``, ``(n,)``.
    drawn, instances
        Whether each emits anything, and how many instances it has, ``(n,)``.
    offsets, nbytes
        Where the inputs lie and how long they are, ``(inputs, n)`` bytes.
    instanced
        Whether an input is given per instance, ``(inputs, n)``.
    """

    residents: list[Resident]
    places: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    instances: NDArray[np.int64]
    offsets: NDArray[np.int64]
    nbytes: NDArray[np.int64]
    instanced: NDArray[np.bool_]


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
    draws, chunks
        Who owns all that; chunks with their place in ``order()``.
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
    draws: DrawBooks
    chunks: list[tuple[int, Chunk]]


def read_books(heap: DrawHeap) -> list[BucketBooks]:
    """Return the books of all buckets, in drawing order."""
    books: list[BucketBooks] = []
    place = 0
    for number, bucket in enumerate(heap.buckets):
        reader = _Reader(bucket, place)
        books.append(reader.read(number))
        place = reader.place
    return books


def without_places(books: BucketBooks) -> BucketBooks:
    """Return the books of a bucket whose draws are not in the order that faults count in."""
    places = np.full_like(books.draws.places, -1)
    return books._replace(
        row_owners=np.full_like(books.row_owners, -1),
        owners=np.full_like(books.owners, -1),
        draws=books.draws._replace(places=places),
        chunks=[(-1, chunk) for _, chunk in books.chunks],
    )


class _Reader:
    """Makes the books of one bucket; draws are numbered from `place` on."""

    def __init__(self, bucket: Bucket, place: int) -> None:
        self.bucket = bucket
        self.place = place
        self.residents: list[Resident] = []
        self.places: list[int] = []
        self.at: list[int] = []
        self.chunks: list[tuple[int, Chunk]] = []
        self.records = np.zeros((bucket.n_records, RECORD_WORDS), np.uint32)
        self.owners = np.full(bucket.n_records, -1, np.int64)
        self.handles = np.full(bucket.n_records, -1, np.int64)
        self.rows: list[int] = []
        self.row_owners: list[int] = []
        self.headers: list[list[int]] = []

    def read(self, number: int) -> BucketBooks:
        bucket = self.bucket
        for slot in bucket.slots:
            self._read_slot(slot.start, slot.residents)
        draws = _draw_books(bucket, self.residents, self.places)
        rows = np.array([resident.row for resident in self.residents], np.int64)
        headers, self.records[self.at] = _of_draws(bucket, draws, rows)
        self.owners[self.at] = draws.places
        more = np.array(self.headers, np.uint32).reshape(-1, headers.shape[1])
        return BucketBooks(
            bucket,
            number,
            np.concatenate([rows, np.array(self.rows, np.int64)]),
            np.concatenate([headers, more]),
            np.concatenate([draws.places, np.array(self.row_owners, np.int64)]),
            self.records,
            self.owners,
            self.handles,
            np.array([(slot.start, slot.stop) for slot in bucket.slots], np.uint32).reshape(-1, 2),
            [slot.state for slot in bucket.slots],
            draws,
            self.chunks,
        )

    def _read_slot(self, at: int, residents: Sequence[Resident | Chunk | None]) -> None:
        for resident in residents:
            if isinstance(resident, Chunk):
                self._read_chunk(resident, at)
                at += resident.capacity - 1
            elif resident is not None:
                self.residents.append(resident)
                self.places.append(self.place)
                self.at.append(at)
            self.place += resident is not None
            at += 1

    def _read_chunk(self, chunk: Chunk, at: int) -> None:
        """Note header rows and records of a chunk whose block begins at record `at`."""
        own: list[int] = []
        for field, entry in zip(chunk.plan.fields, chunk.entries, strict=True):
            is_shared = field.name in chunk.plan.shared
            own += (entry.offset >> 2, 0 if is_shared else field.type.words)
        words, slot = self.bucket.schema.row_words, chunk.slot.number << 3
        template = np.zeros((len(chunk.parts), RECORD_WORDS), np.uint32)
        for k, (row, part) in enumerate(zip(chunk.rows, chunk.parts, strict=True)):
            self.headers.append([*_attributes(part), *own])
            start, width, count, first, span = _geometry(part)
            template[k] = (row * words, start, width | slot, count, 1, first, span, 0)
        stop = at + chunk.capacity
        self.records[at:stop] = chunk.records_of(0, chunk.capacity, template)
        self.owners[at:stop] = self.place
        self.handles[at:stop] = np.arange(chunk.first, chunk.first + chunk.capacity)
        self.chunks.append((self.place, chunk))
        self.rows += chunk.rows
        self.row_owners += [self.place] * len(chunk.rows)


def _draw_books(bucket: Bucket, residents: list[Resident], places: list[int]) -> DrawBooks:
    fields, n = bucket.schema.inputs, len(residents)
    offsets, nbytes = np.zeros((2, len(fields), n), np.int64)
    instanced = np.zeros((len(fields), n), np.bool_)
    for k, field in enumerate(fields):
        entries = [resident.entries[k] for resident in residents]
        offsets[k] = [entry.offset for entry in entries]
        nbytes[k] = [entry.nbytes for entry in entries]
        instanced[k] = _per_instance(field, residents)
    return DrawBooks(
        residents,
        np.array(places, np.int64),
        np.array([resident.is_drawn for resident in residents], np.bool_),
        np.array([resident.instances for resident in residents], np.int64),
        offsets,
        nbytes,
        instanced,
    )


def _per_instance(field: HeaderField, residents: list[Resident]) -> list[bool]:
    return [field.name in resident.draw.instances for resident in residents]


def _of_draws(
    bucket: Bucket, draws: DrawBooks, rows: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return header rows ``(n, row_words)`` and records ``(n, 8)`` of draws."""
    schema, residents = bucket.schema, draws.residents
    headers = np.zeros((len(residents), schema.row_words), np.uint32)
    records = np.zeros((len(residents), RECORD_WORDS), np.uint32)
    if not residents:
        return headers, records
    parts = {part: k for k, part in enumerate(dict.fromkeys(r.part for r in residents))}
    which = np.array([parts[resident.part] for resident in residents])
    first_input = 2 * len(schema.attributes)
    headers[:, :first_input] = np.array([_attributes(part) for part in parts], np.uint32)[which]
    words = np.array([[field.type.words] for field in schema.inputs], np.int64).reshape(-1, 1)
    strides = np.where(draws.instanced & (draws.nbytes != 4 * words), words, 0)
    last_input = first_input + 2 * len(schema.inputs)
    headers[:, first_input:last_input:2] = (draws.offsets >> 2).T
    headers[:, first_input + 1 : last_input : 2] = strides.T
    start, width, count, first, span = np.array([_geometry(part) for part in parts])[which].T
    visible = np.array([resident.visible for resident in residents])
    slots = np.array([resident.slot.number for resident in residents])
    zero = np.zeros(len(residents))
    records[:] = np.stack(
        [rows * schema.row_words, start, width | slots << 3, count * visible,
         draws.instances, first, span, zero], axis=1)  # fmt: skip
    return headers, records


def _attributes(part: Part) -> list[int]:
    """Return the header words of a part's attributes."""
    words: list[int] = []
    for entry, piece in zip(part.entries, part.shape.attributes, strict=False):
        words += (entry.offset >> 2, piece.stride)
    return words


def _geometry(part: Part) -> tuple[int, int, int, int, int]:
    """Return what records say of a part: index start, width, count, first vertex and span."""
    shape = part.shape
    start = 0 if shape.indices is None else part.entries[-1].offset + shape.index_skip
    return start, shape.width, shape.count, shape.vertex_first, shape.vertex_span
