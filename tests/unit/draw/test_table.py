from __future__ import annotations

import gc

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import DrawTable, Geometry, PipelineState
from heapscene.errors import InputError, StateError
from heapscene.shader import BOOL, F32, I32, MAT4, U32, VEC3, VEC4, Interface
from reference.drawlist import PlainMaterial, PlainProgram

TRIANGLE = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})
POINT = Geometry({"position": [(0, 0, 0)]})
PROGRAM = PlainProgram(
    "columns",
    Interface(
        attributes={"position": VEC3},
        inputs={"model": MAT4, "color": VEC4, "size": F32, "kind": I32, "id": U32, "on": BOOL},
        input_defaults={"size": 1.0, "kind": 0, "id": 0, "on": False},
    ),
)


def table_of(n: int = 5, **columns) -> DrawTable:
    columns = {"position": np.zeros((n, 3)), "color": (1, 1, 1, 1)} | columns
    return DrawTable(PROGRAM, [TRIANGLE, POINT], columns)


def test_handles_never_move():
    table = table_of(4)
    table.write("size" if "size" in table.columns else "position", [(k, 0, 0) for k in range(4)])
    table.delete([1, 2])
    assert (len(table), table.handles, table.alive.tolist()) == (2, 4, [True, False, False, True])
    rows = table.append({"position": [(7, 0, 0), (8, 0, 0), (9, 0, 0)], "color": (0, 0, 0)})
    assert rows.tolist() == [1, 2, 4]
    assert table["position"][:, 0].tolist() == [0, 7, 8, 3, 9]
    assert table.append({"position": np.zeros((0, 3)), "color": (0, 0, 0)}).tolist() == []
    table.delete(slice(0, 1))
    assert table.append({"position": [(5, 5, 5)], "color": "red"}).tolist() == [0]


def test_appended_rows_are_visible_and_of_the_first_geometry_unless_told():
    table = table_of(2, visible=[True, False], geometry=[1, 1])
    table.delete([1])
    table.append({"position": [(0, 0, 0)], "color": (1, 1, 1)})
    assert table["visible"].tolist() == [True, True]
    assert table["geometry"].tolist() == [1, 0]
    table.append({"position": [(0, 0, 0)], "color": (1, 1, 1), "visible": False, "geometry": 1})
    assert (table["visible"][-1], table["geometry"][-1]) == (False, 1)


@pytest.mark.parametrize(
    "dtype", [">f8", "<f4", "f2", "i1", "u2", "<i8", ">u4", "?"], ids=lambda name: name[-2:]
)
@pytest.mark.parametrize("layout", ["plain", "strided", "fortran", "reversed", "read-only"])
def test_numbers_of_any_kind_and_layout_become_the_same_floats(dtype, layout):
    values = np.arange(12).reshape(4, 3) % (2 if dtype == "?" else 100)
    given = values.astype(dtype)
    if layout == "strided":
        wide = np.zeros((8, 6), dtype)
        wide[::2, ::2] = given
        given = wide[::2, ::2]
    elif layout == "fortran":
        given = np.asfortranarray(given)
    elif layout == "reversed":
        given = given[::-1].copy()[::-1]
    elif layout == "read-only":
        given.flags.writeable = False
    table = table_of(4, position=given)
    assert table["position"].dtype == np.float32
    assert np.array_equal(table["position"], values)
    table.write("position", given[::-1])
    assert np.array_equal(table["position"], values[::-1])
    assert not np.shares_memory(table["position"], given)


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("kind", np.array([1, -2, 3], np.int64), [1, -2, 3]),
        ("kind", np.array([1, 2, 3], np.uint8), [1, 2, 3]),
        ("id", [2**32 - 1, 0, 5], [2**32 - 1, 0, 5]),
        ("id", np.array([True, False, True]), [1, 0, 1]),
        ("on", np.array([0, 7, 1]), [0, 1, 1]),
        ("on", np.array([True, False, True]), [1, 0, 1]),
        ("size", np.array([[1], [2], [3]], ">f4"), [1, 2, 3]),
        ("size", 4, [4, 4, 4]),
        ("scale", [1, 2, 3], [1, 2, 3]),
        ("scale", [(1, 2, 3)] * 3, [[1, 2, 3]] * 3),
        ("color", np.zeros((3, 3), np.uint8), [[0, 0, 0, 1]] * 3),
        ("color", "white", [[1, 1, 1, 1]] * 3),
        ("color", np.array([(0.5, 0, 0, 0)]), [[0.5, 0, 0, 0]] * 3),
    ],
)
def test_what_is_stored(name, value, stored):
    assert table_of(3, **{name: value})[name].tolist() == stored


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"size": np.zeros((3, 2))}, r"column 'size' cannot be stored as f32"),
        ({"position": np.zeros((3, 2))}, r"float64 \(3, 2\)"),
        ({"position": np.zeros((3, 3), complex)}, r"complex128 \(3, 3\)"),
        ({"position": [object()] * 3}, r"object \(3,\)"),
        ({"position": [(1, 2), (1, 2, 3), (1,)]}, r"cannot be stored"),
        ({"kind": [0.5, 1.0, 2.0]}, r"whole numbers"),
        ({"id": [-1, 0, 0]}, r"numbers from 0 to 4294967295"),
        ({"kind": [2**31, 0, 0]}, r"numbers from -2147483648 to 2147483647"),
        ({"geometry": [0, 2, 0]}, r"says 2, and there are 2 geometries"),
        ({"geometry": [0.0, 1.0, 0.0]}, r"whole numbers"),
        ({"visible": [0.0, 1.0, 0.0]}, r"whole numbers or bools"),
        ({"colour": np.zeros((3, 4))}, r"no column 'colour'"),
        ({"model": np.zeros((3, 4, 4))}, r"either by 'model' or by position"),
        ({"color": cval((1, 1, 1, 1))}, r"table.write\('color', values\)"),
        ({"color": np.zeros((4, 4)), "size": [1, 2]}, r"has [24] rows, the table has 3"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(columns, says):
    with pytest.raises(InputError, match=says):
        table_of(3, **columns)


def test_lengths_that_differ_name_both_columns():
    columns = {"geometry": np.zeros(1000, np.int64), "position": np.zeros((999, 3))}
    with pytest.raises(InputError) as caught:
        DrawTable(PROGRAM, TRIANGLE, columns)
    assert str(caught.value) == (
        "column 'position' has 999 rows, the table has 1,000\n"
        "  column  'position'  float64 (999, 3)\n"
        "  set by  'geometry'  int64 (1000,)\n"
        "Give every column the same number of rows, or one row to use it for all draws."
    )


def test_views_cannot_be_written_and_show_later_writes():
    table = table_of(3)
    view = table["position"]
    for array in (view, table.alive, table["geometry"], table["visible"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    table.write("position", (1, 2, 3), rows=[2])
    assert view[2].tolist() == [1, 2, 3]
    assert table["geometry"].flags.writeable is False
    table.write("geometry", 1)
    table.write("visible", [False, True, False])


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        (slice(1, 3), [1, 2]),
        (slice(None, None, 2), [0, 2, 4]),
        ([3, 1], [3, 1]),
        (np.array([4], np.uint8), [4]),
        (2, [2]),
        (np.array([True, False, False, True, False]), [0, 3]),
        ([], []),
        (None, [0, 1, 2, 3, 4]),
    ],
)
def test_rows_may_be_given_in_any_form(rows, where):
    table = table_of(5)
    values = np.arange(3 * len(where)).reshape(-1, 3) + 1
    table.write("position", values, rows)
    want = np.zeros((5, 3))
    want[where] = values
    assert np.array_equal(table["position"], want)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([5], "no row 5"),
        ([-1], "no row -1"),
        ([0.0], "slice, integers, or one bool per handle"),
        ([True, False], "slice, integers, or one bool per handle"),
        ([0, 3], "row 3 is dead"),
        (slice(2, 5), "row 3 is dead"),
        (np.ones(5, bool), "row 3 is dead"),
    ],
)
def test_rows_that_are_not_there_change_nothing(rows, says):
    table = table_of(5)
    table.delete([3])
    before, news = table["position"].copy(), table.news.force()
    with pytest.raises(InputError, match=says):
        table.write("position", (9, 9, 9), rows)
    with pytest.raises(InputError, match=says):
        table.delete(rows)
    assert np.array_equal(table["position"], before)
    assert (len(table), table.news.force()) == (4, news)


def test_without_rows_the_live_ones_are_written_in_order():
    table = table_of(4)
    table.delete([1])
    table.write("position", [(1, 0, 0), (2, 0, 0), (3, 0, 0)])
    assert table["position"][:, 0].tolist() == [1, 0, 2, 3]
    with pytest.raises(InputError, match="4 values of 'position' for 3 rows"):
        table.write("position", np.zeros((4, 3)))


def test_appending_needs_the_columns_of_the_table():
    table = table_of(2)
    with pytest.raises(InputError, match="need the column 'color'"):
        table.append({"position": [(0, 0, 0)]})
    with pytest.raises(InputError, match="no column 'size'"):
        table.append({"position": [(0, 0, 0)], "color": "red", "size": 1})
    with pytest.raises(InputError, match="has 2 rows, the table has 3"):
        table.append({"position": np.zeros((3, 3)), "color": np.zeros((2, 4))})
    assert len(table) == table.handles == 2


def test_a_table_is_no_sequence_and_is_true_when_empty():
    table = table_of(1)
    table.delete([0])
    assert table
    assert len(table) == 0
    with pytest.raises(TypeError, match="not iterable"):
        list(table)


def test_duplicate_rows_are_deleted_once():
    table = table_of(4)
    table.delete([2, 2, 1])
    assert len(table) == 2
    assert np.count_nonzero(table.alive) == 2


def test_a_material_gives_what_is_no_column():
    material = PlainMaterial((1, 0, 0), PipelineState(cull_mode="back"), PROGRAM)
    table = DrawTable(material, TRIANGLE, {"position": np.zeros((2, 3))})
    assert table.state == PipelineState(cull_mode="back")
    assert dict(table.inputs) == {"color": (1, 0, 0)}
    other = DrawTable(material, TRIANGLE, {"color": np.zeros((2, 4))}, state=PipelineState())
    assert (dict(other.inputs), other.state) == ({}, PipelineState())


def test_a_program_that_has_its_own_position_takes_it_as_it_is():
    program = PlainProgram("own", Interface({"position": VEC3}, {"position": VEC3, "scale": F32}))
    table = DrawTable(program, POINT, {"position": np.ones((2, 3)), "scale": [1, 2]})
    assert not table.is_composed
    with pytest.raises(InputError, match="does not read"):
        DrawTable(program, POINT, {"position": np.ones((2, 3))}, transform=np.eye(4))
    with pytest.raises(InputError, match="no column 'rotation'"):
        DrawTable(program, POINT, {"rotation": np.ones((2, 4))})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"geometry": []}, "list of geometries"),
        ({"geometry": ["box"]}, "str"),
        ({"geometry": Geometry({"position": cval(np.zeros((3, 3)))})}, "adaptive"),
        ({"rules": {"visible": 1}}, "rules= is not supported yet"),
        ({"transform": np.eye(3)}, "4×4"),
    ],
)
def test_other_arguments_are_checked(change, says):
    arguments = {"geometry": TRIANGLE, "columns": {"position": np.zeros((1, 3))}} | change
    with pytest.raises(InputError, match=says):
        DrawTable(PROGRAM, **arguments)
    with pytest.raises(StateError):
        DrawTable(PROGRAM, TRIANGLE, {}, state="opaque")


def test_a_transform_may_be_assigned():
    table = DrawTable(PROGRAM, POINT, {"position": [(0, 0, 0)]}, transform=np.eye(4))
    place = table.place
    table.transform = np.diag([2, 2, 2, 1.0])
    assert table.place is place
    assert table.transform.tolist() == np.diag([2, 2, 2, 1.0]).tolist()
    aval = cval(np.eye(4))
    table.transform = aval
    assert table.transform is aval


def test_many_small_writes_are_remembered_as_rows():
    table = table_of(2000)
    reader = table.reader()
    for row in np.random.default_rng(3).permutation(1000) * 2:
        table.write("position", (row, 0, 0), rows=row)
    parts = reader.writes["position"]
    assert len(parts) <= 300
    rows = np.concatenate(
        [np.arange(p.start, p.stop) if isinstance(p, slice) else p for p in parts]
    )
    assert np.array_equal(np.unique(rows), np.arange(0, 2000, 2))


def test_a_reader_that_is_gone_is_not_told():
    table = table_of(3)
    reader = table.reader()
    del reader
    gc.collect()
    assert len(table._readers) == 0


@pytest.mark.long
def test_a_million_rows_make_no_objects():
    columns = {"position": np.zeros((1_000_000, 3)), "color": np.zeros((1_000_000, 4))}
    gc.collect()
    before = len(gc.get_objects())
    table = DrawTable(PROGRAM, [TRIANGLE, POINT], columns)
    table.write("position", 1 + columns["position"])
    table.delete(slice(0, 50_000))
    table.append({"position": np.zeros((60_000, 3)), "color": (1, 1, 1)})
    gc.collect()
    assert len(gc.get_objects()) - before < 200
    assert len(table) == 1_010_000


@pytest.mark.parametrize("lengths", [(1, 4), (4, 1), (1, 1)])
def test_columns_of_one_row_serve_as_many_as_there_are(lengths):
    a, b = lengths
    columns = {"position": np.zeros((a, 3)), "color": np.ones((b, 4))}
    table = DrawTable(PROGRAM, [TRIANGLE, POINT], columns)
    assert len(table) == max(lengths)
