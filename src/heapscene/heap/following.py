"""What followed values have become: asked one by one, written by column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from heapscene.draw import encode_all, encode_value
from heapscene.heap.page import Entry, write_scattered
from heapscene.shader import types

__all__ = ["FEW", "is_single", "write_followed"]

FEW = 16
"""Fewer values than this are written one by one."""


def is_single(key: Any) -> bool:
    """Whether a key of the heap's sink is an entry of one value, whose size never changes."""
    return type(key) is Entry and key.follows is not None and not key.follows.rows


def write_followed(keys: Iterable[Any], faults: dict[Any, Exception]) -> bool:
    """Write the values of all single entries among `keys` to where they lie.

    Parameters
    ----------
    faults
        Gets what values raised, or what is wrong with them; these keep their old bytes.

    Returns
    -------
    bool
        Whether any matrix has changed.
    """
    groups: dict[tuple[int, int], tuple[list[Entry], list[Any]]] = {}
    for entry in keys:
        if not is_single(entry):
            continue
        try:
            value = entry.aval.force()
        except Exception as error:  # noqa: BLE001  raised by who asked
            faults[entry] = error
            continue
        key = (id(entry.page), id(entry.follows))
        found = groups.get(key)
        if found is None:
            groups[key] = ([entry], [value])
        else:
            found[0].append(entry)
            found[1].append(value)
    moved = False
    for entries, values in groups.values():
        moved |= _write_group(entries, values, faults)
    return moved


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
