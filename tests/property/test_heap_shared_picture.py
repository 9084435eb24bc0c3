"""Scenes on one heap draw right in any order of updates and encodings, while pages grow and move."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import wgpu

import heapscene as hs
from heapscene.draw import Draw, Geometry
from heapscene.errors import FrameOrderError, InputError
from heapscene.gpu import read_texture, request_device
from heapscene.render import Heap, HeapScene, OffscreenTarget, Targets
from leaks.test_leaks import alive
from reference.naive_renderer import NaiveRenderer
from reference.pictures import BACKGROUND, CAMERA, SIZE, frame_values
from reference.programs import PROGRAMS
from reference.worlds import World

pytestmark = pytest.mark.gpu


class View:
    """A scene on a heap, whose frame is made step by step."""

    def __init__(self, device, what, heap, encoding="auto", samples=1) -> None:
        self.device, self.samples = device, samples
        targets = Targets(samples=samples)
        self.target = OffscreenTarget(device, SIZE, targets)
        self.scene = HeapScene(device, targets, what, heap=heap, encoding=encoding)

    def update(self):
        return self.scene.update(CAMERA, inputs={"viewport": SIZE, "time": 0.7})

    def encode(self):
        encoder = self.device.create_command_encoder()
        self.scene.encode_compute(encoder)
        render_pass = encoder.begin_render_pass(**self.target.pass_descriptor(BACKGROUND))
        self.scene.encode_draws(render_pass)
        render_pass.end()
        return encoder.finish()

    def agrees(self, naive) -> None:
        want = naive.render(
            self.scene.order(),
            frame_values(),
            size=SIZE,
            samples=self.samples,
            background=BACKGROUND,
        )
        image = read_texture(self.device, self.target.color, SIZE)
        assert np.array_equal(image, want), int((image != want).any(-1).sum())

    def close(self) -> None:
        self.scene.close()
        self.target.close()


def restless(heap: Heap, most_bytes: int = 2**23) -> None:
    compactor = heap.memory.compactor
    compactor.waste_share = compactor.least_waste = 0
    compactor.most_bytes = most_bytes


def clutter(rng: np.random.Generator) -> Draw:
    """A draw of its own geometry, of any size."""
    n = 3 * int(rng.choice([1, 10, 100, 300]))
    geometry = Geometry({"position": rng.uniform(-1, 1, (n, 3)), "normal": rng.random((n, 3))})
    return Draw(PROGRAMS[0], geometry, {"model": np.eye(4), "color": rng.random(4)})


@pytest.fixture
def naive(device):
    renderer = NaiveRenderer(device)
    yield renderer
    renderer.close()


@pytest.mark.parametrize("seed", range(6))
def test_scenes_on_one_heap_draw_what_they_would_draw_alone(device, naive, seed):
    world = World(700 + seed)
    heap = Heap(device, page_bytes=(64 * 1024, 4096)[seed % 2])
    restless(heap, (2**23, 500)[seed // 2 % 2])
    views = [
        View(device, world, heap, "expanded", samples=1),
        View(device, world, heap, "mega", samples=4),
    ]
    moved = 0
    for step in range(20):
        for _ in range(3):
            world.step()
        order = views[:: 1 if step % 2 else -1]
        for view in order:
            moved += view.update().bytes_moved > 0
        device.queue.submit([view.encode() for view in views])
        for view in views:
            view.agrees(naive)
        if step % 5 == 4:
            report = heap.validate()
            assert report.ok, str(report)
    assert moved > 2
    views[seed % 2].close()
    world.step()
    (last,) = [view for view in views if view is not views[seed % 2]]
    last.update()
    device.queue.submit([last.encode()])
    last.agrees(naive)
    last.close()
    assert heap.stats()["entries"] == 0
    heap.close()


@pytest.mark.parametrize("seed", range(4))
def test_what_is_encoded_stays_right_while_another_scene_grows_and_moves(device, naive, seed):
    """One scene is encoded, the other is updated with growth and compaction pending, then both run."""
    rng = np.random.default_rng(seed)
    world = World(800 + seed)
    heap = Heap(device, page_bytes=(2**20, 64 * 1024)[seed % 2])
    restless(heap, (2**23, 20_000)[seed // 2])
    views = [
        View(device, world, heap, "expanded", samples=1),
        View(device, world, heap, "mega", samples=4),
    ]
    extra: list[list[Draw]] = [[], []]
    replaced = moved = 0
    for step in range(24):
        for _ in range(2):
            world.step()
        early, late = views[step % 2], views[1 - step % 2]
        early.update()
        encoded = early.encode()
        generations = {page: mirror.generation for page, mirror in heap.mirrors.items()}
        mine = extra[1 - step % 2]
        for _ in range(int(rng.integers(0, 12))):
            mine.append(clutter(rng))
            late.scene.add(mine[-1])
        while len(mine) > 25 or (mine and rng.random() < 0.6):
            late.scene.remove(mine.pop(int(rng.integers(len(mine)))))
        moved += late.update().bytes_moved > 0
        if rng.random() < 0.3:
            moved += heap.compact() > 0
        replaced += any(
            generations.get(page, mirror.generation) != mirror.generation
            for page, mirror in heap.mirrors.items()
        )
        device.queue.submit([encoded, late.encode()])
        for view in views:
            view.agrees(naive)
    assert moved > 5
    assert replaced >= 1
    heap.close()
    for view in views:
        view.target.close()


def test_a_buffer_shrinks_when_nobody_may_still_draw_from_it(device, naive):
    heap = Heap(device)
    restless(heap)
    rng = np.random.default_rng(0)
    large = [
        Draw(
            PROGRAMS[0],
            Geometry({"position": rng.random((60_000, 3)), "normal": rng.random((60_000, 3))}),
            {"model": np.zeros((4, 4)), "color": "red"},
        )
        for _ in range(4)
    ]
    shown = [clutter(rng) for _ in range(5)]
    late, early = View(device, [], heap), View(device, shown, heap)
    for draw in large:
        late.scene.add(draw)
    for view in (late, early):
        view.update()
        device.queue.submit([view.encode()])
    early.update()
    encoded = early.encode()
    for draw in large:
        late.scene.remove(draw)
    (mirror,) = heap.mirrors.values()
    size = mirror.nbytes
    assert late.update().bytes_moved > 0
    assert mirror.nbytes == size
    device.queue.submit([encoded, late.encode()])
    early.agrees(naive)
    for view in (early, late):
        view.update()
    assert mirror.nbytes <= size / 4
    device.queue.submit([early.encode()])
    early.agrees(naive)
    for view in (early, late):
        view.close()
    heap.close()


def coloured(count: int) -> tuple[list[hs.CVal], list[Draw]]:
    """Return cells and the draws that have them as colours, all of them in sight."""
    rng = np.random.default_rng(4)
    cells = [hs.cval((*rng.random(3).tolist(), 1.0)) for _ in range(count)]
    geometry = Geometry({"position": rng.uniform(-1, 1, (9, 3)), "normal": rng.random((9, 3))})
    matrices = [np.eye(4) for _ in cells]
    for matrix in matrices:
        matrix[:3, 3] = rng.uniform(-0.8, 0.8, 3)
    return cells, [
        Draw(PROGRAMS[0], geometry, {"model": matrix, "color": cell})
        for matrix, cell in zip(matrices, cells, strict=True)
    ]


def recolour(cells: list[hs.CVal], seed: int) -> None:
    """Change so many colours apart from each other that they are sent by a scatter."""
    for cell, color in zip(cells, np.random.default_rng(seed).random((len(cells), 3)), strict=True):
        cell.value = (*color.tolist(), 1.0)


@pytest.mark.parametrize("is_shared", [False, True])
def test_an_update_that_was_not_encoded_does_not_undo_the_next(device, naive, is_shared):
    """A scatter that waits would come after what the next update writes at once."""
    cells, draws = coloured(1600)
    heap = Heap(device) if is_shared else None
    view = View(device, draws, heap)
    view.update()
    recolour(cells[::10], 1)
    assert view.update().upload_writes <= 3, "not by a scatter"
    for cell in cells[:200:10]:
        cell.value = (1.0, 1.0, 1.0, 1.0)
    view.update()
    device.queue.submit([view.encode()])
    view.agrees(naive)
    view.close()
    if heap is not None:
        heap.close()


def test_what_a_scene_sent_is_there_though_another_was_encoded_in_vain(device, naive):
    cells, draws = coloured(1600)
    heap = Heap(device)
    drawn, forgotten = View(device, draws, heap), View(device, draws, heap)
    for view in (drawn, forgotten):
        view.update()
        device.queue.submit([view.encode()])
    forgotten.update()
    recolour(cells[::10], 1)
    drawn.update()
    forgotten.encode()  # and never submitted
    device.queue.submit([drawn.encode()])
    drawn.agrees(naive)
    for view in (drawn, forgotten):
        view.close()
    heap.close()


def test_what_compact_moved_is_sent_before_a_page_grows(device, naive):
    """A scene that was encoded in between sees the buffer that was, through header rows that are."""
    rng = np.random.default_rng(2)
    holes = [clutter(rng) for _ in range(60)]
    heap = Heap(device, page_bytes=2**23)
    growing, still = View(device, [], heap), View(device, [], heap)
    for hole in holes:
        growing.scene.add(hole)
    growing.update()
    for _ in range(5):
        still.scene.add(clutter(rng))
    for view in (still, growing):
        view.update()
        device.queue.submit([view.encode()])
    for hole in holes[1:]:
        growing.scene.remove(hole)
    for view in (growing, still):
        view.update()
        if view is growing:
            device.queue.submit([view.encode()])
    assert heap.compact() > 0
    encoded = still.encode()
    (mirror,) = heap.mirrors.values()
    generation = mirror.generation
    for _ in range(600):
        growing.scene.add(clutter(rng))
    growing.update()
    assert mirror.generation != generation
    device.queue.submit([encoded, growing.encode()])
    for view in (still, growing):
        view.agrees(naive)
        view.close()
    heap.close()


def test_what_scenes_share_is_sent_once(device):
    rng = np.random.default_rng(0)
    draws = [clutter(rng) for _ in range(40)]
    alone = View(device, draws, None)
    sent = alone.update().bytes_uploaded
    heap = Heap(device)
    first, second = (View(device, draws, heap) for _ in range(2))
    assert abs(first.update().bytes_uploaded - sent) < 0.01 * sent
    assert second.update().bytes_uploaded < 0.2 * sent
    assert heap.stats()["scenes"] == 2
    assert heap.stats()["entries"] == alone.scene.stats()["entries"]
    for view in (alone, first, second):
        view.close()
    heap.close()


def test_a_scene_that_is_dropped_gives_its_part_back(device):
    rng = np.random.default_rng(0)
    heap = Heap(device)
    kept, dropped = View(device, [clutter(rng)], heap), View(device, [clutter(rng)], heap)
    for view in (kept, dropped):
        view.update()
    entries = heap.stats()["entries"]
    dropped.target.close()
    del dropped, view
    gc.collect()
    kept.update()
    assert heap.stats()["entries"] < entries
    assert heap.stats()["scenes"] == 1
    assert len(heap.memory.heaps) == 1
    kept.close()
    heap.close()


def test_a_pass_without_colour_shares_the_heap(device):
    draws = [clutter(np.random.default_rng(k)) for k in range(3)]
    heap = hs.Heap(device)
    color = View(device, draws, heap)
    depth = hs.HeapScene(device, Targets(colors={}), draws, heap=heap)
    texture = device.create_texture(
        size=(*SIZE, 1),
        format="depth32float",
        usage=wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC,
    )
    color.update()
    depth.update(CAMERA, inputs={"viewport": SIZE})
    encoder = device.create_command_encoder()
    depth.encode_compute(encoder)
    attachment = {
        "view": texture.create_view(),
        "depth_load_op": "clear",
        "depth_store_op": "store",
        "depth_clear_value": 1.0,
    }
    render_pass = encoder.begin_render_pass(
        color_attachments=[], depth_stencil_attachment=attachment
    )
    depth.encode_draws(render_pass)
    render_pass.end()
    device.queue.submit([color.encode(), encoder.finish()])
    renderer = NaiveRenderer(device)
    color.agrees(renderer)
    image = read_texture(device, color.target.color, SIZE)
    covered = (image != image[0, 0]).any(-1)
    distances = read_texture(device, texture, SIZE).view(np.float32)[..., 0]
    assert 0.05 < covered.mean() < 0.95
    assert np.array_equal(distances < 1, covered)
    assert heap.stats()["live_bytes"] == color.scene.stats()["live_bytes"]
    renderer.close()
    color.close()
    depth.close()
    heap.close()


@pytest.mark.parametrize("way", ["scenes first", "heap first", "dropped"])
def test_nothing_of_a_shared_heap_stays_behind(device, way):
    def use() -> None:
        world = World(1)
        heap = Heap(device, page_bytes=65536)
        restless(heap)
        views = [View(device, world, heap, samples=samples) for samples in (1, 4)]
        for _ in range(4):
            world.step()
            for view in views:
                view.update()
            device.queue.submit([view.encode() for view in views])
        if way == "heap first":
            heap.close()
        for view in views:
            view.target.close()
            if way != "dropped":
                view.scene.close()
        if way == "scenes first":
            assert heap.stats()["entries"] == 0
            heap.close()

    use()
    before = alive()
    for _ in range(3):
        use()
    assert alive() == before


def test_scenes_on_a_heap_are_recovered_together(device):
    draws = [clutter(np.random.default_rng(k)) for k in range(3)]
    heap = Heap(device)
    views = [View(device, draws, heap), View(device, draws[:2], heap, samples=4)]
    pictures: list[list[np.ndarray]] = []
    for _ in range(2):
        for view in views:
            view.update()
        views[0].device.queue.submit([view.encode() for view in views])
        pictures.append([read_texture(v.device, v.target.color, SIZE) for v in views])
        other = request_device()
        views[1].scene.recover(other)
        assert heap.device is other
        for view in views:
            view.target.close()
            view.device = other
            view.target = OffscreenTarget(other, SIZE, Targets(samples=view.samples))
    for before, after in zip(*pictures, strict=True):
        assert np.array_equal(before, after)
        assert (before != before[0, 0]).any()
    assert heap.stats()["scenes"] == 2
    heap.close()


def test_closing_a_heap_closes_its_scenes(device):
    heap = Heap(device, page_bytes=65536)
    view = View(device, [clutter(np.random.default_rng(0))], heap)
    view.update()
    heap.close()
    heap.close()
    with pytest.raises(FrameOrderError, match="closed"):
        view.update()
    with pytest.raises(FrameOrderError, match="this heap is closed"):
        HeapScene(device, Targets(), [], heap=heap)
    view.close()


def test_a_heap_of_another_device_or_size_is_refused(device):
    with Heap(device, page_bytes=65536) as heap:
        with pytest.raises(InputError, match="page_bytes"):
            HeapScene(device, Targets(), [], heap=heap, page_bytes=4096)
        with pytest.raises(InputError, match="another device"):
            HeapScene(request_device(), Targets(), [], heap=heap)
    with pytest.raises(InputError, match="at least"):
        Heap(device, page_bytes=0)
