"""Steps that the heap has not taken yet: kept, and shortened, until it takes them all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from heapscene.draw import Drawable, DrawChange

__all__ = ["PendingChanges"]


class PendingChanges:
    """Changes of draws on their way to the heap.

    A batch that the heap refuses stays here, so that nothing else in it is lost: the next frame
    offers it again, together with what came after. A draw that comes and goes meanwhile leaves no
    trace, so removing the one that was refused is enough.
    """

    __slots__ = ("_made_by", "_number", "_plain", "_steps")

    def __init__(self) -> None:
        self._plain: list[DrawChange] = []  # what comes first, while that is additions only
        self._steps: dict[int, DrawChange] = {}
        self._made_by: dict[Drawable, int] = {}  # the step whose result a draw is
        self._number = 0

    def __len__(self) -> int:
        return len(self._plain) + len(self._steps)

    def extend(self, changes: Sequence[DrawChange]) -> None:
        """Add steps that follow those that are here."""
        if not changes:
            return
        if not self and all(old is None for old, _ in changes):
            self._plain = list(changes)  # the usual case: a whole scene arrives
            return
        plain, self._plain = self._plain, []
        for old, new in chain(plain, changes):
            number = None if old is None else self._made_by.pop(old, None)
            if number is None:
                number = self._number = self._number + 1
                first = old
            else:
                first = self._steps[number].old
            if first is None and new is None:
                del self._steps[number]
                continue
            self._steps[number] = DrawChange(first, new)
            if new is not None:
                self._made_by[new] = number

    def steps(self) -> list[DrawChange]:
        """Return the steps in order."""
        return self._plain or list(self._steps.values())

    def clear(self) -> None:
        """Forget all steps: the heap has them."""
        self._plain = []
        self._steps.clear()
        self._made_by.clear()
