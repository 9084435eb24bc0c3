"""Phong: lit from where the camera is."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from heapscene.adaptive import AVal
from heapscene.draw import NOT_NEGATIVE, POSITIVE, UNIT, PipelineState
from heapscene.materials.color import linear
from heapscene.materials.material import ShadedMaterial
from heapscene.shader import (
    F32,
    VEC4,
    Program,
    builtin,
    cross,
    dot,
    f32,
    faceforward,
    fragment,
    function,
    length,
    mat4,
    max,  # noqa: A004  the shader language's
    mix,
    normalize,
    pow,  # noqa: A004  the shader language's
    smoothstep,
    struct,
    vec3,
    vec4,
    vertex,
)
from heapscene.typing import ColorLike

__all__ = ["PhongMaterial"]

_SHININESS = 40.0
_SPECULAR = 0.12
_LIMITS = {"color": UNIT, "shininess": POSITIVE, "specular": NOT_NEGATIVE}


@struct
class PhongAttributes:
    """Per vertex; colours are sRGB."""

    position: vec3
    normal: vec3
    color: vec4 = vec4(1.0)


@struct
class PhongInputs:
    """Per draw and frame."""

    model: mat4
    view: mat4
    proj: mat4
    color: vec4
    shininess: f32
    specular: f32


@struct
class PhongVaryings:
    """From vertices to pixels: the colour is linear, the rest is seen from the eye."""

    color: vec4
    normal: vec3
    eye: vec3
    clip: vec4 = builtin.position


@function
def turned(normal: vec3, matrix: mat4) -> vec3:
    """Return a unit normal of a surface that ``matrix`` has moved; zero stays zero.

    The cofactor matrix is right for any scale, also a mirrored or flattened one.
    """
    x = (matrix @ vec4(1.0, 0.0, 0.0, 0.0)).xyz
    y = (matrix @ vec4(0.0, 1.0, 0.0, 0.0)).xyz
    z = (matrix @ vec4(0.0, 0.0, 1.0, 0.0)).xyz
    size = max(max(length(x), length(y)), max(length(z), 1e-30))
    x = x / size
    y = y / size
    z = z / size
    n = cross(y, z) * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z
    return n / max(length(n), 1e-15)


@vertex
def phong_vertex(a: PhongAttributes, u: PhongInputs) -> PhongVaryings:
    """Place a vertex and its normal as seen from the eye, and turn its colour linear."""
    eye = u.view @ (u.model @ vec4(a.position, 1.0))
    return PhongVaryings(
        clip=u.proj @ eye,
        color=linear(u.color) * linear(a.color),
        normal=turned(a.normal, u.view @ u.model),
        eye=eye.xyz,
    )


@fragment
def phong_fragment(v: PhongVaryings, u: PhongInputs) -> vec4:
    """Light both sides alike, from the camera and a little above and to the right of it."""
    # 1 for a perspective, where rays meet in the eye, and 0 for parallel rays
    meeting = (u.proj @ vec4(0.0, 0.0, -1.0, 0.0)).w
    towards = normalize(mix(vec3(0.0, 0.0, 1.0), -v.eye, meeting))
    facing = faceforward(v.normal, -towards, v.normal)
    n = facing / max(length(facing), 1e-15)
    ahead = dot(n, towards)
    # what tells the two sides apart fades out at the outline, where a smooth normal may tip over
    front = smoothstep(0.0, 0.2, ahead)
    light = normalize(towards + vec3(0.25, 0.45, 0.0))
    diffuse = 0.1 + 0.25 * ahead + front * (0.05 * n.y + 0.6 * max(dot(n, light), 0.0))
    highlight = pow(max(dot(n, normalize(light + towards)), 0.0), u.shininess)
    shine = u.specular * front * highlight
    return vec4(v.color.xyz * diffuse + vec3(shine), v.color.w)


@cache
def phong_program() -> Program:
    """Return the program of all Phong materials."""
    return Program(phong_vertex, phong_fragment, limits=_LIMITS)


class PhongMaterial(ShadedMaterial):
    """A lit surface with a highlight; both of its sides are lit.

    The light comes from the camera. The colour is multiplied with the colours of the vertices, if
    the geometry has any.

    Parameters
    ----------
    color
        sRGB with straight alpha: a name, a hex string, three or four numbers, or an adaptive value.
    shininess
        How narrow the highlight is, above 0.
    specular
        How bright the highlight is, in linear light, from 0 on; 0 is none.
    state
        Pipeline state. Transparency needs ``blend``, as in ``PipelineState(blend="alpha")``.

    Raises
    ------
    InputError
        A value cannot be used; the property keeps its old value.
    """

    __slots__ = ("_color", "_shininess", "_specular")

    _types: ClassVar = {"color": VEC4, "shininess": F32, "specular": F32}
    _limits: ClassVar = _LIMITS

    def __init__(
        self,
        color: ColorLike | AVal[Any] = (1.0, 1.0, 1.0, 1.0),
        *,
        shininess: float | AVal[float] = _SHININESS,
        specular: float | AVal[float] = _SPECULAR,
        state: PipelineState | None = None,
    ) -> None:
        super().__init__(state)
        self._color: Any = self._checked("color", color)
        self._shininess: Any = _SHININESS
        self._specular: Any = _SPECULAR
        if shininess is not _SHININESS:
            self._shininess = self._checked("shininess", shininess)
        if specular is not _SPECULAR:
            self._specular = self._checked("specular", specular)

    @property
    def program(self) -> Program:
        """The program of all Phong materials."""
        return phong_program()

    def _plain(self) -> dict[str, Any]:
        return {
            "color": self._color,
            "shininess": self._shininess,
            "specular": self._specular,
        }

    @property
    def color(self) -> Any:
        """The colour, as it was given."""
        return self._color

    @color.setter
    def color(self, value: ColorLike | AVal[Any]) -> None:
        self._assign("color", value)

    @property
    def shininess(self) -> Any:
        """How narrow the highlight is."""
        return self._shininess

    @shininess.setter
    def shininess(self, value: float | AVal[float]) -> None:
        self._assign("shininess", value)

    @property
    def specular(self) -> Any:
        """How bright the highlight is."""
        return self._specular

    @specular.setter
    def specular(self, value: float | AVal[float]) -> None:
        self._assign("specular", value)
