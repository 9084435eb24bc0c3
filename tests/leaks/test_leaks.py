"""What is closed is gone: GPU objects and adaptive nodes return to where they were."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
import wgpu

from heapscene.adaptive import cval, live_nodes
from heapscene.geometry import box, sphere
from heapscene.materials import PhongMaterial, UnlitMaterial
from heapscene.render import Renderer
from heapscene.scene import Group, Mesh, Scene

ROUNDS = 5
OBJECTS = 40


def alive() -> dict[str, int]:
    """How many objects of each kind exist, after the garbage is collected."""
    gc.collect()
    counts = wgpu.diagnostics.object_counts.get_dict()
    kinds = {name: entry["count"] for name, entry in counts.items() if entry["count"]}
    return kinds | {"adaptive nodes": live_nodes()}


def use(device: Any, encoding: str) -> Any:
    """Build a scene, draw it, change it in every way, draw it again, and drop it."""
    shapes = [box(), sphere()]
    colors = [cval((i / OBJECTS, 0.5, 0.5, 1.0)) for i in range(OBJECTS)]
    shown = cval(True)
    meshes = [
        Mesh(
            shapes[i % 2],
            (PhongMaterial if i % 3 else UnlitMaterial)(color=color),
            position=(i % 8, i // 8, 0),
        )
        for i, color in enumerate(colors)
    ]
    group = Group(*meshes, visible=shown)
    scene = Scene(group)
    with Renderer((32, 32), device=device, encoding=encoding) as renderer:
        first = renderer.render(scene)
        colors[0].value = (1.0, 0.0, 0.0, 1.0)
        meshes[1].position = (0.0, 0.0, 2.0)
        meshes[2].visible = False
        shown.value = False
        renderer.render(scene)
        shown.value = True
        group.remove(meshes[3])
        renderer.render(scene)
    return first


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_nothing_stays_behind(device: Any, encoding: str) -> None:
    first = use(device, encoding)  # what is made once and kept, such as classes, is made here
    assert len(np.unique(first.reshape(-1, 4), axis=0)) > 10
    before = alive()
    for _ in range(ROUNDS):
        use(device, encoding)
    assert alive() == before


def test_dropping_without_close_frees_as_well(device: Any) -> None:
    def forget() -> None:
        renderer = Renderer((16, 16), device=device)
        renderer.render(Scene(Mesh(box(), PhongMaterial(color="red"))))

    forget()
    before = alive()
    for _ in range(ROUNDS):
        forget()
    assert alive() == before


def test_long_use_of_one_renderer_keeps_nothing(device: Any) -> None:
    scene = Scene()
    with Renderer((16, 16), device=device) as renderer:

        def churn() -> None:
            meshes = [Mesh(box(), PhongMaterial(color=cval("red"))) for _ in range(10)]
            for mesh in meshes:
                scene.add(mesh)
            renderer.render(scene)
            for mesh in meshes:
                scene.remove(mesh)
            renderer.render(scene)

        churn()
        churn()
        before = alive()
        for _ in range(ROUNDS):
            churn()
        assert alive() == before
