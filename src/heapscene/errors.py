"""What heapscene raises.

Every class inherits from :class:`HeapsceneError` *and* from the built-in class that Python users
would expect, so either ``except`` works::

    HeapsceneError
    ├─ ValueErrors   InputError  GeometryError  StateError  SceneError  LoadError
    ├─ TypeErrors    ShaderTypeError
    ├─ RuntimeErrors AdapterError  FrameOrderError  AdaptiveError
    │                GpuError ─ DeviceLostError  OutOfMemoryError
    ├─ MemoryErrors  HeapFullError  OutOfMemoryError
    └─ ShaderError   ShaderSyntaxError  ShaderTypeError  ShaderNameError

A message has the shape that :func:`explain` gives it: what is wrong, the values, the line to type.
"""

from __future__ import annotations

__all__ = [
    "AdapterError",
    "AdaptiveError",
    "DeviceLostError",
    "FrameOrderError",
    "GeometryError",
    "GpuError",
    "HeapFullError",
    "HeapsceneError",
    "InputError",
    "LoadError",
    "OutOfMemoryError",
    "SceneError",
    "ShaderError",
    "ShaderNameError",
    "ShaderSyntaxError",
    "ShaderTypeError",
    "StateError",
    "explain",
]


class HeapsceneError(Exception):
    """Base of all errors that heapscene raises on purpose."""


class InputError(HeapsceneError, ValueError):
    """A value for a draw or frame input is missing, unknown or of the wrong shape."""


class GeometryError(HeapsceneError, ValueError):
    """Attributes or indices of a geometry do not fit together."""


class StateError(HeapsceneError, ValueError):
    """A pipeline state names a value that WebGPU does not have, or that cannot be drawn."""


class SceneError(HeapsceneError, ValueError):
    """A node is used where it cannot be, for example under two parents."""


class LoadError(HeapsceneError, ValueError):
    """A file cannot be read as a scene."""


class AdapterError(HeapsceneError, RuntimeError):
    """No usable adapter; the message says what was found and which package to install."""


class GpuError(HeapsceneError, RuntimeError):
    """The GPU refused a call; the cause is chained.

    The frame was not drawn. Nothing else is lost: the next one is drawn from what there is by then.
    """


class DeviceLostError(GpuError):
    """The GPU device is gone, with all that was on it; ``recover()`` goes on with another one."""


class OutOfMemoryError(GpuError, MemoryError):
    """The GPU has no memory for a buffer, a texture or another object."""


class FrameOrderError(HeapsceneError, RuntimeError):
    """A step of a frame was called out of order, or after ``close``."""


class AdaptiveError(HeapsceneError, RuntimeError):
    """An adaptive value was written or read where it may not be."""


class HeapFullError(HeapsceneError, MemoryError):
    """A draw does not fit on a page of the heap."""


class ShaderError(HeapsceneError):
    """A shader function is not valid; the message has file, line and caret for each fault."""


class ShaderSyntaxError(ShaderError, SyntaxError):
    """A Python construct that is not part of the shader language."""


class ShaderTypeError(ShaderError, TypeError):
    """An operation that the shader language does not define for these types."""


class ShaderNameError(ShaderError, NameError):
    """A name that is unknown in a shader function, or that may not be used there."""


def explain(what: str, *, facts: dict[str, object] | None = None, fix: str = "") -> str:
    """Compose an error message: one line of fault, aligned facts, one line to type.

    A value may have several lines.

    Examples
    --------
    >>> print(explain("no such input", facts={"given": "colour", "known": "color"}, fix="Rename."))
    no such input
      given  colour
      known  color
    Rename.
    """
    lines = [what]
    if facts:
        width = max(len(name) for name in facts)
        below = "\n" + " " * (width + 4)
        for name, value in facts.items():
            lines.append(f"  {name:<{width}}  {str(value).replace(chr(10), below)}")
    if fix:
        lines.append(fix)
    return "\n".join(lines)
