"""From the paths of a rule to its values: undecided small sets are split until all is decided."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from heapscene.shader.ir.nodes import Span
from heapscene.shader.sets.domain import MAX_VALUES, Finite, Interval, Number
from heapscene.shader.sets.state import Dead, State
from heapscene.shader.sets.symbols import Symbol, flatten
from heapscene.shader.sets.walk import MAX_STEPS, Outcome

__all__ = ["MAX_SPLITS", "Resolved", "Unbounded", "resolve", "value_order"]

MAX_SPLITS = 1000
"""Splits for one rule; without more, values of components are combined freely."""

_MAX_CHECKS = 64  # splits that look whether the conditions of a path can all be true


@dataclass(frozen=True, slots=True)
class Unbounded:
    """What may be one of too many values.

    Attributes
    ----------
    symbol
        The scalar; ``None`` if it is the sum of all returns.
    span
        Where it is made.
    returned
        Where it is returned.
    """

    symbol: Symbol | None
    span: Span | None
    returned: Span | None


@dataclass
class Resolved:
    """Values that a rule may return.

    Attributes
    ----------
    values
        Scalars of each value, with the places that return it.
    unbounded
        What is not known to be one of few values, if there is such.
    coarse
        Whether values may be listed that are never returned.
    """

    values: dict[tuple[Number, ...], dict[Span | None, None]] = field(default_factory=dict)
    unbounded: Unbounded | None = None
    coarse: bool = False


def value_order(values: Iterable[Number]) -> tuple[tuple[bool, Number], ...]:
    """Return the key by which values are sorted: numbers first, then NaN."""
    return tuple((math.isnan(value), 0.0 if math.isnan(value) else value) for value in values)


def resolve(outcomes: Sequence[Outcome]) -> Resolved:
    """Return the values of all paths."""
    found = Resolved()
    search = _Search(found)
    for outcome in outcomes:
        try:
            search.explore(outcome.state, flatten(outcome.value), outcome.span)
        except _Unbounded as reason:
            found.unbounded = Unbounded(reason.symbol, reason.span, outcome.span)
            break
        if len(found.values) > MAX_VALUES:
            found.unbounded = Unbounded(None, None, outcome.span)
            break
    return found


class _Unbounded(Exception):
    def __init__(self, symbol: Symbol, span: Span | None) -> None:
        super().__init__()
        self.symbol = symbol
        self.span = span


class _Search:
    def __init__(self, found: Resolved) -> None:
        self._found = found
        self._splits = 0

    def explore(self, state: State, symbols: list[Symbol], span: Span | None) -> None:
        """Add what these scalars may be together."""
        known = [state.known(symbol) for symbol in symbols]
        if all(isinstance(each, Finite) and len(each.values) == 1 for each in known):
            value = tuple(next(iter(each.values)) for each in known if isinstance(each, Finite))
            places = self._found.values.setdefault(value, {}) if value in self._found.values else {}
            if span not in places and self._can_happen(state):
                self._found.values.setdefault(value, {})[span] = None
            return
        undecided = _undecided(state, symbols)
        if undecided is None or self._is_tired(state):
            self._combine(state, symbols, span)
            return
        for half in self._halves(state, undecided):
            if len(self._found.values) > MAX_VALUES:
                return
            self.explore(half, symbols, span)

    def _is_tired(self, state: State) -> bool:
        return self._splits > MAX_SPLITS or state.effort.steps > 2 * MAX_STEPS

    def _halves(self, state: State, symbol: Symbol) -> Iterable[State]:
        known = state.known(symbol)
        assert isinstance(known, Finite)
        for value in sorted(known.values, key=lambda v: value_order((v,))):
            self._splits += 1
            half = state.copy()
            try:
                half.assume(symbol, Finite(frozenset((value,)), known.loose))
            except Dead:
                continue
            yield half

    def _combine(self, state: State, symbols: Sequence[Symbol], span: Span | None) -> None:
        sets: list[list[Number]] = []
        for symbol in symbols:
            known = state.known(symbol)
            if isinstance(known, Interval):
                raise _Unbounded(*_origin(state, symbol))
            sets.append(sorted(known.values, key=lambda v: value_order((v,))))
        self._found.coarse = True
        if math.prod(map(len, sets)) > MAX_VALUES:
            largest = max(range(len(sets)), key=lambda k: len(sets[k]))
            raise _Unbounded(symbols[largest], symbols[largest].span)
        for value in itertools.product(*sets):
            self._found.values.setdefault(value, {})[span] = None

    def _can_happen(self, state: State) -> bool:
        """Tell whether some input satisfies all conditions; yes if that is not found out soon."""
        budget = self._splits + _MAX_CHECKS

        def search(at: State) -> bool:
            conditions = sorted(at.said, key=lambda s: s.number)
            undecided = _undecided(at, [s for s in conditions if s.args])
            if undecided is None:
                return True
            if self._splits > budget or self._is_tired(at):
                self._found.coarse = True
                return True
            return any(search(half) for half in self._halves(at, undecided))

        return search(state)


def _undecided(state: State, roots: Sequence[Symbol]) -> Symbol | None:
    """Return the first scalar below ``roots`` that is one of few values, operands first."""
    seen: set[Symbol] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            symbol, done = stack.pop()
            if done:
                known = state.known(symbol)
                if isinstance(known, Finite) and len(known.values) > 1:
                    return symbol
                continue
            if symbol in seen or symbol.op == "const":
                continue
            seen.add(symbol)
            stack.append((symbol, True))
            stack.extend((arg, False) for arg in reversed(symbol.args))
    return None


def _origin(state: State, symbol: Symbol) -> tuple[Symbol, Span | None]:
    """Return the first scalar on the way to ``symbol`` of which too little is known, and where."""
    span = symbol.span
    while True:
        below = next((arg for arg in symbol.args if isinstance(state.known(arg), Interval)), None)
        if below is None or symbol.op.startswith("?"):
            return symbol, symbol.span or span
        symbol, span = below, below.span or span
