"""Adaptive sets that remember nothing: every read recomputes everything, as a plain list.

The order of derived sets is not specified by these; compare as sets. Cells have their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Set:
    def __init__(self, compute: Callable[[], Iterable[Any]]) -> None:
        self.compute = compute

    def elements(self) -> list[Any]:
        return list(dict.fromkeys(self.compute()))

    def map(self, function: Callable[[Any], Any]) -> Set:
        return Set(lambda: [function(x) for x in self.elements()])

    def filter(self, predicate: Callable[[Any], bool]) -> Set:
        return Set(lambda: [x for x in self.elements() if predicate(x)])

    def union(self, *others: Set) -> Set:
        return Set(lambda: [x for one in (self, *others) for x in one.elements()])

    def bind(self, function: Callable[[Any], Set]) -> Set:
        return Set(lambda: [y for x in self.elements() for y in function(x).elements()])


class SetCell(Set):
    def __init__(self, elements: Iterable[Any] = ()) -> None:
        self.content = list(dict.fromkeys(elements))
        super().__init__(lambda: self.content)

    def update(self, added: Iterable[Any], removed: Iterable[Any] = ()) -> None:
        gone = set(removed)
        self.content = [x for x in self.content if x not in gone]
        self.content += [x for x in dict.fromkeys(added) if x not in self.content]


def replay(content: Sequence[Any], added: Sequence[Any], removed: Sequence[Any]) -> list[Any]:
    """Apply a delta, insisting on its being effective."""
    rest = list(content)
    for element in removed:
        rest.remove(element)
    for element in added:
        assert element not in rest
        rest.append(element)
    return rest
