"""What each kind of change costs: bytes, writes, functions that run, nodes that stay."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import heapscene as hs
from heapscene.adaptive import live_nodes

pytestmark = pytest.mark.gpu

RECORD = 32
ROW = 56
"""Bytes of a header row of a Phong draw: three attributes and four inputs, two words each."""
COLOR = 16
MATRIX = 64
COUNTS = 32
PART = 256
"""Bytes that tell the kernels about one slot, as far apart as WebGPU wants them."""
"""Bytes of the numbers that kernels take."""
MANY = 100


class World:
    """Meshes of every kind: loose with cells, in groups, from sets, with a shared material."""

    def __init__(self) -> None:
        self.box = hs.geometry.box()
        self.ball = hs.geometry.sphere(0.5, (8, 6))
        self.colors = [hs.cval((k / MANY, 0.5, 0.5)) for k in range(MANY)]
        self.places = [hs.cval((k, 0, 0)) for k in range(MANY)]
        self.moves = [hs.cval(np.eye(4)) for _ in range(MANY)]
        self.mapped = [hs.cval(k / MANY) for k in range(MANY)]
        self.loose = [
            hs.Mesh(self.box, hs.PhongMaterial(color), transform=move)
            for color, move in zip(self.colors, self.moves, strict=True)
        ]
        self.placed = [hs.Mesh(self.box, hs.PhongMaterial(), position=p) for p in self.places]
        self.grey = [
            hs.Mesh(self.box, hs.PhongMaterial(value.map(lambda x: (x, x, x, 1.0))))
            for value in self.mapped
        ]
        self.plain = [
            hs.Mesh(self.box, hs.PhongMaterial((0.1, 0.2, k / MANY)), position=(k, 1, 0))
            for k in range(MANY)
        ]
        self.material = hs.PhongMaterial("tomato")
        self.alike = [hs.Mesh(self.ball, self.material, position=(k, 2, 0)) for k in range(MANY)]
        self.group = hs.Group(*self.plain)
        self.other = hs.Group(position=(0, 5, 0))
        self.inner = hs.Group(*self.alike)
        self.outer = hs.Group(self.inner)
        self.shown = hs.cval(True)
        self.members = hs.cset(
            hs.Mesh(self.box, hs.PhongMaterial(), position=(k, 3, 0)) for k in range(MANY)
        )
        self.switched = hs.Group(self.members, visible=self.shown)
        self.spare = [hs.Mesh(self.box, self.material, position=(k, 9, 0)) for k in range(MANY)]
        self.scene = hs.Scene(
            self.loose, self.placed, self.grey, self.group, self.other, self.outer, self.switched
        )
        self.camera = hs.PerspectiveCamera(
            position=(40, 30, 50), target=(10, 10, 10), near=1, far=200
        )


class Change(NamedTuple):
    """What is done, and what it may cost at most.

    `uploaded` and `writes` count what is sent, `runs` functions, `nodes` adaptive values that are
    there afterwards and were not before; `kernels` tells whether compute passes may run.
    """

    name: str
    act: Callable[[World], Any]
    uploaded: int = 0
    writes: int = 0
    runs: int = 0
    nodes: int = 0
    kernels: bool = False
    before: Callable[[World], Any] | None = None


def assign(of: Callable[[World], Any], name: str, value: Any) -> Callable[[World], None]:
    return lambda world: setattr(of(world), name, value)


def recolor(world: World) -> None:
    with hs.transact():
        for k, color in enumerate(world.colors):
            color.value = (0.25, k / MANY, 0.75)


def move_over(world: World) -> None:
    world.group.remove(world.plain[5])
    world.other.add(world.plain[5])


def make_room(world: World) -> None:
    """Have the record table grow by its half, so that the next ones need no more room."""
    world.scene.add(hs.Mesh(world.box, hs.PhongMaterial()))


def matrix(x: float) -> np.ndarray:
    result = np.eye(4)
    result[0, 3] = x
    return result


def scattered(count: int, size: int) -> int:
    """Bytes of `count` rows that need not lie side by side: 1.2 times their size, and 4 kB."""
    return int(1.2 * count * size) + 4096


CHANGES = [
    Change("nothing", lambda world: None),
    Change("colour cell", assign(lambda w: w.colors[7], "value", (0, 1, 0)), COLOR, 1),
    Change("same colour", lambda w: setattr(w.colors[7], "value", tuple(w.colors[7].value))),
    Change("all colour cells", recolor, scattered(MANY, COLOR), 4),
    Change("matrix cell", lambda w: setattr(w.moves[3], "value", matrix(2)), MATRIX, 1),
    Change("position cell", assign(lambda w: w.places[3], "value", (3, 3, 3)), MATRIX, 1, runs=1),
    Change("mapped value", assign(lambda w: w.mapped[3], "value", 0.9), COLOR, 1, runs=1),
    Change("mapped to the same", lambda w: setattr(w.mapped[3], "value", float(w.mapped[3].value))),
    Change(
        "first colour of a plain material",
        assign(lambda w: w.plain[3].material, "color", (1, 1, 0)),
        COLOR + ROW,
        2,
        nodes=1,
    ),
    Change(
        "later colour of a plain material",
        assign(lambda w: w.plain[3].material, "color", (1, 0, 1)),
        COLOR,
        1,
        before=assign(lambda w: w.plain[3].material, "color", (1, 1, 0)),
    ),
    Change(
        "first colour of a shared material",
        assign(lambda w: w.material, "color", "teal"),
        COLOR + scattered(MANY, ROW),
        4,
        nodes=1,
    ),
    Change(
        "later colour of a shared material",
        assign(lambda w: w.material, "color", "gold"),
        COLOR,
        1,
        before=assign(lambda w: w.material, "color", "teal"),
    ),
    Change(
        "first position of a plain mesh",
        assign(lambda w: w.plain[3], "position", (1, 2, 3)),
        MATRIX + ROW,
        2,
        runs=1,
        nodes=2,
    ),
    Change(
        "later position of a plain mesh",
        assign(lambda w: w.plain[3], "position", (3, 2, 1)),
        MATRIX,
        1,
        runs=1,
        before=assign(lambda w: w.plain[3], "position", (1, 2, 3)),
    ),
    Change("hide a mesh", assign(lambda w: w.plain[3], "visible", False), RECORD, 1, kernels=True),
    Change(
        "show a mesh",
        assign(lambda w: w.plain[3], "visible", True),
        RECORD,
        1,
        kernels=True,
        before=assign(lambda w: w.plain[3], "visible", False),
    ),
    Change(
        "hide a group by its cell",
        assign(lambda w: w.shown, "value", False),
        RECORD * MANY,
        1,
        kernels=True,
    ),
    Change(
        "hide a plain group",
        assign(lambda w: w.group, "visible", False),
        RECORD * MANY,
        1,
        nodes=1,
        kernels=True,
    ),
    Change(
        "show a plain group",
        assign(lambda w: w.group, "visible", True),
        RECORD * MANY,
        1,
        kernels=True,
        before=assign(lambda w: w.group, "visible", False),
    ),
    Change(
        "hide a group of groups",
        assign(lambda w: w.outer, "visible", False),
        RECORD * MANY,
        1,
        nodes=1,
        kernels=True,
    ),
    Change(
        "hide what is hidden",
        assign(lambda w: w.plain[3], "visible", False),
        before=assign(lambda w: w.group, "visible", False),
    ),
    Change(
        "first position of a group",
        assign(lambda w: w.group, "position", (0, 0, 1)),
        MANY * (MATRIX + ROW) + 4096,
        4,
        runs=1 + MANY,
        nodes=2 + MANY,
    ),
    Change(
        "later position of a group",
        assign(lambda w: w.group, "position", (0, 1, 1)),
        scattered(MANY, MATRIX),
        4,
        runs=1 + MANY,
        before=assign(lambda w: w.group, "position", (0, 0, 1)),
    ),
    Change(
        "add a mesh",
        lambda w: w.scene.add(w.spare[0]),
        MATRIX + ROW + RECORD + COUNTS,
        4,
        kernels=True,
        before=make_room,
    ),
    Change(
        "add many meshes",
        lambda w: w.group.add(w.spare),
        MANY * (MATRIX + ROW + RECORD) + COUNTS,
        5,
        kernels=True,
        before=make_room,
    ),
    Change("remove a mesh", lambda w: w.scene.remove(w.loose[50]), RECORD, 1, kernels=True),
    Change(
        "remove many meshes",
        lambda w: w.scene.remove(*w.loose),
        RECORD * MANY,
        1,
        kernels=True,
    ),
    Change(
        "move to another group",
        move_over,
        MATRIX + ROW + 2 * RECORD,
        4,
        kernels=True,
        before=make_room,
    ),
    Change(
        "swap a geometry",
        assign(lambda w: w.plain[3], "geometry", hs.geometry.cone(0.5, 1.0, 8)),
        8192,
        3,
        kernels=True,
    ),
    Change(
        "swap for a geometry that is there",
        lambda w: setattr(w.plain[3], "geometry", w.ball),
        ROW + RECORD,
        2,
        kernels=True,
    ),
    Change(
        "swap a material",
        lambda w: setattr(w.plain[3], "material", w.material),
        ROW,
        1,
    ),
    Change(
        "another state",
        assign(lambda w: w.plain[3].material, "state", hs.PipelineState(cull_mode="back")),
        12 * RECORD + 3 * PART,
        5,
        kernels=True,
    ),
    Change(
        "one of a set leaves",
        lambda w: w.members.remove(next(iter(w.members))),
        RECORD,
        1,
        kernels=True,
    ),
    Change(
        "one comes to a set",
        lambda w: w.members.add(w.spare[0]),
        MATRIX + ROW + RECORD + COUNTS,
        4,
        kernels=True,
        before=make_room,
    ),
    Change("background", assign(lambda w: w.scene, "background", (0, 0, 1))),
    Change("camera", lambda w: setattr(w.camera, "position", (41, 30, 50)), 256, 1),
]


@pytest.fixture(scope="module")
def renderer(device):
    with hs.Renderer((64, 48), samples=1, device=device) as renderer:
        yield renderer


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_change_costs_what_it_touches(renderer, change):
    world = World()
    for _ in range(2):
        renderer.draw(world.scene, world.camera)
    if change.before is not None:
        change.before(world)
    for _ in range(2):
        renderer.draw(world.scene, world.camera)
    gc.collect()
    nodes = live_nodes()
    change.act(world)
    report = renderer.draw(world.scene, world.camera)
    assert report.bytes_uploaded <= change.uploaded
    assert report.upload_writes <= change.writes
    assert report.nodes_evaluated <= change.runs
    assert change.kernels or report.compute_passes == 0
    assert report.draw_calls <= 2 * report.slots
    gc.collect()
    assert live_nodes() - nodes <= change.nodes
    still = renderer.draw(world.scene, world.camera)
    assert still.bytes_uploaded == still.upload_writes == still.compute_passes == 0
    assert still.nodes_evaluated == 0
