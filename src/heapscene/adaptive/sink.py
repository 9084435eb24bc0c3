"""Where the graph ends: a sink collects which of the values that it watches may have changed."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from typing import Any, Generic, TypeGuard, TypeVar, cast

from heapscene.adaptive.node import CLEAN, Derived, Node

__all__ = ["OwnEdge", "Sink"]

K = TypeVar("K", bound=Hashable)


class OwnEdge:
    """A key that one sink watches for one value; it takes no other object to do that.

    It is held by the value, so it knows its sink's queue, not the sink. The sink does not list it:
    whoever made it has it in a list already, and keeps the value alive.
    """

    __slots__ = ("_pending",)
    _pending: dict[OwnEdge, None]

    @property
    def reported(self) -> Any:
        """What the sink reports."""
        return self

    def mark(self) -> None:
        """Note that the value may have changed."""
        self._pending[self] = None

    def alive(self) -> bool:
        """Whether the edge still counts."""
        return True


class _Watch(OwnEdge):
    """One watched (value, key)."""

    __slots__ = ("reported",)

    def __init__(self, key: Any) -> None:
        self.reported = key  # pyright: ignore[reportAttributeAccessIssue] (a slot here)


class Sink(Generic[K]):
    """Collects the keys of watched values that may have changed since the last :meth:`drain`.

    A sink holds what it watches strongly and is itself held weakly: dropping it ends its watches.
    Whoever drains reads the value of each key that comes out, or calls :meth:`retry` if that
    raised; a value that is not read passes no further marks on.

    Parameters
    ----------
    own_edges
        Returns which :class:`OwnEdge` are watched, and for which values, so that dropping the sink
        can end these watches too. It may not refer to the sink.
    """

    __slots__ = ("__weakref__", "_last", "_n_own", "_own_edges", "_pending", "_watches")

    def __init__(
        self, own_edges: Callable[[], Iterable[tuple[Node, OwnEdge]]] | None = None
    ) -> None:
        self._own_edges = own_edges
        self._n_own = 0
        self._watches: dict[Node, _Watch | dict[Any, _Watch]] = {}
        self._pending: dict[OwnEdge, None] = {}
        self._last: dict[Any, OwnEdge] = {}

    def __len__(self) -> int:
        """Return how many values are watched; one more for each that an own edge watches."""
        return len(self._watches) + self._n_own

    @property
    def pending(self) -> bool:
        """Whether the next :meth:`drain` gives at least one key."""
        return bool(self._pending)

    @property
    def watched(self) -> Container[Node]:
        """What is watched, own edges apart."""
        return self._watches

    def peek(self) -> list[K]:
        """Return the keys that :meth:`drain` would give, leaving them there."""
        return [entry.reported for entry in self._pending]

    def watch(self, node: Node, key: K) -> None:
        """Report `key` when `node` may have changed; at once, if it is out of date already.

        A value may be watched under several keys, and by several sinks. Constants are not watched.
        Watching the same value under the same key again does nothing. A key that is an
        :class:`OwnEdge` belongs to one value of one sink.
        """
        if node.is_constant:
            return
        if isinstance(key, OwnEdge):
            if not self._owns(key):
                self.watch_all(((node, key),))
            return
        hash(key)
        known = self._watches.get(node)
        if known is not None and _find(known, key) is not None:
            return
        entry = _Watch(key)
        entry._pending = self._pending
        if known is None:
            self._watches[node] = entry
        elif isinstance(known, dict):
            known[key] = entry
        else:
            self._watches[node] = {known.reported: known, key: entry}
        node._subscribe(entry)
        if isinstance(node, Derived) and node._state != CLEAN:
            self._pending[entry] = None

    def watch_all(self, pairs: Iterable[tuple[Node, OwnEdge]]) -> None:
        """Watch values that may change, each by an edge of its own that nobody uses yet."""
        if self._own_edges is None:
            raise TypeError("a sink watches by own edges only if own_edges= says where they are")
        pending = self._pending
        for node, edge in pairs:
            edge._pending = pending
            self._n_own += 1
            if node._outputs is None:
                node._outputs = edge
            else:
                node._subscribe(edge)
            if isinstance(node, Derived) and node._state != CLEAN:
                pending[edge] = None

    def unwatch(self, node: Node, key: K) -> None:
        """Never report `key` for `node` again, also not for changes so far."""
        known = self._watches.get(node)
        entry = key if self._owns(key) else None if known is None else _find(known, key)
        if entry is None:
            return
        if entry is key:
            self._n_own -= 1
        elif isinstance(known, dict) and len(known) > 1:
            del known[key]
        else:
            del self._watches[node]
        node._unsubscribe(entry)
        self._pending.pop(entry, None)
        entry._pending = {}
        if self._last.get(key) is entry:
            del self._last[key]

    def drain(self) -> list[K]:
        """Return the keys marked since the last call, in the order of their first marks."""
        if not self._pending:
            self._last = {}
            return []
        entries = list(self._pending)
        self._pending.clear()
        if _Watch not in set(map(type, entries)):
            self._last = {}
            return cast("list[Any]", entries)
        self._last = {entry.reported: entry for entry in entries}
        return list(self._last)

    def retry(self, key: K) -> None:
        """Report `key` again in the next :meth:`drain`, if it is still watched."""
        entry = key if self._owns(key) else self._last.get(key)
        if entry is None:
            entry = next(
                (found for known in self._watches.values() if (found := _find(known, key))), None
            )
        if entry is not None:
            self._pending[entry] = None

    def _owns(self, key: object) -> TypeGuard[OwnEdge]:
        """Whether a key is an edge by which this sink watches something."""
        return isinstance(key, OwnEdge) and getattr(key, "_pending", None) is self._pending

    def __del__(self) -> None:
        self._pending.clear()
        for node, known in self._watches.items():
            for entry in known.values() if isinstance(known, dict) else (known,):
                node._unsubscribe(entry)
        if self._own_edges is not None:
            for node, edge in self._own_edges():
                node._unsubscribe(edge)


def _find(known: _Watch | dict[Any, _Watch], key: object) -> _Watch | None:
    if isinstance(known, dict):
        return known.get(key)
    return known if known.reported is key or known.reported == key else None
