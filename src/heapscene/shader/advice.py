"""What to write for a name that the shader language does not have.

People come from NumPy, WGSL, GLSL and HLSL; their names are told ours. What WGSL has and this
language has not is named with its reason.
"""

from __future__ import annotations

import difflib
import re
from types import ModuleType

__all__ = ["advice", "known_elsewhere"]

# Ours, by the names that NumPy, Python's math, GLSL and HLSL have.
_ELSEWHERE = {
    "absolute": "abs(x)",
    "arccos": "acos(x)",
    "arccosh": "acosh(x)",
    "arcsin": "asin(x)",
    "arcsinh": "asinh(x)",
    "arctan": "atan(x)",
    "arctan2": "atan2(y, x)",
    "arctanh": "atanh(x)",
    "around": "round(x)",
    "array": "vec3(x, y, z), or declare storage(...) in the module",
    "asfloat": "bitcast_f32(x)",
    "asint": "bitcast_i32(x)",
    "astype": "f32(x)",
    "asuint": "bitcast_u32(x)",
    "barrier": "workgroup_barrier()",
    "bitCount": "count_one_bits(x)",
    "bitcast": "bitcast_f32(x), bitcast_i32(x) or bitcast_u32(x)",
    "bitwise_count": "count_one_bits(x)",
    "bool_": "bool(x)",
    "clip": "clamp(x, low, high)",
    "concatenate": "vec4(v.xyz, w)",
    "copysign": "abs(x) * sign(y)",
    "countbits": "count_one_bits(x)",
    "dFdx": "dpdx(x)",
    "dFdy": "dpdy(x)",
    "ddx": "dpdx(x)",
    "ddy": "dpdy(x)",
    "deg2rad": "radians(x)",
    "divmod": "x // y and x % y",
    "einsum": "@ between matrices and vectors",
    "fabs": "abs(x)",
    "findLSB": "first_trailing_bit(x)",
    "findMSB": "first_leading_bit(x)",
    "firstbithigh": "first_leading_bit(x)",
    "firstbitlow": "first_trailing_bit(x)",
    "float16": "quantize_to_f16(x)",
    "float32": "f32(x)",
    "floatBitsToInt": "bitcast_i32(x)",
    "floatBitsToUint": "bitcast_u32(x)",
    "floor_divide": "x // y on u32, or floor(x / y)",
    "fmax": "max(x, y)",
    "fmin": "min(x, y)",
    "fmod": "x % y",
    "frac": "fract(x)",
    "full": "vec3(x)",
    "gl_FragCoord": "p: vec4 = builtin.frag_coord as a parameter",
    "gl_InstanceID": "i: u32 = builtin.instance_index as a parameter",
    "gl_Position": "clip: vec4 = builtin.position in the varyings",
    "gl_VertexID": "i: u32 = builtin.vertex_index as a parameter",
    "hypot": "length(vec2(x, y))",
    "imageLoad": "texture_load(t, at)",
    "imageStore": "texture_store(t, at, value)",
    "inner": "dot(a, b)",
    "int32": "i32(x)",
    "intBitsToFloat": "bitcast_f32(x)",
    "inversesqrt": "inverse_sqrt(x)",
    "isclose": "abs(x - y) <= 1.0e-5",
    "lerp": "mix(a, b, t)",
    "linspace": "mix(a, b, f32(k) / f32(n - 1))",
    "log10": "log2(x) * 0.30103",
    "log1p": "log(1.0 + x)",
    "logical_and": "a and b, or a & b for vectors",
    "logical_not": "not a, or ~a for vectors",
    "logical_or": "a or b, or a | b for vectors",
    "mad": "fma(a, b, c)",
    "matmul": "a @ b",
    "matrix": "mat4.from_rows(...)",
    "maximum": "max(x, y)",
    "minimum": "min(x, y)",
    "mod": "x % y, or x - y * floor(x / y)",
    "mul": "a @ b",
    "multiply": "x * y",
    "norm": "length(v)",
    "not_": "not a",
    "outer": "mat3(a * b.x, a * b.y, a * b.z)",
    "outerProduct": "mat3(a * b.x, a * b.y, a * b.z)",
    "power": "pow(x, y)",
    "prod": "v.x * v.y * v.z",
    "rad2deg": "degrees(x)",
    "rcp": "1.0 / x",
    "reciprocal": "1.0 / x",
    "reversebits": "reverse_bits(x)",
    "rint": "round(x)",
    "rsqrt": "inverse_sqrt(x)",
    "sincos": "sin(x) and cos(x)",
    "square": "x * x",
    "sum": "dot(v, vec3(1.0)), or v.x + v.y + v.z",
    "tex2D": "texture_sample(t, sampler, uv)",
    "texelFetch": "texture_load(t, at, level)",
    "texture": "texture_sample(t, sampler, uv)",
    "texture2D": "texture_sample(t, sampler, uv)",
    "textureLod": "texture_sample_level(t, sampler, uv, level)",
    "textureSize": "texture_dimensions(t)",
    "uint32": "u32(x)",
    "uintBitsToFloat": "bitcast_f32(x)",
    "vdot": "dot(a, b)",
    "where": "select(otherwise, value, condition)",
    "zeros": "vec3(0.0)",
}

# What WGSL, Python or NumPy has and this language has not, by the beginning of the name.
_ABSENT = (
    (
        r"subgroup|quad_?(broadcast|swap)",
        "Not every device has subgroups: exchange values through workgroup(...) memory.",
    ),
    (
        r"f16$|half[234]?$|float16_t|vec[234]h$|mat\dx\dh$",
        "Not every device has 16-bit floats: compute in f32, keep halves by pack2x16float(v).",
    ),
    (
        r"(f|float|i|int|u|uint|d?vec[234]?|d?mat[234]?)64$|double|longlong$|dvec|dmat",
        "WGSL has 32 bits: write f32, i32 or u32, and split a number in two if it needs more.",
    ),
    (r"u?int(8|16)$|byte|short$", "Write u32, and pack4xu8(v) for bytes or pack2x16unorm(v)."),
    (r"complex", "Write vec2(real, imaginary)."),
    (
        r"texture_?external",
        "Videos belong to browsers: copy the frame into a texture_2d.",
    ),
    (
        r"inv(erse)?$|solve$|pinv$",
        "WGSL has no inverse: pass it as an input, from NumPy; of a rotation it is transpose(m).",
    ),
    (
        r"is_?(nan|inf|finite)",
        "A GPU may compute as if there were no NaN and no infinity: test the operands before.",
    ),
    (r"rand|noise", "Write a hash of the position with u32, or pass random numbers as an input."),
    (
        r"(ray|intersection|mesh)_?(query|trace|tracing)|override$|push_?constant",
        "It is no part of WebGPU as every device has it.",
    ),
    (r"ptr$|pointer|addressof", "There are no pointers: pass values, return a @struct."),
)

_DEFINE = "Define it in the module or in an enclosing function, or import it."


def known_elsewhere(name: str) -> str | None:
    """Return what to write for a name of another language, or ``None`` if it is not known."""
    if name in _ELSEWHERE:
        return f"Write {_ELSEWHERE[name]}, from heapscene.shader."
    ours = _our_names()
    spelling = _ours_for(name, ours)
    if spelling is not None:
        if spelling == name:
            return f"Write  from heapscene.shader import {name}  at the top of the module."
        return f"Write {spelling}, from heapscene.shader."
    for pattern, what in _ABSENT:
        if re.match(pattern, name, re.IGNORECASE):
            return what
    return None


def advice(name: str, otherwise: str = _DEFINE) -> str:
    """Return what to do about an unknown name."""
    known = known_elsewhere(name)
    if known is not None:
        return known
    similar = difflib.get_close_matches(name, _our_names(), n=1, cutoff=0.8)
    if similar and len(name) > 3:
        return f"Did you mean {similar[0]}, from heapscene.shader?"
    return otherwise


def _our_names() -> set[str]:
    import heapscene.shader as language

    return {
        name
        for name, value in vars(language).items()
        if name[:1].islower() and not isinstance(value, ModuleType) and name != "import_module"
    }


def _ours_for(name: str, ours: set[str]) -> str | None:
    """Return our spelling of a name that WGSL, GLSL or HLSL writes in another way."""
    if name in ours:
        return name
    from heapscene.shader.operations import INTRINSICS

    by_wgsl = {operation.wgsl: operation.name for operation in INTRINSICS.values()}
    if name in by_wgsl:
        return by_wgsl[name]
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    for made in (snake, snake.replace("_weak", ""), name.lower()):
        if made in ours:
            return made
    shape = re.fullmatch(r"(i|u|b)?(vec|float|int|uint|bool)([234])(f|i|u)?", name)
    if shape is not None:
        before, kind, size, after = shape.groups()
        letter = before or after or {"int": "i", "uint": "u", "bool": "b"}.get(kind, "")
        return f"vec{size}{letter.replace('f', '')}"
    matrix = re.fullmatch(r"(?:mat|float)([234])(?:x([234]))?f?", name)
    if matrix is not None:
        columns, rows = matrix[1], matrix[2] or matrix[1]
        if name.startswith("float"):  # HLSL counts rows first
            columns, rows = rows, columns
        return f"mat{columns}" if columns == rows else f"mat{columns}x{rows}"
    return None
