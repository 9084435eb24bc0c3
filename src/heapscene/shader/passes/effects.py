"""What a function or expression does besides giving a value."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Resource, Stmt
from heapscene.shader.ir.visit import children, walk
from heapscene.shader.operations import INTRINSICS, Operation

__all__ = ["Effect", "Effects", "root_of"]


@dataclass(frozen=True, slots=True)
class Effect:
    """Resources that are read and written, and locals that are assigned, by number.

    ``waits`` says that other invocations may write meanwhile (barriers), ``discards`` that the
    pixel may be dropped, ``varies`` that the value may be another one the next time.
    """

    reads: frozenset[Resource] = frozenset()
    writes: frozenset[Resource] = frozenset()
    waits: bool = False
    discards: bool = False
    varies: bool = False
    locals: frozenset[int] = frozenset()

    @property
    def is_pure(self) -> bool:
        """Nothing is lost if the value is not computed."""
        return not (self.writes or self.waits or self.discards)

    def joined(self, other: Effect) -> Effect:
        """Return both."""
        return Effect(
            self.reads | other.reads,
            self.writes | other.writes,
            self.waits or other.waits,
            self.discards or other.discards,
            self.varies or other.varies,
            self.locals | other.locals,
        )


_NOTHING = Effect()
_WITH_EFFECT = {nodes.Call, nodes.Global, nodes.Assign, nodes.Intrinsic, nodes.Discard}


def root_of(place: Expr) -> Expr:
    """Return the local or resource in which a place lies."""
    while isinstance(place, nodes.Index | nodes.Field | nodes.Swizzle):
        place = place.value
    return place


class Effects:
    """Effects of functions and their parts, each found once."""

    def __init__(self) -> None:
        self._known: dict[int, Effect] = {}
        self._kept: list[Function | Expr | Stmt] = []

    def of(self, root: Function | Expr | Stmt) -> Effect:
        """Return the effect of a function with all that it calls, or of a part of one."""
        found = self._known.get(id(root))
        if found is None:
            found = self._known[id(root)] = self._found(root)
            self._kept.append(root)  # so that no other object gets its id
        return found

    def _found(self, root: Function | Expr | Stmt) -> Effect:
        if isinstance(root, Function):
            return dataclasses.replace(self._joined(root.body), locals=frozenset())
        if isinstance(root, nodes.If | nodes.While | nodes.For):
            return self._joined(children(root))
        effect = _NOTHING
        for node in walk(root):
            if type(node) in _WITH_EFFECT:
                own = self._own(node)
                if own is not _NOTHING:
                    effect = own if effect is _NOTHING else effect.joined(own)
        return effect

    def _joined(self, parts: Iterable[Expr | Stmt]) -> Effect:
        effect = _NOTHING
        for part in parts:
            own = self.of(part)
            if own is not _NOTHING:
                effect = own if effect is _NOTHING else effect.joined(own)
        return effect

    def _own(self, node: Expr | Stmt) -> Effect:
        match node:
            case nodes.Call(function=function):
                return self.of(function)
            case nodes.Global(resource=resource):
                return Effect(reads=frozenset([resource]))
            case nodes.Assign(target=target):
                root = root_of(target)
                if isinstance(root, nodes.Global):
                    return Effect(writes=frozenset([root.resource]))
                assert isinstance(root, nodes.Read)
                return Effect(locals=frozenset([root.local.number]))
            case nodes.Intrinsic(name=name, args=args):
                return _of_intrinsic(INTRINSICS[name], args)
            case nodes.Discard():
                return Effect(discards=True)
            case _:
                return _NOTHING


def _of_intrinsic(operation: Operation, args: tuple[Expr, ...]) -> Effect:
    if not (operation.effect or operation.reads):
        return _NOTHING
    root = root_of(args[0]) if operation.place else None
    writes = operation.effect and operation.family != "barrier"
    written = [root.resource] if isinstance(root, nodes.Global) and writes else []
    return Effect(
        writes=frozenset(written), waits=operation.effect and not written, varies=operation.reads
    )
