"""What is known before a shader function is compiled."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["static"]

T = TypeVar("T")


def static(value: T) -> T:
    """Compute a value in Python when the function is compiled.

    Its names are those of the module and of enclosing functions, never those of the shader. An
    ``if static(...)`` keeps one branch, the other is not even checked; ``for x in static(...)``
    repeats its body for each element.

    Examples
    --------
    >>> SAMPLES = [(0.25, 0.25), (0.75, 0.75)]
    >>> static(len(SAMPLES))
    2
    """
    return value
