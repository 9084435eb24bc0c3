"""All checks of a heap and of the words that it has sent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import collector_paused
from heapscene.heap.draw_heap import DrawHeap
from heapscene.heap.validate.allocations import check_allocations
from heapscene.heap.validate.bucket_books import BucketBooks, read_books, without_places
from heapscene.heap.validate.constants import check_constants
from heapscene.heap.validate.counts import check_counts, check_holders
from heapscene.heap.validate.fault import Faults
from heapscene.heap.validate.page_books import page_books
from heapscene.heap.validate.pages import check_page
from heapscene.heap.validate.sizes import check_extents
from heapscene.heap.validate.tables import check_headers, check_records
from heapscene.heap.words import Words

__all__ = ["check_heap"]

Read = Callable[[Words], NDArray[np.uint32]]


def check_heap(faults: Faults, heap: DrawHeap, read: Read | None) -> list[BucketBooks]:
    """Check the books of a heap, and what `read` gives against them.

    Parameters
    ----------
    read
        Returns the used words of a page, of header rows or of records, as they were read back;
        ``None`` checks the books only.

    Returns
    -------
    list[BucketBooks]
        What the records of each bucket should be.
    """
    with collector_paused():
        return _check(faults, heap, read)


def _check(faults: Faults, heap: DrawHeap, read: Read | None) -> list[BucketBooks]:
    buckets = read_books(heap)
    everyone = [*buckets, *_of_others(heap)]
    check_counts(faults, heap, buckets)
    for page in heap.pages:
        holders = [books for books in everyone if books.bucket.page is page]
        check_holders(faults, page, holders)
        check_allocations(faults, page)
        check_constants(faults, page)
        found = page_books(page, holders)
        check_extents(faults, found, holders)
        if read is not None:
            check_page(faults, found, read(page))
    if read is not None:
        for books in buckets:
            check_headers(faults, books, read(books.bucket.headers))
            check_records(faults, books, read(books.bucket.records))
    return buckets


def _of_others(heap: DrawHeap) -> list[BucketBooks]:
    """Return the books of who else keeps data on the heap's pages; their draws have no places."""
    others = [other for other in heap.memory.heaps if other is not heap]
    return [without_places(books) for other in others for books in read_books(other)]
