"""Whether what never changes still has the bytes by which it is known."""

from __future__ import annotations

from typing import cast

from heapscene.heap.page import Entry, Page
from heapscene.heap.shape import array_key
from heapscene.heap.validate.fault import Fault, Faults

__all__ = ["check_constants"]


def check_constants(faults: Faults, page: Page) -> None:
    """Compare constant values and arrays of a page, as the CPU has them, with their keys.

    A key holds the bytes of a value, or a digest of an array. Adaptive values, columns of tables and
    very large arrays are known by identity, so there is nothing to compare.
    """
    for entry in page.entries:
        key = entry.key
        if not isinstance(key, tuple):
            continue
        parts = cast("tuple[object, ...]", key)
        if len(parts) == 2 and isinstance(parts[1], bytes):
            faults.looked("constants", 1)
            _compare(faults, entry, parts[1])
        elif parts[0] == "bytes":
            faults.looked("constants", 1)
            if array_key(entry.read()) != parts:
                _add(faults, entry, None, "an array with its key", "another array")


def _compare(faults: Faults, entry: Entry, expected: bytes) -> None:
    found = entry.read().tobytes()[: len(expected)]
    if found == expected:
        return
    at = next((k for k in range(0, len(expected), 4) if found[k : k + 4] != expected[k : k + 4]), 0)
    words = [int.from_bytes(data[at : at + 4], "little") for data in (expected, found)]
    _add(faults, entry, at, *words)


def _add(
    faults: Faults, entry: Entry, at: int | None, expected: int | str, found: int | str
) -> None:
    faults.add(
        Fault(
            "constants",
            "bytes" if at is None else "word",
            "books",
            page=entry.page.number,
            offset=entry.offset + (at or 0),
            expected=expected,
            found=found,
        )
    )
