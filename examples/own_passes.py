"""Inside your own render pass
===========================

A ``HeapScene`` encodes its draws into a pass that you begin and submit, beside draws of your own.
Both use one depth texture, so here a triangle of plain wgpu cuts into a red box.
"""

# gallery: image    test: run    budget: draw_calls<=1

import numpy as np
import wgpu

import heapscene as hs

SIZE = (400, 300)
TRIANGLE = """
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    // Near at the left, far at the right: the box's front is at a depth of 0.67.
    let corners = array(vec4f(-0.9, -0.15, 0.5, 1), vec4f(-0.9, 0.15, 0.5, 1), vec4f(0.9, 0, 0.9, 1));
    return corners[i];
}
@fragment fn fs() -> @location(0) vec4f { return vec4f(0, 0.2, 1, 1); }
"""

device = wgpu.gpu.request_adapter_sync().request_device_sync()
color = device.create_texture(
    size=SIZE,
    format="rgba8unorm-srgb",
    usage=wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC,
)
depth = device.create_texture(
    size=SIZE, format="depth32float", usage=wgpu.TextureUsage.RENDER_ATTACHMENT
)
module = device.create_shader_module(code=TRIANGLE)
triangle = device.create_render_pipeline(
    layout="auto",
    vertex={"module": module, "entry_point": "vs"},
    fragment={"module": module, "entry_point": "fs", "targets": [{"format": color.format}]},
    depth_stencil={
        "format": depth.format,
        "depth_write_enabled": True,
        "depth_compare": "less",
    },
)

box = hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red"))
camera = hs.PerspectiveCamera(position=(0, 0, 3), target=(0, 0, 0), near=1, far=10)
targets = hs.Targets(colors={"color": color.format}, depth=depth.format)
boxes = hs.HeapScene(device, targets, hs.Scene(box))

report = boxes.update(camera, inputs={"viewport": SIZE})
encoder = device.create_command_encoder()
boxes.encode_compute(encoder)
render_pass = encoder.begin_render_pass(
    color_attachments=[
        {
            "view": color.create_view(),
            "clear_value": (1, 1, 1, 1),
            "load_op": "clear",
            "store_op": "store",
        }
    ],
    depth_stencil_attachment={
        "view": depth.create_view(),
        "depth_clear_value": 1.0,
        "depth_load_op": "clear",
        "depth_store_op": "discard",
    },
)
boxes.encode_draws(render_pass)
render_pass.set_pipeline(triangle)
render_pass.draw(3)
render_pass.end()
device.queue.submit([encoder.finish()])

layout = {"bytes_per_row": 4 * SIZE[0], "rows_per_image": SIZE[1]}
pixels = device.queue.read_texture({"texture": color}, layout, (*SIZE, 1))
image = np.frombuffer(pixels, np.uint8).reshape(SIZE[1], SIZE[0], 4)
hs.save_image("own_passes.png", image)
