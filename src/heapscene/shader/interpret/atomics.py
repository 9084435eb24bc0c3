"""Atomics: invocations that mean the same place take their turns in order of their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heapscene.shader.interpret.memory import Place
from heapscene.shader.interpret.values import Value
from heapscene.shader.numeric.operators import Array

__all__ = ["atomic"]

# How a number at a place and a new one become the next; all are associative.
_NEXT: dict[str, Callable[[Array, Array], Array]] = {
    "atomic_add": np.add,
    "atomic_sub": np.add,  # of the negative number
    "atomic_max": np.maximum,
    "atomic_min": np.minimum,
    "atomic_and": np.bitwise_and,
    "atomic_or": np.bitwise_or,
    "atomic_xor": np.bitwise_xor,
    "atomic_exchange": lambda _, new: new,
    "atomic_store": lambda _, new: new,
}


def atomic(name: str, place: Place, args: list[Array], active: Array) -> Value:
    """Apply an atomic function for the active invocations and return its value."""
    found = place.load()
    if name == "atomic_load":
        return found
    lanes = np.flatnonzero(active & place.inside)
    turns = _Turns(place, lanes)
    result = found.copy()
    if name == "atomic_compare_exchange":
        exchanged = np.zeros(len(found), np.bool_)
        turns.exchange(args[0], args[1], result, exchanged)
        return {"old_value": result, "exchanged": exchanged}
    given = -args[0] if name == "atomic_sub" else args[0]
    turns.combine(_NEXT[name], given, result)
    return result if name != "atomic_store" else None


class _Turns:
    """Invocations sorted by place; within a place they keep their order."""

    def __init__(self, place: Place, lanes: Array) -> None:
        flat = place.positions()[lanes]
        order = np.argsort(flat, kind="stable")
        self._place = place
        self._lanes = lanes[order]
        starts = np.r_[True, np.diff(flat[order]) != 0] if len(lanes) else np.zeros(0, np.bool_)
        first = np.maximum.accumulate(np.where(starts, np.arange(len(lanes)), 0))
        self._turn = np.arange(len(lanes)) - first
        self._last = np.r_[starts[1:], True] if len(lanes) else starts

    @property
    def _rounds(self) -> int:
        return int(self._turn.max(initial=-1)) + 1

    def combine(
        self, function: Callable[[Array, Array], Array], given: Array, result: Array
    ) -> None:
        """Combine in turn; ``result`` becomes what each invocation found."""
        lanes, turn = self._lanes, self._turn
        before = result[lanes]
        after = given[lanes]
        after = np.where(turn == 0, function(before, after), after)
        distance = 1
        while distance < self._rounds:  # a prefix sum within each place, by doubling
            shifted = np.r_[after[:distance], after[:-distance]]
            after = np.where(turn >= distance, function(shifted, after), after)
            distance *= 2
        result[lanes] = np.where(turn == 0, before, np.r_[after[:1], after[:-1]])
        self._place.put(after[self._last], lanes[self._last])

    def exchange(self, expected: Array, new: Array, result: Array, exchanged: Array) -> None:
        """Compare and write, one turn after the other."""
        for turn in range(self._rounds):
            lanes = self._lanes[self._turn == turn]
            found = self._place.load()[lanes]
            equal = found == expected[lanes]
            result[lanes], exchanged[lanes] = found, equal
            self._place.put(new[lanes[equal]], lanes[equal])
