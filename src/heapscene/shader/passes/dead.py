"""Dead code: what is never reached, and what nobody reads.

Effects stay: writes to resources, ``discard``, barriers and calls that have such. So do ``while``
loops, since nothing says that they end.
"""

from __future__ import annotations

from enum import IntEnum

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Stmt
from heapscene.shader.ir.visit import walk
from heapscene.shader.passes.effects import Effects
from heapscene.shader.passes.rewrite import BLOCKS, EXPRESSIONS, rebuilt

__all__ = ["drop_dead"]


class _Use(IntEnum):
    """What a block is there for."""

    NOTHING = 0
    JUMPS = 1  # it leaves the loop around it
    EFFECT = 2


def drop_dead(function: Function) -> Function:
    """Return the function without dead code. Its parameters stay."""
    body = _reachable(function.body)
    while True:
        sweeper = _Sweeper()
        sweeper.mark(body)
        made = sweeper.block(body)
        if _size(made) == _size(body):
            return rebuilt(function, {"body": body})
        body = made


def _size(body: tuple[Stmt, ...]) -> int:
    return sum(1 for statement in body for _ in walk(statement))


# Reachability --------------------------------------------------------------------------------


def _reachable(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Drop what follows a jump, and the sides of conditions that are never taken."""
    made: list[Stmt] = []
    for statement in body:
        for each in _decided(statement):
            made.append(each)
            if _leaves(each):
                return _same(made, body)
    return _same(made, body)


def _same(made: list[Stmt], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    same = len(made) == len(body) and all(a is b for a, b in zip(made, body, strict=True))
    return body if same else tuple(made)


def _decided(node: Stmt) -> tuple[Stmt, ...]:
    if isinstance(node, nodes.If) and isinstance(node.condition, nodes.Literal):
        return _reachable(node.then if node.condition.value else node.otherwise)
    if isinstance(node, nodes.While) and _is_literal(node.condition, value=False):
        return ()
    return (rebuilt(node, {name: _reachable(getattr(node, name)) for name in BLOCKS[type(node)]}),)


def _is_literal(node: Expr, *, value: bool) -> bool:
    return isinstance(node, nodes.Literal) and node.value is value


def _leaves(node: Stmt) -> bool:
    """Tell whether nothing after this statement is reached."""
    match node:
        case nodes.Return() | nodes.Break() | nodes.Continue() | nodes.Discard():
            return True
        case nodes.If(then=then, otherwise=otherwise):
            return any(map(_leaves, then)) and any(map(_leaves, otherwise))
        case nodes.While(condition=condition, body=body):
            return _is_literal(condition, value=True) and not _has_break(body)
        case _:
            return False


def _has_break(body: tuple[Stmt, ...]) -> bool:
    """Tell whether a loop with this body can be left by ``break``."""
    return any(
        isinstance(each, nodes.Break)
        or (isinstance(each, nodes.If) and (_has_break(each.then) or _has_break(each.otherwise)))
        for each in body
    )


# What is read --------------------------------------------------------------------------------


class _Sweeper:
    def __init__(self) -> None:
        self._needed: set[int] = set()
        self._effects = Effects()

    def _is_pure(self, node: Expr | None) -> bool:
        return node is None or self._effects.of(node).is_pure

    def mark(self, body: tuple[Stmt, ...]) -> None:
        """Find the locals on which an effect or the result depends."""
        count = -1
        while count != len(self._needed):
            count = len(self._needed)
            self._use_of(body)

    def _use_of(self, body: tuple[Stmt, ...]) -> _Use:
        # Backwards, so that most is found in the first round.
        return max((self._statement(each) for each in reversed(body)), default=_Use.NOTHING)

    def _statement(self, node: Stmt) -> _Use:
        inner = max(
            (self._use_of(getattr(node, name)) for name in BLOCKS[type(node)]), default=_Use.NOTHING
        )
        use = self._own_use(node, inner)
        if use or (isinstance(node, nodes.Declare) and node.local.number in self._needed):
            for name in EXPRESSIONS[type(node)]:
                self._need(getattr(node, name))
        return use

    def _own_use(self, node: Stmt, inner: _Use) -> _Use:
        match node:
            case nodes.Declare(value=value):
                return _Use.NOTHING if self._is_pure(value) else _Use.EFFECT
            case nodes.Assign(target=nodes.Read(local=local), value=value):
                wanted = local.number in self._needed or not self._is_pure(value)
                return _Use.EFFECT if wanted else _Use.NOTHING
            case nodes.If(condition=condition):
                return inner if self._is_pure(condition) else _Use.EFFECT
            case nodes.For(start=start, stop=stop):
                pure = self._is_pure(start) and self._is_pure(stop)
                return _Use.NOTHING if inner < _Use.EFFECT and pure else _Use.EFFECT
            case nodes.Break() | nodes.Continue():
                return _Use.JUMPS
            case nodes.Evaluate(value=value):
                return _Use.NOTHING if self._is_pure(value) else _Use.EFFECT
            case _:
                return _Use.EFFECT

    def _need(self, found: Expr | tuple[Expr, ...] | None) -> None:
        for root in found if isinstance(found, tuple) else (found,):
            if root is not None:
                self._needed |= {n.local.number for n in walk(root) if isinstance(n, nodes.Read)}

    def block(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Return the statements that are needed."""
        made: list[Stmt] = []
        for node in body:
            if isinstance(node, nodes.Declare) and node.local.number in self._needed:
                made.append(node)
            elif self._statement(node):
                blocks = {name: self.block(getattr(node, name)) for name in BLOCKS[type(node)]}
                made.append(rebuilt(node, blocks))
        return tuple(made)
