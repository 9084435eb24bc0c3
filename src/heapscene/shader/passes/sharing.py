"""Common subexpressions: what was computed and has not changed is not computed again.

Expressions get numbers, equal ones for equal values: a local or resource counts with the number of
its last write, so a write in between makes another value. Where control flow joins, everything that
was written on the way counts as written. A value is named where it first occurs, in a block
that encloses all its uses, never from a condition of a loop or the right side of ``and`` and
``or``, which may not run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Local, Resource, Stmt
from heapscene.shader.ir.visit import PLAIN, children
from heapscene.shader.operations import INTRINSICS
from heapscene.shader.passes.effects import Effect, Effects, root_of
from heapscene.shader.passes.rewrite import BLOCKS, locals_of, rebuilt, with_expressions
from heapscene.shader.types import VOID, ArrayType

__all__ = ["share_common"]

_FREE = (nodes.Literal, nodes.Read, nodes.Global, nodes.Swizzle, nodes.Field)
_WORTH = 2


def share_common(function: Function) -> Function:
    """Return the function in which repeated values are computed once and named ``shared``."""
    first = _Sharer(function, {})
    first.block(function.body)
    repeated = {value.number: value for value in first.values if value.uses > 1}
    if not repeated and not first.reused:
        return function
    second = _Sharer(function, repeated)
    return rebuilt(function, {"body": second.block(function.body)})


@dataclass
class _Value:
    """A value that was computed: how often it occurs, and its name."""

    number: int
    uses: int
    local: Local | None


class _Sharer:
    """One walk. The first only counts; the second, which is the same, knows what is repeated."""

    def __init__(self, function: Function, repeated: dict[int, _Value]) -> None:
        self.values: list[_Value] = []
        self.reused = False  # the name of a user's local stands for a value elsewhere
        self._repeated = repeated
        self._next = 1 + max((local.number for local in locals_of(function)), default=-1)
        self._effects = Effects()
        self._numbers: dict[object, int] = {}
        self._stamp = 0
        self._written: dict[int | Resource, int] = {}
        self._waited = 0
        self._known: dict[int, int] = {}  # numbers of nodes, by id; valid until something changes
        self._costs: dict[int, int] = {}
        self._scopes: list[dict[int, _Value]] = []
        self._pending: list[Stmt] = []

    # Statements ------------------------------------------------------------------------------

    def block(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Walk statements in order."""
        self._scopes.append({})
        outer, self._pending = self._pending, []
        made: list[Stmt] = []
        for statement in body:
            changed = self._statement(statement)
            made += [*self._pending, changed]
            self._pending = []
        self._pending = outer
        self._scopes.pop()
        same = len(made) == len(body) and all(a is b for a, b in zip(made, body, strict=True))
        return body if same else tuple(made)

    def _statement(self, node: Stmt) -> Stmt:
        if BLOCKS[type(node)]:
            return self._compound(node)
        made = node
        effect = self._effects.of(node)
        if self._is_quiet(node):
            made = with_expressions(
                node, self._place if isinstance(node, nodes.Assign) else self._of
            )
            if isinstance(node, nodes.Assign):
                made = rebuilt(made, {"value": self._of(node.value)})
            elif isinstance(node, nodes.Declare) and node.value is not None:
                self._name(node.local, node.value)
        self._forget(effect)
        return made

    def _is_quiet(self, node: Stmt) -> bool:
        """Tell whether no expression of a statement changes what a later one of it reads."""
        return all(self._effects.of(child).is_pure for child in children(node))

    def _compound(self, node: Stmt) -> Stmt:
        made = node
        heads = [self._effects.of(child) for child in children(node) if isinstance(child, Expr)]
        is_quiet = all(head.is_pure for head in heads)
        if isinstance(node, nodes.While):
            self._forget_block(node.body)
            self._forget_all(heads)
            if is_quiet:
                made = rebuilt(node, {"condition": self._of(node.condition, certain=False)})
        else:
            if is_quiet:
                made = with_expressions(node, self._of)
            self._forget_all(heads)
            if isinstance(node, nodes.For):
                self._forget_block(node.body)
                self._write([node.local.number])
        before = dict(self._written), self._waited
        changes: dict[str, object] = {}
        bodies = [getattr(node, name) for name in BLOCKS[type(node)]]
        for name, body in zip(BLOCKS[type(node)], bodies, strict=True):
            self._written, self._waited = dict(before[0]), before[1]
            self._known.clear()
            changes[name] = self.block(body)
        for body in bodies:
            self._forget_block(body)
        self._forget_all(heads)
        return rebuilt(made, changes)

    # What changes ----------------------------------------------------------------------------

    def _write(self, what: Iterable[int | Resource]) -> None:
        self._stamp += 1
        self._known.clear()
        for each in what:
            self._written[each] = self._stamp

    def _forget(self, effect: Effect) -> None:
        if effect.writes or effect.locals:
            self._write((*effect.writes, *effect.locals))
        if effect.waits:
            self._stamp += 1
            self._known.clear()
            self._waited = self._stamp

    def _forget_block(self, body: tuple[Stmt, ...]) -> None:
        self._forget_all(self._effects.of(statement) for statement in body)

    def _forget_all(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            self._forget(effect)

    # Values ----------------------------------------------------------------------------------

    def _number(self, node: Expr) -> int:
        """Return a number that is equal for equal values."""
        found = self._known.get(id(node))
        if found is None:
            found = self._known[id(node)] = self._numbers.setdefault(
                self._key(node), len(self._numbers)
            )
        return found

    def _key(self, node: Expr) -> tuple[object, ...]:
        kind = type(node)
        key: list[object] = [kind, *(repr(getattr(node, name)) for name in PLAIN.get(kind, ()))]
        if isinstance(node, nodes.Literal | nodes.Construct | nodes.Convert | nodes.Bitcast):
            key.append(node.type)
        if isinstance(node, nodes.Read):
            key += [node.local.number, self._written.get(node.local.number, 0)]
        elif isinstance(node, nodes.Global):
            key += [node.resource, self._state(node.resource)]
        elif isinstance(node, nodes.Call):
            reads = self._effects.of(node.function).reads
            states = sorted((r.name, r.group, r.binding, self._state(r)) for r in reads)
            key += [id(node.function), *states]
        key += [self._number(child) for child in children(node)]
        return tuple(key)

    def _state(self, resource: Resource) -> int:
        if resource.access == "read" and resource.space in ("storage", "uniform"):
            return 0
        return max(self._written.get(resource, 0), self._waited)

    def _find(self, number: int) -> _Value | None:
        for scope in reversed(self._scopes):
            if number in scope:
                return scope[number]
        return None

    def _name(self, local: Local, value: Expr) -> None:
        """Use a local that never changes as the name of its value."""
        if local.mutable or not self._is_shared(value):
            return
        number = self._number(value)
        found = self._find(number)
        if found is None or found.local is None:
            self._scopes[-1][number] = _Value(-1, 0, local)

    def _is_shared(self, node: Expr) -> bool:
        """Tell whether a name for the value is shorter and means the same."""
        if isinstance(node, _FREE) or node.type == VOID or isinstance(node.type, ArrayType):
            return False
        return self._cost(node) >= _WORTH

    def _cost(self, node: Expr) -> int:
        """Return how much work an expression is; negative if its value varies."""
        found = self._costs.get(id(node))
        if found is None:
            parts = [self._cost(child) for child in children(node)]
            varies = min(parts, default=0) < 0 or self._varies(node)
            found = self._costs[id(node)] = -1 if varies else sum(parts) + _own_cost(node)
        return found

    def _varies(self, node: Expr) -> bool:
        if isinstance(node, nodes.Intrinsic):
            return INTRINSICS[node.name].reads
        return isinstance(node, nodes.Call) and self._effects.of(node.function).varies

    def _of(self, node: Expr, *, certain: bool = True) -> Expr:
        if not self._is_shared(node):
            return self._parts(node, certain=certain)
        number = self._number(node)
        found = self._find(number)
        if found is not None:
            found.uses += 1
            self.reused |= found.local is not None
            return (
                node if found.local is None else nodes.Read(node.type, found.local, span=node.span)
            )
        if not certain:
            return self._parts(node, certain=False)
        value = self._scopes[-1][number] = _Value(len(self.values), 1, None)
        self.values.append(value)
        made = self._parts(node, certain=True)
        if value.number not in self._repeated:
            return made
        value.local = Local(self._next, "shared", node.type)
        self._next += 1
        self._pending.append(nodes.Declare(value.local, made, span=node.span))
        return nodes.Read(node.type, value.local, span=node.span)

    def _parts(self, node: Expr, *, certain: bool) -> Expr:
        if isinstance(node, nodes.Index | nodes.Field | nodes.Swizzle) and isinstance(
            root_of(node), nodes.Global
        ):
            return self._place(node, certain=certain)
        if isinstance(node, nodes.Intrinsic) and INTRINSICS[node.name].place:
            place = self._place(node.args[0], certain=certain)
            rest = [self._of(arg, certain=certain) for arg in node.args[1:]]
            return rebuilt(node, {"args": (place, *rest)})
        if isinstance(node, nodes.Binary) and node.op in ("and", "or"):
            left = self._of(node.left, certain=certain)
            return rebuilt(node, {"left": left, "right": self._of(node.right, certain=False)})
        return with_expressions(node, lambda child: self._of(child, certain=certain))

    def _place(self, node: Expr, *, certain: bool = True) -> Expr:
        """Walk the indices of a place, but leave the place where it is."""
        if isinstance(node, nodes.Index):
            at = self._of(node.index, certain=certain)
            return rebuilt(node, {"value": self._place(node.value, certain=certain), "index": at})
        if isinstance(node, nodes.Field | nodes.Swizzle):
            return rebuilt(node, {"value": self._place(node.value, certain=certain)})
        return node


def _own_cost(node: Expr) -> int:
    if isinstance(node, nodes.Call | nodes.Intrinsic):
        return _WORTH
    if isinstance(node, nodes.Index):
        return _WORTH if isinstance(root_of(node), nodes.Global) else 1
    if isinstance(node, nodes.Construct) and not node.args:
        return 0
    return 0 if isinstance(node, _FREE) else 1
