"""Operators of a running shader function, where Python's own would accept what WGSL does not.

A bool is a number in Python, and any two objects can be compared.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang import MatrixValue, VectorValue, refuse_mix, value_class
from heapscene.shader.types import BOOL, Scalar, Type, Vector

__all__ = ["SYMBOLS", "binary", "boolean", "compare", "number"]

SYMBOLS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}

_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def binary(symbol: str, left: Any, right: Any) -> Any:
    """Return ``left symbol right``."""
    bools = isinstance(left, bool) + isinstance(right, bool)
    if bools and not (bools == 2 and symbol in ("&", "|")):
        raise refuse_mix(symbol, left, right)
    return _FUNCTIONS[symbol](left, right)


def compare(symbol: str, left: Any, right: Any) -> Any:
    """Return the comparison of two values of one type."""
    kinds = [_kind(left), _kind(right)]
    if kinds[0] is None and kinds[1] is not None:
        left = _adapted(symbol, left, right, kinds[1])
    elif kinds[1] is None and kinds[0] is not None:
        right = _adapted(symbol, right, left, kinds[0])
    elif kinds[0] != kinds[1]:
        raise refuse_mix(symbol, left, right)
    if symbol not in ("==", "!=") and _is_bool(kinds[0] or kinds[1]):
        raise refuse_mix(symbol, left, right)
    if isinstance(left, MatrixValue):
        raise ShaderTypeError(explain("matrices cannot be compared", fix="Compare the columns."))
    found = _FUNCTIONS[symbol](left, right)
    return found if isinstance(found, VectorValue) else bool(found)


def _kind(value: object) -> Type | None:
    return BOOL if isinstance(value, bool) else getattr(type(value), "__shader_type__", None)


def _is_bool(kind: Type | None) -> bool:
    return kind == BOOL or (isinstance(kind, Vector) and kind.scalar == BOOL)


def _adapted(symbol: str, literal: Any, other: object, kind: Type) -> Any:
    if isinstance(kind, Scalar) and kind != BOOL and isinstance(literal, int):
        return value_class(kind)(literal)
    raise refuse_mix(symbol, literal, other)


def boolean(value: object) -> bool:
    """Return a condition, which must be a bool."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    kind = type(value).__name__
    fix = "Write  all(v)  or  any(v)." if isinstance(value, VectorValue) else "Compare it:  x != 0."
    raise ShaderTypeError(explain(f"a {kind} is neither true nor false", fix=fix))


def number(value: Any) -> Any:
    """Return an operand that must not be a bool."""
    if isinstance(value, bool):
        raise ShaderTypeError(
            explain("a bool is not a number", fix="Use 'not' on a bool, or convert it: f32(b).")
        )
    return value
