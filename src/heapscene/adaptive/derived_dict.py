"""Dictionaries computed from others."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from heapscene.adaptive.adict import ADict
from heapscene.adaptive.collection import STORAGE
from heapscene.adaptive.elementwise import ElementWise, Mapped

__all__ = ["FilteredDict", "MappedDict"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class DerivedDict(ElementWise, ADict[K, V]):
    """What a function makes of each key and value of a dictionary."""

    __slots__ = (*STORAGE, "_reader", "_results")

    def __init__(self, source: ADict[K, Any], function: Callable[[Any, Any], Any]) -> None:
        ADict.__init__(self, {})
        self._begin()

        def of_pair(pair: tuple[Any, Any]) -> Any:
            return function(*pair)

        of_pair.__wrapped__ = function  # pyright: ignore[reportFunctionMemberAccess] (for errors)
        self._read(source.reader(), of_pair)

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


class MappedDict(Mapped, DerivedDict[K, V]):
    """The results of a function."""

    __slots__ = ()


class FilteredDict(DerivedDict[K, V]):
    """The part for which a function gives something true."""

    __slots__ = ()

    def _image(self, place: Any, result: Any) -> tuple[V, ...]:
        return (self._reader._source._content[place],) if result else ()
