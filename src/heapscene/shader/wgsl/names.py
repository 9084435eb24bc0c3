"""Names that WGSL accepts: reserved words are avoided, every name is given once."""

from __future__ import annotations

import re

from heapscene.shader.operations import INTRINSICS

__all__ = ["RESERVED", "Names", "safe"]

_KEYWORDS = """
alias break case const const_assert continue continuing default diagnostic discard else enable
false fn for if let loop override requires return struct switch true var while array atomic bool
f16 f32 i32 i64 u32 u64 f64 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 ptr
sampler sampler_comparison vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u
mat2x2f mat3x3f mat4x4f binding_array acceleration_structure ray_query texture_1d texture_2d
texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d
texture_external texture_depth_2d texture_depth_2d_array texture_depth_cube texture_storage_1d
texture_storage_2d texture_storage_3d bitcast select all any modf frexp arrayLength
"""
_RESERVED = """
NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become
bf16 cast catch class co_await co_return co_yield coherent column_major common compile
compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete
demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough
filter final finally friend from fxgroup get goto groupshared highp impl implements import inline
instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable
namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null
nullptr of operator package packoffset partition pass patch pixelfragment precise precision
premerge priv protected pub public readonly ref regardless register reinterpret_cast require
resource restrict self set shared sizeof smooth snorm static static_assert static_cast std
subroutine super target template this thread_local throw trait try type typedef typeid typename
typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with
writeonly yield
"""

RESERVED = frozenset(
    [
        *_KEYWORDS.split(),
        *_RESERVED.split(),
        *(op.wgsl.partition(".")[0] for op in INTRINSICS.values()),
    ]
)


def safe(name: str) -> str:
    """Return an identifier that WGSL accepts, as close to ``name`` as possible.

    Characters outside of ASCII become their code, since tools disagree about them; no name begins
    with two underscores or is a single one.
    """
    plain = re.sub(r"[^A-Za-z0-9_]", lambda match: f"u{ord(match[0]):x}", name)
    if plain.startswith("_"):
        plain = "p" + plain
    if not plain or plain[0].isdigit():
        plain = "n" + plain
    return plain + "_" if plain in RESERVED else plain


class Names:
    """Gives every name once within a scope and those around it."""

    def __init__(self, parent: Names | None = None) -> None:
        self._taken: set[str] = set()
        self._parent = parent

    def _is_taken(self, name: str) -> bool:
        scope: Names | None = self
        while scope is not None:
            if name in scope._taken:
                return True
            scope = scope._parent
        return False

    def give(self, wanted: str) -> str:
        """Return ``wanted``, or the first of ``wanted_1``, ``wanted_2``, … that is free."""
        name = base = safe(wanted)
        count = 0
        while self._is_taken(name):
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name
