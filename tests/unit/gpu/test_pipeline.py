"""Pipeline state is seen in pixels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import wgpu

from heapscene.draw import PipelineState
from heapscene.errors import GpuError, StateError
from heapscene.gpu import (
    BindGroup,
    Binding,
    Counters,
    Pipelines,
    RenderSpec,
    SmallBuffer,
    Usage,
    read_texture,
)

pytestmark = pytest.mark.gpu

# Two triangles that fill the target; x, y, z, w of a uniform give depth and colour.
WGSL = """
@group(0) @binding(0) var<uniform> look: array<vec4<f32>, 2>;

@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  let corner = vec2<f32>(f32(i % 2u), f32(i / 2u % 2u + i / 4u)) * 4.0 - 1.0;
  return vec4<f32>(corner * vec2<f32>(look[1].y, 1.0), look[1].x, 1.0);
}

@fragment fn fs() -> @location(0) vec4<f32> { return look[0]; }
"""
BINDINGS = (Binding(0, "uniform", ("vertex", "fragment"), "look"),)
RED, HALF_GREEN, WHITE = (1, 0, 0, 1), (0, 1, 0, 0.5), (1, 1, 1, 1)


@pytest.fixture
def pipelines(device) -> Pipelines:
    return Pipelines(device, Counters())


def spec(state: PipelineState | None = None, **changes) -> RenderSpec:
    base = RenderSpec(
        WGSL, "vs", "fs", (BINDINGS,), state or PipelineState(), color_formats=("rgba8unorm",)
    )
    return dataclasses.replace(base, **changes)


class Canvas:
    """An 8x8 target, drawn on by one full-screen triangle at a time."""

    def __init__(self, pipelines: Pipelines, samples: int = 1, clear=(0, 0, 0, 0)) -> None:
        self.pipelines, self.samples, self.clear = pipelines, samples, clear
        usage = wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC
        make = pipelines.device.create_texture
        size = (8, 8, 1)
        self.texture = make(size=size, format="rgba8unorm", usage=usage)
        many = {"size": size, "sample_count": samples, "usage": wgpu.TextureUsage.RENDER_ATTACHMENT}
        self.color = make(format="rgba8unorm", **many).create_view()
        self.depth = make(format="depth32float", **many).create_view()
        self.fresh = True

    def draw(self, state: PipelineState, color, depth: float = 0.5, mirror: float = 1.0) -> None:
        device = self.pipelines.device
        look = SmallBuffer(device, "look", Usage.UNIFORM, Counters())
        look.write(np.array([*color, depth, mirror, 0, 0], np.float32))
        group = BindGroup(self.pipelines.layouts).get(BINDINGS, [look])
        encoder = device.create_command_encoder()
        resolved = self.texture.create_view()
        load = "clear" if self.fresh else "load"
        render = encoder.begin_render_pass(
            color_attachments=[
                {
                    "view": resolved if self.samples == 1 else self.color,
                    "resolve_target": None if self.samples == 1 else resolved,
                    "clear_value": self.clear,
                    "load_op": load,
                    "store_op": "store",
                }
            ],
            depth_stencil_attachment={
                "view": self.depth,
                "depth_clear_value": 1.0,
                "depth_load_op": load,
                "depth_store_op": "store",
            },
        )
        render.set_pipeline(self.pipelines.render(spec(state, samples=self.samples)))
        render.set_bind_group(0, group)
        render.draw(3)
        render.end()
        device.queue.submit([encoder.finish()])
        self.fresh = False

    def pixel(self) -> list[int]:
        return read_texture(self.pipelines.device, self.texture, (8, 8))[4, 4].tolist()


def after(pipelines: Pipelines, *draws, clear=(0, 0, 0, 0), samples: int = 1) -> list[int]:
    canvas = Canvas(pipelines, samples, clear)
    for state, color, *where in draws:
        canvas.draw(state, color, *where)
    return canvas.pixel()


def test_the_triangle_is_drawn(pipelines) -> None:
    assert after(pipelines, (PipelineState(), RED)) == [255, 0, 0, 255]


@pytest.mark.parametrize(
    ("cull", "front", "mirror", "drawn"),
    [
        ("back", "ccw", 1, True),
        ("front", "ccw", 1, False),
        ("back", "cw", 1, False),
        ("back", "ccw", -1, False),
        ("none", "ccw", -1, True),
    ],
)
def test_culling(pipelines, cull, front, mirror, drawn) -> None:
    state = PipelineState(cull_mode=cull, front_face=front)
    assert (after(pipelines, (state, RED, 0.5, mirror))[0] == 255) is drawn


def test_depth_test_and_write(pipelines) -> None:
    plain, ghost = PipelineState(), PipelineState(depth_write=False)
    behind = (plain, WHITE, 0.9)
    assert after(pipelines, (plain, RED, 0.5), behind) == [255, 0, 0, 255]
    assert after(pipelines, (ghost, RED, 0.5), behind) == [255] * 4
    always = PipelineState(depth_compare="always")
    assert after(pipelines, (plain, RED, 0.5), (always, WHITE, 0.9)) == [255] * 4


@pytest.mark.parametrize(
    "bias",
    [{"depth_bias": -100_000_000}, {"depth_bias": -100_000_000, "depth_bias_clamp": -0.5}],
)
def test_depth_bias(pipelines, bias) -> None:
    plain = PipelineState()
    assert after(pipelines, (plain, RED, 0.5), (PipelineState(), WHITE, 0.6))[1] == 0
    assert after(pipelines, (plain, RED, 0.5), (PipelineState(**bias), WHITE, 0.6))[1] == 255
    barely = PipelineState(depth_bias=-100_000_000, depth_bias_clamp=-0.01)
    assert after(pipelines, (plain, RED, 0.5), (barely, WHITE, 0.6))[1] == 0


@pytest.mark.parametrize(
    ("blend", "expected"),
    [
        ("none", [0, 255, 0, 128]),
        ("alpha", [128, 128, 0, 255]),
        ("premultiplied", [128, 255, 0, 255]),
        ("additive", [255, 128, 0, 255]),
        ("multiply", [0, 0, 0, 255]),
    ],
)
def test_blending(pipelines, blend, expected) -> None:
    state = PipelineState(blend=blend, depth_compare="always")
    got = np.array(after(pipelines, (PipelineState(), RED), (state, HALF_GREEN)), int)
    assert np.abs(got - expected).max() <= 1


def test_write_mask(pipelines) -> None:
    state = PipelineState(write_mask="ga")
    assert after(pipelines, (state, WHITE)) == [0, 255, 0, 255]
    assert after(pipelines, (PipelineState(write_mask=""), WHITE)) == [0, 0, 0, 0]


def test_samples_and_alpha_to_coverage(pipelines) -> None:
    assert after(pipelines, (PipelineState(), RED), samples=4) == [255, 0, 0, 255]
    covered = after(pipelines, (PipelineState(alpha_to_coverage=True), HALF_GREEN), samples=4)
    assert covered[1] in (127, 128)
    with pytest.raises(StateError, match=r"needs a target with several samples\n  samples  1"):
        pipelines.render(spec(PipelineState(alpha_to_coverage=True)))


def test_a_target_that_is_not_written_gets_mask_zero(pipelines) -> None:
    pipelines.render(spec(color_formats=("rgba8unorm", "r32uint"), outputs=(0,)))
    assert pipelines.counters.pipelines_created == 1


def test_a_pipeline_is_made_once_per_content(pipelines) -> None:
    first = pipelines.render(spec(PipelineState(cull_mode="back")))
    assert pipelines.render(spec(PipelineState(cull_mode="back"))) is first
    assert pipelines.render(spec(PipelineState(), depth_format=None)) is not first
    assert pipelines.counters == Counters(pipelines_created=2, shader_modules_created=1)


def test_points_and_lines_have_no_depth_bias(pipelines) -> None:
    for topology in ("point-list", "line-list"):
        pipelines.render(spec(PipelineState(topology=topology, depth_bias=3)))


def test_wgsl_faults_show_numbered_lines(pipelines) -> None:
    text = "fn a() {}\nfn b() {\n  let x: f32 = 1u;\n}\nfn c() {}"
    with pytest.raises(GpuError) as caught:
        pipelines.module(text, "broken")
    message = str(caught.value)
    assert message.startswith("WGSL of 'broken' is not valid\n")
    assert ">    3 |   let x: f32 = 1u;" in message
    assert "     1 | fn a() {}" in message
    assert caught.value.__cause__ is not None
    assert pipelines.counters.shader_modules_created == 0


def test_a_refused_pipeline_says_why(pipelines) -> None:
    with pytest.raises(GpuError, match="the render pipeline 'draws' was refused") as caught:
        pipelines.render(spec(vertex_entry="missing"))
    assert "missing" in str(caught.value)
    with pytest.raises(GpuError, match="the compute pipeline 'kernel' was refused"):
        pipelines.compute("@compute @workgroup_size(1) fn f() {}", "g", ())
    assert pipelines.counters.pipelines_created == 0


def test_a_bind_group_is_remade_only_for_another_buffer(pipelines) -> None:
    buffer = SmallBuffer(pipelines.device, "b", Usage.UNIFORM, Counters())
    buffer.write(bytes(16))
    group = BindGroup(pipelines.layouts, "g")
    first = group.get(BINDINGS, [buffer])
    assert group.get(BINDINGS, [buffer]) is first
    buffer.write(bytes(1024))
    second = group.get(BINDINGS, [buffer])
    assert second is not first
    assert group.get(BINDINGS, [(buffer, 256, 64)]) is not second


def test_a_bind_group_with_wrong_resources_says_so(pipelines) -> None:
    storage = SmallBuffer(pipelines.device, "not a uniform", Usage.STORAGE, Counters())
    storage.write(bytes(16))
    group = BindGroup(pipelines.layouts, "look")
    with pytest.raises(GpuError, match=r"'look' was refused\n(.*\n)*.*not a uniform"):
        group.get(BINDINGS, [storage])
    with pytest.raises(GpuError, match="bindings  1"):
        group.get(BINDINGS, [])
