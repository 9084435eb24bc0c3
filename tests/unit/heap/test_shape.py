from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import constant, cval
from heapscene.draw import Geometry
from heapscene.errors import GeometryError
from heapscene.heap.schema import make_schema
from heapscene.heap.shape import make_shape
from heapscene.shader import Interface, types
from reference.heap import FakeProgram

POINTS = np.arange(30, dtype=np.float32).reshape(10, 3)


def schema(defaults=None, **attributes):
    program = FakeProgram("p", Interface(attributes, {}, attribute_defaults=defaults or {}))
    return make_schema(program, (), {})


def test_vec3_is_packed_without_padding():
    shape = make_shape(Geometry({"position": POINTS}), schema(position=types.VEC3))
    (piece,) = shape.pieces
    assert (piece.stride, piece.nbytes) == (3, 120)
    assert (shape.width, shape.count, shape.vertex_first, shape.vertex_span) == (0, 10, 0, 10)


def test_vec4_of_three_columns_gets_one():
    shape = make_shape(Geometry({"position": POINTS}), schema(position=types.VEC4))
    assert shape.pieces[0].data[:, 3].tolist() == [1.0] * 10


@pytest.mark.parametrize("type_", [types.VEC2, types.F32])
def test_columns_are_never_dropped(type_):
    geometry = Geometry({"position": POINTS})
    with pytest.raises(GeometryError, match=r"'position'[\s\S]*3 columns"):
        make_shape(geometry, schema(position=type_))


def test_floats_do_not_become_integers_but_integers_floats():
    geometry = Geometry({"position": POINTS, "weight": np.arange(10)})
    shape = make_shape(geometry, schema(weight=types.F32))
    assert shape.pieces[0].data[:, 0].tolist() == list(range(10))
    with pytest.raises(GeometryError, match="'position'"):
        make_shape(geometry, schema(position=types.Vector(types.U32, 3)))


def test_one_row_has_stride_zero_and_a_missing_one_the_default():
    geometry = Geometry({"position": POINTS, "normal": [(0, 0, 1)]})
    wanted = schema({"uv": (0.5, 0.25)}, normal=types.VEC3, uv=types.VEC2)
    normal, uv = make_shape(geometry, wanted).pieces
    assert (normal.stride, normal.nbytes) == (0, 12)
    assert (uv.stride, np.frombuffer(uv.data, np.float32).tolist()) == (0, [0.5, 0.25])


def test_what_is_missing_is_named():
    with pytest.raises(GeometryError, match=r"no attribute 'uv'[\s\S]*10 vertices"):
        make_shape(Geometry({"position": POINTS}), schema(uv=types.VEC2))
    with pytest.raises(GeometryError, match="needs a Geometry"):
        make_shape(POINTS, schema(uv=types.VEC2))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_part_of_indices(dtype):
    geometry = Geometry({"position": POINTS}, np.array([9, 0, 4, 5, 7, 3], dtype), range=(2, 3))
    shape = make_shape(geometry, schema(position=types.VEC3))
    width = np.dtype(dtype).itemsize
    assert (shape.width, shape.count, shape.index_skip) == (width, 3, 2 * width)
    assert (shape.vertex_first, shape.vertex_span) == (4, 4)
    assert shape.pieces[-1].nbytes == (6 * width + 3) // 4 * 4
    np.testing.assert_array_equal(shape.bounds, [POINTS[4], POINTS[7]])


def test_part_of_vertices():
    shape = make_shape(Geometry({"position": POINTS}, range=(3, 4)), schema(position=types.VEC3))
    assert (shape.count, shape.vertex_first, shape.vertex_span) == (4, 3, 4)


def test_nothing_to_draw():
    shape = make_shape(Geometry({"position": POINTS}, []), schema(position=types.VEC3))
    assert (shape.count, shape.vertex_first, shape.vertex_span) == (0, 0, 0)


def test_equal_content_has_equal_keys():
    a, b = (make_shape(Geometry({"position": POINTS}), schema(position=types.VEC3)) for _ in "ab")
    assert a.pieces[0].key == b.pieces[0].key
    other = make_shape(Geometry({"position": POINTS + 1}), schema(position=types.VEC3))
    assert other.pieces[0].key != a.pieces[0].key


def test_large_arrays_are_known_by_address_only_while_they_are_held():
    big = np.zeros((100_000, 3), np.float32)
    held = Geometry({"position": big})
    a, b = (make_shape(held, schema(position=types.VEC3)) for _ in "ab")
    assert a.pieces[0].key == b.pieces[0].key
    assert a.pieces[0].key[0] == "address"
    derived = make_shape(Geometry({"position": constant(big)}), schema(position=types.VEC3))
    assert derived.pieces[0].key[0] == "bytes"


def test_adaptive_arrays_are_keyed_by_value_and_size():
    cell = cval(POINTS)
    geometry = Geometry({"position": cell}, [0, 1, 2])
    before = make_shape(geometry, schema(position=types.VEC3))
    cell.value = POINTS + 1
    same = make_shape(geometry, schema(position=types.VEC3))
    cell.value = POINTS[:5]
    smaller = make_shape(geometry, schema(position=types.VEC3))
    assert before.avals == (cell,)
    assert before.pieces[0].key == same.pieces[0].key != smaller.pieces[0].key
    assert smaller.key == before.key
    cell.value = POINTS[:2]
    with pytest.raises(GeometryError, match="past the last"):
        make_shape(geometry, schema(position=types.VEC3))
