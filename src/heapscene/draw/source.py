"""DrawSource: where a renderer gets its draws from, and how it hears of changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from heapscene.draw.draw import Draw
from heapscene.draw.table_draw import TableDraw

__all__ = ["DrawChange", "DrawReader", "DrawSource", "Drawable", "OneDraw"]

Drawable: TypeAlias = Draw | TableDraw
"""What has a place in the drawing order: a draw, or all rows of a table."""


class DrawChange(NamedTuple):
    """One step: ``(None, new)`` adds, ``(old, None)`` removes, ``(old, new)`` replaces.

    A replacement keeps its place in the drawing order, and whatever both draws share keeps its
    memory.
    """

    old: Drawable | None
    new: Drawable | None


class DrawReader(Protocol):
    """Hands out what changed since it was last asked."""

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps from the last state to this one; everything at the first call."""
        ...


@runtime_checkable
class DrawSource(Protocol):
    """Something that draws come from: a scene, a table, or an adaptive set of draws."""

    def draw_reader(self) -> DrawReader:
        """Return an independent reader."""
        ...


class OneDraw:
    """Hands out a single draw, once."""

    def __init__(self, draw: Drawable) -> None:
        self._steps: tuple[DrawChange, ...] = (DrawChange(None, draw),)

    def changes(self) -> Sequence[DrawChange]:
        """Return the draw at the first call, and nothing from then on."""
        steps, self._steps = self._steps, ()
        return steps
