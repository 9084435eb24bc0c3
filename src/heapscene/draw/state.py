"""Pipeline state: what must be equal for two draws to share a draw call."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from heapscene.draw.fixed import fixed
from heapscene.errors import StateError, explain

__all__ = ["PipelineState"]

Topology = Literal["point-list", "line-list", "triangle-list"]
CullMode = Literal["none", "front", "back"]
FrontFace = Literal["ccw", "cw"]
Compare = Literal[
    "never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"
]
Blend = Literal["none", "alpha", "premultiplied", "additive", "multiply"]

_STRIPS = ("line-strip", "triangle-strip")


@fixed(
    "Make another one with dataclasses.replace(state, {name}=...); a material's state may be assigned."
)
@dataclass(frozen=True, slots=True)
class PipelineState:
    """What must be equal for two draws of a program to share a draw call.

    Field names and values are WebGPU's where WebGPU has them. States compare and hash by value.

    Attributes
    ----------
    topology
        How vertices form primitives: ``"triangle-list"``, ``"line-list"`` or ``"point-list"``.
        Strips are refused: neighbouring objects share one draw call, and a strip would join them.
    cull_mode
        Which side to skip; ``"none"`` draws both.
    front_face
        The winding of the front side, seen from outside.
    depth_compare
        ``"always"`` switches the depth test off.
    depth_write
        Off for draws that are tested against but do not hide.
    depth_bias, depth_bias_slope_scale, depth_bias_clamp
        Added to the depth of triangles, in WebGPU's units.
    blend
        ``"none"`` replaces the target's colour; ``"alpha"`` is straight-alpha *over*;
        ``"premultiplied"``, ``"additive"`` and ``"multiply"`` as named.
    write_mask
        Channels that are written, a subset of ``"rgba"``.
    alpha_to_coverage
        Turn alpha into a sample mask; needs a multisampled target.

    Raises
    ------
    StateError
        A value is not one of those listed.
    """

    topology: Topology = "triangle-list"
    cull_mode: CullMode = "none"
    front_face: FrontFace = "ccw"
    depth_compare: Compare = "less"
    depth_write: bool = True
    depth_bias: int = 0
    depth_bias_slope_scale: float = 0.0
    depth_bias_clamp: float = 0.0
    blend: Blend = "none"
    write_mask: str = "rgba"
    alpha_to_coverage: bool = False

    def __post_init__(self) -> None:
        topology: Any = self.topology
        if isinstance(topology, str) and topology in _STRIPS:
            raise StateError(
                explain(
                    f"topology {topology!r} cannot be drawn: many objects share one draw "
                    "call, and a strip would join neighbours",
                    fix=f"Convert the indices and write topology={topology[:-5] + 'list'!r}.",
                )
            )
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise StateError(
                    explain(
                        f"{name} cannot be {value!r}",
                        facts={"allowed": ", ".join(repr(choice) for choice in allowed)},
                        fix=f"Write {name}={allowed[0]!r}, or leave it out for "
                        f"{_DEFAULTS[name]!r}.",
                    )
                )
        self._check_numbers()
        mask: Any = self.write_mask
        if not isinstance(mask, str) or not set(mask) <= set("rgba"):
            raise StateError(
                explain(
                    f"write_mask cannot be {self.write_mask!r}",
                    fix="Write a subset of 'rgba', for example write_mask='rgb'.",
                )
            )

    def _check_numbers(self) -> None:
        for name, (kinds, wanted) in _KINDS.items():
            value = getattr(self, name)
            is_bool = isinstance(value, bool)
            fits = isinstance(value, kinds) and is_bool == (kinds is bool)
            if not fits or not -(2.0**31) <= value < 2.0**31:
                raise StateError(
                    explain(
                        f"{name} cannot be {value!r}",
                        facts={"allowed": wanted},
                        fix=f"Leave it out for {_DEFAULTS[name]!r}.",
                    )
                )

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name in _DEFAULTS}
        changed = (f"{name}={one!r}" for name, one in values.items() if one != _DEFAULTS[name])
        return f"PipelineState({', '.join(changed)})"

    @property
    def key(self) -> tuple[Any, ...]:
        """The values in order of declaration: exact, and reversible by ``PipelineState(*key)``."""
        return tuple(getattr(self, item.name) for item in fields(self))


def _choices() -> dict[str, tuple[Any, ...]]:
    hints = get_type_hints(PipelineState)
    return {name: get_args(hint) for name, hint in hints.items() if get_args(hint)}


_KINDS: dict[str, tuple[Any, str]] = {
    "depth_write": (bool, "True or False"),
    "alpha_to_coverage": (bool, "True or False"),
    "depth_bias": (int, "a whole number of 32 bits"),
    "depth_bias_slope_scale": ((int, float), "a finite number below 2³¹"),
    "depth_bias_clamp": ((int, float), "a finite number below 2³¹"),
}
_CHOICES = _choices()
_DEFAULTS = {item.name: item.default for item in fields(PipelineState)}
