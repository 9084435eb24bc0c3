"""Statements: every path through a function, as long as they are few.

A condition that is not decided splits a state in two, and each half knows what the condition said.
States that differ in nothing are one again. Where there are too many, they are merged, and loops
that do not end soon are widened: that loses precision, never a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.fold import wrapped
from heapscene.shader.ir.nodes import Expr, Function, Span, Stmt
from heapscene.shader.ir.visit import children, walk
from heapscene.shader.sets.domain import (
    INTEGER_LIMITS,
    Finite,
    Known,
    between,
    hull,
    is_inside,
    join,
    top,
)
from heapscene.shader.sets.expressions import Expressions
from heapscene.shader.sets.state import Dead, Effort, State, joined_facts
from heapscene.shader.sets.symbols import Symbol, Value, flatten, map_values
from heapscene.shader.types import BOOL, F32, Scalar

__all__ = ["MAX_PATHS", "MAX_ROUNDS", "MAX_STEPS", "Outcome", "Walker"]

MAX_PATHS = 32
"""States that are kept apart at one statement: the thresholds of a rule, times its flags."""

MAX_ROUNDS = 64
"""Rounds of a loop that are run one by one where paths part: as many as a set has values."""

MAX_STEPS = 20_000
"""Statements and computed scalars before paths are merged at once: about 0.6 seconds.

Ten times what the largest of the random rules in the tests takes.
"""

_TRIALS = 8  # rounds in which a widened loop must settle before its variables may be anything
_PATIENT_TRIALS = 2  # of these, how many let bounds grow step by step

_TRUE, _FALSE = Finite(frozenset((True,))), Finite(frozenset((False,)))


class Outcome:
    """A path that returns: its state, what it returns, and where."""

    __slots__ = ("span", "state", "value")

    def __init__(self, state: State, value: Value, span: Span | None) -> None:
        self.state = state
        self.value = value
        self.span = span


class _Flow:
    """Where paths go that leave a block early."""

    def __init__(self, returns: list[Outcome]) -> None:
        self.returns = returns
        self.breaks: list[State] = []
        self.continues: list[State] = []


class Walker(Expressions):
    """Runs functions on states.

    Attributes
    ----------
    losses
        Where paths were merged or loops widened, in words.
    effort
        What was done so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.losses: dict[tuple[str, Span | None], None] = {}
        self.effort = Effort()
        self._calls: dict[int, list[nodes.Call]] = {}
        self._memo: dict[tuple[int, ...], Value] = {}
        self._conditions: dict[int, Expr] = {}

    def run(self, function: Function, args: Sequence[Value], state: State) -> list[Outcome]:
        """Return every path through a function."""
        state.locals = {p.number: v for p, v in zip(function.parameters, args, strict=True)}
        state.results = {}
        if function.wgsl is not None:
            why = f"{function.name} is written in WGSL, which is not followed"
            return [Outcome(state, self.unknown(function.returns, why, function.span), None)]
        flow = _Flow([])
        left = self._block(function.body, [state], flow)
        return flow.returns + [Outcome(each, (), None) for each in left]

    # Calls -----------------------------------------------------------------------------------

    def _ready(self, node: Expr | None, states: Sequence[State]) -> list[State]:
        """Run the calls in an expression, so that its value can be asked for."""
        if node is None:
            return list(states)
        calls = self._calls.get(id(node))
        if calls is None:
            calls = self._calls[id(node)] = _calls_in(node)
        current = list(states)
        for call in calls:
            current = [after for state in current for after in self._called(call, state)]
        return current

    def _called(self, call: nodes.Call, state: State) -> list[State]:
        args = [self.value(arg, state) for arg in call.args]
        symbols = [symbol for arg in args for symbol in flatten(arg)]
        constant = all(symbol.op == "const" for symbol in symbols)
        key = (id(call.function), *(symbol.number for symbol in symbols))
        if constant and key in self._memo:
            state.results[id(call)] = self._memo[key]
            return [state]
        if self.effort.steps > MAX_STEPS:
            why = f"{call.function.name} was not followed: the rule is too long"
            self.losses[why, call.span] = None
            state.results[id(call)] = self.unknown(call.type, why, call.span)
            return [state]
        mine, results = state.locals, state.results
        outcomes = self.run(call.function, args, state.copy())
        for outcome in outcomes:
            outcome.state.locals = dict(mine)
            outcome.state.results = {**results, id(call): outcome.value}
        values = [symbol for o in outcomes for symbol in flatten(o.value)]
        if constant and len(outcomes) == 1 and all(s.op == "const" for s in values):
            self._memo[key] = outcomes[0].value
        return self._limited([outcome.state for outcome in outcomes], call.span)

    # States ----------------------------------------------------------------------------------

    def _limited(self, states: list[State], span: Span | None) -> list[State]:
        """Join states that differ in nothing, and all of them if they are many."""
        if len(states) < 2:
            return states
        groups: dict[object, list[State]] = {}
        for state in states:
            groups.setdefault(_signature(state), []).append(state)
        found = [
            group[0] if len(group) == 1 else self._merged(group, span) for group in groups.values()
        ]
        limit = MAX_PATHS if self.effort.steps <= MAX_STEPS else 1
        if len(found) <= limit:
            return found
        self.losses["too many paths meet here", span] = None
        return [self._merged(found, span)]

    def _merged(self, states: Sequence[State], span: Span | None) -> State:
        made = State(self.effort)
        made.said = joined_facts(states)
        for name in ("locals", "results"):
            first, *others = (getattr(state, name) for state in states)
            shared = {k: v for k, v in first.items() if all(k in other for other in others)}
            target = getattr(made, name)
            for key in shared:
                values = [getattr(state, name)[key] for state in states]
                target[key] = map_values(lambda *each: self._either(each, states, span), *values)
        made.settle()
        return made

    def _either(self, each: Sequence[Symbol], states: Sequence[State], span: Span | None) -> Symbol:
        first = each[0]
        if all(symbol is first for symbol in each):
            return first
        known = [state.known(symbol) for state, symbol in zip(states, each, strict=True)]
        why = "too many paths meet here"
        return self.symbols.leaf(first.type, join(first.type, *known), why, span)

    def _split(self, node: Expr, states: Sequence[State]) -> tuple[list[State], list[State]]:
        """Return the states where a condition holds, and those where it does not."""
        holds: list[State] = []
        fails: list[State] = []
        for state in self._ready(node, states):
            condition = self.scalar(node, state)
            known = state.known(condition)
            if known == _TRUE:
                holds.append(state)
            elif known == _FALSE:
                fails.append(state)
            else:
                for wanted, side in ((_TRUE, holds), (_FALSE, fails)):
                    half = state.copy()
                    try:
                        half.assume(condition, wanted)
                    except Dead:
                        continue
                    side.append(half)
        return holds, fails

    # Statements ------------------------------------------------------------------------------

    def _block(self, body: Sequence[Stmt], states: list[State], flow: _Flow) -> list[State]:
        for statement in body:
            if not states:
                break
            self.effort.steps += len(states)
            states = _STATEMENTS[type(statement)](self, statement, states, flow)
            for state in states:
                state.results = {}
            states = self._limited(states, statement.span)
        return states

    def _declare(self, node: nodes.Declare, states: list[State], flow: _Flow) -> list[State]:
        del flow
        found = self._ready(node.value, states)
        for state in found:
            value = (
                self.zero(node.local.type) if node.value is None else self.value(node.value, state)
            )
            state.locals[node.local.number] = self._settled(value, state)
        return found

    def _assign(self, node: nodes.Assign, states: list[State], flow: _Flow) -> list[State]:
        del flow
        if isinstance(node.target, nodes.Read):
            found = self._ready(node.value, states)
            for state in found:
                value = self._settled(self.value(node.value, state), state)
                state.locals[node.target.local.number] = value
            return found
        root = node.target
        while isinstance(root, nodes.Index | nodes.Field | nodes.Swizzle):
            root = root.value
        if isinstance(root, nodes.Read):  # a part of a local: not followed
            for state in states:
                why = f"a part of {root.local.name!r} is assigned"
                state.locals[root.local.number] = self.unknown(root.type, why, node.span)
        return states  # what a resource holds is not tracked: it may be anything when read

    def _settled(self, value: Value, state: State) -> Value:
        """Put constants for what has one possible value on this path."""

        def settle(symbol: Symbol) -> Symbol:
            known = state.known(symbol)
            if symbol.op == "const" or not isinstance(known, Finite) or known.loose:
                return symbol
            if len(known.values) > 1:
                return symbol
            (only,) = known.values
            return self.symbols.constant(only, symbol.type, symbol.span)

        return map_values(settle, value) if value != () else value

    def _if(self, node: nodes.If, states: list[State], flow: _Flow) -> list[State]:
        holds, fails = self._split(node.condition, states)
        return self._block(node.then, holds, flow) + self._block(node.otherwise, fails, flow)

    def _break(self, node: nodes.Break, states: list[State], flow: _Flow) -> list[State]:
        del node
        flow.breaks += states
        return []

    def _continue(self, node: nodes.Continue, states: list[State], flow: _Flow) -> list[State]:
        del node
        flow.continues += states
        return []

    def _return(self, node: nodes.Return, states: list[State], flow: _Flow) -> list[State]:
        for state in self._ready(node.value, states):
            value = () if node.value is None else self.value(node.value, state)
            flow.returns.append(Outcome(state, self._settled(value, state), node.span))
        return []

    def _discard(self, node: nodes.Discard, states: list[State], flow: _Flow) -> list[State]:
        # A call beside "and" is run here even if the GPU does not run it, so the path goes on.
        del node, flow
        return states

    def _evaluate(self, node: nodes.Evaluate, states: list[State], flow: _Flow) -> list[State]:
        del flow
        return self._ready(node.value, states)

    # Loops -----------------------------------------------------------------------------------

    def _loop(self, node: nodes.While | nodes.For, states: list[State], flow: _Flow) -> list[State]:
        if isinstance(node, nodes.For):
            states = self._started(node, states)
        exits: list[State] = []
        seen: set[object] = set()
        live = states
        rounds = 0
        while rounds < MAX_ROUNDS and self.effort.steps <= MAX_STEPS:
            live = [s for s in live if _is_new(s, seen)]
            if not live:
                return self._limited(exits, node.span)
            before = len(exits)
            live = self._round(node, live, flow, exits)
            rounds += len(live) + len(exits) - before > 1  # one path alone may go on
        if live:
            exits += self._widened(node, live, flow)
        return self._limited(exits, node.span)

    def _started(self, node: nodes.For, states: list[State]) -> list[State]:
        found = self._ready(node.stop, self._ready(node.start, states))
        for state in found:
            state.locals[node.local.number] = self.value(node.start, state)
            state.locals[_stop_of(node)] = self.value(node.stop, state)
        return found

    def _round(
        self,
        node: nodes.While | nodes.For,
        live: list[State],
        flow: _Flow,
        exits: list[State],
    ) -> list[State]:
        if isinstance(node, nodes.For):
            holds, fails = self._counted(node, live)
        else:
            holds, fails = self._split(node.condition, live)
        exits += fails
        inner = _Flow(flow.returns)
        after = self._block(node.body, holds, inner) + inner.continues
        exits += inner.breaks
        if isinstance(node, nodes.For):
            for state in after:
                self._advance(node, state)
        return self._limited(after, node.span)

    def _advance(self, node: nodes.For, state: State) -> None:
        counter = state.locals[node.local.number]
        assert isinstance(counter, Symbol)
        step = self.symbols.constant(wrapped(node.step, counter.type), counter.type)
        moved = self.symbols.apply("+", counter.type, (counter, step), node.span)
        state.locals[node.local.number] = self._settled(moved, state)

    def _counted(self, node: nodes.For, live: list[State]) -> tuple[list[State], list[State]]:
        condition = self._conditions.get(id(node))
        if condition is None:
            stop = nodes.Local(_stop_of(node), "stop", node.local.type)
            condition = self._conditions[id(node)] = nodes.Binary(
                BOOL,
                "<" if node.step > 0 else ">",
                nodes.Read(node.local.type, node.local),
                nodes.Read(node.local.type, stop),
                span=node.span,
            )
        return self._split(condition, live)

    def _widened(
        self, node: nodes.While | nodes.For, live: list[State], flow: _Flow
    ) -> list[State]:
        """Run the loop once for all further rounds, with variables that hold for each of them."""
        why = "this loop was followed for a limited number of rounds"
        self.losses[why, node.span] = None
        entry = live[0] if len(live) == 1 else self._merged(live, node.span)
        changing = [n for n in _assigned_in(node) if n in entry.locals]
        candidate = {n: [entry.known(s) for s in flatten(entry.locals[n])] for n in changing}
        for trial in range(_TRIALS + 1):
            start = entry.copy()
            for n in changing:
                start.locals[n] = self._fresh(entry.locals[n], candidate[n], why, node.span)
            returns: list[Outcome] = []
            exits: list[State] = []
            after = self._round(node, [start], _Flow(returns), exits)
            reached = {n: self._reached(entry.locals[n], n, after) for n in changing}
            wider = {
                n: [
                    join(symbol.type, before, now)
                    for symbol, before, now in zip(
                        flatten(entry.locals[n]), candidate[n], reached[n], strict=True
                    )
                ]
                for n in changing
            }
            if all(map(_all_inside, wider.values(), candidate.values())):
                flow.returns += returns
                return exits
            candidate = {
                n: [
                    _wider(symbol.type, before, now, trial)
                    for symbol, before, now in zip(
                        flatten(entry.locals[n]), candidate[n], wider[n], strict=True
                    )
                ]
                for n in changing
            }
        raise AssertionError("a loop did not settle although its variables may be anything")

    def _fresh(self, value: Value, known: Sequence[Known], why: str, span: Span | None) -> Value:
        waiting = iter(known)

        def fresh(symbol: Symbol) -> Symbol:
            return self.symbols.leaf(symbol.type, next(waiting), why, span)

        return map_values(fresh, value) if value != () else value

    def _reached(self, value: Value, n: int, after: Sequence[State]) -> list[Known]:
        """Return what the scalars of a local are after one more round."""
        found: list[Known] = []
        for part, symbol in enumerate(flatten(value)):
            known = [state.known(flatten(state.locals[n])[part]) for state in after]
            found.append(join(symbol.type, *known))
        return found


def _all_inside(inner: Sequence[Known], outer: Sequence[Known]) -> bool:
    return all(map(is_inside, inner, outer))


def _wider(scalar: Scalar, before: Known, now: Known, trial: int) -> Known:
    """Let a bound that grows grow to the end of the type, later everything."""
    if is_inside(now, before):
        return before
    if trial < _PATIENT_TRIALS:
        return now
    if trial >= _TRIALS - 2 or scalar == BOOL:
        return top(scalar)
    a, b = hull(before, scalar), hull(now, scalar)
    first, last = (-math.inf, math.inf) if scalar == F32 else INTEGER_LIMITS[scalar.name]
    low = a.low if b.low >= a.low else first
    high = a.high if b.high <= a.high else last
    return between(scalar, low, high, nan=a.nan or b.nan)


def _calls_in(node: Expr) -> list[nodes.Call]:
    """List the calls in an expression in the order in which they run."""
    found: list[nodes.Call] = []

    def visit(each: Expr) -> None:
        for child in children(each):
            visit(child)
        if isinstance(each, nodes.Call):
            found.append(each)

    visit(node)
    return found


def _signature(state: State) -> object:
    parts = [*sorted(state.locals.items()), *sorted(state.results.items())]
    return tuple((key, *(symbol.number for symbol in flatten(value))) for key, value in parts)


def _is_new(state: State, seen: set[object]) -> bool:
    key = (_signature(state), frozenset(state.said.items()))
    if key in seen:
        return False
    seen.add(key)
    return True


def _stop_of(node: nodes.For) -> int:
    return -1 - node.local.number


def _assigned_in(loop: nodes.While | nodes.For) -> list[int]:
    """List the locals that a loop writes, itself included."""
    found: dict[int, None] = {}
    own_stop = _stop_of(loop) if isinstance(loop, nodes.For) else None
    for node in walk(loop):
        if isinstance(node, nodes.Assign):
            root = node.target
            while isinstance(root, nodes.Index | nodes.Field | nodes.Swizzle):
                root = root.value
            if isinstance(root, nodes.Read):
                found[root.local.number] = None
        elif isinstance(node, nodes.Declare):
            found[node.local.number] = None
        elif isinstance(node, nodes.For):
            found[node.local.number] = None
            found[_stop_of(node)] = None
    return [number for number in found if number != own_stop]


_STATEMENTS: dict[type, Callable[[Any, Any, list[State], Any], list[State]]] = {
    nodes.Declare: Walker._declare,
    nodes.Assign: Walker._assign,
    nodes.If: Walker._if,
    nodes.While: Walker._loop,
    nodes.For: Walker._loop,
    nodes.Break: Walker._break,
    nodes.Continue: Walker._continue,
    nodes.Return: Walker._return,
    nodes.Discard: Walker._discard,
    nodes.Evaluate: Walker._evaluate,
}
