"""Values, sets, lists and dictionaries that remember nothing: every read recomputes everything.

A twin's value is a number, a list of distinct elements (a set), a list, or a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class Twin:
    """Something derived: `compute` gives its value."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute

    @property
    def value(self) -> Any:
        return self.compute()


class TwinCell(Twin):
    """Something to be changed, by changing `content`."""

    def __init__(self, content: Any) -> None:
        self.content = content

    @property
    def value(self) -> Any:
        return self.content


def distinct(elements: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(elements))


def flat(collections: Iterable[Iterable[Any]]) -> list[Any]:
    return [x for collection in collections for x in collection]
