"""Which draws ask for a value that has gone wrong, said in a note of what was raised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from heapscene.draw import Drawable, TableDraw
from heapscene.heap.listener import Listener
from heapscene.heap.page import Entry
from heapscene.heap.resident import Resident
from heapscene.heap.shape import Shape
from heapscene.heap.tables import TableResident, TableWatch

__all__ = ["blame", "describe", "users_of"]


def blame(error: Exception, draws: Iterable[Drawable]) -> None:
    """Note in an error the first of the draws that it is about, and whether there are more."""
    first = list(islice(draws, 2))
    if not first:
        return
    note = f"  in  {describe(first[0])}{' and others' if len(first) > 1 else ''}"
    if note not in getattr(error, "__notes__", ()):  # a value may raise the same object again
        error.add_note(note)


def describe(draw: Drawable) -> str:
    """Return what tells people which draw it is."""
    if isinstance(draw, TableDraw):
        return repr(draw.table)
    return f"the draw of {draw.geometry!r} with {draw.program!r}"


def users_of(key: Any, residents: Iterable[Resident | TableResident]) -> Iterator[Drawable]:
    """Return the draws for which a heap follows what `key` stands for.

    Entries of single values do not know who holds them, so all residents are looked through.
    """
    if isinstance(key, TableWatch):
        yield key.resident.draw
    elif isinstance(key, (Listener, Shape)):
        yield from [resident.draw for resident in key.users]
    elif isinstance(key, Entry):
        for resident in residents:
            if isinstance(resident, Resident):
                is_held = any(entry is key for entry in resident.entries)
            else:
                is_held = any(entry is key for chunk in resident.chunks for entry in chunk.entries)
            if is_held:
                yield resident.draw
