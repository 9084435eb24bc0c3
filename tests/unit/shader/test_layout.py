"""Offsets of WGSL, checked against the specification's rules without a GPU."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import dtype_of, layout_of
from heapscene.shader.layout import align_of, size_of
from heapscene.shader.types import (
    BOOL,
    F32,
    MAT2,
    MAT3,
    MAT4,
    U32,
    VEC2,
    VEC3,
    VEC4,
    ArrayType,
    Matrix,
    StructField,
    StructType,
    Vector,
)


def struct(*types, name="S"):
    return StructType(name, tuple(StructField(f"m{k}", t) for k, t in enumerate(types)))


def test_sizes_and_alignments():
    expected = {
        F32: (4, 4),
        VEC2: (8, 8),
        VEC3: (12, 16),
        VEC4: (16, 16),
        Vector(U32, 3): (12, 16),
        MAT2: (16, 8),
        MAT3: (48, 16),
        MAT4: (64, 16),
        Matrix(2, 3): (32, 16),
        Matrix(2, 4): (32, 16),
        Matrix(3, 2): (24, 8),
        Matrix(3, 4): (48, 16),
        Matrix(4, 2): (32, 8),
        Matrix(4, 3): (64, 16),
        ArrayType(VEC3, 4): (64, 16),
        ArrayType(F32, 3): (12, 4),
    }
    assert {t: (size_of(t), align_of(t)) for t in expected} == expected


def test_offsets_follow_alignment():
    plan = layout_of(struct(F32, VEC3, F32, VEC2, MAT3, U32))
    assert [each.offset for each in plan.fields] == [0, 16, 28, 32, 48, 96]
    assert (plan.size, plan.align) == (112, 16)
    assert plan.dtype.itemsize == 112
    assert [plan.dtype.fields[f"m{k}"][1] for k in range(6)] == [0, 16, 28, 32, 48, 96]


def test_a_struct_inside_a_struct_is_padded_to_its_alignment():
    inner = struct(VEC3, name="Inner")
    plan = layout_of(struct(F32, inner, F32))
    assert [each.offset for each in plan.fields] == [0, 16, 32]
    assert plan.size == 48


def test_matrices_lie_by_columns():
    plan = layout_of(struct(MAT3))
    value = np.zeros((), plan.dtype)
    assert value["m0"].shape == (3, 4)
    value["m0"][:, :3] = np.arange(9).reshape(3, 3).T
    assert np.frombuffer(value.tobytes(), "<f4").tolist() == [0, 3, 6, 0, 1, 4, 7, 0, 2, 5, 8, 0]


def test_arrays_keep_their_stride():
    assert dtype_of(ArrayType(VEC3, 2)).itemsize == 32
    assert dtype_of(ArrayType(struct(VEC3, F32), 3)).itemsize == 48
    assert dtype_of(U32) == np.dtype("<u4")


@pytest.mark.parametrize(
    ("member", "reason"),
    [(ArrayType(F32, 4), "4 bytes apart"), (ArrayType(VEC2, 2), "8 bytes apart")],
)
def test_what_does_not_fit_into_a_uniform(member, reason):
    layout_of(struct(member))
    with pytest.raises(ShaderTypeError, match=reason):
        layout_of(struct(member), "uniform")


@pytest.mark.parametrize("member", [BOOL, Vector(BOOL, 2)])
def test_bools_do_not_lie_in_buffers(member):
    with pytest.raises(ShaderTypeError, match="Use u32"):
        layout_of(struct(F32, member))
