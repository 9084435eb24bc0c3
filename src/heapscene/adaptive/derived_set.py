"""Sets computed from other collections and from values.

Changes of the inputs are looked at, worked out, and only then taken: an exception in a function
loses nothing, the set stays out of date and is tried again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable
from typing import Any, TypeVar

from heapscene.adaptive.aset import ASet
from heapscene.adaptive.collection import STORAGE
from heapscene.adaptive.delta import Reader, SetReader
from heapscene.adaptive.elementwise import ElementWise, Mapped, Used, checked_result
from heapscene.adaptive.follow import Follower
from heapscene.adaptive.keyed import Keyed, KeyedReader
from heapscene.adaptive.node import Node
from heapscene.adaptive.value import AVal

__all__ = [
    "FilteredSet",
    "FlatSet",
    "KeySet",
    "MappedSet",
    "SingleSet",
    "UsedSet",
    "ValueSet",
    "checked_set",
]

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)


class DerivedSet(Follower, ASet[T]):
    """A set that follows others."""

    __slots__ = STORAGE

    def __init__(self) -> None:
        ASet.__init__(self)
        self._begin()

    def _exchange(self, left: list[T], came: list[T], moved: Container[T]) -> None:
        """Apply a change in which what leaves one place and comes at another one stays.

        What has `moved` within its place goes to the end.
        """
        if left and came:
            stays = Counter(x for x in left if x not in moved)
            stays &= Counter(x for x in came if x not in moved)
            left, came = _without(left, stays), _without(came, stays)
        self._apply(left, came)


def _without(elements: list[T], some: Counter[T]) -> list[T]:
    some = some.copy()
    rest: list[T] = []
    for element in elements:
        if some[element]:
            some[element] -= 1
        else:
            rest.append(element)
    return rest


class ItemSet(ElementWise, DerivedSet[U]):
    """What a function makes of each element of a set."""

    __slots__ = ("_reader", "_results")

    def __init__(
        self, source: ASet[Any], function: Callable[[Any], Any], *, picks: bool = False
    ) -> None:
        DerivedSet.__init__(self)
        self._read(source.reader(), function, picks=picks)

    def _follow(self) -> None:
        gone, arrived = self._reader.items()
        left, came = self._results.follow(self, (gone, arrived))
        self._reader.take()
        image = self._image
        moved: set[U] = set()
        if gone and arrived:
            moved.update(*[image(x, came[x]) for x in arrived if x in gone])
        self._exchange(
            [y for x, result in left.items() for y in image(x, result)],
            [y for x, result in came.items() for y in image(x, result)],
            moved,
        )
        self._results.account(left, came)


class MappedSet(Mapped, ItemSet[U]):
    """The results of a function."""

    __slots__ = ()


class UsedSet(Used, MappedSet[U]):
    """The results of a function, released when their elements have left."""

    __slots__ = ()

    def _nothing(self) -> Reader:
        from heapscene.adaptive.aset import aset

        return aset(()).reader()

    def _clear(self) -> bool:
        return self._apply([x for x, count in self._content.items() for _ in range(count)], ())


class FilteredSet(ItemSet[U]):
    """The elements for which a function gives something true."""

    __slots__ = ()

    def _image(self, place: Any, result: Any) -> tuple[U, ...]:
        return (place,) if result else ()


class FlatSet(DerivedSet[U]):
    """The elements of all sets of a set."""

    __slots__ = ("_inner", "_source")

    def __init__(self, source: ASet[ASet[U]]) -> None:
        super().__init__()
        self._source = source.reader()
        self._inner: dict[ASet[U], SetReader[U]] = {}

    def _origin(self) -> Node:
        return self._source._source

    def _stale(self) -> list[Node]:
        delta = self._source.look()
        gone = set(delta.removed)
        return [*(inner for inner in self._dirty.peek() if inner not in gone), *delta.added]

    def _follow(self) -> None:
        source = self._source
        delta = source.look()
        gone = set(delta.removed)
        marked = self._dirty.drain()
        dirty = [inner for inner in marked if inner not in gone]
        fresh = {inner: inner.reader() for inner in delta.added}
        try:
            if fresh:
                self._depend((source._source, *fresh))
            readers = [*(self._inner[inner] for inner in dirty), *fresh.values()]
            looks = [(reader, reader.look()) for reader in readers]
        except BaseException:
            for inner in marked:
                self._dirty.retry(inner)
            raise
        left: list[U] = []
        came: list[U] = []
        moved: set[U] = set()
        for inner in delta.removed:
            seen = self._inner.pop(inner).seen()
            left += seen
            if inner in fresh:
                moved.update(seen)
            self._unwatch(inner, inner)
        for reader, change in looks:
            left += change.removed
            came += change.added
            moved.update(set(change.removed).intersection(change.added))
            reader.take()
        self._depend((source._source,))
        for inner, reader in fresh.items():
            self._inner[inner] = reader
            self._watch(inner, inner)
        source.take()
        self._exchange(left, came, moved)

    def _place(self) -> str:
        return "a union of sets"


class SingleSet(DerivedSet[U]):
    """The value of an adaptive value, as a set of one."""

    __slots__ = ("_source",)

    def __init__(self, source: AVal[U]) -> None:
        super().__init__()
        self._source = source

    def _origin(self) -> Node:
        return self._source

    def _follow(self) -> None:
        value = self._source.force()
        if value not in self._content:
            self._apply(list(self._content), (value,))

    def _place(self) -> str:
        return "a set of one value"


class ValueSet(DerivedSet[U]):
    """The values of a list or of a dictionary, each once."""

    __slots__ = ("_reader",)

    def __init__(self, source: Keyed) -> None:
        super().__init__()
        self._reader = KeyedReader(source)

    def _origin(self) -> Node:
        return self._reader._source

    def _follow(self) -> None:
        left, came = self._reader.items()
        for value in came.values():
            hash(value)
        self._reader.take()
        self._exchange(list(left.values()), list(came.values()), ())

    def _place(self) -> str:
        return "the set of the elements of a list"


class KeySet(DerivedSet[U]):
    """The keys of a dictionary."""

    __slots__ = ("_reader",)

    def __init__(self, source: Keyed) -> None:
        super().__init__()
        self._reader = KeyedReader(source)

    def _origin(self) -> Node:
        return self._reader._source

    def _follow(self) -> None:
        left, came = self._reader.items()
        gone = self._reader.vacated(left, came)
        back = set(gone)
        self._reader.take()
        self._apply(gone, [key for key in came if key not in left or key in back])

    def _place(self) -> str:
        return "the keys of a dictionary"


def checked_set(function: Callable[[Any], object]) -> Callable[[Any], ASet[Any]]:
    """Return `function` with a check that what it returns is a set that may change."""
    return checked_result(function, ASet, "set", "aset")
