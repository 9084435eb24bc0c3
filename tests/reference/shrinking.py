"""Making a list that fails shorter: to its shortest failing prefix, then to few of its items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

__all__ = ["minimal", "shortest_prefix"]


def shortest_prefix(items: Sequence[T], fails: Callable[[list[T]], bool], passed: int) -> list[T]:
    """Return the shortest prefix that fails, longer than the `passed` items that are known not to.

    Raises
    ------
    ValueError
        No prefix fails, so it is not the items alone that decide.
    """
    for length in range(passed + 1, len(items) + 1):
        if fails(list(items[:length])):
            return list(items[:length])
    raise ValueError("no prefix fails")


def minimal(
    items: Sequence[T], fails: Callable[[list[T]], bool], *, most_runs: int = 300
) -> list[T]:
    """Return items in their order that fail, none of which can be left out (unless runs are used up).

    Delta debugging, by A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing
    input", 2002: pieces of halving size are left out, one after the other.
    """
    kept = list(items)
    size = max(1, len(kept) // 2)
    runs = 0
    while True:
        start, shrunk = 0, False
        while start < len(kept):
            shorter = kept[:start] + kept[start + size :]
            runs += 1
            if runs > most_runs:
                return kept
            if fails(shorter):
                kept, shrunk = shorter, True
            else:
                start += size
        if size == 1 and not shrunk:
            return kept
        size = max(1, size // 2)
