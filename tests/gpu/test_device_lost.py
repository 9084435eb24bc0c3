"""A lost device: every call says so, and `recover()` gives the same picture."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
import wgpu

import heapscene as hs
from heapscene.adaptive import live_nodes
from heapscene.errors import AdapterError, DeviceLostError, FrameOrderError, GpuError
from heapscene.gpu import read_texture, request_device
from heapscene.heap import check
from heapscene.render import OffscreenTarget
from heapscene.render import renderer as renderer_module
from reference.faulty_device import FaultyDevice

SIZE = (40, 30)
CAMERA = hs.PerspectiveCamera(position=(3, 2, 9), target=(0, 0, 0), near=0.1, far=50)
ENCODINGS = ("expanded", "mega")


def make_scene() -> hs.Scene:
    """Return draws of two programs, a table, and more bytes than a page of 16 KiB holds."""
    rng = np.random.default_rng(3)
    shapes = [hs.geometry.box(), hs.geometry.sphere(0.5, (12, 8)), hs.geometry.torus(0.6, 0.2)]
    materials = hs.UnlitMaterial, hs.PhongMaterial
    meshes = [
        hs.Mesh(
            shapes[k % 2],
            materials[k % 3 == 0](hs.cval((*rng.random(3), 1.0))),
            position=rng.uniform(-3, 3, 3),
        )
        for k in range(60)
    ]
    table = hs.DrawTable(
        hs.UnlitMaterial("gold"),
        geometry=shapes[:2],
        columns={
            "position": rng.uniform(-3, 3, (50, 3)).astype(np.float32),
            "geometry": np.arange(50) % 2,
            "color": rng.random((50, 4)).astype(np.float32),
        },
    )
    return hs.Scene(*meshes, table)


def alive() -> dict[str, int]:
    gc.collect()
    counts = wgpu.diagnostics.object_counts.get_dict()
    kinds = {name: entry["count"] for name, entry in counts.items() if entry["count"]}
    return kinds | {"adaptive nodes": live_nodes()}


@pytest.fixture
def lossy() -> FaultyDevice:
    """A device of this test alone, to be lost."""
    return FaultyDevice(request_device())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_recover_gives_the_same_picture(lossy, encoding: str) -> None:
    scene = make_scene()
    with hs.Renderer(SIZE, device=lossy, encoding=encoding, page_bytes=8192) as renderer:
        picture = renderer.render(scene)
        order, stats = renderer.order(scene), renderer.stats()
        assert renderer.report.pages > 1
        lossy.destroy()
        for call in (renderer.draw, renderer.render, renderer.draw):
            with pytest.raises(DeviceLostError, match=r"renderer\.recover\(\)"):
                call(scene)
        renderer.recover()
        assert renderer.device is not lossy
        assert np.array_equal(renderer.render(scene), picture)
        assert (renderer.order(scene), renderer.stats()) == (order, stats)
        assert set(renderer.report.encodings) == {encoding}
        assert renderer.draw(scene).bytes_uploaded == 0


def test_changes_made_while_the_device_is_lost_are_kept(lossy, device) -> None:
    scene = make_scene()
    with hs.Renderer(SIZE, device=lossy) as renderer:
        renderer.render(scene, CAMERA)
        lossy.destroy()
        first, *_, table = scene
        first.visible = False
        with pytest.raises(DeviceLostError):
            renderer.draw(scene, CAMERA)
        table.write("position", np.ones((10, 3), np.float32), np.arange(10))
        scene.add(hs.Mesh(hs.geometry.cone(), hs.UnlitMaterial("red")))
        with pytest.raises(DeviceLostError):
            renderer.draw(scene, CAMERA)
        renderer.resize((50, 20))
        renderer.recover(device)
        picture = renderer.render(scene, CAMERA)
        check(next(iter(renderer._scenes.values()))[1]._heap)
    with hs.Renderer((50, 20), device=device) as renderer:
        assert np.array_equal(renderer.render(scene, CAMERA), picture)


def frames(renderer: hs.Renderer, scene: hs.Scene, drawn: list[Any]) -> None:
    """Draw a first frame, a changed one and a still one; append them to ``drawn``."""
    drawn.append(renderer.render(scene, CAMERA))
    for mesh in list(scene)[:60:2]:
        mesh.position = mesh.position + np.float64(0.25)
    drawn.append(renderer.render(scene, CAMERA))
    drawn.append(renderer.render(scene, CAMERA))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_device_is_lost_at_any_call_of_a_frame(device, encoding: str) -> None:
    options = {"encoding": encoding, "page_bytes": 8192, "samples": 1}
    whole, expected = FaultyDevice(device), []
    with hs.Renderer(SIZE, device=whole, **options) as renderer:
        renderer.draw(make_scene(), CAMERA)
        whole.calls.clear()
        frames(renderer, make_scene(), expected)
        calls = len(whole.calls)
    stages = set()
    for number in (*range(1, calls, 12), *range(calls - 3, calls + 1)):
        lossy, scene = FaultyDevice(request_device()), make_scene()
        with hs.Renderer(SIZE, device=lossy, **options) as renderer:
            renderer.draw(make_scene(), CAMERA)
            lossy.act_at(number, lossy.destroy)
            drawn: list[Any] = []
            with pytest.raises(DeviceLostError):
                frames(renderer, scene, drawn)
            stages.add(lossy.calls[number - 1])
            with pytest.raises(DeviceLostError):
                renderer.draw(scene, CAMERA)
            renderer.recover(device)
            assert np.array_equal(renderer.render(scene, CAMERA), expected[len(drawn)])
    assert stages >= {"create_buffer", "write_buffer", "finish", "read_buffer", "read_texture"}


class Pass:
    """A pass of the user's own, around a HeapScene."""

    def __init__(self, device: Any, scene: hs.HeapScene) -> None:
        self.device, self.scene = device, scene
        self.target = OffscreenTarget(device, SIZE, hs.Targets())

    def encode(self) -> Any:
        encoder = self.device.create_command_encoder()
        self.scene.encode_compute(encoder)
        descriptor = self.target.pass_descriptor((0.0, 0.0, 0.0, 1.0))
        render_pass = encoder.begin_render_pass(**descriptor)
        self.scene.encode_draws(render_pass)
        render_pass.end()
        return encoder

    def picture(self) -> Any:
        self.scene.update(CAMERA)
        self.device.queue.submit([self.encode().finish()])
        return read_texture(self.device, self.target.color, SIZE)


@pytest.mark.parametrize("stage", ["update", "encode", "submit", "read"])
def test_a_heap_scene_is_recovered_at_any_stage(lossy, device, stage: str) -> None:
    scene = hs.HeapScene(lossy, hs.Targets(), make_scene(), page_bytes=8192)
    one = Pass(lossy, scene)
    picture = one.picture()
    if stage == "update":
        lossy.destroy()
    else:
        scene.update(CAMERA)
    if stage == "encode":
        lossy.destroy()
    if stage != "update":
        encoder = one.encode()
    if stage == "submit":
        lossy.destroy()
    if stage in ("encode", "submit"):
        with pytest.raises(wgpu.GPUError, match="lost"):
            encoder.finish()
    if stage == "read":
        lossy.queue.submit([encoder.finish()])
        lossy.destroy()
        with pytest.raises(DeviceLostError, match="a picture was not read back"):
            read_texture(lossy, one.target.color, SIZE)
    for _ in range(2):
        with pytest.raises(DeviceLostError, match=r"scene\.recover\(device\)"):
            scene.update(CAMERA)
    scene.recover(device)
    with pytest.raises(FrameOrderError):
        scene.encode_compute(device.create_command_encoder())
    assert np.array_equal(Pass(device, scene).picture(), picture)
    scene.close()
    with pytest.raises(FrameOrderError, match="closed"):
        scene.recover(device)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_recovering_again_and_again_leaves_nothing_behind(device, encoding: str) -> None:
    scene = make_scene()
    with hs.Renderer(SIZE, device=device, encoding=encoding, page_bytes=8192) as renderer:
        picture = renderer.render(scene)
        renderer.recover()  # the device is in best health, and has another owner
        renderer.render(scene)
        renderer.recover(device)
        renderer.render(scene)
        before = alive()
        for _ in range(4):
            renderer.recover()
            assert np.array_equal(renderer.render(scene), picture)
            renderer.device.destroy()
            renderer.recover(device)
            assert np.array_equal(renderer.render(scene), picture)
        assert alive() == before


def test_a_report_of_a_lost_device_says_so(lossy, device) -> None:
    with hs.Renderer(SIZE, device=lossy) as renderer:
        report = renderer.draw(make_scene())
        lossy.destroy()
        if "timestamp-query" in device.features:
            with pytest.raises(DeviceLostError):
                report.resolve()
        renderer.recover(device)
        assert report.resolve().gpu_ms is None


def test_a_device_that_cannot_take_over_is_refused(lossy, device, monkeypatch) -> None:
    scene = make_scene()
    with hs.Renderer(SIZE, device=device) as renderer:
        picture = renderer.render(scene)
        small = FaultyDevice(device)
        small.limits = {**device.limits, "max-storage-buffer-binding-size": 1 << 20}
        with pytest.raises(GpuError, match="page    134,217,728 bytes\n  device  1,048,576 bytes"):
            renderer.recover(small)
        lossy.destroy()
        with pytest.raises(DeviceLostError):
            renderer.recover(lossy)

        def none() -> None:
            raise AdapterError("no graphics adapter")

        monkeypatch.setattr(renderer_module, "request_device", none)
        with pytest.raises(AdapterError):
            renderer.recover()
        assert np.array_equal(renderer.render(scene), picture)
        assert renderer.draw(scene).bytes_uploaded == 0
    with pytest.raises(FrameOrderError, match="closed"):
        renderer.recover()


def test_a_picture_without_a_renderer_has_a_device_of_its_own(lossy) -> None:
    scene = make_scene()
    picture = hs.render(scene, size=SIZE)
    lossy.destroy()
    with pytest.raises(DeviceLostError):
        hs.Renderer(SIZE, device=lossy).render(scene)
    assert np.array_equal(hs.render(scene, size=SIZE), picture)


def test_what_a_command_buffer_uses_stays_until_it_is_submitted(device) -> None:
    """Submitting one with a destroyed buffer would end the process."""
    source = make_scene()
    scene = hs.HeapScene(device, hs.Targets(), source, page_bytes=8192)
    one = Pass(device, scene)
    picture = one.picture()
    scene.update(CAMERA)
    commands = one.encode().finish()
    scene.close()
    device.queue.submit([commands])
    assert np.array_equal(read_texture(device, one.target.color, SIZE), picture)
    with hs.Renderer(SIZE, device=device, samples=1) as renderer:
        one.target.close()
        with pytest.raises(FrameOrderError, match="the target is closed"):
            renderer.draw(source, target=one.target)
