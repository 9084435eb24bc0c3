"""Geometry copies its arrays, knows its bounds, and refuses what does not fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import Geometry
from heapscene.errors import GeometryError

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]


def test_arrays_are_copied_and_read_only() -> None:
    position = np.array(CORNERS, np.float64)
    indices = np.array([0, 1, 2])
    geometry = Geometry({"position": position}, indices)
    position[:] = 9
    indices[:] = 3
    arrays = geometry.read_attributes()
    assert arrays["position"].tolist() == [list(map(float, corner)) for corner in CORNERS]
    assert arrays["position"].dtype == np.float32
    stored = geometry.read_indices()
    assert stored is not None
    assert stored.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        arrays["position"][0] = 0


def test_interleaved_arrays_become_dense() -> None:
    mixed = np.zeros(4, [("position", "<f4", 3), ("uv", "<f4", 2)])
    mixed["position"] = CORNERS
    mixed["uv"] = np.arange(8).reshape(4, 2)
    geometry = Geometry({"position": mixed["position"], "uv": mixed["uv"]})
    for name, array in geometry.read_attributes().items():
        assert array.flags.c_contiguous
        assert np.array_equal(array, mixed[name])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.uint8, np.uint8),
        (np.uint16, np.uint16),
        (np.uint32, np.uint32),
        (np.int64, np.uint32),
        (np.dtype(">u2"), np.uint16),
    ],
)
def test_index_types(given: Any, kept: Any) -> None:
    indices = Geometry({"position": CORNERS}, np.array([[0, 1, 2]], given)).read_indices()
    assert indices is not None
    assert indices.dtype == kept
    assert indices.tolist() == [0, 1, 2]


def test_bounds_are_those_of_drawn_finite_vertices() -> None:
    assert Geometry({"position": CORNERS}).bounds.tolist() == [[0, 0, 0], [1, 2, 3]]
    part = Geometry({"position": CORNERS}, [0, 1, 2, 3, 3, 3], range=(0, 3))
    assert part.bounds.tolist() == [[0, 0, 0], [1, 2, 0]]
    holes = Geometry({"position": [(np.nan, 0, 0), (1, 1, 1), (2, 3, 4), (np.inf, 0, 0)]})
    assert holes.bounds.tolist() == [[1, 1, 1], [2, 3, 4]]
    assert np.isnan(Geometry({"position": np.zeros((0, 3))}).bounds).all()


def test_bounds_follow_an_adaptive_array() -> None:
    position = cval(np.array(CORNERS, float))
    geometry = Geometry({"position": position})
    assert not geometry.is_constant
    assert geometry.bounds[1].tolist() == [1, 2, 3]
    position.value = np.array(CORNERS, float) * 2
    assert geometry.bounds[1].tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("attributes", "options", "complaint"),
    [
        ({"normal": CORNERS}, {}, "position"),
        ({"position": CORNERS, "uv": np.zeros((3, 2))}, {}, "different numbers of rows"),
        ({"position": np.zeros((4, 2))}, {}, "one row per vertex"),
        ({"position": [["a"] * 3]}, {}, "numbers"),
        ({"position": CORNERS}, {"indices": [0, 1, 4]}, "index 4"),
        ({"position": CORNERS}, {"indices": [0, -1, 2]}, "between 0"),
        ({"position": CORNERS}, {"indices": [0.0, 1.0, 2.0]}, "integers"),
        ({"position": CORNERS}, {"range": (2, 3)}, "range"),
        ({"position": CORNERS}, {"range": (-1, 3)}, "range"),
        ({"position": CORNERS}, {"indices": [0, 1, 2], "range": (0, 4)}, "range"),
    ],
)
def test_refusals(attributes: dict[str, Any], options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(GeometryError, match=complaint):
        Geometry(attributes, **options)


def test_one_row_is_for_all_vertices() -> None:
    geometry = Geometry({"position": CORNERS, "color": [(1, 0, 0, 1)]})
    assert geometry.vertex_count == 4
    assert len(geometry.read_attributes()["color"]) == 1


@pytest.mark.parametrize("name", ["attributes", "indices", "range"])
def test_a_geometry_refuses_assignment(name):
    shape = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})
    with pytest.raises(GeometryError, match="never changes"):
        setattr(shape, name, None)
    with pytest.raises(TypeError):
        shape.attributes["position"] = None


def test_a_geometry_whose_arrays_are_wrong_can_be_shown():
    indices = cval([0, 1, 2])
    geometry = Geometry({"position": np.zeros((3, 3))}, indices)
    indices.value = "abc"
    assert repr(geometry) == "Geometry(position; GeometryError now)"


def test_bounds_of_fixed_arrays_are_found_once() -> None:
    geometry = Geometry({"position": CORNERS})
    assert geometry.bounds is geometry.bounds
