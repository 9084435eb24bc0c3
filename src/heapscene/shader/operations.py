"""One table of operators and intrinsics: name, typing rule, WGSL spelling, stages.

It drives the types (:mod:`heapscene.shader.ir.build`), the text (:mod:`heapscene.shader.wgsl`), the
checks of stages, and the tests that compare CPython with the GPU. What the rules mean is said in
:mod:`heapscene.shader.rules`.
"""

from __future__ import annotations

from heapscene.shader.resource_operations import ATOMICS, TEXTURES
from heapscene.shader.rules import (
    EXCHANGES,
    KINDS,
    NAMES,
    RESOURCE_NAMES,
    Operation,
    is_flat,
    scalar_of,
    shaped,
    spelled,
)
from heapscene.shader.types import BOOL, F32, U32, Matrix, Type, Vector

__all__ = [
    "BINARY",
    "EXCHANGES",
    "INTRINSICS",
    "NAMES",
    "PARTS",
    "RESOURCE_NAMES",
    "Operation",
    "binary_type",
    "scalar_of",
    "spelled",
]


def _table(*groups: tuple[str, tuple[str, ...]]) -> dict[str, Operation]:
    table: dict[str, Operation] = {}
    for names, rules in groups:
        for entry in names.split():
            name, _, wgsl = entry.partition("=")
            table[name] = Operation(name, rules, wgsl or name)
    return table


INTRINSICS: dict[str, Operation] = _table(
    ("abs", ("N -> N",)),
    ("sign", ("F -> F", "i32 -> i32", "vec2i -> vec2i", "vec3i -> vec3i", "vec4i -> vec4i")),
    ("min max", ("N N -> N",)),
    ("clamp", ("N N N -> N",)),
    ("mix", ("F F F -> F", "F F f32 -> F")),
    ("step", ("F F -> F",)),
    ("smoothstep", ("F F F -> F",)),
    ("floor ceil round trunc fract sqrt inverse_sqrt=inverseSqrt", ("F -> F",)),
    ("exp exp2 log log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", ("F -> F",)),
    ("radians degrees saturate", ("F -> F",)),
    ("pow atan2", ("F F -> F",)),
    ("dot", ("W W -> W.scalar",)),
    ("cross", ("vec3 vec3 -> vec3",)),
    ("length", ("F -> f32",)),
    ("distance", ("F F -> f32",)),
    ("normalize", ("V -> V",)),
    ("reflect", ("V V -> V",)),
    ("refract", ("V V f32 -> V",)),
    ("faceforward=faceForward", ("V V V -> V",)),
    ("transpose", ("M -> M.transposed",)),
    ("determinant", ("mat2 -> f32", "mat3 -> f32", "mat4 -> f32")),
    ("select", ("U U bool -> U", "U U mask(U) -> U")),
    ("any all", ("B -> bool",)),
    ("fma", ("F F F -> F",)),
    ("ldexp", ("f32 i32 -> f32", "vec2 vec2i -> vec2", "vec3 vec3i -> vec3", "vec4 vec4i -> vec4")),
    ("modf.fract modf.whole frexp.fract", ("F -> F",)),
    ("frexp.exp", ("f32 -> i32", "vec2 -> vec2i", "vec3 -> vec3i", "vec4 -> vec4i")),
    (
        (
            "count_one_bits=countOneBits count_leading_zeros=countLeadingZeros "
            "count_trailing_zeros=countTrailingZeros reverse_bits=reverseBits "
            "first_leading_bit=firstLeadingBit first_trailing_bit=firstTrailingBit"
        ),
        ("I -> I",),
    ),
    ("extract_bits=extractBits", ("I u32 u32 -> I",)),
    ("insert_bits=insertBits", ("I I u32 u32 -> I",)),
    ("quantize_to_f16=quantizeToF16", ("F -> F",)),
    ("pack4x8unorm pack4x8snorm", ("vec4 -> u32",)),
    ("unpack4x8unorm unpack4x8snorm", ("u32 -> vec4",)),
    ("pack2x16float pack2x16unorm pack2x16snorm", ("vec2 -> u32",)),
    ("unpack2x16float unpack2x16unorm unpack2x16snorm", ("u32 -> vec2",)),
    ("pack4xi8=pack4xI8 pack4xi8_clamp=pack4xI8Clamp", ("vec4i -> u32",)),
    ("pack4xu8=pack4xU8 pack4xu8_clamp=pack4xU8Clamp", ("vec4u -> u32",)),
    ("unpack4xi8=unpack4xI8", ("u32 -> vec4i",)),
    ("unpack4xu8=unpack4xU8", ("u32 -> vec4u",)),
    ("dot4u8_packed=dot4U8Packed", ("u32 u32 -> u32",)),
    ("dot4i8_packed=dot4I8Packed", ("u32 u32 -> i32",)),
)
for _name in [
    f"{name}{kind}" for kind in ("", "_fine", "_coarse") for name in ("dpdx", "dpdy", "fwidth")
]:
    _wgsl = _name.replace("_f", "F").replace("_c", "C")
    INTRINSICS[_name] = Operation(
        _name, ("F -> F",), _wgsl, ("fragment",), family="derivative", uniform=True
    )
INTRINSICS["array_length"] = Operation(
    "array_length", (), "arrayLength", family="array", place=True
)
for _name, _wgsl in (
    ("workgroup_barrier", "workgroupBarrier"),
    ("storage_barrier", "storageBarrier"),
    ("texture_barrier", "textureBarrier"),
):
    INTRINSICS[_name] = Operation(
        _name, (" -> void",), _wgsl, ("compute",), effect=True, family="barrier", uniform=True
    )
INTRINSICS["workgroup_uniform_load"] = Operation(
    "workgroup_uniform_load",
    (),
    "workgroupUniformLoad",
    ("compute",),
    effect=True,
    family="barrier",
    place=True,
    reads=True,
    uniform=True,
)
INTRINSICS.update({**ATOMICS, **TEXTURES})

PARTS: dict[str, tuple[str, ...]] = {
    function: tuple(name for name in INTRINSICS if name.startswith(f"{function}."))
    for function in ("modf", "frexp")
}
"""Functions that give several values at once: one operation for each, in order."""


BINARY: dict[str, str] = {
    **{op: op for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")},
    **{op: op for op in ("==", "!=", "<", "<=", ">", ">=")},
    "@": "*",
    "and": "&&",
    "or": "||",
}
"""WGSL spelling of each operator of the IR. ``/`` and ``%`` truncate on integers."""


def _arithmetic_type(op: str, left: Type, right: Type) -> Type | None:
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        if op in "+-" and left == right:
            return left
        if op == "*" and F32 in (left, right):
            return left if isinstance(left, Matrix) else right
        return None
    if not (KINDS["N"](left) and KINDS["N"](right)):
        return None
    if left == right:
        return left
    if isinstance(left, Vector) and right == left.scalar:
        return left
    if isinstance(right, Vector) and left == right.scalar:
        return right
    return None


def _product_type(left: Type, right: Type) -> Type | None:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return Matrix(right.columns, left.rows) if left.columns == right.rows else None
    if isinstance(left, Matrix):
        return Vector(F32, left.rows) if right == Vector(F32, left.columns) else None
    if isinstance(right, Matrix):
        return Vector(F32, right.columns) if left == Vector(F32, right.rows) else None
    return None


def binary_type(op: str, left: Type, right: Type) -> Type | None:
    """Return the type of ``left op right``, or ``None`` if the operator is not defined."""
    if op in ("+", "-", "*", "/", "%"):
        return _arithmetic_type(op, left, right)
    if op == "@":
        return _product_type(left, right)
    if op in ("and", "or"):
        return BOOL if left == right == BOOL else None
    if op in ("<<", ">>"):
        return left if KINDS["I"](left) and right == shaped(left, U32) else None
    if op in ("&", "|", "^"):
        fits = KINDS["I"](left) or (KINDS["B"](left) and op != "^")
        return left if fits and left == right else None
    if op in ("==", "!="):
        return shaped(left, BOOL) if is_flat(left) and left == right else None
    return shaped(left, BOOL) if KINDS["N"](left) and left == right else None
