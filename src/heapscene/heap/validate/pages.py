"""The words of a page: what was sent, finite, and indices of vertices that there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.heap.page import Part
from heapscene.heap.validate.fault import Fault, Faults, Place
from heapscene.heap.validate.page_books import PageBooks, Ranges

__all__ = ["check_page"]

Words = NDArray[np.uint32]
_BLOCK = 1 << 20  # words looked at together
_EXPONENT = 0x7F800000
_WIDTHS = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def check_page(faults: Faults, books: PageBooks, words: Words) -> None:
    """Compare a page with what the heap sent.

    A wrong word is reported once: as ``finite-data`` or ``sizes`` if that is what is wrong with it,
    otherwise as ``page-words``. The first two are reported if the heap itself has such numbers, too.

    Parameters
    ----------
    words
        The used part of the page as it was read back.
    """
    mirrored = books.page.data[: books.page.used]
    if len(words) < len(mirrored):
        place = Place("page", books.page.number)
        faults.add(
            Fault("page-words", "number of words", *place, expected=len(mirrored), found=len(words))
        )
        words = np.concatenate([words, np.zeros(len(mirrored) - len(words), np.uint32)])
    taken = [_check_finite(faults, books, words), _check_indices(faults, books, words)]
    live = books.live
    faults.looked("page-words", int((live.stops - live.starts).sum()))
    for start in range(0, len(mirrored), _BLOCK):
        stop = min(start + _BLOCK, len(mirrored))
        differ = np.flatnonzero(words[start:stop] != mirrored[start:stop]) + start
        if len(differ):
            differ = differ[~np.isin(differ, np.concatenate(taken))]
            _report(faults, "page-words", books, differ, live, words)


def _check_finite(faults: Faults, books: PageBooks, words: Words) -> NDArray[np.int64]:
    """Report words that are no finite numbers; return their numbers."""
    finite = books.finite
    faults.looked("finite-data", int((finite.stops - finite.starts).sum()))
    found: list[NDArray[np.int64]] = []
    for start in range(0, len(words), _BLOCK):
        block = words[start : start + _BLOCK]
        at = np.flatnonzero((block & np.uint32(_EXPONENT)) == _EXPONENT) + start
        at = at[finite.find(at) >= 0]
        _report(faults, "finite-data", books, at, finite, words)
        found.append(at)
    return np.concatenate([np.zeros(0, np.int64), *found])


def _check_indices(faults: Faults, books: PageBooks, words: Words) -> NDArray[np.int64]:
    """Report words that hold an index of no vertex; return their numbers."""
    found = np.zeros(0, np.int64)
    for part, place in books.parts:
        if part.shape.width and part.shape.count:
            faults.looked("sizes", part.shape.count)
            at, values, largest = _outside(part, words)
            new = ~np.isin(at, found)  # several programs may draw one index array
            at, values = at[new], values[new]
            if len(at):
                faults.add_words(
                    "sizes",
                    Place("page", books.page.number),
                    at,
                    ["index"],
                    (np.full(len(at), f"at most {largest}"), values),
                    (np.full(len(at), place), np.full(len(at), -1)),
                )
                found = np.concatenate([found, at])
    return found


def _outside(part: Part, words: Words) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return the words with indices too large, the first such index of each, and the largest allowed."""
    shape = part.shape
    counts = [
        entry.nbytes // (4 * piece.stride)
        for entry, piece in zip(part.entries, shape.attributes, strict=False)
        if piece.stride
    ]
    n_vertices = min(counts, default=1 << 32)
    first = part.entries[-1].offset + shape.index_skip
    indices = words.view(_WIDTHS[shape.width])
    at = first // shape.width
    drawn = indices[at : at + shape.count]
    wrong = np.flatnonzero(drawn >= n_vertices if n_vertices < 1 << 32 else np.zeros(0))
    places, which = np.unique((wrong + at) * shape.width // 4, return_index=True)
    return places.astype(np.int64), drawn[wrong[which]].astype(np.int64), n_vertices - 1


def _report(
    faults: Faults,
    check: str,
    books: PageBooks,
    at: NDArray[np.int64],
    ranges: Ranges,
    words: Words,
) -> None:
    """Report words that lie in ranges; the others belong to nobody."""
    number = ranges.find(at)
    at, number = at[number >= 0], number[number >= 0]
    if not len(at):
        return
    names = [ranges.names[k] for k in ranges.named[number[: faults.room(check)]].tolist()]
    if check == "finite-data":
        values = (np.full(len(at), "a finite number"), words[at].view(np.float32))
    else:
        values = (books.page.data[at], words[at])
    owners = ranges.owners[number]
    place = Place("page", books.page.number)
    faults.add_words(check, place, at, names or [""], values, (owners, books.handles(at)))
