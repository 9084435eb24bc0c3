"""Load errors, in one line: a command line shows them beside a file's name."""

from __future__ import annotations

from collections.abc import Mapping

from heapscene.errors import LoadError

__all__ = ["load_error"]


def load_error(what: str, *, facts: Mapping[str, object] | None = None, fix: str = "") -> LoadError:
    """Return an error that says what is wrong, the values, and what to do, in one line.

    Examples
    --------
    >>> print(load_error("a.glb is cut off", facts={"bytes": 12}, fix="Download it again."))
    a.glb is cut off (bytes: 12). Download it again.
    """
    values = "; ".join(f"{name}: {value}" for name, value in (facts or {}).items())
    text = f"{what} ({values})" if values else what
    return LoadError(" ".join((f"{text}. {fix}" if fix else text).split()))
