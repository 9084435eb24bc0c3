"""Built-in values and interpolation: what a field or parameter has in place of a default.

``clip: vec4 = builtin.position`` makes a field the position; ``color: vec4 = flat`` switches
interpolation off. Both are typed ``Any`` so that the editor accepts them as the default of a field
of any type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapscene.errors import explain
from heapscene.shader.types import BOOL, F32, U32, Type, Vector

__all__ = ["Builtin", "Builtins", "Interpolation", "builtin", "flat"]

_UVEC3 = Vector(U32, 3)


@dataclass(frozen=True, slots=True)
class Builtin:
    """A value that the GPU gives or takes; ``name`` is WGSL's, ``type`` that of the field."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Interpolation:
    """How a varying is interpolated. ``name`` is WGSL's."""

    name: str


class Builtins:
    """The built-in values, by WGSL's names.

    ``position`` is clip space in what a vertex function returns and the pixel (x, y, depth, 1/w) in
    a fragment function, where it may be called ``frag_coord``.
    """

    position: Any = Builtin("position", Vector(F32, 4))
    frag_coord: Any = Builtin("position", Vector(F32, 4))
    vertex_index: Any = Builtin("vertex_index", U32)
    instance_index: Any = Builtin("instance_index", U32)
    front_facing: Any = Builtin("front_facing", BOOL)
    frag_depth: Any = Builtin("frag_depth", F32)
    sample_index: Any = Builtin("sample_index", U32)
    global_invocation_id: Any = Builtin("global_invocation_id", _UVEC3)
    local_invocation_id: Any = Builtin("local_invocation_id", _UVEC3)
    local_invocation_index: Any = Builtin("local_invocation_index", U32)
    workgroup_id: Any = Builtin("workgroup_id", _UVEC3)
    num_workgroups: Any = Builtin("num_workgroups", _UVEC3)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            known = [key for key in vars(Builtins) if not key.startswith("_")]
            raise AttributeError(
                explain(
                    f"there is no builtin.{name}",
                    facts={"builtins": ", ".join(known)},
                    fix=_REASONS.get(name, "Write one of these."),
                )
            )


_REASONS = {
    "sample_mask": "Pictures have one sample or four: read builtin.sample_index.",
    "clip_distances": "Not every device has them: write discard() in the fragment function.",
    "primitive_index": "Not every device has it: give each triangle vertices of its own.",
    "subgroup_size": "Not every device has subgroups.",
    "subgroup_invocation_id": "Not every device has subgroups.",
    "point_size": "WebGPU draws points of one pixel: draw rectangles.",
}


builtin = Builtins()
flat: Any = Interpolation("flat")
