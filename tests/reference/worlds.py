"""Random scenes and random changes to them, for comparing renderers.

A world is a source of draws whose readers each get every step. Values are shared on purpose, geometry
comes in every index width, and a third of the worlds put objects onto each other, so that
drawing order decides pixels.
"""

from __future__ import annotations

import numpy as np

from heapscene.adaptive import CVal, cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from reference.programs import PROGRAMS

STATES = (
    PipelineState(),
    PipelineState(cull_mode="back"),
    PipelineState(depth_compare="less-equal", blend="alpha"),
    PipelineState(depth_write=False, blend="additive", cull_mode="front"),
)


def make_geometries(rng: np.random.Generator) -> list[Geometry]:
    """Return shapes with u8, u16, u32 and no indices, ranges, and some with vertex colours."""
    shapes = []
    for kind in (np.uint8, np.uint16, np.uint32, None):
        sides = int(rng.integers(3, 7))
        position, indices = prism(sides)
        color = rng.random((len(position), 4)).astype(np.float32)
        attributes = {"position": position, "normal": normals(position)}
        if rng.random() < 0.5:
            attributes["color"] = color
        if kind is None:
            flat = {name: array[indices] for name, array in attributes.items()}
            part = (3, len(indices) - 6) if rng.random() < 0.5 else None
            shapes.append(Geometry(flat, range=part))
        else:
            part = (3, len(indices) - 6) if rng.random() < 0.3 else None
            shapes.append(Geometry(attributes, indices.astype(kind), range=part))
    return shapes


def prism(sides: int) -> tuple[np.ndarray, np.ndarray]:
    angle = np.arange(sides) * 2 * np.pi / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    position = np.concatenate(
        [
            np.column_stack([ring, np.full(sides, 0.5)]),
            np.column_stack([ring, np.full(sides, -0.5)]),
            [[0, 0, 0.5], [0, 0, -0.5]],
        ]
    )
    faces = []
    for k in range(sides):
        n = (k + 1) % sides
        faces += [(k, n, 2 * sides), (sides + n, sides + k, 2 * sides + 1)]
        faces += [(k, sides + k, n), (n, sides + k, sides + n)]
    return position.astype(np.float32), np.array(faces).reshape(-1)


def normals(position: np.ndarray) -> np.ndarray:
    return (position / np.linalg.norm(position, axis=1, keepdims=True)).astype(np.float32)


class World:
    """A scene that changes at random; the same seed gives the same world and the same changes."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.coincident = seed % 3 == 0
        self.geometries = [*make_geometries(self.rng), *make_geometries(self.rng)]
        self.live: dict[Draw, dict[str, object]] = {}
        self.shared_color = cval((0.9, 0.5, 0.2, 0.8))
        self.readers: list[_Reader] = []
        for _ in range(int(self.rng.integers(4, 10))):
            self.add()

    # -- as a source of draws
    def draw_reader(self) -> _Reader:
        reader = _Reader([DrawChange(None, draw) for draw in self.live])
        self.readers.append(reader)
        return reader

    def _emit(self, old: Draw | None, new: Draw | None) -> None:
        for reader in self.readers:
            reader.pending.append(DrawChange(old, new))

    # -- values
    def model(self) -> np.ndarray:
        rng = self.rng
        matrix = np.eye(4)
        if self.coincident:
            matrix[:3, :3] *= 0.7
            matrix[:3, 3] = rng.integers(-1, 2, 3) * 0.5
            return matrix
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        matrix[:3, :3] = q * rng.uniform(0.2, 0.9, 3)
        if rng.random() < 0.3:
            matrix[:3, 0] *= -1
        matrix[:3, 3] = rng.uniform(-1, 1, 3)
        return matrix

    def color(self) -> tuple[float, ...]:
        return tuple(self.rng.random(4).round(3))

    def offsets(self, count: int | CVal[int]) -> np.ndarray:
        """Return a row per instance; three, which always suffice, where the count changes."""
        rows = 3 if isinstance(count, CVal) else count
        return self.rng.uniform(-0.5, 0.5, (rows, 3)).astype(np.float32)

    def state(self) -> PipelineState:
        return STATES[int(self.rng.integers(len(STATES)))]

    def geometry(self) -> Geometry:
        return self.geometries[int(self.rng.integers(len(self.geometries)))]

    # -- changes
    def add(self) -> None:
        rng = self.rng
        program = PROGRAMS[int(rng.integers(len(PROGRAMS)))]
        cells: dict[str, object] = {
            "model": cval(self.model()),
            "color": cval(self.color()) if rng.random() < 0.7 else self.shared_color,
            "geometry": cval(self.geometry()),
            "state": cval(self.state()),
            "visible": cval(bool(rng.random() < 0.85)),
            "count": cval(int(rng.integers(0, 4))),
        }
        count = cells["count"] if rng.random() < 0.7 else int(rng.integers(1, 3))
        instances = {}
        if "offset" in program.interface.inputs:
            instances = {"offset": cval(self.offsets(count))}
        draw = Draw(
            program,
            cells["geometry"] if rng.random() < 0.5 else self.geometry(),
            inputs={
                "model": cells["model"] if rng.random() < 0.8 else self.model(),
                "color": cells["color"] if rng.random() < 0.8 else self.color(),
            },
            instances=instances,
            instance_count=count,
            visible=cells["visible"] if rng.random() < 0.5 else True,
            state=cells["state"] if rng.random() < 0.7 else self.state(),
        )
        self.live[draw] = cells | {"offset": instances.get("offset")}
        self._emit(None, draw)

    def pick(self) -> Draw | None:
        if not self.live:
            return None
        return list(self.live)[int(self.rng.integers(len(self.live)))]

    def remove(self) -> None:
        draw = self.pick()
        if draw is not None:
            del self.live[draw]
            self._emit(draw, None)

    def replace(self) -> None:
        """Swap one part of a draw for a plain value, keeping its place."""
        old = self.pick()
        if old is None:
            return
        parts = {
            name: getattr(old, name)
            for name in (
                "program", "geometry", "inputs", "instances", "instance_count", "visible", "state"
            )
        }  # fmt: skip
        kind = int(self.rng.integers(5))
        if kind == 0:
            parts["visible"] = bool(self.rng.random() < 0.6)
        elif kind == 1:
            parts["geometry"] = self.geometry()
        elif kind == 2:
            parts["inputs"] = {**old.inputs, "color": self.color()}
        elif kind == 3:
            parts["inputs"] = {**old.inputs, "model": cval(self.model())}
        else:
            parts["state"] = self.state()
        new = Draw(**parts)
        self.live = {(new if draw is old else draw): cells for draw, cells in self.live.items()}
        self._emit(old, new)

    def change_value(self) -> None:
        draw = self.pick()
        if draw is None:
            return
        make = {
            "model": self.model,
            "color": self.color,
            "geometry": self.geometry,
            "state": self.state,
            "visible": lambda: bool(self.rng.random() < 0.6),
            "count": lambda: int(self.rng.integers(0, 4)),
            "offset": lambda: self.offsets(draw.instance_count),
        }
        name = list(make)[int(self.rng.integers(len(make)))]
        cell = self.live[draw][name]
        value = make[name]()
        if isinstance(cell, CVal):
            cell.value = value

    def step(self) -> None:
        """Make one random change."""
        roll = self.rng.random()
        if roll < 0.12 and len(self.live) < 14:
            self.add()
        elif roll < 0.2:
            self.remove()
        elif roll < 0.4:
            self.replace()
        elif roll < 0.45:
            self.shared_color.value = self.color()
        else:
            self.change_value()


class _Reader:
    def __init__(self, pending: list[DrawChange]) -> None:
        self.pending = pending

    def changes(self) -> list[DrawChange]:
        pending, self.pending = self.pending, []
        return pending
