"""Whether what the kernels of a bucket have written is what it should be.

Expected are the results for the records that the heap's books give. If the records on the GPU are
others, which somebody else reports, what was computed from those is right as well: a fault in one
place is reported in that place only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heapscene.heap import CORNERS, BucketBooks, Fault, Faults, Place
from heapscene.kernels.args import ARGS_WORDS, args_reference
from heapscene.kernels.expand import expand_reference
from heapscene.kernels.probe import probe_reference
from heapscene.kernels.scan import scan_reference
from heapscene.kernels.tiles import TILE, tiles_reference
from heapscene.typing import UintArray

__all__ = ["KernelTables", "TableChecks"]

Mask = NDArray[np.bool_]
_FOUND = ("record", "header row", "instance", "element", "vertex")
_ARGUMENTS = ("count", "instances", "first index", "base vertex", "first instance")


class KernelTables(NamedTuple):
    """What kernels read and wrote, as it was read back.

    Attributes
    ----------
    records, firsts, arguments
        ``(n, 8)``, ``(n + 1, 2)`` and ``(slots, 5)`` words.
    tiles
        The tables by emitted index and by vertex, ``(t,)`` each; ``None`` where nothing needs one.
    page
        Returns the words of the page.
    """

    records: UintArray
    firsts: UintArray
    arguments: UintArray
    tiles: tuple[UintArray | None, UintArray | None]
    page: Callable[[], UintArray]


class TableChecks:
    """The checks of one bucket.

    Parameters
    ----------
    windows
        Where each slot begins in the index buffer; ``None`` if it is drawn as mega.

    Attributes
    ----------
    starts
        Prefix sums as they should be.
    emitted
        How many indices there should be.
    """

    def __init__(self, faults: Faults, books: BucketBooks, windows: Sequence[int | None]) -> None:
        self.starts = scan_reference(books.records)
        self.emitted = int(self.starts[-1, 0])
        self._faults = faults
        self._books = books
        self._windows = windows
        self._damaged: tuple[UintArray, UintArray] | None = None
        self._page: Callable[[], UintArray] = lambda: books.bucket.page.data
        self._tail = np.zeros((0, len(_FOUND)), np.uint32)
        self._tail_wrong = np.zeros(0, np.bool_)

    def tiles(self, axis: int) -> int:
        """Return how many tiles there are by emitted index or vertex, the last entry not counted."""
        return -(-int(self.starts[-1, axis]) // TILE)

    def emitted_of(self, slot: int) -> tuple[int, int]:
        """Return the first emitted index of a slot, and the one behind its last."""
        first, last = self._books.ranges[slot]
        return int(self.starts[first, 0]), int(self.starts[last, 0])

    def check_tables(self, tables: KernelTables) -> None:
        """Check prefix sums, tile table and indirect arguments."""
        books, starts = self._books, self.starts
        self._page = tables.page
        others = None
        if not np.array_equal(tables.records, books.records):
            self._damaged = tables.records, tables.firsts
            others = scan_reference(tables.records)
        everyone = np.append(books.owners, -1)
        handles = np.append(books.handles, -1)
        self._compare(
            ("prefix-sums", "firsts", ["first index", "first vertex"]),
            (starts, others),
            tables.firsts,
            (np.repeat(everyone, 2), np.repeat(handles, 2)),
        )
        for axis, table in enumerate(tables.tiles):
            if table is None:
                continue
            last = self.tiles(axis)
            expected = tiles_reference(starts, axis, last)
            others = None
            if self._damaged is not None:
                others = tiles_reference(tables.firsts, axis, last)
            owners = books.owners[expected], books.handles[expected]
            self._compare(("tile-bounds", "tiles", ["record"]), (expected, others), table, owners)
        bounds = np.zeros((len(books.ranges), 4), np.uint32)
        bounds[:, :2] = books.ranges
        bounds[:, 2] = [window or 0 for window in self._windows]
        bounds[:, 3] = [window is not None for window in self._windows]
        expected, others = args_reference(starts, bounds), None
        if self._damaged is not None:
            others = args_reference(tables.firsts, bounds)
        nobody = np.full(expected.size, -1)
        what = ("indirect-arguments", "arguments", _ARGUMENTS)
        self._compare(what, (expected, others), tables.arguments, (nobody, nobody))

    def check_indices(self, slot: int, first: int, found: UintArray) -> None:
        """Check what the index buffer holds of a slot, from emitted index `first` on."""
        books = self._books
        self._faults.looked("expanded-indices", len(found))
        stop, page = first + len(found), books.bucket.page.data
        begin = books.ranges[slot, 0]
        expected = expand_reference(books.records, self.starts, page, first, stop)
        expected -= self.starts[begin, 1]
        wrong = np.flatnonzero(found != expected)
        if not len(wrong):
            return
        # The page may hold other indices than the heap has sent, before or after the expansion.
        records, starts = self._damaged or (books.records, self.starts)
        others = expand_reference(records, starts, self._page(), first, stop) - starts[begin, 1]
        wrong = wrong[found[wrong] != others[wrong]]
        owner = self._owner(first + wrong)
        self._faults.add_words(
            "expanded-indices",
            self._place("indices"),
            first + wrong - int(self.starts[begin, 0]) + (self._windows[slot] or 0),
            ["vertex"],
            (expected[wrong], found[wrong]),
            (books.owners[owner], books.handles[owner]),
        )

    def check_search(self, slot: int, first: int, found: UintArray) -> None:
        """Check what the probe has found for emitted indices of a slot from `first` on.

        Parameters
        ----------
        found
            ``(n, 5)``, see :data:`~heapscene.kernels.PROBE_WORDS`; parts of a slot have to
            come in order.
        """
        books, stop = self._books, first + len(found)
        self._faults.looked("search", len(found))
        page = books.bucket.page.data
        expected = probe_reference(books.records, self.starts, page, first, stop)
        wrong = (found != expected).any(axis=1)
        if wrong.any():
            others = probe_reference(books.records, self.starts, self._page(), first, stop)
            wrong &= (found != others).any(axis=1)
            at = np.flatnonzero(wrong)
            column = (found != expected)[at].argmax(axis=1)
            owner = expected[at, 0]
            self._faults.add_words(
                "search",
                self._place("indices"),
                first + at,
                [_FOUND[k] for k in column[: self._faults.room("search")]],
                (expected[at, column], found[at, column]),
                (books.owners[owner], books.handles[owner]),
            )
        self._check_primitives(slot, first, found, wrong)

    def _check_primitives(self, slot: int, first: int, found: UintArray, wrong: Mask) -> None:
        """Check that the corners of a triangle, or line, are of one record and instance.

        What the search got wrong is reported already.
        """
        begin, end = self.emitted_of(slot)
        if first == begin:
            self._tail, self._tail_wrong = found[:0], wrong[:0]
        rows = np.concatenate([self._tail, found])
        wrong = np.concatenate([self._tail_wrong, wrong])
        base, stop = first - len(self._tail), first + len(found)
        corners = CORNERS[self._books.states[slot].topology]
        last = begin + corners - 1
        last += max(0, -(-(first - last) // corners)) * corners
        lasts = np.arange(last, min(stop, end), corners)
        if first < end <= stop and (end - begin) % corners:
            self._report_rest(begin, end, corners)
        if len(lasts):
            self._faults.looked("triangle-coherence", len(lasts))
            corner = (lasts - base)[:, None] - np.arange(corners)
            owner = rows[corner][:, :, [0, 2]]
            same = (owner == owner[:, :1]).all(axis=(1, 2))
            torn = ~same & ~wrong[corner].any(axis=1)
            self._report_torn(lasts[torn], rows[corner[torn]])
        self._tail, self._tail_wrong = rows[-2:], wrong[-2:]

    def _report_rest(self, begin: int, end: int, corners: int) -> None:
        whole = begin + (end - begin) // corners * corners
        owner = int(self._owner(np.array([whole]))[0])
        self._faults.add(
            Fault(
                "triangle-coherence",
                "corners of the last primitive",
                *self._place("indices"),
                offset=4 * whole,
                draw=int(self._books.owners[owner]),
                expected=corners,
                found=end - whole,
            )
        )

    def _report_torn(self, lasts: NDArray[np.int64], corners: UintArray) -> None:
        if not len(lasts):
            return
        books, first = self._books, corners[:, -1]
        owner = np.minimum(first[:, 0], len(books.owners) - 1)
        self._faults.add_words(
            "triangle-coherence",
            self._place("indices"),
            lasts - corners.shape[1] + 1,
            ["record of the last corner"],
            (first[:, 0], corners[:, 0, 0]),
            (books.owners[owner], books.handles[owner]),
        )

    def _compare(
        self,
        what: tuple[str, str, Sequence[str]],
        expected: tuple[UintArray, UintArray | None],
        found: UintArray,
        owners: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        """Report words of a table that are neither what they should be nor what explains them."""
        check, buffer, names = what
        right, other = expected[0].reshape(-1), expected[1]
        words = found.reshape(-1)
        self._faults.looked(check, len(right))
        if len(words) < len(right):
            self._faults.add(
                Fault(check, "number of words", *self._place(buffer), None, None, None,
                      len(right), len(words))
            )  # fmt: skip
            return
        wrong = words[: len(right)] != right
        if other is not None:
            wrong &= words[: len(right)] != other.reshape(-1)
        at = np.flatnonzero(wrong)
        self._faults.add_words(
            check,
            self._place(buffer),
            at,
            [names[int(k) % len(names)] for k in at[: self._faults.room(check)]],
            (right[at], words[at]),
            (owners[0][at], owners[1][at]),
        )

    def _place(self, buffer: str) -> Place:
        return Place(buffer, self._books.bucket.page.number, self._books.number)

    def _owner(self, emitted: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self.starts[:-1, 0], emitted, side="right") - 1


assert len(_ARGUMENTS) == ARGS_WORDS
