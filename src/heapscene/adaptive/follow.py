"""Nodes that follow collections by their changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
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
)
from heapscene.adaptive.sink import Sink

__all__ = ["Follower"]


class Follower(Derived):
    """A node that keeps what it is up to date by what changed in one collection or value.

    What it needs is brought up to date before, so that chains of followers do not recurse.
    """

    __slots__ = ("_ahead", "_dirty", "_inputs")
    _ahead: list[Node]
    _dirty: Sink[Any]
    _inputs: dict[Node, None]

    def _begin(self) -> None:
        claim_thread()
        self._state = DIRTY
        self._value = UNSET
        self._inputs = {}
        self._ahead = []
        self._dirty = Sink()

    def _origin(self) -> Node:
        """Return what this node follows."""
        raise NotImplementedError

    def _stale(self) -> list[Node]:
        """Return what else has to be up to date, once the origin is."""
        return []

    def _follow(self) -> None:
        """Bring the content up to date with the inputs."""
        raise NotImplementedError

    def _reads(self) -> Iterable[Node]:
        return (self._origin(), *self._ahead)

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
        """Have marks of these inputs, and of what is watched, reach this node."""
        new = dict.fromkeys(inputs)
        old, self._inputs = self._inputs, new
        if new != old:
            watched = self._dirty.watched
            for node in old:
                if node not in new and node not in watched:
                    node._unsubscribe(ref(self))
            for node in new:
                if node not in old and node not in watched:
                    node._subscribe(ref(self))

    def _watch(self, node: Node, key: Any) -> None:
        """Have marks of `node` reach this node, and remember `key` then."""
        if node not in self._dirty.watched and node not in self._inputs:
            node._subscribe(ref(self))
        self._dirty.watch(node, key)

    def _unwatch(self, node: Node, key: Any) -> None:
        """Never report `key` for `node` again."""
        self._dirty.unwatch(node, key)
        if node not in self._dirty.watched and node not in self._inputs:
            node._unsubscribe(ref(self))
