"""Colours as people write them, turned into four numbers."""

from __future__ import annotations

from functools import lru_cache

from heapscene.errors import InputError, explain

__all__ = ["rgba"]


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
