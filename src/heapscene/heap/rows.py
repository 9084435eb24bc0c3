"""Writing rows of a column into a page: only what differs, and only that becomes dirty."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import Rows
from heapscene.heap.words import Words

__all__ = ["rows_within", "write_rows"]

_BLOCK = 1 << 15  # words that stay in the cache between being compared and being copied
_LANES = ((8, np.uint64), (4, np.uint32), (2, np.uint16))


def write_rows(words: Words, start: int, rows: Rows, values: NDArray[Any]) -> bool:
    """Write rows of a packed column.

    Parameters
    ----------
    words
        Where the column lies.
    start
        Word of its row 0.
    rows
        Which rows, in order.
    values
        ``(n, k)`` of 32-bit numbers.

    Returns
    -------
    bool
        Whether any byte differed.
    """
    values = values.view(np.uint32)
    width = values.shape[1]
    if isinstance(rows, slice):
        at = start + rows.start * width
        if len(values) == 1:
            return words.write(at, values.tobytes())
        return _write_range(words, at, values)
    length = (int(rows[-1]) + 1) * width if len(rows) else 0
    column = words.data[start : start + length].reshape(-1, width)
    changed = differing(column.take(rows, axis=0) != values)
    if not changed.any():
        return False
    if not changed.all():
        rows, values = rows[changed], values[changed]
    item = f"V{4 * width}"  # NumPy moves whole items several times faster than rows of an array
    column.view(item)[rows] = np.ascontiguousarray(values).view(item)
    words.dirty.add_rows(start + rows * width, width)
    return True


def _write_range(words: Words, start: int, values: NDArray[np.uint32]) -> bool:
    width = values.shape[1]
    step = max(1, _BLOCK // width)
    is_dirty = False
    for first in range(0, len(values), step):
        new = values[first : first + step]
        at = start + first * width
        old = words.data[at : at + new.size].reshape(new.shape)
        unlike = old != new
        if unlike.all():
            old[:] = new
            words.dirty.add(at, at + new.size)
            is_dirty = True
            continue
        changed = differing(unlike)
        count = int(np.count_nonzero(changed))
        if count == 0:
            continue
        is_dirty = True
        old[:] = new
        if count == len(changed):
            words.dirty.add(at, at + new.size)
        else:
            words.dirty.add_rows(at + np.flatnonzero(changed) * width, width)
    return is_dirty


def differing(unlike: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows of a ``(n, k)`` array have any true value.

    Several bools are looked at as one number, which is far faster than ``any(axis=1)``.
    """
    width = unlike.shape[1]
    if not unlike.flags.c_contiguous:
        unlike = np.ascontiguousarray(unlike)
    for lanes, dtype in _LANES:
        if width % lanes == 0:
            wide: NDArray[Any] = unlike.reshape(-1).view(dtype).reshape(-1, width // lanes)
            break
    else:
        wide = unlike
    found = wide[:, 0] != 0
    for lane in range(1, wide.shape[1]):
        if found.all():
            break
        found |= wide[:, lane] != 0
    return found


def rows_within(rows: Rows, first: int, stop: int) -> Rows:
    """Return those of some rows that lie in ``[first, stop)``, counted from `first`."""
    if isinstance(rows, slice):
        low = min(max(rows.start, first), stop)
        return slice(low - first, max(low, min(rows.stop, stop)) - first)
    low, high = np.searchsorted(rows, (first, stop))
    return rows[low:high] - first
