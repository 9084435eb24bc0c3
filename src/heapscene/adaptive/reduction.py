"""Values computed from all elements of a set or list, kept up to date by what changes."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable
from typing import Any

from heapscene.adaptive.collection import Reducible
from heapscene.adaptive.delta import Items, Reader
from heapscene.adaptive.follow import Follower
from heapscene.adaptive.node import CLEAN, UNSET, Node, place_of
from heapscene.adaptive.results import Results
from heapscene.adaptive.value import AVal

__all__ = ["Extreme", "Fold", "count_of", "sum_of"]


class Reduction(Follower, AVal[Any]):
    """A value that follows the elements of a collection, or the results of a function of each."""

    __slots__ = ("_reader", "_results")
    _results: Results | None

    def __init__(self, source: Any) -> None:
        self._outputs = None
        self._begin()
        self._reader: Reader = source.reader()
        self._results = None

    def force(self) -> Any:
        """Return the current value without tracking the read, computing it if needed."""
        if self._state != CLEAN:
            self._update()
        return self._value

    def _peek(self) -> Any:
        return self._value if self._state == CLEAN else UNSET

    def _origin(self) -> Node:
        return self._reader._source

    def _stale(self) -> list[Node]:
        return [] if self._results is None else self._results.stale(self, self._reader)

    def _follow(self) -> None:
        items: Items = self._reader.items()
        if self._results is not None:
            items = self._results.follow(self, items)
        self._reader.take()
        before, self._value = self._value, UNSET  # after an exception, all is folded again
        left, came = items
        if before is UNSET or len(left) + len(came) >= self._count():
            self._value = self._whole()
        elif left or came:
            self._value = self._step(before, left, came)
        else:
            self._value = before

    def _count(self) -> int:
        return len(self._reader._source._content)

    def _elements(self) -> Iterable[Any]:
        if self._results is not None:
            return self._results.values.values()
        return self._reader._source._elements()

    def _whole(self) -> Any:
        """Return the value for all elements."""
        raise NotImplementedError

    def _step(self, value: Any, left: dict[Any, Any], came: dict[Any, Any]) -> Any:
        """Return the value after elements left and came."""
        raise NotImplementedError


class Fold(Reduction):
    """A fold by two functions of the user."""

    __slots__ = ("_add", "_subtract", "_zero")

    def __init__(
        self,
        source: Reducible[Any],
        add: Callable[[Any, Any], Any],
        subtract: Callable[[Any, Any], Any] | None,
        zero: Any,
    ) -> None:
        super().__init__(source)
        self._add = add
        self._subtract = subtract
        self._zero = zero

    def _whole(self) -> Any:
        value = self._zero
        for element in self._elements():
            value = self._add(value, element)
        return value

    def _step(self, value: Any, left: dict[Any, Any], came: dict[Any, Any]) -> Any:
        if self._subtract is None:
            last = None if left else self._reader._source._last(came)
            if last is None:
                return self._whole()
            came = dict(enumerate(last))
        else:
            for element in left.values():
                value = self._subtract(value, element)
        for element in came.values():
            value = self._add(value, element)
        return value

    def _place(self) -> str:
        return place_of(self._add)


class Sum(Reduction):
    """A sum by ``+`` and ``-``, which is summed anew before rounding errors can add up."""

    __slots__ = ("_start", "_steps")

    def __init__(
        self, source: Reducible[Any], function: Callable[[Any], Any] | None, start: Any
    ) -> None:
        super().__init__(source)
        self._start = start
        self._steps = 0
        if function is not None:
            self._results = Results(function)

    def _whole(self) -> Any:
        self._steps = 0
        value = self._start
        for element in self._elements():
            value = value + element
        return value

    def _step(self, value: Any, left: dict[Any, Any], came: dict[Any, Any]) -> Any:
        if not isinstance(value, int):
            self._steps += len(left) + len(came)
            if self._steps >= self._count() or not _is_finite(value):
                return self._whole()
        for element in left.values():
            value = value - element
        for element in came.values():
            value = value + element
        return value if _is_finite(value) else self._whole()

    def _place(self) -> str:
        return "a sum" if self._results is None else self._results.place()


class Extreme(Reduction):
    """The smallest or the largest element."""

    __slots__ = ("_choose", "_default")

    def __init__(self, source: Reducible[Any], choose: Callable[..., Any], default: Any) -> None:
        super().__init__(source)
        self._choose = choose
        self._default = default

    def _whole(self) -> Any:
        return self._choose(self._elements(), default=self._default)

    def _step(self, value: Any, left: dict[Any, Any], came: dict[Any, Any]) -> Any:
        if any(element is value or element == value for element in left.values()):
            return self._whole()
        return self._choose((value, *came.values()))

    def _place(self) -> str:
        return f"the {self._choose.__name__} of a collection"


def sum_of(source: Reducible[Any], function: Callable[[Any], Any] | None, start: Any) -> AVal[Any]:
    """Return the sum of the elements, or of the results of a function."""
    return Sum(source, function, start)


def count_of(
    source: Reducible[Any], predicate: Callable[[Any], bool], *, wanted: bool
) -> AVal[int]:
    """Return for how many elements `predicate` is as wanted."""

    def counts(element: Any) -> bool:
        return bool(predicate(element)) is wanted

    counts.__wrapped__ = predicate  # pyright: ignore[reportFunctionMemberAccess] (for errors)
    return Sum(source, counts, 0)


def _is_finite(value: Any) -> bool:
    return not isinstance(value, (float, complex)) or cmath.isfinite(value)
