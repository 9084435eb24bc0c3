"""What the heap knows of one draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heapscene.draw import Draw

if TYPE_CHECKING:
    from heapscene.heap.bucket import Bucket
    from heapscene.heap.page import Entry, Part
    from heapscene.heap.slot import Slot

__all__ = ["Resident"]


class Resident:
    """A draw that lives in the heap: its place in the order and in memory.

    `rank` is its order of arrival. Its record is found by rank inside its slot, so that nothing
    here has to change when records move.
    """

    __slots__ = (
        "bucket",
        "draw",
        "entries",
        "instances",
        "is_live",
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
        self.is_live = False
        self.row = -1
        self.instances = 0
        self.visible = False

    @property
    def is_drawn(self) -> bool:
        """Whether anything is emitted for it."""
        return self.visible and self.instances > 0
