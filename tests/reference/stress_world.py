"""A scene of nodes, draws and tables, and every kind of change to it, as a list that can be cut.

An operation is a name and a number. All that it does follows from these two and from what there is
when it is carried out, so any part of a list of operations is a list of operations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heapscene.adaptive import cset, cval, transact
from heapscene.draw import Draw, DrawTable, Geometry, PipelineState
from heapscene.materials import PhongMaterial, UnlitMaterial
from heapscene.scene import Group, Mesh, Scene
from reference.programs import PROGRAMS
from reference.table_worlds import Plain
from reference.worlds import STATES, make_geometries, normals, prism

# Nothing of these depends on what is drawn first.
OPAQUE = (
    PipelineState(),
    PipelineState(cull_mode="back"),
    PipelineState(cull_mode="front"),
    PipelineState(front_face="cw", cull_mode="back"),
)
INDEX_TYPES = (np.uint8, np.uint16, np.uint32, None)
MOST_THINGS = 12
MOST_ROWS = 160
SHOWN_ROWS = 6  # of a table, or the twin, which draws each by itself, takes too long


def large_shape(sides: int) -> Geometry:
    position, indices = prism(sides)
    return Geometry({"position": position, "normal": normals(position)}, indices.astype(np.uint16))


class Elastic:
    """A geometry whose arrays get other sizes while it is drawn."""

    def __init__(self, rng: np.random.Generator, is_indexed: bool) -> None:
        self.is_indexed = is_indexed
        arrays, indices = self._arrays(rng)
        self.cells = {name: cval(array) for name, array in arrays.items()}
        self.indices = cval(indices) if is_indexed else None
        self.geometry = Geometry(self.cells, self.indices)

    def _arrays(self, rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
        position, indices = prism(int(rng.choice([3, 4, 5, 6, 8, 13, 40])))
        arrays = {"position": position, "normal": normals(position)}
        if self.is_indexed:
            return arrays, indices.astype(INDEX_TYPES[int(rng.integers(3))])
        return {name: array[indices] for name, array in arrays.items()}, None

    def resize(self, rng: np.random.Generator) -> None:
        arrays, indices = self._arrays(rng)
        with transact():
            for name, array in arrays.items():
                self.cells[name].value = array
            if self.indices is not None:
                self.indices.value = indices


@dataclass(eq=False)
class Thing:
    """A child of a group, of the scene or of the scene's set, and what of it can be changed."""

    kind: str
    item: Any
    parent: Thing | None = None
    cells: dict[str, Any] = field(default_factory=dict)
    inside: list[Thing] = field(default_factory=list)

    def with_all_inside(self) -> list[Thing]:
        return [self] + [inner for thing in self.inside for inner in thing.with_all_inside()]


class StressWorld:
    """A scene, and what it was made of. The same seed and operations give the same scene."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.is_coincident = seed % 3 == 0
        self.is_order_free = seed % 3 == 1
        self.states = OPAQUE if self.is_order_free else STATES
        self.elastic = [Elastic(rng, is_indexed) for is_indexed in (True, True, False)]
        self.fixed = [*make_geometries(rng), *make_geometries(rng)]
        # Together they need more than one page of 64 KiB.
        large = [large_shape(int(sides)) for sides in rng.integers(150, 250, 6)]
        self.shapes = [*self.fixed, *large, *(elastic.geometry for elastic in self.elastic)]
        self.shared_colors = [cval(self.color(rng)) for _ in range(2)]
        self.materials: list[Any] = [
            Plain(program, {"color": color}, state)
            for program, color, state in zip(
                PROGRAMS, self.shared_colors, self.states, strict=False
            )
        ]
        self.materials += [
            kind(self.color(rng), state=state)
            for kind, state in zip((UnlitMaterial, PhongMaterial), self.states, strict=False)
        ]
        self.loose = cset()
        self.scene = Scene(self.loose)
        self.top = Thing("scene", self.scene)
        self.bag = Thing("set", self.loose)

    def do(self, name: str, number: int) -> None:
        """Carry out one operation; without anything to do it with, nothing happens."""
        CHANGES[name][1](self, np.random.default_rng(number))

    # -- what there is
    @property
    def things(self) -> list[Thing]:
        return [*self.top.with_all_inside()[1:], *self.bag.with_all_inside()[1:]]

    def some(self, rng: np.random.Generator, *kinds: str) -> Thing | None:
        found = [thing for thing in self.things if not kinds or thing.kind in kinds]
        return found[int(rng.integers(len(found)))] if found else None

    def attach(self, rng: np.random.Generator, thing: Thing) -> None:
        below = thing.with_all_inside()
        groups = [t for t in self.things if t.kind == "group" and t not in below]
        parents = [self.top, self.bag, *groups]
        parent = parents[int(rng.integers(len(parents)))]
        thing.parent = parent
        parent.inside.append(thing)
        parent.item.add(thing.item)

    def detach(self, thing: Thing) -> None:
        parent = thing.parent
        assert parent is not None
        parent.inside.remove(thing)
        parent.item.remove(thing.item)
        thing.parent = None

    def put(self, rng: np.random.Generator, kind: str, item: Any, **cells: Any) -> None:
        self.attach(rng, Thing(kind, item, cells=cells))

    # -- values
    def color(self, rng: np.random.Generator) -> tuple[float, ...]:
        return tuple(rng.random(4).round(3).tolist())

    def places(self, rng: np.random.Generator, n: int) -> np.ndarray:
        if self.is_coincident:
            return rng.integers(-1, 2, (n, 3)) * 0.5
        return rng.uniform(-1, 1, (n, 3))

    def models(self, rng: np.random.Generator, n: int) -> np.ndarray:
        models = np.zeros((n, 4, 4))
        models[:, 3, 3] = 1
        models[:, :3, 3] = self.places(rng, n)
        if self.is_coincident:
            models[:, :3, :3] = np.eye(3) * 0.7
            return models
        turns = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
        models[:, :3, :3] = turns * rng.uniform(0.3, 0.9, (n, 1, 3))
        return models

    def model(self, rng: np.random.Generator) -> np.ndarray:
        return self.models(rng, 1)[0]

    def frame(self, rng: np.random.Generator) -> np.ndarray:
        """Where a group or a table lies: near the middle, so that what is in it stays in sight."""
        matrix = np.eye(4)
        if self.is_coincident:
            matrix[:3, 3] = rng.integers(-1, 2, 3) * 0.25
            return matrix
        matrix[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        matrix[:3, 3] = rng.uniform(-0.3, 0.3, 3)
        return matrix

    def offsets(self, rng: np.random.Generator, rows: int) -> np.ndarray:
        return rng.uniform(-0.5, 0.5, (rows, 3)).astype(np.float32)

    def state(self, rng: np.random.Generator) -> PipelineState:
        return self.states[int(rng.integers(len(self.states)))]

    def shape(self, rng: np.random.Generator) -> Geometry:
        return self.shapes[int(rng.integers(len(self.shapes)))]

    def columns(self, rng: np.random.Generator, names: list[str], n: int) -> dict[str, Any]:
        """Values of columns for `n` rows, of which few are visible if there are many."""
        make: dict[str, Callable[[], Any]] = {
            "position": lambda: self.places(rng, n),
            "rotation": lambda: rng.normal(size=(n, 4)),
            "scale": lambda: rng.uniform(0.2, 0.6, n),
            "model": lambda: self.models(rng, n),
            "color": lambda: rng.random((n, 4)),
            "offset": lambda: rng.uniform(-0.5, 0.5, (n, 3)),
            "visible": lambda: rng.random(n) < min(0.8, SHOWN_ROWS / max(n, 1)),
            "geometry": lambda: rng.integers(0, 4, n),
        }
        return {name: make[name]() for name in names}

    def make_draw(self, rng: np.random.Generator) -> tuple[Draw, dict[str, Any]]:
        """Return a draw, whose values are plain, its own or shared, and its cells."""
        program = PROGRAMS[int(rng.integers(len(PROGRAMS)))]
        shared = self.shared_colors[int(rng.integers(len(self.shared_colors)))]
        cells: dict[str, Any] = {
            "model": cval(self.model(rng)),
            "color": cval(self.color(rng)) if rng.random() < 0.6 else shared,
            "geometry": cval(self.shape(rng)),
            "state": cval(self.state(rng)),
            "visible": cval(bool(rng.random() < 0.85)),
            "count": cval(int(rng.integers(0, 4))),
        }
        count = cells["count"] if rng.random() < 0.7 else int(rng.integers(1, 4))
        if "offset" in program.interface.inputs:
            rows = 3 if count is cells["count"] else count
            cells["offset"] = cval(self.offsets(rng, int(rng.choice([1, rows]))))
        held = {name: rng.random() < 0.75 for name in cells}
        draw = Draw(
            program,
            cells["geometry"] if held["geometry"] else self.shape(rng),
            inputs={
                "model": cells["model"] if held["model"] else self.model(rng),
                "color": cells["color"] if held["color"] else self.color(rng),
            },
            instances={"offset": cells["offset"]} if "offset" in cells else {},
            instance_count=count,
            visible=cells["visible"] if held["visible"] else True,
            state=cells["state"] if held["state"] else self.state(rng),
        )
        return draw, cells


# -- changes: each makes all its choices with the generator that it is given
Change = Callable[[StressWorld, np.random.Generator], None]


def add_draw(world: StressWorld, rng: np.random.Generator) -> None:
    if len(world.things) < MOST_THINGS:
        draw, cells = world.make_draw(rng)
        world.put(rng, "draw", draw, **cells)


def add_held_draw(world: StressWorld, rng: np.random.Generator) -> None:
    """Add an adaptive value of a draw, which can hold another draw later."""
    if len(world.things) < MOST_THINGS:
        draw, cells = world.make_draw(rng)
        world.put(rng, "held", cval(draw), **cells)


def add_mesh(world: StressWorld, rng: np.random.Generator) -> None:
    if len(world.things) < MOST_THINGS:
        material = world.materials[int(rng.integers(len(world.materials)))]
        mesh = Mesh(world.shape(rng), material, transform=world.model(rng))
        world.put(rng, "mesh", mesh)


def add_group(world: StressWorld, rng: np.random.Generator) -> None:
    if sum(thing.kind == "group" for thing in world.things) < 4:
        world.put(rng, "group", Group(transform=world.frame(rng)))


def add_table(world: StressWorld, rng: np.random.Generator) -> None:
    if sum(thing.kind == "table" for thing in world.things) >= 2:
        return
    program = PROGRAMS[int(rng.integers(len(PROGRAMS)))]
    ways = [["position"], ["position", "rotation", "scale"], ["model"], ["position", "scale"], []]
    # Rows that share their place lie on each other, and where their chunks lie decides what is seen.
    place = ways[int(rng.integers(4 if world.is_order_free else 5))]
    names = [*place, *(["color"] if rng.random() < 0.7 or not place else [])]
    if "offset" in program.interface.inputs:
        names.append("offset")
    n = int(rng.integers(1, MOST_ROWS if rng.random() < 0.3 else 20)) if place else 3
    cells = {"color": cval(world.color(rng)), "state": cval(world.state(rng))}
    first = int(rng.integers(len(world.fixed) - 3))
    table = DrawTable(
        Plain(program, {"color": cells["color"]}, cells["state"]),
        world.fixed[first : first + 4],
        world.columns(rng, [*names, "visible", "geometry"], n),
        transform=cval(world.frame(rng)) if rng.random() < 0.5 else None,
    )
    world.put(rng, "table", table, **cells)


def remove(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng)
    if thing is not None and len(world.things) > 5:
        world.detach(thing)


def reparent(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng)
    if thing is not None:
        world.detach(thing)
        world.attach(rng, thing)


def _change(name: str, make: Callable[[StressWorld, np.random.Generator], Any]) -> Change:
    """Return a change of one cell of a draw, whether it holds the cell or a plain value."""

    def change(world: StressWorld, rng: np.random.Generator) -> None:
        thing = world.some(rng, "draw", "held")
        if thing is not None:
            thing.cells[name].value = make(world, rng)

    return change


def resize_instances(world: StressWorld, rng: np.random.Generator) -> None:
    """Give per-instance values another number of rows, where any number that suffices will do."""
    found = [t for t in world.things if t.kind == "draw" and "offset" in t.cells]
    if found:
        thing = found[int(rng.integers(len(found)))]
        is_free = thing.item.instance_count is thing.cells["count"]
        rows = [1, 3, 4, 9, 50] if is_free else [1, thing.item.instance_count]
        thing.cells["offset"].value = world.offsets(rng, int(rng.choice(rows)))


def replace(world: StressWorld, rng: np.random.Generator) -> None:
    """Put another draw where one is held, made of the same parts but for one, or of other parts."""
    thing = world.some(rng, "held")
    if thing is None:
        return
    old: Draw = thing.item.value
    if rng.random() < 0.3:
        draw, thing.cells = world.make_draw(rng)
    else:
        inputs = {**old.inputs, "color": world.color(rng)}
        geometry = world.shape(rng) if rng.random() < 0.5 else old.geometry
        draw = Draw(
            old.program,
            geometry,
            inputs,
            instances=old.instances,
            instance_count=old.instance_count,
            visible=bool(rng.random() < 0.8),
            state=world.state(rng) if rng.random() < 0.3 else old.state,
        )
    thing.item.value = draw


def recolour_shared(world: StressWorld, rng: np.random.Generator) -> None:
    world.shared_colors[int(rng.integers(2))].value = world.color(rng)


def resize_arrays(world: StressWorld, rng: np.random.Generator) -> None:
    world.elastic[int(rng.integers(len(world.elastic)))].resize(rng)


def change_mesh(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng, "mesh")
    if thing is None:
        return
    mesh: Mesh = thing.item
    roll = int(rng.integers(4))
    if roll == 0:
        mesh.transform = world.model(rng)
    elif roll == 1:
        mesh.geometry = world.shape(rng)
    elif roll == 2:
        mesh.visible = bool(rng.random() < 0.75)
    else:
        mesh.material = world.materials[int(rng.integers(len(world.materials)))]


def change_material(world: StressWorld, rng: np.random.Generator) -> None:
    material = world.materials[-1 - int(rng.integers(2))]
    if rng.random() < 0.5:
        material.color = world.color(rng)
    else:
        material.state = world.state(rng)


def change_group(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng, "group")
    if thing is None:
        return
    if rng.random() < 0.5:
        thing.item.transform = world.frame(rng)
    else:
        thing.item.visible = bool(rng.random() < 0.75)


def _rows(table: DrawTable, rng: np.random.Generator) -> np.ndarray:
    rows = np.flatnonzero(table.alive)
    return rng.permutation(rows)[: int(rng.integers(0, len(rows) + 1))]


def write_rows(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng, "table")
    if thing is not None:
        table: DrawTable = thing.item
        names = [*table.columns, "visible", "geometry"]
        name = names[int(rng.integers(len(names)))]
        if name == "visible" or rng.random() < 0.2:
            table.write(name, world.columns(rng, [name], len(table))[name])
        else:
            rows = _rows(table, rng)
            table.write(name, world.columns(rng, [name], len(rows))[name], rows)


def append_rows(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng, "table")
    if thing is not None and len(thing.item) < MOST_ROWS:
        n = int(rng.integers(1, 60))
        names = [*thing.item.columns, "visible", "geometry"]
        thing.item.append(world.columns(rng, names, n))


def delete_rows(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng, "table")
    if thing is not None:
        thing.item.delete(_rows(thing.item, rng)[:40])


def change_table(world: StressWorld, rng: np.random.Generator) -> None:
    thing = world.some(rng, "table")
    if thing is None:
        return
    roll = int(rng.integers(3))
    if roll == 0:
        thing.cells["color"].value = world.color(rng)
    elif roll == 1:
        thing.cells["state"].value = world.state(rng)
    else:
        thing.item.transform = world.frame(rng)


CHANGES: dict[str, tuple[float, Change]] = {
    "add_draw": (7, add_draw),
    "add_held_draw": (3, add_held_draw),
    "add_mesh": (5, add_mesh),
    "add_group": (2, add_group),
    "add_table": (2, add_table),
    "remove": (5, remove),
    "reparent": (6, reparent),
    "hide": (4, _change("visible", lambda world, rng: bool(rng.random() < 0.75))),
    "count": (5, _change("count", lambda world, rng: int(rng.integers(0, 4)))),
    "recolour": (5, _change("color", StressWorld.color)),
    "move": (6, _change("model", StressWorld.model)),
    "swap": (5, _change("geometry", StressWorld.shape)),
    "flip": (5, _change("state", StressWorld.state)),
    "resize_instances": (3, resize_instances),
    "replace": (4, replace),
    "recolour_shared": (2, recolour_shared),
    "resize_arrays": (7, resize_arrays),
    "change_mesh": (7, change_mesh),
    "change_material": (4, change_material),
    "change_group": (4, change_group),
    "write_rows": (6, write_rows),
    "append_rows": (3, append_rows),
    "delete_rows": (3, delete_rows),
    "change_table": (4, change_table),
}
"""Name, weight and meaning of every change."""
