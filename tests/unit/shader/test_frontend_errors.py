"""Wrong programs: what is said, where the caret stands, what to write instead."""

# Shader functions use names of WGSL, and wrong ones are the subject.
from __future__ import annotations

import enum

import numpy as np
import pytest

from heapscene.errors import ShaderError, ShaderNameError, ShaderSyntaxError, ShaderTypeError
from heapscene.shader import (
    builtin,
    compute,
    cross,
    discard,
    dpdx,
    f32,
    fragment,
    function,
    i32,
    mat4,
    max,
    normalize,
    sqrt,
    storage,
    struct,
    u32,
    uniform,
    vec2,
    vec2u,
    vec3,
    vec3u,
    vec4,
    vertex,
    workgroup,
    workgroup_barrier,
)
from reference.structs import Varyings


@struct
class Attributes:
    position: vec3


@struct
class Inputs:
    view: mat4
    color: vec4 = vec4(1.0)


@struct
class TwoPositions:
    clip: vec4 = builtin.position
    other: vec4 = builtin.position


@struct
class Parameters:
    n: u32


numbers = storage("numbers", f32, binding=0)
results = storage("results", f32, binding=1, access="read_write")
parameters = uniform("parameters", Parameters, binding=2)
tile = workgroup("tile", f32, 64)
NAMES = {"a": 1}
INFINITE = float("inf")


class Kind(enum.Enum):
    TEXT = "text"


@function
def half(x: f32) -> f32:
    return x * 0.5


@function
def faulty(x: f32) -> f32:
    return x + vec3(1.0).q


def plain(x):
    return x


# Each case: a function with one fault; its last comment-free line marks nothing, the text between
# guillemets in `caret` is what the caret must underline.


@function
def product_sizes(u: Inputs, p: vec3) -> vec4:
    return u.view @ p


@function
def matrix_star(u: Inputs, p: vec4) -> vec4:
    return u.view * p


@function
def mixed_types(a: f32, n: u32) -> f32:
    return a + n


@function
def integer_division(a: i32, b: i32) -> i32:
    return a / b


@function
def floor_i32(a: i32) -> i32:
    return a // 2


@function
def modulo_i32(a: i32) -> i32:
    return a % 3


@function
def floor_f32(a: f32) -> f32:
    return a // 2.0


@function
def truth_of_number(a: f32) -> f32:
    if a:
        return 1.0
    return 0.0


@function
def not_of_number(a: u32) -> bool:
    return not a


@function
def and_of_numbers(a: f32, b: f32) -> bool:
    return a > 0.0 and b


@function
def unknown_name(a: f32) -> f32:
    return a * gain_factor


@function
def captured_dict(a: f32) -> f32:
    return a * NAMES


@function
def captured_infinity(a: f32) -> f32:
    return a * INFINITE


@function
def component_of_vec2(a: vec2) -> f32:
    return a.z


@function
def assign_component(a: vec3) -> vec3:
    b = a
    b.x = 1.0
    return b


@function
def assign_field(u: Inputs) -> vec4:
    u.color = vec4(0.0)
    return u.color


@function
def change_type(n: u32) -> f32:
    total = 0
    total = total + 0.5
    return f32(n)


@function
def maybe_unassigned(a: f32) -> f32:
    if a > 0.0:
        b = a
    return b


@function
def loop_variable_after(n: u32) -> u32:
    for i in range(n):
        pass
    return i


@function
def assign_loop_variable(n: u32) -> u32:
    total = u32(0)
    for i in range(n):
        i = i + 1
        total += i
    return total


@function
def missing_return(a: f32) -> f32:
    if a > 0.0:
        return a


@function
def wrong_return(a: f32) -> f32:
    return vec3(a)


@function
def while_else(a: f32) -> f32:
    while a < 1.0:
        break
    else:
        a = 2.0
    return a


@function
def loop_over_list(a: f32) -> f32:
    for i in [1, 2]:
        a += 1.0
    return a


@function
def try_statement(a: f32) -> f32:
    try:
        a = 1.0
    except ValueError:
        a = 2.0
    return a


@function
def comprehension(a: f32) -> f32:
    return max([a for _ in range(3)], a)


@function
def calls_plain(a: f32) -> f32:
    return plain(a)


@function
def calls_float(n: u32) -> f32:
    return float(n)


@function
def calls_itself(a: f32) -> f32:
    return calls_itself(a - 1.0)


@function
def wrong_argument(n: u32) -> f32:
    return half(n)


@function
def missing_argument() -> f32:
    return half()


@function
def unknown_keyword(a: f32) -> f32:
    return half(y=a)


@function
def bad_intrinsic(a: vec2) -> vec3:
    return cross(a, a)


@function
def scalar_for_vector(a: vec3) -> vec3:
    return max(a, 0.0)


@function
def vector_parts(a: vec2) -> vec4:
    return vec4(a, 1.0)


@function
def struct_missing(a: f32) -> Inputs:
    return Inputs(color=vec4(a))


@function
def struct_unknown(a: f32) -> Varyings:
    return Varyings(clip=vec4(a), normals=vec3(a))


@function
def struct_wrong_type(a: f32) -> Varyings:
    return Varyings(clip=vec4(a), normal=vec4(a))


@function
def write_read_only(i: u32) -> f32:
    numbers[i] = 1.0
    return 0.0


@function
def float_index(a: f32) -> f32:
    return numbers[a]


@function
def whole_array(a: f32) -> f32:
    return a + numbers


@function
def write_uniform() -> f32:
    parameters.n = u32(1)
    return 0.0


@function
def literal_too_big() -> u32:
    return u32(0) + 5000000000


@function
def divide_by_zero(n: u32) -> u32:
    return n // 0


@function
def shift_too_far(n: u32) -> u32:
    return n << 32


@function
def enum_of_text(a: f32) -> f32:
    return a * Kind.TEXT


@function
def arms_differ(a: f32) -> f32:
    return 1.0 if a > 0.0 else vec3(0.0).xy


@function
def no_effect(a: f32) -> f32:
    a + 1.0
    return a


@function
def bool_arithmetic(a: f32) -> f32:
    return a * (a > 0.0)


@function
def derivative_helper(a: f32) -> f32:
    return dpdx(a)


@vertex
def derivative_in_vertex(a: Attributes, u: Inputs) -> Varyings:
    return Varyings(clip=vec4(derivative_helper(a.position.x)), normal=a.position)


@vertex
def discard_in_vertex(a: Attributes, u: Inputs) -> Varyings:
    discard()
    return Varyings(clip=vec4(0.0), normal=a.position)


@vertex
def two_positions(a: Attributes) -> TwoPositions:
    return TwoPositions(clip=vec4(0.0), other=vec4(a.position, 1.0))


@vertex
def writes_in_vertex(a: Attributes) -> Varyings:
    results[0] = 1.0
    return Varyings(clip=vec4(0.0), normal=a.position)


@fragment
def returns_vec3(v: Varyings) -> vec3:
    return v.normal


@fragment
def tile_in_fragment(v: Varyings) -> vec4:
    return vec4(tile[0])


@compute(workgroup_size=64)
def wrong_builtin(index: u32 = builtin.vertex_index) -> None:
    results[index] = 0.0


@compute(workgroup_size=64)
def builtin_type(id: u32 = builtin.global_invocation_id) -> None:
    results[id] = 0.0


@compute(workgroup_size=64)
def barrier_as_value(id: vec3u = builtin.global_invocation_id) -> None:
    x = workgroup_barrier()
    results[id.x] = x


@function
def constant_overflow(a: f32) -> f32:
    return a + 3.0e38 * 10.0


@function
def constant_root(a: f32) -> f32:
    return a + sqrt(-1.0)


@function
def constant_zero_direction(a: vec3) -> vec3:
    return a + normalize(vec3(0.0))


@function
def vector_by_zero(a: vec2u) -> vec2u:
    return a // vec2u(1, 0)


T, N, S = ShaderTypeError, ShaderNameError, ShaderSyntaxError
CASES = [
    (product_sizes, T, "cannot multiply mat4 by vec3", "u.view @ p", "Write vec4(p, 1.0)"),
    (matrix_star, T, "cannot multiply mat4 by vec4", "u.view * p", "Use @"),
    (mixed_types, T, "cannot add f32 and u32", "a + n", "Convert the right side: f32(...)."),
    (integer_division, T, "'/' on integers", "a / b", "a // b with u32"),
    (floor_i32, T, "'//' on i32: Python rounds down", "a // 2", "u32(a) // u32(b)"),
    (modulo_i32, T, "'%' on i32", "a % 3", "u32(a) % u32(b)"),
    (floor_f32, T, "'//' is not defined for f32", "a // 2.0", "floor(a / b)"),
    (truth_of_number, T, "a condition must be bool, not f32", "a", "Write a != 0.0."),
    (not_of_number, T, "'not' wants a bool, not u32", "not a", "x == 0"),
    (and_of_numbers, T, "a condition must be bool, not f32", "b", "Write b != 0.0."),
    (unknown_name, N, "the name 'gain_factor' is not defined", "gain_factor", "Define it"),
    (captured_dict, N, "'NAMES' is a dict, which a shader cannot use", "NAMES", "Capture numbers"),
    (captured_infinity, T, "inf is not a finite f32", "INFINITE", "WGSL has no infinity"),
    (component_of_vec2, T, "vec2 has no component 'z'", "a.z", "x y"),
    (assign_component, T, "vec3 values do not change", "b.x", "b = b.with_x(...)"),
    (assign_field, T, "Inputs values do not change", "u.color", "u = u.replace(color=...)"),
    (change_type, T, "cannot add i32 and f32", "total + 0.5", "Convert the left side: f32(...)."),
    (maybe_unassigned, N, "'b' may be used before it is assigned", "b", "Assign b before"),
    (loop_variable_after, N, "'i' is a loop variable", "i", "Copy it to another"),
    (assign_loop_variable, T, "'i' is a loop variable and also assigned", "i", "Use two names"),
    (missing_return, T, "does not return a value on every path", "def missing_return", "return"),
    (wrong_return, T, "wrong_return returns f32, not vec3", "return vec3(a)", "-> vec3"),
    (while_else, S, "'while' with 'else' is not part", "a = 2.0", "Move the 'else' block"),
    (
        loop_over_list,
        S,
        "a loop runs over range(...) or over static values",
        "[1, 2]",
        "static([1, 2])",
    ),
    (try_statement, S, "'try' is not part of the shader language", "try:", "raise nothing"),
    (comprehension, S, "a comprehension is not part", "[a for _ in range(3)]", "'for' loop"),
    (calls_plain, N, "'plain' cannot be called in a shader", "plain", "@function"),
    (calls_float, N, "'float' cannot be called in a shader", "float", "Write f32(x)."),
    (calls_itself, T, "'calls_itself' calls itself", "calls_itself(a - 1.0)", "write a loop"),
    (wrong_argument, T, "half wants f32 for 'x', not u32", "n", "Convert it: f32(n)."),
    (missing_argument, T, "half needs the argument 'x'", "half()", "half(x: f32)"),
    (unknown_keyword, T, "half has no parameter 'y'", "a", "half(x: f32)"),
    (bad_intrinsic, T, "cross is not defined for (vec2, vec2)", "cross(a, a)", "vec3 vec3 -> vec3"),
    (scalar_for_vector, T, "max is not defined for (vec3, f32)", "max(a, 0.0)", "vec3(x)"),
    (vector_parts, T, "cannot make vec4 from (vec2, f32)", "vec4(a, 1.0)", "4 components"),
    (struct_missing, T, "Inputs needs the field 'view'", "Inputs(color=vec4(a))", "view=..."),
    (
        struct_unknown,
        T,
        "Varyings has no field 'normals'",
        "Varyings(clip=vec4(a), normals=vec3(a))",
        "normal: vec3",
    ),
    (
        struct_wrong_type,
        T,
        "field 'normal' of Varyings is vec3",
        "vec4(a)",
        "Convert it: vec3(...)",
    ),
    (write_read_only, T, "'numbers' is read-only", "numbers[i] = 1.0", "access read_write"),
    (float_index, T, "an index must be an integer, not f32", "numbers[a]", "u32(i)"),
    (whole_array, T, "'numbers' is an array", "numbers", "Index it: numbers[i]."),
    (write_uniform, T, "Parameters values do not change", "parameters.n", "replace"),
    (literal_too_big, T, "5000000000 does not fit", "5000000000", "range"),
    (divide_by_zero, T, "division by the constant 0", "n // 0", "Guard"),
    (shift_too_far, T, "a shift by 32", "n << 32", "0 to 31"),
    (enum_of_text, N, "'Kind.TEXT' is a Kind", "Kind.TEXT", "Capture numbers"),
    (arms_differ, T, "the two sides", "1.0 if a > 0.0 else vec3(0.0).xy", "Convert one of them"),
    (no_effect, S, "this line has no effect", "a + 1.0", "Assign the value"),
    (bool_arithmetic, T, "cannot multiply f32 by bool", "a * (a > 0.0)", "select(0.0, 1.0, flag)"),
    (derivative_in_vertex, T, "dpdx is for fragment functions only", "dpdx(a)", "vertex function"),
    (discard_in_vertex, T, "discard is for fragment functions only", "discard()", "vertex"),
    (two_positions, T, "TwoPositions has 2 fields with", "TwoPositions", "Keep one of them."),
    (writes_in_vertex, T, "'results' can be written", "results", "access read"),
    (returns_vec3, T, "a fragment function returns vec4", "vec3", "-> vec4"),
    (tile_in_fragment, T, "'tile' is workgroup memory", "tile", "fragment function"),
    (wrong_builtin, T, "builtin.vertex_index is no input", "index: u32", "global_invocation_id"),
    (builtin_type, T, "builtin.global_invocation_id is vec3u", "id: u32", "id: vec3u"),
    (constant_overflow, T, "is not a finite f32", "3.0e38 * 10.0", "no infinity"),
    (constant_root, T, "this constant expression is nan", "sqrt(-1.0)", "no infinity"),
    (constant_zero_direction, T, "this constant", "normalize(vec3(0.0))", "change the constants"),
    (vector_by_zero, T, "division by the constant 0", "a // vec2u(1, 0)", "Guard"),
    (barrier_as_value, S, "workgroup_barrier() gives no value", "workgroup_barrier()", "own"),
]


def underlined(text: str) -> str:
    """Return the part of the source line above the first caret line."""
    lines = text.split("\n")
    number = next(k for k, line in enumerate(lines) if line.strip() and not line.strip(" ^"))
    start = lines[number].index("^")
    return lines[number - 1][start : lines[number].rindex("^") + 1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].name)
def test_a_wrong_program_says_what_where_and_what_to_write(case):
    shader, kind, what, caret, fix = case
    with pytest.raises(ShaderError) as caught:
        shader.ir
    text = str(caught.value)
    assert type(caught.value) is kind, text
    assert text.startswith(what) or what in text.split("\n", maxsplit=1)[0], text
    assert underlined(text) == caret, text
    assert fix in text, text
    tree = shader.source.tree
    line = int(text.split(", line ")[1].split(",", maxsplit=1)[0])
    if "used by" not in text:
        assert tree.lineno <= line <= tree.end_lineno
    assert f'File "{__file__}"' in text


def test_the_text_of_an_error():
    with pytest.raises(ShaderTypeError) as caught:
        product_sizes.ir
    line = product_sizes.source.tree.lineno + 1
    assert str(caught.value) == (
        "cannot multiply mat4 by vec3\n"
        f'  File "{__file__}", line {line}, in product_sizes\n'
        "      return u.view @ p\n"
        "             ^^^^^^^^^^\n"
        "  left   u.view : mat4\n"
        "  right  p : vec3\n"
        "Write vec4(p, 1.0) for a point, or vec4(p, 0.0) for a direction."
    )


@function
def several(a: f32, n: u32) -> f32:
    b = a + n
    c = b * 2.0
    if n:
        c = 1.0
    return undefined_thing + c


def test_all_faults_are_collected_and_none_is_a_consequence():
    with pytest.raises(ShaderTypeError) as caught:
        several.ir
    text = str(caught.value)
    assert "cannot add f32 and u32" in text
    assert "a condition must be bool, not u32" in text
    assert "the name 'undefined_thing' is not defined" in text
    assert text.endswith("3 faults.")


@function
def outer(x: f32) -> f32:
    return faulty(x)


@function
def outermost(x: f32) -> f32:
    return outer(x) + outer(x)


def test_a_fault_in_a_helper_lists_the_calls_that_led_there():
    with pytest.raises(ShaderTypeError) as caught:
        outermost.ir
    text = str(caught.value)
    assert "vec3 has no component 'q'" in text
    assert text.count("vec3 has no component") == 1
    calls = [line.split(" (")[0].strip() for line in text.split("\n") if "called from" in line]
    assert calls == ["called from outer", "called from outermost"]


def test_asking_again_says_the_same():
    for _ in range(2):
        with pytest.raises(ShaderTypeError, match="cannot multiply mat4 by vec3"):
            product_sizes.ir


def test_columns_count_characters_not_bytes():
    text = (
        "from heapscene.shader import f32, function, u32\n"
        "@function\n"
        "def accents(größe: f32, n: u32) -> f32:\n"
        "    return größe * größe + n\n"
    )
    scope = {}
    exec(
        compile(text.replace("@function\n", "@function(source=TEXT)\n"), "<given>", "exec"),
        {"TEXT": text.split("\n", 1)[1]},
        scope,
    )
    with pytest.raises(ShaderTypeError) as caught:
        scope["accents"].ir
    assert underlined(str(caught.value)) == "größe * größe + n"


def test_captured_numpy_arrays_of_other_shapes_are_refused():
    table = np.zeros(7)

    @function
    def look_up(i: u32) -> f32:
        return table[i]

    with pytest.raises(ShaderNameError, match="'table' is a ndarray"):
        look_up.ir
