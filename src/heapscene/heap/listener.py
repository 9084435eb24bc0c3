"""Who is told when an adaptive value of a draw, other than an input, may have changed."""

from __future__ import annotations

from typing import Any, Literal

from heapscene.adaptive import AVal, Sink
from heapscene.heap.resident import Resident

__all__ = ["ROLES", "Listener", "Listeners", "Role"]

Role = Literal["geometry", "state", "instance_count", "visible"]
ROLES: tuple[Role, ...] = ("geometry", "state", "instance_count", "visible")


class Listener:
    """All residents that take one property from one adaptive value."""

    __slots__ = ("aval", "role", "users")

    def __init__(self, role: Role, aval: AVal[Any]) -> None:
        self.role: Role = role
        self.aval = aval
        self.users: dict[Resident, None] = {}


class Listeners:
    """One listener per value and property: a value that many draws share is watched once."""

    def __init__(self, sink: Sink[Any]) -> None:
        self._sink = sink
        self._known: dict[tuple[Role, AVal[Any]], Listener] = {}

    def __len__(self) -> int:
        return len(self._known)

    def add(self, role: Role, aval: AVal[Any], resident: Resident) -> None:
        """Listen for a resident; nothing to do for a constant."""
        if aval.is_constant:
            return
        listener = self._known.get((role, aval))
        if listener is None:
            listener = self._known[role, aval] = Listener(role, aval)
            self._sink.watch(aval, listener)
        listener.users[resident] = None

    def discard(self, role: Role, aval: AVal[Any], resident: Resident) -> None:
        """Stop to listen for a resident."""
        listener = self._known.get((role, aval))
        if listener is None:
            return
        listener.users.pop(resident, None)
        if not listener.users:
            del self._known[role, aval]
            self._sink.unwatch(aval, listener)
