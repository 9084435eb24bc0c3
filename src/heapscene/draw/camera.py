"""What a camera has to give, and the matrices that cameras are made of.

Right-handed, Y up, a camera looks along its −Z; depth runs from 0 (near) to 1 (far). Column
vectors: ``proj @ view @ point``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal
from heapscene.draw.numbers import as_array, holds_numbers
from heapscene.draw.place import refused_place
from heapscene.errors import InputError, explain
from heapscene.typing import Vec3Like

__all__ = [
    "CameraLike",
    "CameraMatrices",
    "Viewpoint",
    "camera_matrices",
    "depth_range",
    "fit_viewpoint",
    "look_at",
    "orthographic",
    "perspective",
]

_Triple: TypeAlias = tuple[float, float, float]
_NEAR, _FAR = 0.1, 100.0
_RATIO = 1e4  # far / near at most, if near is fitted: depth stays precise inside a scene


class CameraMatrices(NamedTuple):
    """What a frame needs of a camera, in float64."""

    view: NDArray[np.float64]
    proj: NDArray[np.float64]
    position: NDArray[np.float64]


@runtime_checkable
class CameraLike(Protocol):
    """Anything that gives matrices for a picture's aspect and the bounds of what is visible."""

    def matrices(self, aspect: float, bounds: NDArray[np.float64]) -> CameraMatrices:
        """Return the matrices; ``bounds`` is ``(2, 3)``, NaN if nothing is visible."""
        ...


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A perspective camera as plain data.

    Attributes
    ----------
    position, target
        Where the eye is, and a point that it looks at.
    up
        A direction that is up in the picture; any other is taken if it is parallel to the view.
    fov
        Vertical field of view in degrees.
    near, far
        Distances of the clipping planes; ``None`` fits the visible bounds.

    Raises
    ------
    InputError
        A value cannot be used.
    """

    position: tuple[float, float, float]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    fov: float = 50.0
    near: float | None = None
    far: float | None = None

    def matrices(self, aspect: float, bounds: NDArray[np.float64]) -> CameraMatrices:
        """Return the matrices; ``bounds`` is ``(2, 3)``, NaN if nothing is visible."""
        view = look_at(self.position, self.target, self.up)
        near, far = depth_range(view, bounds, self.near, self.far, positive=True)
        position = np.array(self.position, dtype=np.float64)
        return CameraMatrices(view, perspective(self.fov, aspect, near, far), position)


def look_at(
    position: Vec3Like, target: Vec3Like, up: Vec3Like = (0.0, 1.0, 0.0)
) -> NDArray[np.float64]:
    """Return the 4×4 view matrix of an eye at ``position`` that looks at ``target``.

    Raises
    ------
    InputError
        ``position`` and ``target`` are the same point, or a number is not finite.
    """
    # Scalar arithmetic on purpose: a moving camera pays for it in every frame, and NumPy takes ten
    # times as long for so few numbers.
    eye, at = _floats(position), _floats(target)
    back = _minus(eye, at)
    distance = math.hypot(*back)
    if not math.isfinite(distance) or distance == 0.0:
        raise InputError(
            explain(
                "a camera has to look at a point away from where it is",
                facts={"position": list(eye), "target": list(at)},
                fix="Write position=(0, 0, 5), target=(0, 0, 0).",
            )
        )
    axes = _axes(_over(back, distance), _floats(up))
    rows = [(*axis, -_dot(axis, eye)) for axis in axes]
    return np.array([*rows, (0.0, 0.0, 0.0, 1.0)])


def perspective(fov: float, aspect: float, near: float, far: float) -> NDArray[np.float64]:
    """Return the 4×4 projection with a vertical field of view of ``fov`` degrees."""
    height = math.tan(math.radians(fov) / 2)
    proj = np.zeros((4, 4))
    proj[0, 0] = 1 / (aspect * height)
    proj[1, 1] = 1 / height
    proj[2, 2] = far / (near - far)
    proj[2, 3] = near * far / (near - far)
    proj[3, 2] = -1.0
    return proj


def orthographic(height: float, aspect: float, near: float, far: float) -> NDArray[np.float64]:
    """Return the 4×4 parallel projection of a view ``height`` units high."""
    proj = np.eye(4)
    proj[0, 0] = 2 / (aspect * height)
    proj[1, 1] = 2 / height
    proj[2, 2] = 1 / (near - far)
    proj[2, 3] = near / (near - far)
    return proj


def depth_range(
    view: NDArray[np.float64],
    bounds: NDArray[np.float64],
    near: float | None = None,
    far: float | None = None,
    *,
    positive: bool,
) -> tuple[float, float]:
    """Return near and far distances that just hold ``bounds``; given ones are kept.

    Parameters
    ----------
    view
        4×4 view matrix.
    bounds
        ``(2, 3)``; NaN means nothing to fit.
    near, far
        Distances that are fixed, or ``None``.
    positive
        Whether near has to lie in front of the eye, as a perspective needs.
    """
    if near is not None and far is not None:
        return near, far
    nearest, farthest = _NEAR, _FAR
    if np.isfinite(bounds).all():
        depth = -(corners(bounds) @ view[2, :3] + view[2, 3])
        low, high = float(depth.min()), float(depth.max())
        # a little room, so that rounding clips nothing that lies on the bounds
        room = 1e-3 * (high - low) + 1e-5 * max(abs(low), abs(high))
        if not positive:
            nearest, farthest = low - (room or 1.0), high + (room or 1.0)
        elif high + room > 0:
            farthest = high + room
            nearest = max(low - room, farthest / _RATIO)
    if near is not None:
        return near, farthest if farthest > near else near + max(abs(near), 1.0)
    if far is not None:
        fallback = far / _RATIO if positive else far - max(abs(far), 1.0)
        return (nearest if nearest < far else fallback), far
    return nearest, farthest


def fit_viewpoint(
    bounds: NDArray[np.float64],
    aspect: float,
    *,
    fov: float = 50.0,
    direction: Vec3Like = (-1.0, -0.7, -1.0),
    margin: float = 0.05,
    boxes: NDArray[np.float64] | None = None,
) -> Viewpoint:
    """Return the closest viewpoint that sees all of ``bounds``.

    Parameters
    ----------
    bounds
        ``(2, 3)``; NaN stands for a unit box around the origin.
    boxes
        ``(n, 2, 3)`` boxes within the bounds: the view then fits these, which leaves less of the
        picture empty than the corners of all.
    aspect
        Width of the picture divided by its height.
    fov
        Vertical field of view in degrees.
    direction
        Where to look.
    margin
        Part of the picture's width and height that stays free on every side.

    Raises
    ------
    InputError
        A value cannot be used.
    """
    _check_fit(fov, direction, aspect, margin)
    box = np.asarray(bounds, dtype=np.float64)
    if boxes is not None and not len(boxes):
        boxes = None
    if not np.isfinite(box).all():
        box = np.array([(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)])
        boxes = None
    elif np.ptp(box, axis=0).max() <= 1e-9 * float(np.abs(box).max()):
        size = 0.5 if not box.any() else max(0.5, 1e-3 * float(np.abs(box).max()))
        box = box.mean(axis=0) + np.array([[-size], [size]])
        boxes = None
    back = _minus((0.0, 0.0, 0.0), _floats(direction))
    rotation = np.array(_axes(_over(back, math.hypot(*back)), (0.0, 1.0, 0.0)))
    middle = box.mean(axis=0)
    seen = corners(box) if boxes is None else _all_corners(boxes)
    points = _turned(seen - middle, rotation)
    tangent = math.tan(math.radians(fov) / 2) * (1 - 2 * margin)
    eye = _closest_eye(points, np.array([tangent * aspect, tangent]))
    position = middle + eye @ rotation
    target = middle + np.array([eye[0], eye[1], 0.0]) @ rotation
    return Viewpoint(_triple(position), _triple(target), fov=float(fov))


def camera_matrices(camera: Any, aspect: float, bounds: NDArray[np.float64]) -> CameraMatrices:
    """Return the matrices of a camera, or of anything with ``view`` and ``proj``.

    Parameters
    ----------
    camera
        A :class:`CameraLike`, or an object whose ``view`` and ``proj`` (4×4) and ``position`` (3;
        taken from ``view`` if missing) are arrays or adaptive values.
    aspect
        Width of the picture divided by its height.
    bounds
        ``(2, 3)`` bounds of what is visible, NaN if nothing is.

    Raises
    ------
    InputError
        ``camera`` is neither, or its matrices have the wrong shape or a number that is not finite.
    """
    if isinstance(camera, CameraLike) and not isinstance(camera, type):
        given = camera.matrices(aspect, bounds)
        if not (hasattr(given, "view") and hasattr(given, "proj") and hasattr(given, "position")):
            raise InputError(
                explain(
                    f"matrices() of a {type(camera).__name__} returned no CameraMatrices",
                    facts={"returned": type(given).__name__},
                    fix="Return CameraMatrices(view, proj, position).",
                )
            )
        return CameraMatrices(
            _array(given.view, "view", (4, 4)),
            _array(given.proj, "proj", (4, 4)),
            _array(given.position, "position", (3,)),
        )
    if isinstance(camera, type) or not (hasattr(camera, "view") and hasattr(camera, "proj")):
        raise InputError(
            explain(
                f"a {type(camera).__name__} is not a camera",
                fix="Pass a PerspectiveCamera, or an object with view, proj and position.",
            )
        )
    view = _array(camera.view, "view", (4, 4))
    proj = _array(camera.proj, "proj", (4, 4))
    given = getattr(camera, "position", None)
    if given is None:
        try:
            position = np.linalg.inv(view)[:3, 3].astype(np.float64)
        except np.linalg.LinAlgError as cause:
            raise InputError(
                explain(
                    "the camera's view has no inverse, and no position is given",
                    facts={"view": view.tolist()},
                    fix="Give position as well: three numbers.",
                )
            ) from cause
        return CameraMatrices(view, proj, position)
    return CameraMatrices(view, proj, _array(given, "position", (3,)))


def corners(bounds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the eight corners of ``(2, 3)`` bounds, ``(8, 3)``."""
    x, y, z = bounds.T
    return np.array([(a, b, c) for a in x for b in y for c in z], dtype=np.float64)


def _all_corners(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of ``(n, 2, 3)`` boxes, ``(8 n, 3)``."""
    choice = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    return boxes[:, choice, np.arange(3)].reshape(-1, 3)


def _turned(points: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points ``(n, 3)`` turned, ``(3, n)``."""
    # Not by @: a product as narrow as this takes BLAS's threads up to twenty times as long.
    x, y, z = np.ascontiguousarray(points.T)
    return np.stack([a * x + b * y + c * z for a, b, c in rotation.tolist()])


def _closest_eye(points: NDArray[np.float64], tangents: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the eye nearest to ``points`` ``(3, n)``, looking along −Z, that has them all in its picture.

    On either axis an eye at (c, z) sees a point at (x, d) if ``|x - c| <= (z - d) * tangent``: two
    half planes per point, so the smallest z follows from their extremes.
    """
    depth = points[2]
    # a line that runs away from the eye fits even if the eye sits on its end: keep a little off
    needed = [float(depth.max()) + 0.01 * float(np.ptp(points, axis=1).max())]
    for across, tangent in zip(points, tangents, strict=False):
        high = float((across + depth * tangent).max())
        low = float((across - depth * tangent).min())
        needed.append((high - low) / (2 * tangent))
    distance = max(needed)
    ahead = distance - depth
    return np.array([_middle(points[0], ahead), _middle(points[1], ahead), distance])


def _middle(across: NDArray[np.float64], ahead: NDArray[np.float64]) -> float:
    """Return where an eye sees points equally far out to either side.

    The two points that are farthest out say where the middle between them is; what is farthest out
    from there is looked at next. Few points ever are, so that takes a handful of steps; where it
    does not, the interval is halved.
    """
    low, high = float(across.min()), float(across.max())
    middle = (low + high) / 2
    for _ in range(60):
        slopes = (across - middle) / ahead
        left, right = int(slopes.argmin()), int(slopes.argmax())
        if slopes[left] + slopes[right] > 0:
            low = middle
        else:
            high = middle
        near, far = float(ahead[left]), float(ahead[right])
        wanted = float(across[left] * far + across[right] * near) / (near + far)
        if abs(wanted - middle) <= 1e-15 * abs(middle):
            break
        middle = wanted if low < wanted < high else (low + high) / 2
    return middle


def _axes(back: _Triple, up: _Triple) -> tuple[_Triple, _Triple, _Triple]:
    """Return the axes right, up, back of a camera that looks along ``-back`` (unit)."""
    right = _cross(up, back)
    length = math.hypot(*right)
    if length <= 1e-9 * max(math.hypot(*up), 1e-300):
        right = _cross((0.0, 0.0, 1.0) if abs(back[2]) < 0.9 else (1.0, 0.0, 0.0), back)
        length = math.hypot(*right)
    right = _over(right, length)
    return right, _cross(back, right), back


def _floats(value: Vec3Like) -> _Triple:
    x, y, z = value
    return float(x), float(y), float(z)


def _minus(a: _Triple, b: _Triple) -> _Triple:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _over(a: _Triple, length: float) -> _Triple:
    return a[0] / length, a[1] / length, a[2] / length


def _dot(a: _Triple, b: _Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: _Triple, b: _Triple) -> _Triple:
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def _array(value: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    now = value.force() if isinstance(value, AVal) else value
    array = as_array(now)
    is_usable = array.shape == shape and holds_numbers(array)
    if not is_usable or not np.isfinite(array).all():
        raise InputError(
            explain(
                f"the camera's {name} has to be an array of shape {shape}, of finite numbers",
                facts={name: f"{type(now).__name__}{getattr(now, 'shape', '')}"},
                fix=f"Give {name} as numbers, for example "
                + ("(0, 0, 5)." if shape == (3,) else "numpy.eye(4)."),
            )
        )
    if name == "view" and array[3].tolist() != [0, 0, 0, 1]:
        raise refused_place("view", array)
    return np.asarray(array, np.float64)


def _check_fit(fov: float, direction: Vec3Like, aspect: float, margin: float) -> None:
    length = float(np.linalg.norm(np.asarray(direction, dtype=np.float64)))
    if not (
        0 < fov < 180 and 0 <= margin < 0.5 and 0 < aspect < math.inf and 0 < length < math.inf
    ):
        raise InputError(
            explain(
                "a camera cannot be fitted with these values",
                facts={
                    "fov": f"{fov} (0 < fov < 180)",
                    "direction": f"{direction} (not zero)",
                    "aspect": f"{aspect} (above 0)",
                    "margin": f"{margin} (0 <= margin < 0.5)",
                },
                fix="Write fov=50, direction=(-1, -0.7, -1), margin=0.05.",
            )
        )


def _triple(value: NDArray[np.float64]) -> _Triple:
    return cast("_Triple", tuple(value.tolist()))
