"""Every built-in function, type and value of WGSL is here, or refused by name with a reason.

The lists are those of the WGSL specification (sections "Built-in Functions", "Types", "Built-in
Values"), written down here independently of the table of operations.
"""

from __future__ import annotations

import pytest

from heapscene import shader
from heapscene.errors import ShaderError
from heapscene.shader import builtin, f32, function
from heapscene.shader.advice import advice, known_elsewhere
from heapscene.shader.operations import INTRINSICS


def words(text: str) -> list[str]:
    return text.split()


FUNCTIONS = words("""
bitcast all any select arrayLength abs acos acosh asin asinh atan atanh atan2 ceil clamp cos
cosh countLeadingZeros countOneBits countTrailingZeros cross degrees determinant distance dot
dot4U8Packed dot4I8Packed exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit
floor fma fract frexp insertBits inverseSqrt ldexp length log log2 max min mix modf normalize
pow quantizeToF16 radians reflect refract reverseBits round saturate sign sin sinh smoothstep
sqrt step tan tanh transpose trunc dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth
fwidthCoarse fwidthFine textureDimensions textureGather textureGatherCompare textureLoad
textureNumLayers textureNumLevels textureNumSamples textureSample textureSampleBias
textureSampleCompare textureSampleCompareLevel textureSampleGrad textureSampleLevel
textureSampleBaseClampToEdge textureStore atomicLoad atomicStore atomicAdd atomicSub atomicMax
atomicMin atomicAnd atomicOr atomicXor atomicExchange atomicCompareExchangeWeak pack4x8snorm
pack4x8unorm pack4xI8 pack4xU8 pack4xI8Clamp pack4xU8Clamp pack2x16snorm pack2x16unorm
pack2x16float unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 unpack2x16snorm
unpack2x16unorm unpack2x16float storageBarrier textureBarrier workgroupBarrier
workgroupUniformLoad
""")
# These need features that a device may lack.
OPTIONAL = words("""
subgroupAdd subgroupExclusiveAdd subgroupInclusiveAdd subgroupAll subgroupAnd subgroupAny
subgroupBallot subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupMax subgroupMin
subgroupMul subgroupExclusiveMul subgroupInclusiveMul subgroupOr subgroupShuffle
subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor subgroupXor quadBroadcast
quadSwapDiagonal quadSwapX quadSwapY f16 vec2h vec3h vec4h mat4x4h texture_external
""")
TYPES = words("""
f32 i32 u32 vec2 vec3 vec4 vec2i vec3i vec4i vec2u vec3u vec4u mat2x3 mat2x4 mat3x2 mat3x4
mat4x2 mat4x3 sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d
texture_cube texture_cube_array texture_multisampled_2d texture_depth_2d texture_depth_2d_array
texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d texture_storage_1d
texture_storage_2d texture_storage_2d_array texture_storage_3d
""")
SPELLED = {
    "vec3f": "vec3",
    "mat4x4f": "mat4",
    "mat2x2f": "mat2",
    "mat3x4f": "mat3x4",
}
VALUES = words("""
vertex_index instance_index position front_facing frag_depth sample_index local_invocation_id
local_invocation_index global_invocation_id workgroup_id num_workgroups
""")
OTHER_VALUES = words("""
sample_mask clip_distances primitive_index subgroup_size subgroup_invocation_id
""")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_is_here_or_is_told_by_our_name(name):
    made = {operation.wgsl.partition(".")[0] for operation in INTRINSICS.values()}
    assert name in made or name == "bitcast"
    told = advice(name)
    here = next(
        (op.name for op in INTRINSICS.values() if op.wgsl.partition(".")[0] == name), "bitcast_f32"
    )
    here = here.partition(".")[0]
    assert here in told, told
    assert getattr(shader, here).__doc__


def test_the_table_has_no_function_that_wgsl_has_not():
    made = {operation.wgsl.partition(".")[0] for operation in INTRINSICS.values()}
    assert made <= set(FUNCTIONS)


@pytest.mark.parametrize("name", OPTIONAL)
def test_what_a_device_may_lack_is_refused_with_a_reason(name):
    assert not hasattr(shader, name)
    told = known_elsewhere(name)
    assert told is not None
    assert "device" in told or "browser" in told


@pytest.mark.parametrize("name", TYPES)
def test_each_type_is_here(name):
    assert hasattr(shader, name)


@pytest.mark.parametrize(("wgsl", "ours"), SPELLED.items())
def test_each_spelling_of_a_type_is_told(wgsl, ours):
    assert advice(wgsl) == f"Write {ours}, from heapscene.shader."


def test_each_built_in_value_is_here():
    for name in VALUES:
        assert getattr(builtin, name).name == name
    for name in OTHER_VALUES:
        with pytest.raises(AttributeError, match=f"no builtin.{name}") as caught:
            getattr(builtin, name)
        assert "builtins  position" in str(caught.value)
        assert not str(caught.value).endswith("Write one of these.")


@function
def inverts(m: shader.mat4) -> shader.mat4:
    return inverse(m)


@function
def adds_up(x: f32) -> f32:
    return shader.subgroup_add(x)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("arcsin", "Write asin(x), from heapscene.shader."),
        ("where", "Write select(otherwise, value, condition), from heapscene.shader."),
        ("float3", "Write vec3, from heapscene.shader."),
        ("float3x4", "Write mat4x3, from heapscene.shader."),
        ("ivec2", "Write vec2i, from heapscene.shader."),
        ("normalize", "Write  from heapscene.shader import normalize  at the top of the module."),
        ("normalise", "Did you mean normalize, from heapscene.shader?"),
        ("float64", "32 bits"),
        ("inverse", "transpose(m)"),
        ("isnan", "no NaN"),
        ("quite_unknown", "Define it in the module"),
    ],
)
def test_names_of_other_languages_are_told(name, told):
    assert told in advice(name)


@pytest.mark.parametrize(("wrong", "told"), [(inverts, "no inverse"), (adds_up, "subgroups")])
def test_the_compiler_tells_them(wrong, told):
    with pytest.raises(ShaderError, match=told):
        _ = wrong.ir
