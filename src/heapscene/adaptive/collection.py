"""What sets, lists and dictionaries that change have in common: readers, versions, callbacks."""

from __future__ import annotations

from collections.abc import Callable
from operator import not_
from typing import Any, Generic, TypeVar
from weakref import ref

from heapscene.adaptive.delta import Reader
from heapscene.adaptive.node import UNSET, Node, graph, mark, track
from heapscene.adaptive.transaction import Subscription, settle
from heapscene.adaptive.value import AVal, computed
from heapscene.errors import AdaptiveError, explain
from heapscene.wording import brief, counted

__all__ = ["STORAGE", "Collection", "DeltaSubscription", "Reducible", "announce", "check_kind"]

STORAGE = ("_content", "_readers", "_version")
"""Slots of every collection; base classes have none, so that derived ones can be nodes too."""

T = TypeVar("T")
U = TypeVar("U")


class Collection(Node):
    """Elements that come and go, read by their changes."""

    __slots__ = ()
    _content: Any
    _readers: list[ref[Any]]
    _version: int

    def __init__(self, content: Any) -> None:
        self._outputs = None
        self._content = content
        self._readers = []
        self._version = 0

    def __len__(self) -> int:
        if graph.reads is not None:
            track(self)
        return len(self._current())

    def __bool__(self) -> bool:
        return True  # an empty collection is still there: ask len() for elements

    def count(self) -> AVal[int]:
        """Return the number of elements as a value."""
        return computed(self.__len__)

    def on_change(self, callback: Callable[[Any], object]) -> Subscription:
        """Call `callback` with what changed, after each transaction that changed something.

        It is kept alive until ``dispose()`` is called on what this returns.
        """
        return DeltaSubscription(self, callback)

    def _current(self) -> Any:
        """Return the content, brought up to date."""
        return self._content

    def _peek(self) -> Any:
        return self._version

    def _attach(self, reader: ref[Any]) -> None:
        self._live()
        self._readers.append(reader)

    def _live(self) -> list[Any]:
        if not self._readers:
            return []
        pairs = [(weak, reader) for weak in self._readers if (reader := weak()) is not None]
        if len(pairs) != len(self._readers):
            self._readers = [weak for weak, _ in pairs]
        return [reader for _, reader in pairs]

    def __repr__(self) -> str:
        name = getattr(self, "_name", None)
        named = "" if name is None else f", name={brief(name, 40)}"
        is_known = self._peek() is not UNSET
        known = counted(len(self._content), "element") if is_known else "out of date"
        return f"{type(self).__name__}({known}{named})"


class Reducible(Collection, Generic[T]):
    """Values computed from all elements, kept up to date by what changes.

    A change costs a step for each element that came or left. Where more changed than there is,
    everything is folded again.
    """

    __slots__ = ()

    def sum(self, function: Callable[[T], Any] | None = None, start: Any = 0) -> AVal[Any]:
        """Return the sum of `function` of each element, or of the elements; by ``+`` and ``-``.

        The function may read values. Sums of floats round differently than ``sum`` would; to keep
        that from growing, everything is summed again after as many steps as there are elements,
        and at once where a sum is not finite.
        """
        from heapscene.adaptive.reduction import sum_of

        return sum_of(self, function, start)

    def fold(
        self,
        add: Callable[[U, T], U],
        subtract: Callable[[U, T], U] | None,
        zero: U,
    ) -> AVal[U]:
        """Return ``add(... add(zero, first) ..., last)``, kept up to date.

        Elements that left are taken out by `subtract`, and the order of the steps must not matter.
        Without it, all is folded again, in order, whenever something left or came in between.
        """
        from heapscene.adaptive.reduction import Fold

        return Fold(self, add, subtract, zero)

    def exists(self, predicate: Callable[[T], bool]) -> AVal[bool]:
        """Return whether `predicate`, which may read values, is true for an element."""
        from heapscene.adaptive.reduction import count_of

        return count_of(self, predicate, wanted=True).map(bool)

    def forall(self, predicate: Callable[[T], bool]) -> AVal[bool]:
        """Return whether `predicate`, which may read values, is true for every element."""
        from heapscene.adaptive.reduction import count_of

        return count_of(self, predicate, wanted=False).map(not_)

    def min(self, default: Any = None) -> AVal[Any]:
        """Return the smallest element, or `default`; folded again when that one leaves."""
        from heapscene.adaptive.reduction import Extreme

        return Extreme(self, min, default)

    def max(self, default: Any = None) -> AVal[Any]:
        """Return the largest element, or `default`; folded again when that one leaves."""
        from heapscene.adaptive.reduction import Extreme

        return Extreme(self, max, default)


class DeltaSubscription(Subscription):
    """A callback on the changes of a collection."""

    __slots__ = ()

    def _begin(self) -> Any:
        reader: Reader = self._source.reader()
        reader.changes()
        return reader

    def fire(self) -> None:
        """Call the callback with what changed, if anything did."""
        self._queued = False
        if self.alive():
            delta = self._last.changes()
            if delta:
                self._callback(delta)


def check_kind(given: object, kind: type[Any], called: str) -> None:
    """Raise unless `given` is a collection of the right kind."""
    if not isinstance(given, kind):
        raise AdaptiveError(
            explain(
                f"a {called} that may change is wanted here",
                facts={"given": type(given).__name__},
                fix=f"hs.a{called}([...])   # for elements that stay",
            )
        )


def announce(changed: Collection) -> None:
    """Mark what depends on a collection that has just been changed, and run callbacks."""
    mark(changed._outputs)
    settle()
