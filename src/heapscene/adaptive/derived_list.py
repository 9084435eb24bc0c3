"""Lists computed from others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from heapscene.adaptive.alist import LIST_STORAGE, AList, ListReader, alist
from heapscene.adaptive.delta import Reader
from heapscene.adaptive.elementwise import ElementWise, Mapped, Used, checked_result
from heapscene.adaptive.follow import Follower
from heapscene.adaptive.node import Node
from heapscene.adaptive.value import AVal

__all__ = ["FilteredList", "FlatList", "MappedList", "SingleList", "UsedList", "checked_list"]

T = TypeVar("T")


class DerivedList(Follower, AList[T]):
    """A list that follows others."""

    __slots__ = LIST_STORAGE

    def __init__(self) -> None:
        AList.__init__(self)
        self._begin()


class ItemList(ElementWise, DerivedList[T]):
    """What a function makes of each element of a list, at the same labels."""

    __slots__ = ("_reader", "_results")

    def __init__(
        self, source: AList[Any], function: Callable[[Any], Any], *, picks: bool = False
    ) -> None:
        DerivedList.__init__(self)
        self._read(source.reader(), function, picks=picks)

    def _follow(self) -> None:
        left, came = self._results.follow(self, self._reader.items())
        self._reader.take()
        values = {at: image[0] for at, y in came.items() if (image := self._image(at, y))}
        gone = [at for at in left if at not in values and at in self._content]
        self._apply(gone, values)
        self._results.account(left, came)


class MappedList(Mapped, ItemList[T]):
    """The results of a function."""

    __slots__ = ()


class UsedList(Used, MappedList[T]):
    """The results of a function, released when their elements have left."""

    __slots__ = ()

    def _nothing(self) -> Reader:
        return alist(()).reader()

    def _clear(self) -> bool:
        return self._apply(list(self._content), {})


class FilteredList(ItemList[T]):
    """The elements for which a function gives something true."""

    __slots__ = ()

    def _image(self, place: Any, result: Any) -> tuple[T, ...]:
        return (self._reader._source._content[place],) if result else ()


class SingleList(DerivedList[T]):
    """The value of an adaptive value, as a list of one."""

    __slots__ = ("_source",)

    def __init__(self, source: AVal[T]) -> None:
        super().__init__()
        self._source = source

    def _origin(self) -> Node:
        return self._source

    def _follow(self) -> None:
        self._apply((), {0: self._source.force()})

    def _place(self) -> str:
        return "a list of one value"


class FlatList(DerivedList[T]):
    """The elements of all lists of a list, one list after the other.

    Labels are (label of the list, number of its arrival, label in the list): labels of two lists
    are never compared.
    """

    __slots__ = ("_arrivals", "_inner", "_reader")

    def __init__(self, source: AList[AList[T]]) -> None:
        super().__init__()
        self._reader = source.reader()
        self._inner: dict[Any, tuple[int, ListReader[T]]] = {}
        self._arrivals = 0

    def _parts(self) -> list[AList[T]]:
        parts = self._reader._source
        return parts.force() if parts.is_constant else [self]

    def _origin(self) -> Node:
        return self._reader._source

    def _stale(self) -> list[Node]:
        left, came = self._reader.items()
        dirty = [self._inner[at][1]._source for at in self._dirty.peek() if at not in left]
        return [*dirty, *came.values()]

    def _follow(self) -> None:
        gone, arrived = self._reader.items()
        marked = self._dirty.drain()
        dirty = [at for at in marked if at not in gone]
        fresh: dict[Any, tuple[int, ListReader[T]]] = {}
        for at, inner in arrived.items():
            self._arrivals += 1
            fresh[at] = self._arrivals, inner.reader()
        try:
            self._depend((self._origin(), *arrived.values()))
            pairs = [*((at, self._inner[at]) for at in dirty), *fresh.items()]
            looks = [(at, number, reader, reader.items()) for at, (number, reader) in pairs]
        except BaseException:
            for at in marked:
                self._dirty.retry(at)
            raise
        left: list[Any] = []
        values: dict[Any, T] = {}
        for at in gone:
            number, reader = self._inner.pop(at)
            left += [(at, number, label) for label in reader.seen()]
            self._unwatch(reader._source, at)
        for at, number, reader, (inner_left, inner_came) in looks:
            left += [(at, number, label) for label in inner_left if label not in inner_came]
            values |= {(at, number, label): value for label, value in inner_came.items()}
            reader.take()
        self._depend((self._origin(),))
        for at, pair in fresh.items():
            self._inner[at] = pair
            self._watch(pair[1]._source, at)
        self._reader.take()
        self._apply(left, values)

    def _place(self) -> str:
        return "lists one after the other"


def checked_list(function: Callable[[Any], object]) -> Callable[[Any], AList[Any]]:
    """Return `function` with a check that what it returns is a list that may change."""
    return checked_result(function, AList, "list", "alist")
