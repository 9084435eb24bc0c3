"""Operands of smart constructors: what may stand where an expression is wanted, and literals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from heapscene.shader.diagnostics import Refusal
from heapscene.shader.ir import nodes
from heapscene.shader.ir.fold import rounded
from heapscene.shader.ir.nodes import Expr, Local, Resource, Span
from heapscene.shader.operations import scalar_of, spelled
from heapscene.shader.types import BOOL, F32, I32, U32, Scalar, Type, Vector

__all__ = [
    "NO_INFINITY",
    "Operand",
    "expression",
    "literal",
    "matched",
    "operand_advice",
    "together",
    "zero",
]

NO_INFINITY = "WGSL has no infinity and no NaN: use a large number such as 3.0e38."

Operand: TypeAlias = Expr | Local | Resource | bool | int | float


def expression(operand: Operand, span: Span | None = None) -> Expr:
    """Return the expression that an operand stands for."""
    if isinstance(operand, Expr):
        return operand
    if isinstance(operand, Local):
        return nodes.Read(operand.type, operand, span=span)
    if isinstance(operand, Resource):
        return nodes.Global(operand.type, operand, span=span)
    return literal(operand, span=span)


def literal(value: float, type_: Type | None = None, *, span: Span | None = None) -> Expr:
    """Make a scalar constant.

    Parameters
    ----------
    value
        A bool, an integer or a finite float.
    type_
        ``bool``, ``i32``, ``u32`` or ``f32``; by default what the value suggests.

    Raises
    ------
    Refusal
        The value is not of that type, or is not finite.
    """
    abstract = type_ is None and type(value) is int
    if type_ is None:
        type_ = BOOL if isinstance(value, bool) else I32 if isinstance(value, int) else F32
    if type_ == BOOL and isinstance(value, bool):
        return nodes.Literal(BOOL, value, span=span)
    if type_ == F32 and not isinstance(value, bool):
        single = rounded(float(value))
        if not math.isfinite(single):
            raise Refusal(
                f"{value!r} is not a finite f32",
                fix=NO_INFINITY,
            )
        return nodes.Literal(F32, single, span=span)
    if type_ in (I32, U32) and isinstance(value, int) and not isinstance(value, bool):
        low, high = (0, 0xFFFFFFFF) if type_ == U32 else (-(1 << 31), (1 << 31) - 1)
        if abstract and high < value <= 0xFFFFFFFF:
            return nodes.Literal(U32, value, abstract=False, span=span)
        if abstract and value > 0xFFFFFFFF:
            raise Refusal(
                f"{value} does not fit into 32 bits",
                {"range": f"{low} to {0xFFFFFFFF}"},
                "Write a number within the range, or two of them.",
            )
        if not low <= value <= high:
            raise Refusal(
                f"{value} does not fit into {spelled(type_)}",
                {"range": f"{low} to {high}"},
                "Write a number within the range."
                if type_ == I32
                else "Use i32 for numbers below 0.",
            )
        return nodes.Literal(type_, value, abstract=abstract, span=span)
    raise Refusal(f"{value!r} is not a value of type {spelled(type_)}")


def zero(type_: Type, *, span: Span | None = None) -> Expr:
    """Make the zero value of a type."""
    if isinstance(type_, Scalar):
        return literal({"bool": False, "f32": 0.0}.get(type_.name, 0), type_, span=span)
    return nodes.Construct(type_, (), span=span)


def matched(operand: Operand, type_: Type) -> Expr:
    """Return the operand, a Python integer as a literal of ``type_`` where that is its scalar."""
    value = operand if isinstance(operand, Expr) else expression(operand)
    if isinstance(value, nodes.Literal) and value.abstract:
        wanted = scalar_of(type_)
        if wanted is not None and wanted not in (BOOL, I32):
            return literal(value.value, wanted, span=value.span)
    return value


def together(operands: Sequence[Operand]) -> list[Expr]:
    """Let Python integers take the type of the first operand that has one."""
    values = [each if isinstance(each, Expr) else expression(each) for each in operands]
    for value in values:
        if not (isinstance(value, nodes.Literal) and value.abstract):
            return [matched(each, value.type) for each in values]
    return values


def operand_advice(args: Sequence[Expr]) -> str:
    """Return what to write where the arguments of an intrinsic do not fit."""
    types = [arg.type for arg in args]
    vector = next((t for t in types if isinstance(t, Vector)), None)
    if vector is not None and vector.scalar in types:
        return f"Make the number a vector: {spelled(vector)}(x)."
    if len({scalar_of(t) for t in types}) > 1 or (types and scalar_of(types[0]) in (I32, U32)):
        return "Convert the arguments: f32(x)."
    return ""
