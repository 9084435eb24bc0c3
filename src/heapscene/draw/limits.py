"""Values that are numbers, and still not what an input means: colours of 255, NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw.numbers import within
from heapscene.errors import InputError, explain

__all__ = [
    "ANY_FINITE",
    "NOT_NEGATIVE",
    "POSITIVE",
    "UNIT",
    "Limits",
    "check_all_limits",
    "check_limits",
    "first_beyond",
]

Limits = tuple[float, float]
"""The smallest and the largest number that an input may have; all have to be finite."""

_FEW = 64  # numbers that Python compares faster than NumPy
_MOST = float(np.finfo(np.float32).max)
ANY_FINITE: Limits = (-_MOST, _MOST)
NOT_NEGATIVE: Limits = (0.0, _MOST)
POSITIVE: Limits = (float(np.finfo(np.float32).smallest_subnormal), _MOST)
UNIT: Limits = (0.0, 1.0)


def check_limits(name: str, numbers: NDArray[Any], limits: Limits, source: object = None) -> None:
    """Raise unless all numbers of a value are finite and within limits.

    Parameters
    ----------
    source
        Where the value comes from, if that is worth saying.

    Raises
    ------
    InputError
        They are not.
    """
    low, high = limits
    if all(low <= number <= high for number in numbers.tolist()):
        return
    wanted, fix = _WORDS.get(limits, (f"within {low:g} to {high:g}", f" from {low:g} to {high:g}"))
    if limits in _WORDS and not within(numbers, *ANY_FINITE):
        wanted = "finite"
    shown = ", ".join(f"{number:g}" for number in numbers)
    whole = numbers == np.round(numbers)
    # 2 is a colour that is too bright; from 3 on it is one that was meant to be of 0 to 255
    is_byte = limits == UNIT and bool(((numbers >= 0) & (numbers <= 255) & whole).all())
    is_byte = is_byte and bool(numbers.max() > 2)
    raise InputError(
        explain(
            f"{name} ({shown}) is not {wanted}",
            facts={} if source is None else {"value of": source},
            fix="Divide by 255: colours run from 0 to 1."
            if is_byte
            else f"Write finite numbers{fix}.",
        )
    )


_WORDS = {
    ANY_FINITE: ("finite", ""),
    NOT_NEGATIVE: ("0 or more", " from 0 on"),
    POSITIVE: ("above 0", " above 0"),
}


def check_all_limits(name: str, rows: NDArray[Any], limits: Limits, what: str = "row") -> None:
    """Raise unless all numbers of rows ``(n, k)`` are finite and within limits.

    Raises
    ------
    InputError
        They are not; the first such row is named.
    """
    if rows.size <= _FEW and _few_within(rows, *limits):
        return
    with np.errstate(over="ignore"):  # rounding keeps the order, so two numbers tell about all
        extremes = np.array([rows.min(), rows.max()]).astype(
            np.float32 if rows.dtype.kind == "f" else rows.dtype
        )
    if within(extremes, *limits):
        return
    with np.errstate(over="ignore"):
        stored = rows.astype(extremes.dtype)
    at = first_beyond(stored, limits)
    assert at is not None
    check_limits(name, stored[at], limits, f"{what} {at:,}")


def _few_within(rows: NDArray[Any], low: float, high: float) -> bool:
    """Whether all numbers are finite and within limits as they are stored; four calls of NumPy less."""
    numbers = rows.reshape(-1).tolist()
    if rows.dtype.kind == "f" and rows.dtype.itemsize > 4:
        if not all(-_MOST <= number <= _MOST for number in numbers):
            return False
        numbers = rows.astype(np.float32).reshape(-1).tolist()
    return all(low <= number <= high for number in numbers)


def first_beyond(rows: NDArray[Any], limits: Limits) -> int | None:
    """Return the first row ``(n, k)`` with a number beyond limits or not finite, if any."""
    low, high = limits
    good = (rows >= low) & (rows <= high)  # NaN is neither
    return None if good.all() else int(good.all(axis=1).argmin())
