"""A renderer refuses what it cannot do, where it is given, and is as before afterwards."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.errors import FrameOrderError, InputError
from heapscene.geometry import box
from heapscene.gpu import device as device_module
from heapscene.gpu import request_device
from heapscene.materials import PhongMaterial, UnlitMaterial
from heapscene.render import Heap, HeapScene, OffscreenTarget, Renderer, Targets, render
from heapscene.render.recovery import page_limit
from heapscene.scene import Mesh, Scene
from reference.faulty_device import FaultyDevice

WHITE, BLACK = (255, 255, 255, 255), (0, 0, 0, 255)


@pytest.fixture
def renderer(device):
    with Renderer((16, 16), samples=1, device=device) as renderer:
        yield renderer


def make_scene(**options: Any) -> Scene:
    return Scene(Mesh(box(), UnlitMaterial("red")), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"encoding": "fast"},
        {"page_bytes": 10},
        {"page_bytes": "1"},
        {"size": (-1, 10)},
        {"size": (0, 1_000_000)},
        {"size": "800x600"},
        {"size": (10, 10, 10)},
        {"size": (10.5, 10)},
        {"size": (1_000_000, 8)},
        {"background": "no colour"},
    ],
)
def test_bad_options_are_refused_at_once(device, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Renderer(**{"size": (8, 8), "device": device, **options})


def test_a_page_beyond_the_device_is_refused_with_both_numbers(device) -> None:
    most = page_limit(device)
    numbers = rf"{most + 16}(.|\n)*{most:,}"
    for make in (
        lambda: Heap(device, page_bytes=most + 16),
        lambda: HeapScene(device, Targets(), page_bytes=most + 16),
        lambda: Renderer((8, 8), device=device, page_bytes=most + 16),
    ):
        with pytest.raises(InputError, match=numbers):
            make()
    with Renderer((8, 8), device=device, page_bytes=most) as renderer:
        renderer.draw(make_scene())
        renderer.recover(device)
        assert renderer.draw(make_scene()).draws == 1


def test_a_size_that_is_refused_leaves_the_old_one(renderer) -> None:
    for size in ((1_000_000, 8), (-1, 4), 7):
        with pytest.raises(InputError):
            renderer.resize(size)
    assert renderer.size == (16, 16)
    assert renderer.render(make_scene()).shape == (16, 16, 4)


def test_the_background_of_a_scene_may_be_adaptive_or_an_array(renderer) -> None:
    color = cval("white")
    scene = make_scene(background=color)
    assert tuple(renderer.render(scene)[0, 0]) == WHITE
    color.value = "black"
    assert tuple(renderer.render(scene)[0, 0]) == BLACK
    scene.background = np.array([1.0, 1.0, 1.0, 1.0])
    assert tuple(renderer.render(scene)[0, 0]) == WHITE


def test_a_bad_background_harms_no_later_picture(renderer) -> None:
    scene = make_scene(background=cval("no colour"))
    with pytest.raises(InputError, match="background"):
        renderer.render(scene)
    scene.background = "white"
    assert np.array_equal(renderer.render(scene), renderer.render(make_scene(background="white")))


def test_a_frame_that_was_not_submitted_harms_no_later_picture(renderer, monkeypatch) -> None:
    scene = make_scene()
    expected = renderer.render(make_scene())

    def fail(*_: object) -> None:
        raise RuntimeError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(HeapScene, "encode_draws", fail)
        with pytest.raises(RuntimeError, match="no memory"):
            renderer.draw(scene)
    assert np.array_equal(renderer.render(scene), expected)


def test_a_target_of_another_kind_is_refused(device, renderer) -> None:
    scene = make_scene()
    target = OffscreenTarget(device, (16, 16), Targets(samples=4))
    with pytest.raises(InputError, match="samples"):
        renderer.draw(scene, target=target)
    target.close()
    assert len(np.unique(renderer.render(scene).reshape(-1, 4), axis=0)) > 1


def test_an_offscreen_target_has_one_colour(device) -> None:
    colors = {"color": "rgba8unorm-srgb", "other": "rgba8unorm"}
    with pytest.raises(InputError, match="one colour target"):
        OffscreenTarget(device, (8, 8), Targets(colors))


def test_a_report_does_not_take_the_time_of_a_later_frame(renderer) -> None:
    scene = make_scene()
    first = renderer.draw(scene)
    second = renderer.draw(scene)
    assert first.resolve().gpu_ms is None
    if "timestamp-query" in renderer.device.features:
        assert second.resolve().gpu_ms is not None


def test_waiting_and_reading_back_are_told_apart(renderer) -> None:
    renderer.render(make_scene())
    assert renderer.report.readback_ms > 0
    if "timestamp-query" in renderer.device.features:
        assert renderer.report.wait_ms > 0


def test_asking_for_the_order_changes_nothing(renderer) -> None:
    scenes = [make_scene() for _ in range(4)]
    for scene in scenes:
        renderer.draw(scene)
    kept = list(renderer._scenes.items())
    assert len(renderer.order(scenes[0])) == 1
    with pytest.raises(FrameOrderError, match=r"not drawn yet(.|\n)*render\(scene\) first"):
        renderer.order(make_scene())
    assert list(renderer._scenes.items()) == kept
    renderer.close()
    with pytest.raises(FrameOrderError, match="closed"):
        renderer.order(scenes[0])


def test_a_closed_renderer_draws_nothing(device) -> None:
    renderer = Renderer((8, 8), device=device)
    renderer.close()
    renderer.close()
    with pytest.raises(FrameOrderError, match="closed"):
        renderer.render(make_scene())


def test_the_room_of_an_index_buffer_is_charged_to_the_budget(device) -> None:
    """30 boxes emit 1,080 indices, 17 tiles of 64, and get room for 1,280."""
    kinds = (UnlitMaterial("red"), PhongMaterial("red"))
    draws = Scene([Mesh(box(), kind) for kind in kinds for _ in range(30)])
    for spare, expected in ((17 * 64, {"expanded": 1, "mega": 1}), (1280, {"expanded": 2})):
        nbytes = 4 * (17 * 64 + spare)
        with HeapScene(device, Targets(), draws, expanded_bytes=nbytes) as scene:
            scene.update()
            encoder = device.create_command_encoder()
            scene.encode_compute(encoder)
            counts = Counter(name for b in scene._buckets.values() for name in b.encodings)
            assert counts == expected
            held = sum(b._kernels.indices.nbytes for b in scene._buckets.values())
            assert held >= sum(b._spent for b in scene._buckets.values()) >= 4 * 1280


def test_four_scenes_are_kept_and_a_fifth_takes_a_place(renderer) -> None:
    scenes = [make_scene() for _ in range(5)]

    def sent(shown: list[Scene]) -> list[bool]:
        return [renderer.draw(scene).bytes_uploaded > 0 for scene in shown]

    sent(scenes[:4])
    assert sent(scenes[:4]) == [False] * 4
    sent(scenes)
    assert sent(scenes) == [True] * 5


@pytest.mark.parametrize("size", [(0, 0), (0, 5), (5, 0)])
def test_a_window_may_start_without_pixels(device, size: tuple[int, int]) -> None:
    color = cval("red")
    scene = Scene(Mesh(box(), UnlitMaterial(color)))
    with Renderer(size, samples=1, device=device) as renderer:
        assert renderer.size == size
        image = renderer.render(scene)
        assert (image.shape, image.dtype) == ((size[1], size[0], 4), np.uint8)
        assert renderer.report.draw_calls == 0
        assert renderer.report.bytes_uploaded == 0
        color.value = "blue"
        renderer.resize((16, 16))
        with Renderer((16, 16), samples=1, device=device) as other:
            assert np.array_equal(renderer.render(scene), other.render(scene))
        assert renderer.report.draw_calls == 1
        renderer.resize(size)
        renderer.draw(scene)
        renderer.recover(device)
        renderer.resize((16, 16))
        assert renderer.render(scene).any()


def test_a_single_picture_has_pixels() -> None:
    with pytest.raises(InputError, match="from 1 on"):
        render(make_scene(), size=(0, 10))


class TestPicturesWithoutARenderer:
    @pytest.fixture
    def made(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        devices: list[Any] = []

        def request() -> Any:
            devices.append(FaultyDevice(request_device()))
            return devices[-1]

        monkeypatch.setattr(device_module, "request_device", request)
        monkeypatch.setattr(device_module, "_shared", {})
        return devices

    def test_they_share_a_device(self, made: list[Any]) -> None:
        first = render(make_scene(), size=(16, 16))
        assert np.array_equal(first, render(make_scene(), size=(16, 16)))
        assert render(make_scene(), size=(8, 4), samples=1).shape == (4, 8, 4)
        assert len(made) == 1

    def test_one_that_is_lost_is_replaced(self, made: list[Any]) -> None:
        first = render(make_scene(), size=(16, 16))
        made[0].destroy()
        assert np.array_equal(first, render(make_scene(), size=(16, 16)))
        assert len(made) == 2
        render(make_scene(), size=(16, 16))
        assert len(made) == 2

    def test_a_given_one_wins(self, made: list[Any], device) -> None:
        assert render(make_scene(), size=(16, 16), device=device).any()
        assert made == []

    def test_another_process_has_its_own(
        self, made: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        render(make_scene(), size=(8, 8))
        monkeypatch.setattr(device_module.os, "getpid", lambda: -1)
        render(make_scene(), size=(8, 8))
        assert len(made) == 2
