import gc
import weakref

import numpy as np
import pytest

from heapscene import geometry
from heapscene.adaptive import AVal, cval
from heapscene.draw import Geometry
from heapscene.errors import GeometryError
from heapscene.geometry import flat_normals, with_normals
from heapscene.geometry import normals as module

SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=np.float32)


def test_a_box_gets_its_own_normals_back():
    box = geometry.box()
    bare = Geometry({"position": box.attributes["position"]}, box.indices)
    made = flat_normals(bare)
    corners = box.indices.astype(int)
    assert made.indices is None
    assert (made.attributes["position"] == box.attributes["position"][corners]).all()
    assert np.allclose(made.attributes["normal"], box.attributes["normal"][corners])


def test_normals_are_made_once_and_not_kept_alive():
    bare = Geometry({"position": SQUARE}, [0, 1, 2, 0, 2, 3])
    assert with_normals(bare) is with_normals(bare)
    assert with_normals(geometry.plane()) is not None
    assert bare in module._made
    gone = weakref.ref(bare)
    del bare
    gc.collect()
    assert gone() is None


def test_what_has_normals_is_left_alone():
    plane = geometry.plane()
    assert with_normals(plane) is plane


def test_only_the_drawn_part_and_whole_triangles():
    made = flat_normals(Geometry({"position": SQUARE}, [0, 1, 2, 0, 2, 3], range=(3, 3)))
    assert made.attributes["position"].tolist() == SQUARE[[0, 2, 3]].tolist()
    assert made.attributes["normal"].tolist() == [[0, 0, 1]] * 3
    # Two corners more than a triangle are no second one.
    made = flat_normals(Geometry({"position": SQUARE}, [0, 1, 2, 0, 2, 3], range=(0, 5)))
    assert made.attributes["position"].tolist() == SQUARE[[0, 1, 2]].tolist()
    made = flat_normals(Geometry({"position": SQUARE}, range=(1, 3)))
    assert made.attributes["position"].tolist() == SQUARE[1:].tolist()


def test_a_single_row_for_all_stays_one_row():
    made = flat_normals(Geometry({"position": SQUARE, "color": [(1, 0, 0, 1)]}, [0, 1, 2]))
    assert made.attributes["color"].shape == (1, 4)


def test_a_triangle_without_area_has_no_normal_and_no_nan():
    made = flat_normals(Geometry({"position": [(0, 0, 0)] * 3}))
    assert made.attributes["normal"].tolist() == [[0, 0, 0]] * 3


def test_adaptive_arrays_stay_adaptive():
    position = cval(SQUARE)
    indices = cval(np.array([0, 1, 2]))
    made = with_normals(Geometry({"position": position}, indices))
    assert made.read_attributes()["normal"].tolist() == [[0, 0, 1]] * 3
    position.value = SQUARE[:, [1, 0, 2]]
    assert made.read_attributes()["normal"].tolist() == [[0, 0, -1]] * 3
    indices.value = np.array([0, 2, 1, 0, 1, 2])
    assert made.read_attributes()["normal"].tolist() == [[0, 0, 1]] * 3 + [[0, 0, -1]] * 3


def _far(scale):
    rng = np.random.default_rng(3)
    return rng.uniform(-1, 1, (12, 3)) + scale


def _same_bytes(one, other):
    ours, theirs = one.read_attributes(), other.read_attributes()
    assert set(ours) == set(theirs)
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype
        assert array.tobytes() == theirs[name].tobytes(), name


@pytest.mark.parametrize("scale", [0.0, 1e3, 2.7e6])
def test_an_adaptive_array_gives_the_bytes_of_a_plain_one(scale):
    start, later = _far(scale), _far(scale)[::-1].copy()
    corners = np.random.default_rng(1).integers(0, 12, 18)
    for indices in (None, corners, cval(corners)):
        cell = cval(start)
        made = with_normals(Geometry({"position": cell}, indices))
        for array in (start, later):
            cell.value = array
            given = indices.value if isinstance(indices, AVal) else indices
            _same_bytes(made, with_normals(Geometry({"position": array}, given)))


@pytest.mark.parametrize(
    "given",
    [
        _far(2.7e6).tolist(),
        _far(3).astype(np.float32),
        _far(3).astype(">f8"),
        np.asfortranarray(_far(3)),
        (_far(0) * 100).astype(np.int64),
    ],
    ids=["list", "float32", "big-endian", "fortran", "whole"],
)
def test_whatever_a_plain_array_may_be_an_adaptive_one_may_be(given):
    color = [(1, 0, 0.1)]
    plain = Geometry({"position": given, "color": color}, np.arange(9))
    adaptive = Geometry({"position": cval(given), "color": cval(color)}, cval(np.arange(9)))
    _same_bytes(with_normals(adaptive), with_normals(plain))


def test_one_vertex_drawn_three_times_is_a_triangle_without_area():
    for position in ([(1, 2, 3)], cval([(1, 2, 3)])):
        made = flat_normals(Geometry({"position": position}, [0, 0, 0])).read_attributes()
        assert made["position"].tolist() == [[1, 2, 3]] * 3
        assert made["normal"].tolist() == [[0, 0, 0]] * 3


def test_arrays_that_fit_no_more_are_refused_as_those_of_a_geometry():
    position = cval(np.tile(SQUARE, (8, 1)))
    color = cval(np.ones((32, 4)))
    shared = Geometry({"position": position}, [0, 1, 28])
    made = flat_normals(shared)
    colored = flat_normals(Geometry({"position": position, "color": color}))
    ranged = flat_normals(Geometry({"position": position}, range=(20, 12)))
    position.value = SQUARE
    with pytest.raises(GeometryError, match="index 28 is past the last of 4 vertices"):
        made.read_attributes()
    with pytest.raises(GeometryError, match="different numbers of rows"):
        colored.read_attributes()
    with pytest.raises(GeometryError, match="leaves the geometry"):
        ranged.read_attributes()
    position.value = np.tile(SQUARE, (8, 1))
    assert len(made.read_attributes()["normal"]) == 3


def test_a_change_of_one_array_leaves_the_others_as_they_are():
    position, color = cval(SQUARE), cval(np.ones((4, 4)))
    made = flat_normals(Geometry({"position": position, "color": color}, [0, 1, 2]))
    before = made.attributes["normal"].value
    color.value = np.zeros((4, 4))
    assert made.attributes["normal"].value is before
    assert made.attributes["color"].value.tolist() == [[0] * 4] * 3
