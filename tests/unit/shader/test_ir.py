"""The IR: constructors refuse, the hash is of content, the verifier finds faults."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import ir
from heapscene.shader.ir import nodes
from heapscene.shader.ir.fold import fold_binary
from heapscene.shader.ir.visit import CHILDREN, PLAIN
from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    MAT4,
    U32,
    VEC3,
    VEC4,
    ArrayType,
    StructField,
    StructType,
)
from heapscene.shader.wgsl import emit
from heapscene.shader.wgsl.emit import float_text
from heapscene.shader.wgsl.names import Names, safe

PAGE = ir.Resource("page", ArrayType(U32), "storage", "read", 0, 1)
OUT = ir.Resource("out", ArrayType(F32), "storage", "read_write", 0, 2)


def total(name="total", counter="i", *, factor=2.0):
    body = ir.FunctionBuilder("sum_up", F32)
    n = body.parameter("n", U32)
    sum_ = body.var(name, F32)
    with body.for_range(counter, 0, n) as i:
        word = body.let("word", ir.bitcast(F32, ir.index(PAGE, i)))
        with body.if_(ir.binary(">", word, 100.0)):
            body.break_()
        body.assign(sum_, ir.binary("+", sum_, ir.binary("*", word, factor)))
    body.return_(sum_)
    return body.done()


def entry(function):
    body = ir.FunctionBuilder("main")
    id_ = body.parameter("id", ir.convert(U32, 0).type)
    body.store(ir.index(OUT, id_), ir.call(function, id_))
    made = body.done()
    port = ir.Port(made.parameters[0], builtin="local_invocation_index")
    return ir.Module((ir.EntryPoint("compute", made, (port,), workgroup_size=(64, 1, 1)),))


def test_a_function_built_by_hand():
    module = entry(total())
    ir.verify_module(module)
    assert emit(module) == (
        "@group(0) @binding(1) var<storage, read> page: array<u32>;\n"
        "@group(0) @binding(2) var<storage, read_write> out_: array<f32>;\n\n"
        "fn sum_up(n: u32) -> f32 {\n"
        "    var total: f32;\n"
        "    for (var i: u32 = 0u; i < n; i += 1u) {\n"
        "        let word = bitcast<f32>(page[i]);\n"
        "        if (word > 100.0f) {\n"
        "            break;\n"
        "        }\n"
        "        total = total + (word * 2.0f);\n"
        "    }\n"
        "    return total;\n"
        "}\n\n"
        "@compute @workgroup_size(64, 1, 1)\n"
        "fn main(@builtin(local_invocation_index) id: u32) {\n"
        "    out_[id] = sum_up(id);\n"
        "}\n"
    ).replace("out_", safe("out"))


def test_the_printed_form():
    assert ir.print_function(total()).split("\n")[:4] == [
        "sum_up(n%0: u32) -> f32",
        "  var total%1: f32",
        "  for i%2 in 0u, n%0, 1",
        "    let word%3: f32 = bitcast(f32, @page[i%2])",
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: ir.binary("+", ir.zero(F32), ir.zero(U32)),
        lambda: ir.binary("@", ir.zero(VEC3), ir.zero(VEC3)),
        lambda: ir.binary("*", ir.zero(MAT4), ir.zero(VEC4)),
        lambda: ir.binary("and", ir.zero(BOOL), ir.zero(U32)),
        lambda: ir.binary("<", ir.zero(BOOL), ir.zero(BOOL)),
        lambda: ir.unary("-", ir.zero(U32)),
        lambda: ir.unary("!", ir.zero(F32)),
        lambda: ir.swizzle(ir.zero(VEC3), "xw"),
        lambda: ir.swizzle(ir.zero(VEC3), "xg"),
        lambda: ir.index(PAGE, 1.0),
        lambda: ir.index(ir.zero(VEC3), 3),
        lambda: ir.field(ir.zero(VEC3), "x"),
        lambda: ir.construct(VEC4, ir.zero(VEC3)),
        lambda: ir.construct(VEC4, ir.zero(VEC3), ir.zero(U32)),
        lambda: ir.intrinsic("nothing"),
        lambda: ir.intrinsic("dot", ir.zero(F32), ir.zero(F32)),
        lambda: ir.convert(F32, ir.zero(VEC3)),
        lambda: ir.bitcast(F32, True),
        lambda: ir.literal(-1, U32),
        lambda: ir.literal(1 << 33),
        lambda: ir.literal(float("nan")),
        lambda: ir.literal(1e39),
        lambda: ir.literal(True, F32),
        lambda: ir.call(total()),
        lambda: ir.call(total(), 1.0),
        lambda: ir.FunctionBuilder("f", F32).return_(),
        lambda: ir.FunctionBuilder("f").store(ir.index(PAGE, 0), 1),
    ],
)
def test_constructors_refuse(make):
    with pytest.raises(ShaderTypeError):
        make()


def test_a_python_integer_takes_the_type_of_its_neighbour():
    assert ir.binary("+", ir.zero(VEC3), 1).right == ir.literal(1.0)
    n = ir.FunctionBuilder("f").parameter("n", U32)
    assert ir.binary("<", 3, n).left == ir.literal(3, U32)
    assert ir.literal(3).type == I32
    assert ir.literal(0xFFFFFFFF).type == U32


def test_folding_wraps_and_rounds_like_numpy():
    rng = np.random.default_rng(7)
    with np.errstate(all="ignore"):
        for _ in range(300):
            a, b = (int(v) for v in rng.integers(0, 1 << 32, 2))
            for op, function in (("+", np.add), ("-", np.subtract), ("*", np.multiply)):
                assert fold_binary(op, a, b, U32) == function(np.uint32(a), np.uint32(b))
                c, d = np.uint32(a).view(np.int32), np.uint32(b).view(np.int32)
                assert fold_binary(op, int(c), int(d), I32) == function(c, d)
            x, y = (np.float32(v) for v in rng.normal(size=2))
            assert fold_binary("/", float(x), float(y), F32) == x / y
    assert fold_binary("/", -7, 2, I32) == -3
    assert fold_binary("%", -7, 2, I32) == -1


def test_float_literals_read_back():
    rng = np.random.default_rng(1)
    for bits in rng.integers(0, 0x7F800000, 500, dtype=np.uint32):
        value = float(bits.view(np.float32))
        text = float_text(value)
        assert text.endswith("f")
        assert np.float32(text[:-1]) == np.float32(value)
    assert float_text(float(np.float32(0.1))) == "0.1f"
    assert float_text(1.0) == "1.0f"


def test_the_hash_is_of_content():
    base = ir.function_hash(total())
    assert ir.function_hash(total("other", "k")) == base
    assert ir.function_hash(replace(total(), name="another")) == base
    assert ir.function_hash(total(factor=2.5)) != base
    assert ir.module_hash(entry(total())) != ir.module_hash(entry(total(factor=3.0)))


def test_every_node_changes_the_hash():
    """Each member of each node that carries meaning is part of the canonical text."""
    seen = {}
    n = ir.FunctionBuilder("f").parameter("n", F32)
    x = ir.expression(n)
    pair = StructType("Pair", (StructField("a", F32), StructField("b", F32)))
    both = ir.struct(pair, {"a": x, "b": x})
    v = ir.construct(VEC3, x)
    for value in (
        x,
        ir.unary("-", x),
        ir.binary("+", x, x),
        ir.binary("-", x, x),
        ir.binary("+", x, 1.0),
        ir.binary("+", 1.0, x),
        ir.intrinsic("sin", x),
        ir.intrinsic("cos", x),
        ir.convert(I32, x),
        ir.convert(U32, x),
        ir.bitcast(U32, x),
        ir.field(both, "a"),
        ir.field(both, "b"),
        ir.swizzle(v, "x"),
        ir.swizzle(v, "y"),
        ir.index(v, 0),
        ir.literal(0.0),
        ir.literal(-0.0),
        ir.literal(0, U32),
        ir.literal(0, I32),
        ir.literal(False),
    ):
        function = nodes.Function("f", (n,), value.type, (nodes.Return(value),))
        key = ir.function_hash(function)
        assert key not in seen, (value, seen.get(key))
        seen[key] = value


def test_the_tables_name_all_members():
    skipped = {"type", "span", "abstract", "local", "resource", "function"}
    kinds = [
        kind
        for kind in vars(nodes).values()
        if isinstance(kind, type) and issubclass(kind, nodes.Expr | nodes.Stmt)
    ]
    for kind in set(kinds) - {nodes.Expr, nodes.Stmt}:
        members = set(kind.__dataclass_fields__) - skipped
        assert members == {*CHILDREN[kind], *PLAIN.get(kind, ())}, kind


@pytest.mark.parametrize(
    "body",
    [
        (nodes.Break(),),
        (nodes.Return(ir.literal(1, U32)),),
        (nodes.Declare(nodes.Local(9, "x", F32), None), nodes.Return(ir.zero(F32))),
        (nodes.Return(nodes.Read(F32, nodes.Local(3, "ghost", F32))),),
        (nodes.Assign(nodes.Read(F32, nodes.Local(0, "n", F32)), ir.zero(F32)),),
        (nodes.Return(nodes.Binary(F32, "+", ir.zero(F32), ir.zero(U32))),),
        (nodes.If(ir.zero(F32), (), ()), nodes.Return(ir.zero(F32))),
        (nodes.If(ir.zero(BOOL), (nodes.Return(ir.zero(F32)),), ()),),
    ],
)
def test_the_verifier_finds_faults(body):
    function = nodes.Function("f", (nodes.Local(0, "n", F32),), F32, body)
    with pytest.raises(AssertionError):
        ir.verify_function(function)


def test_names_are_made_safe_and_unique():
    assert safe("active") == "active_"
    assert safe("__x") == "p__x"
    assert safe("größe") == "gruf6udfe"
    names = Names()
    assert [names.give("a"), names.give("a"), Names(names).give("a")] == ["a", "a_1", "a_2"]


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from test_program import place, shade
from heapscene.shader import Program
program = Program(place, shade)
print(program.hash, hash(program), len(program.wgsl))
import hashlib
print(hashlib.sha256(program.wgsl.encode()).hexdigest())
"""


def test_text_and_hash_are_the_same_in_every_process():
    from pathlib import Path

    folder = str(Path(__file__).parent)
    outputs = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(folder=folder)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
