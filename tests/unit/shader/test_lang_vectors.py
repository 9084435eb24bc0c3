"""Vectors: construction, swizzles, arithmetic against NumPy, immutability."""

import operator as op
import pickle

import numpy as np
import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import (
    all,
    any,
    f32,
    i32,
    u32,
    vec2,
    vec2u,
    vec3,
    vec3b,
    vec3i,
    vec3u,
    vec4,
)
from heapscene.shader.types import BOOL, F32, I32, U32, Vector

ADD_LIKE = [op.add, op.sub, op.mul]


def test_types():
    assert vec3.__shader_type__ == Vector(F32, 3)
    assert vec3i.__shader_type__ == Vector(I32, 3)
    assert vec2u.__shader_type__ == Vector(U32, 2)
    assert vec3b.__shader_type__ == Vector(BOOL, 3)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (vec3(), [0, 0, 0]),
        (vec3(2.0), [2, 2, 2]),
        (vec3(1, 2.0, f32(3)), [1, 2, 3]),
        (vec4(vec3(1, 2, 3), 4), [1, 2, 3, 4]),
        (vec4(1, vec2(2, 3), 4), [1, 2, 3, 4]),
        (vec4(vec2(1, 2), vec2(3, 4)), [1, 2, 3, 4]),
        (vec3(np.array([1, 2, 3])), [1, 2, 3]),
        (vec3((1, 2, 3)), [1, 2, 3]),
        (vec3(vec3u(1, 2, 3)), [1, 2, 3]),
        (vec3u(vec3(1.9, -2.0, 3.0)), [1, 0, 3]),
        (vec3u(vec3i(-1, 2, 3)), [2**32 - 1, 2, 3]),
    ],
)
def test_construction(made, expected):
    assert np.asarray(made).tolist() == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda: vec3(1, 2),
        lambda: vec3(vec4(1.0)),
        lambda: vec3(u32(1), 2, 3),
        lambda: vec3u(1.5, 2, 3),
        lambda: vec3("abc"),
        lambda: vec3(True, 1, 2),
    ],
)
def test_refused_construction(make):
    with pytest.raises(ShaderTypeError):
        make()


def test_swizzles():
    v = vec4(1, 2, 3, 4)
    assert type(v.x) is f32
    assert v.xyz.__class__ is vec3
    assert np.asarray(v.wzyx).tolist() == [4, 3, 2, 1]
    assert np.asarray(v.rgb).tolist() == [1, 2, 3]
    assert np.asarray(v.xx).tolist() == [1, 1]
    assert v.a == v.w == v[3] == 4
    with pytest.raises(AttributeError, match="xyz"):
        _ = vec3(1.0).w
    with pytest.raises(AttributeError):
        _ = v.xr
    with pytest.raises(IndexError):
        _ = v[4]
    with pytest.raises(IndexError):
        _ = v[-1]


def test_values_do_not_change():
    v = vec3(1, 2, 3)
    with pytest.raises(ShaderTypeError, match=r"v = v\.with_x\(1\.0\)"):
        v.x = 1.0
    with pytest.raises(ShaderTypeError, match=r"v = v\.with_z\("):
        v.b = 1.0
    with pytest.raises(ShaderTypeError, match=r"v = vec3\("):
        v.xy = vec2(1.0)
    with pytest.raises(TypeError):
        v[0] = 1.0
    changed = v.with_x(9).with_y(8).with_z(7)
    assert np.asarray(changed).tolist() == [9, 8, 7]
    assert np.asarray(v).tolist() == [1, 2, 3]
    assert vec4(0.0).with_w(2).w == 2


@pytest.mark.parametrize("function", [*ADD_LIKE, op.truediv])
def test_float_arithmetic(function):
    rng = np.random.default_rng(3)
    for _ in range(300):
        a, b = rng.normal(size=(2, 4)).astype(np.float32)
        assert np.array_equal(function(vec4(a), vec4(b)), function(a, b))
        assert np.array_equal(function(vec4(a), f32(b[0])), function(a, b[0]))
        assert np.array_equal(function(f32(b[0]), vec4(a)), function(b[0], a))
        assert np.array_equal(function(2.5, vec4(a)), function(np.float32(2.5), a))
        assert np.array_equal(function(b[0], vec4(a)), function(b[0], a))


@pytest.mark.parametrize("function", [*ADD_LIKE, op.and_, op.or_, op.xor])
@pytest.mark.parametrize(("cls", "dtype"), [(vec3i, np.int32), (vec3u, np.uint32)])
def test_integer_arithmetic(function, cls, dtype):
    rng = np.random.default_rng(4)
    for _ in range(200):
        a, b = rng.integers(0, 2**32, (2, 3), dtype=np.uint32).view(dtype)
        assert np.array_equal(function(cls(a), cls(b)), function(a, b))


def test_comparison_gives_bools():
    a, b = vec3(1, 2, 3), vec3(1, 3, 2)
    assert type(a == b) is vec3b
    assert list(a < b) == [False, True, False]
    assert list(a == b) == [True, False, False]
    assert any(a == b)
    assert not all(a == b)
    assert all(~(a < vec3(0.0)))
    with pytest.raises(ShaderTypeError, match=r"all\(v\)"):
        bool(a == b)
    with pytest.raises(ShaderTypeError):
        _ = a < vec2(1.0)
    with pytest.raises(ShaderTypeError, match="vec3"):
        _ = a < f32(1.0)


@pytest.mark.parametrize(
    "run",
    [
        lambda: vec3(1.0) + vec2(1.0),
        lambda: vec3(1.0) + vec3i(1),
        lambda: vec3(1.0) * u32(2),
        lambda: vec3i(1) / vec3i(2),
        lambda: vec3i(1) // vec3i(2),
        lambda: vec3(1.0) & vec3(1.0),
        lambda: (vec3(1.0) < vec3(2.0)) + (vec3(1.0) < vec3(2.0)),
        lambda: vec3i(i32(1)) + 1.5,
    ],
)
def test_refused_operations(run):
    with pytest.raises(ShaderTypeError):
        run()


def test_unsigned_division_and_shifts():
    assert np.asarray(vec3u(7, 8, 9) // vec3u(2, 0, 4)).tolist() == [3, 8, 2]
    assert np.asarray(vec3u(7, 8, 9) % 4).tolist() == [3, 0, 1]
    assert np.asarray(vec3u(1, 2, 3) << u32(4)).tolist() == [16, 32, 48]
    assert np.asarray(~vec2u(0)).tolist() == [2**32 - 1] * 2


def test_python_side():
    v = vec3(0.1, 2, 3)
    assert repr(v) == "vec3(0.1, 2.0, 3.0)"
    assert len(v) == 3
    assert np.asarray(v).dtype == np.float32
    assert np.asarray(vec3u(1)).dtype == np.uint32
    assert all(pickle.loads(pickle.dumps(v)) == v)
    assert hash(v) == hash(vec3(0.1, 2, 3))
    assert v != None  # noqa: E711 - other objects are unequal, not errors
