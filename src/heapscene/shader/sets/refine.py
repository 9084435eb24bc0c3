"""What the result of an operation says of its operands."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from heapscene.shader.ir.fold import rounded
from heapscene.shader.sets.domain import (
    INTEGER_LIMITS,
    Finite,
    Interval,
    Known,
    apart,
    between,
    hull,
    meet,
)
from heapscene.shader.sets.symbols import Symbol
from heapscene.shader.types import BOOL, F32

__all__ = ["demands"]

_MAX_FILTERED = 256  # combinations of operands that are tried one by one
_NO_FILTER = ("any_of", "dot", "squares")


def demands(symbol: Symbol, known: Known, args: Sequence[Known]) -> Iterator[tuple[Symbol, Known]]:
    """Yield operands with what they must be, given what is known of the result."""
    yield from _filtered(symbol, known, args)
    if symbol.op in _RELATIONS and isinstance(known, Finite) and len(known.values) == 1:
        yield from _related(symbol, next(iter(known.values)) is True, args)
    elif symbol.op == "select":
        yield from _chosen(symbol, known, args)
    elif symbol.op in _INVERSES:
        yield from _INVERSES[symbol.op](symbol, known, args)


def _filtered(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    """Keep the values of small operands that can give the result."""
    sets = [arg.values if isinstance(arg, Finite) else None for arg in args]
    sizes = [len(values) for values in sets if values is not None]
    if symbol.op in _NO_FILTER or math.prod(sizes) > _MAX_FILTERED or max(sizes, default=1) == 1:
        return
    choices: list[list[Known]] = [
        [arg] if values is None else [Finite(frozenset((v,)), _is_loose(arg)) for v in values]
        for arg, values in zip(args, sets, strict=True)
    ]
    kept: list[set[object]] = [set() for _ in args]
    for each in itertools.product(*choices):
        if meet(symbol.type, symbol.from_args(each)[0], known) == Finite(frozenset()):
            continue
        for values, part in zip(kept, each, strict=True):
            if isinstance(part, Finite):
                values.update(part.values)
    for arg, values, found in zip(symbol.args, sets, kept, strict=True):
        if values is not None and len(found) < len(values):
            yield arg, Finite(frozenset(found))  # pyright: ignore[reportArgumentType]


def _is_loose(known: Known) -> bool:
    return isinstance(known, Finite) and known.loose


_RELATIONS = {"<", "<=", ">", ">=", "==", "!="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _related(symbol: Symbol, holds: bool, args: Sequence[Known]) -> Iterator[tuple[Symbol, Known]]:
    left, right = symbol.args
    if left.type == BOOL or left is right:
        return
    a, b = (hull(arg, symbol.args[0].type) for arg in args)
    op = symbol.op if holds else _NEGATED[symbol.op]
    # A relation that fails may fail because of a NaN: then nothing is said of the other side.
    fails = holds if symbol.op == "!=" else not holds
    if not (fails and b.nan):
        yield left, _side(op, a, b, nan=fails and a.nan)
    if not (fails and a.nan):
        flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
        yield right, _side(flipped, b, a, nan=fails and b.nan)


def _side(op: str, a: Interval, b: Interval, *, nan: bool) -> Known:
    """Return what ``a`` may be if ``a op b``."""
    low, high = a.low, a.high
    if op in ("<", "<=", "=="):
        high = min(high, _before(b.high, a) if op == "<" else b.high)
    if op in (">", ">=", "=="):
        low = max(low, _after(b.low, a) if op == ">" else b.low)
    if op == "!=" and b.low == b.high and a.scalar != F32:
        low = low + 1 if low == b.low else low
        high = high - 1 if high == b.high else high
    return between(a.scalar, low, high, nan=nan, may=a.may, must=a.must)


def _before(value: float, a: Interval) -> float:
    return _previous_float(value) if a.scalar == F32 else value - 1


def _after(value: float, a: Interval) -> float:
    return -_previous_float(-value) if a.scalar == F32 else value + 1


def _previous_float(value: float) -> float:
    """Return the float before; a denormal one may be zero for a GPU."""
    before = apart(value, -1)
    return 0.0 if 0.0 < abs(before) < 2.0**-126 and value != 0.0 else before


def _chosen(symbol: Symbol, known: Known, args: Sequence[Known]) -> Iterator[tuple[Symbol, Known]]:
    if_false, if_true, condition = symbol.args
    empty = Finite(frozenset())
    can_be = [meet(symbol.type, arg, known) != empty for arg in args[:2]]
    if not all(can_be):
        yield (
            condition,
            Finite(frozenset(on for on, can in zip((False, True), can_be, strict=True) if can)),
        )
    chosen = args[2]
    if isinstance(chosen, Finite) and len(chosen.values) == 1:
        yield (if_true if True in chosen.values else if_false), known


def _from_negated(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    del args
    found = hull(known, symbol.type)
    if symbol.type == F32 or found.low > INTEGER_LIMITS["i32"][0]:
        yield symbol.args[0], between(symbol.type, -found.high, -found.low, nan=found.nan)


def _from_sum(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    """Narrow each side of ``a + b`` and ``a - b``; integers only where nothing wraps."""
    found = hull(known, symbol.type)
    a, b = (hull(arg, symbol.type) for arg in args)
    if not _is_plain(symbol, found, a, b) or symbol.args[0] is symbol.args[1]:
        return
    if symbol.op == "+":
        yield symbol.args[0], _moved(symbol, found.low - b.high, found.high - b.low, found)
        yield symbol.args[1], _moved(symbol, found.low - a.high, found.high - a.low, found)
    else:
        yield symbol.args[0], _moved(symbol, found.low + b.low, found.high + b.high, found)
        yield symbol.args[1], _moved(symbol, a.low - found.high, a.high - found.low, found)


def _is_plain(symbol: Symbol, found: Interval, a: Interval, b: Interval) -> bool:
    if symbol.type == F32:
        ends = (a.low, a.high, b.low, b.high, found.low, found.high)
        return not any(math.isinf(end) for end in ends) and not (found.nan or a.nan or b.nan)
    low, high = INTEGER_LIMITS[symbol.type.name]
    if symbol.op == "+":
        return low <= a.low + b.low and a.high + b.high <= high
    return low <= a.low - b.high and a.high - b.low <= high


def _moved(symbol: Symbol, low: float, high: float, found: Interval) -> Known:
    if symbol.type != F32:
        first, last = INTEGER_LIMITS[symbol.type.name]
        return between(symbol.type, max(low, first), min(high, last))
    # The result was rounded: what it came from is up to one float of the result further.
    margin = max(abs(found.low), abs(found.high), abs(low), abs(high)) * 2.0**-22 + 2.0**-125
    return between(F32, rounded(low - margin), rounded(high + margin))


def _from_product(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    """Narrow the side of a float product whose other side is a constant."""
    if symbol.type != F32:
        return
    found = hull(known, F32)
    for arg, other in ((0, 1), (1, 0)):
        factor = args[other]
        if not isinstance(factor, Finite) or len(factor.values) != 1:
            continue
        (by,) = factor.values
        side = hull(args[arg], F32)
        ends = (found.low, found.high, side.low, side.high)
        if found.nan or side.nan or not 1e-6 < abs(by) < 1e6 or any(map(math.isinf, ends)):
            continue
        corners = sorted((found.low / by, found.high / by))
        margin = max(abs(corners[0]), abs(corners[1])) * 2.0**-21 + 2.0**-125 * max(1 / abs(by), 1)
        low, high = rounded(corners[0] - margin), rounded(corners[1] + margin)
        yield symbol.args[arg], between(F32, low, high)


def _from_conversion(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    arg = symbol.args[0]
    if BOOL in (symbol.type, arg.type):
        return
    found, given = hull(known, symbol.type), hull(args[0], arg.type)
    if symbol.type == F32:
        low, high = INTEGER_LIMITS[arg.type.name]
        if found.low <= found.high and max(abs(found.low), abs(found.high)) < 1 << 24:
            yield (
                arg,
                between(
                    arg.type, max(math.ceil(found.low), low), min(math.floor(found.high), high)
                ),
            )
    elif arg.type == F32:
        low, high = INTEGER_LIMITS[symbol.type.name]
        if given.nan:
            return
        first = -math.inf if found.low <= low else (found.low - 1 if found.low <= 0 else found.low)
        last = (
            math.inf
            if found.high >= 1 << 24
            else (found.high + 1 if found.high >= 0 else found.high)
        )
        if abs(first) < 1 << 24 or math.isinf(first):
            yield arg, between(F32, first, last)
    else:
        low, high = INTEGER_LIMITS[arg.type.name]
        if low <= found.low and found.high <= high:
            yield arg, between(arg.type, found.low, found.high)


def _from_rounding(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    found = hull(known, F32)
    if found.low <= found.high and not hull(args[0], F32).nan:
        yield symbol.args[0], between(F32, apart(found.low - 1.0, -1), apart(found.high + 1.0, 1))


def _from_magnitude(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    found = hull(known, symbol.type)
    if found.high < 0 or (symbol.type != F32 and found.low < 0):
        return
    limit = max(found.high, 0)
    low = -limit if symbol.type.name != "u32" else 0
    yield symbol.args[0], between(symbol.type, low, limit, nan=found.nan)
    given = hull(args[0], symbol.type)
    if given.low >= 0 and found.low > 0:
        yield symbol.args[0], between(symbol.type, found.low, given.high, nan=found.nan)


def _from_step(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    edge, x = (hull(arg, F32) for arg in args)
    if edge.nan or x.nan or not isinstance(known, Finite) or len(known.values) != 1:
        return
    above = 1.0 in known.values
    yield symbol.args[0], _side("<=" if above else ">", edge, x, nan=False)
    yield symbol.args[1], _side(">=" if above else "<", x, edge, nan=False)


def _from_extreme(
    symbol: Symbol, known: Known, args: Sequence[Known]
) -> Iterator[tuple[Symbol, Known]]:
    """Narrow both sides of min and max: neither is beyond the result."""
    found = hull(known, symbol.type)
    if any(hull(arg, symbol.type).nan for arg in args) or found.low > found.high:
        return
    for arg, part in zip(symbol.args, args, strict=True):
        given = hull(part, symbol.type)
        if symbol.op == "min":
            yield arg, between(symbol.type, found.low, max(given.high, found.low))
        else:
            yield arg, between(symbol.type, min(given.low, found.high), found.high)


_INVERSES = {
    "neg": _from_negated,
    "+": _from_sum,
    "-": _from_sum,
    "*": _from_product,
    "convert": _from_conversion,
    "floor": _from_rounding,
    "ceil": _from_rounding,
    "trunc": _from_rounding,
    "round": _from_rounding,
    "abs": _from_magnitude,
    "step": _from_step,
    "min": _from_extreme,
    "max": _from_extreme,
}
