"""Position, rotation and scale become float64 matrices.

Scalar arithmetic on purpose: a matrix of one object from a handful of numbers is several times
faster in plain Python than through NumPy calls.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import as_array, holds_numbers, refused_place
from heapscene.errors import InputError, explain

__all__ = [
    "IDENTITY",
    "Quaternion",
    "as_matrix",
    "compose",
    "moved",
    "number",
    "rotation_x",
    "rotation_y",
    "rotation_z",
]

Quaternion: TypeAlias = tuple[float, float, float, float]
_Triple: TypeAlias = tuple[float, float, float]
_Rows: TypeAlias = tuple[_Triple, _Triple, _Triple]

IDENTITY: NDArray[np.float64] = np.eye(4)
IDENTITY.setflags(write=False)


def rotation_x(angle: float) -> Quaternion:
    """Return the rotation by ``angle`` radians about X as a quaternion ``(x, y, z, w)``."""
    half = _half(angle)
    return (math.sin(half), 0.0, 0.0, math.cos(half))


def rotation_y(angle: float) -> Quaternion:
    """Return the rotation by ``angle`` radians about Y as a quaternion ``(x, y, z, w)``.

    Examples
    --------
    >>> rotation_y(0.0)
    (0.0, 0.0, 0.0, 1.0)
    """
    half = _half(angle)
    return (0.0, math.sin(half), 0.0, math.cos(half))


def rotation_z(angle: float) -> Quaternion:
    """Return the rotation by ``angle`` radians about Z as a quaternion ``(x, y, z, w)``."""
    half = _half(angle)
    return (0.0, 0.0, math.sin(half), math.cos(half))


def _half(angle: Any) -> float:
    try:
        half = number(angle) / 2
        if math.isfinite(half):
            return half
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        explain(
            "this angle cannot be used",
            facts={"given": f"{angle!r:.60}", "expected": "finite radians"},
            fix="Write rotation_y(0.5); of an adaptive value  angle.map(rotation_y).",
        )
    )


def compose(position: Any, rotation: Any, scale: Any) -> NDArray[np.float64]:
    """Return the 4×4 matrix that scales, then rotates, then moves.

    Parameters
    ----------
    position
        Three numbers.
    rotation
        A quaternion ``(x, y, z, w)`` of any length but zero, as in glTF, or a 3×3 matrix.
    scale
        A number, or one per axis. Negative numbers mirror.

    Raises
    ------
    InputError
        A value has another shape, or a number is not finite.

    Examples
    --------
    >>> (compose((1, 2, 3), rotation_z(math.pi / 2), 2.0) @ (1, 0, 0, 1)).round(12).tolist()
    [1.0, 4.0, 3.0, 1.0]
    """
    x, y, z = as_position(position)
    (a, b, c), (d, e, f), (g, h, i) = as_rotation(rotation)
    u, v, w = as_scale(scale)
    return np.array(
        (
            (a * u, b * v, c * w, x),
            (d * u, e * v, f * w, y),
            (g * u, h * v, i * w, z),
            (0.0, 0.0, 0.0, 1.0),
        )
    )


def moved(position: Any) -> NDArray[np.float64]:
    """Return the 4×4 matrix that only moves."""
    matrix = IDENTITY.copy()
    matrix[:3, 3] = as_position(position)
    return matrix


def as_position(value: Any) -> _Triple:
    """Return three finite floats."""
    try:
        x, y, z = _three(value)
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
            return x, y, z
    except (TypeError, ValueError, OverflowError):
        pass
    raise _refused("position", value, "three finite numbers", "position=(0, 0, 0)")


def as_scale(value: Any) -> _Triple:
    """Return three finite floats from one or three numbers."""
    try:
        if isinstance(value, (float, int)) or np.ndim(value) == 0:
            x = y = z = number(value)
        else:
            x, y, z = _three(value)
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
            return x, y, z
    except (TypeError, ValueError, OverflowError):
        pass
    raise _refused("scale", value, "a finite number, or three", "scale=1.0")


def as_rotation(value: Any) -> _Rows:
    """Return the three rows of a rotation matrix from a quaternion or a 3×3 matrix."""
    try:
        if len(value) == 4:
            x, y, z, w = _plain(value)
            return _from_quaternion(number(x), number(y), number(z), number(w))
        matrix = _real(value, (3, 3))
        if np.isfinite(matrix).all():
            return tuple(map(tuple, matrix.tolist()))  # pyright: ignore[reportReturnType]
    except (TypeError, ValueError, OverflowError):
        pass
    raise _refused(
        "rotation",
        value,
        "a quaternion (x, y, z, w) other than zero, or a 3×3 matrix",
        "rotation=rotation_y(0.5)",
    )


def as_matrix(value: Any, name: str = "transform") -> NDArray[np.float64]:
    """Return a 4×4 float64 matrix whose last row is (0, 0, 0, 1); `name` is what errors call it.

    Raises
    ------
    InputError
        Another shape or last row, or a number that is not finite.
    """
    try:
        matrix = _real(value, (4, 4))
        if matrix[3].tolist() == _LAST and np.isfinite(matrix).all():
            return matrix
    except (TypeError, ValueError, OverflowError):
        pass
    raise refused_place(name, value)


_LAST = [0.0, 0.0, 0.0, 1.0]


def number(value: Any) -> float:
    """Return one number as a float; a string or an array of several is none."""
    kind = type(value)
    if kind is float:
        return value
    if kind is int:
        return float(value)
    array = as_array(value)
    if array.ndim or not holds_numbers(array):
        raise TypeError
    return float(array)


def _three(value: Any) -> _Triple:
    x, y, z = _plain(value)
    if type(x) is type(y) is type(z) is float:
        return x, y, z
    return number(x), number(y), number(z)


def _plain(value: Any) -> Any:
    """Return what can be taken apart more than once, in an order that is its own."""
    if type(value) is tuple or type(value) is list:
        return value
    array = as_array(value)
    if array.ndim != 1 or array.size > 4 or not holds_numbers(array):
        raise TypeError
    return array.tolist()


def _real(value: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
    array = as_array(value)
    if array.shape != shape or not holds_numbers(array):
        raise TypeError
    return np.asarray(array, np.float64)


def _from_quaternion(x: float, y: float, z: float, w: float) -> _Rows:
    square = x * x + y * y + z * z + w * w
    if not 0.0 < square < math.inf:
        raise ValueError
    s = 2.0 / square
    xx, yy, zz = x * x * s, y * y * s, z * z * s
    xy, xz, yz = x * y * s, x * z * s, y * z * s
    wx, wy, wz = w * x * s, w * y * s, w * z * s
    return (
        (1.0 - yy - zz, xy - wz, xz + wy),
        (xy + wz, 1.0 - xx - zz, yz - wx),
        (xz - wy, yz + wx, 1.0 - xx - yy),
    )


def _refused(name: str, value: Any, expected: str, example: str) -> InputError:
    shown = " ".join(repr(value).split())
    return InputError(
        explain(
            f"this {name} cannot be used",
            facts={
                "given": shown if len(shown) <= 80 else f"{shown[:77]}...",
                "expected": expected,
            },
            fix=f"Write {example}, or an adaptive value of that.",
        )
    )
