"""Random tables and draws that change at random, shown by several scenes at once."""

from __future__ import annotations

import numpy as np

from heapscene.adaptive import cset, cval
from heapscene.draw import Draw, DrawTable
from reference.programs import PROGRAMS
from reference.worlds import STATES, make_geometries


class Plain:
    """A material without watchers: all rows share what is no column."""

    def __init__(self, program, inputs, state) -> None:
        self.program, self.inputs, self.state = program, inputs, state


class TableWorld:
    """A set of tables and draws; the same seed gives the same world and the same changes."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.coincident = seed % 3 == 0
        self.geometries = make_geometries(self.rng)
        self.elements = cset()
        self.tables: list[DrawTable] = []
        self.cells: dict[DrawTable, dict[str, object]] = {}
        self.draws: list[Draw] = []
        for kind in self.rng.permutation(5)[:3]:
            self.add_table(int(kind))
            self.add_draw()

    # -- values
    def positions(self, n: int) -> np.ndarray:
        if self.coincident:
            return self.rng.integers(-1, 2, (n, 3)) * 0.5
        return self.rng.uniform(-1, 1, (n, 3))

    def models(self, n: int) -> np.ndarray:
        models = np.zeros((n, 4, 4))
        models[:, 3, 3] = 1
        models[:, :3, :3] = np.linalg.qr(self.rng.normal(size=(n, 3, 3)))[0] * 0.4
        models[:, :3, 3] = self.positions(n)
        return models

    def frame(self) -> np.ndarray:
        matrix = np.eye(4)
        matrix[:3, :3] = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
        matrix[:3, 3] = self.rng.uniform(-0.3, 0.3, 3)
        return matrix

    def values(self, table: DrawTable | list[str], n: int) -> dict[str, np.ndarray]:
        rng = self.rng
        make = {
            "position": lambda: self.positions(n),
            "rotation": lambda: rng.normal(size=(n, 4)),
            "scale": lambda: rng.uniform(0.2, 0.7, n),
            "model": lambda: self.models(n),
            "color": lambda: rng.random((n, 4)),
            "offset": lambda: rng.uniform(-0.5, 0.5, (n, 3)),
            "visible": lambda: rng.random(n) < 0.8,
            "geometry": lambda: rng.integers(0, len(self.geometries), n),
        }
        names = list(table.columns) if isinstance(table, DrawTable) else table
        return {name: make[name]() for name in names}

    # -- changes
    def add_table(self, kind: int) -> None:
        rng = self.rng
        program = PROGRAMS[int(rng.integers(len(PROGRAMS)))]
        place = (
            ["position"],
            ["position", "scale"],
            ["position", "rotation", "scale"],
            ["model"],
            [],
        )[kind]
        names = [*place, *(["color"] if rng.random() < 0.7 or not place else [])]
        if "offset" in program.interface.inputs:
            names.append("offset")
        n = int(rng.integers(1, 50)) if place else 3
        cells = {
            "frame": cval(self.frame()) if rng.random() < 0.5 or not place else None,
            "color": cval(tuple(rng.random(4))),
            "state": cval(STATES[int(rng.integers(len(STATES)))]),
        }
        material = Plain(program, {"color": cells["color"]}, cells["state"])
        table = DrawTable(
            material,
            self.geometries,
            self.values([*names, "visible", "geometry"], n),
            transform=cells["frame"],
        )
        self.tables.append(table)
        self.cells[table] = cells
        self.elements.add(table)

    def add_draw(self) -> None:
        program = PROGRAMS[int(self.rng.integers(2))]
        draw = Draw(
            program,
            self.geometries[int(self.rng.integers(len(self.geometries)))],
            {"model": self.models(1)[0], "color": tuple(self.rng.random(4))},
            state=cval(STATES[int(self.rng.integers(len(STATES)))]),
        )
        self.draws.append(draw)
        self.elements.add(draw)

    def some(self, table: DrawTable) -> np.ndarray:
        rows = np.flatnonzero(table.alive)
        return self.rng.permutation(rows)[: int(self.rng.integers(0, len(rows) + 1))]

    def step(self) -> None:
        """Make one random change."""
        rng = self.rng
        table = self.tables[int(rng.integers(len(self.tables)))]
        cells = self.cells[table]
        roll = int(rng.integers(12))
        if roll <= 2:
            name = list(table.columns)[int(rng.integers(len(table.columns)))]
            rows = self.some(table)
            table.write(name, self.values([name], len(rows))[name], rows)
        elif roll == 3:
            name = ("visible", "geometry")[int(rng.integers(2))]
            table.write(name, self.values([name], len(table))[name])
        elif roll == 4 and len(table) < 80:
            n = int(rng.integers(1, 20))
            table.append(self.values([*table.columns, "visible", "geometry"], n))
        elif roll == 5:
            table.delete(self.some(table)[:10])
        elif roll == 6:
            cells["color"].value = tuple(rng.random(4))
        elif roll == 7:
            cells["state"].value = STATES[int(rng.integers(len(STATES)))]
        elif roll == 8 and cells["frame"] is not None:
            cells["frame"].value = self.frame()
        elif roll == 9:
            draw = self.draws[int(rng.integers(len(self.draws)))]
            draw.state.value = STATES[int(rng.integers(len(STATES)))]
        elif roll == 10:
            draw = self.draws.pop(int(rng.integers(len(self.draws))))
            self.elements.remove(draw)
            self.add_draw()
        elif roll == 11 and rng.random() < 0.3:
            self.tables.remove(table)
            self.elements.remove(table)
            self.add_table(int(rng.integers(5)))
