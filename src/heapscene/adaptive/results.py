"""What a function gives for each element of a collection, remembered, and repaired when asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from heapscene.adaptive.delta import Items, Reader
from heapscene.adaptive.equality import same
from heapscene.adaptive.follow import Follower
from heapscene.adaptive.node import Node, graph, place_of
from heapscene.adaptive.transaction import raise_all
from heapscene.adaptive.value import AVal, Join, adopt, chosen_by

__all__ = ["Results", "Uses"]


class Results:
    """The results of a function, by the places of the elements that they come from.

    It runs once for an element. An element for which it has read values gets a node; a sink tells
    which of these are dirty. With `picks` the function gives adaptive values, and it is their
    values that count.
    """

    __slots__ = ("_function", "_nodes", "_picks", "values")

    def __init__(self, function: Callable[[Any], Any], *, picks: bool = False) -> None:
        self.values: dict[Any, Any] = {}
        self._nodes: dict[Any, AVal[Any]] = {}
        self._function = function
        self._picks = picks

    def stale(self, owner: Follower, reader: Reader) -> list[Node]:
        """Return the nodes that have to be up to date before `reader` is followed."""
        dirty = owner._dirty.peek()
        left = reader.items()[0] if dirty else {}
        return [self._nodes[at] for at in dirty if at not in left]

    def follow(self, owner: Follower, items: Items) -> Items:
        """Return which results left and came, when elements left and came.

        An exception in the function loses nothing: all is as it was before, and is tried again.
        """
        left, came = items
        dirty = owner._dirty.drain()
        fresh: dict[Any, tuple[Any, AVal[Any] | None]] = {}
        reads: dict[Node, None] = {}
        read: dict[Node, None] = {}
        try:
            changed = {at: self._nodes[at].force() for at in dirty if at not in left}
            for at, element in came.items():
                graph.reads = reads = {}
                graph.evaluations += 1
                fresh[at] = self._compute(element, reads)
                if reads:
                    read |= reads
        except BaseException:
            for at in dirty:
                owner._dirty.retry(at)
            owner._depend((owner._origin(), *read, *reads))
            self._undo(fresh)
            raise
        return self._store(owner, left, changed, fresh)

    def _compute(self, element: Any, reads: dict[Node, None]) -> tuple[Any, AVal[Any] | None]:
        value = self._function(element)
        node: AVal[Any] | None = None
        if reads:
            node = adopt(partial(self._function, element), value, reads)
        if not self._picks:
            return value, node
        chosen = chosen_by(value, self._function, "map_a and filter_a")
        if node is not None:
            chosen = Join(node, self._function)
        elif chosen.is_constant:
            return chosen.force(), None
        reads[chosen] = None
        return chosen.force(), chosen

    def _store(
        self,
        owner: Follower,
        gone: dict[Any, Any],
        changed: dict[Any, Any],
        fresh: dict[Any, tuple[Any, AVal[Any] | None]],
    ) -> Items:
        values = self.values
        left: dict[Any, Any] = {}
        came: dict[Any, Any] = {}
        for at in gone:
            left[at] = values.pop(at)
            node = self._nodes.pop(at, None)
            if node is not None:
                owner._unwatch(node, at)
        for at, value in changed.items():
            if not same(values[at], value):
                left[at] = values[at]
                came[at] = values[at] = value
        for at, (value, node) in fresh.items():
            came[at] = values[at] = value
            if node is not None:
                self._nodes[at] = node
                owner._watch(node, at)
        return left, came

    def _undo(self, fresh: dict[Any, tuple[Any, AVal[Any] | None]]) -> None:
        """Give up results that nobody will see."""

    def account(self, left: dict[Any, Any], came: dict[Any, Any]) -> None:
        """Take note that the results `left` are no longer used by anybody, and `came` are."""

    def place(self) -> str:
        """Say where the function was written."""
        return place_of(self._function)


class Uses(Results):
    """Results that are released when they are no longer used, by ``release()`` or ``close()``."""

    __slots__ = ("_made", "_used")

    def __init__(self, function: Callable[[Any], Any]) -> None:
        made: dict[int, Any] = {}

        def make(element: Any) -> Any:
            result = function(element)
            made[id(result)] = result
            return result

        make.__wrapped__ = function  # pyright: ignore[reportFunctionMemberAccess] (for errors)
        super().__init__(make)
        self._made = made
        self._used: dict[int, tuple[Any, int]] = {}

    def _undo(self, fresh: dict[Any, tuple[Any, AVal[Any] | None]]) -> None:
        lost = {id(value): value for value, _ in fresh.values() if id(value) not in self._used}
        for key in lost:
            self._made.pop(key, None)
        _release_all(list(lost.values()))

    def account(self, left: dict[Any, Any], came: dict[Any, Any]) -> None:
        """Release what left, unless another element has given the same object."""
        used = self._used
        for value in came.values():
            _, count = used.get(id(value), (None, 0))
            used[id(value)] = value, count + 1
        over = {key: value for key, value in self._made.items() if key not in used}
        self._made.clear()
        for value in left.values():
            _, count = used.pop(id(value))
            if count > 1:
                used[id(value)] = value, count - 1
            else:
                over[id(value)] = value
        _release_all(list(over.values()))

    def end(self, owner: Follower) -> None:
        """Release everything."""
        rest = {**self._made, **{key: value for key, (value, _) in self._used.items()}}
        for at, node in self._nodes.items():
            owner._unwatch(node, at)
        self._made.clear()
        self._used.clear()
        self._nodes.clear()
        self.values.clear()
        _release_all(list(rest.values()))


def _release_all(results: list[Any]) -> None:
    errors: list[Exception] = []
    for result in results:
        release = getattr(result, "release", None) or getattr(result, "close", None)
        try:
            if callable(release):
                cast("Callable[[], object]", release)()
        except Exception as error:  # noqa: BLE001 (raised below, after the others)
            errors.append(error)
    raise_all(errors, "several results could not be released")
