"""Whether what a draw reads lies inside the allocations that it reads from."""

from __future__ import annotations

import numpy as np

from heapscene.heap.chunk import Chunk
from heapscene.heap.page import Entry, Part
from heapscene.heap.validate.bucket_books import BucketBooks
from heapscene.heap.validate.fault import Fault, Faults
from heapscene.heap.validate.page_books import PageBooks

__all__ = ["check_extents"]


def check_extents(faults: Faults, page: PageBooks, buckets: list[BucketBooks]) -> None:
    """Check the last byte that attributes, instances, columns and indices of a page read."""
    for part, place in page.parts:
        for entry, needed, what in _of_part(part):
            _check(faults, entry, needed, what, place)
    for books in buckets:
        _check_inputs(faults, books)
        for place, chunk in books.chunks:
            _check_columns(faults, chunk, place)


def _of_part(part: Part) -> list[tuple[Entry, int, str]]:
    shape, reads = part.shape, list[tuple[Entry, int, str]]()
    fields = shape.schema.attributes
    for field, entry, piece in zip(fields, part.entries, shape.attributes, strict=False):
        last = (shape.vertex_first + shape.vertex_span if piece.stride else 1) if shape.count else 0
        reads.append((entry, last * field.type.words * 4, field.name))
    if shape.width:
        reads.append((part.entries[-1], shape.index_skip + shape.count * shape.width, "indices"))
    return reads


def _check_inputs(faults: Faults, books: BucketBooks) -> None:
    draws = books.draws
    for k, field in enumerate(books.bucket.schema.inputs):
        size, nbytes = field.type.words * 4, draws.nbytes[k]
        has_rows = draws.instanced[k] & (nbytes != size)
        needed = np.where(has_rows, size * draws.instances, size)
        faults.looked("sizes", len(needed))
        for at in np.flatnonzero(needed > nbytes).tolist():
            entry, place = draws.residents[at].entries[k], int(draws.places[at])
            _check(faults, entry, int(needed[at]), field.name, place)


def _check_columns(faults: Faults, chunk: Chunk, place: int) -> None:
    for field, entry in zip(chunk.plan.fields, chunk.entries, strict=True):
        rows = 1 if field.name in chunk.plan.shared else chunk.capacity
        _check(faults, entry, rows * field.type.words * 4, field.name, place)


def _check(faults: Faults, entry: Entry, needed: int, what: str, place: int) -> None:
    faults.looked("sizes", 1)
    if needed > entry.nbytes:
        faults.add(
            Fault(
                "sizes",
                f"bytes that {what} reads",
                "books",
                page=entry.page.number,
                offset=entry.offset,
                draw=place,
                expected=f"at most {entry.nbytes:,}",
                found=needed,
            )
        )
