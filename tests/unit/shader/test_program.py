"""Programs: linking, interface, the direct form, what is read."""

# Shader functions use names of WGSL, and wrong ones are the subject.
from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import (
    Interface,
    Program,
    ProgramLike,
    builtin,
    discard,
    dot,
    dpdx,
    f32,
    flat,
    fragment,
    function,
    inputs_struct,
    layout_of,
    mat4,
    max,
    normalize,
    struct,
    u32,
    vec2,
    vec3,
    vec4,
    vertex,
)
from heapscene.shader.direct import direct_module
from heapscene.shader.ir import verify_module
from heapscene.shader.types import BOOL, MAT4, U32, VEC2, VEC3, VEC4


@struct
class Attributes:
    position: vec3
    normal: vec3
    uv: vec2 = vec2(0.0)


@struct
class Inputs:
    model: mat4
    view_proj: mat4
    color: vec4 = vec4(1.0)
    flag: bool = False


@struct
class Varyings:
    normal: vec3
    clip: vec4 = builtin.position
    unused: f32
    tint: vec4 = flat
    kind: u32


@struct
class Light:
    direction: vec3
    color: vec4


@function
def lambert(v: Varyings, direction: vec3) -> f32:
    return max(dot(normalize(v.normal), direction), 0.0)


@vertex
def place(a: Attributes, u: Inputs, number: u32 = builtin.vertex_index) -> Varyings:
    p = u.view_proj @ u.model @ vec4(a.position, 1.0)
    return Varyings(clip=p, normal=a.normal, unused=1.0, tint=u.color, kind=number)


@fragment
def shade(v: Varyings, u: Light, front: bool = builtin.front_facing) -> vec4:
    k = lambert(v, u.direction)
    if v.kind > 1000:
        discard()
    return v.tint * k if front else v.tint + dpdx(k)


GOLDEN = """\
struct DirectInputs {
    color: vec4<f32>,
    direction: vec3<f32>,
    flag: u32,
    model: mat4x4<f32>,
    view_proj: mat4x4<f32>,
}

struct Attributes {
    position: vec3<f32>,
    normal: vec3<f32>,
    uv: vec2<f32>,
}

struct Inputs {
    model: mat4x4<f32>,
    view_proj: mat4x4<f32>,
    color: vec4<f32>,
    flag: bool,
}

struct Varyings {
    normal: vec3<f32>,
    clip: vec4<f32>,
    unused: f32,
    tint: vec4<f32>,
    kind: u32,
}

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) @interpolate(flat) tint: vec4<f32>,
    @location(2) @interpolate(flat) kind: u32,
}

struct Light {
    direction: vec3<f32>,
    color: vec4<f32>,
}

struct FragmentOut {
    @location(0) color: vec4<f32>,
}

@group(0) @binding(0) var<uniform> direct_inputs: DirectInputs;

fn place(a: Attributes, u: Inputs, number: u32) -> Varyings {
    let p = (u.view_proj * u.model) * vec4<f32>(a.position, 1.0f);
    return Varyings(a.normal, p, 1.0f, u.color, number);
}

fn lambert(v: Varyings, direction: vec3<f32>) -> f32 {
    return max(dot(normalize(v.normal), direction), 0.0f);
}

fn shade(v: Varyings, u: Light, front: bool) -> vec4<f32> {
    let k = lambert(v, u.direction);
    if (v.kind > 1000u) {
        discard;
    }
    return select(v.tint + dpdx(k), v.tint * k, front);
}

@vertex
fn vertex_main(@location(0) normal: vec3<f32>, @location(1) position: vec3<f32>, \
@builtin(vertex_index) number: u32) -> VertexOut {
    let result = place(Attributes(position, normal, vec2<f32>()), Inputs(direct_inputs.model, \
direct_inputs.view_proj, direct_inputs.color, false), number);
    return VertexOut(result.clip, result.normal, result.tint, result.kind);
}

@fragment
fn fragment_main(@location(0) normal: vec3<f32>, @location(1) @interpolate(flat) tint: vec4<f32>, \
@location(2) @interpolate(flat) kind: u32, @builtin(front_facing) front: bool) -> FragmentOut {
    return FragmentOut(shade(Varyings(normal, vec4<f32>(), 0.0f, tint, kind), \
Light(direct_inputs.direction, vec4<f32>()), front));
}
"""


def test_the_direct_form_word_for_word():
    assert Program(place, shade).wgsl == GOLDEN


def test_the_interface_joins_both_functions():
    program = Program(place, shade)
    assert isinstance(program, ProgramLike)
    face = program.interface
    assert isinstance(face, Interface)
    assert list(face.attributes.items()) == [("normal", VEC3), ("position", VEC3), ("uv", VEC2)]
    assert list(face.inputs.items()) == [
        ("color", VEC4),
        ("direction", VEC3),
        ("flag", BOOL),
        ("model", MAT4),
        ("view_proj", MAT4),
    ]
    assert face.varyings == {"normal": VEC3, "tint": VEC4, "kind": U32}
    assert face.outputs == {"color": VEC4}
    assert repr(face.attribute_defaults) == "{'uv': vec2(0.0, 0.0)}"
    assert set(face.input_defaults) == {"color", "flag"}


def test_only_what_is_read_is_loaded():
    program = Program(place, shade)
    read = {
        (stage.name, role): [field.name for field in stage.read(role)]
        for stage in (program.vertex_stage, program.fragment_stage)
        for role in ("attributes", "inputs", "varyings")
    }
    assert read == {
        ("place", "attributes"): ["position", "normal"],
        ("place", "inputs"): ["model", "view_proj", "color"],
        ("place", "varyings"): [],
        ("shade", "attributes"): [],
        ("shade", "inputs"): ["direction"],
        ("shade", "varyings"): ["normal", "tint", "kind"],
    }
    assert [(v.name, v.location) for v in program.varyings] == [
        ("normal", 0),
        ("tint", 1),
        ("kind", 2),
    ]


def test_the_direct_module_is_valid():
    verify_module(direct_module(Program(place, shade)))


def test_equal_content_is_the_same_program():
    first, second = Program(place, shade), Program(place, shade)
    assert first == second
    assert len({first, second}) == 1
    assert first != Program(place, plain)


@fragment
def plain() -> vec4:
    return vec4(1.0, 0.0, 0.0, 1.0)


@vertex
def no_inputs(a: Attributes) -> Varyings:
    p = vec4(a.position, 1.0)
    return Varyings(clip=p, normal=a.normal, unused=0.0, tint=p, kind=u32(0))


def test_without_inputs_there_is_no_uniform():
    program = Program(no_inputs, plain)
    assert inputs_struct(program) is None
    assert "uniform" not in program.wgsl
    assert program.interface.varyings == {}


@struct
class OtherNormal:
    normal: vec4


@struct
class MoreVaryings:
    glow: f32


@struct
class OtherModel:
    model: vec4


@fragment
def wrong_type(v: OtherNormal) -> vec4:
    return v.normal


@fragment
def missing(v: MoreVaryings) -> vec4:
    return vec4(v.glow)


@fragment
def reads_clip(v: Varyings) -> vec4:
    return v.clip


@fragment
def reads_model(v: Varyings, u: OtherModel) -> vec4:
    return u.model


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (wrong_type, ["'normal' is vec3 in one function and vec4 in the other", "place ("]),
        (missing, ["reads the varying 'glow'", "Add glow: f32 to Varyings."]),
        (reads_clip, ["reads 'clip', which is the clip position", "builtin.frag_coord"]),
        (reads_model, ["the input 'model' is mat4 in place and vec4 in reads_model"]),
        (place, ["'place' is no fragment function"]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_functions_that_do_not_fit(other, said):
    with pytest.raises(ShaderTypeError) as caught:
        Program(place, other)
    for text in said:
        assert text in str(caught.value)


@struct
class MatrixAttribute:
    frame: mat4


@vertex
def takes_matrix(a: MatrixAttribute) -> Varyings:
    p = a.frame @ vec4(1.0)
    return Varyings(clip=p, normal=p.xyz, unused=0.0, tint=p, kind=u32(0))


def test_a_matrix_cannot_be_an_attribute():
    with pytest.raises(
        ShaderTypeError, match="'frame' of MatrixAttribute cannot be among the attr"
    ):
        Program(takes_matrix, plain)


@struct
class Corner:
    position: vec2


@struct
class Painting:
    transform: mat4
    color: vec4
    inverted: bool


@struct
class Painted:
    clip: vec4 = builtin.position
    place: vec2


@struct
class Targets:
    first: vec4
    second: vec4


@vertex
def corner(a: Corner, u: Painting) -> Painted:
    return Painted(clip=u.transform @ vec4(a.position, 0.0, 1.0), place=a.position)


@fragment
def paint(v: Painted, u: Painting, at: vec4 = builtin.frag_coord) -> Targets:
    shown = vec4(1.0) - u.color if u.inverted else u.color
    return Targets(first=shown, second=vec4(v.place * 0.5 + 0.5, at.x / 8.0, 1.0))


@pytest.mark.gpu
def test_a_direct_draw_gives_the_right_pixels():
    wgpu = pytest.importorskip("wgpu")
    device = wgpu.gpu.request_adapter_sync(
        power_preference="high-performance"
    ).request_device_sync()
    program = Program(corner, paint)
    module = device.create_shader_module(code=program.wgsl)
    size, form = 8, "rgba8unorm"
    buffers = [
        {
            "array_stride": 8,
            "attributes": [{"format": "float32x2", "offset": 0, "shader_location": 0}],
        }
    ]
    pipeline = device.create_render_pipeline(
        layout="auto",
        vertex={"module": module, "entry_point": "vertex_main", "buffers": buffers},
        fragment={
            "module": module,
            "entry_point": "fragment_main",
            "targets": [{"format": form}, {"format": form}],
        },
    )
    uniform = np.zeros((), layout_of(inputs_struct(program), "uniform").dtype)
    uniform["transform"] = np.diag([1.0, -1.0, 1.0, 1.0]).T
    uniform["color"] = (0.0, 0.2, 0.4, 1.0)
    uniform["inverted"] = 1
    corners = np.array([(-1, -1), (3, -1), (-1, 3)], np.float32)
    u = wgpu.BufferUsage
    bound = device.create_buffer_with_data(data=uniform.tobytes(), usage=u.UNIFORM)
    vertices = device.create_buffer_with_data(data=corners.tobytes(), usage=u.VERTEX)
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": 0, "resource": {"buffer": bound}}],
    )
    targets = [device.create_texture(size=(size, size, 1), format=form, usage=17) for _ in range(2)]
    encoder = device.create_command_encoder()
    attachments = [
        {"view": t.create_view(), "load_op": "clear", "store_op": "store"} for t in targets
    ]
    draws = encoder.begin_render_pass(color_attachments=attachments)
    draws.set_pipeline(pipeline)
    draws.set_bind_group(0, group)
    draws.set_vertex_buffer(0, vertices)
    draws.draw(3)
    draws.end()
    device.queue.submit([encoder.finish()])
    images = [
        np.frombuffer(
            device.queue.read_texture({"texture": t}, {"bytes_per_row": size * 4}, (size, size, 1)),
            np.uint8,
        ).reshape(size, size, 4)
        for t in targets
    ]
    assert (images[0] == np.array([255, 204, 153, 0])).all()
    middle = (np.arange(size) + 0.5) / size
    expected = np.zeros((size, size, 3))
    # The transform mirrors y, so the attribute's y grows downwards as rows do.
    expected[..., 0], expected[..., 1], expected[..., 2] = middle, middle[:, None], middle
    np.testing.assert_allclose(images[1][..., :3] / 255, expected, atol=1 / 255)


def test_types_of_the_uniform():
    program = Program(corner, paint)
    struct_type = inputs_struct(program)
    assert struct_type is not None
    assert [(f.name, f.type) for f in struct_type.fields] == [
        ("color", VEC4),
        ("inverted", U32),
        ("transform", MAT4),
    ]
