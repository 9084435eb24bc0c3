"""Wrong programs as people write them who know NumPy; ``test_wrong_programs`` compiles them.

Each stands below the text that its caret has to underline.
"""

# Shader functions use names of WGSL, and wrong ones are the subject.

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable

import numpy as np

from heapscene.shader import (
    ShaderFunction,
    abs,
    clamp,
    exp,
    f32,
    function,
    i32,
    mat2,
    mat4,
    max,
    min,
    modf,
    round,
    storage,
    struct,
    u32,
    vec2,
    vec3,
    vec3b,
    vec3i,
    vec4,
)

CARETS: dict[str, str] = {}
PROGRAMS: list[ShaderFunction] = []
numbers = storage("numbers", f32, binding=0)
CONFIG = {"gain": 2.0}


@struct
class Ray:
    origin: vec3
    direction: vec3


class Plain:
    gain = 2.0


obj = Plain()


def wrong(caret: str) -> Callable[[ShaderFunction], ShaderFunction]:
    """Note a wrong program."""

    def note(made: ShaderFunction) -> ShaderFunction:
        PROGRAMS.append(made)
        CARETS[made.name] = caret
        return made

    return note


@function
def scaled(x: f32, y: f32 = 2.0) -> f32:
    return x * y


@wrong("v[0]")
@function
def item_assign(v: vec3) -> vec3:
    v[0] = 1.0
    return v


@wrong(":2")
@function
def slicing_assign(v: vec4) -> vec4:
    v[:2] = vec2(0.0)
    return v


@wrong("np.linalg.norm")
@function
def np_call(v: vec3) -> f32:
    return np.linalg.norm(v)


@wrong("np.where")
@function
def np_where(a: f32) -> f32:
    return np.where(a > 0.0, a, -a)


@wrong("np.array")
@function
def np_array(a: f32) -> vec3:
    return np.array([a, a, a])


@wrong("[a * k for k in range(4)]")
@function
def listcomp(a: f32) -> f32:
    xs = [a * k for k in range(4)]
    return xs[0]


@wrong("sum")
@function
def sum_gen(a: f32) -> f32:
    return sum(a * k for k in range(4))


@wrong("a > b")
@function
def and_vectors(a: vec3, b: vec3) -> bool:
    return (a > b) and (b > a)


@wrong("0.0 < a < 1.0")
@function
def chained_vec(a: vec3) -> bool:
    return 0.0 < a < 1.0


@wrong("n * 0.5")
@function
def int_float_mix(n: i32) -> f32:
    return n * 0.5


@wrong("x // 2")
@function
def floor_div(x: f32) -> f32:
    return x // 2


@wrong("-n % 4")
@function
def mod_neg(n: i32) -> i32:
    return -n % 4


@wrong("n**k")
@function
def pow_var(n: i32, k: i32) -> i32:
    return n**k


@wrong("x**-2")
@function
def pow_neg(x: f32) -> f32:
    return x**-2


@wrong('"a"')
@function
def match_str(x: f32) -> f32:
    match x:
        case "a":
            return 1.0
        case _:
            return x


@wrong("match v:")
@function
def match_seq(v: vec2) -> f32:
    match v:
        case [x, y]:
            return x
        case _:
            return 0.0


@wrong('with np.errstate(all="ignore"):')
@function
def with_(x: f32) -> f32:
    with np.errstate(all="ignore"):
        x = x / 0.5
    return x


@wrong("try:")
@function
def try_(x: f32) -> f32:
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return 0.0
    finally:
        pass


@wrong("1.0")
@function
def kw_wrong(x: f32) -> f32:
    return scaled(x, z=1.0)


@wrong("x")
@function
def missing_hint(x) -> f32:
    return x


@wrong("return x")
@function
def missing_ret_hint(x: f32):
    return x


@wrong("float")
@function
def wrong_hint(x: float) -> float:
    return x


@wrong("class A:")
@function
def nested_class(x: f32) -> f32:
    class A:
        b: f32

    return x


@wrong("max(x, 1.0)")
@function
def shadow_builtin(x: f32) -> f32:
    max = 3.0
    return max(x, 1.0)


@wrong("99999999999999999999")
@function
def huge_int(x: i32) -> i32:
    return x + 99999999999999999999


@wrong("1e39")
@function
def big_float(x: f32) -> f32:
    return x * 1e39


@wrong("0x1FFFFFFFF")
@function
def hexbig(x: u32) -> u32:
    return x & 0x1FFFFFFFF


@wrong("len")
@function
def len_vec(v: vec3) -> f32:
    return f32(len(v))


@wrong("v")
@function
def iterate_vec(v: vec3) -> f32:
    t = 0.0
    for c in v:
        t += c
    return t


@wrong("i, c")
@function
def enumerate_(v: vec3) -> f32:
    t = 0.0
    for i, c in enumerate(v):
        t += c
    return t


@wrong("c, d")
@function
def zip_(a: vec3, b: vec3) -> f32:
    t = 0.0
    for c, d in zip(a, b):
        t += c * d
    return t


@wrong("reversed(range(4))")
@function
def reversed_(n: i32) -> i32:
    t = 0
    for i in reversed(range(4)):
        t += i
    return t


@wrong("v.sum()")
@function
def method_sum(v: vec3) -> f32:
    return v.sum()


@wrong("v.dot(v)")
@function
def method_dot(v: vec3) -> f32:
    return v.dot(v)


@wrong("m.T")
@function
def transpose_T(m: mat4) -> mat4:
    return m.T


@wrong("0, 3")
@function
def m_item(m: mat4) -> f32:
    return m[0, 3]


@wrong("v.astype(f32)")
@function
def astype(v: vec3i) -> vec3:
    return v.astype(f32)


@wrong("None")
@function
def none_cmp(v: f32) -> f32:
    if v == None:
        return 0.0
    return v


@wrong('"a"')
@function
def str_cmp(v: f32) -> f32:
    if v == "a":
        return 0.0
    return v


@wrong("n in range(4)")
@function
def in_range(n: i32) -> bool:
    return n in range(4)


@wrong("n not in (1, 2)")
@function
def not_in(n: i32) -> bool:
    return n not in (1, 2)


@wrong("a is b")
@function
def is_(a: f32, b: f32) -> bool:
    return a is b


@wrong('CONFIG["gain"]')
@function
def dict_lookup(x: f32) -> f32:
    return x * CONFIG["gain"]


@wrong("obj.missing")
@function
def obj_attr(x: f32) -> f32:
    return x * obj.missing


@wrong("del x")
@function
def del_(x: f32) -> f32:
    del x
    return 1.0


@wrong('raise ValueError("no")')
@function
def raise_(x: f32) -> f32:
    raise ValueError("no")


@wrong("x if x > 0.0 else n")
@function
def ternary_types2(x: f32, n: i32) -> f32:
    return x if x > 0.0 else n


@wrong("x * (x > 0.0)")
@function
def bool_arith(x: f32) -> f32:
    return x * (x > 0.0)


@wrong("not (v > v)")
@function
def not_vec(v: vec3) -> vec3b:
    return not (v > v)


@wrong("x, x")
@function
def tuple_ret(x: f32) -> f32:
    return x, x


@wrong("y: f32")
@function
def uninit(x: f32) -> f32:
    y: f32
    return x + y


@wrong("round(x, 2)")
@function
def round_digits(x: f32) -> f32:
    return round(x, 2)


@wrong("int")
@function
def int_call(x: f32) -> i32:
    return int(x)


@wrong("float")
@function
def float_call(n: i32) -> f32:
    return float(n)


@wrong("min(v)")
@function
def min_one(v: vec3) -> f32:
    return min(v)


@wrong("abs")
@function
def max_key(x: f32) -> f32:
    return max(x, 1.0, key=abs)


@wrong("random.random")
@function
def random_(x: f32) -> f32:
    return x * random.random()


@wrong("x << 1.5")
@function
def shift_float(x: u32) -> u32:
    return x << 1.5


@wrong("a, *b = v.x, v.y, v.z")
@function
def star_assign(v: vec3) -> f32:
    a, *b = v.x, v.y, v.z
    return a


@wrong("n = 0")
@function
def for_else(n: i32) -> i32:
    for k in range(3):
        n += k
    else:
        n = 0
    return n


@wrong("t += x")
@function
def accum_int(x: f32) -> f32:
    t = 0
    for k in range(3):
        t += x
    return t


@wrong("x")
@function
def exp_kw(x: f32) -> f32:
    return exp(x=x)


@wrong("[x, x, x]")
@function
def vec_list(x: f32) -> vec3:
    return vec3([x, x, x])


@wrong("[[x, x], [x, x]]")
@function
def mat_list(x: f32) -> mat2:
    return mat2([[x, x], [x, x]])


@wrong("clamp(x, 1.0)")
@function
def clamp2(x: f32) -> f32:
    return clamp(x, 1.0)


@wrong("n - 1.0")
@function
def mixed_lit(n: u32) -> u32:
    return n - 1.0


@wrong("n + -1")
@function
def neg_u32(n: u32) -> u32:
    return n + -1


@wrong("x.real")
@function
def assert_str(x: f32) -> f32:
    assert x > 0.0, f"bad {x}"
    return x.real


@wrong("numbers[x]")
@function
def bad_index_float(x: f32) -> f32:
    return numbers[x]


@wrong("0:3")
@function
def slice_storage(x: f32) -> f32:
    return numbers[0:3][0]


@wrong("numbers.append")
@function
def append(x: f32) -> f32:
    numbers.append(x)
    return x


@wrong("len")
@function
def write_len(x: f32) -> f32:
    return f32(len(numbers))


@wrong("[1.0, 2.0]")
@function
def global_list(x: f32) -> f32:
    for t in [1.0, 2.0]:
        x += t
    return x


@wrong("{x}")
@function
def global_set(x: f32) -> f32:
    s = {x}
    return x


@wrong("functools.partial")
@function
def partial_(x: f32) -> f32:
    return functools.partial(scaled, y=1.0)(x)


@wrong("math.factorial")
@function
def pi_attr(x: f32) -> f32:
    return math.tau * x + math.factorial(3)


@wrong("r.origin.x")
@function
def sub_struct(r: Ray) -> Ray:
    r.origin.x = 1.0
    return r


@wrong('{"origin": a}')
@function
def struct_dict(a: vec3) -> Ray:
    return Ray(**{"origin": a})


@wrong("m + 1.0")
@function
def mat_scalar_add(m: mat4) -> mat4:
    return m + 1.0


@wrong("x | 1")
@function
def pipe(x: f32) -> f32:
    return x | 1


@wrong("isinstance")
@function
def isinst(x: f32) -> f32:
    return 1.0 if isinstance(x, f32) else 0.0


@wrong("type")
@function
def type_of_(x: f32) -> f32:
    return type(x)(1.0)


@wrong("np.linalg.inv")
@function
def inverse_(m: mat4) -> mat4:
    return np.linalg.inv(m)


@wrong("modf(x)")
@function
def modf_one(x: f32) -> f32:
    whole = modf(x)
    return whole
