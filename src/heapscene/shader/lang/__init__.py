"""The values of the shader language in CPython: immutable, rounding and wrapping as on the GPU.

In:   numbers and arrays.
Out:  classes named as in WGSL, each with its :class:`~heapscene.shader.types.Type` in
``__shader_type__``. Keeps: no operation mixes types, overflows into a bigger type, or warns.
"""

from heapscene.shader.lang.atomics import AtomicPlace as AtomicPlace
from heapscene.shader.lang.atomics import atomic_i32 as atomic_i32
from heapscene.shader.lang.atomics import atomic_u32 as atomic_u32
from heapscene.shader.lang.builtin import Builtin as Builtin
from heapscene.shader.lang.builtin import Interpolation as Interpolation
from heapscene.shader.lang.builtin import builtin as builtin
from heapscene.shader.lang.builtin import flat as flat
from heapscene.shader.lang.convert import captured as captured
from heapscene.shader.lang.convert import convert as convert
from heapscene.shader.lang.convert import elements as elements
from heapscene.shader.lang.convert import register_struct as register_struct
from heapscene.shader.lang.convert import result_type as result_type
from heapscene.shader.lang.convert import type_of as type_of
from heapscene.shader.lang.convert import value_class as value_class
from heapscene.shader.lang.convert import zero as zero
from heapscene.shader.lang.execution import Discard as Discard
from heapscene.shader.lang.intrinsics import INTRINSICS as INTRINSICS
from heapscene.shader.lang.intrinsics import PYTHON_BUILTINS as PYTHON_BUILTINS
from heapscene.shader.lang.intrinsics import operation as operation
from heapscene.shader.lang.intrinsics import shader_bool as shader_bool
from heapscene.shader.lang.literals import AbstractInt as AbstractInt
from heapscene.shader.lang.literals import concrete as concrete
from heapscene.shader.lang.matrices import MatrixValue as MatrixValue
from heapscene.shader.lang.matrix_shapes import mat2 as mat2
from heapscene.shader.lang.matrix_shapes import mat2x3 as mat2x3
from heapscene.shader.lang.matrix_shapes import mat2x4 as mat2x4
from heapscene.shader.lang.matrix_shapes import mat3 as mat3
from heapscene.shader.lang.matrix_shapes import mat3x2 as mat3x2
from heapscene.shader.lang.matrix_shapes import mat3x4 as mat3x4
from heapscene.shader.lang.matrix_shapes import mat4 as mat4
from heapscene.shader.lang.matrix_shapes import mat4x2 as mat4x2
from heapscene.shader.lang.matrix_shapes import mat4x3 as mat4x3
from heapscene.shader.lang.resources import Resource as Resource
from heapscene.shader.lang.resources import private as private
from heapscene.shader.lang.resources import storage as storage
from heapscene.shader.lang.resources import uniform as uniform
from heapscene.shader.lang.resources import workgroup as workgroup
from heapscene.shader.lang.scalars import MAX_POWER as MAX_POWER
from heapscene.shader.lang.scalars import f32 as f32
from heapscene.shader.lang.scalars import i32 as i32
from heapscene.shader.lang.scalars import refuse_mix as refuse_mix
from heapscene.shader.lang.scalars import u32 as u32
from heapscene.shader.lang.static import static as static
from heapscene.shader.lang.textures import Handle as Handle
from heapscene.shader.lang.textures import Texture as Texture
from heapscene.shader.lang.vector_value import VectorValue as VectorValue
from heapscene.shader.lang.vectors import vec2 as vec2
from heapscene.shader.lang.vectors import vec2b as vec2b
from heapscene.shader.lang.vectors import vec2i as vec2i
from heapscene.shader.lang.vectors import vec2u as vec2u
from heapscene.shader.lang.vectors import vec3 as vec3
from heapscene.shader.lang.vectors import vec3b as vec3b
from heapscene.shader.lang.vectors import vec3i as vec3i
from heapscene.shader.lang.vectors import vec3u as vec3u
from heapscene.shader.lang.vectors import vec4 as vec4
from heapscene.shader.lang.vectors import vec4b as vec4b
from heapscene.shader.lang.vectors import vec4i as vec4i
from heapscene.shader.lang.vectors import vec4u as vec4u
