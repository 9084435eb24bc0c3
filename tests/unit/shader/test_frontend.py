"""What Python statements become, and what is part of a function's identity."""

from __future__ import annotations

import enum
import math
import textwrap

import numpy as np
import pytest

from heapscene import shader
from heapscene.shader import (
    ComputeProgram,
    Program,
    bitcast_f32,
    builtin,
    compute,
    discard,
    emit,
    f32,
    fragment,
    function,
    i32,
    ir,
    mat3,
    mat4,
    private,
    sin,
    storage,
    struct,
    u32,
    vec2,
    vec3,
    vec3u,
    vec4,
    vertex,
)


def body_of(shader_function):
    """Return the WGSL of one function, without what is around it."""
    made = shader_function.ir
    ir.verify_function(made)
    body = ir.FunctionBuilder("main")
    body.evaluate(ir.call(made, *(ir.zero(p.type) for p in made.parameters)))
    text = emit(ir.Module((ir.EntryPoint("compute", body.done()),)))
    start = text.index(f"fn {made.name}(")
    return text[start : text.index("\n}\n", start) + 3]


def expect(shader_function, text):
    assert body_of(shader_function) == textwrap.dedent(text).lstrip("\n")


@function
def one_assignment(x: f32) -> f32:
    """The docstring is skipped."""
    y = x * 2
    assert y > 0
    return y


def test_a_name_assigned_once_is_a_let():
    expect(
        one_assignment,
        """
        fn one_assignment(x: f32) -> f32 {
            let y = x * 2.0f;
            return y;
        }
        """,
    )


@function
def hoisted(x: f32) -> f32:
    if x > 0.0:
        y = x
        z = y  # noqa: F841
    else:
        y = -x
    return y


def test_a_variable_is_declared_where_all_uses_see_it():
    expect(
        hoisted,
        """
        fn hoisted(x: f32) -> f32 {
            var y: f32;
            if (x > 0.0f) {
                y = x;
                let z = y;
            } else {
                y = -x;
            }
            return y;
        }
        """,
    )


@function
def parameter_changes(x: f32, n: u32) -> f32:
    x += 1.0
    for _ in range(n, 10, 3):
        x *= 2
    return x


def test_a_changed_parameter_is_copied():
    expect(
        parameter_changes,
        """
        fn parameter_changes(x: f32, n: u32) -> f32 {
            var x_1: f32 = x;
            x_1 = x_1 + 1.0f;
            for (var p_: u32 = n; p_ < 10u; p_ += 3u) {
                x_1 = x_1 * 2.0f;
            }
            return x_1;
        }
        """,
    )


@function
def costly(x: f32) -> f32:
    return sin(x) + x


@function
def lazy(x: f32) -> f32:
    a = x if x > 0.0 else -x
    return costly(a) if a > 1.0 else a


def test_cheap_arms_are_selected_costly_ones_branch():
    expect(
        lazy,
        """
        fn lazy(x: f32) -> f32 {
            let a = select(-x, x, x > 0.0f);
            var chosen: f32;
            if (a > 1.0f) {
                chosen = costly(a);
            } else {
                chosen = a;
            }
            return chosen;
        }
        """.replace("x > 0.0f)", "(x > 0.0f))"),
    )


@function
def waits(n: u32) -> u32:
    k = u32(0)
    while (costly(f32(k)) if k < 3 else 0.0) < 1.0 and 1 < k + 1 < n:
        k += 1
    return k


def test_a_condition_with_statements_is_evaluated_in_every_round():
    text = body_of(waits)
    loop = text[text.index("loop {") :]
    assert "costly(f32(k))" in loop
    assert "let middle = k + 1u;" in loop
    assert "break;" in loop


@function
def swap(a: f32, b: f32) -> vec2:
    a, b = b, a
    return vec2(a, b)


def test_tuples_are_assigned_at_once():
    text = body_of(swap)
    assert "let part = b_1;" in text
    assert "let part_1 = a_1;" in text


class Mode(enum.IntEnum):
    FAST = 1
    FINE = 2


MODE = Mode.FINE
DEBUG = False
ROTATION = np.diag([2.0, 3.0, 4.0])
TABLE = (0.5, (1.0, 2.0))
SUN = vec3(0.0, 1.0, 0.0)


@function
def captures(x: vec3) -> vec3:
    if DEBUG:
        return x.nonsense
    if MODE == Mode.FAST:
        return x
    k = math.pi * TABLE[1][0]
    return ROTATION @ x * k + mat3.identity() @ SUN + SUN.yxz


def test_captured_values_are_folded_and_dead_branches_dropped():
    text = body_of(captures)
    assert "if" not in text.replace("vec3<f32>", "")
    assert "let k = 3.1415927f;" in text
    assert "mat3x3<f32>(vec3<f32>(2.0f, 0.0f, 0.0f)" in text


def scaled(factor):
    @function
    def scale(x: f32) -> f32:
        return x * factor

    return scale


def test_captured_numbers_are_part_of_the_hash():
    first, same, other = (ir.function_hash(scaled(k).ir) for k in (2.0, 2.0, 3.0))
    assert first == same
    assert first != other


def test_names_and_places_are_not_part_of_the_hash():
    def make(text):
        scope = {key: getattr(shader, key) for key in ("f32", "function", "max")}
        exec(text, scope)
        return ir.function_hash(shader.function(source=text)(scope["f"]).ir)

    text = "def f(x: f32) -> f32:\n    y = x * 2.0\n    return max(y, x)\n"
    base = make(text)
    assert make(text.replace("y", "other")) == base
    assert make("\n\n# moved\n\n" + text) == base
    assert make(text.replace("2.0", "2.5")) != base
    assert make(text.replace("y, x", "x, y")) != base


def test_the_same_helper_is_emitted_once():
    twice, again = scaled(2.0), scaled(2.0)
    other = scaled(4.0)

    @function
    def all_three(x: f32) -> f32:
        return twice(x) + again(x) + other(x)

    body = ir.FunctionBuilder("main")
    body.evaluate(ir.call(all_three.ir, 1.0))
    text = emit(ir.Module((ir.EntryPoint("compute", body.done()),)))
    assert text.count("fn scale(") == 1
    assert text.count("fn scale_1(") == 1


numbers = storage("numbers", u32, binding=3, access="read_write")
stack = private("stack", f32, 8)


@struct
class Particle:
    position: vec3
    mass: f32 = 1.0


particles = storage("particles", Particle, binding=1, group=1, access="read_write")


@function
def push(i: u32, x: f32) -> None:
    stack[i] = x


@compute(workgroup_size=(8, 8))
def step(at: vec3u = builtin.global_invocation_id) -> None:
    push(at.x % 8, 2.0)
    numbers[at.x] += u32(stack[at.x % 8])
    p = particles[at.y]
    particles[at.y] = p.replace(position=p.position + 1, mass=p.mass * 2)
    particles[0] = Particle(position=vec3(0.0))


def test_resources_of_a_compute_program():
    program = ComputeProgram(step)
    assert program.workgroup_size == (8, 8, 1)
    assert [(b.name, b.group, b.binding, b.kind) for b in program.bindings] == [
        ("numbers", 0, 3, "storage"),
        ("particles", 1, 1, "storage"),
    ]
    text = program.wgsl
    assert "var<private> stack: array<f32, 8>;" in text
    assert "@compute @workgroup_size(8, 8, 1)\nfn step_(" in text
    assert "Particle(p.position + 1.0f, p.mass * 2.0f)" in text
    assert "particles[0i] = Particle(vec3<f32>(0.0f), 1.0f);" in text


@struct
class Attributes:
    position: vec3


@struct
class Varyings:
    clip: vec4 = builtin.position
    fade: f32


@struct
class WithDepth:
    color: vec4
    depth: f32 = builtin.frag_depth


@vertex
def from_index(a: Attributes, active: u32 = builtin.vertex_index) -> Varyings:
    return Varyings(clip=vec4(a.position, 1.0), fade=f32(active))


@fragment
def with_depth(v: Varyings, at: vec4 = builtin.frag_coord) -> WithDepth:
    if v.fade < 0.5:
        discard()
    return WithDepth(color=vec4(v.fade), depth=at.z * bitcast_f32(u32(0x3F000000)))


@pytest.mark.gpu
def test_odd_programs_are_accepted():
    wgpu = pytest.importorskip("wgpu")
    device = wgpu.gpu.request_adapter_sync(
        power_preference="high-performance"
    ).request_device_sync()
    program = Program(from_index, with_depth)
    assert program.interface.outputs == {"color": vec4.__shader_type__}
    for text in (program.wgsl, ComputeProgram(step).wgsl, ComputeProgram(ending).wgsl):
        device.create_shader_module(code=text)


@function
def every_way_out(n: u32, deep: bool) -> u32:
    if deep:
        while True:
            if n > 3:
                return n
            n += 1
    else:
        return u32(mat4.identity()[1][1])


@compute(workgroup_size=1)
def ending(at: vec3u = builtin.workgroup_id) -> None:
    i = i32(at.x)
    numbers[i] = every_way_out(at.x, at.y > 0)
    if at.x > 5:
        return
    numbers[0] = numbers[i]


def test_a_function_is_compiled_once():
    assert costly.ir is costly.ir
    call = next(n for n in ir.walk(lazy.ir) if type(n).__name__ == "Call")
    assert call.function is costly.ir
