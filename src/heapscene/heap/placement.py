"""Which page a draw goes to: all that it needs, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, Sink
from heapscene.heap.catalog import Catalog
from heapscene.heap.page import Column, Entry, Fresh, Page, Part, Piece
from heapscene.heap.plan import Plan
from heapscene.heap.resident import Resident
from heapscene.heap.shape import Shape

__all__ = ["Placement"]

Fits = Callable[[Page], bool]
"""Whether the bucket on a page has room, see :meth:`Bucket.has_room`."""

_GOOD_PART = 64
_LARGE = 256  # bytes of a piece that are worth looking for; smaller than that are single values


class Placement:
    """The pages, and what of them each draw holds.

    Attributes
    ----------
    sink
        Hears of what may change in the pages.
    """

    def __init__(self, page_bytes: int, catalog: Catalog) -> None:
        self.page_bytes = page_bytes
        self.pages = [Page(0, page_bytes)]
        self.sink: Sink[Any] = Sink(partial(_followed, self.pages))
        self._catalog = catalog

    def place(self, plan: Plan, home: Page | None, fits: Fits) -> tuple[Part, list[Entry]]:
        """Reserve everything on one page and write what is new there.

        Tried in this order: `home`, pages that hold the geometry, then those that hold the largest
        piece, the others from the newest on, a new one; only those that it `fits`.
        """
        parts, entries = self.place_all((plan.shape,), plan.pieces, home, fits)
        return parts[0], entries

    def place_all(
        self, shapes: Sequence[Shape], pieces: Sequence[Piece], home: Page | None, fits: Fits
    ) -> tuple[list[Part], list[Entry]]:
        """Do the same for several shapes at once."""
        tried: set[int] = set()
        beside = [*shapes[0].pages, *self._with_largest(shapes, pieces)]
        for page in chain(() if home is None else (home,), beside, reversed(self.pages)):
            if page.number not in tried:
                tried.add(page.number)
                found = self._reserve(page, shapes, pieces) if fits(page) else None
                if found is not None:
                    return found
        page = Page(self.pages[-1].number + 1, self.page_bytes)
        found = self._reserve(page, shapes, pieces)
        assert found is not None, "the plan was checked against the size of a page"
        self.pages.append(page)
        return found

    def _with_largest(self, shapes: Sequence[Shape], pieces: Sequence[Piece]) -> list[Page]:
        """Return the pages that hold the largest piece already, unless it is too small to matter."""
        if len(self.pages) == 1:
            return []
        every = [*pieces, *(piece for shape in shapes for piece in shape.pieces)]
        largest = max(every, key=lambda piece: piece.nbytes, default=None)
        if largest is None or largest.nbytes < _LARGE:
            return []
        key, book = largest.key, largest.book
        return [page for page in self.pages if key in page.books.get(book, ())]

    def acquire(self, page: Page, pieces: Sequence[Piece]) -> list[Entry] | None:
        """Reserve pieces on a page and write what is new there; ``None`` if there is no room."""
        fresh: Fresh = []
        entries = page.acquire_all(pieces, fresh)
        if entries is not None:
            self._fill(page, fresh)
        return entries

    def release_all(self, parts: Sequence[Part], entries: Sequence[Entry]) -> None:
        """Give back what rows of a table held."""
        for entry in entries:
            self._drop_entry(entry)
        for part in parts:
            self._drop_part(part)

    def room_for(
        self, shape: Shape, nbytes: int, count: int, draws_on: Callable[[Page], int]
    ) -> tuple[Page, int] | None:
        """Return a page with room at its end for a shape and draws of `nbytes` each, and how many.

        Pages that hold the shape come first, then the others from the newest on; ``None`` if there
        is none with room for all, or for a good part. The bucket on a page has room for `draws_on` it.
        """
        for page in chain(shape.pages, reversed(self.pages)):
            room = page.allocator.limit - page.allocator.cursor
            if shape not in page.parts:
                room -= shape.nbytes
            fit = min(count, room // nbytes if nbytes else count) if room >= 0 else 0
            fit = min(fit, draws_on(page)) if fit > 0 else 0
            if fit > 0 and (fit == count or fit >= _GOOD_PART):
                return page, fit
        return None

    def take_part(self, page: Page, shape: Shape, count: int) -> Part:
        """Return a shape's part on a page, for `count` more draws; there has to be room."""
        part = page.parts.get(shape)
        if part is None:
            fresh: Fresh = []
            entries = page.acquire_all(shape.pieces, fresh)
            assert entries is not None
            part = page.parts[shape] = Part(page, shape, entries)
            self._register(shape, page)
            self._fill(page, fresh)
        part.refs += count
        return part

    def take_column(
        self, page: Page, column: Column, start: int, stop: int
    ) -> tuple[Iterable[Entry], NDArray[np.uint32] | int]:
        """Return the entries of draws `start` to `stop` of a column, and where they lie in words."""
        if column.piece is not None:
            fresh: Fresh = []
            entry = page.acquire(column.piece, fresh)
            assert entry is not None
            entry.refs += stop - start - 1
            self._fill(page, fresh)
            return repeat(entry, stop - start), entry.offset >> 2
        held, new = page.acquire_column(column, start, stop)
        if column.follows is not None:
            self.sink.watch_all((entry.key, entry) for entry in new)
        bases = np.fromiter((entry.offset >> 2 for entry in held), np.uint32, len(held))
        return held, bases

    def release(self, resident: Resident, part: Part, entries: Sequence[Entry]) -> None:
        """Give back what a draw held; it is either gone or holds something else by now."""
        kept = resident.entries if resident.is_live else ()
        for entry in entries:
            if entry.users is not None and not any(entry is other for other in kept):
                entry.users.pop(resident, None)
            self._drop_entry(entry)
        shape = part.shape
        if shape.avals and not (resident.is_live and resident.part.shape is shape):
            shape.users.pop(resident, None)
        self._drop_part(part)

    def tidy(self) -> None:
        """Let used words follow what is allocated, and drop empty pages but the first."""
        for page in self.pages:
            page.fit()
        self.pages[1:] = [page for page in self.pages[1:] if not page.is_empty]

    def _drop_entry(self, entry: Entry) -> None:
        if entry.page.release(entry) and entry.follows is not None and entry.aval is not None:
            self.sink.unwatch(entry.aval, entry)

    def _drop_part(self, part: Part) -> None:
        page = part.page
        part.refs -= 1
        if part.refs == 0:
            for entry in part.entries:
                page.release(entry)
            del page.parts[part.shape]
            self._unregister(part.shape, page)

    def _reserve(
        self, page: Page, shapes: Sequence[Shape], pieces: Sequence[Piece]
    ) -> tuple[list[Part], list[Entry]] | None:
        fresh: Fresh = []
        parts: list[Part] = []
        for shape in shapes:
            part = page.parts.get(shape)
            if part is None:
                held = page.acquire_all(shape.pieces, fresh)
                if held is None:
                    return _give_up(page, parts)
                part = Part(page, shape, held)
                page.parts[shape] = part
            part.refs += 1
            parts.append(part)
        entries = page.acquire_all(pieces, fresh)
        if entries is None:
            return _give_up(page, parts)
        for part in parts:
            if page not in part.shape.pages:
                self._register(part.shape, page)
        self._fill(page, fresh)
        return parts, entries

    def _fill(self, page: Page, fresh: Fresh) -> None:
        """Write what has a place now, and listen to what may change it."""
        page.fit()
        for entry, data in fresh:
            page.write(entry.offset >> 2, data.read() if isinstance(data, Entry) else data)
            if entry.follows is not None and entry.aval is not None:
                self.sink.watch(entry.aval, entry)
                if isinstance(data, Entry):
                    self.sink.retry(entry)  # its value raised: ask again

    def _register(self, shape: Shape, page: Page) -> None:
        shape.pages.append(page)
        if len(shape.pages) > 1:
            return
        is_known = self._catalog.register(shape)
        for aval in shape.avals:
            self.sink.watch(aval, shape)
        if shape.avals and not is_known:
            self.sink.retry(shape)  # nobody listened since its arrays were read

    def _unregister(self, shape: Shape, page: Page) -> None:
        shape.pages.remove(page)
        if shape.pages:
            return
        self._catalog.unregister(shape)
        for aval in shape.avals:
            self.sink.unwatch(aval, shape)


def _followed(pages: Iterable[Page]) -> Iterator[tuple[AVal[Any], Entry]]:
    for page in pages:
        for entry in page.entries:
            if entry.aval is not None:
                yield entry.aval, entry


def _give_up(page: Page, parts: Sequence[Part]) -> None:
    """Give back parts that were reserved when something else found no room."""
    for part in parts:
        part.refs -= 1
        if part.refs == 0:
            for entry in part.entries:
                page.release(entry)
            del page.parts[part.shape]
