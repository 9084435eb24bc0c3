import numpy as np
import pytest

from heapscene.io.normals import shade

ROOF = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.0)])


def test_a_flat_surface_keeps_its_vertices():
    source, normal, indices = shade(ROOF, np.array([0, 1, 2, 1, 3, 2]))
    assert source.tolist() == [0, 1, 2, 3]
    assert indices.tolist() == [0, 1, 2, 1, 3, 2]
    np.testing.assert_array_equal(normal, [(0, 0, 1)] * 4)


@pytest.mark.parametrize(("degrees", "vertices"), [(30, 4), (120, 6)])
def test_an_edge_is_split_when_it_is_sharp(degrees, vertices):
    bent = ROOF.copy()
    turn = np.deg2rad(degrees)
    fold = np.array((1, 1, 0)) / np.sqrt(2)
    middle = np.array((0.5, 0.5, 0))
    bent[3] = middle + (fold * np.cos(turn) + np.array((0, 0, 1)) * np.sin(turn)) / np.sqrt(2)
    source, _, indices = shade(bent, np.array([0, 1, 2, 1, 3, 2]))
    assert len(source) == vertices
    np.testing.assert_array_equal(source[indices], [0, 1, 2, 1, 3, 2])


def test_without_crease_every_corner_is_its_own():
    source, _, indices = shade(ROOF, np.array([0, 1, 2, 1, 3, 2]), crease=0.0)
    assert source.tolist() == [0, 1, 2, 1, 3, 2]
    assert indices.tolist() == list(range(6))


def test_repeated_vertices_count_as_one_place():
    soup = ROOF[[0, 1, 2, 1, 3, 2]]
    soup[4, 2] = 0.2
    soup[1, 2] = -0.0
    _, normal, indices = shade(soup, np.arange(6))
    np.testing.assert_array_equal(normal[indices[1]], normal[indices[3]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_bad_positions_give_finite_normals(bad):
    position = ROOF.copy()
    position[3] = bad
    _, normal, _ = shade(position, np.array([0, 1, 2, 1, 3, 2, 0, 0, 0]))
    assert np.isfinite(normal).all()
    np.testing.assert_array_equal(normal[0], (0, 0, 1))


def test_nothing_gives_nothing():
    source, normal, indices = shade(np.zeros((0, 3)), np.zeros(0, np.int64))
    assert len(source) == len(normal) == len(indices) == 0
