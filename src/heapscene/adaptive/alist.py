"""Lists that change, read by their changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import index as as_index
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar, overload

from heapscene.adaptive.collection import STORAGE, Reducible, announce, check_kind
from heapscene.adaptive.equality import frozen, same
from heapscene.adaptive.keyed import Keyed, KeyedReader
from heapscene.adaptive.node import UNSET, claim_thread, graph, track
from heapscene.adaptive.order import Label, Labels, arrange, position
from heapscene.adaptive.value import AVal, check_write

__all__ = [
    "LIST_STORAGE",
    "AList",
    "CList",
    "ListDelta",
    "ListReader",
    "Operation",
    "alist",
    "clist",
]

if TYPE_CHECKING:
    from heapscene.adaptive.derived_list import UsedList

LIST_STORAGE = (*STORAGE, "_order")

T = TypeVar("T")
U = TypeVar("U")


class Operation(NamedTuple):
    """One step of a change: ``del x[at]``, ``x.insert(at, value)`` or ``x[at] = value``."""

    kind: Literal["delete", "insert", "set"]
    at: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class ListDelta(Generic[T]):
    """What to do to a list, in this order: deletions from the back, then the rest from the front."""

    operations: list[Operation]

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self.operations)

    def replay(self, content: list[T]) -> None:
        """Do it to `content`, which has to be as the list was before."""
        for kind, at, value in self.operations:
            if kind == "delete":
                del content[at]
            elif kind == "insert":
                content.insert(at, value)
            else:
                content[at] = value


class ListReader(KeyedReader, Generic[T]):
    """Reads the changes of a list, independently of other readers."""

    __slots__ = ()

    def changes(self) -> ListDelta[T]:
        """Return what changed since the last call; the first time, all elements as inserted."""
        return super().changes()

    def look(self) -> ListDelta[T]:
        """Return what :meth:`changes` would, leaving it there."""
        left, came = self.items()
        order: list[Any] = self._source._order
        gone = sorted([label for label in left if label not in came])
        new = sorted([label for label in came if label not in left])
        operations: list[Operation] = []
        for count, label in reversed(list(enumerate(gone))):
            before = position(order, label) - position(new, label) + count
            operations.append(Operation("delete", before))
        steps = [
            (position(order, label), label)
            for label, value in came.items()
            if label not in left or not same(left[label], value)
        ]
        for index, label in sorted(steps, key=lambda step: step[0]):
            kind = "set" if label in left else "insert"
            operations.append(Operation(kind, index, came[label]))
        return ListDelta(operations)


class AList(Keyed, Reducible[T]):
    """A list that may change.

    Derived lists compute nothing until they are read, and then only what the changes ask for.
    """

    __slots__ = ()
    _instead = "Write hs.clist(elements) for another list that begins with the same elements."
    _order: list[Any]

    def __init__(self) -> None:
        super().__init__({})
        self._order = []

    @property
    def value(self) -> list[T]:
        """The current elements, as a copy; the read is tracked as that of a value."""
        if graph.reads is not None:
            track(self)
        return self.force()

    def force(self) -> list[T]:
        """Return the current elements, as a copy, without tracking the read."""
        content = self._current()
        return [content[label] for label in self._order]

    def __iter__(self) -> Iterator[T]:
        return iter(self.value)

    def __contains__(self, element: object) -> bool:
        return element in self.value

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if graph.reads is not None:
            track(self)
        content = self._current()
        if isinstance(index, slice):
            return [content[label] for label in self._order[index]]
        return content[self._order[index]]

    def index(self, element: object, start: int = 0, stop: int = sys.maxsize) -> int:
        """Return where the first element is that is equal to `element`; the read is tracked.

        Raises
        ------
        ValueError
            If there is none in ``[start:stop]``.
        """
        return self.value.index(element, start, stop)  # pyright: ignore[reportArgumentType]

    @overload
    def count(self) -> AVal[int]: ...
    @overload
    def count(self, element: object) -> int: ...
    def count(self, element: object = UNSET) -> AVal[int] | int:
        """Return the number of elements as a value, or how many are equal to `element` now."""
        if element is UNSET:
            return super().count()
        return self.value.count(element)  # pyright: ignore[reportArgumentType]

    def reader(self) -> ListReader[T]:
        """Return a new reader, whose first changes are all elements."""
        return ListReader(self)

    def map(self, function: Callable[[T], U]) -> AList[U]:
        """Return the list of what `function` gives for each element.

        It runs once for an element, and the result stays the same object until the element goes;
        it runs again where a value that it has read changes.
        """
        from heapscene.adaptive.derived_list import MappedList

        return MappedList(self, function)

    def map_a(self, function: Callable[[T], AVal[U]]) -> AList[U]:
        """Return the list of the values of what `function` gives; only dirty ones are read again."""
        from heapscene.adaptive.derived_list import MappedList

        return MappedList(self, function, picks=True)

    def map_use(self, function: Callable[[T], U]) -> UsedList[U]:
        """Return the list of what `function` gives, each released when its element has left.

        As :meth:`ASet.map_use`, for a list.
        """
        from heapscene.adaptive.derived_list import UsedList

        return UsedList(self, function)

    def filter(self, predicate: Callable[[T], bool]) -> AList[T]:
        """Return the list of the elements for which `predicate` is true; it may read values."""
        from heapscene.adaptive.derived_list import FilteredList

        return FilteredList(self, predicate)

    def filter_a(self, predicate: Callable[[T], AVal[bool]]) -> AList[T]:
        """Return the list of the elements for which what `predicate` gives is true now."""
        from heapscene.adaptive.derived_list import FilteredList

        return FilteredList(self, predicate, picks=True)

    def concat(self, *others: AList[T]) -> AList[T]:
        """Return the elements of this list, then those of `others`."""
        from heapscene.adaptive.derived_list import FlatList

        for other in others:
            check_kind(other, AList, "list")
        return FlatList(alist((*self._parts(), *others)))

    def __add__(self, other: AList[T]) -> AList[T]:
        return self.concat(other)

    def _parts(self) -> list[AList[T]]:
        """Return the lists that this one is the concatenation of, so that long sums stay one."""
        return [self]

    def bind(self, function: Callable[[T], AList[U]]) -> AList[U]:
        """Return the lists that `function` gives for the elements, one after the other."""
        from heapscene.adaptive.derived_list import FlatList, checked_list

        return FlatList(self.map(checked_list(function)))

    def flatten(self) -> AList[Any]:
        """Return the elements of all lists that are the elements of this one."""
        return self.bind(lambda inner: inner)  # pyright: ignore[reportArgumentType, reportReturnType]

    def contains(self, element: Any) -> AVal[bool]:
        """Return whether `element` is there, as a value; elements have to be hashable."""
        return self.as_set().contains(element)

    def _ordered(self) -> dict[Any, T]:
        return {label: self._content[label] for label in self._order}

    def _elements(self) -> Iterable[T]:
        return map(self._content.__getitem__, self._order)

    def _last(self, came: dict[Any, T]) -> list[T] | None:
        last = self._order[len(self._order) - len(came) :]
        return [came[label] for label in last] if all(label in came for label in last) else None

    def _arrange(self, empty: list[Any], new: list[Any]) -> None:
        self._order = arrange(self._order, self._content, empty, new)


class ConstantList(AList[T]):
    """A list that never changes."""

    __slots__ = LIST_STORAGE

    is_constant = True

    def __init__(self, elements: Iterable[T]) -> None:
        super().__init__()
        self._content = dict(enumerate(elements))
        self._order = list(self._content)

    def _subscribe(self, edge: object) -> None:
        pass

    def _attach(self, reader: object) -> None:
        pass


class CList(AList[T]):
    """A list that you change. It may not be changed while a value is computed.

    Everything that changes it raises :class:`~heapscene.errors.AdaptiveError` while a value is being
    computed and in another thread than the owner, and changes nothing then. Arrays are copied, and
    the copies are read-only.
    """

    __slots__ = (*LIST_STORAGE, "_labels", "_name")

    def __init__(self, elements: Iterable[T] = (), name: str | None = None) -> None:
        claim_thread()
        super().__init__()
        self._labels = Labels()
        self._name = name
        values = [frozen(element) for element in elements]
        self._order = self._labels.between([], 0, len(values))
        self._content = dict(zip(self._order, values, strict=True))

    def append(self, element: T) -> None:
        """Add an element at the end."""
        self.extend((element,))

    def extend(self, elements: Iterable[T]) -> None:
        """Add elements at the end, as one change."""
        self[len(self._order) :] = elements

    def insert(self, index: int, element: T) -> None:
        """Insert an element before the one at `index`."""
        at = as_index(index)
        self[at:at] = (element,)

    def pop(self, index: int = -1) -> T:
        """Take out the element at `index`, and return it."""
        check_write(self)
        element = self._content[self._order[index]]
        del self[index]
        return element

    def remove(self, element: T) -> None:
        """Take out the first element that is equal to `element`.

        Raises
        ------
        ValueError
            If there is none.
        """
        check_write(self)
        del self[self.force().index(element)]

    def clear(self) -> None:
        """Take all elements out."""
        del self[:]

    def reverse(self) -> None:
        """Put the elements into the opposite order, as one change: each place gets another."""
        check_write(self)
        self._refill(self.force()[::-1])

    def sort(self, *, key: Callable[[T], Any] | None = None, reverse: bool = False) -> None:
        """Sort the elements as ``list.sort`` does, as one change: places get other elements.

        Raises
        ------
        ValueError
            If `key` changes the list. What it changed stays; nothing is sorted then.
        """
        check_write(self)
        version = self._version
        values: list[Any] = sorted(self.force(), key=key, reverse=reverse)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]
        if self._version != version:
            raise ValueError("list modified during sort")
        self._refill(values)

    def _refill(self, values: list[T]) -> None:
        self._change((), dict(zip(self._order, values, strict=True)))

    def __iadd__(self, elements: Iterable[T]) -> Self:
        self.extend(elements)
        return self

    @overload
    def __setitem__(self, index: int, value: T) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[T]) -> None: ...
    def __setitem__(self, index: int | slice, value: Any) -> None:
        check_write(self)
        if not isinstance(index, slice):
            self._change((), {self._order[index]: frozen(value)})
            return
        values = [frozen(element) for element in value]
        start, _, step = index.indices(len(self._order))
        replaced = self._order[index]
        if step != 1:
            self._change((), dict(zip(replaced, values, strict=True)))
            return
        kept = min(len(replaced), len(values))
        new = self._labels.between(self._order, start + len(replaced), len(values) - kept)
        places = [*replaced[:kept], *new]
        self._change(replaced[kept:], dict(zip(places, values, strict=True)))

    def __delitem__(self, index: int | slice) -> None:
        check_write(self)
        gone = self._order[index]
        self._change(gone if isinstance(gone, list) else (gone,), {})

    def _change(self, gone: Iterable[Label], came: dict[Label, T]) -> None:
        if self._apply(gone, came):
            self._labels.drop(gone)
            announce(self)


def clist(elements: Iterable[T] = (), name: str | None = None) -> CList[T]:
    """Return a list that you can change; errors call it by its `name`.

    Examples
    --------
    >>> words = clist(["a", "c"])
    >>> upper = words.map(str.upper)
    >>> upper.value
    ['A', 'C']
    >>> reader = upper.reader()
    >>> known = []
    >>> reader.changes().replay(known)
    >>> words.insert(1, "b")
    >>> reader.changes().operations
    [Operation(kind='insert', at=1, value='B')]
    """
    return CList(elements, name)


def alist(elements: Iterable[T]) -> AList[T]:
    """Return a list that never changes."""
    return ConstantList(elements)
