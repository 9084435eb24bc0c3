"""What programs of the tests hand over where it does not matter what it is."""

from __future__ import annotations

from heapscene.shader import builtin, mat4, struct, vec3, vec4


@struct
class Attributes:
    position: vec3
    normal: vec3


@struct
class Inputs:
    model: mat4
    view: mat4
    proj: mat4


@struct
class Varyings:
    clip: vec4 = builtin.position
    normal: vec3
