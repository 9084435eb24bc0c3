"""Churn leaves memory flat: pages, GPU objects, adaptive nodes, Python's own memory."""

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import heapscene as hs
from heapscene.adaptive import live_nodes

CAMERA = hs.PerspectiveCamera(position=(3, 2, 6), target=(0, 0, 0), near=0.1, far=50)


@pytest.fixture
def renderer(device):
    with hs.Renderer((8, 8), samples=1, device=device) as renderer:
        yield renderer


def footprint(renderer):
    """Return what must not grow: heap sizes and bytes on the GPU, and live nodes."""
    stats = renderer.stats()["scenes"][-1]
    kept = ("pages", "page_bytes", "live_bytes", "entries", "records", "gpu_bytes")
    return {name: stats[name] for name in kept} | {"nodes": live_nodes()}


def replace_geometry(renderer, cycles):
    shapes = [hs.geometry.box(), hs.geometry.sphere(0.5, (8, 6)), hs.geometry.cone(0.5, 1, 9)]
    mesh = hs.Mesh(shapes[0], hs.UnlitMaterial("red"))
    scene = hs.Scene(mesh, hs.Mesh(shapes[1], hs.UnlitMaterial("blue"), position=(1, 0, 0)))
    seen = []
    tracemalloc.start()
    for cycle in range(cycles):
        mesh.geometry = shapes[cycle % 3]
        renderer.draw(scene, CAMERA)
        if cycle % (cycles // 4) == 0:
            gc.collect()
            seen.append((footprint(renderer), tracemalloc.get_traced_memory()[0]))
    tracemalloc.stop()
    places = [place for place, _ in seen[1:]]
    # The shape differs from sample to sample, so bytes are bounded by the largest of three.
    assert max(place["page_bytes"] for place in places) <= 16_384
    assert len({(place["pages"], place["nodes"]) for place in places}) == 1
    assert seen[-1][1] - seen[1][1] < 100_000


def test_replacing_a_geometry_a_thousand_times(renderer):
    replace_geometry(renderer, 1_000)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_replacing_a_geometry_ten_thousand_times(renderer):
    replace_geometry(renderer, 10_000)


def test_emptying_and_refilling_a_hundred_times(renderer):
    box = hs.geometry.box()
    scene = hs.Scene()
    sizes = []
    for _ in range(100):
        meshes = [
            hs.Mesh(box, hs.UnlitMaterial(hs.cval((k / 200, 0, 0))), position=(k % 9, k % 7, 0))
            for k in range(200)
        ]
        scene.add(*meshes)
        renderer.draw(scene, CAMERA)
        scene.clear()
        del meshes
        renderer.draw(scene, CAMERA)
        sizes.append(footprint(renderer))
    assert sizes[5:] == [sizes[5]] * 95


def test_dropping_a_scene_frees_it_without_close(device):
    def build():
        color = hs.cval("red")
        scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial(color)))
        with hs.Renderer((8, 8), samples=1, device=device) as renderer:
            renderer.draw(scene)
        return weakref.ref(scene), weakref.ref(color)

    build()
    gc.collect()
    before = live_nodes()
    gone = build()
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert live_nodes() == before


def test_a_thread_posts_while_frames_are_drawn(device):
    cells = [hs.cval((0.0, 0.0, 0.0)) for _ in range(100)]
    box = hs.geometry.box()
    scene = hs.Scene(
        *(
            hs.Mesh(box, hs.UnlitMaterial(cell), position=(k % 10 - 5, k // 10 - 5, -6))
            for k, cell in enumerate(cells)
        )
    )
    refused = []
    drawing = threading.Event()

    def write(cell, value):
        cell.value = value

    def work():
        drawing.wait()
        rng = np.random.default_rng(3)
        try:
            cells[0].value = (1.0, 1.0, 1.0)
        except hs.errors.AdaptiveError as error:
            refused.append(str(error))
        for number in range(100_000):
            color = tuple(rng.random(3).tolist()) if number >= 99_900 else (number / 1e5, 0.0, 0.0)
            cell = cells[number % 100]
            hs.post(lambda cell=cell, color=color: write(cell, color))

    with hs.Renderer((48, 48), samples=1, device=device) as renderer:
        thread = threading.Thread(target=work)
        thread.start()
        frames = 0
        while thread.is_alive():
            renderer.draw(scene, CAMERA)
            frames += 1
            drawing.set()
        thread.join()
        last = renderer.render(scene, CAMERA)
    assert frames > 1
    assert len(refused) == 1
    assert "post" in refused[0]
    rng = np.random.default_rng(3)
    assert [cell.value for cell in cells] == [tuple(rng.random(3).tolist()) for _ in range(100)]
    with hs.Renderer((48, 48), samples=1, device=device) as fresh:
        assert (fresh.render(scene, CAMERA) == last).all()
