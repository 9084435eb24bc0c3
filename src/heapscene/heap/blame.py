"""What a key of the heap's sinks stands for, once its value has raised."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from heapscene.adaptive import Reading
from heapscene.draw import geometry_at_fault
from heapscene.heap.listener import Listener
from heapscene.heap.page import Entry
from heapscene.heap.resident import Resident
from heapscene.heap.shape import Shape
from heapscene.heap.tables import TableResident, TableWatch

__all__ = ["reading_of"]


def reading_of(key: Any, residents: Iterable[Resident | TableResident]) -> Reading | None:
    """Return what was being read, and for which of these; ``None`` if that has been said already."""
    if isinstance(key, TableWatch):
        # what a table's rows share is planned, and said there
        return None if key.role == "news" else Reading(key.role, key.resident.draw, key.aval)
    if isinstance(key, Listener):
        return _read_for(key.role, key.aval, list(key.users))
    if isinstance(key, Shape):
        found = geometry_at_fault(key.geometry, None) or Reading("geometry")
        return _read_for(found.name, found.value, list(key.users))
    assert isinstance(key, Entry)
    assert key.follows is not None
    name = f"{'instances' if key.follows.rows else 'input'} {key.follows.name!r}"
    return _read_for(name, key.aval, [each for each in residents if _holds(each, key)])


def _holds(resident: Resident | TableResident, entry: Entry) -> bool:
    if isinstance(resident, TableResident):
        return any(entry is held for chunk in resident.chunks for held in chunk.entries)
    return any(entry is held for held in resident.entries)


def _read_for(name: str, value: Any, users: list[Any]) -> Reading:
    of = users[0].draw if users else None
    return Reading(name, of, value, max(0, len(users) - 1))
