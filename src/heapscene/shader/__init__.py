"""(side road) Python functions become WGSL.

In:   typed Python functions made by ``@vertex``, ``@fragment``, ``@compute`` and ``@function``.
Out:  a typed IR, and from it :class:`Program` and :class:`ComputeProgram` with their WGSL texts.
Keeps: a function means the same in CPython and on the GPU; what would not is refused, with what to
       write instead; equal content has an equal hash in every process.

The folder in order: ``source``, ``definition`` and ``stages`` read a function, ``frontend`` turns its tree
into ``ir``, ``wgsl`` emits it, ``linking`` and ``program`` fit two stages together; ``lang`` and
``cpu`` run the same function in CPython, ``interpret`` runs the IR in NumPy; ``passes`` change the
IR; ``sets`` finds what a rule may return; ``numeric`` says what operations compute.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from heapscene.shader.interface import Interface as Interface
from heapscene.shader.interface import ProgramLike as ProgramLike

# What users import. Some names are those of Python builtins, with the same meaning.
from heapscene.shader.lang import Resource as Resource
from heapscene.shader.lang import builtin as builtin
from heapscene.shader.lang import f32 as f32
from heapscene.shader.lang import flat as flat
from heapscene.shader.lang import i32 as i32
from heapscene.shader.lang import mat2 as mat2
from heapscene.shader.lang import mat2x3 as mat2x3
from heapscene.shader.lang import mat2x4 as mat2x4
from heapscene.shader.lang import mat3 as mat3
from heapscene.shader.lang import mat3x2 as mat3x2
from heapscene.shader.lang import mat3x4 as mat3x4
from heapscene.shader.lang import mat4 as mat4
from heapscene.shader.lang import mat4x2 as mat4x2
from heapscene.shader.lang import mat4x3 as mat4x3
from heapscene.shader.lang import private as private
from heapscene.shader.lang import static as static
from heapscene.shader.lang import storage as storage
from heapscene.shader.lang import u32 as u32
from heapscene.shader.lang import uniform as uniform
from heapscene.shader.lang import vec2 as vec2
from heapscene.shader.lang import vec2b as vec2b
from heapscene.shader.lang import vec2i as vec2i
from heapscene.shader.lang import vec2u as vec2u
from heapscene.shader.lang import vec3 as vec3
from heapscene.shader.lang import vec3b as vec3b
from heapscene.shader.lang import vec3i as vec3i
from heapscene.shader.lang import vec3u as vec3u
from heapscene.shader.lang import vec4 as vec4
from heapscene.shader.lang import vec4b as vec4b
from heapscene.shader.lang import vec4i as vec4i
from heapscene.shader.lang import vec4u as vec4u
from heapscene.shader.lang import workgroup as workgroup
from heapscene.shader.lang.atomics import atomic_add as atomic_add
from heapscene.shader.lang.atomics import atomic_and as atomic_and
from heapscene.shader.lang.atomics import atomic_compare_exchange as atomic_compare_exchange
from heapscene.shader.lang.atomics import atomic_exchange as atomic_exchange
from heapscene.shader.lang.atomics import atomic_i32 as atomic_i32
from heapscene.shader.lang.atomics import atomic_load as atomic_load
from heapscene.shader.lang.atomics import atomic_max as atomic_max
from heapscene.shader.lang.atomics import atomic_min as atomic_min
from heapscene.shader.lang.atomics import atomic_or as atomic_or
from heapscene.shader.lang.atomics import atomic_store as atomic_store
from heapscene.shader.lang.atomics import atomic_sub as atomic_sub
from heapscene.shader.lang.atomics import atomic_u32 as atomic_u32
from heapscene.shader.lang.atomics import atomic_xor as atomic_xor
from heapscene.shader.lang.bits import bitcast_f32 as bitcast_f32
from heapscene.shader.lang.bits import bitcast_i32 as bitcast_i32
from heapscene.shader.lang.bits import bitcast_u32 as bitcast_u32
from heapscene.shader.lang.bits import count_leading_zeros as count_leading_zeros
from heapscene.shader.lang.bits import count_one_bits as count_one_bits
from heapscene.shader.lang.bits import count_trailing_zeros as count_trailing_zeros
from heapscene.shader.lang.bits import extract_bits as extract_bits
from heapscene.shader.lang.bits import first_leading_bit as first_leading_bit
from heapscene.shader.lang.bits import first_trailing_bit as first_trailing_bit
from heapscene.shader.lang.bits import insert_bits as insert_bits
from heapscene.shader.lang.bits import reverse_bits as reverse_bits
from heapscene.shader.lang.componentwise import abs as abs
from heapscene.shader.lang.componentwise import acos as acos
from heapscene.shader.lang.componentwise import acosh as acosh
from heapscene.shader.lang.componentwise import asin as asin
from heapscene.shader.lang.componentwise import asinh as asinh
from heapscene.shader.lang.componentwise import atan as atan
from heapscene.shader.lang.componentwise import atan2 as atan2
from heapscene.shader.lang.componentwise import atanh as atanh
from heapscene.shader.lang.componentwise import ceil as ceil
from heapscene.shader.lang.componentwise import clamp as clamp
from heapscene.shader.lang.componentwise import cos as cos
from heapscene.shader.lang.componentwise import cosh as cosh
from heapscene.shader.lang.componentwise import degrees as degrees
from heapscene.shader.lang.componentwise import exp as exp
from heapscene.shader.lang.componentwise import exp2 as exp2
from heapscene.shader.lang.componentwise import floor as floor
from heapscene.shader.lang.componentwise import fma as fma
from heapscene.shader.lang.componentwise import fract as fract
from heapscene.shader.lang.componentwise import frexp as frexp
from heapscene.shader.lang.componentwise import inverse_sqrt as inverse_sqrt
from heapscene.shader.lang.componentwise import ldexp as ldexp
from heapscene.shader.lang.componentwise import log as log
from heapscene.shader.lang.componentwise import log2 as log2
from heapscene.shader.lang.componentwise import max as max
from heapscene.shader.lang.componentwise import min as min
from heapscene.shader.lang.componentwise import mix as mix
from heapscene.shader.lang.componentwise import modf as modf
from heapscene.shader.lang.componentwise import pow as pow
from heapscene.shader.lang.componentwise import radians as radians
from heapscene.shader.lang.componentwise import round as round
from heapscene.shader.lang.componentwise import saturate as saturate
from heapscene.shader.lang.componentwise import sign as sign
from heapscene.shader.lang.componentwise import sin as sin
from heapscene.shader.lang.componentwise import sinh as sinh
from heapscene.shader.lang.componentwise import smoothstep as smoothstep
from heapscene.shader.lang.componentwise import sqrt as sqrt
from heapscene.shader.lang.componentwise import step as step
from heapscene.shader.lang.componentwise import tan as tan
from heapscene.shader.lang.componentwise import tanh as tanh
from heapscene.shader.lang.componentwise import trunc as trunc
from heapscene.shader.lang.execution import array_length as array_length
from heapscene.shader.lang.execution import discard as discard
from heapscene.shader.lang.execution import dpdx as dpdx
from heapscene.shader.lang.execution import dpdx_coarse as dpdx_coarse
from heapscene.shader.lang.execution import dpdx_fine as dpdx_fine
from heapscene.shader.lang.execution import dpdy as dpdy
from heapscene.shader.lang.execution import dpdy_coarse as dpdy_coarse
from heapscene.shader.lang.execution import dpdy_fine as dpdy_fine
from heapscene.shader.lang.execution import fwidth as fwidth
from heapscene.shader.lang.execution import fwidth_coarse as fwidth_coarse
from heapscene.shader.lang.execution import fwidth_fine as fwidth_fine
from heapscene.shader.lang.execution import storage_barrier as storage_barrier
from heapscene.shader.lang.execution import texture_barrier as texture_barrier
from heapscene.shader.lang.execution import workgroup_barrier as workgroup_barrier
from heapscene.shader.lang.execution import workgroup_uniform_load as workgroup_uniform_load
from heapscene.shader.lang.geometric import all as all
from heapscene.shader.lang.geometric import any as any
from heapscene.shader.lang.geometric import cross as cross
from heapscene.shader.lang.geometric import determinant as determinant
from heapscene.shader.lang.geometric import distance as distance
from heapscene.shader.lang.geometric import dot as dot
from heapscene.shader.lang.geometric import faceforward as faceforward
from heapscene.shader.lang.geometric import length as length
from heapscene.shader.lang.geometric import normalize as normalize
from heapscene.shader.lang.geometric import reflect as reflect
from heapscene.shader.lang.geometric import refract as refract
from heapscene.shader.lang.geometric import select as select
from heapscene.shader.lang.geometric import transpose as transpose
from heapscene.shader.lang.packing import dot4i8_packed as dot4i8_packed
from heapscene.shader.lang.packing import dot4u8_packed as dot4u8_packed
from heapscene.shader.lang.packing import pack2x16float as pack2x16float
from heapscene.shader.lang.packing import pack2x16snorm as pack2x16snorm
from heapscene.shader.lang.packing import pack2x16unorm as pack2x16unorm
from heapscene.shader.lang.packing import pack4x8snorm as pack4x8snorm
from heapscene.shader.lang.packing import pack4x8unorm as pack4x8unorm
from heapscene.shader.lang.packing import pack4xi8 as pack4xi8
from heapscene.shader.lang.packing import pack4xi8_clamp as pack4xi8_clamp
from heapscene.shader.lang.packing import pack4xu8 as pack4xu8
from heapscene.shader.lang.packing import pack4xu8_clamp as pack4xu8_clamp
from heapscene.shader.lang.packing import quantize_to_f16 as quantize_to_f16
from heapscene.shader.lang.packing import unpack2x16float as unpack2x16float
from heapscene.shader.lang.packing import unpack2x16snorm as unpack2x16snorm
from heapscene.shader.lang.packing import unpack2x16unorm as unpack2x16unorm
from heapscene.shader.lang.packing import unpack4x8snorm as unpack4x8snorm
from heapscene.shader.lang.packing import unpack4x8unorm as unpack4x8unorm
from heapscene.shader.lang.packing import unpack4xi8 as unpack4xi8
from heapscene.shader.lang.packing import unpack4xu8 as unpack4xu8
from heapscene.shader.lang.sampling import texture_gather as texture_gather
from heapscene.shader.lang.sampling import texture_gather_compare as texture_gather_compare
from heapscene.shader.lang.sampling import texture_sample as texture_sample
from heapscene.shader.lang.sampling import (
    texture_sample_base_clamp_to_edge as texture_sample_base_clamp_to_edge,
)
from heapscene.shader.lang.sampling import texture_sample_bias as texture_sample_bias
from heapscene.shader.lang.sampling import texture_sample_compare as texture_sample_compare
from heapscene.shader.lang.sampling import (
    texture_sample_compare_level as texture_sample_compare_level,
)
from heapscene.shader.lang.sampling import texture_sample_grad as texture_sample_grad
from heapscene.shader.lang.sampling import texture_sample_level as texture_sample_level
from heapscene.shader.lang.texture_access import texture_dimensions as texture_dimensions
from heapscene.shader.lang.texture_access import texture_load as texture_load
from heapscene.shader.lang.texture_access import texture_num_layers as texture_num_layers
from heapscene.shader.lang.texture_access import texture_num_levels as texture_num_levels
from heapscene.shader.lang.texture_access import texture_num_samples as texture_num_samples
from heapscene.shader.lang.texture_access import texture_store as texture_store
from heapscene.shader.lang.textures import sampler as sampler
from heapscene.shader.lang.textures import sampler_comparison as sampler_comparison
from heapscene.shader.lang.textures import texture_1d as texture_1d
from heapscene.shader.lang.textures import texture_2d as texture_2d
from heapscene.shader.lang.textures import texture_2d_array as texture_2d_array
from heapscene.shader.lang.textures import texture_3d as texture_3d
from heapscene.shader.lang.textures import texture_cube as texture_cube
from heapscene.shader.lang.textures import texture_cube_array as texture_cube_array
from heapscene.shader.lang.textures import texture_depth_2d as texture_depth_2d
from heapscene.shader.lang.textures import texture_depth_2d_array as texture_depth_2d_array
from heapscene.shader.lang.textures import texture_depth_cube as texture_depth_cube
from heapscene.shader.lang.textures import texture_depth_cube_array as texture_depth_cube_array
from heapscene.shader.lang.textures import (
    texture_depth_multisampled_2d as texture_depth_multisampled_2d,
)
from heapscene.shader.lang.textures import texture_multisampled_2d as texture_multisampled_2d
from heapscene.shader.lang.textures import texture_storage_1d as texture_storage_1d
from heapscene.shader.lang.textures import texture_storage_2d as texture_storage_2d
from heapscene.shader.lang.textures import texture_storage_2d_array as texture_storage_2d_array
from heapscene.shader.lang.textures import texture_storage_3d as texture_storage_3d
from heapscene.shader.stages import ShaderFunction as ShaderFunction
from heapscene.shader.stages import compute as compute
from heapscene.shader.stages import fragment as fragment
from heapscene.shader.stages import function as function
from heapscene.shader.stages import vertex as vertex
from heapscene.shader.stages import wgsl_function as wgsl_function
from heapscene.shader.structs import struct as struct
from heapscene.shader.types import BOOL as BOOL
from heapscene.shader.types import F32 as F32
from heapscene.shader.types import I32 as I32
from heapscene.shader.types import MAT2 as MAT2
from heapscene.shader.types import MAT3 as MAT3
from heapscene.shader.types import MAT4 as MAT4
from heapscene.shader.types import U32 as U32
from heapscene.shader.types import VEC2 as VEC2
from heapscene.shader.types import VEC3 as VEC3
from heapscene.shader.types import VEC4 as VEC4
from heapscene.shader.types import VOID as VOID
from heapscene.shader.types import ArrayType as ArrayType
from heapscene.shader.types import AtomicType as AtomicType
from heapscene.shader.types import Matrix as Matrix
from heapscene.shader.types import SamplerType as SamplerType
from heapscene.shader.types import Scalar as Scalar
from heapscene.shader.types import StorageTextureType as StorageTextureType
from heapscene.shader.types import StructField as StructField
from heapscene.shader.types import StructType as StructType
from heapscene.shader.types import TextureType as TextureType
from heapscene.shader.types import Type as Type
from heapscene.shader.types import Vector as Vector
from heapscene.shader.types import Void as Void

if TYPE_CHECKING:
    from heapscene.shader.captured import captured_by as captured_by
    from heapscene.shader.captured import fill_captured as fill_captured
    from heapscene.shader.compute_program import Binding as Binding
    from heapscene.shader.compute_program import ComputeProgram as ComputeProgram
    from heapscene.shader.compute_program import bindings_of as bindings_of
    from heapscene.shader.direct import direct_module as direct_module
    from heapscene.shader.direct import fragment_entry as fragment_entry
    from heapscene.shader.direct import fragment_result as fragment_result
    from heapscene.shader.direct import inputs_struct as inputs_struct
    from heapscene.shader.layout import Layout as Layout
    from heapscene.shader.layout import dtype_of as dtype_of
    from heapscene.shader.layout import layout_of as layout_of
    from heapscene.shader.linking import StageParameter as StageParameter
    from heapscene.shader.linking import Varying as Varying
    from heapscene.shader.linking import call_stage as call_stage
    from heapscene.shader.linking import vertex_result as vertex_result
    from heapscene.shader.program import Program as Program
    from heapscene.shader.sets import Range as Range
    from heapscene.shader.sets import ResultSet as ResultSet
    from heapscene.shader.sets import result_set as result_set
    from heapscene.shader.wgsl import emit as emit
    from heapscene.shader.wgsl import python_place as python_place

# The compiler is loaded when it is first used: ``import heapscene`` stays light.
_LATE = {
    "Binding": "heapscene.shader.compute_program",
    "ComputeProgram": "heapscene.shader.compute_program",
    "Layout": "heapscene.shader.layout",
    "Program": "heapscene.shader.program",
    "Range": "heapscene.shader.sets",
    "ResultSet": "heapscene.shader.sets",
    "StageParameter": "heapscene.shader.linking",
    "Varying": "heapscene.shader.linking",
    "bindings_of": "heapscene.shader.compute_program",
    "captured_by": "heapscene.shader.captured",
    "fill_captured": "heapscene.shader.captured",
    "call_stage": "heapscene.shader.linking",
    "direct_module": "heapscene.shader.direct",
    "dtype_of": "heapscene.shader.layout",
    "emit": "heapscene.shader.wgsl",
    "fragment_entry": "heapscene.shader.direct",
    "fragment_result": "heapscene.shader.direct",
    "inputs_struct": "heapscene.shader.direct",
    "layout_of": "heapscene.shader.layout",
    "python_place": "heapscene.shader.wgsl",
    "result_set": "heapscene.shader.sets",
    "vertex_result": "heapscene.shader.linking",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
