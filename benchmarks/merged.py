"""The render pass of many boxes, against the same triangles as one static mesh in vertex buffers.

Prints GPU milliseconds (timestamps) and their ratio:  python benchmarks/merged.py --objects 100000
"""

from __future__ import annotations

import argparse
import json
import statistics

import numpy as np
import wgpu

import heapscene as hs
from heapscene.gpu import Timer, read_texture, request_device
from heapscene.render import HeapScene, OffscreenTarget, Targets
from heapscene.shader import (
    builtin,
    fragment,
    mat4,
    normalize,
    struct,
    vec3,
    vec4,
    vertex,
)

SIZE = (1280, 720)


@struct
class Attributes:
    position: vec3
    normal: vec3


@struct
class Inputs:
    model: mat4
    view: mat4
    proj: mat4
    color: vec4


@struct
class Varyings:
    normal: vec3
    color: vec4
    clip: vec4 = builtin.position


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    world = u.model @ vec4(a.position, 1.0)
    normal = u.model @ vec4(a.normal, 0.0)
    return Varyings(clip=u.proj @ u.view @ world, normal=normal.xyz, color=u.color)


@fragment
def shade(v: Varyings) -> vec4:
    n = normalize(v.normal)
    light = 0.3 + 0.7 * abs(n.z)
    return vec4(v.color.xyz * light, 1.0)


MERGED = """
struct Frame { view: mat4x4<f32>, proj: mat4x4<f32> };
@group(0) @binding(0) var<uniform> frame: Frame;
struct Out {
  @builtin(position) clip: vec4<f32>, @location(0) normal: vec3<f32>, @location(1) color: vec4<f32>
};
@vertex fn vs(@location(0) p: vec3<f32>, @location(1) n: vec3<f32>, @location(2) c: vec4<f32>) -> Out {
  var out: Out;
  out.clip = frame.proj * frame.view * vec4<f32>(p, 1.0); out.normal = n; out.color = c;
  return out;
}
@fragment fn fs(in: Out) -> @location(0) vec4<f32> {
  let n = normalize(in.normal);
  return vec4<f32>(in.color.xyz * (0.3 + 0.7 * abs(n.z)), 1.0);
}
"""


def build(count: int) -> tuple[hs.Geometry, np.ndarray, np.ndarray]:
    """Return the box, model matrices and colours of a cube of boxes."""
    rng = np.random.default_rng(1)
    side = int(np.ceil(count ** (1 / 3)))
    cell = np.stack(np.unravel_index(np.arange(count), (side,) * 3), -1) / side * 2 - 1
    models = np.zeros((count, 4, 4))
    scale = 0.35 / side * 4
    models[:, [0, 1, 2], [0, 1, 2]] = scale
    models[:, :3, 3] = cell
    models[:, 3, 3] = 1
    return hs.geometry.box(), models, rng.random((count, 4))


def camera() -> hs.PerspectiveCamera:
    return hs.PerspectiveCamera(fov=60, position=(0, 0, 3.2), target=(0, 0, 0), near=0.1, far=10)


def merged_pass(device, box, models, colors):
    """Return a function that encodes the merged mesh into a render pass."""
    attributes = box.read_attributes()
    position, normal = attributes["position"], attributes["normal"]
    indices = box.read_indices()
    count, vertices = len(models), len(position)
    data = np.zeros((count, vertices, 10), np.float32)
    data[..., :3] = np.einsum("nij,vj->nvi", models[:, :3, :3], position) + models[:, None, :3, 3]
    data[..., 3:6] = np.einsum("nij,vj->nvi", models[:, :3, :3], normal)
    data[..., 6:] = colors[:, None]
    all_indices = (np.arange(count)[:, None] * vertices + indices).astype(np.uint32).reshape(-1)
    usage = wgpu.BufferUsage
    vertex_buffer = device.create_buffer_with_data(data=data, usage=usage.VERTEX)
    index_buffer = device.create_buffer_with_data(data=all_indices, usage=usage.INDEX)
    matrices = camera().matrices(SIZE[0] / SIZE[1], np.full((2, 3), np.nan))
    frame = np.ascontiguousarray(np.stack([matrices.view.T, matrices.proj.T]), np.float32)
    uniform = device.create_buffer_with_data(data=frame, usage=usage.UNIFORM)
    module = device.create_shader_module(code=MERGED)
    formats = ("float32x3", "float32x3", "float32x4")
    pipeline = device.create_render_pipeline(
        layout="auto",
        vertex={
            "module": module,
            "entry_point": "vs",
            "buffers": [
                {
                    "array_stride": 40,
                    "attributes": [
                        {"format": name, "offset": 12 * k, "shader_location": k}
                        for k, name in enumerate(formats)
                    ],
                }
            ],
        },
        primitive={"topology": "triangle-list", "cull_mode": "none"},
        depth_stencil={
            "format": "depth32float",
            "depth_write_enabled": True,
            "depth_compare": "less",
        },
        fragment={
            "module": module,
            "entry_point": "fs",
            "targets": [{"format": "rgba8unorm-srgb"}],
        },
    )
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": 0, "resource": {"buffer": uniform}}],
    )

    def encode(render_pass):
        render_pass.set_pipeline(pipeline)
        render_pass.set_bind_group(0, group)
        render_pass.set_vertex_buffer(0, vertex_buffer)
        render_pass.set_index_buffer(index_buffer, "uint32")
        render_pass.draw_indexed(len(all_indices))

    return encode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=15)
    parser.add_argument("--encoding", default="auto")
    options = parser.parse_args()
    device = request_device()
    targets = Targets(samples=1)
    target = OffscreenTarget(device, SIZE, targets)
    box, models, colors = build(options.objects)
    program = hs.Program(place, shade)
    draws = hs.cset(
        hs.Draw(program, box, inputs={"model": model, "color": color})
        for model, color in zip(models, colors, strict=True)
    )
    scene = HeapScene(device, targets, draws, encoding=options.encoding)
    timer = Timer(device)
    merged = merged_pass(device, box, models, colors)

    def frame(kind):
        encoder = device.create_command_encoder()
        if kind == "heap":
            scene.update(camera(), inputs={"viewport": SIZE})
            scene.encode_compute(encoder)
        render_pass = encoder.begin_render_pass(
            **target.pass_descriptor((0, 0, 0, 1)), **timer.pass_arguments()
        )
        scene.encode_draws(render_pass) if kind == "heap" else merged(render_pass)
        render_pass.end()
        timer.resolve_into(encoder)
        device.queue.submit([encoder.finish()])
        return timer.milliseconds()

    times = {"heap": [], "merged": []}
    images = {}
    for _ in range(options.frames):
        for kind, taken in times.items():
            taken.append(frame(kind))
            if kind not in images:
                images[kind] = read_texture(device, target.color, SIZE).astype(int)
    medians = {kind: statistics.median(values[2:]) for kind, values in times.items()}
    different = (np.abs(images["heap"] - images["merged"]).max(-1) > 8).mean()
    print(
        json.dumps(
            {
                "device": device.adapter.info["device"],
                "objects": options.objects,
                "encodings": scene.report.encodings,
                "heap_ms": round(medians["heap"], 3),
                "merged_ms": round(medians["merged"], 3),
                "ratio": round(medians["heap"] / medians["merged"], 3),
                "different_pixels": float(different),
            }
        )
    )


if __name__ == "__main__":
    main()
