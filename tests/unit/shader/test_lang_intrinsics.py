"""Intrinsics against NumPy in single precision and against their definitions."""

import inspect
import math

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderError, ShaderTypeError
from heapscene.shader import f32, i32, mat2, mat3, mat4, u32, vec2, vec3, vec3i, vec4
from heapscene.shader.lang import INTRINSICS, PYTHON_BUILTINS, Discard

MATH = {
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "log": math.log,
    "log2": math.log2,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "radians": math.radians,
    "degrees": math.degrees,
    "abs": abs,
    "fract": lambda x: x - math.floor(x),
    "inverse_sqrt": lambda x: 1.0 / math.sqrt(x),
    "saturate": lambda x: min(max(x, 0.0), 1.0),
    "sign": lambda x: (x > 0) - (x < 0),
}
"""What functions of one number are, in double precision; ``ValueError`` where there is no value."""


def in_double(name, x):
    try:
        return MATH[name](x)
    except ValueError:
        return math.nan


@pytest.mark.parametrize("name", MATH)
def test_one_operand(name):
    rng = np.random.default_rng(5)
    for row in rng.normal(scale=3, size=(40, 3)).astype(np.float32):
        found = INTRINSICS[name](vec3(row))
        assert type(found) is vec3
        right = [in_double(name, float(x)) for x in row]
        assert np.allclose(found, right, rtol=3e-7, atol=1e-7, equal_nan=True)
        assert type(INTRINSICS[name](f32(row[0]))) is f32


def test_two_and_three_operands():
    assert sh.min(f32(1), 2) == 1
    assert sh.max(u32(1), 2) == 2
    assert type(sh.max(u32(1), 2)) is u32
    assert sh.max(1.0, 5.0, 3.0) == 5
    assert sh.clamp(f32(7), 0.0, 1.0) == 1
    assert np.array_equal(sh.clamp(vec3(-1, 0.5, 2), vec3(0.0), vec3(1.0)), [0, 0.5, 1])
    assert sh.mix(f32(0), 10.0, 0.25) == 2.5
    assert np.array_equal(sh.mix(vec2(0, 1), vec2(1, 2), 0.5), [0.5, 1.5])
    assert np.array_equal(sh.mix(vec2(0, 1), vec2(1, 2), vec2(0, 1)), [0, 2])
    assert sh.step(0.5, 0.5) == 1
    assert sh.step(0.5, 0.4) == 0
    assert sh.smoothstep(0.0, 1.0, 0.25) == np.float32(0.15625)
    assert sh.pow(2.0, 10.0) == 1024
    assert sh.atan2(1.0, -1.0) == np.arctan2(np.float32(1), np.float32(-1))
    assert sh.fract(f32(-1.25)) == 0.75
    assert sh.inverse_sqrt(4.0) == 0.5
    assert sh.fma(2.0, 3.0, 4.0) == 10
    assert sh.degrees(f32(math.pi)) == pytest.approx(180, rel=1e-6)
    assert sh.radians(180.0) == pytest.approx(math.pi, rel=1e-6)
    assert sh.saturate(vec2(-1, 3)).y == 1
    assert sh.ldexp(1.5, 3) == 12
    assert sh.round(2.5) == 2
    assert sh.round(3.5) == 4


def test_functions_of_two_values():
    rng = np.random.default_rng(9)
    for x in [0.0, 1.0, -8.0, 0.75, *(rng.normal(size=50) * 10.0 ** rng.integers(-9, 9, 50))]:
        x = float(np.float32(x))
        fract, whole = sh.modf(f32(x))
        assert (fract, whole) == math.modf(x)
        assert type(fract) is type(whole) is f32
        fract, exponent = sh.frexp(f32(x))
        assert (fract, exponent) == math.frexp(x)
        assert (type(fract), type(exponent)) == (f32, i32)
        assert sh.ldexp(fract, exponent) == x
    fract, exponents = sh.frexp(vec3(0.0, -3.0, 1e-3))
    assert type(exponents) is vec3i
    assert [*zip(fract, exponents, strict=True)] == [
        math.frexp(float(f32(x))) for x in (0.0, -3.0, 1e-3)
    ]
    fract, whole = sh.modf(vec2(-1.75, 2.5))
    assert (type(fract), tuple(fract), tuple(whole)) == (vec2, (-0.75, 0.5), (-1.0, 2.0))


def test_integers():
    assert sh.abs(i32(-(2**31))) == -(2**31)
    assert sh.sign(i32(-5)) == -1
    assert type(sh.sign(i32(-5))) is i32
    assert np.array_equal(sh.abs(vec3i(-1, 2, -3)), [1, 2, 3])
    assert sh.dot(vec3i(1, 2, 3), vec3i(4, 5, 6)) == 32


def test_vectors():
    rng = np.random.default_rng(6)
    for _ in range(50):
        a, b = rng.normal(size=(2, 3)).astype(np.float32)
        va, vb = vec3(a), vec3(b)
        assert sh.dot(va, vb) == pytest.approx(float(a @ b), abs=1e-5)
        assert np.allclose(sh.cross(va, vb), np.cross(a, b), atol=1e-5)
        assert sh.length(va) == pytest.approx(float(np.linalg.norm(a)), rel=1e-6)
        assert sh.distance(va, vb) == pytest.approx(float(np.linalg.norm(a - b)), rel=1e-5)
        n = sh.normalize(vb)
        assert sh.length(n) == pytest.approx(1.0, rel=1e-6)
        mirrored = sh.reflect(va, n)
        assert sh.length(mirrored) == pytest.approx(sh.length(va), rel=1e-5)
        assert sh.dot(mirrored, n) == pytest.approx(-sh.dot(va, n), abs=1e-5)
        facing = sh.faceforward(n, va, n)
        assert sh.dot(facing, va) <= 0
    down = sh.normalize(vec3(1, -1, 0))
    assert np.allclose(sh.refract(down, vec3(0, 1, 0), 1.0), down, atol=1e-6)
    assert np.array_equal(sh.refract(down, vec3(0, 1, 0), 2.0), [0, 0, 0])
    assert sh.length(f32(-2)) == 2


@pytest.mark.parametrize(("cls", "size"), [(mat2, 2), (mat3, 3), (mat4, 4)])
def test_determinant(cls, size):
    rng = np.random.default_rng(7)
    for _ in range(20):
        a = rng.normal(size=(size, size))
        assert sh.determinant(cls(a)) == pytest.approx(np.linalg.det(a), rel=1e-3, abs=1e-4)


def test_select_all_any():
    assert sh.select(1.0, 2.0, True) == 2
    assert sh.select(u32(1), 2, False) == 1
    chosen = sh.select(vec3(1, 2, 3), vec3(4, 5, 6), vec3(0, 1, 0) > vec3(0.5))
    assert np.array_equal(chosen, [1, 5, 3])
    assert np.array_equal(sh.select(vec2(1.0), vec2(2.0), True), [2, 2])
    assert sh.select(False, True, True) is True
    assert sh.all(vec2(1.0) == vec2(1.0)) is True
    assert sh.any(vec2(1.0) < vec2(1.0)) is False


def test_bits():
    rng = np.random.default_rng(8)
    for word in rng.integers(0, 2**32, 200, dtype=np.uint32):
        x = u32(word)
        assert np.uint32(sh.bitcast_u32(sh.bitcast_i32(x))) == word
        if not np.isnan(word.view(np.float32)):
            assert sh.bitcast_u32(sh.bitcast_f32(x)) == x
        text = f"{int(word):032b}"
        assert sh.count_one_bits(x) == text.count("1")
        assert sh.reverse_bits(x) == int(text[::-1], 2)
        assert sh.count_leading_zeros(x) == len(text) - len(text.lstrip("0"))
        assert sh.count_trailing_zeros(x) == len(text) - len(text.rstrip("0"))
        assert sh.pack4x8unorm(sh.unpack4x8unorm(x)) == x
        assert sh.pack2x16unorm(sh.unpack2x16unorm(x)) == x
        assert np.array_equal(
            sh.unpack4x8unorm(x), word.reshape(1).view(np.uint8) / np.float32(255)
        )
    assert sh.first_leading_bit(u32(0)) == 2**32 - 1
    assert sh.first_leading_bit(u32(0x8000)) == 15
    assert sh.first_leading_bit(i32(-1)) == -1
    assert sh.first_leading_bit(i32(-2)) == 0
    assert sh.first_trailing_bit(u32(8)) == 3
    assert sh.first_trailing_bit(i32(0)) == -1
    assert sh.count_trailing_zeros(u32(0)) == 32
    assert sh.bitcast_f32(u32(0x3F800000)) == 1.0
    assert type(sh.bitcast_u32(1.0)) is u32
    assert np.array_equal(sh.bitcast_u32(vec2(1.0, 2.0)), [0x3F800000, 0x40000000])
    assert sh.pack4x8unorm(vec4(0, 1, 0.5, 2)) == 0xFF80FF00
    assert sh.pack4x8snorm(vec4(-1, 1, 0, 2)) == 0x7F007F81
    assert np.allclose(sh.unpack4x8snorm(u32(0x7F007F81)), [-1, 1, 0, 1])
    assert np.array_equal(sh.unpack2x16float(sh.pack2x16float(vec2(1.5, -2.0))), [1.5, -2])


@pytest.mark.parametrize(
    "run",
    [
        lambda: sh.sin(i32(1)),
        lambda: sh.max(f32(1), i32(1)),
        lambda: sh.max(vec3(1.0), 1.0),
        lambda: sh.mix(vec3(1.0), vec2(1.0), 0.5),
        lambda: sh.dot(vec3(1.0), vec2(1.0)),
        lambda: sh.cross(vec2(1.0), vec2(1.0)),
        lambda: sh.abs(True),
        lambda: sh.count_one_bits(f32(1)),
        lambda: sh.any(vec3(1.0)),
        lambda: sh.select(1.0, u32(1), True),
        lambda: sh.select(vec2(1.0), vec3(1.0), True),
        lambda: sh.transpose(vec3(1.0)),
        lambda: sh.pack4x8unorm(vec3(1.0)),
        lambda: sh.sin("x"),
    ],
)
def test_refused(run):
    with pytest.raises(ShaderTypeError):
        run()


def test_what_needs_neighbours_says_so():
    for name in ("dpdx", "dpdy", "fwidth", "dpdx_fine", "dpdy_coarse"):
        with pytest.raises(ShaderError, match="neighbouring pixels"):
            INTRINSICS[name](f32(1))
    for name in ("workgroup_barrier", "storage_barrier"):
        with pytest.raises(ShaderError, match="other invocations"):
            INTRINSICS[name]()
    with pytest.raises(Discard):
        sh.discard()


def test_names():
    for name, function in INTRINSICS.items():
        assert function.__intrinsic__ == name == function.__name__
        assert getattr(sh, name) is function
        assert inspect.getdoc(function)
    assert PYTHON_BUILTINS[max] is sh.max
