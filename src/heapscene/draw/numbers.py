"""What counts as numbers when somebody hands in an array, and how large it may be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import HeapsceneError, explain

__all__ = ["MOST_BYTES", "as_array", "check_bytes", "holds_numbers", "owned", "within"]

MOST_BYTES = 2**32 - 16
"""What one array may take on a page: places there have 32 bits."""

_FIXED = frozenset({float, int, bool, str, bytes, type(None)})


def as_array(value: Any) -> NDArray[Any]:
    """Return an array of anything, an empty one of objects if its rows have different lengths."""
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(0, object)


def holds_numbers(array: NDArray[Any]) -> bool:
    """Whether an array has bools, whole numbers or real numbers, rather than anything else."""
    return array.dtype.kind in "fiub"


def check_bytes(
    what: str, rows: int, each: int, error: type[HeapsceneError], fix: str = ""
) -> None:
    """Raise `error` if `rows` of `each` bytes are more than one array may have on a page."""
    if rows * each <= MOST_BYTES:
        return
    raise error(
        explain(
            f"{what} is too large",
            facts={
                "rows": f"{rows:,}",
                "needed": f"{rows * each:,} bytes",
                "largest": f"{MOST_BYTES:,} bytes",
            },
            fix=fix or "Split it into several, each with a draw of its own.",
        )
    )


def within(array: NDArray[Any], low: float, high: float) -> bool:
    """Whether all numbers are finite and within limits; also if there are none."""
    # NaN is the smallest number of an array that has one, and is above nothing.
    return array.size == 0 or bool(array.min() >= low and array.max() <= high)


def owned(value: Any) -> Any:
    """Return a value that nobody else can edit: arrays as read-only copies, lists as tuples.

    A read-only array that is no view is taken as it is.
    """
    kind = type(value)
    if kind in _FIXED or (kind is tuple and _FIXED.issuperset(map(type, value))):
        return value
    if isinstance(value, np.ndarray):
        if value.flags.writeable or value.base is not None:
            value = value.copy()
            value.flags.writeable = False
        return value
    if isinstance(value, (list, tuple)):
        items = tuple([owned(item) for item in value])
        # a tuple of numbers stays the object that it was, which draws may share
        same = kind is tuple and all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    if hasattr(value, "__array__") or isinstance(value, (bytearray, memoryview)):
        copy = np.array(value)
        copy.flags.writeable = False
        return copy if copy.ndim else copy[()]
    return value
