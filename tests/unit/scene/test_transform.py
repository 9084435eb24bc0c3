import numpy as np
import pytest

from heapscene.errors import InputError
from heapscene.scene.transform import as_matrix, compose, rotation_x, rotation_y, rotation_z


def by_hand(position, matrix, scale):
    move, turn = np.eye(4), np.eye(4)
    move[:3, 3] = position
    turn[:3, :3] = matrix
    return move @ turn @ np.diag([*np.broadcast_to(scale, 3), 1.0])


def test_axes_turn_the_right_way():
    quarter = np.pi / 2
    origin = (0, 0, 0)
    assert np.allclose(compose(origin, rotation_x(quarter), 1) @ (0, 1, 0, 1), (0, 0, 1, 1))
    assert np.allclose(compose(origin, rotation_y(quarter), 1) @ (0, 0, 1, 1), (1, 0, 0, 1))
    assert np.allclose(compose(origin, rotation_z(quarter), 1) @ (1, 0, 0, 1), (0, 1, 0, 1))


def test_compose_against_matrices():
    rng = np.random.default_rng(4)
    for _ in range(50):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        angle = rng.uniform(-7, 7)
        cross = np.cross(np.eye(3), axis).T * -1
        rodrigues = np.eye(3) + np.sin(angle) * cross.T + (1 - np.cos(angle)) * cross.T @ cross.T
        quaternion = np.array([*(axis * np.sin(angle / 2)), np.cos(angle / 2)])
        position, scale = rng.normal(size=3), rng.normal(size=3)
        left = by_hand(position, rodrigues, scale)
        right = by_hand(position, rodrigues.T, scale)
        made = compose(position, quaternion * rng.uniform(0.5, 3), scale)
        assert np.allclose(made, left) or np.allclose(made, right)
        turned = made[:3, :3] / scale
        assert np.linalg.det(turned) == pytest.approx(1)
        assert np.allclose(turned @ axis, axis)
        assert np.trace(turned) == pytest.approx(1 + 2 * np.cos(angle))
        assert np.allclose(compose(position, turned, scale), made)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0), (2, 2, 2)])
def test_scale_is_a_number_or_three(value):
    assert np.array_equal(compose((0, 0, 0), (0, 0, 0, 1), value), np.diag([2.0, 2, 2, 1]))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (((0, 0), (0, 0, 0, 1), 1), "position"),
        ((None, (0, 0, 0, 1), 1), "position"),
        (((0, 0, np.inf), (0, 0, 0, 1), 1), "position"),
        (((0, 0, 0), (0, 0, 0, 0), 1), "rotation"),
        (((0, 0, 0), 0.5, 1), "rotation"),
        (((0, 0, 0), np.eye(4), 1), "rotation"),
        (((0, 0, 0), (0, 0, 0, np.nan), 1), "rotation"),
        (((0, 0, 0), (0, 0, 0, 1), (1, 2)), "scale"),
        (((0, 0, 0), (0, 0, 0, 1), "big"), "scale"),
        (((0, 0, 0), (0, 0, 0, 1), np.nan), "scale"),
    ],
)
def test_compose_refuses(arguments, name):
    with pytest.raises(InputError, match=f"this {name} cannot"):
        compose(*arguments)


def test_matrices_are_checked():
    assert as_matrix(np.eye(4, dtype=np.float32)).dtype == np.float64
    assert as_matrix(np.eye(4).tolist()).shape == (4, 4)
    moved = np.eye(4)
    moved[3, :3] = 1, 2, 3
    with pytest.raises(InputError, match=r"matrix\.T: the translation"):
        as_matrix(moved)
    for bad in (np.eye(3), "matrix", np.full((4, 4), np.nan), None):
        with pytest.raises(InputError, match="transform"):
            as_matrix(bad)
