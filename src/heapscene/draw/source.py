"""DrawSource: where a renderer gets its draws from, and how it hears of changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from heapscene.draw.draw import Draw

__all__ = ["DrawChange", "DrawReader", "DrawSource"]


class DrawChange(NamedTuple):
    """One step: ``(None, new)`` adds, ``(old, None)`` removes, ``(old, new)`` replaces.

    A replacement keeps its place in the drawing order, and whatever both draws share keeps its
    memory.
    """

    old: Draw | None
    new: Draw | None


class DrawReader(Protocol):
    """Hands out what changed since it was last asked."""

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps from the last state to this one; everything at the first call."""
        ...


@runtime_checkable
class DrawSource(Protocol):
    """Something that draws come from: a scene, or an adaptive set of draws."""

    def draw_reader(self) -> DrawReader:
        """Return an independent reader."""
        ...
