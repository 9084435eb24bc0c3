"""What followed values have become: asked one by one, written by column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from heapscene.draw import encode_all, encode_value
from heapscene.heap.page import Entry, write_scattered
from heapscene.shader import types

__all__ = ["FEW", "write_followed"]

FEW = 16
"""Fewer values than this are written one by one."""


class _Group(NamedTuple):
    """Entries of one page and type, and what they have become."""

    entries: list[Entry]
    values: list[Any]


def write_followed(keys: Iterable[Any], faults: dict[Any, Exception]) -> tuple[bool, list[Any]]:
    """Write values to where they lie, for all keys that are entries of single ones.

    Parameters
    ----------
    faults
        Gets what values raised, or what is wrong with them; these keep their old bytes.

    Returns
    -------
    tuple[bool, list]
        Whether any matrix has changed, and the other keys.
    """
    groups: dict[tuple[int, int], _Group] = {}
    rest: list[Any] = []
    page = follows = None
    entries: list[Entry] = []
    for entry in keys:
        if type(entry) is not Entry:
            rest.append(entry)
            continue
        if entry.page is not page or entry.follows is not follows:
            page, follows = entry.page, entry.follows
            group = groups.setdefault((id(page), id(follows)), _Group([], []))
            entries = group.entries
        entries.append(entry)
    for group in groups.values():
        _read_group(group, faults)
    moved = False
    for group in groups.values():
        if group.entries:
            moved |= _write_group(group, faults)
    return moved, rest


def _read_group(group: _Group, faults: dict[Any, Exception]) -> None:
    entries, values = group
    good = len(entries)
    note = values.append
    for entry in entries:
        try:
            note(entry.key.force())
        except Exception as error:  # noqa: BLE001  raised by who asked
            faults[entry] = error
            good -= 1
    if good < len(entries):
        entries[:] = [entry for entry in entries if entry not in faults]


def _write_group(group: _Group, faults: dict[Any, Exception]) -> bool:
    follows = group.entries[0].follows
    assert follows is not None
    offsets = [entry.offset for entry in group.entries]
    try:
        rows = encode_all(follows.type, group.values, follows.name)
    except Exception:  # noqa: BLE001  found out below, one by one
        offsets = []
        data: list[bytes] = []
        for entry, value in zip(group.entries, group.values, strict=True):
            try:
                data.append(encode_value(follows.type, value, follows.name))
                offsets.append(entry.offset)
            except Exception as error:  # noqa: BLE001  raised by who asked
                faults[entry] = error
        if not offsets:
            return False
        rows = np.frombuffer(b"".join(data), np.uint32).reshape(len(offsets), -1)
    at = np.array(offsets, np.int64) >> 2
    return write_scattered(group.entries[0].page, at, rows) and follows.type == types.MAT4
