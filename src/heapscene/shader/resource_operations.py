"""The table of intrinsics that work on resources: atomics and textures."""

from __future__ import annotations

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


# Where a texture is sampled: (its name, the coordinates, and the layer of an array).
_COLOR_PLACES = (
    ("texture_2d<f32>", "vec2"),
    ("texture_2d_array<f32>", "vec2 int"),
    ("texture_3d<f32>", "vec3"),
    ("texture_cube<f32>", "vec3"),
    ("texture_cube_array<f32>", "vec3 int"),
)
_DEPTH_PLACES = (
    ("texture_depth_2d", "vec2"),
    ("texture_depth_2d_array", "vec2 int"),
    ("texture_depth_cube", "vec3"),
)
_STORED = {
    "texture_storage_2d": "vec2int",
    "texture_storage_2d_array": "vec2int int",
    "texture_storage_3d": "vec3int",
}
_FLAT = [place for place in _COLOR_PLACES if "3d" not in place[0]]

_texture(
    "texture_sample",
    "textureSample",
    *[f"{kind} sampler {at} -> vec4" for kind, at in _COLOR_PLACES],
    *[f"{kind} sampler {at} -> f32" for kind, at in _DEPTH_PLACES],
    stages=("fragment",),
    uniform=True,
)
_texture(
    "texture_sample_bias",
    "textureSampleBias",
    *[f"{kind} sampler {at} f32 -> vec4" for kind, at in _COLOR_PLACES],
    stages=("fragment",),
    uniform=True,
)
_texture(
    "texture_sample_level",
    "textureSampleLevel",
    *[f"{kind} sampler {at} f32 -> vec4" for kind, at in _COLOR_PLACES],
    *[f"{kind} sampler {at} int -> f32" for kind, at in _DEPTH_PLACES],
)
_texture(
    "texture_sample_grad",
    "textureSampleGrad",
    *[f"{kind} sampler {at} {at[:4]} {at[:4]} -> vec4" for kind, at in _COLOR_PLACES],
)
_texture(
    "texture_sample_compare",
    "textureSampleCompare",
    *[f"{kind} sampler_comparison {at} f32 -> f32" for kind, at in _DEPTH_PLACES],
    stages=("fragment",),
    uniform=True,
)
_texture(
    "texture_sample_compare_level",
    "textureSampleCompareLevel",
    *[f"{kind} sampler_comparison {at} f32 -> f32" for kind, at in _DEPTH_PLACES],
)
_texture(
    "texture_gather",
    "textureGather",
    *[f"{kind.partition('<')[0]} sampler {at} int -> T.texel" for kind, at in _FLAT],
    *[f"{kind} sampler {at} -> vec4" for kind, at in _DEPTH_PLACES],
)
_texture(
    "texture_gather_compare",
    "textureGatherCompare",
    *[f"{kind} sampler_comparison {at} f32 -> vec4" for kind, at in _DEPTH_PLACES],
)
_texture(
    "texture_load",
    "textureLoad",
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
_FLAT_KINDS = (
    "texture_2d",
    "texture_2d_array",
    "texture_cube",
    "texture_cube_array",
    *DEPTH_TEXTURES,
)
_texture(
    "texture_dimensions",
    "textureDimensions",
    *[f"{kind} -> vec2u" for kind in _FLAT_KINDS],
    *[f"{kind} int -> vec2u" for kind in _FLAT_KINDS],
    "texture_3d -> vec3u",
    "texture_3d int -> vec3u",
    *[f"{kind} -> vec2u" for kind in MULTISAMPLED_TEXTURES],
    *[f"{kind} -> {'vec3u' if '3d' in kind else 'vec2u'}" for kind in _STORED],
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
