"""Walks that make new nodes, derived from the one table of children."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Local, Module, Stmt
from heapscene.shader.ir.visit import CHILDREN, walk

__all__ = ["BLOCKS", "EXPRESSIONS", "locals_of", "on_functions", "rebuilt", "with_expressions"]

N = TypeVar("N", Expr, Stmt)


def _is_block(kind: type, name: str) -> bool:
    return "Stmt" in str(kind.__dataclass_fields__[name].type)  # pyright: ignore[reportAttributeAccessIssue]


BLOCKS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in names if _is_block(kind, name)) for kind, names in CHILDREN.items()
}
"""Members of each node that are blocks of statements."""

EXPRESSIONS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in names if name not in BLOCKS[kind])
    for kind, names in CHILDREN.items()
}
"""Members of each node that are expressions, or tuples of them, in order of evaluation."""


def rebuilt(node: Any, changes: dict[str, Any]) -> Any:
    """Return the node with other members; itself if they are the same objects."""
    if all(getattr(node, name) is value for name, value in changes.items()):
        return node
    return dataclasses.replace(node, **changes)


def with_expressions(node: N, function: Callable[[Expr], Expr]) -> N:
    """Return the node with its direct expressions replaced by what the function gives."""
    changes: dict[str, Any] = {}
    for name in EXPRESSIONS[type(node)]:
        child = getattr(node, name)
        if isinstance(child, tuple):
            made = tuple(function(each) for each in child)
            changes[name] = child if all(map(_same, made, child)) else made
        elif child is not None:
            changes[name] = function(child)
    return rebuilt(node, changes)


def _same(left: object, right: object) -> bool:
    return left is right


def locals_of(function: Function) -> list[Local]:
    """Return the parameters and all declared locals."""
    found = list(function.parameters)
    found += [n.local for n in walk(function) if isinstance(n, nodes.Declare | nodes.For)]
    return found


def on_functions(module: Module, change: Callable[[Function], Function]) -> Module:
    """Return the module with every function that it reaches changed, callees first."""
    done: dict[int, Function] = {}
    # Functions are kept so that no other object gets their id meanwhile.
    kept: list[Function] = []

    def changed(function: Function) -> Function:
        found = done.get(id(function))
        if found is None:
            found = done[id(function)] = change(_with_callees(function, changed))
            kept.append(function)
        return found

    entries = tuple(
        rebuilt(entry, {"function": changed(entry.function)}) for entry in module.entries
    )
    return Module(entries)


def _with_callees(function: Function, changed: Callable[[Function], Function]) -> Function:
    callees = [node.function for node in walk(function) if isinstance(node, nodes.Call)]
    if all(changed(callee) is callee for callee in callees):
        return function

    def expression(node: Expr) -> Expr:
        made = with_expressions(node, expression)
        if isinstance(made, nodes.Call):
            return rebuilt(made, {"function": changed(made.function)})
        return made

    def block(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        made = tuple(statement(each) for each in body)
        return body if all(map(_same, made, body)) else made

    def statement(node: Stmt) -> Stmt:
        made = with_expressions(node, expression)
        return rebuilt(made, {name: block(getattr(made, name)) for name in BLOCKS[type(made)]})

    return rebuilt(function, {"body": block(function.body)})
