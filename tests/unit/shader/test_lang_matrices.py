"""Matrices: columns as in WGSL, rows in NumPy."""

import itertools

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderTypeError
from heapscene.shader import f32, mat2, mat3, mat4, transpose, vec2, vec3, vec4

CLASSES = [(mat2, vec2, 2), (mat3, vec3, 3), (mat4, vec4, 4)]


def test_columns_and_rows():
    array = np.arange(9.0).reshape(3, 3)
    m = mat3(array)
    assert np.array_equal(m[0], [0, 3, 6])
    assert np.array_equal(np.asarray(m), array)
    assert np.asarray(m).dtype == np.float32
    assert mat3(vec3(0, 3, 6), vec3(1, 4, 7), vec3(2, 5, 8)) == m
    assert mat3.from_rows(vec3(0, 1, 2), vec3(3, 4, 5), vec3(6, 7, 8)) == m
    assert mat3(m) == m
    with pytest.raises(IndexError):
        _ = m[3]


@pytest.mark.parametrize(("cls", "column", "size"), CLASSES)
def test_products_are_those_of_linear_algebra(cls, column, size):
    rng = np.random.default_rng(size)
    for _ in range(50):
        a, b = rng.normal(size=(2, size, size)).astype(np.float32)
        v = rng.normal(size=size).astype(np.float32)
        assert np.allclose(cls(a) @ cls(b), a @ b, rtol=1e-5, atol=1e-6)
        assert np.allclose(cls(a) @ column(v), a @ v, rtol=1e-5, atol=1e-6)
        assert np.allclose(column(v) @ cls(a), v @ a, rtol=1e-5, atol=1e-6)
        assert np.array_equal(cls(a) + cls(b), a + b)
        assert np.array_equal(cls(a) - cls(b), a - b)
        assert np.array_equal(cls(a) * 2.5, a * np.float32(2.5))
        assert np.array_equal(f32(2.5) * cls(a), a * np.float32(2.5))
        assert np.array_equal(-cls(a), -a)
        assert np.array_equal(transpose(cls(a)), a.T)
    assert type(cls.identity() @ column(1.0)) is column


def shape_class(columns, rows):
    return getattr(sh, f"mat{columns}" if columns == rows else f"mat{columns}x{rows}")


SHAPES = list(itertools.product((2, 3, 4), repeat=2))


@pytest.mark.parametrize(("columns", "rows"), SHAPES)
def test_all_nine_shapes_are_numpys_arrays(columns, rows):
    rng = np.random.default_rng(columns * 10 + rows)
    cls = shape_class(columns, rows)
    a = rng.normal(size=(rows, columns)).astype(np.float32)
    m = cls(a)
    assert cls.__shader_type__ == sh.Matrix(columns=columns, rows=rows)
    assert np.array_equal(np.asarray(m), a)
    assert len(m) == columns
    assert len(m[0]) == rows
    assert cls.from_rows(*[getattr(sh, f"vec{columns}")(row) for row in a]) == m
    assert type(transpose(m)) is shape_class(rows, columns)
    assert np.array_equal(transpose(m), a.T)
    with pytest.raises(ShaderTypeError, match=rf"\({rows}, {columns}\)"):
        cls(np.zeros((rows, columns + 1)))
    if columns != rows:
        with pytest.raises(ShaderTypeError, match="not square"):
            cls.identity()
        with pytest.raises(ShaderTypeError, match="not square"):
            sh.determinant(m)


@pytest.mark.parametrize(("columns", "rows"), SHAPES)
def test_products_of_all_shapes(columns, rows):
    rng = np.random.default_rng(columns * 10 + rows)
    a = rng.normal(size=(rows, columns)).astype(np.float32)
    m = shape_class(columns, rows)(a)
    for other in (2, 3, 4):
        b = rng.normal(size=(columns, other)).astype(np.float32)
        found = m @ shape_class(other, columns)(b)
        assert type(found) is shape_class(other, rows)
        assert np.allclose(found, a @ b, rtol=1e-5, atol=1e-6)
        vector = getattr(sh, f"vec{other}")
        if other == columns:
            assert np.allclose(m @ vector(b[0, :1].item()), a @ np.full(other, b[0, 0]), atol=1e-5)
        else:
            with pytest.raises(ShaderTypeError, match="cannot multiply"):
                m @ vector(1.0)
            with pytest.raises(ShaderTypeError, match="cannot multiply"):
                m @ shape_class(2, other)(np.ones((other, 2)))
        if other == rows:
            row = rng.normal(size=rows).astype(np.float32)
            assert np.allclose(vector(row) @ m, row @ a, rtol=1e-5, atol=1e-6)


def test_products_round_at_every_step():
    a = np.array([[16777216.0, 1.0], [0.0, 1.0]], np.float32)
    assert (mat2(a) @ vec2(1.0, 1.0)).x == np.float32(16777216.0)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (lambda: mat4.identity() @ vec3(1.0), r"vec4\(p, 1.0\)"),
        (lambda: mat4.identity() @ 2.0, r"\*"),
        (lambda: mat4.identity() @ mat3.identity(), "mat4 by mat3"),
        (lambda: mat4.identity() * mat4.identity(), "@"),
        (lambda: mat4.identity() * vec4(1.0), "@"),
        (lambda: mat4.identity() / 2.0, r"1.0 / s"),
        (lambda: mat4(np.eye(3)), r"\(4, 4\)"),
        (lambda: mat3(vec3(1.0), vec3(1.0)), "3 columns"),
        (lambda: mat2(1.0, 0.0, 0.0, 1.0), "2 columns"),
    ],
)
def test_refused(run, text):
    with pytest.raises(ShaderTypeError, match=text):
        run()


def test_immutable():
    m = mat2.identity()
    with pytest.raises(TypeError):
        m[0] = vec2(1.0)
    with pytest.raises(ShaderTypeError, match="do not change"):
        m.x = 1
