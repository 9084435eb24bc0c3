"""Header rows and records, word by word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.layout import HEADER, INDEX_START, RECORD, RECORD_WORDS
from heapscene.heap.validate.bucket_books import BucketBooks
from heapscene.heap.validate.fault import Fault, Faults, Place

__all__ = ["check_headers", "check_records"]

Words = NDArray[np.uint32]


def check_headers(faults: Faults, books: BucketBooks, words: Words) -> None:
    """Compare live header rows: bases are ``references``, strides are ``headers``.

    Parameters
    ----------
    words
        The bucket's header rows, dead ones included.
    """
    bucket = books.bucket
    width = bucket.schema.row_words
    place = Place("headers", bucket.page.number, books.number)
    whole = words[: len(words) // width * width].reshape(-1, width) if width else words
    faults.looked("references", books.headers.size // 2)
    faults.looked("headers", books.headers.size // 2)
    if not width:
        return
    if len(books.rows) and int(books.rows.max()) >= len(whole):
        faults.add(
            Fault("headers", "number of rows", *place, None, None, None,
                  int(books.rows.max()) + 1, len(whole))
        )  # fmt: skip
        return
    found = whole[books.rows]
    at, columns = np.nonzero(found != books.headers)
    for check, which in (("references", 0), ("headers", 1)):
        chosen = columns % 2 == which
        rows, column = at[chosen], columns[chosen]
        names = [_field(books, k) for k in column[: faults.room(check)].tolist()]
        owners = books.row_owners[rows]
        faults.add_words(
            check,
            place,
            books.rows[rows] * width + column,
            names,
            (books.headers[rows, column], found[rows, column]),
            (owners, np.full(len(owners), -1)),
        )


def check_records(faults: Faults, books: BucketBooks, words: Words) -> None:
    """Compare all records: where they point are ``references``, the rest is ``records``.

    Records that belong to nobody have to be zero.
    """
    bucket = books.bucket
    place = Place("records", bucket.page.number, books.number)
    found = words.reshape(-1, RECORD_WORDS)
    faults.looked("references", 2 * int(np.count_nonzero(books.owners >= 0)))
    faults.looked("records", books.records.size)
    n = len(books.records)
    if len(found) < n:
        faults.add(
            Fault("records", "number of records", *place, None, None, None, n, len(found))
        )  # fmt: skip
    at, columns = np.nonzero(found[:n] != books.records[: len(found)])
    points = (columns == HEADER) | (columns == INDEX_START)
    for check, chosen in (("references", points), ("records", ~points)):
        rows, column = at[chosen], columns[chosen]
        faults.add_words(
            check,
            place,
            rows * RECORD_WORDS + column,
            [_word(books, *pair) for pair in zip(rows[: faults.room(check)], column, strict=False)],
            (books.records[rows, column], found[rows, column]),
            (books.owners[rows], books.handles[rows]),
        )


def _field(books: BucketBooks, column: int) -> str:
    field = books.bucket.fields[column // 2]
    return f"{'base' if column % 2 == 0 else 'stride'} of {field.name}"


def _word(books: BucketBooks, record: int, column: int) -> str:
    names = RECORD.names
    assert names is not None
    name = names[column].replace("_", " ")
    return name if books.owners[record] >= 0 else f"{name} of an unused record"
