"""Statements of many invocations at once: which rows are active decides who takes part.

All invocations run in step, one statement after the other. A row leaves a block by ``return``,
``break`` or ``continue`` and is missing in the mask from there on; loops run until no row is left.
Running in step is one of the orders that a GPU may choose, and stops at barriers by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from heapscene.errors import ShaderError, explain
from heapscene.shader.interpret.expressions import Expressions
from heapscene.shader.interpret.memory import Memory
from heapscene.shader.interpret.quads import DERIVATIVES
from heapscene.shader.interpret.twin import called
from heapscene.shader.interpret.values import Value, blend, zero
from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Stmt
from heapscene.shader.numeric.operators import Array
from heapscene.shader.types import VOID

__all__ = ["Machine"]


class _Loop:
    """Who left the body of the innermost loop, and how."""

    def __init__(self, count: int) -> None:
        self.broken = np.zeros(count, np.bool_)
        self.continued = np.zeros(count, np.bool_)


class Machine(Expressions):
    """Runs functions.

    Parameters
    ----------
    count
        How many invocations.
    group_size
        How many of them form a workgroup; they follow each other.
    limit
        Most rounds of one loop.
    """

    def __init__(self, count: int, memory: Memory, *, group_size: int, limit: int) -> None:
        super().__init__(count, memory)
        self._group_size = group_size
        self._limit = limit
        self._loop = _Loop(count)
        self._result: Value = None

    def call(self, function: Function, args: list[Value]) -> Value:
        """Run a function for the active invocations; rows without a result hold zeros."""
        if function.wgsl is not None:
            return called(function, args, self.active)
        outer = self.locals, self._loop, self._result, self.active
        self.locals = {p.number: arg for p, arg in zip(function.parameters, args, strict=True)}
        returns = function.returns
        self._result = None if returns == VOID else zero(returns, self.count)
        self._block(function.body, self.active)
        result = self._result
        self.locals, self._loop, self._result, self.active = outer
        return result

    def barrier(self, name: str) -> None:
        """Check that all invocations of each workgroup are here, or none."""
        here = self.active.reshape(-1, self._group_size)
        split = here.any(axis=1) & ~here.all(axis=1)
        if split.any():
            group = int(np.flatnonzero(split)[0])
            raise ShaderError(
                explain(
                    f"{name}() is reached by a part of a workgroup",
                    facts={
                        "workgroup": group,
                        "invocations": f"{int(here[group].sum())} of {self._group_size}",
                    },
                    fix="Move the barrier out of conditions that differ within a workgroup.",
                )
            )

    def derivative(self, name: str, value: Array) -> Array:
        """Return differences within blocks of pixels, which have to be here as a whole."""
        whole = self.count % 4 == 0
        here = self.active.reshape(-1, 4 if whole else 1)
        if not whole or (here.any(axis=1) & ~here.all(axis=1)).any():
            raise ShaderError(
                explain(
                    f"{name}() is reached by a part of a block of 2 by 2 pixels",
                    facts={"invocations": self.count, "active": int(self.active.sum())},
                    fix="Compute it before conditions that differ from pixel to pixel.",
                )
            )
        return DERIVATIVES[name](value)

    # Statements ------------------------------------------------------------------------------

    def _evaluated(self, node: Expr, active: Array) -> Value:
        self.active = active
        return self.value(node)

    def _block(self, statements: tuple[Stmt, ...], active: Array) -> Array:
        """Run statements and return the rows that reach the end."""
        for statement in statements:
            if not active.any():
                return active
            active = self._STATEMENTS[type(statement)](self, statement, active)
        return active

    def _declare(self, node: nodes.Declare, active: Array) -> Array:
        type_, number = node.local.type, node.local.number
        value = (
            zero(type_, self.count) if node.value is None else self._evaluated(node.value, active)
        )
        old = self.locals.get(number)
        self.locals[number] = value if old is None else blend(active, value, old)
        return active

    def _assign(self, node: nodes.Assign, active: Array) -> Array:
        self.active = active
        if isinstance(node.target, nodes.Read):
            number = node.target.local.number
            self.locals[number] = blend(active, self.value(node.value), self.locals[number])
            return active
        place = self.place(node.target)
        assert place is not None, "nothing of a local is assigned alone"
        place.store(self.value(node.value), active & ~self.discarded)
        return active

    def _if(self, node: nodes.If, active: Array) -> Array:
        condition = self._evaluated(node.condition, active)
        then = self._block(node.then, active & condition)
        return then | self._block(node.otherwise, active & ~condition)

    def _while(self, node: nodes.While, active: Array) -> Array:
        def test(live: Array) -> Array:
            return self._evaluated(node.condition, live)

        return self._loop_over(node.body, active, test, lambda: None)

    def _for(self, node: nodes.For, active: Array) -> Array:
        number = node.local.number
        self.locals[number] = self._evaluated(node.start, active)
        stop = self._evaluated(node.stop, active)
        step = self.locals[number].dtype.type(node.step)

        def test(_: Array) -> Array:
            at = self.locals[number]
            return at < stop if node.step > 0 else at > stop

        def go_on() -> None:
            self.locals[number] = self.locals[number] + step

        return self._loop_over(node.body, active, test, go_on)

    def _loop_over(
        self,
        body: tuple[Stmt, ...],
        active: Array,
        test: Callable[[Array], Array],
        go_on: Callable[[], None],
    ) -> Array:
        outer, loop = self._loop, _Loop(self.count)
        self._loop = loop
        after = np.zeros(self.count, np.bool_)
        for _ in range(self._limit):
            holds = test(active)
            after |= active & ~holds
            active = active & holds
            if not (active & ~self.discarded).any():
                # Discarded pixels alone do not keep a loop going.
                self._loop = outer
                return after | active | loop.broken
            loop.continued = np.zeros(self.count, np.bool_)
            active = self._block(body, active) | loop.continued
            go_on()
        raise ShaderError(
            explain(
                "a loop does not end",
                facts={"rounds": self._limit, "invocations still in it": int(active.sum())},
                fix="Give a larger limit, or bound the loop.",
            )
        )

    def _break(self, _: nodes.Break, active: Array) -> Array:
        self._loop.broken |= active
        return np.zeros_like(active)

    def _continue(self, _: nodes.Continue, active: Array) -> Array:
        self._loop.continued |= active
        return np.zeros_like(active)

    def _return(self, node: nodes.Return, active: Array) -> Array:
        if node.value is not None:
            self._result = blend(active, self._evaluated(node.value, active), self._result)
        return np.zeros_like(active)

    def _discard(self, _: nodes.Discard, active: Array) -> Array:
        # A discarded pixel goes on without effects: its neighbours' derivatives need it.
        self.discarded = self.discarded | active
        return active

    def _evaluate(self, node: nodes.Evaluate, active: Array) -> Array:
        self._evaluated(node.value, active)
        return active

    _STATEMENTS: ClassVar[dict[type, Callable[[Any, Any, Array], Array]]] = {
        nodes.Declare: _declare,
        nodes.Assign: _assign,
        nodes.If: _if,
        nodes.While: _while,
        nodes.For: _for,
        nodes.Break: _break,
        nodes.Continue: _continue,
        nodes.Return: _return,
        nodes.Discard: _discard,
        nodes.Evaluate: _evaluate,
    }
