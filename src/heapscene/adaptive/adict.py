"""Dictionaries that change, read by their changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from heapscene.adaptive.aset import ASet
from heapscene.adaptive.collection import STORAGE, announce
from heapscene.adaptive.equality import frozen
from heapscene.adaptive.keyed import Keyed, KeyedReader
from heapscene.adaptive.node import UNSET, claim_thread, graph, track
from heapscene.adaptive.value import AVal, check_write, computed

__all__ = ["ADict", "CDict", "DictDelta", "DictReader", "cdict"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class DictDelta(Generic[K, V]):
    """What to do to a dictionary: delete the keys `removed`, then set what is `assigned`.

    A key in both has left and come back: it has moved to the end.
    """

    assigned: dict[K, V]
    removed: list[K]

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self.assigned or self.removed)

    def replay(self, content: dict[K, V]) -> None:
        """Do it to `content`, which has to be as the dictionary was before."""
        for key in self.removed:
            del content[key]
        content.update(self.assigned)


class DictReader(KeyedReader, Generic[K, V]):
    """Reads the changes of a dictionary, independently of other readers."""

    __slots__ = ()

    def changes(self) -> DictDelta[K, V]:
        """Return what changed since the last call; the first time, everything as assigned."""
        return super().changes()

    def look(self) -> DictDelta[K, V]:
        """Return what :meth:`changes` would, leaving it there."""
        left, came = self.items()
        return DictDelta(came, self.vacated(left, came))


class ADict(Keyed, Generic[K, V]):
    """A dictionary that may change; its keys are in the order of their arrival.

    Derived dictionaries compute nothing until they are read, and then only what changes ask for.
    """

    __slots__ = ()
    _instead = "Write hs.cdict(d.value) for another dictionary that begins with the same items."

    @property
    def value(self) -> dict[K, V]:
        """The current content in order, as a copy; the read is tracked as that of a value."""
        if graph.reads is not None:
            track(self)
        return self.force()

    def force(self) -> dict[K, V]:
        """Return the current content in order, as a copy, without tracking the read."""
        return dict(self._current())

    def __getitem__(self, key: K) -> V:
        if graph.reads is not None:
            track(self)
        return self._current()[key]

    def __contains__(self, key: object) -> bool:
        if graph.reads is not None:
            track(self)
        return key in self._current()

    def __iter__(self) -> Iterator[K]:
        return iter(self.value)

    def reader(self) -> DictReader[K, V]:
        """Return a new reader, whose first changes are the whole content."""
        return DictReader(self)

    def get(self, key: K, default: Any = None) -> AVal[Any]:
        """Return what is at `key` as a value: `default` while nothing is.

        Every change of the dictionary makes it look again, which costs little; what depends on it
        runs only if what it found has changed.
        """

        def find() -> Any:
            track(self)
            return self._current().get(key, default)

        return computed(find)

    def keys(self) -> ASet[K]:
        """Return the set of the keys."""
        from heapscene.adaptive.derived_set import KeySet

        return KeySet(self)

    def values(self) -> ValuesView[V]:
        """Return the current values in order, as a snapshot; the read is tracked."""
        return self.value.values()

    def items(self) -> ItemsView[K, V]:
        """Return the current pairs in order, as a snapshot; the read is tracked."""
        return self.value.items()

    def map(self, function: Callable[[K, V], U]) -> ADict[K, U]:
        """Return the dictionary of what ``function(key, value)`` gives, at the same keys.

        It runs once for a key, and the result stays the same object until the key goes or gets
        another value; it runs again where a value that it has read changes.
        """
        from heapscene.adaptive.derived_dict import MappedDict

        return MappedDict(self, function)

    def filter(self, predicate: Callable[[K, V], bool]) -> ADict[K, V]:
        """Return the part for which ``predicate(key, value)`` is true; it may read values."""
        from heapscene.adaptive.derived_dict import FilteredDict

        return FilteredDict(self, predicate)


class CDict(ADict[K, V]):
    """A dictionary that you change. It may not be changed while a value is computed."""

    __slots__ = (*STORAGE, "_name")

    def __init__(
        self, content: Mapping[K, V] | Iterable[tuple[K, V]] = (), name: str | None = None
    ) -> None:
        claim_thread()
        super().__init__({key: frozen(value) for key, value in dict(content).items()})
        self._name = name

    def __setitem__(self, key: K, value: V) -> None:
        self.update({key: value})

    def __delitem__(self, key: K) -> None:
        self.update((), (key,))

    def discard(self, key: K) -> None:
        """Take a key out, if it is there."""
        check_write(self)
        if key in self._content:
            self.update((), (key,))

    def pop(self, key: K, default: Any = UNSET) -> Any:
        """Take a key out and return what was there, or `default` if nothing was.

        Raises
        ------
        KeyError
            If it is not there, and no default is given.
        """
        check_write(self)
        found = self._content.get(key, default)
        if found is UNSET:
            raise KeyError(key)
        self.discard(key)
        return found

    def popitem(self) -> tuple[K, V]:
        """Take out the key that came last; return it and what was there.

        Raises
        ------
        KeyError
            If there is none.
        """
        check_write(self)
        if not self._content:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self._content))
        return key, self.pop(key)

    def setdefault(self, key: K, default: Any = None) -> Any:
        """Set `default` at a key where nothing is; return what is there then."""
        check_write(self)
        if key not in self._content:
            self.update({key: default})
        return self._content.get(key, default)  # a callback may have taken it out

    def clear(self) -> None:
        """Take all keys out."""
        self.update((), list(self._content))

    def __ior__(self, other: Mapping[K, V] | ADict[K, V] | Iterable[tuple[K, V]]) -> Self:
        self.update(other)
        return self

    def update(
        self,
        assigned: Mapping[K, V] | ADict[K, V] | Iterable[tuple[K, V]] = (),
        removed: Iterable[K] = (),
    ) -> None:
        """Take the keys `removed` out, then set what is `assigned`, as one change.

        A key in both moves to the end. Setting what is there already changes nothing; an array is
        copied, and the copy is read-only.

        Raises
        ------
        KeyError
            If a key in `removed` is not there. Nothing has changed then.
        AdaptiveError
            If a value is being computed, or in another thread than the owner. Nothing has changed
            then.
        """
        check_write(self)
        came = {key: frozen(value) for key, value in dict(assigned).items()}
        gone = dict.fromkeys(removed)
        for key in gone:
            if key not in self._content:
                raise KeyError(key)
        if self._apply(gone, came):
            announce(self)


def cdict(
    content: Mapping[K, V] | Iterable[tuple[K, V]] = (), name: str | None = None
) -> CDict[K, V]:
    """Return a dictionary that you can change; errors call it by its `name`.

    Examples
    --------
    >>> ages = cdict({"Ann": 41, "Bob": 7})
    >>> adults = ages.filter(lambda name, age: age >= 18)
    >>> reader = adults.reader()
    >>> reader.changes()
    DictDelta(assigned={'Ann': 41}, removed=[])
    >>> ages["Bob"] = 18
    >>> del ages["Ann"]
    >>> reader.changes()
    DictDelta(assigned={'Bob': 18}, removed=['Ann'])
    """
    return CDict(content, name)
