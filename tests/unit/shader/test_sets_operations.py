"""Every operation on sets holds what the operation gives on values, forwards and backwards.

Random knowledge about operands, random operands that fit it, and the interpreter's result: it must
be among the possible results, and what a result says of an operand must not exclude that operand.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from heapscene.shader import BOOL, F32, I32, U32, ir
from heapscene.shader.interpret import interpret
from heapscene.shader.operations import BINARY, INTRINSICS, binary_type
from heapscene.shader.sets.domain import (
    INTEGER_LIMITS,
    Finite,
    between,
    contains,
    finite,
    hull,
    is_inside,
    join,
    meet,
    top,
)
from heapscene.shader.sets.refine import demands
from heapscene.shader.sets.symbols import Symbols
from heapscene.shader.sets.transfer import SCALAR_INTRINSICS, transfer

QUICK, LONG = 6, 40
SAMPLES = 24
DTYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32, "bool": np.bool_}
TYPES = (F32, I32, U32, BOOL)
INEXACT = {"/", "sqrt", "inverse_sqrt", "exp", "exp2", "log", "log2", "pow", "sin", "cos", "atan"}


def cases():
    """Yield operations on scalars: name, types of operands, type of the result."""
    for op in BINARY:
        for a in TYPES:
            for b in TYPES:
                made = binary_type(op, a, b)
                if made is not None and op != "@":
                    yield op, (a, b), made
    for name in sorted(SCALAR_INTRINSICS):
        count = len(INTRINSICS[name].rules[0].split(" -> ")[0].split())
        for kind in TYPES:
            for last in TYPES:
                types = (*(kind for _ in range(count - 1)), last)
                made = INTRINSICS[name].type_for(types)
                if made in TYPES and (count > 1 or kind is last):
                    yield name, types, made
    yield "extract_bits", (U32, U32, U32), U32
    yield "neg", (F32,), F32
    yield "neg", (I32,), I32
    yield "~", (I32,), I32
    yield "~", (U32,), U32
    yield "!", (BOOL,), BOOL
    for a in TYPES:
        for b in TYPES:
            if a != b:
                yield "convert", (a,), b
                if BOOL not in (a, b):
                    yield "bitcast", (a,), b


CASES = list(cases())


def numbers(rng, scalar, count):
    if scalar == BOOL:
        return rng.random(count) < 0.5
    if scalar == F32:
        values = rng.normal(0, 1, count) * 10.0 ** rng.integers(-3, 6, count)
        values = np.where(rng.random(count) < 0.5, np.round(values), values)
        odd = np.array([0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 3e38, 1e-40], np.float32)
        return np.where(rng.random(count) < 0.15, rng.choice(odd, count), values)
    small = rng.integers(-20 if scalar == I32 else 0, 40, count)
    low, high = INTEGER_LIMITS[scalar.name]
    large = rng.integers(low, high + 1, count)
    edges = rng.choice(np.array([low, low + 1, high, high - 1, 0, 1]), count)
    draw = rng.random(count)
    return np.where(draw < 0.6, small, np.where(draw < 0.85, large, edges))


def some_knowledge(rng, scalar):
    """Return random knowledge and values that fit it."""
    raw = numbers(rng, scalar, 8).astype(DTYPES[scalar.name])
    pool = numbers(rng, scalar, 400).astype(DTYPES[scalar.name])
    kind = rng.integers(4)
    if scalar == BOOL or kind == 0:
        known = finite(scalar, raw[: rng.integers(1, 6)].tolist())
        pool = raw
    elif kind == 1:
        known = top(scalar)
    else:
        low, high = (
            sorted(raw[np.isfinite(raw)][:2].tolist()) if np.isfinite(raw[:2]).all() else (0, 9)
        )
        extra = {}
        if scalar != F32 and kind == 3:
            must = int(rng.integers(0, 16)) & int(rng.integers(0, 16))
            extra = {"must": must, "may": must | int(rng.integers(0, 1 << 32))}
            pool = np.append(pool, [wrapped(scalar, must), wrapped(scalar, extra["may"])])
        known = between(scalar, low, high, nan=scalar == F32 and rng.random() < 0.3, **extra)
        if scalar == F32:
            pool = np.append(pool, (low + rng.random(40) * (high - low)).astype(np.float32))
        else:
            pool = np.append(pool, rng.integers(int(low), int(high) + 1, 40))
        pool = np.append(pool, [low, high]).astype(DTYPES[scalar.name])
    fitting = [v for v in pool.tolist() if contains(known, v)]
    return known, fitting


def wrapped(scalar, pattern):
    return pattern - (1 << 32) if scalar == I32 and pattern >> 31 else pattern


def flushed(value):
    return 0.0 if isinstance(value, float) and 0.0 < abs(value) < 2.0**-126 else value


def run(function, rows, types):
    columns = zip(*rows, strict=True)
    inputs = {
        f"a{k}": np.array(column, DTYPES[type_.name])
        for k, (column, type_) in enumerate(zip(columns, types, strict=True))
    }
    return interpret(function, inputs).value.tolist()


def near(op, value):
    """Yield what a GPU may give where the interpreter gives ``value``."""
    yield value
    if isinstance(value, float):
        yield flushed(value)
    if op in INEXACT and isinstance(value, float) and 1e-30 < abs(value) < math.inf:
        for towards in (-np.inf, np.inf):
            yield float(np.nextafter(np.float32(value), np.float32(towards)))


IDS = [f"{op}({', '.join(t.name for t in types)})-{made.name}" for op, types, made in CASES]


each_case = pytest.mark.parametrize(("op", "types", "made"), CASES, ids=IDS)


@each_case
def test_operation(op, types, made):
    check(op, types, made, QUICK)


@pytest.mark.long
@each_case
def test_operation_at_length(op, types, made):
    check(op, types, made, LONG)


def check(op, types, made, trials):
    rng = np.random.default_rng(len(op) + 7 * CASES.index((op, types, made)))
    body = ir.FunctionBuilder("f", made)
    args = [body.parameter(f"a{k}", type_) for k, type_ in enumerate(types)]
    body.return_(expression(op, made, args))
    function = body.done()
    symbols = Symbols()
    leaves = tuple(symbols.leaf(type_, top(type_), "", None) for type_ in types)
    symbol = symbols.apply(op, made, leaves)
    for _ in range(trials):
        known, fitting = zip(*(some_knowledge(rng, type_) for type_ in types), strict=True)
        if not all(fitting):
            continue
        rows = [tuple(rng.choice(len(f)) for f in fitting) for _ in range(SAMPLES)]
        rows = [tuple(f[k] for f, k in zip(fitting, row, strict=True)) for row in rows]
        possible = transfer(op, made, known, types)
        for row, result in zip(rows, run(function, rows, types), strict=True):
            for value in near(op, result):
                assert contains(possible, value), (known, row, value, possible)
            about = around(rng, made, result)
            for leaf, wanted in demands(symbol, meet(made, possible, about), known):
                k = leaves.index(leaf)
                assert contains(wanted, row[k]), (known, row, result, about, wanted)


def expression(op, made, args):
    if op in BINARY:
        return ir.binary(op, *args)
    if op in ("neg", "~", "!"):
        return ir.unary("-" if op == "neg" else op, *args)
    if op in ("convert", "bitcast"):
        return getattr(ir, op)(made, *args)
    return ir.intrinsic(op, *args)


def around(rng, scalar, value):
    """Return random knowledge that includes a value."""
    one = finite(scalar, (value,))
    if rng.random() < 0.5 or scalar == BOOL:
        return one
    other = numbers(rng, scalar, 1).astype(DTYPES[scalar.name]).tolist()
    both = finite(scalar, (value, *other))
    if rng.random() < 0.3:
        return both
    ends = hull(both, scalar)
    return between(scalar, ends.low, ends.high, nan=ends.nan)


@pytest.mark.parametrize("scalar", TYPES, ids=lambda t: t.name)
def test_join_and_meet(scalar):
    rng = np.random.default_rng(3)
    for _ in range(300):
        (a, in_a), (b, in_b) = some_knowledge(rng, scalar), some_knowledge(rng, scalar)
        either, both = join(scalar, a, b), meet(scalar, a, b)
        assert is_inside(a, either)
        assert is_inside(b, either)
        for value in in_a + in_b:
            assert contains(either, value)
            if contains(a, value) and contains(b, value):
                assert contains(both, value)
        if both != Finite(frozenset()):
            assert is_inside(both, either)


def test_a_zero_has_both_signs_and_nan_is_one_value():
    assert finite(F32, (0.0, -0.0)) == Finite(frozenset((0.0,)))
    assert finite(F32, (math.nan, float("nan"))) == finite(F32, (math.nan,))
    assert contains(
        transfer("/", F32, [finite(F32, (1.0,)), finite(F32, (0.0,))], [F32, F32]), -math.inf
    )


def test_denormal_values_may_be_zero():
    assert contains(finite(F32, (1e-40,)), 0.0)
    assert contains(transfer("*", F32, [finite(F32, (1e-30,))] * 2, [F32, F32]), 0.0)


def test_a_rounded_product_may_be_fused_with_a_sum():
    a, b = np.float32(0.1), np.float32(3.0)
    product = transfer("*", F32, [finite(F32, (float(a),)), finite(F32, (float(b),))], [F32, F32])
    total = transfer("-", F32, [product, product], [F32, F32])
    fused = np.float32(np.float64(a) * np.float64(b) - np.float64(np.float32(a * b)))
    assert fused != 0.0
    assert contains(total, float(fused))
    assert contains(total, 0.0)


def test_an_exact_product_stays_exact():
    halves = transfer("*", F32, [finite(F32, (1.0, 3.0)), finite(F32, (0.5,))], [F32, F32])
    assert transfer("+", F32, [halves, finite(F32, (1.0,))], [F32, F32]) == finite(F32, (1.5, 2.5))
