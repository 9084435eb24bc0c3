"""More wrong programs; the full messages of all of them are in ``tests/golden/shader_errors.txt``.

``HEAPSCENE_GOLDEN=write`` writes that file anew; read the difference before you keep it.
"""

# Shader functions use names of WGSL, and wrong ones are the subject.
from __future__ import annotations

import itertools
import math
import os
import re
from pathlib import Path

import pytest

from heapscene.errors import ShaderError
from heapscene.shader import (
    Program,
    ShaderFunction,
    builtin,
    compute,
    f32,
    fragment,
    function,
    i32,
    mat3,
    mat4,
    max,
    static,
    storage,
    struct,
    u32,
    vec2,
    vec3,
    vec4,
    vertex,
)
from reference.structs import Varyings
from unit.shader import numpy_habits
from unit.shader.test_frontend_errors import CASES, Attributes, Inputs, underlined

GOLDEN = Path(__file__).parents[2] / "golden" / "shader_errors.txt"


numbers = storage("numbers", f32, binding=0)
LEVEL = 3


@function
def half(x: f32) -> f32:
    return x * 0.5


@function
def shadow_intrinsic(a: f32) -> f32:
    max = a
    return max(a, 1.0)


@function
def shadow_type(a: f32) -> f32:
    vec3 = a
    return vec3(a).x


@function
def shadow_helper(a: f32) -> f32:
    half = half(a)
    return half


@function
def shadow_global(a: f32) -> f32:
    LEVEL = LEVEL + 1
    return a


@function
def misspelt(colour: f32) -> f32:
    return color * 2.0


@function
def misspelt_intrinsic(a: vec3) -> vec3:
    return normalise(a)


@function
def misspelt_field(u: Inputs) -> vec4:
    return u.colour


@function
def math_module(a: f32) -> f32:
    return math.sin(a)


@function
def matmul_vec(a: vec3) -> f32:
    return a @ a


@function
def string(a: f32) -> f32:
    return a + "x"


@function
def fstring(a: f32) -> f32:
    b = f"{a}"
    return a


@function
def lambda_(a: f32) -> f32:
    f = lambda x: x
    return f(a)


@function
def walrus(a: f32) -> f32:
    if (b := a) > 1.0:
        return b
    return a


@function
def is_none(a: f32) -> f32:
    if a is None:
        return 0.0
    return a


@function
def in_tuple(a: i32) -> bool:
    return a in (1, 2)


@function
def none_value(a: f32) -> f32:
    b = None
    return a


@function
def slice_(a: vec4) -> vec2:
    return a[0:2]


@function
def negative_index(a: vec4) -> f32:
    return a[-1]


@function
def starred(a: vec2) -> vec3:
    return vec3(*a, 1.0)


@function
def kwargs(a: vec2) -> vec3:
    return vec3(**a)


@function
def print_(a: f32) -> f32:
    print(a)
    return a


@function
def yield_(a: f32) -> f32:
    yield a


@function
def nested(a: f32) -> f32:
    def inner(x):
        return x

    return inner(a)


@function
def dict_(a: f32) -> f32:
    b = {"a": a}
    return a


@function
def complex_(a: f32) -> f32:
    return a + 1j


@function
def unsigned_negative(a: u32) -> u32:
    return -a


@function
def invert_float(a: f32) -> f32:
    return ~a


@function
def xor_bool(a: bool, b: bool) -> bool:
    return a ^ b


@function
def compare_vec(a: vec3, b: vec3) -> f32:
    if a == b:
        return 1.0
    return 0.0


@function
def compare_types(a: f32, b: i32) -> bool:
    return a < b


@function
def compare_struct(a: Varyings, b: Varyings) -> bool:
    return a == b


@function
def swizzle_mixed(a: vec4) -> vec2:
    return a.xg


@function
def swizzle_long(a: vec4) -> vec4:
    return a.xyzwx


@function
def attr_of_scalar(a: f32) -> f32:
    return a.x


@function
def method(a: vec3) -> f32:
    return a.dot(a)


@function
def mat_dims(a: mat3, b: mat4) -> mat4:
    return a @ b


@function
def range_float(a: f32) -> f32:
    for i in range(a):
        pass
    return a


@function
def range_step(a: u32) -> u32:
    for i in range(0, 10, a):
        pass
    return a


@function
def for_tuple(a: u32) -> u32:
    for i, j in range(4):
        pass
    return a


@function
def aug_type(a: i32) -> i32:
    a += 1.5
    return a


@function
def undefined_aug(a: f32) -> f32:
    b += a
    return b


@function
def two_targets(a: f32) -> f32:
    b = c = a
    return b


@function
def unpack(a: vec2) -> f32:
    x, y = a
    return x


@function
def declared(a: f32) -> f32:
    b: i32 = a
    return a


@function
def dead_annotation(a: f32) -> f32:
    b: floot = a
    return a


@function
def helper_no_value(a: f32) -> f32:
    b = nothing(a)
    return b


@function
def nothing(a: f32) -> None:
    pass


@function
def return_nothing(a: f32) -> f32:
    return


@function
def too_many(a: f32) -> f32:
    return half(a, a)


@function
def ternary_cond(a: f32) -> f32:
    return 1.0 if a else 0.0


@function
def with_z_of_vec2(a: vec2) -> vec2:
    return a.with_z(1.0)


@function
def replace_unknown(v: Varyings) -> Varyings:
    return v.replace(norml=vec3(0.0))


@function
def entry_called(v: Varyings) -> vec4:
    return shade(v)


@fragment
def shade(v: Varyings) -> vec4:
    return vec4(v.normal, 1.0)


@vertex
def vertex_scalar(a: f32) -> Varyings:
    return Varyings(clip=vec4(a), normal=vec3(a))


@compute(workgroup_size=8)
def returns_value(i: u32 = builtin.local_invocation_index) -> f32:
    return 1.0


@compute(workgroup_size=8)
def plain_parameter(n: u32) -> None:
    pass


@function
def global_stmt(a: f32) -> f32:
    global LEVEL
    LEVEL = 2
    return a


@struct
class More:
    glow: f32
    normal: vec4


@fragment
def reads_more(v: More) -> vec4:
    return vec4(v.glow) + v.normal


@fragment
def two_faults(v: Varyings, u: Inputs) -> vec4:
    a = v.normal + u.color
    b = undefined_color * 2.0
    return u.view @ v.normal


@function
def innermost(a: f32) -> f32:
    return a + missing_gain


@function
def inner(a: f32) -> f32:
    return innermost(a) * 2.0


@function
def outer_of_three(a: f32) -> f32:
    return inner(a) + 1.0


@function
def loop_over_class(a: f32) -> f32:
    for part in static(vec3):
        a += part
    return a


@function
def endless_static(a: f32) -> f32:
    for part in static(itertools.count()):
        a += f32(part)
    return a


@function
def long_static(a: f32) -> f32:
    for part in static(range(10**9)):
        a += f32(part)
    return a


@function
def failing_static(a: f32) -> f32:
    for part in static(map(len, [1])):
        a += part
    return a


@function
def memory_as_type(a: f32) -> f32:
    b: numbers[numbers[0]] = a
    return b


@function
def broken_type(a: f32) -> f32:
    b: 1 // 0 = a
    return b


RIGHT = {"half", "shade", "nothing", "innermost", "inner"}
CARETS = {
    "memory_as_type": "numbers[numbers[0]]",
    "broken_type": "1 // 0",
    "loop_over_class": "static(vec3)",
    "endless_static": "static(itertools.count())",
    "long_static": "static(range(10**9))",
    "failing_static": "static(map(len, [1]))",
    "shadow_intrinsic": "max(a, 1.0)",
    "shadow_type": "vec3(a)",
    "shadow_helper": "half",
    "shadow_global": "LEVEL",
    "misspelt": "color",
    "misspelt_intrinsic": "normalise",
    "misspelt_field": "u.colour",
    "math_module": "math.sin",
    "matmul_vec": "a @ a",
    "string": '"x"',
    "fstring": 'f"{a}"',
    "lambda_": "lambda x: x",
    "walrus": "b := a",
    "is_none": "a is None",
    "in_tuple": "a in (1, 2)",
    "none_value": "None",
    "slice_": "0:2",
    "negative_index": "a[-1]",
    "starred": "*a",
    "kwargs": "a",
    "print_": "print",
    "yield_": "yield a",
    "nested": "def inner(x):",
    "dict_": '{"a": a}',
    "complex_": "1j",
    "unsigned_negative": "-a",
    "invert_float": "~a",
    "xor_bool": "a ^ b",
    "compare_vec": "a == b",
    "compare_types": "a < b",
    "compare_struct": "a == b",
    "swizzle_mixed": "a.xg",
    "swizzle_long": "a.xyzwx",
    "attr_of_scalar": "a.x",
    "method": "a.dot(a)",
    "mat_dims": "a @ b",
    "range_float": "range(a)",
    "range_step": "a",
    "for_tuple": "i, j",
    "aug_type": "a += 1.5",
    "undefined_aug": "b",
    "two_targets": "b = c = a",
    "unpack": "x, y = a",
    "declared": "b: i32 = a",
    "dead_annotation": "floot",
    "helper_no_value": "b = nothing(a)",
    "return_nothing": "return",
    "too_many": "half(a, a)",
    "ternary_cond": "a",
    "with_z_of_vec2": "a.with_z(1.0)",
    "replace_unknown": "v.replace(norml=vec3(0.0))",
    "entry_called": "shade(v)",
    "vertex_scalar": "a: f32",
    "returns_value": "f32",
    "plain_parameter": "n: u32",
    "global_stmt": "global LEVEL",
    "reads_more": "v.glow",
    "two_faults": "v.normal + u.color",
    "outer_of_three": "missing_gain",
    **numpy_habits.CARETS,
}


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    return Varyings(clip=u.view @ vec4(a.position, 1.0), normal=a.position)


def wrong() -> dict[str, ShaderFunction]:
    here = {
        name: value
        for name, value in globals().items()
        if isinstance(value, ShaderFunction) and value.source.filename == __file__
    }
    named = {case[0].name: case[0] for case in CASES}
    named |= {shader.name: shader for shader in numpy_habits.PROGRAMS}
    return {**named, **{n: f for n, f in here.items() if n not in {*RIGHT, "place"}}}


def fault(shader: ShaderFunction) -> str:
    with pytest.raises(ShaderError) as caught:
        _ = shader.ir if shader.stage != "fragment" else Program(place, shader)
    return str(caught.value)


def message(shader: ShaderFunction) -> str:
    """The message with lines counted from the function's own, so that the file may grow."""
    first = shader.source.tree.lineno

    def relative(match: re.Match[str]) -> str:
        return f"line {int(match[1]) - first:+d}"

    text = fault(shader).replace(shader.source.filename, "FILE")
    return re.sub(r"line (\d+)", relative, re.sub(r"FILE:\d+", "FILE", text))


def read_golden() -> dict[str, str]:
    parts = re.split(r"^== (\w+)\n", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_the_golden_file_has_these_programs_and_no_others():
    if os.environ.get("HEAPSCENE_GOLDEN") == "write":
        texts = [f"== {name}\n{message(shader)}\n" for name, shader in sorted(wrong().items())]
        GOLDEN.write_text("\n".join(texts), encoding="utf-8")
    assert set(read_golden()) == set(wrong())
    assert len(wrong()) >= 170


@pytest.mark.parametrize("name", sorted(wrong()))
def test_the_message_is_golden(name):
    assert message(wrong()[name]) == read_golden()[name]


@pytest.mark.parametrize("name", sorted(wrong()))
def test_each_fault_has_a_place_and_what_to_write(name):
    for text in re.sub(r"\n\n\d+ faults\.$", "", fault(wrong()[name])).split("\n\n"):
        lines = text.split("\n")
        assert lines[1].startswith('  File "')
        assert not lines[3].strip(" ^")
        assert "^" in lines[3]
        assert not lines[-1].startswith(" "), text


@pytest.mark.parametrize("name", sorted(CARETS))
def test_the_caret_stands_under_the_token(name):
    assert underlined(fault(wrong()[name])) == CARETS[name]


def test_every_program_here_says_where_its_caret_belongs():
    assert set(CARETS) == set(wrong()) - {case[0].name for case in CASES}


def test_names_that_wgsl_reserves_are_no_fault():
    """They are renamed in the text, so nobody has to know them."""

    @function
    def fn(let: f32, ptr: f32) -> f32:
        var = let + ptr
        discard_ = var
        return discard_

    text = Program(place, uses(fn)).wgsl
    assert "let var_ = let_ + ptr_;" in text or "let_ + ptr_" in text


def uses(helper):
    @fragment
    def active(v: Varyings) -> vec4:
        return vec4(helper(v.normal.x, v.normal.y))

    return active


def test_a_call_chain_is_listed_innermost_first():
    calls = re.findall(r"called from (\w+) \(.*, line \d+\)", fault(outer_of_three))
    assert calls == ["inner", "outer_of_three"]


def test_all_faults_of_a_function_are_told_at_once():
    text = fault(two_faults)
    assert text.count('File "') == 3
    assert text.endswith("3 faults.")
    assert fault(reads_more).endswith("2 faults.")
