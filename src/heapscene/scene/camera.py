"""Cameras whose properties are values or adaptive values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, Reading, check_write
from heapscene.draw import (
    CameraMatrices,
    Viewpoint,
    as_array,
    depth_range,
    holds_numbers,
    look_at,
    orthographic,
)
from heapscene.errors import InputError, explain
from heapscene.scene.transform import as_position, number
from heapscene.typing import Vec3Like
from heapscene.wording import brief, one_line, similar

__all__ = ["OrthographicCamera", "PerspectiveCamera"]


def _direction(value: Any) -> tuple[float, float, float]:
    triple = as_position(value)
    if not any(triple):
        raise ValueError
    return triple


def _point(value: Any) -> tuple[float, float, float]:
    return as_position(value)


def _angle(value: Any) -> float:
    found = number(value)
    if not 0.0 < found < 180.0:
        raise ValueError
    return found


def _length(value: Any) -> float:
    found = number(value)
    if not 0.0 < found < math.inf:
        raise ValueError
    return found


def _distance(value: Any) -> float | None:
    if value is None:
        return None
    found = number(value)
    if not math.isfinite(found):
        raise ValueError
    return found


def _positive_distance(value: Any) -> float | None:
    return None if value is None else _length(value)


_Check = tuple[Callable[[Any], Any], str, str]
_PLACE: dict[str, _Check] = {
    "position": (_point, "three finite numbers", "(0, 0, 5)"),
    "target": (_point, "three finite numbers", "(0, 0, 0)"),
    "up": (_direction, "three finite numbers, not all zero", "(0, 1, 0)"),
}


class _Camera:
    """Checks what is assigned; adaptive values are checked when a frame reads them."""

    _checks: ClassVar[Mapping[str, _Check]] = {}

    position: Vec3Like | AVal[Any]
    target: Vec3Like | AVal[Any]
    up: Vec3Like | AVal[Any]
    near: float | AVal[Any] | None
    far: float | AVal[Any] | None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._checks:
            raise AttributeError(
                explain(
                    f"a {type(self).__name__} has no property {name!r}",
                    facts={"properties": ", ".join(self._checks)},
                    fix=similar(
                        name,
                        self._checks,
                        f"Assign one of these, for example  camera.{next(iter(self._checks))} = ...",
                    ),
                )
            )
        if name in self.__dict__:
            check_write(self)  # a camera that is being made belongs to nobody yet
        if not isinstance(value, AVal):
            value = self._checked(name, value)
        elif value.is_constant:
            self._checked(name, value.force())
        object.__setattr__(self, name, value)

    def _checked(self, name: str, value: Any) -> Any:
        check, expected, example = self._checks[name]
        try:
            return check(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                explain(
                    f"a camera's {name} cannot be {value!r}",
                    facts={"expected": expected},
                    fix=f"Write {name}={example}, or an adaptive value of that.",
                )
            ) from None

    def _now(self, name: str) -> Any:
        value = getattr(self, name)
        if not isinstance(value, AVal):
            return value
        try:
            return self._checked(name, value.force())
        except Exception as error:
            Reading(name, type(self).__name__, value).note_on(error)
            raise

    def _near_far(self) -> tuple[float | None, float | None]:
        near, far = self._now("near"), self._now("far")
        if near is not None and far is not None and not near < far:
            raise InputError(
                explain(
                    "a camera's near plane has to lie before its far plane",
                    facts={"near": near, "far": far},
                    fix="Leave both out to have them fitted to what is visible.",
                )
            )
        return near, far

    def _checked_view(self, aspect: Any, bounds: Any) -> tuple[float, NDArray[np.float64]]:
        try:
            width, box = number(aspect), as_array(bounds)
            if 0.0 < width < math.inf and box.shape == (2, 3) and holds_numbers(box):
                return width, box
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(
            explain(
                "a camera has no matrices for these values",
                facts={
                    "aspect": f"{aspect!r:.60} (above 0)",
                    "bounds": f"{bounds!r:.60} ((2, 3) numbers)",
                },
                fix="Write camera.matrices(16 / 9, scene.world_bounds()).",
            )
        )

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name in self._checks}
        given = (f"{name}={brief(one)}" for name, one in values.items() if one is not None)
        return one_line(f"{type(self).__name__}({', '.join(given)})")


class PerspectiveCamera(_Camera):
    """A camera whose rays meet in its position.

    Every property may be assigned at any time, and may be an adaptive value.

    Parameters
    ----------
    fov
        Vertical field of view in degrees, between 0 and 180.
    position, target
        Where the eye is, and a point that it looks at.
    up
        A direction that is up in the picture.
    near, far
        Distances of the clipping planes; by default they fit the visible bounds in every frame.

    Raises
    ------
    InputError
        A value cannot be used; the property keeps its old value.

    Examples
    --------
    >>> camera = PerspectiveCamera(fov=35, position=(3, 2, 3))
    >>> camera.target = (0, 1, 0)
    """

    _checks: ClassVar[Mapping[str, _Check]] = {
        "fov": (_angle, "degrees between 0 and 180", "50"),
        **_PLACE,
        "near": (_positive_distance, "a number above 0, or None", "0.1"),
        "far": (_positive_distance, "a number above 0, or None", "100"),
    }

    fov: float | AVal[Any]

    def __init__(
        self,
        fov: float | AVal[float] = 50.0,
        *,
        position: Vec3Like | AVal[Any] = (0.0, 0.0, 5.0),
        target: Vec3Like | AVal[Any] = (0.0, 0.0, 0.0),
        up: Vec3Like | AVal[Any] = (0.0, 1.0, 0.0),
        near: float | AVal[Any] | None = None,
        far: float | AVal[Any] | None = None,
    ) -> None:
        self.fov = fov
        self.position = position
        self.target = target
        self.up = up
        self.near = near
        self.far = far

    def matrices(self, aspect: float, bounds: NDArray[np.float64]) -> CameraMatrices:
        """Return view, projection and position for a picture.

        Parameters
        ----------
        aspect
            Width of the picture divided by its height.
        bounds
            ``(2, 3)`` bounds of what is visible, NaN if nothing is.

        Raises
        ------
        InputError
            They are not that, or an adaptive property has become what cannot be used.
        """
        aspect, bounds = self._checked_view(aspect, bounds)
        near, far = self._near_far()
        now = self._now
        viewpoint = Viewpoint(now("position"), now("target"), now("up"), now("fov"), near, far)
        return viewpoint.matrices(aspect, bounds)


class OrthographicCamera(_Camera):
    """A camera whose rays are parallel.

    Parameters
    ----------
    height
        How many units of the scene the picture is high.
    position, target
        Where the eye is, and a point that it looks at.
    up
        A direction that is up in the picture.
    near, far
        Distances of the clipping planes, which may lie behind the eye; by default they fit the
        visible bounds in every frame.

    Raises
    ------
    InputError
        A value cannot be used; the property keeps its old value.
    """

    _checks: ClassVar[Mapping[str, _Check]] = {
        "height": (_length, "a number above 0", "2.0"),
        **_PLACE,
        "near": (_distance, "a finite number, or None", "0.1"),
        "far": (_distance, "a finite number, or None", "100"),
    }

    height: float | AVal[Any]

    def __init__(
        self,
        height: float | AVal[float] = 2.0,
        *,
        position: Vec3Like | AVal[Any] = (0.0, 0.0, 5.0),
        target: Vec3Like | AVal[Any] = (0.0, 0.0, 0.0),
        up: Vec3Like | AVal[Any] = (0.0, 1.0, 0.0),
        near: float | AVal[Any] | None = None,
        far: float | AVal[Any] | None = None,
    ) -> None:
        self.height = height
        self.position = position
        self.target = target
        self.up = up
        self.near = near
        self.far = far

    def matrices(self, aspect: float, bounds: NDArray[np.float64]) -> CameraMatrices:
        """Return view, projection and position for a picture.

        Parameters
        ----------
        aspect
            Width of the picture divided by its height.
        bounds
            ``(2, 3)`` bounds of what is visible, NaN if nothing is.

        Raises
        ------
        InputError
            They are not that, or an adaptive property has become what cannot be used.
        """
        aspect, bounds = self._checked_view(aspect, bounds)
        near, far = self._near_far()
        position = self._now("position")
        view = look_at(position, self._now("target"), self._now("up"))
        near, far = depth_range(view, bounds, near, far, positive=False)
        proj = orthographic(self._now("height"), aspect, near, far)
        return CameraMatrices(view, proj, np.array(position))
