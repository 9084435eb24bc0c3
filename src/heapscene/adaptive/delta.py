"""What changed in a collection, and readers that gather it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import ref

from heapscene.adaptive.node import CLEAN, Derived, graph, track

__all__ = ["Items", "Reader", "SetDelta", "SetReader"]

T = TypeVar("T", bound=Hashable)

Items = tuple[dict[Any, Any], dict[Any, Any]]
"""What left and what came: from the place of an element (in a set the element itself) to it."""


class Reader:
    """Reads the changes of a collection, independently of other readers.

    The collection holds its readers weakly. Changes wait in the reader, merged per element, so that
    they take no more room than the elements that were touched.
    """

    __slots__ = ("__weakref__", "_came", "_fresh", "_left", "_source")

    def __init__(self, source: Any) -> None:
        self._source = source
        self._fresh = True
        self._came: dict[Any, Any] = {}
        self._left: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._source!r})"

    @property
    def pending(self) -> bool:
        """Whether :meth:`changes` may give something; nothing is computed to find out."""
        source = self._source
        if self._fresh or self._came or self._left:
            return True
        return isinstance(source, Derived) and source._state != CLEAN

    def changes(self) -> Any:
        """Return what changed since the last call; the first time, all elements as added."""
        if graph.reads is not None:
            track(self._source)
        delta = self.look()
        self.take()
        return delta

    def look(self) -> Any:
        """Return what :meth:`changes` would, leaving it there."""
        raise NotImplementedError

    def items(self) -> Items:
        """Return what :meth:`look` would, as elements that left and elements that came."""
        raise NotImplementedError

    def take(self) -> None:
        """Drop what :meth:`look` has returned."""
        if self._fresh:
            self._fresh = False
            self._source._attach(ref(self))
        self._came = {}
        self._left = {}


@dataclass(frozen=True, slots=True)
class SetDelta(Generic[T]):
    """What to do to an ordered set: take `removed` out, then append `added`.

    An element in both has left and come back: it has moved to the end.
    """

    added: list[T]
    removed: list[T]

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self.added or self.removed)


class SetReader(Reader, Generic[T]):
    """Reads the changes of a set, independently of other readers.

    The set holds its readers weakly. Changes wait in the reader, merged per element, so that they
    take no more room than the elements that were touched.
    """

    __slots__ = ()

    def changes(self) -> SetDelta[T]:
        """Return what changed since the last call; the first time, all elements as added."""
        return super().changes()

    def look(self) -> SetDelta[T]:
        """Return what :meth:`changes` would, leaving it there."""
        content = self._source._current()
        if self._fresh:
            return SetDelta(list(content), [])
        return SetDelta(list(self._came), list(self._left))

    def items(self) -> Items:
        """Return what :meth:`look` would, as elements that left and elements that came."""
        delta = self.look()
        return {x: x for x in delta.removed}, {x: x for x in delta.added}

    def seen(self) -> list[T]:
        """Return the elements of the set as this reader knows it; nothing is computed."""
        if self._fresh:
            return []
        kept = [x for x in self._source._content if x not in self._came]
        return kept + list(self._left)

    def _add(self, element: T) -> None:
        self._came[element] = None

    def _remove(self, element: T) -> None:
        if element in self._came:
            del self._came[element]
        else:
            self._left[element] = None
