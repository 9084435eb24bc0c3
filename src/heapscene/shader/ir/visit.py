"""One table of children; walks over expressions and statements are made from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Parts, Resource, Stmt

__all__ = ["CHILDREN", "PLAIN", "children", "reachable_functions", "reachable_resources", "walk"]

CHILDREN: dict[type, tuple[str, ...]] = {
    nodes.Literal: (),
    nodes.Read: (),
    nodes.Global: (),
    nodes.Unary: ("operand",),
    nodes.Binary: ("left", "right"),
    nodes.Intrinsic: ("args",),
    nodes.Construct: ("args",),
    nodes.Convert: ("value",),
    nodes.Bitcast: ("value",),
    nodes.Swizzle: ("value",),
    nodes.Field: ("value",),
    nodes.Index: ("value", "index"),
    nodes.Call: ("args",),
    nodes.Declare: ("value",),
    nodes.Assign: ("target", "value"),
    nodes.If: ("condition", "then", "otherwise"),
    nodes.While: ("condition", "body"),
    nodes.For: ("start", "stop", "body"),
    nodes.Break: (),
    nodes.Continue: (),
    nodes.Return: ("value",),
    nodes.Discard: (),
    nodes.Evaluate: ("value",),
}
"""Members of each node that hold nodes, in order of evaluation."""

PLAIN: dict[type, tuple[str, ...]] = {
    nodes.Literal: ("value",),
    nodes.Unary: ("op",),
    nodes.Binary: ("op",),
    nodes.Intrinsic: ("name",),
    nodes.Swizzle: ("letters",),
    nodes.Field: ("name",),
    nodes.For: ("step",),
}
"""Members that are data; locals, resources and callees are treated by each reader on its own."""


_BACKWARDS = {kind: tuple(reversed(names)) for kind, names in CHILDREN.items()}


def children(node: Expr | Stmt) -> list[Any]:
    """List the nodes directly below ``node``."""
    found: list[Any] = []
    for name in CHILDREN[type(node)]:
        child = getattr(node, name)
        if type(child) is tuple:
            found += child
        elif child is not None:
            found.append(child)
    return found


def walk(root: Function | Expr | Stmt) -> Iterator[Any]:
    """Yield ``root`` (unless it is a function) and all below, parents first; no callees."""
    return iter(_parts(root).nodes) if isinstance(root, Function) else _below([root])


def _parts(function: Function) -> Parts:
    found = function.parts
    if found is None:
        below = tuple(_below(list(reversed(function.body))))
        callees = {id(n.function): n.function for n in below if type(n) is nodes.Call}
        resources = dict.fromkeys(n.resource for n in below if type(n) is nodes.Global)
        found = Parts(below, tuple(callees.values()), tuple(resources))
        object.__setattr__(function, "parts", found)  # a function is frozen, so they stay true
    return found


def _below(stack: list[Any]) -> Iterator[Any]:
    while stack:
        node = stack.pop()
        yield node
        for name in _BACKWARDS[type(node)]:
            child = getattr(node, name)
            if type(child) is tuple:
                stack.extend(reversed(child))
            elif child is not None:
                stack.append(child)


def reachable_functions(*roots: Function) -> list[Function]:
    """List ``roots`` and all they call, callees first, each once, in order of content."""
    found: dict[int, Function] = {}

    def add(function: Function) -> None:
        if id(function) in found:
            return
        for callee in _parts(function).callees:
            add(callee)
        found.setdefault(id(function), function)

    for root in roots:
        add(root)
    return list(found.values())


def reachable_resources(*roots: Function) -> list[Resource]:
    """List the resources that ``roots`` use, themselves or through calls, in order of first use."""
    found: dict[Resource, None] = {}
    for function in reachable_functions(*roots):
        found.update(dict.fromkeys(_parts(function).resources))
    return list(found)
