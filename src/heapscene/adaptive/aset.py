"""Sets that change: ordered by arrival, read by their changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, KeysView
from typing import Generic, TypeVar
from weakref import ref

from heapscene.adaptive.delta import SetReader
from heapscene.adaptive.node import Node, claim_thread, graph, mark, track
from heapscene.adaptive.transaction import settle
from heapscene.adaptive.value import check_write

__all__ = ["STORAGE", "ASet", "CSet", "aset", "cset"]

STORAGE = ("_content", "_readers", "_version")
"""Slots of every set; the base class has none, so that derived sets can be derived nodes too."""

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)


class ASet(Node, Generic[T]):
    """A set that may change; its elements are in the order of their arrival.

    Elements are told apart by ``==`` and ``hash``. Derived sets compute nothing until they are
    read, and then only what the changes ask for.
    """

    __slots__ = ()
    _content: dict[T, int]  # how often each element is there, seen from its sources
    _readers: list[ref[SetReader[T]]]
    _version: int

    def __init__(self) -> None:
        self._outputs = None
        self._content = {}
        self._readers = []
        self._version = 0

    @property
    def value(self) -> KeysView[T]:
        """The current elements in order, as a snapshot; the read is tracked as that of a value."""
        if graph.reads is not None:
            track(self)
        return self.force()

    def force(self) -> KeysView[T]:
        """Return the current elements in order, as a snapshot, without tracking the read."""
        return dict(self._current()).keys()

    def __iter__(self) -> Iterator[T]:
        return iter(self.value)

    def __len__(self) -> int:
        if graph.reads is not None:
            track(self)
        return len(self._current())

    def __contains__(self, element: object) -> bool:
        if graph.reads is not None:
            track(self)
        return element in self._current()

    def __bool__(self) -> bool:
        return True  # an empty set is still there: ask len() for elements
        return True

    def reader(self) -> SetReader[T]:
        """Return a new reader, whose first changes are all elements."""
        return SetReader(self)

    def map(self, function: Callable[[T], U]) -> ASet[U]:
        """Return the set of what `function` gives for each element.

        It runs once for an element, and the result stays the same object until the element goes;
        it runs again where a value that it has read changes. Two elements may give the same result.
        """
        from heapscene.adaptive.derived import MappedSet

        return MappedSet(self, function)

    def filter(self, predicate: Callable[[T], bool]) -> ASet[T]:
        """Return the set of the elements for which `predicate` is true; it may read values."""
        from heapscene.adaptive.derived import FilteredSet

        return FilteredSet(self, predicate)

    def union(self, *others: ASet[T]) -> ASet[T]:
        """Return the set of all elements of this set and of `others`.

        What changed between two reads is one step: what left is taken out, then what came is
        appended, set by set in the order of their first changes. What left one set and came to
        another stays in its place.
        """
        from heapscene.adaptive.derived import FlatSet

        return FlatSet(aset((self, *others)))

    def bind(self, function: Callable[[T], ASet[U]]) -> ASet[U]:
        """Return the union of the sets that `function` gives for each element."""
        from heapscene.adaptive.derived import FlatSet, checked_set

        return FlatSet(self.map(checked_set(function)))

    def _current(self) -> dict[T, int]:
        """Return the content, brought up to date."""
        return self._content

    def _peek(self) -> int:
        return self._version

    def _attach(self, reader: ref[SetReader[T]]) -> None:
        self._live()
        self._readers.append(reader)

    def _live(self) -> list[SetReader[T]]:
        if not self._readers:
            return []
        pairs = [(weak, reader) for weak in self._readers if (reader := weak()) is not None]
        if len(pairs) != len(self._readers):
            self._readers = [weak for weak, _ in pairs]
        return [reader for _, reader in pairs]

    def _apply(self, removed: Iterable[T], added: Iterable[T]) -> bool:
        """Count `removed` down and `added` up; tell readers what left and came. True if any did."""
        content, readers = self._content, self._live()
        effective = False
        for element in removed:
            count = content[element] - 1
            if count:
                content[element] = count
                continue
            del content[element]
            effective = True
            for reader in readers:
                reader._remove(element)
        for element in added:
            count = content.get(element, 0)
            content[element] = count + 1
            if count:
                continue
            effective = True
            for reader in readers:
                reader._add(element)
        if effective:
            self._version += 1
        return effective

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._content)} elements)"


class ConstantSet(ASet[T]):
    """A set that never changes."""

    __slots__ = STORAGE

    is_constant = True

    def __init__(self, elements: Iterable[T]) -> None:
        super().__init__()
        self._content = dict.fromkeys(elements, 1)

    def _subscribe(self, edge: object) -> None:
        pass

    def _attach(self, reader: object) -> None:
        pass


class CSet(ASet[T]):
    """A set that you change. Like a cell, it may not be changed while a value is computed."""

    __slots__ = STORAGE

    def __init__(self, elements: Iterable[T] = ()) -> None:
        claim_thread()
        super().__init__()
        self._content = dict.fromkeys(elements, 1)

    def add(self, element: T) -> None:
        """Append an element, unless it is there."""
        self.update((element,))

    def discard(self, element: T) -> None:
        """Take an element out, if it is there."""
        self.update((), (element,))

    def remove(self, element: T) -> None:
        """Take an element out.

        Raises
        ------
        KeyError
            If it is not there.
        """
        check_write(self)
        if element not in self._content:
            raise KeyError(element)
        self.update((), (element,))

    def clear(self) -> None:
        """Take all elements out."""
        self.update((), list(self._content))

    def update(self, added: Iterable[T], removed: Iterable[T] = ()) -> None:
        """Take `removed` out, then append `added`, as one change.

        An element in both moves to the end. Elements that are not there, or there already, are
        left out of the change.

        Raises
        ------
        AdaptiveError
            If a value is being computed, or in another thread than the owner. Nothing has changed
            then.
        """
        check_write(self)
        content = self._content
        leaving = {element: None for element in removed if element in content}
        coming = {
            element: None for element in added if element not in content or element in leaving
        }
        if self._apply(leaving, coming):
            mark(self._outputs)
            settle()


def cset(elements: Iterable[T] = ()) -> CSet[T]:
    """Return a set that you can change.

    Examples
    --------
    >>> names = cset(["a", "b"])
    >>> upper = names.map(str.upper)
    >>> reader = upper.reader()
    >>> reader.changes()
    SetDelta(added=['A', 'B'], removed=[])
    >>> names.remove("a")
    >>> reader.changes()
    SetDelta(added=[], removed=['A'])
    """
    return CSet(elements)


def aset(elements: Iterable[T]) -> ASet[T]:
    """Return a set that never changes."""
    return ConstantSet(elements)
