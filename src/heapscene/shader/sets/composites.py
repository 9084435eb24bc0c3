"""Intrinsics that are made of simpler operations, or of which only a range is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from heapscene.shader.ir.fold import rounded
from heapscene.shader.ir.nodes import Intrinsic
from heapscene.shader.operations import INTRINSICS, scalar_of
from heapscene.shader.sets.symbols import Symbol, Value, flatten, map_values
from heapscene.shader.types import BOOL, F32, I32, U32, VOID, Vector

if TYPE_CHECKING:
    from heapscene.shader.sets.expressions import Expressions

__all__ = ["COMPOSITES"]

Maker = Callable[["Expressions", Intrinsic, Sequence[Any]], Value]


def _mix(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    a, b, t = args
    rest = e.apply("-", scalar_of(node.type) or F32, (e.number(1.0), t), node.span)
    first = e.apply("*", node.type, (a, rest), node.span)
    return e.apply("+", node.type, (first, e.apply("*", node.type, (b, t), node.span)), node.span)


def _smoothstep(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    low, high, x = args
    over = e.apply("-", node.type, (x, low), node.span)
    width = e.apply("-", node.type, (high, low), node.span)
    ratio = e.apply("/", node.type, (over, width), node.span)
    inside = e.apply("clamp", node.type, (ratio, e.number(0.0), e.number(1.0)), node.span)
    return e.apply("smooth", node.type, (inside,), node.span)


def _saturate(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return e.apply("clamp", node.type, (args[0], e.number(0.0), e.number(1.0)), node.span)


def _scaled(factor: float) -> Maker:
    def make(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
        return e.apply("*", node.type, (args[0], e.number(rounded(factor))), node.span)

    return make


def _fma(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    a, b, c = args
    return e.apply("+", node.type, (e.apply("*", node.type, (a, b), node.span), c), node.span)


def _modf_whole(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return e.apply("trunc", node.type, (args[0],), node.span)


def _modf_fract(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return e.apply("-", node.type, (args[0], _modf_whole(e, node, args)), node.span)


def _sum_of_products(e: Expressions, node: Intrinsic, a: Any, b: Any) -> Symbol:
    if a[0].type == F32 and tuple(a) == tuple(b):
        return e.symbols.apply("squares", F32, tuple(a), node.span)
    if a[0].type == F32:
        return e.symbols.apply("dot", F32, (*a, *b), node.span)
    type_ = a[0].type
    terms = [e.symbols.apply("*", type_, pair, node.span) for pair in zip(a, b, strict=True)]
    return reduce(lambda x, y: e.symbols.apply("+", type_, (x, y), node.span), terms)


def _dot(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return _sum_of_products(e, node, *args)


def _length_of(e: Expressions, node: Intrinsic, value: Any) -> Symbol:
    if isinstance(value, Symbol):
        square = e.symbols.apply("squares", F32, (value,), node.span)
        root = e.symbols.apply("sqrt", F32, (square,), node.span)
        size = e.symbols.apply("abs", F32, (value,), node.span)
        return e.symbols.apply("any_of", F32, (root, size), node.span)
    return e.symbols.apply("sqrt", F32, (_sum_of_products(e, node, value, value),), node.span)


def _length(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return _length_of(e, node, args[0])


def _distance(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return _length_of(e, node, map_values(_minus(e, node), *args))


def _minus(e: Expressions, node: Intrinsic) -> Callable[[Symbol, Symbol], Symbol]:
    return lambda a, b: e.symbols.apply("-", F32, (a, b), node.span)


def _normalize(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    return e.apply("unit", node.type, (args[0], _length_of(e, node, args[0])), node.span)


def _cross(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    a, b = args

    def part(j: int, k: int) -> Symbol:
        first = e.symbols.apply("*", F32, (a[j], b[k]), node.span)
        second = e.symbols.apply("*", F32, (a[k], b[j]), node.span)
        return e.symbols.apply("-", F32, (first, second), node.span)

    return part(1, 2), part(2, 0), part(0, 1)


def _reflect(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    incident, normal = args
    along = _sum_of_products(e, node, normal, incident)
    twice = e.symbols.apply("*", F32, (e.number(2.0), along), node.span)
    back = e.apply("*", node.type, (twice, normal), node.span)
    return e.apply("-", node.type, (incident, back), node.span)


def _faceforward(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    normal, incident, reference = args
    along = _sum_of_products(e, node, reference, incident)
    away = e.symbols.apply("<", BOOL, (along, e.number(0.0)), node.span)
    flipped = e.apply("neg", node.type, (normal,), node.span)
    return e.apply("select", node.type, (flipped, normal, away), node.span)


def _transpose(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    del e, node
    return tuple(zip(*args[0], strict=True))


def _folded(op: str) -> Maker:
    def make(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
        return reduce(lambda a, b: e.symbols.apply(op, BOOL, (a, b), node.span), flatten(args[0]))

    return make


def _bytes_of(*, signed: bool) -> Maker:
    def make(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
        scalar = I32 if signed else U32
        word = e.symbols.apply("bitcast", scalar, (args[0],), node.span) if signed else args[0]

        def byte(k: int) -> Symbol:
            up = e.symbols.constant(24 - 8 * k, U32)
            high = e.symbols.apply("<<", scalar, (word, up), node.span)
            return e.symbols.apply(">>", scalar, (high, e.symbols.constant(24, U32)), node.span)

        return tuple(byte(k) for k in range(4))

    return make


def _opaque(e: Expressions, node: Intrinsic, args: Sequence[Any]) -> Value:
    """Return something of that type, the same for the same operands."""
    symbols = tuple(symbol for arg in args for symbol in flatten(arg))
    scalar = scalar_of(node.type)
    if node.type == VOID or scalar is None:
        return ()
    kind = (
        "unorm" if node.name.endswith("unorm") else "snorm" if node.name.endswith("snorm") else ""
    )
    prefix = f"?{kind if node.name.startswith('unpack') and kind else node.name}.{node.name}"
    size = node.type.size if isinstance(node.type, Vector) else 1
    parts = tuple(e.symbols.apply(f"{prefix}.{k}", scalar, symbols, node.span) for k in range(size))
    return parts if isinstance(node.type, Vector) else parts[0]


COMPOSITES: dict[str, Maker] = {
    "mix": _mix,
    "smoothstep": _smoothstep,
    "saturate": _saturate,
    "radians": _scaled(math.pi / 180.0),
    "degrees": _scaled(180.0 / math.pi),
    "fma": _fma,
    "modf.fract": _modf_fract,
    "modf.whole": _modf_whole,
    "dot": _dot,
    "length": _length,
    "distance": _distance,
    "normalize": _normalize,
    "cross": _cross,
    "reflect": _reflect,
    "faceforward": _faceforward,
    "transpose": _transpose,
    "unpack4xi8": _bytes_of(signed=True),
    "unpack4xu8": _bytes_of(signed=False),
    "any": _folded("or"),
    "all": _folded("and"),
    **dict.fromkeys(
        (
            *("frexp.fract", "frexp.exp"),
            *("refract", "determinant", "ldexp", "quantize_to_f16", "pack4x8unorm"),
            *("pack4x8snorm", "pack2x16float", "pack2x16unorm", "pack2x16snorm", "pack4xi8"),
            *("pack4xi8_clamp", "pack4xu8", "pack4xu8_clamp", "unpack4x8unorm"),
            *("unpack4x8snorm", "unpack2x16float", "unpack2x16unorm", "unpack2x16snorm"),
            *(name for name, op in INTRINSICS.items() if op.family == "derivative"),
        ),
        _opaque,
    ),
}
