"""Frame inputs: the clock drives time, and only for programs that read it."""

import heapscene as hs
from heapscene.adaptive import tick_clock
from heapscene.shader import builtin, f32, fragment, sin, struct, vec3, vec4, vertex


@struct
class Attributes:
    position: vec3


@struct
class Inputs:
    time: f32


@struct
class Varyings:
    clip: vec4 = builtin.position


@vertex
def place(a: Attributes) -> Varyings:
    return Varyings(clip=vec4(a.position, 1.0))


@fragment
def blink(v: Varyings, u: Inputs) -> vec4:
    return vec4(0.5 + 0.5 * sin(u.time), 0.0, 0.0, 1.0)


def test_time_moves_between_frames(device):
    draw = hs.Draw(hs.Program(place, blink), hs.geometry.box())
    with hs.Renderer((8, 8), samples=1, device=device) as renderer:
        tick_clock(0.0)
        first = renderer.render(draw)[4, 4, 0]
        tick_clock(1.5)
        assert renderer.render(draw)[4, 4, 0] > first
        assert renderer.report.bytes_uploaded > 0


def test_a_given_time_stays(device):
    draw = hs.Draw(hs.Program(place, blink), hs.geometry.box())
    scene = hs.HeapScene(device, hs.Targets(), draw, inputs={"time": 0.25})
    scene.update(hs.PerspectiveCamera(near=1, far=2))
    tick_clock(9.0)
    assert scene.update(hs.PerspectiveCamera(near=1, far=2)).bytes_uploaded == 0
    scene.close()


def test_time_costs_nothing_where_nobody_reads_it(device):
    scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red")))
    with hs.Renderer((8, 8), samples=1, device=device) as renderer:
        renderer.draw(scene)
        tick_clock(2.0)
        assert renderer.draw(scene).bytes_uploaded == 0
