"""Every kind of node and every operation is known to the interpreter and to each pass."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import ShaderError
from heapscene.shader import ir
from heapscene.shader.interpret import interpret
from heapscene.shader.interpret.expressions import Expressions
from heapscene.shader.interpret.machine import Machine
from heapscene.shader.interpret.quads import DERIVATIVES
from heapscene.shader.ir import nodes
from heapscene.shader.ir.build import binary
from heapscene.shader.ir.visit import CHILDREN
from heapscene.shader.numeric import FUNCTIONS, OPERATORS, UNARY, WHOLE
from heapscene.shader.operations import BINARY, INTRINSICS
from heapscene.shader.passes import PASSES
from heapscene.shader.passes.fold import EXACT
from heapscene.shader.passes.rewrite import BLOCKS, EXPRESSIONS
from heapscene.shader.types import F32, I32, U32, VEC3, ArrayType, StructField, StructType

KINDS = {
    kind
    for kind in vars(nodes).values()
    if isinstance(kind, type)
    and issubclass(kind, nodes.Expr | nodes.Stmt)
    and kind not in (nodes.Expr, nodes.Stmt)
}


def test_every_node_is_interpreted():
    expressions = {kind for kind in KINDS if issubclass(kind, nodes.Expr)}
    assert set(Expressions._EXPRESSIONS) == expressions
    assert set(Machine._STATEMENTS) == KINDS - expressions


def test_every_node_is_walked_by_the_passes():
    assert set(CHILDREN) == set(BLOCKS) == set(EXPRESSIONS) == KINDS
    members = {"then", "otherwise", "body"}
    for kind in KINDS:
        assert set(BLOCKS[kind]) == members & set(CHILDREN[kind]), kind
        assert set(BLOCKS[kind]) | set(EXPRESSIONS[kind]) == set(CHILDREN[kind]), kind


def test_every_operation_is_computed_or_refused():
    assert set(OPERATORS) | {"@"} == set(BINARY)
    assert set(UNARY) == {"-", "~", "!"}
    computed = set(FUNCTIONS) | set(WHOLE)
    for name, operation in INTRINSICS.items():
        if operation.family == "number":
            assert (name in FUNCTIONS) != (name in WHOLE), f"{name} is not computed once"
        elif operation.family == "derivative":
            assert name in DERIVATIVES
        else:
            assert operation.family in ("barrier", "atomic", "texture", "array"), name
            assert name not in computed
    assert set(INTRINSICS) >= EXACT


def one_of_each():
    """Return a function that contains every kind of node."""
    private = ir.Resource("cells", ArrayType(I32, 4), "private", "read_write")
    callee = ir.FunctionBuilder("callee", I32)
    callee.return_(ir.literal(5))
    called = callee.done()
    struct = StructType("Both", (StructField("x", F32), StructField("n", I32)))
    body = ir.FunctionBuilder("f", I32)
    x = body.parameter("x", F32)
    n = body.parameter("n", I32)
    both = body.let("both", ir.construct(struct, x, n))
    v = body.let("v", ir.construct(VEC3, x, x, 1.0))
    total = body.var("total", I32, ir.field(both, "n"))
    body.assign(total, binary("+", total, ir.convert(I32, ir.swizzle(v, "y"))))
    body.assign(total, binary("^", total, ir.bitcast(I32, x)))
    body.assign(total, ir.unary("~", ir.intrinsic("max", total, n)))
    body.store(ir.index(private, 2), total)
    with body.for_range("k", 0, 3) as k:
        with body.if_(binary("==", k, n)):
            body.continue_()
        body.assign(total, binary("+", total, ir.index(private, k)))
    rounds = body.var("rounds", U32, 0)
    with body.while_(ir.literal(True)):
        body.assign(rounds, binary("+", rounds, 1))
        with body.if_(binary(">", rounds, 3)):
            body.break_()
    body.evaluate(ir.call(called))
    with body.if_(binary("<", n, -100)):
        body.discard()
    body.return_(binary("+", total, ir.call(called)))
    return body.done()


def test_one_function_with_every_node_keeps_its_meaning():
    function = one_of_each()
    kinds = {type(node) for node in ir.walk(function)}
    assert kinds == KINDS
    ir.verify_function(function)
    inputs = {"x": np.float32([0.5, -3, 1e9, 7]), "n": np.int32([0, 1, -7, 100])}
    expected = interpret(function, inputs).value.tolist()
    for name, change in PASSES.items():
        changed = change(function)
        ir.verify_function(changed)
        assert interpret(changed, inputs).value.tolist() == expected, name


def test_textures_are_refused_by_name():
    image = ir.Resource("image", F32, "handle")
    for name, operation in INTRINSICS.items():
        if operation.family == "texture":
            body = ir.FunctionBuilder("f", F32)
            body.return_(nodes.Intrinsic(F32, name, (ir.expression(image),)))
            with pytest.raises(ShaderError, match=name):
                interpret(body.done(), {})
