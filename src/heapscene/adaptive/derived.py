"""Sets computed from other sets and from values.

Changes of the inputs are looked at, worked out, and only then taken: an exception in a function
loses nothing, the set stays out of date and is tried again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable
from functools import partial, wraps
from typing import Any, TypeVar, cast
from weakref import ref

from heapscene.adaptive.aset import STORAGE, ASet
from heapscene.adaptive.delta import SetReader
from heapscene.adaptive.equality import same
from heapscene.adaptive.node import (
    CLEAN,
    DIRTY,
    FAILED,
    RUN,
    RUNNING,
    UNSET,
    Derived,
    Node,
    claim_thread,
    graph,
    place_of,
    rewire,
)
from heapscene.adaptive.sink import Sink
from heapscene.adaptive.value import AVal, Computed, adopt
from heapscene.errors import AdaptiveError, explain

__all__ = ["FilteredSet", "FlatSet", "MappedSet", "SingleSet", "checked_set"]

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)


class DerivedSet(Derived, ASet[T]):
    """A set that follows others."""

    __slots__ = (*STORAGE, "_inputs")

    def __init__(self) -> None:
        claim_thread()
        ASet.__init__(self)
        self._state = DIRTY
        self._inputs: dict[Node, None] = {}

    def _current(self) -> dict[T, int]:
        if self._state != CLEAN:
            self._update()
        return self._content

    def _peek(self) -> Any:
        return self._version if self._state == CLEAN else UNSET

    def _dependency(self, index: int) -> tuple[Node, Any] | None:  # noqa: ARG002
        return RUN  # following without changes costs nothing

    def _run(self) -> None:
        outer = graph.reads, graph.running
        graph.reads, graph.running = {}, self
        self._state = RUNNING
        try:
            self._follow()
            self._state = CLEAN
        finally:
            graph.reads, graph.running = outer
            if self._state != CLEAN:
                self._state = FAILED

    def _follow(self) -> None:
        """Bring the content up to date with the inputs."""
        raise NotImplementedError

    def _exchange(self, left: list[T], came: list[T], moved: Container[T]) -> None:
        """Apply a change in which what leaves one place and comes at another one stays.

        What has `moved` within its place goes to the end.
        """
        if left and came:
            stays = Counter(x for x in left if x not in moved)
            stays &= Counter(x for x in came if x not in moved)
            left, came = _without(left, stays), _without(came, stays)
        self._apply(left, came)

    def _depend(self, inputs: Iterable[Node]) -> None:
        new = dict.fromkeys(inputs)
        if new != self._inputs:
            rewire(self, self._inputs, new)
            self._inputs = new


def _without(elements: list[T], some: Counter[T]) -> list[T]:
    some = some.copy()
    rest: list[T] = []
    for element in elements:
        if some[element]:
            some[element] -= 1
        else:
            rest.append(element)
    return rest


class ItemSet(DerivedSet[U]):
    """What a function makes of each element of a set.

    An element for which the function has read values gets a node; a sink tells which are dirty.
    """

    __slots__ = ("_dirty", "_function", "_nodes", "_results", "_source")

    def __init__(self, source: ASet[Any], function: Callable[[Any], Any]) -> None:
        super().__init__()
        self._source = source.reader()
        self._function = function
        self._results: dict[Any, Any] = {}
        self._nodes: dict[Any, Computed[Any]] = {}
        self._dirty: Sink[Any] = Sink()

    def _image(self, element: Any, result: Any) -> tuple[U, ...]:
        """Return what is in this set for an element and its result."""
        raise NotImplementedError

    def _follow(self) -> None:
        source = self._source
        self._depend((source._source,))
        delta = source.look()
        gone = dict.fromkeys(delta.removed)
        dirty = self._dirty.drain()
        fresh: dict[Any, tuple[Any, dict[Node, None]]] = {}
        reads: dict[Node, None] = {}
        try:
            changed = {x: self._nodes[x].force() for x in dirty if x not in gone}
            for element in delta.added:
                graph.reads = reads = {}
                graph.evaluations += 1
                fresh[element] = self._function(element), reads
        except BaseException:
            for element in dirty:
                self._dirty.retry(element)
            read = [node for _, nodes in fresh.values() for node in nodes]
            self._depend((source._source, *read, *reads))
            raise
        source.take()
        self._take_over(gone, changed, fresh)

    def _take_over(
        self,
        gone: dict[Any, None],
        changed: dict[Any, Any],
        fresh: dict[Any, tuple[Any, dict[Node, None]]],
    ) -> None:
        """Store the new results, and let what they were leave this set and what they are come."""
        results, left, came = self._results, list[U](), list[U]()
        moved: set[U] = set()
        for element in gone:
            left += self._image(element, results.pop(element))
            node = self._nodes.pop(element, None)
            if node is not None:
                self._dirty.unwatch(node, element)
                node._unsubscribe(ref(self))
        for element, value in changed.items():
            if not same(results[element], value):
                left += self._image(element, results[element])
                came += self._image(element, value)
                results[element] = value
        for element, (value, reads) in fresh.items():
            came += self._image(element, value)
            if element in gone:
                moved.update(self._image(element, value))
            results[element] = value
            if reads:
                node = adopt(partial(self._function, element), value, reads)
                self._nodes[element] = node
                node._subscribe(ref(self))
                self._dirty.watch(node, element)
        self._exchange(left, came, moved)

    def _place(self) -> str:
        return place_of(self._function)


class MappedSet(ItemSet[U]):
    """The results of a function."""

    __slots__ = ()

    def _image(self, element: Any, result: Any) -> tuple[U, ...]:  # noqa: ARG002
        return (result,)


class FilteredSet(ItemSet[U]):
    """The elements for which a function gives something true."""

    __slots__ = ()

    def _image(self, element: Any, result: Any) -> tuple[U, ...]:
        return (element,) if result else ()


class FlatSet(DerivedSet[U]):
    """The elements of all sets of a set."""

    __slots__ = ("_dirty", "_inner", "_source")

    def __init__(self, source: ASet[ASet[U]]) -> None:
        super().__init__()
        self._source = source.reader()
        self._inner: dict[ASet[U], SetReader[U]] = {}
        self._dirty: Sink[ASet[U]] = Sink()

    def _follow(self) -> None:
        source = self._source
        self._depend((source._source,))
        delta = source.look()
        gone = set(delta.removed)
        dirty = [inner for inner in self._dirty.drain() if inner not in gone]
        fresh = {inner: inner.reader() for inner in delta.added}
        try:
            if fresh:
                self._depend((source._source, *fresh))
            readers = [*(self._inner[inner] for inner in dirty), *fresh.values()]
            looks = [(reader, reader.look()) for reader in readers]
        except BaseException:
            for inner in dirty:
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
            self._dirty.unwatch(inner, inner)
            inner._unsubscribe(ref(self))
        for reader, change in looks:
            left += change.removed
            came += change.added
            moved.update(set(change.removed).intersection(change.added))
            reader.take()
        self._depend((source._source,))
        for inner, reader in fresh.items():
            self._inner[inner] = reader
            self._dirty.watch(inner, inner)
            inner._subscribe(ref(self))
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

    def _follow(self) -> None:
        self._depend((self._source,))
        value = self._source.force()
        if value not in self._content:
            self._apply(list(self._content), (value,))

    def _place(self) -> str:
        return "a set of one value"


def checked_set(function: Callable[[Any], object]) -> Callable[[Any], ASet[Any]]:
    """Return `function` with a check that what it returns is a set that may change."""

    @wraps(function)
    def choose(value: Any) -> ASet[Any]:
        chosen = function(value)
        if isinstance(chosen, ASet):
            return cast("ASet[Any]", chosen)
        raise AdaptiveError(
            explain(
                "the function has to return a set that may change",
                facts={"function": place_of(function), "returned": type(chosen).__name__},
                fix="Return aset([...]) for elements that stay.",
            )
        )

    return choose
