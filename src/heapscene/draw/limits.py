"""Values that are numbers, and still not what an input means: colours of 255, NaN."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import InputError, explain

__all__ = ["ANY_FINITE", "UNIT", "Limits", "check_limits", "first_beyond"]

Limits = tuple[float, float]
"""The smallest and the largest number that an input may have; all have to be finite."""

_MOST = float(np.finfo(np.float32).max)
ANY_FINITE: Limits = (-_MOST, _MOST)
UNIT: Limits = (0.0, 1.0)


def check_limits(
    name: str, numbers: NDArray[np.float32], limits: Limits, source: object = None
) -> None:
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
    if first_beyond(numbers[None], limits) is None:
        return
    low, high = limits
    bounded = limits != ANY_FINITE
    shown = ", ".join(f"{number:g}" for number in numbers)
    is_byte = limits == UNIT and bool(((numbers >= 0) & (numbers <= 255)).all())
    raise InputError(
        explain(
            f"{name} ({shown}) is not {f'within {low:g} to {high:g}' if bounded else 'finite'}",
            facts={} if source is None else {"value of": source},
            fix="Divide by 255: colours run from 0 to 1."
            if is_byte
            else f"Write finite numbers{f' from {low:g} to {high:g}' if bounded else ''}.",
        )
    )


def first_beyond(rows: NDArray[np.float32], limits: Limits) -> int | None:
    """Return the first row ``(n, k)`` with a number beyond limits or not finite, if any."""
    low, high = limits
    good = (rows >= low) & (rows <= high)  # NaN is neither
    return None if good.all() else int(good.all(axis=1).argmin())
