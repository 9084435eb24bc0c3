"""Shader functions in CPython: typed literals, checks, and the user's lines in tracebacks."""

from __future__ import annotations

import enum
import math
import traceback

import numpy as np
import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import (
    all,
    builtin,
    compute,
    discard,
    f32,
    fragment,
    function,
    i32,
    mat4,
    sin,
    struct,
    u32,
    vec3,
    vec4,
    vertex,
)
from heapscene.shader.cpu import shader_range
from reference.structs import Attributes

SIZE = 3
SCALE = 0.1
LIGHT = np.array([0.0, 0.0, 1.0])


class Mode(enum.Enum):
    LIT = 2
    FLAT = 0.5


class Flags(enum.IntFlag):
    A = 1
    B = 2


@struct
class Inputs:
    model_view_proj: mat4
    color: vec4
    time: f32


@struct
class Varyings:
    normal: vec3
    clip: vec4 = builtin.position


@vertex
def ripple(a: Attributes, u: Inputs) -> Varyings:
    lift = 0.1 * sin(8.0 * a.position.x + u.time)
    p = a.position + a.normal * lift
    return Varyings(clip=u.model_view_proj @ vec4(p, 1.0), normal=a.normal)


@fragment
def shade(v: Varyings, u: Inputs) -> vec4:
    return vec4(u.color.xyz * max(v.normal.z, 0.1), u.color.w)


def test_ripple_and_shade():
    rng = np.random.default_rng(9)
    for _ in range(50):
        position, normal = rng.normal(size=(2, 3)).astype(np.float32)
        matrix = rng.normal(size=(4, 4)).astype(np.float32)
        color, time = rng.random(4).astype(np.float32), np.float32(rng.random())
        u = Inputs(model_view_proj=matrix, color=color, time=time)
        v = ripple(Attributes(position=position, normal=normal), u)
        lift = np.float32(0.1) * np.sin(np.float32(8.0) * position[0] + time)
        point = np.append(position + normal * lift, np.float32(1))
        assert np.allclose(v.clip, matrix @ point, rtol=1e-5, atol=1e-5)
        shaded = shade(v, u)
        assert type(shaded) is vec4
        expected = [*(color[:3] * max(normal[2], np.float32(0.1))), color[3]]
        assert np.array_equal(shaded, expected)


def test_literals_take_types():
    @function
    def run(n: u32, x: f32) -> vec4:
        a = 5
        b = n + 2
        c = 2 * x
        assert type(a) is i32
        assert type(b) is u32
        assert type(c) is f32
        assert type(0.5) is f32  # noqa: UP003
        assert type(n * 3 - 1) is u32
        d, e = 1, 2.0
        assert type(d) is i32
        assert type(e) is f32
        flag = True
        assert flag is True
        k: u32 = 4
        assert type(k) is u32
        w: f32 = 4
        assert type(w) is f32
        late: i32
        late = 3
        assert type(late) is i32
        return vec4(f32(a), f32(b), c, f32(k))

    assert np.array_equal(run(1, 1.5), [5, 3, 3, 4])


def test_every_operation_rounds():
    @function
    def horner(x: f32) -> f32:
        return ((0.3 * x + 0.7) * x - 1.1) * x + 0.9

    f = np.float32
    for x in np.random.default_rng(10).normal(size=200).astype(f):
        expected = ((f(0.3) * x + f(0.7)) * x - f(1.1)) * x + f(0.9)
        assert horner(x) == expected
        assert type(horner(x)) is f32


def test_integer_hash_wraps():
    @function
    def pcg(seed: u32) -> u32:
        state = seed * 747796405 + 2891336453
        word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737
        return (word >> 22) ^ word

    with np.errstate(over="ignore"):
        for seed in np.random.default_rng(11).integers(0, 2**32, 100, dtype=np.uint32):
            state = seed * np.uint32(747796405) + np.uint32(2891336453)
            word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(
                277803737
            )
            assert pcg(seed) == int((word >> np.uint32(22)) ^ word)


def test_loops_and_range():
    @function
    def total(n: u32) -> u32:
        result: u32 = 0
        for i in range(n):
            assert type(i) is u32
            for j in range(1, SIZE):
                assert type(j) is i32
                if j == 2:
                    break
                result += i
        return result

    assert total(5) == 10
    assert [type(i) for i in shader_range(u32(2))] == [u32, u32]
    assert list(shader_range(3, 0, -1)) == [3, 2, 1]
    for bounds in ((u32(1), i32(2)), (f32(2),), (2.0,)):
        with pytest.raises(ShaderTypeError, match="range"):
            shader_range(*bounds)


def test_captured_values():
    local = 2.5
    vector = vec3(1, 2, 3)

    @function
    def run(n: i32, flags: i32) -> f32:
        assert type(SIZE + n) is i32
        assert type(local) is f32
        assert type(math.pi) is f32
        assert type(n + Mode.LIT) is i32
        assert type(Mode.FLAT) is f32
        assert type(LIGHT) is vec3
        assert type(vector.xy.x) is f32
        shared = (flags & Flags.B) != 0
        return local * SCALE if n == Mode.LIT and shared else math.pi

    assert run(2, 3) == np.float32(2.5) * np.float32(0.1)
    assert run(2, 1) == np.float32(math.pi)


def test_captured_values_are_those_of_the_call():
    box = [1.0]
    factor = 1.0

    @function
    def run(x: f32) -> f32:
        return x * factor

    assert run(2.0) == 2
    factor = 3.0
    assert run(2.0) == 6
    assert box


def test_python_builtins_are_intrinsics():
    @function
    def run(x: f32, n: i32) -> vec4:
        return vec4(abs(x), min(x, 0.5), round(x), pow(2.0, max(x, 3.0)))

    assert np.array_equal(run(-1.5, 0), [1.5, -1.5, -2, 8])

    @function
    def truth(x: f32) -> bool:
        return bool(x)

    assert truth(0.5) is True
    assert truth(0) is False


def test_helpers_call_helpers():
    @function
    def half(x: f32) -> f32:
        return 0.5 * x

    @function
    def quarter(x: f32, factor: f32 = 1.0) -> f32:
        return half(half(x)) * factor

    assert quarter(8) == 2
    assert quarter(8, 2) == 4
    assert quarter(x=8, factor=2) == 4


def test_discard():
    @function
    def cut(x: f32) -> None:
        if x < 0.5:
            discard()

    @fragment
    def hole(v: Varyings) -> vec4:
        cut(v.normal.x)
        return vec4(1.0)

    assert hole(Varyings(normal=vec3(0.0))) is None
    assert all(hole(Varyings(normal=vec3(1.0))) == vec4(1.0))


@function
def bad_truth(x: f32) -> f32:
    if x:
        return 1.0
    return 0.0


@function
def bad_and(x: f32) -> bool:
    return x > 0.0 and x


@function
def bad_not(x: f32) -> bool:
    return not x


# fmt: off
@function
def bad_division(x: f32) -> f32:
    n = i32(x)
    return f32(  # the fault is on the next line but one
        1 +
        n / 2
    )
# fmt: on


@function
def bad_modulo(x: f32) -> i32:
    return i32(x) % 3


@function
def bad_assignment(x: f32) -> vec3:
    v = vec3(x)
    v.x = 1.0
    return v


@function
def bad_field(x: f32) -> f32:
    u = Varyings(normal=vec3(x))
    u.normal = vec3(0.0)
    return x


@function
def bad_index(x: f32) -> f32:
    v = vec3(x)
    return v[3]


@function
def bad_vector_truth(x: f32) -> f32:
    v = vec3(x)
    if v == v:
        return 1.0
    return 0.0


@function
def bad_math(x: f32) -> f32:
    return math.sin(x)


@function
def bad_float(x: i32) -> f32:
    return float(x)


@function
def bad_annotation(x: f32) -> f32:
    n: u32 = -1  # noqa: F841
    return x


FAULTS = [
    (bad_truth, "if x:", "x != 0"),
    (bad_and, "return x > 0.0 and x", "x != 0"),
    (bad_not, "return not x", "x != 0"),
    (bad_division, "n / 2", r"f32\(a\) / f32\(b\)"),
    (bad_modulo, "return i32(x) % 3", "u32"),
    (bad_assignment, "v.x = 1.0", r"with_x\(1.0\)|with_x\(f32\(1.0\)\)"),
    (bad_field, "u.normal = vec3(0.0)", "replace"),
    (bad_index, "return v[3]", "component 3"),
    (bad_vector_truth, "if v == v:", r"all\(v\)"),
    (bad_math, "return math.sin(x)", "from heapscene.shader import sin"),
    (bad_annotation, "n: u32 = -1", "u32"),
]


@pytest.mark.parametrize(("run", "line", "text"), FAULTS, ids=[row[0].name for row in FAULTS])
def test_faults_show_the_line_of_the_user(run, line, text):
    with pytest.raises((TypeError, IndexError), match=text) as caught:
        run(1.0)
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.name == run.name]
    assert [f.filename for f in frames] == [__file__]
    assert frames[0].line.startswith(line)
    assert run.source.lines[frames[0].lineno - 1].strip() == frames[0].line


def test_arguments_and_results_are_checked():
    @function
    def run(v: vec3, n: u32) -> vec3:
        return v * f32(n)

    assert np.array_equal(run(np.array([1, 2, 3]), 2), [2, 4, 6])
    assert np.array_equal(run((1, 2, 3), np.uint32(2)), [2, 4, 6])
    for arguments, text in [
        ((vec4(1.0), 1), r"argument 'v' of run.*vec4 where vec3"),
        ((np.zeros(2), 1), "argument 'v' of run"),
        ((vec3(1.0), 1.5), "float where u32"),
        ((vec3(1.0), -1), "does not fit into u32"),
        ((vec3(1.0),), "missing a required argument: 'n'"),
        ((vec3(1.0), 1, 2), "too many positional arguments"),
    ]:
        with pytest.raises(ShaderTypeError, match=text):
            run(*arguments)

    @function
    def wrong(x: f32) -> u32:
        return x

    with pytest.raises(ShaderTypeError, match=r"result of wrong.*f32 where u32"):
        wrong(1.0)

    @function
    def nothing(x: f32) -> vec3:
        if x > 100.0:
            return vec3(1.0)

    with pytest.raises(ShaderTypeError, match="result of nothing"):
        nothing(1.0)


def test_decorators_keep_what_they_decorate():
    @compute(workgroup_size=(8, 8))
    def kernel(n: u32) -> None:
        """Do nothing."""

    assert kernel.workgroup_size == (8, 8, 1)
    assert kernel.stage == "compute"
    assert kernel.__doc__ == "Do nothing."
    assert kernel.name == kernel.__name__ == "kernel"
    assert kernel(1) is None
    assert repr(ripple).startswith("<vertex ripple at")
    assert (ripple.stage, shade.stage, bad_not.stage) == ("vertex", "fragment", "function")
    assert ripple.workgroup_size is None
    for size in (0, -1, 257, (16, 17), (1, 1, 1, 1), 2.0, ()):
        with pytest.raises(ShaderTypeError, match="workgroup_size"):
            compute(workgroup_size=size)


def test_debuggers_see_names_and_lines():
    seen: list[tuple[int, dict[str, object]]] = []

    @function
    def watched(x: f32) -> f32:
        y = x * 2.0
        z = y + 1.0
        return z  # noqa: RET504

    import sys

    def trace(frame, event, arg):
        if frame.f_code.co_name == "watched":
            if event == "line":
                seen.append((frame.f_lineno, dict(frame.f_locals)))
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        watched(1.5)
    finally:
        sys.settrace(before)
    first = watched.source.tree.body[0].lineno
    assert [line for line, _ in seen] == [first, first + 1, first + 2]
    assert seen[-1][1] == {"x": 1.5, "y": 3.0, "z": 4.0}


def test_augmented_assignment():
    @function
    def run(x: f32, n: u32) -> f32:
        flag = n > 1
        flag &= x > 0.0
        v = vec3(x)
        v += vec3(1.0)
        v *= 2
        n <<= 2
        x **= 2
        return v.x + f32(n) + x if flag else 0.0

    assert run(3.0, 2) == 8 + 8 + 9
    assert run(-3.0, 2) == 0

    @function
    def bad(x: f32) -> f32:
        x += True
        return x

    with pytest.raises(ShaderTypeError, match="bool is not a number"):
        bad(1.0)


def test_chained_comparison():
    @function
    def inside(x: f32) -> bool:
        return 0.0 <= x < 1.0

    assert inside(0.5)
    assert not inside(1.0)


def test_plain_int_and_float_are_refused():
    with pytest.raises(ShaderTypeError, match=r"Write f32\(x\)"):
        bad_float(1)
