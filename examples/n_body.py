"""Bodies that attract each other
==============================

A compute function moves a thousand bodies by a step; sixty-four at a time are read into the memory of a
workgroup. The positions become the rows of a table, which is one draw call.
"""

# gallery: image    test: run

import numpy as np
import wgpu

import heapscene as hs
from heapscene.shader import (
    ComputeProgram,
    builtin,
    compute,
    dot,
    inverse_sqrt,
    storage,
    u32,
    vec3,
    vec3u,
    vec4,
    workgroup,
    workgroup_barrier,
)

N, STEPS = 1024, 60
before = storage("before", vec4, binding=0)
after = storage("after", vec4, binding=1, access="read_write")
speeds = storage("speeds", vec4, binding=2, access="read_write")
near = workgroup("near", vec4, 64)


@compute(workgroup_size=64)
def step(i: vec3u = builtin.global_invocation_id, lane: u32 = builtin.local_invocation_index):
    here = before[i.x]
    pull = vec3(0.0)
    for tile in range(N // 64):
        near[lane] = before[64 * u32(tile) + lane]
        workgroup_barrier()
        for k in range(64):
            away = near[k].xyz - here.xyz
            close = inverse_sqrt(dot(away, away) + 0.02)
            pull = pull + away * (near[k].w * close * close * close)
        workgroup_barrier()
    speed = speeds[i.x].xyz + pull * 0.01
    speeds[i.x] = vec4(speed, 0.0)
    after[i.x] = vec4(here.xyz + speed * 0.01, here.w)


rng = np.random.default_rng(4)
place = np.c_[rng.normal(size=(N, 3)) * (2, 0.2, 2), np.full(N, 1.0 / N)]
spin = np.c_[np.cross([0, 0.5, 0], place[:, :3]), np.zeros(N)]
device = wgpu.gpu.request_adapter_sync().request_device_sync()
usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
buffers = [
    device.create_buffer_with_data(data=values.astype("f4").tobytes(), usage=usage)
    for values in (place, place, spin)
]
program = ComputeProgram(step)
module = device.create_shader_module(code=program.wgsl)
pipeline = device.create_compute_pipeline(layout="auto", compute={"module": module})
encoder = device.create_command_encoder()
for number in range(STEPS):
    order = [number % 2, 1 - number % 2, 2]
    entries = [{"binding": k, "resource": {"buffer": buffers[b]}} for k, b in enumerate(order)]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    pass_ = encoder.begin_compute_pass()
    pass_.set_pipeline(pipeline)
    pass_.set_bind_group(0, group)
    pass_.dispatch_workgroups(N // 64)
    pass_.end()
device.queue.submit([encoder.finish()])
moved = np.frombuffer(device.queue.read_buffer(buffers[STEPS % 2]), "f4").reshape(N, 4)
ball = hs.geometry.sphere(0.06, (8, 6))
bodies = hs.DrawTable(hs.PhongMaterial("gold"), ball, {"position": moved[:, :3]})
camera = hs.PerspectiveCamera(position=(2, 3, 5), target=(0, 0, 0))
image = hs.render(bodies, camera=camera, size=(400, 300), background="black")
hs.save_image("n_body.png", image)
