"""Colours as people write them, turned into four numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import InputError, explain

__all__ = ["is_names", "rgba", "rgba_rows"]


@lru_cache(maxsize=4096)
def rgba(name: str) -> tuple[float, float, float, float]:
    """Return red, green, blue and alpha in 0..1 (sRGB, straight alpha) of a name or hex string.

    Raises
    ------
    InputError
        The string is not a CSS colour name or hex colour.

    Examples
    --------
    >>> rgba("#ff8000")
    (1.0, 0.5019607843137255, 0.0, 1.0)
    """
    from cmap import Color  # 0.14 s to import: only who writes a colour name pays

    try:
        color = Color(name)
    except ValueError:
        raise InputError(
            explain(
                f"{name!r} is not a colour",
                fix='Write a CSS name such as "tomato", a hex string such as "#ff6347", or numbers '
                "such as (1.0, 0.39, 0.28).",
            )
        ) from None
    r, g, b, a = color.rgba
    return (float(r), float(g), float(b), float(a))


def is_names(array: NDArray[Any]) -> bool:
    """Whether an array is a row of strings."""
    if array.ndim != 1 or array.dtype.kind not in "UO" or array.size == 0:
        return False
    return array.dtype.kind == "U" or all(isinstance(one, str) for one in array)


def rgba_rows(names: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Return colours ``(n, size)``, 3 or 4 numbers each, of names ``(n,)``; each name is read once.

    Raises
    ------
    InputError
        One is no colour; see :func:`rgba`.
    """
    rows = names.tolist()
    known = {name: rgba(name)[:size] for name in dict.fromkeys(rows)}
    return np.array([known[name] for name in rows])
