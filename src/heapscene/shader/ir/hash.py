"""Identity by content: blake2b over a canonical text of the IR.

Names of locals and functions and positions are left out; everything else is in: types with the
names of their members, captured constants (they are literals), resources with their bindings, and
the functions that are called.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import EntryPoint, Function, Local, Module, Resource
from heapscene.shader.ir.visit import CHILDREN, PLAIN
from heapscene.shader.types import ArrayType, StructType, Type

__all__ = ["digest", "function_hash", "module_hash", "type_text"]


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits that stand for ``parts``."""
    text = "".join([f"{len(part)}:{part}" for part in parts])
    return blake2b(text.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1024)
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


_LAYOUT: dict[type, tuple[str, tuple[str, ...], bool, tuple[str, ...]]] = {
    kind: (kind.__name__, PLAIN.get(kind, ()), issubclass(kind, nodes.Expr), below)
    for kind, below in CHILDREN.items()
}


class _Canonical:
    """Writes one function as a list of tokens."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self._locals: dict[int, str] = {}

    def local(self, local: Local) -> None:
        text = self._locals.get(local.number)
        if text is None:
            text = f"%{len(self._locals)}:{type_text(local.type)}{'*' if local.mutable else ''}"
            self._locals[local.number] = text
        self.tokens.append(text)

    def resource(self, resource: Resource) -> None:
        self.tokens.append(
            f"@{resource.name}:{type_text(resource.type)}:{resource.space}:{resource.access}"
            f":{resource.group}:{resource.binding}"
        )

    def node(self, node: Any) -> None:
        kind: type = type(node)
        tokens = self.tokens
        name, plain, is_expression, below = _LAYOUT[kind]
        tokens.append(name)
        for member in plain:
            value = getattr(node, member)
            tokens.append(value.hex() if isinstance(value, float) else str(value))
        if is_expression:
            tokens.append(type_text(node.type))
        if kind is nodes.Read or kind is nodes.Declare or kind is nodes.For:
            self.local(node.local)
        elif kind is nodes.Global:
            self.resource(node.resource)
        elif kind is nodes.Call:
            tokens.append(function_hash(node.function))
        for member in below:
            child = getattr(node, member)
            if child is None:
                tokens.append("-")
            elif isinstance(child, tuple):
                tokens.append(f"({len(child)}")
                for each in child:
                    self.node(each)
            else:
                self.node(child)


def function_hash(function: Function) -> str:
    """Return the identity of a function with all that it calls."""
    if function.digest is not None:
        return function.digest
    writer = _Canonical()
    for parameter in function.parameters:
        writer.local(parameter)
    writer.tokens.append(type_text(function.returns))
    if function.wgsl is not None:
        writer.tokens += ["wgsl", function.wgsl, *(p.name for p in function.parameters)]
    for statement in function.body:
        writer.node(statement)
    found = digest(*writer.tokens)
    object.__setattr__(function, "digest", found)  # a function is frozen, so it stays true
    return found


def _entry_hash(entry: EntryPoint) -> str:
    ports = [f"{p.builtin}:{p.location}:{p.interpolate}" for p in entry.inputs]
    return digest(
        entry.stage,
        entry.name,
        str(entry.workgroup_size),
        str(entry.locations),
        *ports,
        function_hash(entry.function),
    )


def module_hash(module: Module) -> str:
    """Return the identity of a module: its entry points with all that they reach."""
    return digest(*(_entry_hash(entry) for entry in module.entries))
