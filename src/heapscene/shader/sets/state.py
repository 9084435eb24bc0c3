"""What is known at one point of one path: the values of locals, and what conditions said."""

from __future__ import annotations

import math
from collections.abc import Iterable

from heapscene.shader.sets.domain import EMPTY, Finite, Known, is_inside, join, meet, top
from heapscene.shader.sets.refine import demands
from heapscene.shader.sets.symbols import Symbol, Value

__all__ = ["Dead", "Effort", "State", "joined_facts"]

_MAX_FACTS = 128  # that a path keeps of its conditions
_MAX_DEDUCTIONS = 200  # from one condition: intervals could narrow float by float


class Dead(Exception):
    """No input leads here."""


class Effort:
    """How much was done for one rule: statements that were run, scalars that were computed."""

    def __init__(self) -> None:
        self.steps = 0


class State:
    """One path.

    Attributes
    ----------
    locals
        Values by the number of the local.
    results
        Values of the calls in the statement that runs, by the identity of the node.
    said
        What conditions on the way say of symbols.
    effort
        Shared by all paths of a rule.
    """

    def __init__(self, effort: Effort | None = None) -> None:
        self.effort = effort or Effort()
        self.locals: dict[int, Value] = {}
        self.results: dict[int, Value] = {}
        self.said: dict[Symbol, Known] = {}
        self._cache: dict[Symbol, Known] = {}

    def copy(self) -> State:
        """Return a state that goes its own way from here."""
        made = State(self.effort)
        made.locals = dict(self.locals)
        made.results = dict(self.results)
        made.said = dict(self.said)
        made._cache = dict(self._cache)
        return made

    def known(self, symbol: Symbol) -> Known:
        """Return what is known of a symbol.

        Raises
        ------
        Dead
            What conditions say cannot all be true.
        """
        stack = [symbol]
        while stack:
            at = stack[-1]
            if at in self._cache:
                stack.pop()
                continue
            missing = [arg for arg in at.args if arg not in self._cache]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            args = tuple([self._cache[arg] for arg in at.args])
            found, is_new = at.from_args(args)
            self.effort.steps += 1 + (is_new and _combinations(args) // 8)
            said = self.said.get(at)
            if said is not None:
                if is_inside(found, said) and at.args:
                    del self.said[at]  # its operands say as much by now
                else:
                    found = meet(at.type, found, said)
            if found == EMPTY:
                raise Dead
            self._cache[at] = found
        return self._cache[symbol]

    def assume(self, symbol: Symbol, known: Known) -> None:
        """Add that a symbol is one of these values, and what follows for its operands.

        Raises
        ------
        Dead
            That contradicts what is known.
        """
        pending = self._say(symbol, known)
        for _ in range(_MAX_DEDUCTIONS):
            if not pending:
                break
            pending += self._deduced(pending.pop())
        self.settle()

    def settle(self) -> None:
        """Compute all that conditions speak of: contradictions and later changes are seen there.

        Raises
        ------
        Dead
            Conditions contradict each other.
        """
        for symbol in list(self.said):
            self.known(symbol)

    def _say(self, symbol: Symbol, known: Known) -> list[Symbol]:
        """Note what is known of a symbol; return where that may have consequences."""
        before = self.known(symbol)
        now = meet(symbol.type, before, known)
        if now == EMPTY:
            raise Dead
        if is_inside(before, now):
            return []
        if len(self.said) >= _MAX_FACTS:
            self._drop_one()
        self.said[symbol] = now
        above = self._forget(symbol)
        self._cache[symbol] = now
        return [*sorted((s for s in above if s in self.said), key=lambda s: s.number), symbol]

    def _drop_one(self) -> None:
        """Forget the oldest condition: less is known then, never something wrong."""
        oldest = next((symbol for symbol in self.said if symbol.args), None)
        if oldest is not None:
            del self.said[oldest]

    def _forget(self, symbol: Symbol) -> set[Symbol]:
        """Let everything that depends on a symbol be computed again."""
        pending, found = [symbol], set[Symbol]()
        while pending:
            for user in pending.pop().users:
                if self._cache.pop(user, None) is not None:
                    pending.append(user)
                    found.add(user)
        return found

    def _deduced(self, symbol: Symbol) -> list[Symbol]:
        """Narrow the operands of a symbol; return where that may have consequences."""
        if not symbol.args:
            return []
        key = (self.known(symbol), *[self.known(arg) for arg in symbol.args])
        wants = symbol.demanded.get(key)
        if wants is None:
            wants = symbol.demanded[key] = list(demands(symbol, key[0], key[1:]))
        found: list[Symbol] = []
        for arg, wanted in wants:
            found += self._say(arg, wanted)
        return found


def _combinations(args: tuple[Known, ...]) -> int:
    return math.prod(len(arg.values) for arg in args if isinstance(arg, Finite))


def joined_facts(states: Iterable[State]) -> dict[Symbol, Known]:
    """Return what all states agree on."""
    first, *others = states
    shared = {s: k for s, k in first.said.items() if all(s in o.said for o in others)}
    found: dict[Symbol, Known] = {}
    for symbol, known in shared.items():
        both = join(symbol.type, known, *(other.said[symbol] for other in others))
        if not is_inside(top(symbol.type), both):
            found[symbol] = both
    return found
