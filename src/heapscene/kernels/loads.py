"""Loads of every type from the words of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heapscene.shader import (
    F32,
    I32,
    MAT2,
    MAT3,
    MAT4,
    U32,
    VEC2,
    VEC3,
    VEC4,
    ArrayType,
    Matrix,
    Type,
    Vector,
    bitcast_f32,
    bitcast_i32,
    f32,
    function,
    i32,
    ir,
    mat2,
    mat2x3,
    mat2x4,
    mat3,
    mat3x2,
    mat3x4,
    mat4,
    mat4x2,
    mat4x3,
    storage,
    u32,
    vec2,
    vec2i,
    vec2u,
    vec3,
    vec3i,
    vec3u,
    vec4,
    vec4i,
    vec4u,
)

__all__ = ["HEADERS", "LOADERS", "PAGE", "page"]

page = storage("page", u32, binding=1)
PAGE = ir.Resource("page", ArrayType(U32), binding=1)
HEADERS = ir.Resource("headers", ArrayType(U32), binding=2)


@function
def load_f32(at: u32) -> f32:
    return bitcast_f32(page[at])


@function
def load_i32(at: u32) -> i32:
    return bitcast_i32(page[at])


@function
def load_u32(at: u32) -> u32:
    return page[at]


@function
def load_vec2(at: u32) -> vec2:
    return vec2(bitcast_f32(page[at]), bitcast_f32(page[at + 1]))


@function
def load_vec3(at: u32) -> vec3:
    return vec3(bitcast_f32(page[at]), bitcast_f32(page[at + 1]), bitcast_f32(page[at + 2]))


@function
def load_vec4(at: u32) -> vec4:
    return vec4(
        bitcast_f32(page[at]),
        bitcast_f32(page[at + 1]),
        bitcast_f32(page[at + 2]),
        bitcast_f32(page[at + 3]),
    )


@function
def load_vec2i(at: u32) -> vec2i:
    return vec2i(bitcast_i32(page[at]), bitcast_i32(page[at + 1]))


@function
def load_vec3i(at: u32) -> vec3i:
    return vec3i(bitcast_i32(page[at]), bitcast_i32(page[at + 1]), bitcast_i32(page[at + 2]))


@function
def load_vec4i(at: u32) -> vec4i:
    return vec4i(
        bitcast_i32(page[at]),
        bitcast_i32(page[at + 1]),
        bitcast_i32(page[at + 2]),
        bitcast_i32(page[at + 3]),
    )


@function
def load_vec2u(at: u32) -> vec2u:
    return vec2u(page[at], page[at + 1])


@function
def load_vec3u(at: u32) -> vec3u:
    return vec3u(page[at], page[at + 1], page[at + 2])


@function
def load_vec4u(at: u32) -> vec4u:
    return vec4u(page[at], page[at + 1], page[at + 2], page[at + 3])


# Pages hold matrices row by row, and constructors take columns: this is the one transposition.
@function
def load_mat2(at: u32) -> mat2:
    r0 = load_vec2(at)
    r1 = load_vec2(at + 2)
    return mat2(vec2(r0.x, r1.x), vec2(r0.y, r1.y))


@function
def load_mat3(at: u32) -> mat3:
    r0 = load_vec3(at)
    r1 = load_vec3(at + 3)
    r2 = load_vec3(at + 6)
    return mat3(vec3(r0.x, r1.x, r2.x), vec3(r0.y, r1.y, r2.y), vec3(r0.z, r1.z, r2.z))


@function
def load_mat4(at: u32) -> mat4:
    r0 = load_vec4(at)
    r1 = load_vec4(at + 4)
    r2 = load_vec4(at + 8)
    r3 = load_vec4(at + 12)
    return mat4(
        vec4(r0.x, r1.x, r2.x, r3.x),
        vec4(r0.y, r1.y, r2.y, r3.y),
        vec4(r0.z, r1.z, r2.z, r3.z),
        vec4(r0.w, r1.w, r2.w, r3.w),
    )


@function
def load_mat2x3(at: u32) -> mat2x3:
    r0 = load_vec2(at)
    r1 = load_vec2(at + 2)
    r2 = load_vec2(at + 4)
    return mat2x3(vec3(r0.x, r1.x, r2.x), vec3(r0.y, r1.y, r2.y))


@function
def load_mat2x4(at: u32) -> mat2x4:
    r0 = load_vec2(at)
    r1 = load_vec2(at + 2)
    r2 = load_vec2(at + 4)
    r3 = load_vec2(at + 6)
    return mat2x4(vec4(r0.x, r1.x, r2.x, r3.x), vec4(r0.y, r1.y, r2.y, r3.y))


@function
def load_mat3x2(at: u32) -> mat3x2:
    r0 = load_vec3(at)
    r1 = load_vec3(at + 3)
    return mat3x2(vec2(r0.x, r1.x), vec2(r0.y, r1.y), vec2(r0.z, r1.z))


@function
def load_mat3x4(at: u32) -> mat3x4:
    r0 = load_vec3(at)
    r1 = load_vec3(at + 3)
    r2 = load_vec3(at + 6)
    r3 = load_vec3(at + 9)
    return mat3x4(
        vec4(r0.x, r1.x, r2.x, r3.x), vec4(r0.y, r1.y, r2.y, r3.y), vec4(r0.z, r1.z, r2.z, r3.z)
    )


@function
def load_mat4x2(at: u32) -> mat4x2:
    r0 = load_vec4(at)
    r1 = load_vec4(at + 4)
    return mat4x2(vec2(r0.x, r1.x), vec2(r0.y, r1.y), vec2(r0.z, r1.z), vec2(r0.w, r1.w))


@function
def load_mat4x3(at: u32) -> mat4x3:
    r0 = load_vec4(at)
    r1 = load_vec4(at + 4)
    r2 = load_vec4(at + 8)
    return mat4x3(
        vec3(r0.x, r1.x, r2.x),
        vec3(r0.y, r1.y, r2.y),
        vec3(r0.z, r1.z, r2.z),
        vec3(r0.w, r1.w, r2.w),
    )


LOADERS: Mapping[Type, Any] = {
    F32: load_f32,
    I32: load_i32,
    U32: load_u32,
    VEC2: load_vec2,
    VEC3: load_vec3,
    VEC4: load_vec4,
    Vector(I32, 2): load_vec2i,
    Vector(I32, 3): load_vec3i,
    Vector(I32, 4): load_vec4i,
    Vector(U32, 2): load_vec2u,
    Vector(U32, 3): load_vec3u,
    Vector(U32, 4): load_vec4u,
    MAT2: load_mat2,
    MAT3: load_mat3,
    MAT4: load_mat4,
    Matrix(2, 3): load_mat2x3,
    Matrix(2, 4): load_mat2x4,
    Matrix(3, 2): load_mat3x2,
    Matrix(3, 4): load_mat3x4,
    Matrix(4, 2): load_mat4x2,
    Matrix(4, 3): load_mat4x3,
}
"""The load function of each type that an attribute or input may have; bool is a word unlike 0."""
