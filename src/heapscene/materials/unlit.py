"""Unlit: the colour, whatever the light."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from heapscene.adaptive import AVal
from heapscene.draw import UNIT, PipelineState
from heapscene.materials.color import linear
from heapscene.materials.material import ShadedMaterial
from heapscene.shader import (
    VEC4,
    Program,
    builtin,
    fragment,
    mat4,
    struct,
    vec3,
    vec4,
    vertex,
)
from heapscene.typing import ColorLike

__all__ = ["UnlitMaterial"]

_LIMITS = {"color": UNIT}


@struct
class UnlitAttributes:
    """Per vertex; colours are sRGB."""

    position: vec3
    color: vec4 = vec4(1.0)


@struct
class UnlitInputs:
    """Per draw and frame."""

    model: mat4
    view: mat4
    proj: mat4
    color: vec4


@struct
class UnlitVaryings:
    """From vertices to pixels; the colour is linear."""

    color: vec4
    clip: vec4 = builtin.position


@vertex
def unlit_vertex(a: UnlitAttributes, u: UnlitInputs) -> UnlitVaryings:
    """Place a vertex and turn its colour linear."""
    clip = u.proj @ (u.view @ (u.model @ vec4(a.position, 1.0)))
    return UnlitVaryings(clip=clip, color=linear(u.color) * linear(a.color))


@fragment
def unlit_fragment(v: UnlitVaryings, u: UnlitInputs) -> vec4:  # noqa: ARG001  every stage has it
    """Return the colour."""
    return v.color


@cache
def unlit_program() -> Program:
    """Return the program of all unlit materials."""
    return Program(unlit_vertex, unlit_fragment, limits=_LIMITS)


class UnlitMaterial(ShadedMaterial):
    """One colour, times the colours of the vertices if the geometry has any.

    Parameters
    ----------
    color
        sRGB with straight alpha: a name, a hex string, three or four numbers, or an adaptive value.
    state
        Pipeline state. Transparency needs ``blend``, as in ``PipelineState(blend="alpha")``.

    Raises
    ------
    InputError
        The colour cannot be read; the property keeps its old value.
    """

    __slots__ = ("_color",)

    _types: ClassVar = {"color": VEC4}
    _limits: ClassVar = _LIMITS

    def __init__(
        self,
        color: ColorLike | AVal[Any] = (1.0, 1.0, 1.0, 1.0),
        *,
        state: PipelineState | None = None,
    ) -> None:
        super().__init__(state)
        self._color: Any = self._checked("color", color)

    @property
    def program(self) -> Program:
        """The program of all unlit materials."""
        return unlit_program()

    @property
    def color(self) -> Any:
        """The colour, as it was given."""
        return self._color

    @color.setter
    def color(self, value: ColorLike | AVal[Any]) -> None:
        self._assign("color", value)
