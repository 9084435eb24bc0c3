"""Words for things: what representations and messages say of values, counts and names."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

__all__ = ["brief", "counted", "one_line", "similar"]


def brief(value: object, most: int = 60) -> str:
    """Return ``repr(value)`` as one line of at most `most` characters; whatever it is, it costs little.

    Of long collections only the beginning is looked at, of arrays dtype and shape.

    Examples
    --------
    >>> brief(list(range(1_000_000)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    return one_line(_BRIEF.repr(value), most)


def one_line(text: str, most: int = 120) -> str:
    """Return text as one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def counted(count: int, one: str, many: str = "") -> str:
    """Return how many there are of something, as text.

    >>> counted(1, "page"), counted(2000, "child", "children")
    ('1 page', '2,000 children')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


class _Brief(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxlong = self.maxother = 120
        self.maxdict = self.maxtuple

    def repr_ndarray(self, x: Any, _level: int) -> str:
        return repr(x) if x.size <= self.maxtuple else f"array({x.dtype} {x.shape})"

    def repr_instance(self, x: Any, level: int) -> str:  # noqa: ARG002
        try:
            return repr(x)
        except Exception as error:  # noqa: BLE001  what is shown while an error is made must not raise
            return f"{type(x).__name__}({type(error).__name__})"


_BRIEF = _Brief()


def similar(name: object, known: Iterable[str], fix: str = "") -> str:
    """Return the last line of a message about an unknown name: the one meant, if that can be seen.

    Parameters
    ----------
    fix
        What to do otherwise.

    Examples
    --------
    >>> similar("colour", ["color", "model"], "Leave it out.")
    "Did you mean 'color'? Or: Leave it out."
    """
    from difflib import get_close_matches  # only errors need it

    near = get_close_matches(name, known, n=1) if isinstance(name, str) else []
    if not near:
        return fix
    return f"Did you mean {near[0]!r}?{' Or: ' if fix else ''}{fix}"
