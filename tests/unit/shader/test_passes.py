"""Passes compute less and mean the same; what went wrong elsewhere is right here."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.shader import ir
from heapscene.shader.interpret import interpret
from heapscene.shader.ir import build, nodes, operands
from heapscene.shader.ir.build import binary, construct, index, intrinsic, literal
from heapscene.shader.passes import (
    PASSES,
    drop_dead,
    fold,
    legal,
    optimized,
    reach_of,
    share_common,
)
from heapscene.shader.types import BOOL, F32, I32, U32, VEC3, VOID, ArrayType, AtomicType, Vector

STORED = ir.Resource("stored", ArrayType(U32), "storage", "read_write", 0, 0)
SHARED = ir.Resource("shared", ArrayType(U32, 8), "workgroup", "read_write")


def made(name, returns=VOID, **parameters):
    body = ir.FunctionBuilder(name, returns)
    return body, *(body.parameter(key, type_) for key, type_ in parameters.items())


def names_of(function):
    return [node.local.name for node in ir.walk(function) if isinstance(node, nodes.Declare)]


def count(function, kind):
    return sum(isinstance(node, kind) for node in ir.walk(function))


def value_of(function, **inputs):
    ir.verify_function(function)
    return interpret(function, inputs).value.tolist()


# Sharing -----------------------------------------------------------------------------------------


def test_a_write_in_between_makes_another_value():
    body = ir.FunctionBuilder("f", I32)
    m = body.var("m", I32, 3)
    a = body.let("a", binary("+", binary("*", m, 2), 1))
    body.assign(m, 5)
    b = body.let("b", binary("+", binary("*", m, 2), 1))
    body.return_(binary("+", binary("*", a, 100), b))
    assert value_of(share_common(body.done())) == [711]


def test_the_condition_of_a_loop_is_computed_in_every_round():
    body = ir.FunctionBuilder("f", I32)
    i = body.var("i", I32, 0)
    with body.while_(binary("<", binary("+", binary("*", i, 2), 1), 10)):
        body.assign(i, binary("+", i, 1))
    with body.if_(binary("<", binary("+", binary("*", i, 2), 1), 10)):
        body.return_(-1)
    body.return_(i)
    changed = share_common(body.done())
    assert value_of(changed) == [5]
    assert "shared" not in names_of(changed)


@pytest.mark.parametrize("where", ["if", "while", "for"])
def test_a_call_in_a_head_may_write_what_was_loaded(where):
    """The condition of a branch or loop, or a bound of one, calls what writes private memory."""
    memory = ir.Resource("memory", ArrayType(U32, 8), "private", "read_write")
    writer = ir.FunctionBuilder("writer", U32)
    writer.store(index(memory, 0), 7)
    writer.return_(literal(1, U32))
    call = build.call(writer.done())
    body = ir.FunctionBuilder("f", U32)
    loaded = index(memory, index(memory, 1))
    body.store(index(memory, 0), 5)
    before = body.let("before", binary("+", loaded, 100))
    if where == "if":
        with body.if_(binary("==", call, 1)):
            body.return_(binary("+", binary("*", before, 10), loaded))
    elif where == "while":
        with body.while_(binary("==", call, 1)):
            body.return_(binary("+", binary("*", before, 10), loaded))
    else:
        with body.for_range("k", literal(0, U32), call):
            body.return_(binary("+", binary("*", before, 10), loaded))
    body.return_(literal(0, U32))
    plain = body.done()
    assert value_of(plain) == [1057]
    assert value_of(share_common(plain)) == [1057]


def test_equal_values_are_computed_once():
    body, x = made("f", I32, x=I32)
    product = binary("*", binary("+", x, 1), binary("+", x, 2))
    a = body.let("a", binary("-", product, 7))
    body.return_(binary("+", binary("*", product, 2), a))
    changed = share_common(body.done())
    assert names_of(changed) == ["shared", "a"]
    assert value_of(changed, x=np.int32([3, 4])) == [53, 83]


def test_a_local_that_never_changes_names_its_value():
    body, x = made("f", I32, x=I32)
    product = binary("*", binary("+", x, 1), 3)
    a = body.let("a", product)
    body.return_(binary("+", product, a))
    changed = share_common(body.done())
    assert names_of(changed) == ["a"]
    assert count(changed, nodes.Binary) == 3
    assert value_of(changed, x=3) == [24]


def test_stores_and_barriers_end_what_was_loaded():
    for between in ("store", "barrier", "call"):
        writer = ir.FunctionBuilder("writer", U32)
        writer.store(index(STORED, 0), 9)
        writer.return_(literal(1, U32))
        body = ir.FunctionBuilder("f", U32)
        a = body.let("a", binary("*", index(STORED, 0), 10))
        if between == "store":
            body.store(index(STORED, 0), 9)
        elif between == "barrier":
            body.evaluate(intrinsic("storage_barrier"))
        else:
            body.evaluate(build.call(writer.done()))
        b = body.let("b", binary("*", index(STORED, 0), 10))
        body.return_(binary("+", binary("*", a, 1000), b))
        changed = share_common(body.done())
        ir.verify_function(changed)
        memory = {"stored": np.uint32([5])}
        expected = 50_050 if between == "barrier" else 50_090
        assert interpret(changed, {}, memory=memory).value.tolist() == [expected]
        assert count(changed, nodes.Global) >= 2


def test_what_may_not_run_is_not_moved_to_where_it_does():
    body, x = made("f", U32, x=U32)
    late = binary("<", binary("/", literal(100, U32), x), 7)
    flag = body.let("flag", binary("and", binary("!=", x, 0), late))
    with body.if_(flag):
        body.return_(binary("/", literal(100, U32), x))
    body.return_(binary("+", binary("/", literal(100, U32), x), 1))
    changed = share_common(body.done())
    assert "shared" not in names_of(changed)
    assert value_of(changed, x=np.uint32([0, 50, 10])) == [101, 2, 11]


def test_both_branches_see_what_was_before_them():
    body, x = made("f", I32, x=I32)
    twice = binary("*", binary("+", x, 5), 2)
    r = body.var("r", I32, twice)
    with body.if_(binary(">", x, 0)):
        body.assign(r, binary("+", twice, 1))
    with body.else_():
        body.assign(r, binary("-", twice, 1))
    body.return_(r)
    changed = share_common(body.done())
    assert names_of(changed) == ["shared", "r"]
    assert value_of(changed, x=np.int32([1, -1])) == [13, 7]


def test_an_atomic_that_is_read_twice_is_read_twice():
    counts = ir.Resource("counts", ArrayType(AtomicType(U32)), "storage", "read_write", 0, 0)
    body = ir.FunctionBuilder("f", U32)
    load = nodes.Intrinsic(U32, "atomic_load", (index(counts, 0),))
    a = body.let("a", binary("+", binary("*", load, 2), 1))
    b = body.let("b", binary("+", binary("*", load, 2), 1))
    body.return_(binary("+", a, b))
    assert count(share_common(body.done()), nodes.Intrinsic) == 2


# Folding -----------------------------------------------------------------------------------------


def folded(make, returns):
    """Return what folding makes of an expression of constants that have names."""
    body = ir.FunctionBuilder("f", returns)
    body.return_(make(body))
    return fold(body.done()).body[-1].value


@pytest.mark.parametrize(
    ("op", "left", "right", "type_", "expected"),
    [
        ("+", 3_000_000_000, 1, U32, 3_000_000_001),
        ("+", 4_294_967_295, 2, U32, 1),
        ("*", 123_456_789, 987_654_321, I32, -67_153_019),
        ("-", -(1 << 31), 1, I32, (1 << 31) - 1),
        ("/", -7, 2, I32, -3),
        ("%", -7, 2, I32, -1),
        (">>", -8, 1, I32, -4),
        ("<<", 0xFFFFFFFF, 31, U32, 0x80000000),
        ("+", 16_777_216.0, 1.0, F32, 16_777_216.0),
        ("/", 1.0, 3.0, F32, float(np.float32(1) / np.float32(3))),
    ],
)
def test_folding_wraps_and_rounds_as_the_gpu(op, left, right, type_, expected):
    def make(body):
        a, b = body.let("a", literal(left, type_)), None
        amount = U32 if op in ("<<", ">>") else type_
        b = body.let("b", literal(right, amount))
        return binary(op, a, b)

    assert folded(make, type_) == literal(expected, type_)


@pytest.mark.parametrize(
    ("op", "left", "right", "type_"),
    [
        ("/", 7, 0, I32),
        ("%", 7, 0, U32),
        ("/", -(1 << 31), -1, I32),
        ("/", 1.0, 0.0, F32),
        ("*", 3.0e38, 10.0, F32),
        ("*", 1.0e-20, 1.0e-20, F32),
        ("%", 5.0, 3.0, F32),
    ],
)
def test_what_no_literal_says_is_left_to_the_gpu(op, left, right, type_):
    def make(body):
        return binary(op, body.let("a", literal(left, type_)), body.let("b", literal(right, type_)))

    kept = folded(make, type_)
    assert isinstance(kept, nodes.Binary)
    assert isinstance(kept.left, nodes.Read)
    assert isinstance(kept.right, nodes.Read)


def test_a_folded_part_does_not_make_a_constant_that_wgsl_refuses():
    def quotient(body):
        zero = body.let("zero", literal(0, U32))
        return binary("/", body.let("a", literal(7, U32)), binary("*", zero, zero))

    kept = folded(quotient, U32)
    assert isinstance(kept.right, nodes.Binary)
    body, x = made("f", U32, x=U32)
    many = body.let("many", literal(20, U32))
    body.return_(binary("<<", x, binary("+", many, many)))
    kept = fold(body.done()).body[-1].value
    assert isinstance(kept.right, nodes.Binary)


@pytest.mark.parametrize("name", ["extract_bits", "insert_bits"])
@pytest.mark.parametrize(
    ("offset", "count"), [(17, 17), (40, 1), (3, 99), (32, 0), (0, 32), (5, 8)]
)
def test_a_constant_range_of_bits_ends_with_the_last(name, offset, count):
    """WGSL refuses one that ends behind it; the value is that of the part that there is."""
    body, x = made("f", U32, x=U32)
    part = (literal(offset, U32), literal(count, U32))
    new = () if name == "extract_bits" else (literal(0x5A5A5A5A, U32),)
    body.return_(intrinsic(name, x, *new, *part))
    plain = body.done()
    cut = legal(ir.Module((ir.EntryPoint("compute", plain),))).entries[0].function
    (node,) = [node for node in ir.walk(cut) if isinstance(node, nodes.Intrinsic)]
    start, size = (arg.value for arg in node.args[-2:])
    assert start + size <= 32
    given = np.array([0, 0xDEADBEEF, 0xFFFFFFFF, 12345], np.uint32)
    assert value_of(cut, x=given) == value_of(plain, x=given)


def test_vectors_fold_component_by_component():
    def make(body):
        v = body.let("v", construct(VEC3, literal(1.0), literal(2.0), literal(3.0)))
        return binary("*", v, body.let("s", literal(2.0)))

    assert folded(make, VEC3) == construct(VEC3, literal(2.0), literal(4.0), literal(6.0))


def test_a_folded_literal_is_equal_to_one_that_was_written():
    computed = folded(lambda body: binary("+", body.let("a", literal(3, U32)), 4), U32)
    assert computed == literal(7, U32)
    twins = []
    for value in (computed, literal(7, U32)):
        body = ir.FunctionBuilder("f", U32)
        body.return_(value)
        twins.append(ir.function_hash(body.done()))
    assert twins[0] == twins[1]


def test_a_copy_of_a_variable_keeps_the_value_of_then():
    body = ir.FunctionBuilder("f", I32)
    m = body.var("m", I32, 3)
    a = body.let("a", m)
    body.assign(m, 5)
    body.return_(a)
    for change in PASSES.values():
        assert value_of(change(body.done())) == [3]


def test_logic_folds_without_losing_effects():
    writer = ir.FunctionBuilder("writer", BOOL)
    writer.store(index(STORED, 0), 9)
    writer.return_(literal(True))
    call = build.call(writer.done())
    body = ir.FunctionBuilder("f", BOOL)
    body.return_(nodes.Binary(BOOL, "or", call, literal(True)))
    assert count(fold(body.done()), nodes.Call) == 1
    body = ir.FunctionBuilder("f", BOOL)
    body.return_(nodes.Binary(BOOL, "or", literal(True), call))
    assert count(fold(body.done()), nodes.Call) == 0


# Dead code ---------------------------------------------------------------------------------------


def test_what_is_only_written_is_dead():
    body, x = made("f", I32, x=I32)
    dead = body.var("dead", I32, 1)
    with body.for_range("k", 0, 4) as k:
        body.assign(dead, binary("+", dead, k))
    body.return_(x)
    assert drop_dead(body.done()).body == (nodes.Return(build.expression(x)),)


def test_effects_stay():
    body, x = made("f", x=U32)
    body.let("unused", binary("*", x, 2))
    with body.if_(binary(">", x, 3)):
        body.store(index(STORED, x), 1)
    body.evaluate(intrinsic("workgroup_barrier"))
    with body.if_(binary(">", x, 4)):
        body.discard()
    changed = drop_dead(body.done())
    ir.verify_function(changed)
    assert [type(node).__name__ for node in changed.body] == ["If", "Evaluate", "If"]


def test_a_call_is_dropped_only_if_it_does_nothing():
    pure, writing = ir.FunctionBuilder("pure", U32), ir.FunctionBuilder("writing", U32)
    writing.store(index(STORED, 0), 9)
    for each in (pure, writing):
        each.return_(literal(1, U32))
    body = ir.FunctionBuilder("f")
    body.evaluate(build.call(pure.done()))
    body.let("unused", build.call(writing.done()))
    changed = drop_dead(body.done())
    ir.verify_function(changed)
    assert [node.function.name for node in ir.walk(changed) if isinstance(node, nodes.Call)] == [
        "writing"
    ]


def test_what_is_never_reached_goes():
    body, x = made("f", U32, x=U32)
    with body.if_(literal(False)):
        body.store(index(STORED, 0), 1)
    with body.if_(binary(">", x, 3)):
        body.return_(literal(1, U32))
    with body.else_():
        body.return_(literal(2, U32))
    body.store(index(STORED, 0), 2)
    body.return_(literal(3, U32))
    changed = drop_dead(body.done())
    ir.verify_function(changed)
    assert count(changed, nodes.Assign) == 0
    assert value_of(changed, x=np.uint32([4, 0])) == [1, 2]


def test_a_variable_needed_in_a_later_round_stays():
    body, x = made("f", I32, x=I32)
    a, b = body.var("a", I32, 0), body.var("b", I32, 1)
    with body.for_range("k", 0, x):
        body.assign(a, binary("+", a, b))
        body.assign(b, binary("*", b, 2))
    body.return_(a)
    changed = drop_dead(body.done())
    assert value_of(changed, x=np.int32([0, 1, 4])) == [0, 1, 15]


# Modules -----------------------------------------------------------------------------------------


def helper(name, *callees):
    body = ir.FunctionBuilder(name, F32)
    total = body.let("total", literal(1.0))
    for callee in callees:
        total = body.let("total", binary("+", total, build.call(callee)))
    body.return_(total)
    return body.done()


def entry(stage, *callees, name=None):
    body = ir.FunctionBuilder(name or f"{stage}_main")
    for callee in callees:
        body.evaluate(build.call(callee))
    return ir.EntryPoint(stage, body.done())


def test_each_stage_reaches_its_own_helpers():
    leaf = helper("leaf")
    left, right = helper("left", leaf), helper("right", leaf)
    slope = ir.FunctionBuilder("slope", F32)
    x = slope.var("x", F32, 1.0)
    slope.return_(intrinsic("dpdx", x))
    steep = slope.done()
    module = ir.Module((entry("vertex", left), entry("fragment", right, steep)))
    found = reach_of(module)
    assert [f.name for f in found["vertex_main"].functions] == ["leaf", "left"]
    assert [f.name for f in found["fragment_main"].functions] == ["leaf", "right", "slope"]
    assert found["vertex_main"].misplaced == found["fragment_main"].misplaced == ()
    misplaced = reach_of(ir.Module((entry("vertex", steep),)))["vertex_main"].misplaced
    assert misplaced == ("dpdx",)


def test_a_helper_is_changed_once_and_shared():
    leaf = helper("leaf")
    module = optimized(ir.Module((entry("vertex", leaf), entry("compute", leaf))))
    assert all(not e.function.body for e in module.entries)  # the calls do nothing
    body = ir.FunctionBuilder("main")
    body.store(index(SHARED, 0), build.convert(U32, build.call(helper("top", leaf, leaf))))
    changed = optimized(ir.Module((ir.EntryPoint("compute", body.done()),)))
    ir.verify_module(changed)
    top = ir.reachable_functions(changed.entries[0].function)[1]
    callees = {id(n.function) for n in ir.walk(top) if isinstance(n, nodes.Call)}
    assert len(callees) == 1


def test_nothing_to_do_gives_the_same_object():
    body, x = made("f", I32, x=I32)
    body.return_(binary("+", x, 1))
    function = body.done()
    module = ir.Module((ir.EntryPoint("compute", function),))
    for change in PASSES.values():
        assert change(function) is function
    assert optimized(module).entries[0].function is function


def test_an_element_of_a_constant_array_is_a_constant():
    pairs = ArrayType(Vector(I32, 2), 2)
    elements = [
        construct(Vector(I32, 2), literal(a, I32), literal(b, I32)) for a, b in ((1, 2), (3, -14))
    ]
    body = ir.FunctionBuilder("f", I32)
    element = index(index(construct(pairs, *elements), 1), 1)
    empty = index(index(operands.zero(pairs), 1), 0)
    body.return_(binary("+", binary("<<", element, literal(28, U32)), empty))
    function = body.done()
    folded = fold(function)
    (end,) = folded.body
    assert isinstance(end, nodes.Return)
    assert end.value == nodes.Literal(I32, 1 << 29)
    assert value_of(function) == [1 << 29]
