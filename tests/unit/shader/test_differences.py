"""Where Python and WGSL differ: each case is refused on both sides, or equal on both.

The cases are those that a person who knows Python would stumble over; the reasons are in the guide.
"""

from __future__ import annotations

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderError
from heapscene.shader import f32, function, i32, storage, u32, vec2, vec3
from heapscene.shader.lang import type_of, zero
from heapscene.shader.operations import spelled
from reference.gpu_calls import call_on_gpu

LOW, HIGH = -(2**31), 2**31 - 1
TOP = 2**32 - 1
array = storage("array", f32, binding=0)


def made(body: str, arguments: str, result: str):
    """Return a helper; ``body`` is an expression or whole lines."""
    lines = body if "\n" in body or body.startswith("return") else f"return {body}"
    indented = "".join(f"    {line}\n" for line in lines.splitlines())
    text = f"@function(source=TEXT)\ndef run({arguments}) -> {result}:\n{indented}"
    scope = {**vars(sh), "TEXT": text, "array": array}
    exec(text, scope)
    return scope["run"]


# (what, expression, arguments, result, rows of arguments, what both sides give)
EQUAL = [
    ("// on u32", "a // b", "a: u32, b: u32", "u32", [(7, 2), (TOP, 2)], [3, TOP // 2]),
    ("% on u32", "a % b", "a: u32, b: u32", "u32", [(7, 4), (TOP, 10)], [3, 5]),
    ("// of constants", "7 // 2 + a * 0", "a: i32", "i32", [(1,)], [3]),
    ("i32 overflow", "a + b", "a: i32, b: i32", "i32", [(HIGH, 1), (LOW, -1)], [LOW, HIGH]),
    ("u32 underflow", "a - b", "a: u32, b: u32", "u32", [(0, 1)], [TOP]),
    (
        "products wrap",
        "a * b",
        "a: i32, b: i32",
        "i32",
        [(123456789, 987654321), (LOW, -1)],
        [-67153019, LOW],
    ),
    ("x // 0 on u32", "a // b", "a: u32, b: u32", "u32", [(9, 0), (0, 0)], [9, 0]),
    ("x % 0 on u32", "a % b", "a: u32, b: u32", "u32", [(9, 0), (0, 0)], [0, 0]),
    ("<< by 32 and more", "a << b", "a: u32, b: u32", "u32", [(3, 32), (3, 33)], [3, 6]),
    (">> of negative", "a >> b", "a: i32, b: u32", "i32", [(-8, 1), (-1, 31)], [-4, -1]),
    (">> by 32 and more", "a >> b", "a: i32, b: u32", "i32", [(-8, 33)], [-4]),
    (
        "round half to even",
        "round(a)",
        "a: f32",
        "f32",
        [(0.5,), (1.5,), (2.5,), (-0.5,), (-1.5,)],
        [0, 2, 2, 0, -2],
    ),
    (
        "i32 of a float",
        "i32(a)",
        "a: f32",
        "i32",
        [(-1.9,), (1.9,), (3.0e9,), (-3.0e9,)],
        [-1, 1, 2147483520, LOW],
    ),
    ("u32 of a float", "u32(a)", "a: f32", "u32", [(-1.0,), (5.0e9,)], [0, 4294967040]),
    ("abs of the lowest", "abs(a)", "a: i32", "i32", [(LOW,), (-5,)], [LOW, 5]),
    ("- of the lowest", "-a", "a: i32", "i32", [(LOW,)], [LOW]),
    ("float %", "a % b", "a: f32, b: f32", "f32", [(5.5, 2.0), (-5.5, 2.0)], [1.5, -1.5]),
    ("x ** 2", "a ** 2", "a: f32", "f32", [(-3.0,), (2.0,)], [9, 4]),
    ("x ** 7", "a ** 7", "a: f32", "f32", [(-2.0,), (-1.0,), (3.0,)], [-128, -1, 2187]),
    ("x ** 32", "a ** 32", "a: f32", "f32", [(-2.0,), (-1.0,)], [2.0**32, 1]),
    (
        "chained comparison",
        "1.0 if 0.0 < a <= 1.0 else 2.0",
        "a: f32",
        "f32",
        [(0.0,), (0.5,), (1.0,), (1.5,)],
        [2, 1, 1, 2],
    ),
    (
        "if ... else is lazy",
        "1.0 if b == 0 else f32(a // b)",
        "a: u32, b: u32",
        "f32",
        [(4, 0), (4, 2)],
        [1, 2],
    ),
    (
        "and stops early",
        "1.0 if b != 0 and a // b == 2 else 0.0",
        "a: u32, b: u32",
        "f32",
        [(4, 0), (4, 2)],
        [0, 1],
    ),
    ("vector * vector", "a * a", "a: vec2", "vec2", [((2.0, 3.0),)], [(4.0, 9.0)]),
    (
        "names live in the function",
        "if a > 0.0:\n    b = 1.0\nelse:\n    b = 2.0\nreturn b",
        "a: f32",
        "f32",
        [(1.0,), (-1.0,)],
        [1, 2],
    ),
    (
        "an argument is a copy",
        "b = a\na = a + 1.0\nreturn a * 10.0 + b",
        "a: f32",
        "f32",
        [(1.0,)],
        [21],
    ),
    (
        "a vector is a copy",
        "b = a\nb = b.with_x(9.0)\nreturn a.x + b.x",
        "a: vec2",
        "f32",
        [((1.0, 2.0),)],
        [10],
    ),
    (
        "range evaluates its bounds once",
        "n = 3\ntotal = 0\nfor i in range(n):\n    n = 10\n    total += i\nreturn total + a * 0",
        "a: i32",
        "i32",
        [(1,)],
        [3],
    ),
    (
        "range counts down",
        "total = 0\nfor i in range(a, 0, -2):\n    total += i\nreturn total",
        "a: i32",
        "i32",
        [(5,), (0,), (-3,)],
        [9, 0, 0],
    ),
    ("bool of a number", "u32(bool(a))", "a: u32", "u32", [(0,), (7,)], [0, 1]),
    (
        "tuples swap",
        "b = 2.0\na, b = b, a\nreturn a * 10.0 + b",
        "a: f32",
        "f32",
        [(1.0,)],
        [21],
    ),
]

# (what, lines, arguments, result, text of the fault)
REFUSED = [
    ("/ on integers", "a / b", "a: i32, b: i32", "f32", "'/' on integers"),
    ("// on i32", "a // b", "a: i32, b: i32", "i32", "rounds towards zero"),
    ("% on i32", "a % b", "a: i32, b: i32", "i32", "rounds towards zero"),
    ("// on f32", "a // b", "a: f32, b: f32", "f32", "'//' is not defined for f32"),
    ("division by the constant 0", "a // 0", "a: u32", "u32", "constant 0"),
    ("a shift by 32", "a << 32", "a: u32", "u32", "not within 0 to 31"),
    ("True + 1", "True + a", "a: i32", "i32", "bool"),
    ("- of a bool", "-a", "a: bool", "i32", ""),
    ("and on numbers", "a and b", "a: i32, b: i32", "i32", "a condition must be bool"),
    ("truth of a number", "1.0 if a else 2.0", "a: f32", "f32", "a condition must be bool"),
    ("truth of a vector", "1.0 if a == a else 2.0", "a: vec2", "f32", "all(a == a)"),
    ("not of a number", "not a", "a: i32", "bool", "'not' wants a bool"),
    ("matrix * matrix", "(a * a)[0]", "a: mat2", "vec2", "@"),
    ("vector @ vector", "a @ a", "a: vec2", "f32", "dot(a, b)"),
    ("i32 + f32", "a + b", "a: i32, b: f32", "f32", "Convert"),
    ("u32 + i32", "a + b", "a: u32, b: i32", "u32", "Convert"),
    ("x ** 40", "a ** 40", "a: f32", "f32", "1 to 32"),
    ("x ** -1", "a ** -1", "a: f32", "f32", "1 to 32"),
    ("x ** 2 on integers", "a ** 2", "a: i32", "i32", "'**' is not defined"),
    ("-x of u32", "-a", "a: u32", "u32", ""),
    ("component assignment", "a.x = 1.0\nreturn a", "a: vec2", "vec2", "with_x"),
    ("swizzle assignment", "a.xy = a\nreturn a", "a: vec2", "vec2", "vec2(...)"),
    ("element assignment", "a[0] = 1.0\nreturn a", "a: vec2", "vec2", "do not change"),
    ("is", "1.0 if a is a else 2.0", "a: f32", "f32", "Compare with =="),
    ("an index out of range", "a[2]", "a: vec2", "f32", "out of range"),
    (
        "a loop variable after its loop",
        "for i in range(3):\n    a += 1\nreturn i",
        "a: i32",
        "i32",
        "ends with its loop",
    ),
    ("a new type", "a = 1\nreturn a", "a: vec2", "vec2", "cannot become"),
    (
        "while ... else",
        "while a < 1.0:\n    a += 1.0\nelse:\n    a = 2.0\nreturn a",
        "a: f32",
        "f32",
        "else",
    ),
    ("NaN", "a + float('nan')", "a: f32", "f32", "float"),
    ("an infinite constant", "a + 1e39", "a: f32", "f32", "not a finite f32"),
    ("a big literal", "a + 4294967296", "a: u32", "u32", "does not fit"),
]
# What CPython cannot see before it happens, or where it is the compiler that has one scope fewer.
COMPILED_ONLY = {
    "a shift by 32",
    "division by the constant 0",
    "is",
    "a loop variable after its loop",
    "a new type",
    "while ... else",
    "an infinite constant",
    "an index out of range",
}


def arrays_of(helper, rows):
    for k, parameter in enumerate(helper.parameters):
        dtype = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}
        kind = parameter.type
        scalar = getattr(kind, "scalar", kind).name
        yield np.array([row[k] for row in rows], dtype.get(scalar, np.uint32))


@pytest.mark.gpu
@pytest.mark.parametrize("case", EQUAL, ids=[case[0] for case in EQUAL])
def test_both_sides_give_the_same(case):
    wgpu = pytest.importorskip("wgpu")
    _, body, arguments, result, rows, expected = case
    helper = made(body, arguments, result)
    kinds = [p.type for p in helper.parameters]
    python = [
        helper(*(_value(kind, part) for kind, part in zip(kinds, row, strict=True))) for row in rows
    ]
    assert [_plain(each) for each in python] == [_plain(each) for each in expected]
    device = wgpu.gpu.request_adapter_sync().request_device_sync()
    gpu = call_on_gpu(device, helper, *arrays_of(helper, rows))
    assert np.array_equal(gpu, np.array(expected, gpu.dtype))


def _value(kind, part):
    return vec2(*part) if spelled(kind) == "vec2" else part


def _plain(value):
    return tuple(float(part) for part in value) if hasattr(value, "__len__") else float(value)


@pytest.mark.parametrize("case", REFUSED, ids=[case[0] for case in REFUSED])
def test_both_sides_refuse(case):
    what, body, arguments, result, text = case
    helper = made(body, arguments, result)
    with pytest.raises(ShaderError) as caught:
        _ = helper.ir
    assert text in str(caught.value)
    if what not in COMPILED_ONLY:
        kinds = [p.type for p in helper.parameters]
        with pytest.raises((TypeError, AttributeError)):
            helper(*(zero(kind) for kind in kinds))


def test_nothing_is_equal_to_nan():
    @function
    def run(a: f32) -> f32:
        return sh.pow(a, 2.0)

    assert run(-2.0) != run(-2.0)
    assert run(2.0) == 4.0


def test_division_by_zero_is_left_to_the_gpu():
    @function
    def run(a: f32, b: f32) -> f32:
        return a / b

    assert run(1.0, 0.0) == float("inf")
    assert run(-1.0, 0.0) == -float("inf")


def test_an_index_out_of_range_is_a_bug_here():
    @function
    def run(i: u32) -> f32:
        return array[i]

    with array.bound_to(np.zeros(2, np.float32)), pytest.raises(IndexError):
        run(2)
    assert type_of(i32).wgsl == "i32"


def test_discard_ends_a_path():
    @sh.fragment
    def shade() -> sh.vec4:
        sh.discard()

    @function
    def cut(a: f32) -> f32:
        if a > 1.0:
            return a
        sh.discard()

    @sh.struct
    class Varyings:
        a: f32

    @sh.fragment
    def in_a_loop(v: Varyings) -> sh.vec4:
        total = 0.0
        while True:
            total += v.a
            if total > 3.0:
                sh.discard()
            if v.a < 0.5:
                break
        return sh.vec4(vec3(total), cut(v.a))

    _ = shade.ir
    _ = cut.ir
    assert shade() is None
    assert in_a_loop(Varyings(a=2.0)) is None
    body = sh.ir.FunctionBuilder("main")
    body.let("r", sh.ir.call(in_a_loop.ir, sh.ir.zero(Varyings.__shader_type__)))
    text = sh.emit(sh.ir.Module((sh.ir.EntryPoint("fragment", body.done()),)))
    # A discarded fragment goes on as a helper: it has to leave the loop by itself.
    assert "discard;\n            return vec4<f32>();" in text
