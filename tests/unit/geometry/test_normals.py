import gc
import weakref

import numpy as np

from heapscene import geometry
from heapscene.adaptive import cval
from heapscene.draw import Geometry
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
