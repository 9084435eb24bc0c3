"""Dictionaries computed from others."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from heapscene.adaptive.adict import ADict
from heapscene.adaptive.collection import STORAGE
from heapscene.adaptive.follow import Follower
from heapscene.adaptive.node import Node
from heapscene.adaptive.results import Results

__all__ = ["FilteredDict", "MappedDict"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class DerivedDict(Follower, ADict[K, V]):
    """What a function makes of each key and value of a dictionary."""

    __slots__ = (*STORAGE, "_reader", "_results")

    def __init__(self, source: ADict[K, Any], function: Callable[[Any, Any], Any]) -> None:
        ADict.__init__(self, {})
        self._begin()
        self._reader = source.reader()

        def of_pair(pair: tuple[Any, Any]) -> Any:
            return function(*pair)

        of_pair.__wrapped__ = function  # pyright: ignore[reportFunctionMemberAccess] (for errors)
        self._results = Results(of_pair)

    def _image(self, key: Any, result: Any) -> tuple[V, ...]:
        """Return what is in this dictionary for a key and its result."""
        raise NotImplementedError

    def _origin(self) -> Node:
        return self._reader._source

    def _stale(self) -> list[Node]:
        return self._results.stale(self, self._reader)

    def _follow(self) -> None:
        gone, arrived = self._reader.items()
        pairs = {key: (key, value) for key, value in arrived.items()}
        left, came = self._results.follow(self, (gone, pairs))
        vacated = self._reader.vacated(gone, arrived)
        values = {key: image[0] for key, y in came.items() if (image := self._image(key, y))}
        over = dict.fromkeys(vacated)
        over |= dict.fromkeys(key for key in left if key not in values)
        self._reader.take()
        self._apply([key for key in over if key in self._content], values)

    def _place(self) -> str:
        return self._results.place()


class MappedDict(DerivedDict[K, V]):
    """The results of a function."""

    __slots__ = ()

    def _image(self, key: Any, result: Any) -> tuple[V, ...]:  # noqa: ARG002
        return (result,)


class FilteredDict(DerivedDict[K, V]):
    """The part for which a function gives something true."""

    __slots__ = ()

    def _image(self, key: Any, result: Any) -> tuple[V, ...]:
        return (self._reader._source._content[key],) if result else ()
