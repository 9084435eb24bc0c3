"""Anything that can be rendered becomes a reader of draw changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from heapscene.adaptive import ASet, Reading, SetReader
from heapscene.draw import (
    Draw,
    Drawable,
    DrawChange,
    DrawReader,
    DrawSource,
    DrawTable,
    TableDraw,
    as_given,
)
from heapscene.errors import SceneError, explain
from heapscene.wording import brief

__all__ = ["ManualReader", "open_reader", "subjects", "trace"]


class ManualReader:
    """Draws added and removed by hand."""

    def __init__(self) -> None:
        self._pending: list[DrawChange] = []
        self._present: dict[Drawable, None] = {}

    def add(self, what: Draw | DrawTable) -> None:
        """Add a draw or a table for the next frame."""
        draw = _as_draw(what)
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
        draw = _as_draw(what)
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

    def __init__(self, elements: ASet[Any], inside: tuple[Any, ...] = ()) -> None:
        self._inside = (*inside, elements)
        self._reader: SetReader[Any] = elements.reader()
        self._parts = _Parts()

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps since the last call.

        If an element cannot be read, the error is raised and all steps are handed out later.
        """
        if self._reader.pending:
            try:
                delta = self._reader.look()
                came = [(element, _opened(element, self._inside)) for element in delta.added]
            except Exception as error:
                Reading("elements to draw", None, self._inside[-1]).note_on(error)
                raise
            self._reader.take()
            for element in delta.removed:
                self._parts.remove(element)
            for element, source in came:
                self._parts.add(element, source)
        return self._parts.changes()

    @property
    def inner(self) -> list[DrawReader]:
        """The readers of what it has."""
        return self._parts.inner


class SequenceReader:
    """Draws of a short sequence of things."""

    def __init__(self, elements: Sequence[Any], inside: tuple[Any, ...] = ()) -> None:
        self._parts = _Parts()
        _check_once(elements)
        for number, element in enumerate(elements):
            self._parts.add(number, _opened(element, (*inside, elements)))

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps since the last call."""
        return self._parts.changes()

    @property
    def inner(self) -> list[DrawReader]:
        """The readers of what it has."""
        return self._parts.inner


class _Parts:
    """The elements of a set or sequence by key, and the draws that each has brought."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, Drawable | DrawReader] = {}
        self._draws: dict[Hashable, Drawable] = {}
        self._readers: dict[Hashable, tuple[DrawReader, dict[Drawable, None]]] = {}
        self._steps: list[DrawChange] = []  # kept while another element cannot be read

    def add(self, key: Hashable, source: Drawable | DrawReader) -> None:
        self._waiting[key] = source

    def remove(self, key: Hashable) -> None:
        if self._waiting.pop(key, None) is not None:
            return
        if key in self._draws:
            self._steps.append(DrawChange(self._draws.pop(key), None))
            return
        _, present = self._readers.pop(key)
        self._steps += [DrawChange(draw, None) for draw in present]

    @property
    def inner(self) -> list[DrawReader]:
        return [reader for reader, _ in self._readers.values()]

    def changes(self) -> Sequence[DrawChange]:
        for reader, present in self._readers.values():
            self._pull(reader, present)
        for key, source in list(self._waiting.items()):
            if isinstance(source, (Draw, TableDraw)):
                self._draws[key] = source
                self._steps.append(DrawChange(None, source))
            else:
                present: dict[Drawable, None] = {}
                self._pull(source, present)
                self._readers[key] = source, present
            del self._waiting[key]
        if not self._steps:
            return ()
        steps, self._steps = self._steps, []
        return steps

    def _pull(self, reader: DrawReader, present: dict[Drawable, None]) -> None:
        steps = reader.changes()
        self._steps += steps
        for old, new in steps:
            if old is not None:
                present.pop(old, None)
            if new is not None:
                present[new] = None


def trace(readers: Iterable[Any], reading: Reading) -> Reading:
    """Return what was being read as those call it that a draw comes from."""
    for reader in _all(readers):
        if hasattr(reader, "trace"):
            found = reader.trace(reading)
            if found is not None:
                return found
    return as_given(reading)


def subjects(readers: Iterable[Any]) -> dict[Drawable, object]:
    """Return what draws stand for, those that come from nodes."""
    found: dict[Drawable, object] = {}
    for reader in _all(readers):
        if hasattr(reader, "subjects"):
            found |= reader.subjects()
    return found


def _all(readers: Iterable[Any]) -> Iterator[Any]:
    for reader in readers:
        yield reader
        yield from _all(getattr(reader, "inner", ()))


def _as_draw(what: Any) -> Drawable:
    if isinstance(what, DrawTable):
        return what.as_draw()
    if isinstance(what, Draw):
        return what
    raise SceneError(
        explain(
            f"a {type(what).__name__} is neither a draw nor a table",
            fix="Make a Draw of it; scenes and sets are given when the HeapScene is made.",
        )
    )


def _check_once(elements: Sequence[Any]) -> None:
    """Raise if a scene, draw or table is in a sequence twice."""
    seen: dict[int, int] = {}
    for number, element in enumerate(elements):
        if isinstance(element, Sequence):
            continue
        first = seen.setdefault(id(element), number)
        if first != number:
            raise SceneError(
                explain(
                    f"the same {type(element).__name__} is given twice",
                    facts={"given": brief(element, 100), "at": f"[{first}] and [{number}]"},
                    fix="Give it once, or make another one.",
                )
            )


def _opened(element: Any, inside: tuple[Any, ...]) -> Drawable | DrawReader:
    if isinstance(element, DrawTable):
        return element.as_draw()
    return element if isinstance(element, Draw) else open_reader(element, inside)


def open_reader(what: Any, inside: tuple[Any, ...] = ()) -> DrawReader:
    """Return a reader of the draws of ``what``.

    Raises
    ------
    SceneError
        ``what`` is nothing that can be rendered, or a set or list that is ``inside`` itself.
    """
    if any(what is outer for outer in inside):
        raise SceneError(
            explain(
                f"a {type(what).__name__} cannot be inside itself",
                fix="Take it out, or out of what is in it.",
            )
        )
    if isinstance(what, Draw):
        return SequenceReader([what])
    if isinstance(what, ASet):
        return SetSourceReader(what, inside)
    if isinstance(what, DrawSource) and not isinstance(what, type):
        return what.draw_reader()
    if isinstance(what, Sequence) and not isinstance(what, str | bytes):
        return SequenceReader(what, inside)
    is_many = isinstance(what, Iterable) and not isinstance(what, str | bytes)
    raise SceneError(
        explain(
            f"a {type(what).__name__} cannot be rendered",
            facts={
                "allowed": "Scene, Draw, DrawTable, adaptive set of those, or a short list of those"
            },
            fix="Make a list of what is in it: list(...)."
            if is_many
            else "Wrap nodes in a scene: Scene(mesh).",
        )
    )
