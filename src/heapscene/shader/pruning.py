"""What a stage computes and nobody reads is taken out of it.

A vertex function returns what any fragment function might want; a chain replaces what an earlier
function returned. Members of results that nobody takes become zero, and what only they needed is
dropped, so that neither attributes nor inputs are loaded for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.nodes import Expr, Function, Stmt
from heapscene.shader.ir.usage import fields_read
from heapscene.shader.ir.visit import CHILDREN, children, walk
from heapscene.shader.operations import INTRINSICS
from heapscene.shader.types import VOID, StructType

__all__ = ["has_effect", "keep_members"]

_WHOLE = "*"
_PURE = (
    nodes.Literal,
    nodes.Read,
    nodes.Global,
    nodes.Unary,
    nodes.Binary,
    nodes.Construct,
    nodes.Convert,
    nodes.Bitcast,
    nodes.Swizzle,
    nodes.Field,
    nodes.Index,
)


def keep_members(function: Function, names: frozenset[str]) -> Function:
    """Return a function that computes only some members of the struct that it returns.

    The other members are zero or a constant. Without any name the whole result is, whatever its
    type. What the function does besides (stores, ``discard``) it still does.
    """
    if function.returns == VOID or (names and not isinstance(function.returns, StructType)):
        return function
    body = function.body
    while True:
        keeper = _Keeper(function, body, names)
        cut = keeper.block(body)
        shorter = _without_dead(cut)
        if not keeper.changed and _count(shorter) == _count(body):
            return function if body is function.body else replace(function, body=body)
        body = shorter


def _count(body: tuple[Stmt, ...]) -> int:
    return sum(1 for _ in _flat(body))


def has_effect(function: Function, known: dict[int, bool] | None = None) -> bool:
    """Tell whether a function does something besides returning a value."""
    known = {} if known is None else known
    found = known.get(id(function))
    if found is None:
        found = any(_acts(node, known) for node in walk(function))
        known[id(function)] = found
    return found


def _acts(node: Any, known: dict[int, bool]) -> bool:
    match node:
        case nodes.Call(function=callee):
            return has_effect(callee, known)
        case nodes.Intrinsic(name=name):
            return INTRINSICS[name].effect
        case nodes.Assign(target=target):
            return not isinstance(target, nodes.Read)
        case nodes.While():  # it may never end
            return True
        case nodes.Declare() | nodes.If() | nodes.For() | nodes.Return():
            return False
        case nodes.Break() | nodes.Continue() | nodes.Evaluate():
            return False
        case _:
            return not isinstance(node, _PURE)


def _is_pure(value: Expr, known: dict[int, bool]) -> bool:
    return not any(_acts(node, known) for node in walk(value))


class _Keeper:
    """Cuts structs down to the members that are read, where they are made."""

    def __init__(self, function: Function, body: tuple[Stmt, ...], names: frozenset[str]) -> None:
        self.changed = False
        self._names = names
        self._wanted: dict[int, set[str]] = {}
        for statement in body:
            self._collect(statement, function.returns)

    def _collect(self, node: Any, returns: Any) -> None:
        match node:
            case nodes.Field(value=nodes.Read(local=local), name=name):
                self._wanted.setdefault(local.number, set()).add(name)
                return
            case nodes.Return(value=nodes.Read(local=local)) if isinstance(returns, StructType):
                self._wanted.setdefault(local.number, set()).update(self._names)
                return
            case nodes.Read(local=local):
                kind = local.type
                members = {_WHOLE}
                if isinstance(kind, StructType):
                    members = {member.name for member in kind.fields}
                self._wanted.setdefault(local.number, set()).update(members)
            case _:
                pass
        for child in children(node):
            self._collect(child, returns)

    def block(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(self._statement(statement) for statement in body)

    def _statement(self, node: Stmt) -> Stmt:
        match node:
            case nodes.Return(value=Expr() as value):
                if not self._names and not _is_constant(value) and _is_pure(value, {}):
                    self.changed = True
                    return replace(node, value=build.zero(value.type))
                return replace(node, value=self._cut(value, self._names))
            case nodes.Declare(local=local, value=Expr() as value) if not local.mutable:
                names = frozenset(self._wanted.get(local.number, ()))
                return replace(node, value=self._cut(value, names))
            case nodes.If() | nodes.While() | nodes.For():
                return _with_blocks(node, self.block)
            case _:
                return node

    def _cut(self, value: Expr, names: AbstractSet[str]) -> Expr:
        """Return a value in which the members that are not in ``names`` cost nothing."""
        match value:
            case nodes.Construct(type=StructType() as kind, args=args) if args:
                return replace(value, args=self._zeroed(kind, args, names))
            case nodes.Call(function=callee, args=args):
                kept = keep_members(callee, frozenset(names))
                self.changed |= kept is not callee
                return replace(value, function=kept, args=self._arguments(kept, args))
            case _:
                return value

    def _zeroed(
        self, kind: StructType, args: tuple[Expr, ...], names: AbstractSet[str]
    ) -> tuple[Expr, ...]:
        made: list[Expr] = []
        for member, arg in zip(kind.fields, args, strict=True):
            kept = member.name in names or _is_constant(arg) or not _is_pure(arg, {})
            made.append(arg if kept else build.zero(member.type))
            self.changed |= not kept
        return tuple(made)

    def _arguments(self, callee: Function, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Return arguments without the members of structs that the callee does not read."""
        made: list[Expr] = []
        for arg, read in zip(args, fields_read(callee), strict=True):
            if isinstance(arg, nodes.Construct) and isinstance(arg.type, StructType) and arg.args:
                made.append(replace(arg, args=self._zeroed(arg.type, arg.args, read)))
            else:
                made.append(arg)
        return tuple(made)


def _with_blocks(node: Any, change: Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]) -> Any:
    names = [n for n in CHILDREN[type(node)] if isinstance(getattr(node, n), tuple)]
    return replace(node, **{name: change(getattr(node, name)) for name in names})


def _is_constant(value: Expr) -> bool:
    return all(isinstance(node, nodes.Literal | nodes.Construct) for node in walk(value))


# What is assigned and never read ---------------------------------------------------------------


def _without_dead(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    known: dict[int, bool] = {}
    needs: dict[int, list[Expr]] = {}  # what is assigned to each local, when only it wants that
    live: set[int] = set()
    pending: list[Any] = []
    for statement in _flat(body):
        local, value = _written(statement)
        if local is None:
            pending += _read_by(statement)
        elif value is not None:
            if _is_pure(value, known):
                needs.setdefault(local.number, []).append(value)
            else:
                live.add(local.number)
                pending.append(value)
    while pending:
        for node in walk(pending.pop()):
            if isinstance(node, nodes.Read) and node.local.number not in live:
                live.add(node.local.number)
                pending += needs.get(node.local.number, [])
    return _kept(body, live, known)


def _flat(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    for statement in body:
        for node in walk(statement):
            if isinstance(node, Stmt):
                yield node


def _written(node: Stmt) -> tuple[nodes.Local | None, Expr | None]:
    match node:
        case nodes.Declare(local=local, value=value):
            return local, value
        case nodes.Assign(target=nodes.Read(local=local), value=value):
            return local, value
        case _:
            return None, None


def _read_by(node: Stmt) -> list[Expr]:
    return [child for child in children(node) if isinstance(child, Expr)]


def _kept(body: tuple[Stmt, ...], live: set[int], known: dict[int, bool]) -> tuple[Stmt, ...]:
    kept: list[Stmt] = []
    for statement in body:
        local, _ = _written(statement)
        if local is not None and local.number not in live:
            continue
        made = statement
        if isinstance(made, nodes.If | nodes.While | nodes.For):
            made = _with_blocks(made, lambda block: _kept(block, live, known))
        match made:
            case nodes.If(condition=condition, then=(), otherwise=()) if _is_pure(condition, known):
                continue
            case nodes.For(body=()) if all(_is_pure(each, known) for each in _read_by(made)):
                continue
            case _:
                kept.append(made)
    return tuple(kept)
