import numpy as np
import pytest

from heapscene import geometry
from heapscene.errors import GeometryError

CLOSED = {
    "box": (geometry.box(1, 2, 3), 2 * (2 + 3 + 6), 6.0, 2),
    "sphere": (geometry.sphere(0.5, (128, 64)), np.pi, np.pi / 6, 2),
    "cylinder": (geometry.cylinder(0.5, 2.0, 128), 2.5 * np.pi, np.pi / 2, 2),
    "cone": (
        geometry.cone(0.5, 2.0, 128),
        np.pi * 0.25 + np.pi * 0.5 * np.hypot(0.5, 2.0),
        np.pi / 6,
        2,
    ),
    "torus": (
        geometry.torus(0.5, 0.2, (128, 64)),
        4 * np.pi**2 * 0.1,
        2 * np.pi**2 * 0.5 * 0.04,
        0,
    ),
}
SMALLEST = [
    geometry.sphere(segments=(3, 2)),
    geometry.cylinder(segments=3),
    geometry.cone(segments=3),
    geometry.torus(segments=(3, 3)),
]


def triangles(shape):
    return shape.attributes["position"].astype(np.float64)[shape.indices.reshape(-1, 3)]


def euler(shape):
    """Vertices - edges + faces after welding; every edge has to be shared by two opposite sides."""
    _, welded = np.unique(np.round(shape.attributes["position"], 5), axis=0, return_inverse=True)
    faces = welded.reshape(-1)[shape.indices.reshape(-1, 3)]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    directed = {tuple(edge) for edge in edges.tolist()}
    assert len(directed) == len(edges)
    assert {(b, a) for a, b in directed} == directed
    return len(np.unique(faces)) - len(edges) // 2 + len(faces)


@pytest.mark.parametrize("name", CLOSED)
def test_closed_shapes_have_the_right_topology_area_and_volume(name):
    shape, area, volume, characteristic = CLOSED[name]
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    assert euler(shape) == characteristic
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2 == pytest.approx(area, rel=3e-3)
    assert (a * np.cross(b, c)).sum() / 6 == pytest.approx(volume, rel=3e-3)
    assert shape.bounds.sum(axis=0) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("shape", SMALLEST)
def test_fewest_segments_still_close(shape):
    assert euler(shape) in (0, 2)
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    assert (np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-3).all()
    assert (a * np.cross(b, c)).sum() > 0


@pytest.mark.parametrize("shape", [*(item[0] for item in CLOSED.values()), geometry.plane(2, 3)])
def test_normals_are_unit_and_agree_with_the_winding(shape):
    normal = shape.attributes["normal"].astype(np.float64)
    assert np.linalg.norm(normal, axis=1) == pytest.approx(1, abs=1e-6)
    a, b, c = np.moveaxis(triangles(shape), 1, 0)
    face = np.cross(b - a, c - a)
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    at_corners = normal[shape.indices.reshape(-1, 3)]
    assert (np.einsum("ik,ijk->ij", face, at_corners) > 0.9).all()


@pytest.mark.parametrize("shape", [*(item[0] for item in CLOSED.values()), geometry.plane(2, 3)])
def test_uv_is_not_mirrored(shape):
    uv = shape.attributes["uv"].astype(np.float64)
    assert uv.min() >= 0
    assert uv.max() <= 1 + 1 / 64
    a, b, c = np.moveaxis(uv[shape.indices.reshape(-1, 3)], 1, 0)
    # v points down, so a triangle that is counter-clockwise in space is clockwise in (u, v)
    assert ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0] < 0).all()


def test_sphere_vertices_lie_on_the_sphere():
    position = geometry.sphere(2.0).attributes["position"]
    assert np.linalg.norm(position, axis=1) == pytest.approx(2.0, rel=1e-6)


def test_plane_faces_the_viewer():
    shape = geometry.plane(2, 4)
    assert shape.bounds.tolist() == [[-1, -2, 0], [1, 2, 0]]
    assert shape.attributes["normal"].tolist() == [[0, 0, 1]] * 4


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        (geometry.box(), np.uint8),
        (geometry.sphere(), np.uint16),
        (geometry.sphere(segments=(300, 250)), np.uint32),
    ],
)
def test_indices_are_small(shape, dtype):
    assert shape.indices.dtype == dtype


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: geometry.box(0), "box: width"),
        (lambda: geometry.box(1, float("nan")), "box: height"),
        (lambda: geometry.sphere("big"), "sphere: radius"),
        (lambda: geometry.sphere(1.0, 8), "sphere: segments=8"),
        (lambda: geometry.sphere(1.0, (2, 8)), "segments=\\(2, 8\\)"),
        (lambda: geometry.cylinder(segments=2.5), "cylinder: segments=2.5"),
        (lambda: geometry.cone(height=-1), "cone: height"),
        (lambda: geometry.torus(tube=np.inf), "torus: tube"),
    ],
)
def test_bad_sizes_are_refused(make, text):
    with pytest.raises(GeometryError, match=text):
        make()


@pytest.mark.parametrize("size", [1e300, 10**40, True, 1j, np.complex64(1), "1", np.ones(2)])
def test_a_size_that_float32_cannot_hold_is_refused(size):
    with pytest.raises(GeometryError):
        geometry.box(size)


@pytest.mark.parametrize("segments", [(10**6, 10**6), (2**32, 3), (3, 2**64)])
def test_more_segments_than_memory_are_refused(segments):
    with pytest.raises(GeometryError, match="too many"):
        geometry.sphere(segments=segments)
