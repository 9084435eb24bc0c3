"""Sequences that end, close or use something at an odd time; run as a program, which has to survive them."""

from __future__ import annotations

import sys
import threading
from typing import Any

import heapscene as hs
from heapscene.errors import FrameOrderError, HeapsceneError
from heapscene.gpu import read_texture, request_device, submit
from heapscene.render import OffscreenTarget

SIZE = (16, 16)


def refused(call: Any, *arguments: Any, **named: Any) -> HeapsceneError:
    """The error of ours that a call has to raise."""
    try:
        call(*arguments, **named)
    except HeapsceneError as error:
        return error
    raise AssertionError(f"{call} was not refused")


class Passes:
    """A frame in passes of one's own, stopped before it is submitted."""

    def __init__(self, device: Any, scene: Any, **options: Any) -> None:
        self.device = device
        self.target = OffscreenTarget(device, SIZE, hs.Targets())
        self.scene = hs.HeapScene(device, hs.Targets(), scene, **options)
        self.scene.update()
        self.encoder = device.create_command_encoder()
        self.scene.encode_compute(self.encoder)

    def draw(self) -> None:
        self.render_pass = self.encoder.begin_render_pass(
            **self.target.pass_descriptor((0, 0, 0, 1))
        )
        self.scene.encode_draws(self.render_pass)

    def end(self) -> None:
        self.render_pass.end()
        submit(self.device, self.encoder)


def target_closed_in_its_pass(device: Any, scene: Any) -> None:
    passes = Passes(device, scene)
    passes.draw()
    passes.target.close()
    passes.end()
    assert isinstance(refused(lambda: passes.target.color), FrameOrderError)


def target_closed_before_its_pass(device: Any, scene: Any) -> None:
    passes = Passes(device, scene)
    texture = passes.target.color
    passes.target.close()
    refused(passes.draw)
    read_texture(device, texture, SIZE)


def scene_closed_in_a_pass(device: Any, scene: Any) -> None:
    passes = Passes(device, scene)
    passes.draw()
    passes.scene.close()
    passes.end()


def heap_closed_in_a_pass(device: Any, scene: Any) -> None:
    heap = hs.Heap(device)
    passes = Passes(device, scene, heap=heap)
    passes.draw()
    heap.close()
    passes.end()


def device_destroyed_in_a_pass(_device: Any, scene: Any) -> None:
    device = request_device()
    passes = Passes(device, scene)
    passes.draw()
    device.destroy()
    refused(passes.end)


def device_destroyed_under_a_renderer(_device: Any, scene: Any) -> None:
    device = request_device()
    with hs.Renderer(SIZE, device=device) as renderer:
        renderer.render(scene)
        device.destroy()
        refused(renderer.render, scene)
        refused(renderer.validate)
        renderer.resize((8, 8))
        refused(renderer.render, scene)


def used_from_within_a_frame(device: Any, _scene: Any) -> None:
    renderer = hs.Renderer(SIZE, device=device)
    uses = [
        renderer.close,
        lambda: renderer.resize((8, 8)),
        lambda: renderer.render(scene),
        renderer.validate,
        lambda: renderer.recover(device),
    ]
    cell = hs.cval(-1)

    def place(use: int) -> tuple[float, float, float]:
        if use >= 0:
            uses[use]()
        return (0, 0, 0)

    scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.PhongMaterial(), position=cell.map(place)))
    before = renderer.render(scene)
    for use in range(len(uses)):
        cell.value = use
        assert "in use" in str(refused(renderer.render, scene))
    cell.value = -1
    assert (renderer.render(scene) == before).all()
    renderer.close()


def closed_by_what_was_posted(device: Any, scene: Any) -> None:
    renderer = hs.Renderer(SIZE, device=device)
    hs.post(renderer.close)
    refused(renderer.render, scene)
    refused(renderer.stats)
    held = hs.HeapScene(device, hs.Targets(), scene)
    hs.post(held.close)
    refused(held.update)


def resized_by_what_was_posted(device: Any, scene: Any) -> None:
    with hs.Renderer(SIZE, device=device) as renderer:
        hs.post(lambda: hs.post(lambda: renderer.resize((8, 4))))
        renderer.render(scene)
        assert renderer.render(scene).shape == (4, 8, 4)


def used_by_several_threads(device: Any, scene: Any) -> None:
    with hs.Renderer((64, 64), device=device) as renderer:
        before = renderer.render(scene)
        images: list[Any] = []

        def work() -> None:
            for number in range(40):
                try:
                    if number % 7 == 3:
                        renderer.resize((64, 64))
                    images.append(renderer.render(scene))
                except FrameOrderError:
                    pass

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all((image == before).all() for image in images)
        assert (renderer.render(scene) == before).all()


def main() -> None:
    for name, sequence in list(globals().items()):
        if getattr(sequence, "__module__", "") == __name__ and "_" in name and name != "main":
            scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.PhongMaterial(hs.cval("red"))))
            print("begin", name, flush=True)
            sequence(DEVICE, scene)
    print("end")


if __name__ == "__main__":
    DEVICE = request_device()
    main()
    sys.exit()
