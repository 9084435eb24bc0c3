"""Thirty rounds of build and close leave objects, nodes and resident memory where they were."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wgpu

import heapscene as hs
from heapscene.adaptive import live_nodes
from heapscene.gpu import request_device
from reference.faulty_device import FaultyDevice

ROUNDS = 30
MESHES = 200
CAMERA = hs.PerspectiveCamera(position=(3, 2, 9), target=(0, 0, 0), near=0.1, far=50)


def alive() -> dict[str, int]:
    gc.collect()
    counts = wgpu.diagnostics.object_counts.get_dict()
    kinds = {name: entry["count"] for name, entry in counts.items() if entry["count"]}
    return kinds | {"adaptive nodes": live_nodes()}


def resident_bytes() -> int:
    """Return the memory of this process that is in RAM, without what malloc has in reserve."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def one_round(device: Any, encoding: str, fault: int = 0) -> None:
    """Build a scene of a few hundred kB on several pages, draw it, change it, and close."""
    rng = np.random.default_rng(1)
    shapes = [hs.geometry.box(), hs.geometry.sphere(0.5, (12, 8))]
    colors = [hs.cval((*rng.random(3).tolist(), 1.0)) for _ in range(MESHES)]
    meshes = [
        hs.Mesh(shapes[k % 2], hs.UnlitMaterial(color), position=rng.uniform(-3, 3, 3))
        for k, color in enumerate(colors)
    ]
    table = hs.DrawTable(
        hs.PhongMaterial("gold"),
        geometry=shapes,
        columns={"position": rng.uniform(-3, 3, (400, 3)).astype(np.float32)},
    )
    scene = hs.Scene(*meshes[: MESHES // 2], table)
    if fault:
        device.fail_at(fault)
    try:
        with hs.Renderer(
            (16, 16), samples=1, device=device, encoding=encoding, page_bytes=16384
        ) as renderer:
            renderer.draw(scene, CAMERA)
            scene.add(*meshes[MESHES // 2 :])
            for color in colors[::3]:
                color.value = (1.0, 0.0, 0.0, 1.0)
            table.write("position", np.zeros((100, 3), np.float32), np.arange(100))
            renderer.render(scene, CAMERA)
            renderer.recover(device)
            renderer.render(scene, CAMERA)
            assert renderer.report.pages > 1
    except hs.errors.OutOfMemoryError:
        assert fault


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_rounds_leave_nothing(device, encoding: str) -> None:
    for _ in range(5):  # what is made once and kept is made here, and the allocators warm up
        one_round(device, encoding)
    before, resident = alive(), resident_bytes()
    for _ in range(ROUNDS):
        one_round(device, encoding)
    assert alive() == before
    grown = resident_bytes() - resident
    assert grown < 8 << 20, f"{grown:,} bytes"


def test_rounds_that_fail_leave_nothing(device) -> None:
    faulty = FaultyDevice(device)
    for _ in range(2):
        one_round(faulty, "auto")
    before = alive()
    for number in range(1, ROUNDS):
        one_round(faulty, "auto", fault=4 * number)
    faulty.relax()
    assert alive() == before


@pytest.mark.long
def test_rounds_with_a_device_each_leave_nothing() -> None:
    def one() -> None:
        one_round(request_device(), "auto")

    for _ in range(5):
        one()
    before, resident = alive(), resident_bytes()
    for _ in range(ROUNDS):
        one()
    assert alive() == before
    grown = resident_bytes() - resident
    assert grown < 16 << 20, f"{grown:,} bytes"
