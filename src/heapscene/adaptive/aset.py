"""Sets that change: ordered by arrival, read by their changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, KeysView
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from heapscene.adaptive.collection import STORAGE, Reducible, announce, check_kind
from heapscene.adaptive.delta import SetReader
from heapscene.adaptive.node import claim_thread, graph, track
from heapscene.adaptive.value import AVal, check_write, computed

__all__ = ["ASet", "CSet", "aset", "cset", "union_all"]

if TYPE_CHECKING:
    from heapscene.adaptive.derived_set import UsedSet

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)


class ASet(Reducible[T]):
    """A set that may change; its elements are in the order of their arrival.

    Elements are told apart by ``==`` and ``hash``. Derived sets compute nothing until they are
    read, and then only what the changes ask for.
    """

    __slots__ = ()
    _instead = "Write hs.cset(elements) for another set that begins with the same elements."
    _content: dict[T, int]  # how often each element is there, seen from its sources

    def __init__(self) -> None:
        super().__init__({})

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

    def __contains__(self, element: object) -> bool:
        if graph.reads is not None:
            track(self)
        return element in self._current()

    def reader(self) -> SetReader[T]:
        """Return a new reader, whose first changes are all elements."""
        return SetReader(self)

    def map(self, function: Callable[[T], U]) -> ASet[U]:
        """Return the set of what `function` gives for each element.

        It runs once for an element, and the result stays the same object until the element goes;
        it runs again where a value that it has read changes. Two elements may give the same result.
        """
        from heapscene.adaptive.derived_set import MappedSet

        return MappedSet(self, function)

    def map_a(self, function: Callable[[T], AVal[U]]) -> ASet[U]:
        """Return the set of the values of what `function` gives for each element.

        The function runs once for an element; when values change, only these are read again.
        """
        from heapscene.adaptive.derived_set import MappedSet

        return MappedSet(self, function, picks=True)

    def map_use(self, function: Callable[[T], U]) -> UsedSet[U]:
        """Return the set of what `function` gives, each released when its element has left.

        Releasing calls ``release()`` or else ``close()`` of the result, if it has one. It happens
        when the set is next read; ``dispose()`` of the set, which is a context manager, releases
        everything at once and ends it. A result that was made for nothing, since the function
        failed for another element, is released as well.
        """
        from heapscene.adaptive.derived_set import UsedSet

        return UsedSet(self, function)

    def filter(self, predicate: Callable[[T], bool]) -> ASet[T]:
        """Return the set of the elements for which `predicate` is true; it may read values."""
        from heapscene.adaptive.derived_set import FilteredSet

        return FilteredSet(self, predicate)

    def filter_a(self, predicate: Callable[[T], AVal[bool]]) -> ASet[T]:
        """Return the set of the elements for which what `predicate` gives is true now.

        The function runs once for an element; when values change, only these are read again.
        """
        from heapscene.adaptive.derived_set import FilteredSet

        return FilteredSet(self, predicate, picks=True)

    def union(self, *others: ASet[T]) -> ASet[T]:
        """Return the set of all elements of this set and of `others`.

        What changed between two reads is one step: what left is taken out, then what came is
        appended, set by set in the order of their first changes. What left one set and came to
        another stays in its place.
        """
        return union_all((self, *others))

    def bind(self, function: Callable[[T], ASet[U]]) -> ASet[U]:
        """Return the union of the sets that `function` gives for each element."""
        from heapscene.adaptive.derived_set import FlatSet, checked_set

        return FlatSet(self.map(checked_set(function)))

    def flatten(self) -> ASet[Any]:
        """Return the union of all sets that are the elements of this one."""
        return union_all(cast("ASet[ASet[Any]]", self))

    def contains(self, element: T) -> AVal[bool]:
        """Return whether `element` is there, as a value."""
        return computed(lambda: element in self)

    def _elements(self) -> Iterable[T]:
        return self._content

    def _last(self, came: dict[Any, T]) -> list[T]:
        return list(came.values())  # what comes to a set comes last

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

    __slots__ = (*STORAGE, "_name")

    def __init__(self, elements: Iterable[T] = (), name: str | None = None) -> None:
        claim_thread()
        super().__init__()
        self._content = dict.fromkeys(elements, 1)
        self._name = name

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

    def pop(self) -> T:
        """Take out the element that came last, and return it.

        Raises
        ------
        KeyError
            If there is none.
        """
        check_write(self)
        if not self._content:
            raise KeyError("pop from an empty set")
        element = next(reversed(self._content))
        self.update((), (element,))
        return element

    def clear(self) -> None:
        """Take all elements out."""
        self.update((), list(self._content))

    def difference_update(self, *others: Iterable[object]) -> None:
        """Take out what is in one of `others`, as one change."""
        self.update((), cast("list[T]", [element for other in others for element in other]))

    def intersection_update(self, *others: Iterable[object]) -> None:
        """Take out what is not in all of `others`, as one change."""
        kept = [set(other) for other in others]
        left = [one for one in self._content if not all(one in other for other in kept)]
        self.update((), left)

    def symmetric_difference_update(self, other: Iterable[T]) -> None:
        """Take out what is in `other` as well, then append the rest of it, as one change."""
        both = dict.fromkeys(other)
        self.update([one for one in both if one not in self._content], both)

    def __ior__(self, other: AbstractSet[T] | ASet[T]) -> Self:
        return self._combine(self.update, other)

    def __isub__(self, other: AbstractSet[object] | ASet[Any]) -> Self:
        return self._combine(self.difference_update, other)

    def __iand__(self, other: AbstractSet[object] | ASet[Any]) -> Self:
        return self._combine(self.intersection_update, other)

    def __ixor__(self, other: AbstractSet[T] | ASet[T]) -> Self:
        return self._combine(self.symmetric_difference_update, other)

    def _combine(self, change: Callable[[Any], None], other: object) -> Self:
        """Change this set by another; as for Python's own, what is no set has no such operator."""
        if not isinstance(other, (AbstractSet, ASet)):
            return NotImplemented
        change(other)
        return self

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
            announce(self)


def cset(elements: Iterable[T] = (), name: str | None = None) -> CSet[T]:
    """Return a set that you can change; errors call it by its `name`.

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
    return CSet(elements, name)


def aset(elements: Iterable[T]) -> ASet[T]:
    """Return a set that never changes."""
    return ConstantSet(elements)


def union_all(sets: ASet[ASet[T]] | Iterable[ASet[T]]) -> ASet[T]:
    """Return the set of all elements of `sets`, which may be a set that changes itself."""
    from heapscene.adaptive.derived_set import FlatSet

    if isinstance(sets, ASet):
        return sets.bind(lambda one: one)
    sets = list(sets)
    for one in sets:
        check_kind(one, ASet, "set")
    return FlatSet(aset(sets))
