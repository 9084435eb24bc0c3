"""Constant expressions that WGSL refuses to compile, found while the place is known.

WGSL evaluates expressions of constants at compile time and gives up on infinities, on NaN and on
division by zero, with a message that names the generated text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from heapscene.shader import lang
from heapscene.shader.diagnostics import Refusal
from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr
from heapscene.shader.ir.visit import children
from heapscene.shader.operations import INTRINSICS, scalar_of
from heapscene.shader.types import I32, U32, Matrix, Scalar, Vector

__all__ = ["check_constant"]

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "@": operator.matmul,
}


_COMPUTED = (nodes.Construct, nodes.Convert, nodes.Intrinsic)


def check_constant(value: Expr) -> Expr:
    """Return the expression unless it is constant and cannot be computed.

    Raises
    ------
    Refusal
        The result is no finite number, an integer is divided by zero, or a shift is too far.
    """
    if isinstance(value, nodes.Binary):
        _check_right(value)
    elif not isinstance(value, nodes.Intrinsic):
        return value
    if not _is_constant(value):
        return value
    with np.errstate(all="ignore"):
        found = _evaluate(value)
    if found is not None and not np.isfinite(np.asarray(found, dtype=np.float64)).all():
        raise Refusal(
            f"the value of this constant expression is {found}",
            fix="WGSL has no infinity and no NaN: change the constants.",
        )
    return value


def _is_constant(value: Expr) -> bool:
    kind = type(value)
    if kind is nodes.Literal or kind is nodes.Read:
        return kind is nodes.Literal
    # Long sums lean to the left: the short side says "not constant".
    if isinstance(value, nodes.Binary):
        return _is_constant(value.right) and _is_constant(value.left)
    return kind in _COMPUTED and all(map(_is_constant, reversed(children(value))))


def _check_right(value: nodes.Binary) -> None:
    if value.op not in ("/", "%", "<<", ">>") or scalar_of(value.type) not in (I32, U32):
        return
    right = _evaluate(value.right) if _is_constant(value.right) else None
    if right is None:
        return
    parts = np.atleast_1d(np.asarray(right, dtype=np.int64))
    if value.op in ("/", "%") and (parts == 0).any():
        raise Refusal("division by the constant 0", fix="Guard the division with select or if.")
    if value.op in ("<<", ">>") and (parts > 31).any():
        raise Refusal(f"a shift by {right} is not within 0 to 31", fix="Shift by 0 to 31 bits.")


def _evaluate(value: Expr) -> Any:
    """Return the value of a constant expression as in CPython, or ``None``."""
    match value:
        case nodes.Literal(value=number):
            return number if isinstance(number, bool) else lang.value_class(value.type)(number)
        case nodes.Construct(args=args) if args and isinstance(value.type, Vector | Matrix):
            return _apply(lang.value_class(value.type), args)
        case nodes.Convert(value=inner) if isinstance(value.type, Scalar | Vector):
            return _apply(lang.value_class(value.type), (inner,))
        case nodes.Intrinsic(name=name, args=args) if INTRINSICS[name].family == "number":
            return _apply(lang.operation(name), args)
        case nodes.Binary(op=op, left=left, right=right):
            is_float = scalar_of(value.type) not in (I32, U32)
            function = operator.truediv if op == "/" and is_float else _OPERATORS.get(op)
            return None if function is None else _apply(function, (left, right))
        case _:
            return None


def _apply(function: Callable[..., Any], args: tuple[Expr, ...]) -> Any:
    parts: list[Any] = []
    for arg in reversed(args):  # long sums lean to the left: the short side says "not constant"
        part = _evaluate(arg)
        if part is None:
            return None
        parts.append(part)
    return function(*reversed(parts))
