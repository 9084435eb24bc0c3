"""Which members of its struct parameters a function really reads, through all its calls."""

from __future__ import annotations

from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Function
from heapscene.shader.ir.visit import children
from heapscene.shader.types import StructType

__all__ = ["fields_read"]


def fields_read(function: Function) -> tuple[frozenset[str], ...]:
    """Return the names of the members that are read, for each parameter.

    A struct that is kept, returned or rebuilt as a whole counts as read in all members; one that is
    handed to another function counts as read there.
    """
    return _fields_read(function, {})


def _fields_read(
    function: Function, known: dict[int, tuple[frozenset[str], ...]]
) -> tuple[frozenset[str], ...]:
    found = known.get(id(function))
    if found is not None:
        return found
    read: dict[int, set[str]] = {p.number: set() for p in function.parameters}
    whole = {
        p.number: {member.name for member in p.type.fields}
        for p in function.parameters
        if isinstance(p.type, StructType)
    }
    if function.wgsl is not None:  # its text is not looked into
        read |= whole

    def visit(node: Any) -> None:
        if isinstance(node, nodes.Field) and isinstance(node.value, nodes.Read):
            number = node.value.local.number
            if number in whole:
                read[number].add(node.name)
                return
        if isinstance(node, nodes.Call):
            inner = _fields_read(node.function, known)
            for arg, names in zip(node.args, inner, strict=True):
                if isinstance(arg, nodes.Read) and arg.local.number in whole:
                    read[arg.local.number] |= names
                else:
                    visit(arg)
            return
        if isinstance(node, nodes.Read) and node.local.number in whole:
            read[node.local.number] |= whole[node.local.number]
        for child in children(node):
            visit(child)

    for statement in function.body:
        visit(statement)
    if function.wgsl is not None:  # what its text reads is not known
        read |= whole
    result = tuple(frozenset(read[p.number]) for p in function.parameters)
    known[id(function)] = result
    return result
