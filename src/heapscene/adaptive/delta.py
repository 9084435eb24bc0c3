"""What changed in a set, and readers that collect it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import ref

from heapscene.adaptive.node import CLEAN, Derived, graph, track

if TYPE_CHECKING:
    from heapscene.adaptive.aset import ASet

__all__ = ["SetDelta", "SetReader"]

T = TypeVar("T", bound=Hashable)


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


class SetReader(Generic[T]):
    """Reads the changes of a set, independently of other readers.

    The set holds its readers weakly. Changes wait in the reader, merged per element, so that they
    take no more room than the elements that were touched.
    """

    __slots__ = ("__weakref__", "_added", "_fresh", "_removed", "_source")

    def __init__(self, source: ASet[T]) -> None:
        self._source = source
        self._fresh = True
        self._added: dict[T, None] = {}
        self._removed: dict[T, None] = {}

    @property
    def pending(self) -> bool:
        """Whether :meth:`changes` may give something; nothing is computed to find out."""
        source: Any = self._source
        if self._fresh or self._added or self._removed:
            return True
        return isinstance(source, Derived) and source._state != CLEAN

    def changes(self) -> SetDelta[T]:
        """Return what changed since the last call; the first time, all elements as added."""
        if graph.reads is not None:
            track(self._source)
        delta = self.look()
        self.take()
        return delta

    def look(self) -> SetDelta[T]:
        """Return what :meth:`changes` would, leaving it there."""
        content = self._source._current()
        if self._fresh:
            return SetDelta(list(content), [])
        return SetDelta(list(self._added), list(self._removed))

    def take(self) -> None:
        """Drop what :meth:`look` has returned."""
        if self._fresh:
            self._fresh = False
            self._source._attach(ref(self))
        self._added = {}
        self._removed = {}

    def seen(self) -> list[T]:
        """Return the elements of the set as this reader knows it; nothing is computed."""
        if self._fresh:
            return []
        kept = [x for x in self._source._content if x not in self._added]
        return kept + list(self._removed)

    def _add(self, element: T) -> None:
        self._added[element] = None

    def _remove(self, element: T) -> None:
        if element in self._added:
            del self._added[element]
        else:
            self._removed[element] = None
