"""Identity by content: blake2b over a canonical text of the IR.

Names of locals and functions and positions are left out; everything else is in: types with the
names of their members, captured constants (they are literals), resources with their bindings, and
the functions that are called.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import EntryPoint, Function, Local, Module, Resource
from heapscene.shader.ir.visit import CHILDREN, PLAIN
from heapscene.shader.types import ArrayType, StructType, Type

__all__ = ["digest", "function_hash", "module_hash", "type_text"]


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that stand for ``parts``."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def type_text(type_: Type) -> str:
    """Return a text that is equal for equal types only."""
    if isinstance(type_, StructType):
        members = ",".join(
            f"{m.name}:{type_text(m.type)}:{m.builtin or ''}:{m.interpolate or ''}"
            for m in type_.fields
        )
        return f"{type_.name}{{{members}}}"
    if isinstance(type_, ArrayType):
        return f"[{type_text(type_.element)};{type_.length}]"
    return type_.wgsl


class _Canonical:
    """Writes one function as a list of tokens."""

    def __init__(self, known: dict[int, str]) -> None:
        self.tokens: list[str] = []
        self._numbers: dict[int, int] = {}
        self._known = known

    def local(self, local: Local) -> None:
        number = self._numbers.setdefault(local.number, len(self._numbers))
        self.tokens.append(f"%{number}:{type_text(local.type)}{'*' if local.mutable else ''}")

    def resource(self, resource: Resource) -> None:
        self.tokens.append(
            f"@{resource.name}:{type_text(resource.type)}:{resource.space}:{resource.access}"
            f":{resource.group}:{resource.binding}"
        )

    def node(self, node: Any) -> None:
        kind: type = type(node)
        tokens = self.tokens
        tokens.append(kind.__name__)
        for name in PLAIN.get(kind, ()):
            value = getattr(node, name)
            tokens.append(value.hex() if isinstance(value, float) else str(value))
        if isinstance(node, nodes.Expr):
            tokens.append(type_text(node.type))
        if isinstance(node, nodes.Read | nodes.Declare | nodes.For):
            self.local(node.local)
        elif isinstance(node, nodes.Global):
            self.resource(node.resource)
        elif isinstance(node, nodes.Call):
            tokens.append(_hash(node.function, self._known))
        for name in CHILDREN[kind]:
            child = getattr(node, name)
            if child is None:
                tokens.append("-")
            elif isinstance(child, tuple):
                tokens.append(f"({len(child)}")
                for each in child:
                    self.node(each)
            else:
                self.node(child)


def _hash(function: Function, known: dict[int, str]) -> str:
    found = known.get(id(function))
    if found is None:
        writer = _Canonical(known)
        for parameter in function.parameters:
            writer.local(parameter)
        writer.tokens.append(type_text(function.returns))
        if function.wgsl is not None:
            writer.tokens += ["wgsl", function.wgsl, *(p.name for p in function.parameters)]
        for statement in function.body:
            writer.node(statement)
        found = known[id(function)] = digest(*writer.tokens)
    return found


def function_hash(function: Function) -> str:
    """Return the identity of a function with all that it calls."""
    return _hash(function, {})


def _entry_hash(entry: EntryPoint, known: dict[int, str]) -> str:
    ports = [f"{p.builtin}:{p.location}:{p.interpolate}" for p in entry.inputs]
    return digest(
        entry.stage,
        entry.name,
        str(entry.workgroup_size),
        str(entry.locations),
        *ports,
        _hash(entry.function, known),
    )


def module_hash(module: Module) -> str:
    """Return the identity of a module: its entry points with all that they reach."""
    known: dict[int, str] = {}
    return digest(*(_entry_hash(entry, known) for entry in module.entries))
