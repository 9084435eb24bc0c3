"""Pages that one or several heaps share: what is in them, who hears of changes, what moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from heapscene.errors import InputError, explain
from heapscene.heap.bucket import Bucket
from heapscene.heap.bucket_limits import BucketLimits
from heapscene.heap.catalog import Catalog
from heapscene.heap.compaction import Compactor
from heapscene.heap.following import FEW, write_followed
from heapscene.heap.limited import encode_followed, encode_followed_rows
from heapscene.heap.page import Entry, Page
from heapscene.heap.placement import Placement
from heapscene.heap.resident import Resident
from heapscene.heap.shape import Shape
from heapscene.shader import types

if TYPE_CHECKING:
    from heapscene.heap.draw_heap import DrawHeap

__all__ = ["Memory"]

_LEAST_PAGE = 1024


def _always(_page: Page) -> bool:
    return True


class Memory:
    """Pages, and the heaps that keep their draws' data in them.

    Heaps hold the same geometry and the same values once. What changes in place is written by
    whichever heap is updated first; what gets another size is noted for each heap that uses it.

    Parameters
    ----------
    page_bytes
        Limit of a page.
    limits
        Those of a bucket; by default only what 32 bits can number.

    Attributes
    ----------
    pages
        From the oldest to the newest.
    heaps
        Who has data here.
    was_shared
        Whether there have ever been several.

    Raises
    ------
    InputError
        ``page_bytes`` is too small.
    """

    def __init__(self, page_bytes: int, limits: BucketLimits | None = None) -> None:
        if page_bytes < _LEAST_PAGE:
            raise InputError(
                explain(
                    f"page_bytes has to be at least {_LEAST_PAGE}",
                    facts={"page_bytes": page_bytes},
                    fix="Write page_bytes=65536 or more.",
                )
            )
        self.page_bytes = page_bytes & ~15
        self.limits = BucketLimits() if limits is None else limits
        self.catalog = Catalog()
        self.placement = Placement(self.page_bytes, self.catalog)
        self.pages = self.placement.pages
        self.compactor = Compactor()
        self.heaps: list[DrawHeap] = []
        self.was_shared = False

    def __repr__(self) -> str:
        return f"Memory({len(self.pages)} pages, {len(self.heaps)} heaps)"

    def join(self, heap: DrawHeap) -> None:
        """Take a heap in."""
        self.heaps.append(heap)
        self.was_shared |= len(self.heaps) > 1

    def leave(self, heap: DrawHeap) -> None:
        """Let a heap go that has given back what it held."""
        self.heaps.remove(heap)
        self.tidy()

    # Values

    def pull(self) -> dict[Any, Exception]:
        """Write what values have become, or note it for the heaps that have to do more.

        Returns
        -------
        dict
            What values raised, or what is wrong with them, by key; these are asked again.
        """
        sink = self.placement.sink
        keys: list[Any] = sink.drain()
        failed: dict[Any, Exception] = {}
        moved = False
        if len(keys) >= FEW:
            moved, keys = write_followed(keys, failed)
        for key in keys:
            try:
                if isinstance(key, Shape):
                    self._pass_on(key)
                else:
                    moved |= self._follow(key)
            except Exception as error:  # noqa: BLE001  raised by who asked
                failed[key] = error
        if moved:
            for heap in self.heaps:
                heap.bounds_generation += 1
        for key in failed:
            sink.retry(key)
        return failed

    def _follow(self, entry: Entry) -> bool:
        """Write a value to where it lies; return whether bounds may be others."""
        follows, aval = entry.follows, entry.aval
        assert follows is not None
        assert aval is not None
        at = entry.offset >> 2
        if not follows.rows:
            data = encode_followed(follows, aval)
            return entry.page.write(at, data) and follows.type == types.MAT4
        rows = encode_followed_rows(follows, aval)
        if rows.nbytes == entry.nbytes:
            return entry.page.write(at, rows)
        self._pass_on(entry)
        return False

    def _pass_on(self, key: Entry | Shape) -> None:
        """Let each heap whose draws have to be placed anew know."""
        users: dict[Resident, None] = key.users or {}
        if isinstance(key, Shape):
            self.catalog.outdate(key)
        for heap in {resident.bucket.owner: None for resident in users}:
            heap.backlog[key] = None

    def is_elsewhere(self, shape: Shape, heap: DrawHeap) -> bool:
        """Whether another heap uses a shape."""
        if len(self.heaps) < 2:
            return False
        return any(resident.bucket.owner is not heap for resident in shape.users)

    # Pages

    def buckets(self) -> Iterator[Bucket]:
        """Return the buckets of all heaps."""
        for heap in self.heaps:
            yield from heap.buckets

    @property
    def table_bytes(self) -> int:
        """Size of the largest table of header rows or records."""
        tables = [words for bucket in self.buckets() for words in (bucket.headers, bucket.records)]
        return max([4 * words.used for words in tables], default=0)

    def compact_some(self, may_move: Callable[[Page], bool] = _always) -> int:
        """Move what lies on pages that waste too much, as far as one frame goes.

        Parameters
        ----------
        may_move
            Whether anything on a page may move now.

        Returns
        -------
        int
            Bytes moved; 0 if nothing was to do.
        """
        return self.compactor.step(filter(may_move, self.pages), self.buckets)

    def compact(self, may_move: Callable[[Page], bool] = _always) -> int:
        """Move everything together on every page; return how many bytes were moved."""
        return self.compactor.all(filter(may_move, self.pages), self.buckets)

    def tidy(self) -> None:
        """Give back what nobody uses."""
        self.placement.tidy()

    def stats(self) -> dict[str, int]:
        """Return counts and bytes."""
        pages = self.pages
        return {
            "pages": len(pages),
            "page_bytes": sum(page.allocator.cursor for page in pages),
            "live_bytes": sum(page.allocator.live_bytes for page in pages),
            "waste_bytes": sum(page.allocator.waste for page in pages),
            "capacity_bytes": sum(page.data.nbytes for page in pages),
            "entries": sum(page.n_entries for page in pages),
        }
