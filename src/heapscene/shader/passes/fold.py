"""Constant folding: what is known when the program is compiled is computed then.

Only operations are folded whose result is the same everywhere: all on integers and bools, and those
on floats that round once. Division by zero, overflow, NaN, infinity and numbers below the normal
range are left to the GPU. What WGSL refuses as a constant, such as ``x / 0u``, stays the expression
it was, even if the parts are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heapscene.shader.interpret.expressions import Expressions
from heapscene.shader.interpret.memory import Memory
from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Stmt
from heapscene.shader.ir.operands import zero
from heapscene.shader.ir.visit import children, walk
from heapscene.shader.numeric.operators import Array
from heapscene.shader.operations import scalar_of
from heapscene.shader.passes.effects import Effects
from heapscene.shader.passes.rewrite import BLOCKS, rebuilt, with_expressions
from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    U32,
    ArrayType,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

__all__ = ["fold", "has_constant_work"]

_ROUNDING_ONCE = ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=")
_SMALLEST_NORMAL = 2.0**-126
_WITHIN_RANGE = frozenset({"clamp"})  # refused if the constant limits are in the wrong order
EXACT = _WITHIN_RANGE | {
    *("abs", "sign", "min", "max", "step", "floor", "ceil", "round", "trunc", "saturate"),
    *("modf.fract", "modf.whole", "frexp.fract", "frexp.exp"),
    *("select", "any", "all", "count_one_bits", "count_leading_zeros", "count_trailing_zeros"),
    *("reverse_bits", "first_leading_bit", "first_trailing_bit"),
}
"""Intrinsics that round at most once, so that every device gives the same number."""

_UNCHECKED = EXACT | {"dot", "cross", "length", "distance", "mix", "fma", "fract"}
"""Intrinsics that WGSL lets have constant arguments of any value beside others."""


def fold(function: Function) -> Function:
    """Return the function with constants computed; names of constants stay where they are read."""
    return rebuilt(function, {"body": _Folder(function).block(function.body)})


def has_constant_work(function: Function) -> bool:
    """Tell whether WGSL's compiler would compute something of it by its own rules.

    It refuses constants that wrap, which the same operations do on the GPU.
    """
    return any(
        _is_all_constant(node) or _has_fixed_range(node)
        for node in walk(function)
        if type(node) in _COMPUTED
    )


_COMPUTED = {
    *(nodes.Binary, nodes.Unary, nodes.Intrinsic, nodes.Convert, nodes.Bitcast),
    *(nodes.Index, nodes.Field),
}


class _Folder:
    def __init__(self, function: Function) -> None:
        self._assigned = {
            node.target.local.number
            for node in walk(function)
            if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Read)
        }
        self._constants: dict[int, Expr] = {}
        self._copies: dict[int, nodes.Read] = {}
        self._fixed = {p.number for p in function.parameters}
        self._effects = Effects()
        self._computer = Expressions(1, Memory({}, 1, 1, "raise"))

    def block(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Fold statements in order."""
        made = tuple(self._statement(each) for each in body)
        return body if all(a is b for a, b in zip(made, body, strict=True)) else made

    def _statement(self, node: Stmt) -> Stmt:
        if isinstance(node, nodes.For):
            self._fixed.add(node.local.number)
        if isinstance(node, nodes.Assign):
            # Only the indices of a target are values.
            target = node.target if isinstance(node.target, nodes.Read) else self._of(node.target)
            made: Stmt = rebuilt(node, {"target": target, "value": self._of(node.value)})
        else:
            made = with_expressions(node, self._of)
        if isinstance(made, nodes.Declare) and made.local.number not in self._assigned:
            self._note(made)
        return rebuilt(made, {name: self.block(getattr(made, name)) for name in BLOCKS[type(made)]})

    def _note(self, node: nodes.Declare) -> None:
        """Remember a local that never changes."""
        number, value = node.local.number, node.value
        self._fixed.add(number)
        if value is None:
            return
        known = self._known(value)
        if known is not None:
            self._constants[number] = known
        elif isinstance(value, nodes.Read) and value.local.number in self._fixed:
            self._copies[number] = value

    def _known(self, node: Expr) -> Expr | None:
        """Return the constant that an expression stands for."""
        if isinstance(node, nodes.Read):
            return self._constants.get(node.local.number)
        return node if _is_constant(node) else None

    def _of(self, node: Expr) -> Expr:
        if isinstance(node, nodes.Read):
            copied = self._copies.get(node.local.number)
            return node if copied is None else rebuilt(copied, {"span": node.span})
        made = with_expressions(node, self._of)
        if _is_constant(made):
            return made
        if _has_fixed_range(made):
            return _within_bits(made)
        part = _part(made)
        if part is not None:
            return part
        computed = self._computed(made)
        if computed is not None:
            return computed
        simple = self._simplified(made)
        if simple is not None:
            return simple
        return self._guarded(made, node)

    def _computed(self, node: Expr) -> Expr | None:
        if not _is_exact(node):
            return None
        parts: dict[int, Expr] = {}
        for child in children(node):
            known = self._known(child)
            if known is None:
                return None
            parts[id(child)] = known
        constant = with_expressions(node, lambda child: parts[id(child)])
        if _is_refused(constant):
            return None
        with np.errstate(all="ignore"):
            value = self._computer.value(constant)
        return _as_constant(value, node)

    def _simplified(self, node: Expr) -> Expr | None:
        """Return the side that decides ``and`` and ``or``, and the chosen side of ``select``."""
        if isinstance(node, nodes.Binary) and node.op in ("and", "or"):
            absorbing = node.op == "or"
            if isinstance(node.left, nodes.Literal):
                return node.left if node.left.value is absorbing else node.right
            if isinstance(node.right, nodes.Literal):
                if node.right.value is not absorbing:
                    return node.left
                return node.right if self._effects.of(node.left).is_pure else None
        if isinstance(node, nodes.Intrinsic) and node.name == "select":
            no, yes, condition = node.args
            if isinstance(condition, nodes.Literal):
                chosen, other = (yes, no) if condition.value else (no, yes)
                return chosen if self._effects.of(other).is_pure else None
        return None

    def _guarded(self, made: Expr, node: Expr) -> Expr:
        """Return ``made``, with parts as they were in ``node`` if WGSL refuses it otherwise."""
        if made is node or not (_is_refused(made) or _is_all_constant(made)):
            return made
        before = iter(children(node))

        def part(child: Expr) -> Expr:
            old = next(before)
            return old if _is_constant(child) else child

        return with_expressions(made, part)


def _has_fixed_range(node: Expr) -> bool:
    """Tell whether a range of bits is constant: WGSL refuses one that ends behind the last bit."""
    if not (isinstance(node, nodes.Intrinsic) and node.name in ("extract_bits", "insert_bits")):
        return False
    offset, count = node.args[-2:]
    if not (_is_all_constant(offset) or isinstance(offset, nodes.Literal)):
        return False
    return _is_all_constant(count) or isinstance(count, nodes.Literal)


def _within_bits(node: Expr) -> Expr:
    """Return the node with the range cut at the last bit, as its value is defined on all sides."""
    assert isinstance(node, nodes.Intrinsic)
    offset, count = node.args[-2:]
    if not (isinstance(offset, nodes.Literal) and isinstance(count, nodes.Literal)):
        return node
    start = min(int(offset.value), 32)
    size = min(int(count.value), 32 - start)
    cut = (nodes.Literal(U32, start, span=offset.span), nodes.Literal(U32, size, span=count.span))
    return rebuilt(node, {"args": (*node.args[:-2], *cut)})


def _is_constant(node: Expr) -> bool:
    if isinstance(node, nodes.Construct):
        return all(_is_constant(arg) for arg in node.args)
    return isinstance(node, nodes.Literal)


def _part(node: Expr) -> Expr | None:
    """Return the member or element that is read of a constant struct or array.

    To WGSL it is a constant as well, so what is computed with it is refused if it wraps.
    """
    if not isinstance(node, nodes.Field | nodes.Index):
        return None
    whole = node.value
    if not (isinstance(whole, nodes.Construct) and _is_constant(whole)):
        return None
    if isinstance(whole.type, StructType):
        assert isinstance(node, nodes.Field)
        at = [member.name for member in whole.type.fields].index(node.name)
    elif isinstance(whole.type, ArrayType):
        assert isinstance(node, nodes.Index)
        if not isinstance(node.index, nodes.Literal):
            return None
        at = int(node.index.value)
        if not 0 <= at < _length(whole.type):
            return None
    else:
        return None
    return whole.args[at] if whole.args else zero(node.type, span=node.span)


def _scalar(node: Expr) -> Scalar | None:
    return scalar_of(node.type)


def _is_exact(node: Expr) -> bool:
    match node:
        case nodes.Unary() | nodes.Convert() | nodes.Bitcast() | nodes.Swizzle() | nodes.Index():
            return _scalar(node) is not None
        case nodes.Binary(op=op, left=left):
            flat = not isinstance(left.type, Matrix) and not isinstance(node.type, Matrix)
            return flat and op != "@" and (_scalar(left) != F32 or op in _ROUNDING_ONCE)
        case nodes.Intrinsic(name=name):
            return name in EXACT
        case _:
            return False


def _components(node: Expr) -> list[Any]:
    if isinstance(node, nodes.Literal):
        return [node.value]
    if isinstance(node, nodes.Construct) and not node.args:
        return [0]
    return [value for child in children(node) for value in _components(child)]


def _is_refused(node: Expr) -> bool:
    """Tell whether WGSL refuses the expression because of its constant parts."""
    constant = [_is_constant(child) for child in children(node)]
    match node:
        case nodes.Binary(op="/" | "%" as op, left=left, right=right) if constant[1]:
            if 0 in _components(right):
                return True
            smallest = _scalar(left) == I32 and constant[0] and -(1 << 31) in _components(left)
            return smallest and -1 in _components(right) and op in "/%"
        case nodes.Binary(op="<<" | ">>", right=right) if constant[1]:
            return max(_components(right)) > 31
        case nodes.Index(value=value, index=index) if constant[1]:
            return not 0 <= _components(index)[0] < _length(value.type)
        case nodes.Intrinsic(name="clamp", args=(_, low, high)) if constant[1] and constant[2]:
            # Vectors of one number are written shortly, so compare all with all.
            return max(_components(low)) > min(_components(high))
        case nodes.Intrinsic(name=name) if name not in _UNCHECKED:
            return any(constant)
        case _:
            return False


def _is_all_constant(node: Expr) -> bool:
    """Tell whether WGSL computes the expression when it is compiled; calls never are."""
    found = [_is_constant(child) for child in children(node)]
    return bool(found) and all(found) and not isinstance(node, nodes.Call)


def _length(type_: Type) -> float:
    if isinstance(type_, ArrayType):
        return type_.length or float("inf")
    if isinstance(type_, Matrix):
        return type_.columns
    return type_.size if isinstance(type_, Vector) else 0


def _as_constant(value: Array, node: Expr) -> Expr | None:
    """Return an array of one row as an expression, or ``None`` if no literal says it."""
    scalar = _scalar(node)
    assert scalar is not None
    if scalar == F32:
        size = np.abs(value)
        tiny = (size > 0) & (size < _SMALLEST_NORMAL)
        if not np.isfinite(value).all() or tiny.any():
            return None
    items: list[Any] = value[0].ravel().tolist() if value.ndim > 1 else [value[0].item()]
    literals = [nodes.Literal(scalar, _plain(item, scalar), span=node.span) for item in items]
    if isinstance(node.type, Scalar):
        return literals[0]
    if not isinstance(node.type, Vector):
        return None
    same = len({repr(literal.value) for literal in literals}) == 1
    return nodes.Construct(node.type, tuple(literals[:1] if same else literals), span=node.span)


def _plain(item: Any, scalar: Scalar) -> bool | int | float:
    if scalar == BOOL:
        return bool(item)
    return float(item) if scalar == F32 else int(item)
