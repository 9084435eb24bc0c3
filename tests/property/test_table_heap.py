"""Tables in a heap of small pages against a dictionary of rows that anybody can follow."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import DrawChange, DrawTable, Geometry, PipelineState, TableDraw
from heapscene.errors import HeapFullError
from heapscene.heap import DrawHeap, check
from heapscene.shader import MAT4, VEC3, VEC4, Interface
from reference.drawlist import PlainMaterial
from reference.heap import FakeProgram

FRAME = {"view": MAT4}
PROGRAM = FakeProgram(
    "rows", Interface({"position": VEC3}, {"model": MAT4, "color": VEC4, "view": MAT4})
)
OTHER = FakeProgram("other", Interface({"position": VEC3}, {"color": VEC4}))
STATES = [
    PipelineState(topology="point-list", cull_mode=mode) for mode in ("none", "back", "front")
]
GEOMETRIES = [
    Geometry({"position": np.arange(9).reshape(3, 3)}),
    Geometry({"position": np.arange(12).reshape(4, 3)}, [0, 1, 2, 0, 2, 3]),
    Geometry({"position": np.arange(12).reshape(4, 3) - 5}, np.array([3, 2, 1], np.uint16)),
]


def places(rng: np.random.Generator, n: int) -> np.ndarray:
    found = rng.normal(size=(n, 4, 4)).astype(np.float32)
    found[:, 3] = (0, 0, 0, 1)
    return found


class Model:
    """A table twice: as a table, and as a dictionary of rows by handle."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.names = [["position", "color"], ["model", "color"], ["position", "scale"], ["color"]][
            int(rng.integers(4))
        ]
        self.color = cval((0.1, 0.2, 0.3, 0.4))
        self.state = cval(STATES[0])
        self.frame = cval(np.eye(4)) if rng.random() < 0.5 else None
        self.shown = cval(True)
        n = int(rng.integers(0, 400))
        columns = self.values(n)
        material = PlainMaterial(program=PROGRAM)
        material.inputs, material.state = {"color": self.color}, self.state
        self.table = DrawTable(material, GEOMETRIES, columns, transform=self.frame)
        self.draw = TableDraw(self.table, visible=self.shown)
        self.rows = {k: {name: columns[name][k] for name in columns} for k in range(n)}
        self.handles = n

    def values(self, n: int) -> dict[str, np.ndarray]:
        rng = self.rng
        make = {
            "position": lambda: rng.normal(size=(n, 3)).astype(np.float32),
            "scale": lambda: rng.uniform(0.5, 2, n).astype(np.float32),
            "model": lambda: places(rng, n),
            "color": lambda: rng.random((n, 4)).astype(np.float32),
            "visible": lambda: rng.random(n) < 0.7,
            "geometry": lambda: rng.integers(0, 3, n),
        }
        return {name: make[name]() for name in [*self.names, "visible", "geometry"]}

    def step(self) -> None:
        rng = self.rng
        live = np.array(sorted(self.rows), int)
        some = rng.permutation(live)[: int(rng.integers(0, max(1, len(live) // 3) + 1))]
        roll = int(rng.integers(9))
        if roll <= 2:
            name = [*self.names, "visible", "geometry"][int(rng.integers(len(self.names) + 2))]
            values = self.values(len(some))[name]
            self.table.write(name, values, some)
            for row, value in zip(some.tolist(), values, strict=True):
                self.rows[row][name] = value
        elif roll == 3:
            columns = self.values(int(rng.integers(0, 120)))
            count = len(columns["visible"])
            free = [k for k in range(self.handles) if k not in self.rows][:count]
            want = [*free, *range(self.handles, self.handles + count - len(free))]
            assert self.table.append(columns).tolist() == want
            self.handles = max([self.handles, *(k + 1 for k in want)])
            for at, row in enumerate(want):
                self.rows[row] = {name: columns[name][at] for name in columns}
        elif roll == 4:
            self.table.delete(some)
            for row in some.tolist():
                del self.rows[row]
        elif roll == 5:
            self.color.value = tuple(rng.random(4))
        elif roll == 6:
            self.state.value = STATES[int(rng.integers(3))]
        elif roll == 7 and self.frame is not None:
            self.frame.value = places(rng, 1)[0].astype(float)
        elif roll == 8:
            self.shown.value = bool(rng.random() < 0.8)

    def visible_rows(self) -> list[int]:
        if not self.shown.force():
            return []
        return [row for row in sorted(self.rows) if self.rows[row]["visible"]]


def compare(heap: DrawHeap, model: Model) -> None:
    """Every visible row, and no other, is drawn with its values, in handle order on each page."""
    seen: list[int] = []
    for bucket in heap.buckets:
        before = len(seen)
        table, headers = bucket.table(), bucket.headers.data
        for slot in bucket.slots:
            for chunk in slot.chunks:
                if chunk.table is not model.table:
                    continue
                assert slot.state == model.state.force()
                start = slot.find(chunk.rank)
                for number in range(chunk.capacity):
                    record = table[start + number].astype(np.int64)
                    if record[3] == 0:
                        continue
                    row = chunk.first + number
                    seen.append(row)
                    assert record[7] == number
                    want = model.rows[row]
                    geometry = GEOMETRIES[want["geometry"]]
                    position = headers[record[0]]
                    first = bucket.page.data[position : position + 3].view(np.float32)
                    assert np.array_equal(first, geometry.attributes["position"][0])
                    for field in bucket.fields[1:]:
                        base, stride = headers[record[0] + field.word :][:2].astype(np.int64)
                        at = base + stride * record[7]
                        got = bucket.page.data[at : at + field.type.words].view(np.float32)
                        assert np.array_equal(got, value_of(model, want, field.name).reshape(-1))
        assert seen[before:] == sorted(seen[before:])
    assert sorted(seen) == model.visible_rows()


def value_of(model: Model, row: dict, name: str) -> np.ndarray:
    if name == "transform":
        return np.asarray(model.frame.force(), np.float32)
    if name == "uniform_scale":
        return np.array([row["scale"]], np.float32)
    if name in row:
        return np.asarray(row[name], np.float32)
    if name == "model":
        return np.asarray(np.eye(4) if model.frame is None else model.frame.force(), np.float32)
    return np.asarray(model.color.force(), np.float32)


def bounds(models: list[Model]) -> np.ndarray:
    points = [np.full((1, 3), np.nan)]
    for model in models:
        frame = np.eye(4)
        if model.frame is not None:
            frame = np.asarray(model.frame.force(), np.float32).astype(float)
        for number in model.visible_rows():
            row = model.rows[number]
            matrix = np.eye(4)
            if "model" in row:
                matrix = row["model"].astype(float)
            if "scale" in row:
                matrix[:3, :3] *= row["scale"]
            if "position" in row:
                matrix[:3, 3] = row["position"]
            matrix[3] = (0, 0, 0, 1)
            low, high = GEOMETRIES[row["geometry"]].bounds
            corners = np.array([np.where(c, high, low) for c in np.ndindex(2, 2, 2)])
            affine = frame.copy()
            affine[3] = (0, 0, 0, 1)
            moved = np.c_[corners, np.ones(8)] @ (affine @ matrix).T
            points.append(moved[:, :3])
    found = np.concatenate(points)
    return np.stack([np.fmin.reduce(found), np.fmax.reduce(found)])


@pytest.mark.parametrize("seed", range(12))
def test_a_heap_holds_what_rows_say(seed):
    rng = np.random.default_rng(seed)
    heap = DrawHeap((64 * 1024, 4096)[seed % 2], FRAME)
    models = [Model(rng) for _ in range(3)]
    heap.apply([DrawChange(None, model.draw) for model in models])
    for step in range(40):
        for _ in range(int(rng.integers(1, 4))):
            models[int(rng.integers(len(models)))].step()
        if rng.random() < 0.1:
            gone = models.pop(int(rng.integers(len(models))))
            models.append(Model(rng))
            heap.apply([DrawChange(gone.draw, None), DrawChange(None, models[-1].draw)])
        heap.pull()
        check(heap)
        assert heap.draw_count == sum(len(model.rows) for model in models)
        assert heap.visible_count == sum(len(model.visible_rows()) for model in models)
        if step % 8 == 0:
            for model in models:
                compare(heap, model)
            np.testing.assert_allclose(heap.world_bounds(), bounds(models), rtol=1e-4, atol=1e-4)
    heap.apply([DrawChange(model.draw, None) for model in models])
    check(heap)
    assert heap.buckets == []
    assert heap.stats()["live_bytes"] == 0


def test_a_row_that_is_written_again_is_not_dirty():
    rng = np.random.default_rng(1)
    model = Model(rng)
    heap = DrawHeap(64 * 1024, FRAME)
    heap.apply([DrawChange(None, model.draw)])
    words = [*heap.pages, *(w for b in heap.buckets for w in (b.headers, b.records))]
    for each in words:
        each.dirty.drain()
    table = model.table
    for name in model.names:
        table.write(name, table[name].copy())
    table.write("visible", table["visible"].copy())
    table.write("geometry", table["geometry"][::-1], np.arange(table.handles)[::-1])
    heap.pull()
    assert not any(each.dirty for each in words)


def test_one_row_dirties_its_own_words_and_no_record():
    table = DrawTable(OTHER, GEOMETRIES, {"color": np.zeros((1000, 4))})
    heap = DrawHeap(256 * 1024, FRAME)
    heap.apply([DrawChange(None, table.as_draw())])
    (bucket,) = heap.buckets
    for each in (*heap.pages, bucket.headers, bucket.records):
        each.dirty.drain()
    generation = bucket.generation
    table.write("color", (1, 1, 1, 1), [77])
    heap.pull()
    ((start, stop),) = heap.pages[0].dirty.drain().tolist()
    assert stop - start == 4
    assert not bucket.records.dirty
    assert bucket.generation == generation
    table.write("visible", False, [5, 900])
    heap.pull()
    assert np.diff(bucket.records.dirty.drain()).sum() == 2
    assert bucket.generation != generation


def test_a_table_in_two_heaps_is_heard_by_both():
    table = DrawTable(OTHER, GEOMETRIES, {"color": np.zeros((10, 4))})
    heaps = [DrawHeap(64 * 1024, FRAME), DrawHeap(4096, FRAME)]
    for heap in heaps:
        heap.apply([DrawChange(None, table.as_draw())])
    table.write("color", (1, 0, 0, 1), [3])
    table.delete([4])
    for heap in heaps:
        heap.pull()
        check(heap)
        assert heap.draw_count == 9


def test_what_was_written_before_a_table_was_replaced_is_heard():
    """Rows are deleted, and the group that the table is in moves, before a frame sees either."""
    table = DrawTable(PROGRAM, GEOMETRIES, {"position": np.zeros((5, 3)), "color": np.ones(4)})
    heap = DrawHeap(2**16, FRAME)
    draw = table.as_draw()
    heap.apply([DrawChange(None, draw)])
    heap.pull()
    for turn in range(1, 4):
        table.write("position", [(turn, 0, 0)])
        table.append({"position": [(0, turn, 0)], "color": np.zeros(4)})
        table.delete(np.flatnonzero(table.alive)[:2])
        old, draw = draw, TableDraw(table, above=turn * np.eye(4))
        heap.apply([DrawChange(old, draw)])
        heap.pull()
        check(heap)
        assert heap.draw_count == len(table)


def test_a_row_that_fits_on_no_page_is_refused():
    big = Geometry({"position": np.zeros((402, 3))})
    heap = DrawHeap(4096, FRAME)
    table = DrawTable(OTHER, [big], {"color": (1, 1, 1, 1)})
    with pytest.raises(HeapFullError, match="does not fit on a page"):
        heap.apply([DrawChange(None, table.as_draw())])
    check(heap)
    assert heap.draw_count == 0


def test_a_value_that_all_rows_share_may_fail_and_is_asked_again():
    good = cval(True)
    color = good.map(lambda ok: (1, 1, 1, 1) if ok else 1 / 0)
    material = PlainMaterial(program=OTHER)
    material.inputs = {"color": color}
    table = DrawTable(material, GEOMETRIES, {"geometry": [0, 1]})
    heap = DrawHeap(64 * 1024, FRAME)
    heap.apply([DrawChange(None, table.as_draw())])
    good.value = False
    table.write("geometry", [1, 1])
    with pytest.raises(ZeroDivisionError):
        heap.pull()
    check(heap)
    good.value = True
    heap.pull()
    check(heap)


@pytest.mark.parametrize("geometries", [1, 3, 12])
def test_what_is_dirty_is_all_that_a_mirror_needs(geometries):
    """Rows are hidden, moved and written in any density: a copy that takes dirty words is equal."""
    rng = np.random.default_rng(geometries)
    n = 1500
    shapes = (GEOMETRIES * 4)[:geometries]
    table = DrawTable(
        OTHER,
        shapes,
        {"color": np.zeros((n, 4)), "geometry": rng.integers(0, geometries, n)},
    )
    heap = DrawHeap((256 * 1024, 16 * 1024)[geometries == 3], FRAME)
    heap.apply([DrawChange(None, table.as_draw())])
    words = [*heap.pages, *(w for b in heap.buckets for w in (b.headers, b.records))]
    copies = [each.data.copy() for each in words]
    for each in words:
        each.dirty.drain()
    for _ in range(60):
        density = float(rng.choice([0.001, 0.05, 0.5, 1.0]))
        first = int(rng.integers(0, n - 1))
        span = slice(first, int(rng.integers(first + 1, n + 1)))
        rows = rng.permutation(n)[: max(1, int(density * n))]
        roll = int(rng.integers(5))
        if roll == 0:
            shown = table["visible"][span] ^ (rng.random(span.stop - first) < density)
            table.write("visible", shown, span)
        elif roll == 1:
            table.write("visible", rng.random(len(rows)) < 0.5, rows)
        elif roll == 2:
            table.write("geometry", rng.integers(0, geometries, len(rows)), rows)
        elif roll == 3:
            table.write("color", rng.integers(0, 2, (len(rows), 4)), rows)
        else:
            mask = rng.random((span.stop - first, 1)) < density
            table.write("color", np.where(mask, rng.random(4), table["color"][span]), span)
        heap.pull()
        check(heap)
        for each, copy in zip(words, copies, strict=True):
            for start, stop in each.dirty.drain().tolist():
                copy[start:stop] = each.data[start:stop]
            assert np.array_equal(copy, each.data)
