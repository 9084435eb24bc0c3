"""Collections of values at places: what lists and dictionaries have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from heapscene.adaptive.collection import Collection
from heapscene.adaptive.delta import Items, Reader
from heapscene.adaptive.equality import same
from heapscene.adaptive.node import UNSET

if TYPE_CHECKING:
    from heapscene.adaptive.aset import ASet

__all__ = ["Keyed", "KeyedReader"]

K = TypeVar("K")


class Keyed(Collection):
    """Values at places: the keys of a dictionary, the labels of a list."""

    __slots__ = ()
    _content: dict[Any, Any]

    def as_set(self) -> ASet[Any]:
        """Return the set of the values, which have to be hashable, in the order of their arrival.

        A value that is there several times is in the set once, until the last of them goes.
        """
        from heapscene.adaptive.derived_set import ValueSet

        return ValueSet(self)

    def _ordered(self) -> dict[Any, Any]:
        """Return a copy of the content, which is up to date, in order."""
        return dict(self._content)

    def _apply(self, gone: Iterable[Any], came: Mapping[Any, Any]) -> bool:
        """Empty the places `gone`, then set those in `came`; tell readers. True if any changed."""
        content, readers = self._content, self._live()
        empty: list[Any] = []
        new: list[Any] = []
        changed = False
        for place in gone:
            old = content.pop(place)
            empty.append(place)
            for reader in readers:
                reader._remove(place, old)
        for place, value in came.items():
            old = content.get(place, UNSET)
            if old is UNSET:
                new.append(place)
            elif same(old, value):
                continue
            content[place] = value
            changed = True
            for reader in readers:
                reader._set(place, old)
        if empty or new:
            self._arrange(empty, new)
            changed = True
        if changed:
            self._version += 1
        return changed

    def _arrange(self, empty: list[Any], new: list[Any]) -> None:
        """Take note that places are no longer there, and others are."""


class KeyedReader(Reader):
    """Reads the changes of a collection of values at places."""

    __slots__ = ()

    def items(self) -> Items:
        """Return the values that left and those that came, by their places.

        What has changed at its place, or has left and come back, is in both.
        """
        source = self._source
        content = source._current()
        if self._fresh:
            return {}, source._ordered()
        left, came = dict(self._left), dict[Any, Any]()
        for place, old in self._came.items():
            now = content[place]
            if old is UNSET:
                came[place] = now
            elif not same(old, now):
                left[place] = old
                came[place] = now
        return left, came

    def vacated(self, left: Iterable[Any], came: Mapping[Any, Any]) -> list[Any]:
        """Return which places of what left were empty for a while, or still are."""
        return [place for place in left if place not in came or place in self._left]

    def seen(self) -> list[Any]:
        """Return the places that this reader knows; nothing is computed."""
        if self._fresh:
            return []
        came = self._came
        kept = [place for place in self._source._content if came.get(place) is not UNSET]
        return kept + list(self._left)

    def _set(self, place: Any, old: Any) -> None:
        if place not in self._came:
            self._came[place] = old

    def _remove(self, place: Any, old: Any) -> None:
        before = self._came.pop(place, old)
        if before is not UNSET:
            self._left[place] = before
