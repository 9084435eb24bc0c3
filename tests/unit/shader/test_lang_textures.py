"""Textures in CPython and in the compiler: what they need, what they refuse, what they emit."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import InputError, ShaderError, ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    builtin,
    sampler,
    sampler_comparison,
    storage,
    struct,
    texture_2d,
    texture_2d_array,
    texture_cube,
    texture_depth_2d,
    texture_dimensions,
    texture_gather,
    texture_load,
    texture_multisampled_2d,
    texture_num_samples,
    texture_sample,
    texture_sample_level,
    texture_storage_2d,
    texture_store,
    vec2,
    vec2u,
    vec3,
    vec4,
    vec4u,
)

albedo = texture_2d("albedo", binding=0)
ids = texture_2d("ids", vec4u, binding=1)
layers = texture_2d_array("layers", binding=2)
sky = texture_cube("sky", binding=3)
depth = texture_depth_2d("depth", binding=4)
samples = texture_multisampled_2d("samples", binding=5)
picture = texture_storage_2d("picture", "rgba8unorm", binding=6)
linear = sampler("linear", binding=7)
nearest = sampler("nearest", binding=8, filter="nearest", mipmap_filter="nearest")
shadow = sampler_comparison("shadow", binding=9)
out = storage("out", vec4, binding=10, access="read_write")


def test_a_texture_has_texels_while_it_is_bound():
    with pytest.raises(InputError, match=r"albedo\.bound_to"):
        texture_sample(albedo, linear, vec2(0.5))
    texels = np.zeros((2, 2, 4), np.float32)
    texels[:, 1] = 1.0
    with albedo.bound_to(texels):
        assert texture_sample(albedo, linear, vec2(0.5)).x == 0.5
        assert texture_sample(albedo, nearest, vec2(0.75)).x == 1.0
        assert tuple(texture_dimensions(albedo)) == (2, 2)
        assert type(texture_load(albedo, vec2u(1, 0), 0)) is vec4
        with pytest.raises(IndexError, match="does not exist"):
            texture_load(albedo, vec2u(2, 0), 0)
        with pytest.raises(IndexError, match="no level 1"):
            texture_load(albedo, vec2u(0, 0), 1)
    with albedo.bound_to(texels, texels[:1, :1]):
        with pytest.raises(ShaderError, match="texture_sample_level"):
            texture_sample(albedo, linear, vec2(0.5))
        assert texture_sample_level(albedo, linear, vec2(0.75, 0.5), 0.5).x == 0.5
    with ids.bound_to(np.full((1, 1, 4), 7, np.uint32)):
        assert type(texture_load(ids, vec2u(0), 0)) is vec4u
    with samples.bound_to(np.zeros((2, 2, 4, 4), np.float32)):
        assert texture_num_samples(samples) == 4
        assert texture_load(samples, vec2u(1), 3).x == 0.0


@pytest.mark.parametrize(
    ("texture", "levels"),
    [
        (albedo, [np.zeros((2, 2), np.float32)]),
        (albedo, [np.zeros((2, 2, 3), np.float32)]),
        (albedo, [np.zeros((2, 2, 4))]),
        (ids, [np.zeros((2, 2, 4), np.float32)]),
        (sky, [np.zeros((5, 2, 2, 4), np.float32)]),
        (depth, [np.zeros((2, 2, 4), np.float32)]),
        (picture, [np.zeros((2, 2, 4), np.float32)] * 2),
        (albedo, []),
    ],
)
def test_other_arrays_are_refused(texture, levels):
    with pytest.raises(InputError), texture.bound_to(*levels):
        pass


def test_what_cpython_cannot_do_says_so():
    with sky.bound_to(np.zeros((6, 2, 2, 4), np.float32)):
        assert texture_sample(sky, nearest, vec3(1.0, 0.0, 0.0)).x == 0.0
        with pytest.raises(ShaderError, match="edges of a cube"):
            texture_sample(sky, linear, vec3(1.0, 0.0, 0.0))
        with pytest.raises(ShaderError, match="edges of a cube"):
            texture_gather(sky, linear, vec3(1.0, 0.0, 0.0), 0)


def test_declarations_are_checked():
    for declare in (
        lambda: texture_2d("a b", binding=0),
        lambda: texture_2d("a", vec3, binding=0),  # pyright: ignore[reportArgumentType]
        lambda: texture_storage_2d("a", "rgb8", binding=0),  # pyright: ignore[reportArgumentType]
        lambda: texture_storage_2d("a", "rgba8unorm", binding=0, access="read_write"),
    ):
        with pytest.raises(ShaderTypeError):
            declare()


REFUSED = {
    "x = albedo": "'albedo' is a texture, not a value",
    "x = linear": "'linear' is a sampler, not a value",
    "x = texture_sample_level(out, linear, vec2(0.5), 0.0)": "works on a texture",
    "x = texture_sample_level(albedo, shadow, vec2(0.5), 0.0)": "is not defined for",
    "x = texture_sample_level(albedo, linear, vec3(0.5), 0.0)": "is not defined for",
    "x = texture_sample_level(ids, linear, vec2(0.5), 0.0)": "is not defined for",
    "x = texture_gather(albedo, linear, vec2(0.5), n)": "constant from 0 to 3",
    "x = texture_gather(albedo, linear, vec2(0.5), 4)": "constant from 0 to 3",
    "x = texture_gather(albedo, linear, vec2(0.5), n, vec2i(1))": "constant from 0 to 3",
    "x = texture_sample_level(albedo, linear, vec2(0.5), 0.0, vec2i(n))": "constant from -8 to 7",
    "x = texture_sample_level(albedo, linear, vec2(0.5), 0.0, vec2i(8))": "constant from -8 to 7",
    "x = texture_sample_level(albedo, linear, vec2(0.5), 0.0, vec2(1.0))": "is not defined for",
    "x = texture_sample_level(sky, linear, vec3(0.5), 0.0, vec3i(1))": "is not defined for",
    "x = texture_sample(albedo, linear, vec2(0.5))": "texture_sample is for fragment functions",
    "x = texture_load(picture, vec2u(1))": "needs access 'read'",
    "x = texture_store(picture, vec2u(1), vec4(0.0))": "gives no value",
    "texture_store(picture, vec2u(1), vec4u(0))": "is not defined for",
    "texture_store(albedo, vec2u(1), vec4(0))": "is not defined for",
}


@pytest.mark.parametrize("line", REFUSED)
def test_wrong_uses_are_refused(line):
    text = f"@compute(workgroup_size=1, source=TEXT)\ndef run() -> None:\n    n = 1\n    {line}\n"
    scope = {**vars(sh), **globals(), "TEXT": text}
    exec(text, scope)
    with pytest.raises(ShaderError, match=REFUSED[line]):
        _ = scope["run"].ir


def test_the_text():
    step = sh.vec2i(-1)

    @sh.compute(workgroup_size=1)
    def run(gid: sh.vec3u = builtin.global_invocation_id) -> None:
        uv = vec2(gid.xy) / vec2(texture_dimensions(albedo))
        texture_store(picture, gid.xy, texture_sample_level(layers, linear, uv, gid.z, 0))
        texel = texture_gather(albedo, linear, uv, 2) + texture_load(albedo, gid.xy, 0)
        texel = texel + texture_gather(albedo, linear, uv, 1, sh.vec2i(1, -2))
        texel = texel + texture_sample_level(layers, linear, uv, 1, 0.0, step)
        out[0] = texel * sh.texture_sample_compare_level(depth, shadow, uv, 0.5)

    program = ComputeProgram(run)
    text = program.wgsl
    assert "@group(0) @binding(6) var picture: texture_storage_2d<rgba8unorm, write>;" in text
    assert "textureSampleLevel(layers, linear, uv, gid.z, 0.0f)" in text
    assert "textureGather(2i, albedo, linear, uv)" in text
    assert "textureGather(1i, albedo, linear, uv, vec2<i32>(1i, -2i))" in text
    assert "textureSampleLevel(layers, linear, uv, 1i, 0.0f, vec2<i32>(-1i, -1i))" in text
    kinds = {b.name: b.kind for b in program.bindings}
    assert kinds["albedo"] == "texture"
    assert kinds["picture"] == "storage-texture"
    assert kinds["linear"] == kinds["shadow"] == "sampler"


def test_a_fragment_function_samples():
    @struct
    class Varyings:
        uv: vec2

    @sh.fragment
    def shade(v: Varyings) -> vec4:
        return texture_sample(albedo, linear, v.uv)

    _ = shade.ir
    with albedo.bound_to(np.ones((1, 1, 4), np.float32)):
        assert tuple(shade(Varyings(uv=vec2(0.3)))) == (1, 1, 1, 1)
        assert tuple(texture_sample(albedo, linear, vec2(0.3), sh.vec2i(1))) == (1, 1, 1, 1)
        with pytest.raises(ShaderTypeError, match="constant from -8 to 7"):
            texture_sample(albedo, linear, vec2(0.3), sh.vec2i(1, 9))
    texture = np.zeros((1, 1, 4), np.float32)
    with picture.bound_to(texture):
        texture_store(picture, vec2u(0), vec4(0.5, 2.0, -1.0, 1.0))
    assert np.allclose(texture[0, 0], [128 / 255, 1, 0, 1])
