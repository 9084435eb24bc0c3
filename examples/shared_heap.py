"""Two passes, one heap
=====================

Two ``HeapScene`` share the memory of an ``hs.Heap``: the first writes depth alone, the second draws
each visible pixel once, where the depth is the same. Values and geometry are stored and sent once.
"""

# gallery: image    test: run    budget: draw_calls<=1

import numpy as np
import wgpu

import heapscene as hs

SIZE = (400, 300)
device = wgpu.gpu.request_adapter_sync().request_device_sync()


def texture(format_: str, usage: int) -> wgpu.GPUTexture:
    return device.create_texture(size=SIZE, format=format_, usage=usage)


attach = wgpu.TextureUsage.RENDER_ATTACHMENT
color = texture("rgba8unorm-srgb", attach | wgpu.TextureUsage.COPY_SRC)
depth = texture("depth32float", attach)

# The same program, geometry and values twice, in two pipeline states.
rng = np.random.default_rng(1)
box, program = hs.geometry.box(), hs.PhongMaterial().program
first = hs.PipelineState()
second = hs.PipelineState(depth_compare="less-equal", depth_write=False)
depth_draws, color_draws = [], []
for _ in range(500):
    model = np.eye(4)
    model[:3, 3] = rng.uniform(-4, 4, 3)
    values = {"model": hs.cval(model), "color": hs.cval((*rng.random(3), 1.0))}
    values |= {"shininess": 40.0, "specular": 0.1}
    depth_draws.append(hs.Draw(program, box, values, state=first))
    color_draws.append(hs.Draw(program, box, values, state=second))

heap = hs.Heap(device)
depth_targets = hs.Targets(colors={}, depth=depth.format)
color_targets = hs.Targets(colors={"color": color.format}, depth=depth.format)
depth_scene = hs.HeapScene(device, depth_targets, depth_draws, heap=heap)
color_scene = hs.HeapScene(device, color_targets, color_draws, heap=heap)
camera = hs.PerspectiveCamera(position=(9, 6, 11), target=(0, 0, 0), near=1, far=40)

# Both are updated before either is encoded: an update may move what lies in the heap.
depth_report = depth_scene.update(camera, inputs={"viewport": SIZE})
report = color_scene.update(camera, inputs={"viewport": SIZE})
assert report.bytes_uploaded < depth_report.bytes_uploaded  # values were there already

encoder = device.create_command_encoder()
for scene, clear in ((depth_scene, True), (color_scene, False)):
    scene.encode_compute(encoder)
    colors = {"view": color.create_view(), "clear_value": (1, 1, 1, 1)}
    render_pass = encoder.begin_render_pass(
        color_attachments=[] if clear else [{**colors, "load_op": "clear", "store_op": "store"}],
        depth_stencil_attachment={
            "view": depth.create_view(),
            "depth_clear_value": 1.0,
            "depth_load_op": "clear" if clear else "load",
            "depth_store_op": "store",
        },
    )
    scene.encode_draws(render_pass)
    render_pass.end()
device.queue.submit([encoder.finish()])

layout = {"bytes_per_row": 4 * SIZE[0], "rows_per_image": SIZE[1]}
pixels = device.queue.read_texture({"texture": color}, layout, (*SIZE, 1))
image = np.frombuffer(pixels, np.uint8).reshape(SIZE[1], SIZE[0], 4)
hs.save_image("shared_heap.png", image)
