"""Nodes that follow collections by their changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar
from weakref import ref

from heapscene.adaptive.node import (
    CLEAN,
    DIRTY,
    FAILED,
    READY,
    RUN,
    RUNNING,
    UNSET,
    Derived,
    Node,
    claim_thread,
    graph,
    rewire,
)
from heapscene.adaptive.sink import Sink

__all__ = ["Follower", "Inner"]

K = TypeVar("K")


class Follower(Derived):
    """A node that keeps what it is up to date by what changed in one collection or value.

    What it needs is brought up to date before, so that chains of followers do not recurse.
    """

    __slots__ = ("_ahead", "_inputs")
    _ahead: list[Node]
    _inputs: dict[Node, None]

    def _begin(self) -> None:
        claim_thread()
        self._state = DIRTY
        self._value = UNSET
        self._inputs = {}
        self._ahead = []

    def _origin(self) -> Node:
        """Return what this node follows."""
        raise NotImplementedError

    def _stale(self) -> list[Node]:
        """Return what else has to be up to date, once the origin is."""
        return []

    def _follow(self) -> None:
        """Bring the content up to date with the inputs."""
        raise NotImplementedError

    def _current(self) -> Any:
        if self._state != CLEAN:
            self._update()
        return self._content  # pyright: ignore[reportAttributeAccessIssue] (a collection's)

    def _peek(self) -> Any:
        return self._version if self._state == CLEAN else UNSET  # pyright: ignore[reportAttributeAccessIssue]

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if not index:
            return self._origin(), READY
        if index == 1:
            self._ahead = self._stale()
        # following without changes costs nothing, so it runs in any case
        return (self._ahead[index - 1], READY) if index <= len(self._ahead) else RUN

    def _run(self) -> None:
        outer = graph.reads, graph.running
        graph.reads, graph.running = {}, self
        self._state = RUNNING
        self._ahead = []
        try:
            self._depend((self._origin(),))
            self._follow()
            self._state = CLEAN
        finally:
            graph.reads, graph.running = outer
            if self._state != CLEAN:
                self._state = FAILED

    def _depend(self, inputs: Iterable[Node]) -> None:
        new = dict.fromkeys(inputs)
        if new != self._inputs:
            rewire(self, self._inputs, new)
            self._inputs = new


class Inner(Sink[K]):
    """The sink of a follower: marks of what is watched are marks of the follower as well."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Follower) -> None:
        super().__init__()
        self._owner: ref[Derived] = ref(owner)

    def watch(self, node: Node, key: K) -> None:
        """Report `key`, and mark the follower, when `node` may have changed."""
        if node not in self._watches and not node.is_constant:
            node._subscribe(self._owner)
        super().watch(node, key)

    def unwatch(self, node: Node, key: K) -> None:
        """Never report `key` for `node` again."""
        super().unwatch(node, key)
        if node not in self._watches:
            node._unsubscribe(self._owner)

    def peek(self) -> list[K]:
        """Return the keys that the next :meth:`drain` will give."""
        return [entry.key for entry in self._pending]
