"""What an operation may give, from what is known of its operands.

Small sets are taken value by value, so operations that are exact on a GPU are exact here;
everything else goes through intervals.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from heapscene.shader.ir.fold import fold_binary, fold_convert, rounded
from heapscene.shader.lang import INTRINSICS, value_class
from heapscene.shader.sets.domain import (
    EMPTY,
    INTEGER_LIMITS,
    NAN,
    Finite,
    Interval,
    Known,
    Number,
    between,
    finite,
    hull,
    join,
    meet,
    top,
)
from heapscene.shader.sets.floats import (
    FLOAT_FUNCTIONS,
    dot_products,
    outwards,
    power,
    product,
    quotient,
    remainder,
    total,
)
from heapscene.shader.sets.integers import (
    INTEGER_OPERATIONS,
    complement,
    magnitude,
    negated,
    reinterpreted,
)
from heapscene.shader.types import BOOL, F32, I32, U32, Scalar

__all__ = ["COMPARISONS", "SAME", "SCALAR_INTRINSICS", "transfer"]

_MAX_EVALUATIONS = 1024  # of one operation, value by value
_MAX_MIXED = 16  # evaluations where an operand is an interval
_EXACT_FLOATS = 1 << 24
_MAX_TO_I32, _MAX_TO_U32 = 2147483520.0, 4294967040.0  # the largest f32 of these types

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

_BITS: dict[str, tuple[int, int] | None] = {
    "count_one_bits": (0, 32),
    "count_leading_zeros": (0, 32),
    "count_trailing_zeros": (0, 32),
    "first_leading_bit": (-1, 31),
    "first_trailing_bit": (-1, 31),
    "reverse_bits": None,
    "extract_bits": None,
    "insert_bits": None,
    "dot4u8_packed": None,
    "dot4i8_packed": None,
}
"""Integer functions that are exact on small sets, and their range."""

SCALAR_INTRINSICS = frozenset(
    {
        *FLOAT_FUNCTIONS,
        *_BITS,
        "abs",
        "sign",
        "min",
        "max",
        "clamp",
        "step",
        "pow",
        "atan2",
        "select",
    }
) - {"smooth"}
"""Intrinsics that are operations on scalars here; the others are made of these."""


def transfer(op: str, scalar: Scalar, args: Sequence[Known], types: Sequence[Scalar]) -> Known:
    """Return what ``op`` may give.

    Parameters
    ----------
    op
        An operator, an intrinsic, ``convert``, ``bitcast``, ``neg``, ``dot`` (all left sides, then
        all right sides), ``squares`` (their sum), ``any_of`` (one of its operands); names that
        begin with ``?`` may give anything.
    scalar
        Type of the result.
    args, types
        What is known of the operands, and their types.
    """
    if EMPTY in args:
        return EMPTY
    if op == "select":
        return _selected(scalar, args)
    if op == "any_of":
        return join(scalar, *args)
    if op.startswith("?"):
        return _LIMITED.get(op.split(".", 1)[0], top(scalar))
    sets = [arg.values if isinstance(arg, Finite) else None for arg in args]
    count = math.prod(len(values) for values in sets if values is not None)
    limit = _MAX_MIXED if None in sets else _MAX_EVALUATIONS
    if count > limit:
        return _on_intervals(op, scalar, [hull(a, t) for a, t in zip(args, types, strict=True)])
    if None not in sets:
        return _on_sets(op, scalar, args, types)
    choices = [
        [arg]
        if isinstance(arg, Interval)
        else [hull(Finite(frozenset((value,)), arg.loose), type_) for value in arg.values]
        for arg, type_ in zip(args, types, strict=True)
    ]
    found = [_on_intervals(op, scalar, list(each)) for each in itertools.product(*choices)]
    return join(scalar, *found)


_LIMITED: dict[str, Known] = {
    "?unorm": outwards(0.0, 1.0, 1),
    "?snorm": outwards(-1.0, 1.0, 1),
}


def _always(holds: bool) -> Callable[[Scalar, Known], Known]:
    """Return the comparison of a value with itself: only NaN differs from itself."""

    def apply(scalar: Scalar, known: Known) -> Known:
        has_nan = isinstance(known, Interval) and known.nan
        has_number = True
        if isinstance(known, Finite):
            has_nan = NAN in known.values
            has_number = len(known.values) > has_nan
        found = ([holds] if has_number else []) + ([not holds] if has_nan else [])
        return finite(scalar, found)

    return apply


def _never(scalar: Scalar, known: Known) -> Known:
    del known
    return finite(scalar, (False,))


SAME: dict[str, Callable[[Scalar, Known], Known]] = {
    "==": _always(True),
    "<=": _always(True),
    ">=": _always(True),
    "!=": _always(False),
    "<": _never,
    ">": _never,
}
"""Operations whose two operands are one symbol."""


def _selected(scalar: Scalar, args: Sequence[Known]) -> Known:
    if_false, if_true, condition = args
    assert isinstance(condition, Finite)
    parts = [arm for arm, on in ((if_false, False), (if_true, True)) if on in condition.values]
    return join(scalar, *parts)


def _on_sets(op: str, scalar: Scalar, args: Sequence[Known], types: Sequence[Scalar]) -> Known:
    values: set[Number] = set()
    others: list[Known] = []
    sets = [arg for arg in args if isinstance(arg, Finite)]
    loose = any(each.loose for each in sets)
    for each in itertools.product(*(part.values for part in sets)):
        found = _exact(op, scalar, each, types)
        if found is None or (loose and op in ("+", "-")):
            parts = [
                hull(Finite(frozenset((value,)), part.loose and op in ("+", "-")), type_)
                for value, part, type_ in zip(each, sets, types, strict=True)
            ]
            others.append(_on_intervals(op, scalar, parts))
            continue
        values.add(NAN if math.isnan(found) else found)
        if scalar == F32 and op == "*" and each[0] * each[1] not in (found, math.inf, -math.inf):
            loose = True
    keeps = loose and op in ("*", "neg", "abs")
    exact = [finite(scalar, values, loose=keeps)] if values else []
    return join(scalar, *exact, *others)


def _exact(
    op: str, scalar: Scalar, each: tuple[Number, ...], types: Sequence[Scalar]
) -> Number | None:
    """Return the one value that every GPU gives, or ``None``."""
    kind = types[0]
    if op in COMPARISONS or op in ("and", "or"):
        return _folded(op, each[0], each[1], kind)
    if kind != F32 and op in INTEGER_OPERATIONS:
        return _folded(op, each[0], each[1], kind)
    if kind == F32 and op in ("+", "-", "*"):
        a, b = float(each[0]), float(each[1])
        return rounded(a + b if op == "+" else a - b if op == "-" else a * b)
    if op in ("dot", "squares"):
        half = len(each) // 2 if op == "dot" else 0
        return _exact_sum(each[: half or None], each[half:])
    if op == "!":
        return not each[0]
    if op == "convert" and kind != F32 and (scalar != F32 or abs(each[0]) <= _EXACT_FLOATS):
        return fold_convert(each[0], scalar)
    if op == "bitcast" and F32 not in (kind, scalar):
        return fold_convert(each[0], scalar)
    if op in _BITS:
        given = (value_class(type_)(int(v)) for v, type_ in zip(each, types, strict=True))
        return int(INTRINSICS[op](*given))
    return None


def _exact_sum(a: Sequence[Number], b: Sequence[Number]) -> Number | None:
    """Return a sum of products if no order of evaluation rounds it."""
    if not all(map(math.isfinite, (*a, *b))):
        return None
    terms = [Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)]
    unit = max(term.denominator for term in terms)
    if sum(map(abs, terms)) * unit > _EXACT_FLOATS or unit > _EXACT_FLOATS:
        return None
    return float(sum(terms))


def _folded(op: str, a: Number, b: Number, kind: Scalar) -> Number:
    if op in ("min", "max"):
        return min(a, b) if op == "min" else max(a, b)
    if op in ("/", "%") and b == 0:
        return a if op == "/" else 0
    if op in ("<<", ">>"):
        b = int(b) & 31
    found = fold_binary(op, a, b, kind)
    assert found is not None
    return found


def _on_intervals(op: str, scalar: Scalar, args: list[Interval]) -> Known:
    first = args[0]
    if op in COMPARISONS:
        return _compared(op, first, args[1])
    if op == "convert":
        return _converted(scalar, first)
    if op == "squares":
        return dot_products(args, args)
    if op == "dot":
        half = len(args) // 2
        return dot_products(args[:half], args[half:])
    if F32 in (first.scalar, scalar):
        return _on_floats(op, scalar, args)
    if first.scalar == BOOL:
        return top(scalar)
    if op in INTEGER_OPERATIONS:
        return INTEGER_OPERATIONS[op](first, args[1])
    return _on_integers(op, scalar, args)


def _on_floats(op: str, scalar: Scalar, args: list[Interval]) -> Known:
    function = _FLOAT_OPERATIONS.get(op)
    if function is not None:
        return function(*args)
    if op in FLOAT_FUNCTIONS and args[0].scalar == F32:
        return FLOAT_FUNCTIONS[op](args[0])
    return top(scalar)


def _on_integers(op: str, scalar: Scalar, args: list[Interval]) -> Known:
    first = args[0]
    if op == "neg":
        return negated(first)
    if op == "~":
        return complement(first)
    if op == "abs":
        return magnitude(first)
    if op == "sign":
        return between(scalar, _sign(first.low), _sign(first.high))
    if op == "clamp":
        return _clamped(*args)
    if op == "bitcast":
        return reinterpreted(first, scalar)
    limits = _BITS.get(op)
    if limits is not None:
        low, high = limits
        if scalar == U32 and low < 0:
            return finite(U32, (*range(32), INTEGER_LIMITS["u32"][1]))
        return between(scalar, low, high)
    return top(scalar)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _compared(op: str, a: Interval, b: Interval) -> Known:
    if op in (">", ">="):
        return _compared({">": "<", ">=": "<="}[op], b, a)
    if op == "!=":
        same = _compared("==", a, b)
        assert isinstance(same, Finite)
        return Finite(frozenset(not each for each in same.values))
    found: set[Number] = set()
    no_number = a.low > a.high or b.low > b.high
    if op == "==":
        overlap = max(a.low, b.low) <= min(a.high, b.high)
        if not no_number and overlap and (a.may & b.must) == b.must and (b.may & a.must) == a.must:
            found.add(True)
        if not (a.low == a.high == b.low == b.high):
            found.add(False)
    else:
        strict = op == "<"
        if not no_number and (a.low < b.high or (not strict and a.low == b.high)):
            found.add(True)
        if not no_number and (a.high > b.low or (strict and a.high == b.low)):
            found.add(False)
    if a.nan or b.nan:
        found.add(False)
    return Finite(frozenset(found))


def _converted(scalar: Scalar, a: Interval) -> Known:
    if scalar == BOOL:
        return _compared("!=", a, Interval(a.scalar, 0, 0, False, 0, 0)) if not a.nan else top(BOOL)
    if scalar == F32:
        low, high = rounded(float(a.low)), rounded(float(a.high))
        exact = max(abs(a.low), abs(a.high)) <= _EXACT_FLOATS
        return between(F32, low, high) if exact else outwards(low, high, 1)
    if a.scalar != F32:
        return reinterpreted(a, scalar)
    if a.nan or a.low > a.high:
        return top(scalar)
    return between(scalar, _truncated(a.low, scalar)[0], _truncated(a.high, scalar)[1])


def _truncated(value: float, scalar: Scalar) -> tuple[int, int]:
    """Return between which integers a GPU may clamp a float that is out of range."""
    low, high = INTEGER_LIMITS[scalar.name]
    largest = _MAX_TO_I32 if scalar == I32 else _MAX_TO_U32
    if value > largest:
        return int(largest), high
    number = max(math.trunc(max(value, float(low))), low)
    return number, number


def _float_minimum(a: Interval, b: Interval) -> Known:
    numbers = between(F32, min(a.low, b.low), min(a.high, b.high))
    return _with_nan(numbers, a, b)


def _float_maximum(a: Interval, b: Interval) -> Known:
    numbers = between(F32, max(a.low, b.low), max(a.high, b.high))
    return _with_nan(numbers, a, b)


def _with_nan(numbers: Known, a: Interval, b: Interval) -> Known:
    """Add what min and max give for a NaN: the other operand, or NaN."""
    if a.low > a.high or b.low > b.high:
        numbers = EMPTY
    parts = [numbers, *([b] if a.nan else []), *([a] if b.nan else [])]
    nans = [Finite(frozenset((NAN,)))] if a.nan or b.nan else []
    return join(F32, *(p for p in parts if not (isinstance(p, Interval) and p.low > p.high)), *nans)


def _clamped(x: Interval, low: Interval, high: Interval) -> Known:
    if x.scalar == F32:
        found = _float_minimum(hull(_float_maximum(x, low), F32), high)
    else:
        smallest = INTEGER_OPERATIONS["max"](x, low)
        found = INTEGER_OPERATIONS["min"](hull(smallest, x.scalar), high)
    if low.high > high.low:  # the limits may be crossed: then it is the middle one of the three
        return join(x.scalar, found, x, low, high)
    return found


def _float_magnitude(a: Interval) -> Known:
    if a.low > a.high:
        return between(F32, math.inf, -math.inf, nan=a.nan)
    ends = [abs(a.low), abs(a.high)] + ([0.0] if a.low <= 0.0 <= a.high else [])
    return between(F32, min(ends), max(ends), nan=a.nan)


def _float_sign(a: Interval) -> Known:
    signs = [float(s) for s in (-1, 0, 1) if _sign(a.low) <= s <= _sign(a.high)]
    if a.low > a.high:
        signs = []
    return finite(F32, [*signs, *([NAN, -1.0, 0.0, 1.0] if a.nan else [])])


def _stepped(edge: Interval, x: Interval) -> Known:
    if edge.nan or x.nan:
        return finite(F32, (0.0, 1.0))
    holds = _compared("<=", edge, x)
    assert isinstance(holds, Finite)
    return finite(F32, [float(each) for each in holds.values])


def _float_negated(a: Interval) -> Known:
    return between(F32, -a.high, -a.low, nan=a.nan)


def _difference(a: Interval, b: Interval) -> Known:
    return total(a, Interval(F32, -b.high, -b.low, b.nan))


def _unit(part: Interval, length: Interval) -> Known:
    """Return a component of a normalized vector."""
    if length.low <= 0.0:
        return top(F32)
    inside = Interval(F32, -1.00001, 1.00001, nan=True)
    return meet(F32, quotient(part, length), inside)


def _direction(y: Interval, x: Interval) -> Known:
    return outwards(-3.2, 3.2, 0, nan=True if y.nan or x.nan else x.low <= 0.0 <= x.high)


_FLOAT_OPERATIONS: dict[str, Callable[..., Known]] = {
    "+": total,
    "-": _difference,
    "*": product,
    "/": quotient,
    "%": remainder,
    "neg": _float_negated,
    "min": _float_minimum,
    "max": _float_maximum,
    "clamp": _clamped,
    "abs": _float_magnitude,
    "sign": _float_sign,
    "step": _stepped,
    "pow": power,
    "unit": _unit,
    "atan2": _direction,
}
