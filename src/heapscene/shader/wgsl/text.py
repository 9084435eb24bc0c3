"""WGSL that remembers which line of Python each of its lines came from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from heapscene.shader.diagnostics import place

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Span

__all__ = ["WgslText", "python_place"]


class WgslText(str):  # noqa: SLOT000  a str has no slots, so attributes need a dictionary
    """A module's text; equal, and of equal hash, to any text with the same characters.

    Attributes
    ----------
    spans
        By line number, from 1: the Python function's name and where its statement stands.
    entries
        The same for entry points, by name.
    """

    spans: Mapping[int, tuple[str, Span]] = MappingProxyType({})
    entries: Mapping[str, tuple[str, Span]] = MappingProxyType({})


def python_place(wgsl: str, at: int | str) -> list[str]:
    """Return file, line and caret in Python for a line of WGSL, or for an entry point.

    Parameters
    ----------
    wgsl
        What the emitter returned. A text that was written by hand has no places.
    at
        A line number from 1, or the name of an entry point.

    Returns
    -------
    list of str
        Lines of a message; none if the place is not known.
    """
    if not isinstance(wgsl, WgslText):
        return []
    found = wgsl.spans.get(at) if isinstance(at, int) else wgsl.entries.get(at)
    return [] if found is None else place(found[1], found[0])
