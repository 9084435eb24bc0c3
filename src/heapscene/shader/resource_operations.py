"""The table of intrinsics that work on resources: atomics and textures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heapscene.shader.rules import (
    DEPTH_TEXTURES,
    EVERY_STAGE,
    MULTISAMPLED_TEXTURES,
    SAMPLED_TEXTURES,
    Operation,
)

__all__ = ["ATOMICS", "TEXTURES"]

ATOMICS: dict[str, Operation] = {}
TEXTURES: dict[str, Operation] = {}


def _atomic(name: str, wgsl: str, arguments: str = "{0}", result: str = "{0}") -> None:
    rules = tuple(
        f"atomic_{scalar} {arguments} -> {result}".format(scalar) for scalar in ("u32", "i32")
    )
    ATOMICS[name] = Operation(
        name,
        rules,
        wgsl,
        ("fragment", "compute"),
        effect=name != "atomic_load",
        family="atomic",
        place=True,
        reads=True,
    )


for _name in ["add", "sub", "max", "min", "and", "or", "xor", "exchange"]:
    _atomic(f"atomic_{_name}", f"atomic{_name.title()}")
_atomic("atomic_load", "atomicLoad", "")
_atomic("atomic_store", "atomicStore", result="void")
_atomic("atomic_compare_exchange", "atomicCompareExchangeWeak", "{0} {0}", result="{0}.exchange")


def _texture(
    name: str,
    wgsl: str,
    *rules: str,
    stages: tuple[str, ...] = EVERY_STAGE,
    effect: bool = False,
    uniform: bool = False,
    reads: bool = False,
) -> None:
    TEXTURES[name] = Operation(
        name,
        rules,
        wgsl,
        stages,
        effect=effect,
        family="texture",
        place=True,
        uniform=uniform,
        reads=reads,
    )


# Where a texture is sampled: (its name, the coordinates and the layer of an array, the type of an
# offset in texels). Offsets are constants, which is more than a rule can say.
_PLANE = (
    ("texture_2d", "vec2", "vec2i"),
    ("texture_2d_array", "vec2 int", "vec2i"),
)
_CUBES = (("texture_cube", "vec3", ""), ("texture_cube_array", "vec3 int", ""))
_BLOCK = ("texture_3d", "vec3", "vec3i")
_LINE = ("texture_1d", "f32", "")
_DEPTH = tuple((kind.replace("texture", "texture_depth"), *rest) for kind, *rest in _PLANE + _CUBES)


def _sampled(
    places: Iterable[Sequence[str]], rule: str, how: str = "sampler", channel: str = ""
) -> list[str]:
    """Return a rule for each place, and one more where there may be an offset."""
    made: list[str] = []
    for kind, at, offset in places:
        size = at.split()[0]
        for more in ("", f" {offset}") if offset else ("",):
            filled = rule.format(kind=kind + channel, how=how, at=at, size=size, offset=more)
            made.append(filled)
    return made


_COLORS = (*_PLANE, _BLOCK, *_CUBES)
_STORED = {
    "texture_storage_1d": "int",
    "texture_storage_2d": "vec2int",
    "texture_storage_2d_array": "vec2int int",
    "texture_storage_3d": "vec3int",
}

_texture(
    "texture_sample",
    "textureSample",
    *_sampled((*_COLORS, _LINE), "{kind} {how} {at}{offset} -> vec4", channel="<f32>"),
    *_sampled(_DEPTH, "{kind} {how} {at}{offset} -> f32"),
    stages=("fragment",),
    uniform=True,
)
_texture(
    "texture_sample_bias",
    "textureSampleBias",
    *_sampled(_COLORS, "{kind} {how} {at} f32{offset} -> vec4", channel="<f32>"),
    stages=("fragment",),
    uniform=True,
)
_texture(
    "texture_sample_level",
    "textureSampleLevel",
    *_sampled((*_COLORS, _LINE), "{kind} {how} {at} f32{offset} -> vec4", channel="<f32>"),
    *_sampled(_DEPTH, "{kind} {how} {at} int{offset} -> f32"),
)
_texture(
    "texture_sample_grad",
    "textureSampleGrad",
    *_sampled(_COLORS, "{kind} {how} {at} {size} {size}{offset} -> vec4", channel="<f32>"),
)
_texture(
    "texture_sample_base_clamp_to_edge",
    "textureSampleBaseClampToEdge",
    "texture_2d<f32> sampler vec2 -> vec4",
)
_texture(
    "texture_sample_compare",
    "textureSampleCompare",
    *_sampled(_DEPTH, "{kind} {how} {at} f32{offset} -> f32", "sampler_comparison"),
    stages=("fragment",),
    uniform=True,
)
_texture(
    "texture_sample_compare_level",
    "textureSampleCompareLevel",
    *_sampled(_DEPTH, "{kind} {how} {at} f32{offset} -> f32", "sampler_comparison"),
)
_texture(
    "texture_gather",
    "textureGather",
    *_sampled((*_PLANE, *_CUBES), "{kind} {how} {at} int{offset} -> T.texel"),
    *_sampled(_DEPTH, "{kind} {how} {at}{offset} -> vec4"),
)
_texture(
    "texture_gather_compare",
    "textureGatherCompare",
    *_sampled(_DEPTH, "{kind} {how} {at} f32{offset} -> vec4", "sampler_comparison"),
)
_texture(
    "texture_load",
    "textureLoad",
    "texture_1d int int -> T.texel",
    "texture_2d vec2int int -> T.texel",
    "texture_2d_array vec2int int int -> T.texel",
    "texture_3d vec3int int -> T.texel",
    "texture_multisampled_2d vec2int int -> T.texel",
    "texture_depth_2d vec2int int -> f32",
    "texture_depth_2d_array vec2int int int -> f32",
    "texture_depth_multisampled_2d vec2int int -> f32",
    *[f"{kind} {at} -> T.texel" for kind, at in _STORED.items()],
    reads=True,
)
_texture(
    "texture_store",
    "textureStore",
    *[f"{kind} {at} T.texel -> void" for kind, at in _STORED.items()],
    stages=("fragment", "compute"),
    effect=True,
)


def _size(kind: str) -> str:
    return {"1d": "u32", "3d": "vec3u"}.get(kind[-2:], "vec2u")


_texture(
    "texture_dimensions",
    "textureDimensions",
    *[f"{kind} -> {_size(kind)}" for kind in (*SAMPLED_TEXTURES, *DEPTH_TEXTURES)],
    *[f"{kind} int -> {_size(kind)}" for kind in (*SAMPLED_TEXTURES, *DEPTH_TEXTURES)],
    *[f"{kind} -> vec2u" for kind in MULTISAMPLED_TEXTURES],
    *[f"{kind} -> {_size(kind)}" for kind in _STORED],
)
_texture(
    "texture_num_levels",
    "textureNumLevels",
    *[f"{kind} -> u32" for kind in (*SAMPLED_TEXTURES, *DEPTH_TEXTURES)],
)
_texture(
    "texture_num_layers",
    "textureNumLayers",
    *[
        f"{k} -> u32"
        for k in (*SAMPLED_TEXTURES, *DEPTH_TEXTURES, *_STORED)
        if k.endswith("_array")
    ],
)
_texture(
    "texture_num_samples",
    "textureNumSamples",
    *[f"{kind} -> u32" for kind in MULTISAMPLED_TEXTURES],
)
