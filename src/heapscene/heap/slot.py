"""The draws of a bucket with one pipeline state, in rank order."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import PipelineState
from heapscene.heap.resident import Resident

if TYPE_CHECKING:
    from heapscene.heap.chunk import Chunk

__all__ = ["Slot"]


class Slot:
    """A range of a bucket's record table: one draw call.

    A draw has one record; the rows of a chunk are a *block* of records under one rank. There are few
    blocks, so they are listed apart, and a slot without any counts nothing for them.

    Attributes
    ----------
    state
        The pipeline state.
    start, stop
        First record, and the one behind the last; `room` records belong to the slot, those
        from `stop` on are zero.
    number
        What word 2 of its records holds, beside the index width; unique in the bucket at any time.
    live
        Draws and blocks in it; the other entries before `stop` are holes.
    emitted, vertices
        Exact sums over its records of ``count * instances`` and ``vertex_span * instances``.
    generation
        Changes whenever one of its records does.
    """

    __slots__ = (
        "_blocks",
        "_extra",
        "emitted",
        "generation",
        "key",
        "live",
        "number",
        "ranks",
        "residents",
        "room",
        "start",
        "state",
        "vertices",
    )

    def __init__(self, state: PipelineState, number: int, start: int) -> None:
        self.state = state
        self.key = state.key
        self.number = number
        self.start = start
        self.room = 0
        self.live = 0
        self.emitted = 0
        self.vertices = 0
        self.generation = 0
        # A hole keeps the rank of what was there, so that ranks stay sorted.
        self.ranks: list[int] = []
        self.residents: list[Resident | Chunk | None] = []
        self._blocks: list[tuple[int, int]] = []  # rank, records besides the first
        self._extra = 0

    @property
    def length(self) -> int:
        """Records between `start` and `stop`."""
        return len(self.ranks) + self._extra

    @property
    def stop(self) -> int:
        """The record behind the last."""
        return self.start + len(self.ranks) + self._extra

    @property
    def holes(self) -> int:
        """How many records before `stop` draw nothing because their draw left."""
        return len(self.ranks) - self.live

    @property
    def block_records(self) -> int:
        """Records of all blocks."""
        return self._extra + len(self._blocks)

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """First record and length of each block, in order."""
        return [(self.find(rank), extra + 1) for rank, extra in self._blocks]

    @property
    def chunks(self) -> list[Chunk]:
        """The chunks whose blocks these are."""
        places = (bisect_left(self.ranks, rank) for rank, _ in self._blocks)
        return [cast("Chunk", self.residents[at]) for at in places]

    def __repr__(self) -> str:
        return f"Slot({self.number}: {self.live} draws in records {self.start} to {self.stop})"

    def find(self, rank: int) -> int:
        """Return the number of the (first) record of the draw or block with this rank."""
        return (
            self.start + bisect_left(self.ranks, rank) + (self._before(rank) if self._blocks else 0)
        )

    def grows(self, rank: int) -> bool:
        """Whether :meth:`place` would need one more record than there is."""
        return self.length >= self.room and not self._has_hole(bisect_left(self.ranks, rank))

    def place(self, rank: int, resident: Resident) -> tuple[int, int]:
        """Make a place for a draw.

        Returns
        -------
        tuple[int, int]
            ``(first, last)``: the draw is at `first`, and what lay in ``[first, last - 1)`` has
            moved up by one. Counted in records from the slot's start.
        """
        ranks, residents = self.ranks, self.residents
        at = bisect_left(ranks, rank)
        self.live += 1
        if at < len(ranks) and residents[at] is None:
            pass
        elif at > 0 and residents[at - 1] is None:
            at -= 1
        else:
            hole = self._hole(at)
            first, last = self._record(at), self._record(hole) + 1
            if hole < len(ranks):
                del ranks[hole], residents[hole]
            ranks.insert(at, rank)
            residents.insert(at, resident)
            return first, last
        first = self._record(at)
        ranks[at] = rank
        residents[at] = resident
        return first, first + 1

    def place_block(self, rank: int, chunk: Chunk, size: int) -> int:
        """Make a place for `size` records; what lay behind has moved up by as many.

        Returns
        -------
        int
            Where the block begins, counted from the slot's start.
        """
        at = bisect_left(self.ranks, rank)
        first = self._record(at)
        self.ranks.insert(at, rank)
        self.residents.insert(at, chunk)
        insort(self._blocks, (rank, size - 1))
        self._extra += size - 1
        self.live += 1
        return first

    def take_block(self, rank: int) -> tuple[int, int]:
        """Forget a block; what lay behind has moved down.

        Returns
        -------
        tuple[int, int]
            Where it began, counted from the slot's start, and how many records it had.
        """
        at = bisect_left(self.ranks, rank)
        first = self._record(at)
        block = next(block for block in self._blocks if block[0] == rank)
        self._blocks.remove(block)
        self._extra -= block[1]
        del self.ranks[at], self.residents[at]
        self.live -= 1
        return first, block[1] + 1

    def merge(self, residents: list[Resident], start: int = 0) -> NDArray[np.int64]:
        """Take draws in, none of which is here, while there are no holes from entry `start` on.

        Returns
        -------
        numpy.ndarray
            The new order of records from there on: places in the old ones from there, followed by
            those of `residents`.
        """
        sizes = np.concatenate([self._sizes()[start:], np.ones(len(residents), np.int64)])
        ranks = [*self.ranks[start:], *[resident.rank for resident in residents]]
        everyone: list[Any] = [*self.residents[start:], *residents]
        order = sorted(range(len(ranks)), key=ranks.__getitem__)
        self.ranks[start:] = [ranks[at] for at in order]
        self.residents[start:] = [everyone[at] for at in order]
        self.live += len(residents)
        return _spread(np.array(order, np.int64), sizes)

    def clear(self, rank: int) -> tuple[int, int]:
        """Take a draw out; return the range of records to zero, counted from the slot's start."""
        ranks, residents = self.ranks, self.residents
        at = bisect_left(ranks, rank)
        first = self._record(at)
        residents[at] = None
        self.live -= 1
        while residents and residents[-1] is None:
            residents.pop()
            ranks.pop()
        return first, first + 1

    def squeeze(self) -> NDArray[np.int64]:
        """Drop the holes; return which records, counted from the slot's start, are kept."""
        sizes = self._sizes()
        kept = [at for at, resident in enumerate(self.residents) if resident is not None]
        self.ranks = [self.ranks[at] for at in kept]
        self.residents = [self.residents[at] for at in kept]
        return _spread(np.array(kept, np.int64), sizes)

    def _before(self, rank: int) -> int:
        return sum(extra for other, extra in self._blocks if other < rank)

    def _record(self, at: int) -> int:
        """Return the number of the record of an entry, counted from the slot's start."""
        if not self._blocks:
            return at
        return at + (self._before(self.ranks[at]) if at < len(self.ranks) else self._extra)

    def _sizes(self) -> NDArray[np.int64]:
        """Return how many records each entry has."""
        sizes = np.ones(len(self.ranks), np.int64)
        for rank, extra in self._blocks:
            sizes[bisect_left(self.ranks, rank)] += extra
        return sizes

    def _has_hole(self, at: int) -> bool:
        if at > 0 and self.residents[at - 1] is None:
            return True
        return self._hole(at) < len(self.ranks)

    def _hole(self, at: int) -> int:
        try:
            return self.residents.index(None, at)
        except ValueError:
            return len(self.ranks)


def _spread(order: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the records of entries in an order, when entry k has ``sizes[k]`` of them."""
    chosen = sizes[order]
    ends = np.cumsum(chosen)
    total = int(ends[-1]) if len(ends) else 0
    begins = (np.cumsum(sizes) - sizes)[order] - (ends - chosen)
    return np.repeat(begins, chosen) + np.arange(total)
