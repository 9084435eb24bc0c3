"""Anything that can be rendered becomes a reader of draw changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heapscene.adaptive import ASet, SetReader
from heapscene.draw import Draw, Drawable, DrawChange, DrawReader, DrawSource, DrawTable, TableDraw
from heapscene.errors import SceneError, explain

__all__ = ["ManualReader", "open_reader"]


class ManualReader:
    """Draws added and removed by hand."""

    def __init__(self) -> None:
        self._pending: list[DrawChange] = []
        self._present: dict[Drawable, None] = {}

    def add(self, what: Draw | DrawTable) -> None:
        """Add a draw or a table for the next frame."""
        draw = what.as_draw() if isinstance(what, DrawTable) else what
        if draw in self._present:
            raise SceneError(
                explain(
                    "this draw is in the scene already",
                    facts={"draw": draw},
                    fix="Make a second Draw, or give instance_count=2.",
                )
            )
        self._present[draw] = None
        self._pending.append(DrawChange(None, draw))

    def remove(self, what: Draw | DrawTable) -> None:
        """Remove a draw or a table in the next frame."""
        draw = what.as_draw() if isinstance(what, DrawTable) else what
        if draw not in self._present:
            raise SceneError(
                explain("this draw is not in the scene", facts={"draw": draw}, fix="Add it first.")
            )
        del self._present[draw]
        self._pending.append(DrawChange(draw, None))

    def changes(self) -> Sequence[DrawChange]:
        """Return what was added and removed since the last call."""
        if not self._pending:
            return ()
        pending, self._pending = self._pending, []
        return pending


class SetSourceReader:
    """Draws of an adaptive set, whose elements may be sources themselves."""

    def __init__(self, elements: ASet[Any]) -> None:
        self._reader: SetReader[Any] = elements.reader()
        self._inner = _Inner()

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps since the last call, removals first."""
        if not self._reader.pending:
            return self._inner.changes()
        delta = self._reader.changes()
        steps: list[DrawChange] = []
        for element in delta.removed:
            steps += self._inner.close(element)
        for element in delta.added:
            self._inner.open(element)
        return [*steps, *self._inner.changes()]


class SequenceReader:
    """Draws of a short sequence of things."""

    def __init__(self, elements: Sequence[Any]) -> None:
        self._inner = _Inner()
        for element in elements:
            self._inner.open(element)

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps since the last call."""
        return self._inner.changes()


class _Inner:
    """Readers of the elements of a set or sequence, and the draws that each brought."""

    def __init__(self) -> None:
        self._fresh: list[DrawChange] = []
        self._plain: dict[int, Drawable] = {}
        self._readers: dict[int, tuple[Any, DrawReader, dict[Drawable, None]]] = {}

    def open(self, element: Any) -> None:
        if isinstance(element, DrawTable):
            element = element.as_draw()
        if isinstance(element, (Draw, TableDraw)):
            self._plain[id(element)] = element
            self._fresh.append(DrawChange(None, element))
        else:
            self._readers[id(element)] = (element, open_reader(element), {})

    def close(self, element: Any) -> list[DrawChange]:
        if isinstance(element, DrawTable):
            element = element.as_draw()
        if self._plain.pop(id(element), None) is not None:
            return [DrawChange(element, None)]
        _, _, present = self._readers.pop(id(element))
        return [DrawChange(draw, None) for draw in present]

    def changes(self) -> Sequence[DrawChange]:
        steps: Sequence[DrawChange] = ()
        if self._fresh:
            steps, self._fresh = self._fresh, []
        for _, reader, present in self._readers.values():
            more = reader.changes()
            if more:
                steps = [*steps, *more]
                for old, new in more:
                    if old is not None:
                        present.pop(old, None)
                    if new is not None:
                        present[new] = None
        return steps


def open_reader(what: Any) -> DrawReader:
    """Return a reader of the draws of ``what``.

    Raises
    ------
    SceneError
        ``what`` is nothing that can be rendered.
    """
    if isinstance(what, Draw):
        return SequenceReader([what])
    if isinstance(what, ASet):
        return SetSourceReader(what)
    if isinstance(what, DrawSource):
        return what.draw_reader()
    if isinstance(what, Sequence) and not isinstance(what, str | bytes):
        return SequenceReader(what)
    raise SceneError(
        explain(
            f"a {type(what).__name__} cannot be rendered",
            facts={
                "allowed": "Scene, Draw, DrawTable, adaptive set of those, or a short list of those"
            },
            fix="Wrap nodes in a scene: Scene(mesh).",
        )
    )
