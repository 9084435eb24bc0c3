"""Scalars against NumPy's float32 and uint32, and the table of Python/WGSL differences."""

import math
import operator as op
import warnings

import numpy as np
import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import f32, i32, u32
from heapscene.shader.lang import AbstractInt, concrete, shader_bool

BIG = 2**31 - 1


def same(a: object, b: object) -> bool:
    return np.array_equal(np.float32(a), np.float32(b), equal_nan=True)


def random_floats(rng: np.random.Generator, n: int) -> np.ndarray:
    bits = rng.integers(0, 2**32, n, dtype=np.uint32).view(np.float32)
    usual = rng.normal(scale=100.0, size=n).astype(np.float32)
    return np.where(rng.random(n) < 0.5, bits, usual)


@pytest.mark.parametrize("function", [op.add, op.sub, op.mul, op.truediv])
def test_float_arithmetic_is_that_of_float32(function):
    rng = np.random.default_rng(1)
    for a, b in zip(random_floats(rng, 3000), random_floats(rng, 3000), strict=True):
        with np.errstate(all="ignore"):
            expected = function(a, b)
        found = function(f32(a), f32(b))
        assert type(found) is f32
        assert same(found, expected), (a, b)


def test_float_edges():
    edges = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 3.4e38, 1e-45]
    for a in edges:
        for b in edges:
            with np.errstate(all="ignore"):
                assert same(f32(a) / f32(b), np.float32(a) / np.float32(b))
                assert same(f32(a) % f32(b), np.fmod(np.float32(a), np.float32(b)))
    assert f32(1e300) == math.inf
    assert float(f32(0.1)) == float(np.float32(0.1)) != 0.1


@pytest.mark.parametrize("function", [op.add, op.sub, op.mul, op.and_, op.or_, op.xor])
@pytest.mark.parametrize(("kind", "dtype"), [(i32, np.int32), (u32, np.uint32)])
def test_integer_arithmetic_wraps(function, kind, dtype):
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2**32, 1000, dtype=np.uint32).view(dtype)
    b = rng.integers(0, 2**32, 1000, dtype=np.uint32).view(dtype)
    expected = function(a, b)
    for x, y, right in zip(a, b, expected, strict=True):
        found = function(kind(x), kind(y))
        assert type(found) is kind
        assert found == int(right)


# Rows of the table "Python and WGSL differ": what Python would do is in the comment.
TABLE = [
    ("i32 max + 1 wraps", lambda: i32(BIG) + i32(1), -(2**31)),  # 2147483648
    ("u32 0 - 1 wraps", lambda: u32(0) - u32(1), 2**32 - 1),  # -1
    ("abs(i32 min) stays negative", lambda: abs(i32(-(2**31))), -(2**31)),  # 2147483648
    ("-(i32 min) stays negative", lambda: -i32(-(2**31)), -(2**31)),
    ("u32 // 0 is x", lambda: u32(7) // u32(0), 7),  # ZeroDivisionError
    ("u32 % 0 is 0", lambda: u32(7) % u32(0), 0),  # ZeroDivisionError
    ("u32 //", lambda: u32(7) // 2, 3),
    ("7 // u32", lambda: AbstractInt(7) // u32(2), 3),
    ("float % has the sign of the left", lambda: f32(-5.5) % f32(2.0), -1.5),  # 0.5
    ("shift amount mod 32", lambda: u32(1) << u32(33), 2),  # 8589934592
    ("shift out", lambda: u32(0x80000000) << u32(1), 0),
    (">> of negative i32 is arithmetic", lambda: i32(-8) >> u32(1), -4),
    (">> of u32 is logical", lambda: u32(0x80000000) >> u32(31), 1),
    ("~u32", lambda: ~u32(0), 2**32 - 1),  # -1
    ("i32(u32) keeps bits", lambda: i32(u32(2**32 - 1)), -1),
    ("u32(i32) keeps bits", lambda: u32(i32(-1)), 2**32 - 1),
    ("i32(float) truncates", lambda: i32(f32(-2.7)), -2),
    ("i32(float) saturates", lambda: i32(f32(3e9)), 2147483520),
    ("i32(-float) saturates", lambda: i32(f32(-3e9)), -(2**31)),
    ("u32(-float) is 0", lambda: u32(f32(-2.7)), 0),
    ("u32(inf) saturates", lambda: u32(f32(math.inf)), 4294967040),  # OverflowError
    ("i32(nan)", lambda: i32(f32(math.nan)), 0),  # ValueError
    ("f32(u32) rounds", lambda: f32(u32(2**32 - 1)), 4294967296.0),
    ("f32(bool)", lambda: f32(True), 1.0),
    ("bool(x)", lambda: shader_bool(f32(0.5)), True),
    ("bool(0)", lambda: shader_bool(u32(0)), False),
    ("a literal takes the type of the other", lambda: AbstractInt(2) * f32(1.5), 3.0),
    ("square", lambda: f32(-3.0) ** 2, 9.0),
]


@pytest.mark.parametrize(("name", "run", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_table_of_differences(name, run, expected):
    found = run()
    assert float(found) == expected
    assert type(found) in (f32, i32, u32, bool)


REFUSED = [
    ("i32 / i32", lambda: i32(7) / i32(2), r"f32\(a\) / f32\(b\)"),
    ("u32 / 2", lambda: u32(7) / 2, r"f32\(a\) / f32\(b\)"),
    ("7 / 2", lambda: AbstractInt(7) / AbstractInt(2), "'/'"),
    ("i32 // i32", lambda: i32(-7) // i32(2), r"u32\(a\) // u32\(b\)"),
    ("i32 % i32", lambda: i32(-7) % i32(2), r"u32\(a\) % u32\(b\)"),
    ("-7 // 2", lambda: -AbstractInt(7) // AbstractInt(2), "u32"),
    ("f32 // f32", lambda: f32(7) // f32(2), "floor"),
    ("-u32", lambda: -u32(1), r"-i32\(x\)"),
    ("u32 + i32", lambda: u32(1) + i32(1), r"u32 \+ i32"),
    ("f32 + i32", lambda: f32(1) + i32(1), r"f32 \+ i32"),
    ("f32 + True", lambda: f32(1) + True, "bool is not a number"),
    ("u32 == i32", lambda: u32(1) == i32(1), "u32 == i32"),
    ("f32 < u32", lambda: f32(1) < u32(1), "f32 < u32"),
    ("u32 - 1.5", lambda: u32(1) - 1.5, "u32 - f32"),
    ("u32 + (-1)", lambda: u32(1) + AbstractInt(-1), "does not fit into u32"),
    ("i32(2**31)", lambda: i32(2**31), "does not fit into i32"),
    ("<< 32", lambda: u32(1) << 32, "0 to 31"),
    ("u32 << f32", lambda: u32(1) << f32(1), r"u32\(n\)"),
    ("i32 ** 2", lambda: i32(3) ** 2, r"x \* x"),
    ("f32('1')", lambda: f32("1"), "str"),
]


@pytest.mark.parametrize(("name", "run", "text"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(name, run, text):
    with pytest.raises(ShaderTypeError, match=text) as caught:
        run()
    assert isinstance(caught.value, TypeError)


def test_literals_become_i32_alone():
    assert type(concrete(AbstractInt(2) + AbstractInt(3))) is i32
    assert type(AbstractInt(2) + u32(3)) is u32
    assert type(u32(3) - AbstractInt(2)) is u32
    assert type(AbstractInt(5) - u32(3)) is u32
    assert concrete(f32(1)) == 1.0


def test_no_warnings_escape():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f32(np.float64(1e300)) * f32(2) == math.inf
        assert math.isnan(f32(-1.0) ** f32(0.5))
        assert math.isnan(f32(0.0) / f32(0.0))


def test_numpy_sees_float32_values():
    assert np.asarray([f32(0.1)], np.float32)[0] == np.float32(0.1)
    assert type(f32(1) + np.float32(2)) is f32
    assert type(u32(1) + np.uint32(2)) is u32
    assert hash(f32(2.5)) == hash(2.5)
    assert repr(f32(0.1)) == "f32(0.1)"
    assert f"{f32(0.1)} {u32(7)}" == "0.1 7"
