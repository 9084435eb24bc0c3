import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import CameraLike, CameraMatrices, camera_matrices, fit_viewpoint, look_at
from heapscene.errors import InputError
from heapscene.scene.camera import OrthographicCamera, PerspectiveCamera

UNIT = np.array([(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)])
NOTHING = np.full((2, 3), np.nan)


def corners(bounds):
    x, y, z = np.asarray(bounds, dtype=float).T
    return np.array([(a, b, c, 1.0) for a in x for b in y for c in z])


def ndc(matrices, points):
    clip = points @ (matrices.proj @ matrices.view).T
    return clip[:, :3] / clip[:, 3:], clip[:, 3]


def test_conventions_by_hand():
    matrices = PerspectiveCamera(90, position=(0, 0, 5), near=1, far=10).matrices(2.0, NOTHING)
    points = np.array([(0, 0, 4, 1), (0, 0, -5, 1), (4.0, 2, 3, 1), (-2, -1, 4, 1)], dtype=float)
    seen, w = ndc(matrices, points)
    assert np.allclose(seen[:2, 2], [0, 1])
    assert np.allclose(seen[2:, :2], [(1, 1), (-1, -1)])
    assert (w > 0).all()
    assert matrices.position.tolist() == [0, 0, 5]
    assert all(item.dtype == np.float64 for item in matrices)


def test_orthographic_by_hand():
    camera = OrthographicCamera(4, position=(1, 0, 5), target=(1, 0, 0), near=-1, far=9)
    seen, w = ndc(camera.matrices(0.5, NOTHING), np.array([(2.0, 2, 6, 1), (0, -2, -4, 1)]))
    assert np.allclose(seen, [(1, 1, 0), (-1, -1, 1)])
    assert (w == 1).all()


@pytest.mark.parametrize("up", [(0, 1, 0), (0, 0, 1), (0, 7, 0.1)])
@pytest.mark.parametrize("position", [(3, 2, 1), (0, 5, 0), (0, -5, 0), (-1e6, 2, 0)])
def test_views_are_rigid_and_look_at_the_target(position, up):
    view = look_at(position, (0, 0, 0), up)
    assert np.allclose(view[:3, :3] @ view[:3, :3].T, np.eye(3))
    assert np.linalg.det(view[:3, :3]) == pytest.approx(1)
    assert np.allclose(view @ (*position, 1), (0, 0, 0, 1), atol=1e-6)
    target = view @ (0, 0, 0, 1)
    assert np.allclose(target[:2], 0, atol=1e-6)
    assert target[2] < 0


@pytest.mark.parametrize(
    "bounds",
    [
        UNIT,
        UNIT * 1e-6,
        UNIT * (1, 100, 3) + (5, 6, 7),
        UNIT * (0, 1, 1),
        UNIT * (0.01, 1, 0.02) + 1e5,
        UNIT * 1e8,
    ],
)
@pytest.mark.parametrize("aspect", [0.5, 4 / 3, 3.0])
@pytest.mark.parametrize(
    "direction", [(-1, -0.7, -1), (0, 0, -1), (0, -1, 0), (0, 1, 0), (3, 0.1, -1)]
)
def test_fit_holds_every_corner_and_touches_the_margin(bounds, aspect, direction):
    camera = fit_viewpoint(bounds, aspect, direction=direction, margin=0.05)
    matrices = camera.matrices(aspect, bounds)
    seen, w = ndc(matrices, corners(bounds))
    assert (w > 0).all()
    assert np.abs(seen[:, :2]).max() == pytest.approx(0.9, abs=1e-4)
    assert (seen[:, 2] > 0).all()
    assert (seen[:, 2] < 1).all()
    # the box sits in the middle of the picture
    assert seen[:, :2].min(axis=0) == pytest.approx(-seen[:, :2].max(axis=0), abs=1e-4)
    forward = -matrices.view[2, :3]
    assert np.allclose(forward, np.array(direction) / np.linalg.norm(direction))


def test_fit_of_a_line_along_the_view_stays_off_its_end():
    bounds = UNIT * (1, 0, 0)
    matrices = fit_viewpoint(bounds, 1.0, direction=(-1, 0, 0)).matrices(1.0, bounds)
    seen, w = ndc(matrices, corners(bounds))
    assert (w > 0).all()
    assert (np.abs(seen[:, :2]) <= 0.9).all()


@pytest.mark.parametrize("bounds", [NOTHING, np.zeros((2, 3)), np.full((2, 3), 1e7)])
def test_fit_of_nothing_or_a_point_is_usable(bounds):
    camera = fit_viewpoint(bounds, 1.5)
    matrices = camera.matrices(1.5, bounds)
    point = np.zeros(3) if np.isnan(bounds).any() else bounds[0]
    seen, _ = ndc(matrices, np.array([[*point, 1.0]]))
    assert np.isfinite(seen).all()
    assert (np.abs(seen[0, :2]) < 0.9).all()
    assert 0 < seen[0, 2] < 1


@pytest.mark.parametrize(
    "bad",
    [{"fov": 0}, {"fov": 180}, {"direction": (0, 0, 0)}, {"margin": 0.5}, {"aspect": 0.0}],
)
def test_fit_refuses(bad):
    with pytest.raises(InputError, match="cannot be fitted"):
        fit_viewpoint(UNIT, **({"aspect": 1.0} | bad))


@pytest.mark.parametrize("kind", [PerspectiveCamera, OrthographicCamera])
@pytest.mark.parametrize("position", [(0, 0, 5), (0.1, 0, 0.2), (0, 0, 1e4)])
def test_near_and_far_fit_the_bounds(kind, position):
    camera = kind(position=position, target=(0, 0, -1))
    seen, w = ndc(camera.matrices(1.0, UNIT), corners(UNIT))
    front = w > 1e-4 * w.max()
    assert front.any()
    assert (seen[front, 2] > 0).all()
    assert (seen[front, 2] < 1).all()


def test_given_planes_are_kept():
    camera = PerspectiveCamera(near=0.5)
    proj = camera.matrices(1.0, UNIT).proj
    assert proj[2, 3] / proj[2, 2] == pytest.approx(0.5)
    camera.near, camera.far = None, 30.0
    proj = camera.matrices(1.0, UNIT).proj
    assert proj[2, 3] / (1 + proj[2, 2]) == pytest.approx(30.0)
    camera.near = 100.0
    with pytest.raises(InputError, match="near plane"):
        camera.matrices(1.0, UNIT)
    camera.far = None
    assert np.isfinite(camera.matrices(1.0, UNIT).proj).all()
    camera.near, camera.far = None, 1.0
    assert np.isfinite(camera.matrices(1.0, UNIT).proj).all()


def test_everything_behind_the_eye_still_gives_finite_matrices():
    camera = PerspectiveCamera(position=(0, 0, 5), target=(0, 0, 10))
    assert np.isfinite(camera.matrices(1.0, UNIT).proj).all()


def test_properties_may_be_adaptive_or_assigned():
    position = cval((0, 0, 5))
    camera = PerspectiveCamera(position=position)
    assert camera.position is position
    position.value = (0, 3, 0)
    assert camera.matrices(1.0, UNIT).position.tolist() == [0, 3, 0]
    camera.position = [1, 2, 3]
    assert camera.matrices(1.0, UNIT).position.tolist() == [1, 2, 3]
    camera.fov = cval(-3.0)
    with pytest.raises(InputError, match="fov cannot be -3"):
        camera.matrices(1.0, UNIT)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fov", 180),
        ("fov", "wide"),
        ("position", (1, 2)),
        ("target", (1, 2, float("nan"))),
        ("up", (0, 0, 0)),
        ("near", 0),
        ("far", -1),
    ],
)
def test_bad_properties_are_refused_and_change_nothing(name, value):
    camera = PerspectiveCamera()
    before = getattr(camera, name)
    with pytest.raises(InputError, match=name):
        setattr(camera, name, value)
    assert getattr(camera, name) == before


def test_unknown_properties_are_refused():
    with pytest.raises(AttributeError, match="no property 'postion'"):
        PerspectiveCamera().postion = (0, 0, 1)


def test_looking_at_itself_is_refused():
    with pytest.raises(InputError, match="away from where it is"):
        PerspectiveCamera(position=(1, 1, 1), target=(1, 1, 1)).matrices(1.0, UNIT)


def test_anything_with_matrices_is_a_camera():
    class Tracker:
        view = cval(look_at((0, 0, 2), (0, 0, 0)))
        proj = np.eye(4, dtype=np.float32)

    tracker = Tracker()
    found = camera_matrices(tracker, 1.0, UNIT)
    assert found.position.tolist() == [0, 0, 2]
    assert found.proj.dtype == np.float64
    tracker.position = (7, 8, 9)
    assert camera_matrices(tracker, 1.0, UNIT).position.tolist() == [7, 8, 9]
    tracker.proj = np.eye(3)
    with pytest.raises(InputError, match="camera's proj"):
        camera_matrices(tracker, 1.0, UNIT)
    with pytest.raises(InputError, match="a str is not a camera"):
        camera_matrices("front", 1.0, UNIT)
    camera = PerspectiveCamera()
    assert isinstance(camera, CameraLike)
    assert isinstance(camera_matrices(camera, 1.0, UNIT), CameraMatrices)


def test_fitting_boxes_sees_all_of_them_and_comes_closer():
    rng = np.random.default_rng(4)
    low = rng.uniform(-5, 5, (40, 3))
    # a cloud along a diagonal: the box around it is mostly empty
    low[:, 1] = low[:, 0] * 0.3
    boxes = np.stack([low, low + rng.uniform(0.1, 1, (40, 3))], axis=1)
    bounds = np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
    loose, tight = fit_viewpoint(bounds, 1.5), fit_viewpoint(bounds, 1.5, boxes=boxes)
    matrices = tight.matrices(1.5, bounds)
    points = np.array([np.diag(box[list(k)]) for box in boxes for k in np.ndindex(2, 2, 2)])
    clip = np.column_stack([points, np.ones(len(points))]) @ (matrices.proj @ matrices.view).T
    ndc = clip[:, :3] / clip[:, 3:]
    assert np.abs(ndc[:, :2]).max() == pytest.approx(0.9, abs=1e-6)
    assert ndc[:, 2].min() >= 0
    assert ndc[:, 2].max() <= 1
    middle = bounds.mean(axis=0)
    assert np.linalg.norm(np.array(tight.position) - middle) < np.linalg.norm(
        np.array(loose.position) - middle
    )
