"""What the heap knows of one draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heapscene.draw import Draw

if TYPE_CHECKING:
    from heapscene.heap.bucket import Bucket
    from heapscene.heap.page import Entry, Part
    from heapscene.heap.slot import Slot

__all__ = ["RANKS", "Resident"]

RANKS = 1 << 20
"""Ranks from one draw to the next: the chunks of a table take several."""


class Resident:
    """A draw that lives in the heap: its place in the order and in memory.

    `rank` is its order of arrival. Its record is found by rank inside its slot, so that nothing
    here has to change when records move. `row` is that of its header, and -1 when it has none.
    """

    __slots__ = (
        "bucket",
        "draw",
        "entries",
        "instances",
        "part",
        "rank",
        "row",
        "slot",
        "visible",
    )

    bucket: Bucket
    part: Part
    entries: Sequence[Entry]
    slot: Slot

    def __init__(self, draw: Draw, rank: int) -> None:
        self.draw = draw
        self.rank = rank
        self.row = -1
        self.instances = 0
        self.visible = False

    @property
    def is_live(self) -> bool:
        """Whether it has a place in memory."""
        return self.row >= 0

    @property
    def emitted(self) -> int:
        """Indices that are emitted for it."""
        return self.part.shape.count * self.instances if self.visible else 0

    @property
    def is_drawn(self) -> bool:
        """Whether anything is emitted for it."""
        return self.visible and self.instances > 0
