"""What followed values have become: asked one by one, written by column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from heapscene.draw import encode_all, encode_value
from heapscene.heap.page import Entry, write_scattered
from heapscene.shader import types

__all__ = ["FEW", "write_followed"]

FEW = 16
"""Fewer values than this are written one by one."""


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
    groups: dict[tuple[int, int], tuple[list[Entry], list[Any]]] = {}
    rest: list[Any] = []
    last_page = last_follows = None
    entries: list[Entry] = []
    values: list[Any] = []
    for entry in keys:
        if type(entry) is not Entry or entry.follows is None or entry.follows.rows:
            rest.append(entry)
            continue
        page, follows = entry.page, entry.follows
        if page is not last_page or follows is not last_follows:
            last_page, last_follows = page, follows
            entries, values = groups.setdefault((id(page), id(follows)), ([], []))
        try:
            value = entry.aval.force()  # pyright: ignore[reportOptionalMemberAccess]
        except Exception as error:  # noqa: BLE001  raised by who asked
            faults[entry] = error
            continue
        entries.append(entry)
        values.append(value)
    moved = False
    for entries, values in groups.values():
        if entries:
            moved |= _write_group(entries, values, faults)
    return moved, rest


def _write_group(entries: list[Entry], values: list[Any], faults: dict[Any, Exception]) -> bool:
    follows = entries[0].follows
    assert follows is not None
    try:
        rows = encode_all(follows.type, values, follows.name)
    except Exception:  # noqa: BLE001  found out below, one by one
        good: list[Entry] = []
        data: list[bytes] = []
        for entry, value in zip(entries, values, strict=True):
            try:
                data.append(encode_value(follows.type, value, follows.name))
                good.append(entry)
            except Exception as error:  # noqa: BLE001  raised by who asked
                faults[entry] = error
        if not good:
            return False
        entries = good
        rows = np.frombuffer(b"".join(data), np.uint32).reshape(len(good), -1)
    at = np.array([entry.offset for entry in entries], np.int64) >> 2
    return write_scattered(entries[0].page, at, rows) and follows.type == types.MAT4
