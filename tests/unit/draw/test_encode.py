"""Values become bytes as their declared type says, or are refused by name."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from heapscene.draw import encode_all, encode_rows, encode_value, numpy_dtype
from heapscene.errors import InputError
from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    MAT3,
    MAT4,
    U32,
    VEC2,
    VEC3,
    VEC4,
    Matrix,
    Scalar,
    Type,
    Vector,
)

VEC3I = Vector(Scalar("i32"), 3)


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (F32, 1, struct.pack("<f", 1.0)),
        (F32, np.float64(0.1), struct.pack("<f", 0.1)),
        (I32, -2, struct.pack("<i", -2)),
        (U32, 2**32 - 1, struct.pack("<I", 2**32 - 1)),
        (U32, np.uint8(7), struct.pack("<I", 7)),
        (BOOL, True, struct.pack("<I", 1)),
        (VEC2, (1, 2), struct.pack("<2f", 1, 2)),
        (VEC3, np.array([1.0, 2.0, 3.0]), struct.pack("<3f", 1, 2, 3)),
        (VEC4, (1, 2, 3, 4), struct.pack("<4f", 1, 2, 3, 4)),
        (VEC4, (1, 2, 3), struct.pack("<4f", 1, 2, 3, 1)),
        (VEC4, "red", struct.pack("<4f", 1, 0, 0, 1)),
        (VEC3, "#0000ff", struct.pack("<3f", 0, 0, 1)),
        (VEC3I, (1, -2, 3), struct.pack("<3i", 1, -2, 3)),
    ],
)
def test_one_value(type_: Type, value: Any, expected: bytes) -> None:
    assert encode_value(type_, value, "x") == expected
    assert len(expected) == 4 * type_.words


def test_matrices_are_row_major() -> None:
    matrix = np.arange(16.0).reshape(4, 4)
    assert np.frombuffer(encode_value(MAT4, matrix, "m"), "<f4").tolist() == list(range(16))
    assert np.frombuffer(encode_value(MAT4, matrix.T, "m"), "<f4")[1] == 4
    wide = np.arange(6.0).reshape(2, 3)  # two rows, three columns
    assert encode_value(Matrix(3, 2), wide, "m") == wide.astype("<f4").tobytes()
    with pytest.raises(InputError):
        encode_value(Matrix(2, 3), wide, "m")


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (F32, "red"),
        (F32, (1, 2)),
        (F32, None),
        (VEC3, (1, 2)),
        (VEC3, (1, 2, 3, 4)),
        (VEC3, 1.0),
        (VEC4, (1, 2)),
        (VEC4, "no such colour"),
        (VEC2, "red"),
        (I32, 2**31),
        (U32, -1),
        (MAT4, np.eye(3)),
        (MAT3, None),
    ],
)
def test_refusals_name_the_input(type_: Type, value: Any) -> None:
    with pytest.raises(InputError) as caught:
        encode_value(type_, value, "tilt")
    assert "tilt" in str(caught.value) or "colour" in str(caught.value)


def test_rows_keep_integers() -> None:
    rows = encode_rows(U32, np.array([1, 2**32 - 1], np.uint32), "id")
    assert rows.dtype == np.uint32
    assert rows.tolist() == [[1], [2**32 - 1]]
    assert encode_rows(I32, np.array([-1]), "id").view(np.int32).tolist() == [[-1]]


def test_rows_of_floats_are_float32() -> None:
    rows = encode_rows(VEC3, np.arange(6.0).reshape(2, 3), "offset")
    assert rows.view(np.float32).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_rows_of_three_get_a_fourth() -> None:
    rows = encode_rows(VEC4, np.zeros((2, 3)), "color")
    assert rows.view(np.float32).tolist() == [[0, 0, 0, 1], [0, 0, 0, 1]]


def test_rows_of_matrices_are_row_major() -> None:
    matrices = np.arange(32.0).reshape(2, 4, 4)
    assert encode_rows(MAT4, matrices, "model").view(np.float32)[1].tolist() == list(range(16, 32))


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (VEC3, np.zeros((2, 2))),
        (VEC3, np.zeros(3)),
        (MAT4, np.zeros((2, 16))),
        (F32, np.array(["a"])),
        (F32, np.array([1j])),
    ],
)
def test_rows_of_another_shape_are_refused(type_: Type, value: Any) -> None:
    with pytest.raises(InputError, match="tilt"):
        encode_rows(type_, value, "tilt")


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [(F32, "<f4"), (I32, "<i4"), (U32, "<u4"), (BOOL, "<u4"), (VEC3I, "<i4"), (MAT4, "<f4")],
)
def test_dtype_of_a_type(type_: Type, dtype: str) -> None:
    assert numpy_dtype(type_) == np.dtype(dtype)


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (F32, [1, 2.5, True]),
        (VEC3, [(1, 2, 3), [4, 5, 6], np.ones(3)]),
        (VEC4, [(1, 2, 3), "#ff8000", (1, 2, 3, 4)]),
        (VEC4, [(1, 0.1, 3), (1e-50, float("nan"), float("inf"))]),
        (VEC2, [(1, 0.1), (True, 3)]),
        (MAT4, [np.eye(4), np.arange(16.0).reshape(4, 4)]),
        (MAT4, [np.eye(4), np.eye(4, dtype=np.float32), np.eye(4).tolist()]),
        (MAT4, [np.asfortranarray(np.arange(16.0).reshape(4, 4)), np.eye(4)]),
    ],
)
def test_many_values_have_the_bytes_of_each(type_, values):
    rows = encode_all(type_, values, "x")
    assert rows.shape == (len(values), type_.words)
    assert [row.tobytes() for row in rows] == [encode_value(type_, value, "x") for value in values]


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (VEC3, [(1, 2, 3), (1, 2)]),
        (VEC3, [(1, 2, 3), (1, 2, "x")]),
        (MAT4, [np.eye(4), np.eye(3)]),
        (MAT4, [np.ones((2, 8)), np.ones((2, 8))]),
        (F32, [1.0, 1e300]),
        (VEC2, [(1.0, 1e300), (0, 0)]),
        (VEC2, [(1.0, 10**400), (0, 0)]),
        (VEC2, [(1.0, "1.0"), (0, 0)]),
    ],
)
def test_one_wrong_value_of_many_is_refused(type_, values):
    with pytest.raises(InputError, match="'x'"):
        encode_all(type_, values, "x")
