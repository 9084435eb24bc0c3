"""Loops: over ranges, while a condition holds, and over what is known when compiling."""

from __future__ import annotations

import ast
from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from heapscene.shader import lang
from heapscene.shader.frontend.calls import Calls
from heapscene.shader.frontend.lowering import Static
from heapscene.shader.frontend.refused import instead_of_loop
from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.nodes import Expr

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["Loops"]

_MOST_ELEMENTS = 1024


class Loops(Calls):
    """Lowers loops.

    Attributes
    ----------
    alive
        Whether control can reach the next statement.
    depths
        How many of the builder's blocks are open, by depth of Python's blocks.
    loops
        For each open loop: what is assigned at each ``break``.
    """

    def __init__(
        self, function: ShaderFunction[..., Any], stack: tuple[ShaderFunction[..., Any], ...]
    ) -> None:
        super().__init__(function, stack)
        self.alive = True
        self.depths = [0]
        self.loops: list[list[set[str]]] = []

    def run(self, body: list[ast.stmt]) -> None:
        """Lower statements; see :mod:`.statements`."""
        raise NotImplementedError

    @contextmanager
    def python_block(self) -> Generator[None, None, None]:
        """Run the body in a block of Python's."""
        self.depths.append(len(self.builder.blocks) - 1)
        try:
            yield
        finally:
            self.depths.pop()

    def _no_else(self, node: ast.For | ast.While) -> None:
        if node.orelse:
            word = "for" if isinstance(node, ast.For) else "while"
            raise self.fault(
                node.orelse[0],
                f"{word!r} with 'else' is not part of the shader language",
                kind="syntax",
                fix="Move the 'else' block after the loop and test a flag.",
            )

    def loop_while(self, node: ast.While) -> None:
        """Lower a ``while`` loop."""
        self._no_else(node)
        with self.builder.block() as body, self.python_block():
            condition = self.condition(node.test)
            endless = isinstance(condition, nodes.Literal) and bool(condition.value)
            if body:  # the condition needs statements of its own, in every round
                leave = build.unary("!", condition)
                body.append(nodes.If(leave, (nodes.Break(),), ()))
                condition = build.literal(True)
            before = set(self.assigned)
            self.loops.append([])
            self.run(node.body)
            breaks = self.loops.pop()
        self.builder.append(nodes.While(condition, tuple(body), span=self.span(node)))
        self.alive = not endless or bool(breaks)
        self.assigned = set.intersection(*breaks) if endless and breaks else before

    def loop_for(self, node: ast.For) -> None:
        """Lower a ``for`` loop: over a range, or unrolled over static values."""
        self._no_else(node)
        unrolled = self._elements(node)
        if unrolled is not None:
            self._unrolled(node, unrolled)
            return
        if not isinstance(node.target, ast.Name):
            raise self.fault(
                node.target,
                "a loop has one variable",
                kind="syntax",
                fix="Write for i in range(n):",
            )
        name = node.target.id
        if name in self.uses or name in self.locals:
            raise self.fault(
                node.target,
                f"{name!r} is a loop variable and also assigned elsewhere",
                fix="Use two names.",
            )
        start, stop, step = self._range(node)
        before = set(self.assigned)
        with (
            self.at(node.iter),
            self.builder.for_range(name, start, stop, step, span=self.span(node)) as local,
            self.python_block(),
        ):
            self.locals[name] = local
            self.assigned.add(name)
            self.loops.append([])
            try:
                self.run(node.body)
            finally:
                self.loops.pop()
                del self.locals[name]
        self.assigned, self.alive = before, True

    def _elements(self, node: ast.For) -> list[Any] | None:
        """Return what an unrolled loop runs over; ``None`` for one over a range."""
        match node.iter:
            case ast.Call():
                found = self.static_call(node.iter)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                found = self.any(node.iter)
            case _:
                found = None
        if not isinstance(found, Static):
            return None
        if isinstance(found.value, range):
            return self._listed(node.iter, found.value)
        made = lang.elements(found.value)
        if made is None and isinstance(node.iter, ast.Call):  # static(zip(a, b)) and the like
            made = found.value
        return None if made is None else self._listed(node.iter, made)

    def _listed(self, node: ast.expr, elements: Any) -> list[Any]:
        try:
            found = list(islice(elements, _MOST_ELEMENTS + 1))
        except Exception as error:  # an iterator of the user's may raise anything
            raise self.fault(
                node,
                f"a loop cannot run over this: {type(error).__name__}: {error}",
                facts={"found": type(elements).__name__},
                fix="Write static(...) of a list, a tuple or another iterable.",
            ) from error
        if len(found) > _MOST_ELEMENTS:
            raise self.fault(
                node,
                f"a loop over static values is repeated more than {_MOST_ELEMENTS} times",
                fix="Loop over range(n), and index memory with it.",
            )
        return found

    def _unrolled(self, node: ast.For, elements: list[Any]) -> None:
        leaves = _leaves(node.body)
        if leaves is not None:
            word = "break" if isinstance(leaves, ast.Break) else "continue"
            raise self.fault(
                leaves,
                f"{word!r} is not part of a loop over static values",
                kind="syntax",
                fix="Write 'if' around the rest of the body, or loop over a range.",
            )
        text = ast.unparse(node.iter)
        outer = dict(self.unrolled)
        for number, element in enumerate(elements):
            if not self.alive:
                break
            self._bind(node.target, element, f"{text}[{number}]")
            known = set(self.locals)
            self.depths.append(len(self.builder.blocks) - 1)
            self.run(node.body)
            self.depths.pop()
            inner = {n for n in set(self.locals) - known if self.uses[n].depth >= len(self.depths)}
            for name in inner:
                del self.locals[name]
            self.assigned -= inner
        self.unrolled = outer

    def _bind(self, target: ast.expr, element: Any, text: str) -> None:
        if isinstance(target, ast.Name):
            if target.id in self.uses:
                raise self.fault(
                    target,
                    f"{target.id!r} is a loop variable and also assigned elsewhere",
                    fix="Use two names.",
                )
            self.unrolled[target.id] = Static(element, text)
            return
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        values = list(element) if isinstance(element, tuple | list) else []
        if len(parts) != len(values) or not parts:
            raise self.fault(
                target,
                f"{text} does not have the parts that {ast.unparse(target)} names",
                facts={"element": repr(element)},
                kind="syntax",
            )
        for part, value in zip(parts, values, strict=True):
            self._bind(part, value, f"part of {text}")

    def _range(self, node: ast.For) -> tuple[Expr, Expr, int]:
        call = node.iter
        target = self.any(call.func) if isinstance(call, ast.Call) else None
        if not (
            isinstance(call, ast.Call) and isinstance(target, Static) and target.value is range
        ):
            raise self.fault(
                node.iter,
                "a loop runs over range(...) or over static values",
                kind="syntax",
                fix=instead_of_loop(node.iter),
            )
        args = [self.value(each) for each in call.args]
        if not 1 <= len(args) <= 3 or call.keywords:
            raise self.fault(call, "range takes one to three numbers", fix="Write range(n).")
        start = build.literal(0) if len(args) == 1 else args[0]
        stop = args[0] if len(args) == 1 else args[1]
        step = args[2] if len(args) == 3 else build.literal(1)
        if not isinstance(step, nodes.Literal) or not isinstance(step.value, int):
            raise self.fault(
                call.args[2],
                "the step of a range must be a constant integer",
                fix="Use a 'while' loop.",
            )
        return start, stop, int(step.value)


def _leaves(body: list[ast.stmt]) -> ast.stmt | None:
    """Return a ``break`` or ``continue`` of the loop with this body, if there is one."""
    for statement in body:
        match statement:
            case ast.Break() | ast.Continue():
                return statement
            case ast.If():
                found = _leaves(statement.body) or _leaves(statement.orelse)
                if found is not None:
                    return found
            case _:
                pass
    return None
