"""Memory that runs out, at every call in turn: the frame raises, the next one is right."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wgpu

import heapscene as hs
from heapscene.errors import GpuError, OutOfMemoryError
from heapscene.heap import check
from reference.faulty_device import FaultyDevice

SIZE = (40, 30)
CAMERA = hs.PerspectiveCamera(position=(3, 2, 9), target=(0, 0, 0), near=0.1, far=50)
OPTIONS = {"samples": 1, "page_bytes": 32_768}


class Story:
    """A scene and the changes that make the GPU's side of it grow, shrink and change its kind."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(5)
        self.box, self.ball = hs.geometry.box(), hs.geometry.sphere(0.4, (8, 6))
        self.colors = [hs.cval((k / 300, 0.4, 0.7, 1.0)) for k in range(300)]
        self.meshes = [self.mesh(color) for color in self.colors]
        self.scene = hs.Scene(*self.meshes[:20])
        self.table = hs.DrawTable(
            hs.UnlitMaterial("gold"),
            geometry=[self.box, self.ball],
            columns={
                "position": self.rng.uniform(-3, 3, (60, 3)).astype(np.float32),
                "geometry": np.arange(60) % 2,
                "color": self.rng.random((60, 4)).astype(np.float32),
            },
        )

    def mesh(self, color: Any) -> hs.Mesh:
        material = (hs.UnlitMaterial, hs.PhongMaterial)[int(self.rng.integers(2))](color)
        shape = (self.box, self.ball)[int(self.rng.integers(2))]
        return hs.Mesh(shape, material, position=self.rng.uniform(-3, 3, 3), scale=0.5)

    def steps(self) -> list[Callable[[hs.Renderer], None]]:
        """Return what to do before each picture."""
        many = np.arange(0, 60, 2)
        ball = hs.Mesh(hs.geometry.sphere(2, (30, 20)), hs.UnlitMaterial("red"))
        clear = hs.PipelineState(blend="alpha", depth_write=False)
        return [
            lambda _: None,
            lambda _: self.scene.add(*self.meshes[20:]),
            lambda _: self.scene.add(ball),
            lambda _: self.move(),
            lambda _: self.recolour(),
            lambda _: self.move(),
            lambda _: self.scene.add(self.table),
            lambda _: self.table.write("position", np.zeros((30, 3), np.float32), many),
            lambda r: _spend(r, 10_000),
            lambda _: self.hide(),
            lambda r: _spend(r, None),
            lambda _: setattr(ball, "material", hs.UnlitMaterial("red", state=clear)),
            lambda r: r.resize((50, 20)),
            lambda _: self.scene.remove(*self.meshes[:280], ball),
        ]

    def move(self) -> None:
        for mesh in self.meshes[::3]:
            mesh.position = self.rng.uniform(-3, 3, 3)

    def hide(self) -> None:
        for mesh in self.meshes[1::3]:
            mesh.visible = False

    def recolour(self) -> None:
        for color in self.colors[::2]:
            color.value = (0.1, *self.rng.random(2).tolist(), 1.0)


def _spend(renderer: hs.Renderer, budget: int | None) -> None:
    """Let expanded index buffers have so many bytes: a bucket over it becomes mega."""
    for scene in scenes_of(renderer):
        scene._expanded_bytes = budget


def scenes_of(renderer: hs.Renderer) -> list[hs.HeapScene]:
    return [scene for _, scene in renderer._scenes.values()]


def alive() -> dict[str, int]:
    gc.collect()
    counts = wgpu.diagnostics.object_counts.get_dict()
    return {name: entry["count"] for name, entry in counts.items() if entry["count"]}


def tell(device: Any, story: Story, raised: list[GpuError] | None = None) -> list[np.ndarray]:
    """Return the pictures of a story; a call that raises is made a second time."""

    def twice(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except GpuError as error:
            if raised is None:
                raise
            raised.append(error)
            return call()

    pictures = []
    with twice(lambda: hs.Renderer(SIZE, device=device, **OPTIONS)) as renderer:
        for step in story.steps():
            step(renderer)
            pictures.append(twice(lambda: renderer.render(story.scene, CAMERA)))
        for scene in scenes_of(renderer):
            check(scene._heap)
    return pictures


@pytest.fixture(scope="module")
def told(device) -> tuple[FaultyDevice, list[np.ndarray], Counter[str]]:
    """A faulty device that has all pipelines, the pictures to expect, and the calls that make them."""
    faulty = FaultyDevice(device)
    pictures = tell(faulty, Story())
    faulty.calls.clear()
    again = tell(faulty, Story())
    assert all(np.array_equal(one, other) for one, other in zip(pictures, again, strict=True))
    assert len({picture.tobytes() for picture in pictures}) == len(pictures) - 2
    return faulty, pictures, Counter(faulty.calls)


def fail_once(told, number: int) -> str:
    """Tell the story with one failing call; return its name."""
    faulty, pictures, _ = told
    faulty.fail_at(number)
    raised: list[GpuError] = []
    got = tell(faulty, Story(), raised)
    call = faulty.calls[number - 1]
    assert not faulty.relax(), f"call {number} was not made"
    assert [type(error) for error in raised] == [OutOfMemoryError], (number, call)
    assert isinstance(raised[0].__cause__, wgpu.GPUOutOfMemoryError)
    for at, (one, other) in enumerate(zip(got, pictures, strict=True)):
        assert np.array_equal(one, other), f"picture {at} after call {number}, {call}"
    return call


@pytest.mark.parametrize("first", [1, pytest.param(0, marks=pytest.mark.long)])
def test_one_call_fails_and_the_next_frame_is_right(told, first: int) -> None:
    """Every call in turn in the long run, every twelfth otherwise."""
    calls = sum(told[2].values())
    step = 12 if first else 1
    fail_once(told, 1)  # what is made once and kept is made here
    before = alive()
    failed = Counter(fail_once(told, number) for number in range(max(first, 1), calls + 1, step))
    assert alive() == before
    if first == 0:
        assert failed == told[2]


def fail_at_random(device, pictures: list[np.ndarray], seed: int) -> Counter[str]:
    """Tell the story with several failures per picture; return the calls that failed."""
    rng = np.random.default_rng(seed)
    faulty = FaultyDevice(device)
    failed: Counter[str] = Counter()
    errors = (wgpu.GPUOutOfMemoryError, OutOfMemoryError), (wgpu.GPUValidationError, GpuError)

    def often(call: Callable[[], Any]) -> Any:
        last = 2
        while True:
            last += 1
            cause, expected = errors[int(rng.integers(2))]
            faulty.fail_at(int(rng.integers(1, last)), lambda cause=cause: cause("no"))
            try:
                result = call()
            except GpuError as error:
                wrong = type(error) is not expected
                failed[faulty.calls[-1]] += 1
            else:
                assert faulty.relax(), "an error was swallowed"
                return result
            assert not wrong, cause

    story = Story()
    with often(lambda: hs.Renderer(SIZE, device=faulty, **OPTIONS)) as renderer:
        for at, (step, expected) in enumerate(zip(story.steps(), pictures, strict=True)):
            step(renderer)
            got = often(lambda: renderer.render(story.scene, CAMERA))
            assert np.array_equal(got, expected), f"seed {seed}, picture {at}"
        check(scenes_of(renderer)[0]._heap)
    return failed


def test_frames_that_fail_again_and_again_come_right(device, told) -> None:
    """On devices without any pipeline, at random calls of each frame, with both kinds of errors."""
    failed: Counter[str] = Counter()
    for seed in range(6):
        failed += fail_at_random(device, told[1], seed)
    kinds = {"shader_module", "compute_pipeline", "render_pipeline", "bind_group_layout"}
    kinds |= {"pipeline_layout", "bind_group", "buffer", "texture", "command_encoder"}
    calls = {f"create_{kind}" for kind in kinds} | {"write_buffer", "finish"}
    assert set(failed) >= calls
    assert sum(failed.values()) > 200


def test_draws_that_do_not_fit_leave_what_was_there(device) -> None:
    """Memory for pages runs out half-way through a thousand draws."""
    story = Story()
    faulty = FaultyDevice(device)
    kept = ("draws", "visible_draws", "pages", "live_bytes", "buckets", "slots", "entries")
    with hs.Renderer(SIZE, device=faulty, samples=1, page_bytes=16_384) as renderer:
        picture = renderer.render(story.scene, CAMERA)
        (scene,) = scenes_of(renderer)
        order, stats = scene.order(), scene.stats()
        more = [story.mesh(hs.cval((k / 1000, 0.5, 0.5, 1.0))) for k in range(1000)]
        story.scene.add(*more)

        faulty.full = lambda label: label == "page 5"
        for _ in range(3):
            with pytest.raises(OutOfMemoryError, match=r"out of memory: .* 'page 5'"):
                renderer.render(story.scene, CAMERA)
        story.scene.remove(*more)
        assert np.array_equal(renderer.render(story.scene, CAMERA), picture)
        assert scene.order() == order
        after = scene.stats()
        assert {name: after[name] for name in kept} == {name: stats[name] for name in kept}
        check(scene._heap)
        faulty.full = None
        story.scene.add(*more)
        renderer.render(story.scene, CAMERA)
        assert (renderer.report.draws, renderer.report.pages > 5) == (1020, True)
