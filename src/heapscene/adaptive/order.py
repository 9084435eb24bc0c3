"""Labels that keep the elements of lists in order, whatever is inserted between them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import ref

__all__ = ["Label", "Labels", "arrange", "position"]

_GAP = 1 << 40
_MANY = 16


class Label:
    """A place in a list; it stays the same while its position changes.

    The rank may change as well, when room is made, but never the order of two labels.
    """

    __slots__ = ("__weakref__", "rank")

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __lt__(self, other: Label) -> bool:
        return self.rank < other.rank


class Labels:
    """Makes labels for one list.

    Labels that left the list may still be known to others, which compare them: they take part when
    ranks are spread anew.
    """

    __slots__ = ("_gone", "_limit")

    def __init__(self) -> None:
        self._gone: list[ref[Label]] = []
        self._limit = _MANY

    def between(self, order: list[Label], index: int, count: int) -> list[Label]:
        """Return `count` new labels that go before ``order[index]``."""
        if index == len(order):
            last = order[-1].rank if order else 0
            return [Label(last + _GAP * (i + 1)) for i in range(count)]
        if index == 0:
            first = order[0].rank
            return [Label(first - _GAP * (count - i)) for i in range(count)]
        low, high = order[index - 1].rank, order[index].rank
        if high - low <= count:
            self._make_room(order, index, count)
            low, high = order[index - 1].rank, order[index].rank
        step = (high - low) // (count + 1)
        return [Label(low + step * (i + 1)) for i in range(count)]

    def drop(self, labels: Iterable[Label]) -> None:
        """Take note that labels left the list."""
        self._gone += [ref(label) for label in labels]
        if len(self._gone) > self._limit:
            self._gone = [weak for weak in self._gone if weak() is not None]
            self._limit = max(_MANY, 2 * len(self._gone))

    def _make_room(self, order: list[Label], index: int, count: int) -> None:
        """Spread the ranks around ``order[index]`` evenly, in as small a range as has room."""
        gone = [label for weak in self._gone if (label := weak()) is not None]
        width = _MANY
        while True:
            width *= 2
            part = order[max(0, index - width) : index + width]
            low, high = part[0].rank, part[-1].rank
            inside = [*part[1:-1], *(label for label in gone if low < label.rank < high)]
            gap = (high - low) // (len(inside) + 1)
            if gap > count << _MANY or len(part) == len(order):
                break
        if gap <= count << _MANY:
            inside = [*order, *gone]
            gap = (count + 1) * _GAP
        for i, label in enumerate(sorted(inside)):
            label.rank = low + gap * (i + 1)


def position(order: list[Any], label: Any) -> int:
    """Return how many labels in `order` are before `label`."""
    if order and order[-1] < label:
        return len(order)
    return bisect_left(order, label)


def arrange(
    order: list[Any], content: Mapping[Any, Any], empty: list[Any], new: list[Any]
) -> list[Any]:
    """Return `order` without the labels in `empty` and with those in `new`, all in `content`.

    Few of them are looked up one by one; where there are many, all are gone through.
    """
    fresh = set(new)
    if len(empty) * _MANY > len(order):
        order = [label for label in order if label in content and label not in fresh]
    else:
        for label in empty:
            del order[bisect_left(order, label)]
    if not new:
        return order
    new = sorted(new)
    if not order or order[-1] < new[0]:
        order += new
    elif len(new) * _MANY > len(order):
        order += new
        order.sort()
    else:
        for label in new:
            insort(order, label)
    return order
