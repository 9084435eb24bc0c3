"""The draws of a bucket with one pipeline state, in rank order."""

from __future__ import annotations

from bisect import bisect_left

from heapscene.draw import PipelineState
from heapscene.heap.resident import Resident

__all__ = ["Slot"]


class Slot:
    """A range of a bucket's record table: one draw call.

    Attributes
    ----------
    state
        The pipeline state.
    start, stop
        First record, and the one behind the last; `room` records belong to the slot, those
        from `stop` on are zero.
    number
        What word 7 of its records holds; unique in the bucket at any time.
    live
        Draws in it; the other records before `stop` are holes.
    """

    __slots__ = ("key", "live", "number", "ranks", "residents", "room", "start", "state")

    def __init__(self, state: PipelineState, number: int, start: int) -> None:
        self.state = state
        self.key = state.key
        self.number = number
        self.start = start
        self.room = 0
        self.live = 0
        # A hole keeps the rank of what was there, so that ranks stay sorted.
        self.ranks: list[int] = []
        self.residents: list[Resident | None] = []

    @property
    def stop(self) -> int:
        """The record behind the last."""
        return self.start + len(self.ranks)

    @property
    def holes(self) -> int:
        """How many records before `stop` draw nothing because their draw left."""
        return len(self.ranks) - self.live

    def __repr__(self) -> str:
        return f"Slot({self.number}: {self.live} draws in records {self.start} to {self.stop})"

    def find(self, rank: int) -> int:
        """Return the number of the record of the draw with this rank."""
        return self.start + bisect_left(self.ranks, rank)

    def grows(self, rank: int) -> bool:
        """Whether :meth:`place` would need one more record than there is."""
        return len(self.ranks) >= self.room and not self._has_hole(bisect_left(self.ranks, rank))

    def place(self, rank: int, resident: Resident) -> tuple[int, int]:
        """Make a place for a draw.

        Returns
        -------
        tuple[int, int]
            ``(first, last)``: the draw is at `first`, and what lay in ``[first, last - 1)`` has
            moved up by one. Counted from the slot's start.
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
            if hole < len(ranks):
                del ranks[hole], residents[hole]
            ranks.insert(at, rank)
            residents.insert(at, resident)
            return at, hole + 1
        ranks[at] = rank
        residents[at] = resident
        return at, at + 1

    def merge(self, residents: list[Resident], start: int = 0) -> list[int]:
        """Take draws in, none of which is here, while there are no holes from `start` on.

        Returns
        -------
        list[int]
            The new order of records from `start` on: places in the old ones from there, followed
            by those of `residents`.
        """
        ranks = [*self.ranks[start:], *[resident.rank for resident in residents]]
        everyone = [*self.residents[start:], *residents]
        order = sorted(range(len(ranks)), key=ranks.__getitem__)
        self.ranks[start:] = [ranks[at] for at in order]
        self.residents[start:] = [everyone[at] for at in order]
        self.live += len(residents)
        return order

    def clear(self, rank: int) -> tuple[int, int]:
        """Take a draw out; return the range of records to zero, counted from the slot's start."""
        ranks, residents = self.ranks, self.residents
        at = bisect_left(ranks, rank)
        residents[at] = None
        self.live -= 1
        while residents and residents[-1] is None:
            residents.pop()
            ranks.pop()
        return at, at + 1

    def squeeze(self) -> list[int]:
        """Drop the holes; return which records, counted from the slot's start, are kept."""
        kept = [at for at, resident in enumerate(self.residents) if resident is not None]
        self.ranks = [self.ranks[at] for at in kept]
        self.residents = [self.residents[at] for at in kept]
        return kept

    def _has_hole(self, at: int) -> bool:
        if at > 0 and self.residents[at - 1] is None:
            return True
        return self._hole(at) < len(self.ranks)

    def _hole(self, at: int) -> int:
        try:
            return self.residents.index(None, at)
        except ValueError:
            return len(self.ranks)
