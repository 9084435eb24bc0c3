"""Frame inputs: values that are the same for all draws of a frame, in one uniform buffer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heapscene.adaptive import AVal, Reading
from heapscene.draw import CameraMatrices, as_array, encode_value
from heapscene.errors import InputError, explain
from heapscene.kernels import FrameLayout
from heapscene.shader import F32, MAT3, MAT4, VEC2, VEC3, VEC4, Type
from heapscene.wording import similar

__all__ = ["FrameInputs", "aspect_of"]

CAMERA_INPUTS: Mapping[str, Type] = {
    "view": MAT4,
    "proj": MAT4,
    "camera_position": VEC3,
    "viewport": VEC2,
    "time": F32,
}
_NUMBERS = {int, float}
_BY_SHAPE: Mapping[tuple[int, ...], Type] = {
    (): F32,
    (2,): VEC2,
    (3,): VEC3,
    (4,): VEC4,
    (3, 3): MAT3,
    (4, 4): MAT4,
}


class FrameInputs:
    """The camera's values and those that the user gives, packed for the uniform buffer.

    Parameters
    ----------
    extra
        Further values by name: numbers or arrays (or adaptive values of those). Their type follows from the shape:
        a number is ``f32``, three numbers ``vec3``, a 4×4 array ``mat4``.

    Raises
    ------
    InputError
        A value has a shape that no frame input has, or is not made of numbers.
    """

    def __init__(self, extra: Mapping[str, Any]) -> None:
        self._values: dict[str, Any] = dict(extra)
        self._packed: tuple[tuple[bytes, ...], bytes] | None = None
        types = dict(CAMERA_INPUTS)
        for name, value in extra.items():
            if not isinstance(name, str) or not name.isidentifier():  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError(
                    explain(
                        f"a frame input cannot be named {name!r}",
                        fix='Write a name that a shader can have: inputs={"light": (0, 1, 0)}.',
                    )
                )
            now = _read(value)
            types[name] = CAMERA_INPUTS.get(name) or _type_of(name, now)
            encode_value(types[name], now, name)
        self.layout = FrameLayout(types)

    @property
    def viewport(self) -> tuple[float, float]:
        """Width and height of what is drawn into; square until somebody says."""
        return _read(self._values.get("viewport", (1, 1)))

    def has(self, name: str) -> bool:
        """Whether somebody has given the input a value."""
        return name in self._values

    def pack(
        self, camera: CameraMatrices, changes: Mapping[str, Any], *, keep: bool = True
    ) -> bytes:
        """Return the bytes of the uniform buffer for this frame.

        ``keep=False`` takes ``changes`` for this frame only.

        Raises
        ------
        InputError
            ``changes`` has a name that was not declared when the scene was made, or a value does not
            have the input's type. The values stay as they were.
        """
        look = (camera.view.tobytes(), camera.proj.tobytes(), camera.position.tobytes())
        if self._packed is not None and look == self._packed[0] and self._keeps(changes):
            return self._packed[1]
        for name in changes:
            if name not in self.layout.types:
                raise InputError(
                    explain(
                        f"{name!r} is not a frame input of this scene",
                        facts={"known": ", ".join(sorted(self.layout.types))},
                        fix=similar(
                            name,
                            self.layout.types,
                            f"Declare it when the scene is made: inputs={{{name!r}: value}}.",
                        ),
                    )
                )
        values = {
            "view": camera.view,
            "proj": camera.proj,
            "camera_position": camera.position,
            "viewport": (1, 1),
            "time": 0.0,
            **self._values,
            **changes,
        }
        encoded: dict[str, bytes] = {}
        for name, type_ in self.layout.types.items():
            try:
                encoded[name] = encode_value(type_, _read(values[name]), name)
            except Exception as error:
                Reading(f"frame input {name!r}", None, values[name]).note_on(error)
                raise
        packed = self.layout.pack(encoded)
        if keep:
            self._values.update(changes)
            self._packed = (look, packed)
        return packed

    def _keeps(self, changes: Mapping[str, Any]) -> bool:
        """Whether all values are numbers or tuples, and those in ``changes`` as they were."""
        # Arrays may be written into, and adaptive values may have become something else.
        return all(map(_is_plain, self._values.values())) and all(
            _is_plain(value) and value == self._values.get(name) for name, value in changes.items()
        )


def aspect_of(viewport: Any) -> float:
    """Return width by height.

    Raises
    ------
    InputError
        There are no pixels: such a frame is not to be drawn.
    """
    width, height = np.frombuffer(encode_value(VEC2, _read(viewport), "viewport"), "<f4").tolist()
    if not (0 < width < np.inf and 0 < height < np.inf):
        raise InputError(
            explain(
                "a viewport has a width and a height above 0",
                facts={"viewport": viewport},
                fix="Skip the frame while the window has no pixels.",
            )
        )
    return width / height


def _is_plain(value: Any) -> bool:
    kinds = {type(number) for number in value} if type(value) is tuple else {type(value)}
    return kinds <= _NUMBERS


def _read(value: Any) -> Any:
    return value.force() if isinstance(value, AVal) else value


def _type_of(name: str, value: Any) -> Type:
    shape = as_array(value).shape
    if shape not in _BY_SHAPE:
        raise InputError(
            explain(
                f"frame input {name!r} has shape {shape}",
                facts={"allowed": "a number, 2 to 4 numbers, or a 3×3 or 4×4 array"},
                fix="Give per-draw data as a draw's inputs instead.",
            )
        )
    return _BY_SHAPE[shape]
