"""Handles of rows: slices and numbers, as people give them and as they are kept."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from heapscene.draw.column import check_rows
from heapscene.draw.numbers import as_array
from heapscene.errors import InputError, explain

__all__ = ["Rows", "ascending", "chosen_rows", "row_count", "simplified"]

_FEW = 16  # numbers that Python compares faster than NumPy

Rows: TypeAlias = slice | NDArray[np.int64]
"""Row numbers: a slice with start and stop, or ascending numbers."""


def chosen_rows(rows: Any, alive: NDArray[np.bool_], live: int) -> Rows:
    """Return live handles as given: a slice, or numbers in any order.

    Parameters
    ----------
    rows
        What somebody wrote as ``rows=``; ``None`` stands for all that are alive.
    alive
        Which handles are rows; `live` of them.

    Raises
    ------
    InputError
        A row is dead or does not exist.
    """
    length = len(alive)
    if rows is None:
        if live == length:
            return slice(0, length)
        return np.flatnonzero(alive)
    chosen: Rows
    if isinstance(rows, slice):
        try:
            start, stop, step = rows.indices(length)
        except (TypeError, ValueError):
            raise InputError(
                explain(
                    "a slice of rows needs whole numbers",
                    facts={"rows": rows},
                    fix="Write rows=slice(0, 10).",
                )
            ) from None
        numbers = np.arange(start, stop, step)
        chosen = slice(start, max(start, stop)) if step == 1 else numbers
    else:
        chosen = simplified(_numbers(rows, length))
    if live < length and not alive[chosen].all():
        dead = np.arange(length)[chosen][~alive[chosen]]
        raise InputError(
            explain(
                f"row {int(dead[0])} is dead: it was deleted",
                facts={"dead": f"{len(dead):,} of {row_count(chosen):,} rows"},
                fix="table.alive says which rows there are.",
            )
        )
    return chosen


def _numbers(rows: Any, length: int) -> NDArray[np.int64]:
    numbers = as_array(rows)
    check_rows(numbers.size)
    if numbers.size == 0 and not isinstance(rows, np.ndarray):
        numbers = numbers.astype(np.int64)
    if numbers.dtype == np.bool_ and numbers.shape == (length,):
        return np.flatnonzero(numbers)
    if numbers.dtype.kind not in "iu" or numbers.ndim > 1:
        raise InputError(
            explain(
                "rows have to be a slice, integers, or one bool per handle",
                facts={
                    "rows": f"{numbers.dtype} {numbers.shape}",
                    "handles": f"{length:,}",
                },
                fix="Write rows=numpy.flatnonzero(condition).",
            )
        )
    numbers = numbers.reshape(-1)
    if numbers.size and not _all_below(numbers, length):
        odd = int(numbers[(numbers < 0) | (numbers >= length)][0])
        raise InputError(
            explain(
                f"there is no row {odd}",
                facts={"handles": f"0 to {length - 1:,}"},
                fix="Use handles that append() returned; they count from 0.",
            )
        )
    return numbers.astype(np.int64)


def _all_below(numbers: NDArray[Any], length: int) -> bool:
    if len(numbers) <= _FEW:
        few = numbers.tolist()
        return min(few) >= 0 and max(few) < length
    return int(numbers.min()) >= 0 and int(numbers.max()) < length


def row_count(rows: Rows) -> int:
    """Return how many rows there are."""
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


def _is_ascending(rows: NDArray[np.int64]) -> bool:
    return len(rows) < 2 or bool((rows[1:] > rows[:-1]).all())


def simplified(rows: NDArray[np.int64]) -> Rows:
    """Return a slice for numbers that follow each other, else the numbers as they are."""
    if len(rows) and int(rows[-1]) - int(rows[0]) == len(rows) - 1 and _is_ascending(rows):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def ascending(rows: Rows) -> Rows:
    """Return the same rows in order, each once."""
    if isinstance(rows, slice) or _is_ascending(rows):
        return rows
    ordered = np.sort(rows)
    # np.unique hashes, which takes far longer than sorting.
    return simplified(ordered if _is_ascending(ordered) else np.unique(ordered))
