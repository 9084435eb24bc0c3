"""Random sequences of changes: the heap's arrays agree with the draws, always."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from heapscene.adaptive import computed, constant, cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.errors import HeapFullError, InputError
from heapscene.heap import Allocator, DirtyRanges, DrawHeap, Words, check
from heapscene.shader import Interface
from heapscene.shader.types import F32, MAT4, U32, VEC2, VEC3, VEC4
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": MAT4, "proj": MAT4, "time": F32}
PROGRAMS = [
    FakeProgram(
        "b-lit",
        Interface(
            {"position": VEC3, "normal": VEC3},
            {"model": MAT4, "color": VEC4, "view": MAT4, "proj": MAT4, "id": U32},
            attribute_defaults={"normal": (0, 0, 1)},
            input_defaults={"id": 7},
        ),
    ),
    FakeProgram(
        "a-flat",
        Interface(
            {"position": VEC4},
            {"model": MAT4, "color": VEC3, "view": MAT4, "time": F32},
            input_defaults={"color": (1, 0, 0), "time": 0.0},
        ),
    ),
    FakeProgram(
        "c-uv",
        Interface(
            {"position": VEC3, "uv": VEC2, "color": VEC4},
            {"offset": VEC2, "proj": MAT4},
            attribute_defaults={"uv": (0, 0), "color": (1, 1, 1, 1)},
            input_defaults={"offset": (0.5, 0.5)},
        ),
    ),
]
STATES = [
    PipelineState(topology="point-list"),
    PipelineState(topology="point-list", cull_mode="back"),
    PipelineState(topology="point-list", blend="alpha", depth_write=False),
]


class Sequence:
    """A heap, its model, and everything random about them."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.heap = DrawHeap(65536, FRAME)
        self.model = ModelHeap(FRAME)
        self.cells: dict[str, list] = {"color": [], "model": [], "visible": [], "state": []}
        self.cells |= {"geometry": [], "rows": [], "array": [], "offset": []}
        self.broken = cval(False)
        self.fragile = computed(lambda: 1 / 0 if self.broken.value else (0.5, 0.25, 1.0))
        self.geometries = [self.make_geometry() for _ in range(8)]
        self.geometries += [
            Geometry({"position": self.points(1600), "uv": self.points(1600, 2)}) for _ in range(3)
        ]

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def points(self, n: int, columns: int = 3):
        return self.rng.normal(size=(n, columns)).astype(np.float32)

    def make_geometry(self) -> Geometry:
        n = int(self.rng.choice([3, 40, 250, 900, 1600]))
        attributes = {"position": self.points(n)}
        if self.chance(0.5):
            attributes["normal"] = self.points(1 if self.chance(0.3) else n)
        if self.chance(0.5):
            attributes["uv"] = self.points(n, 2)
        if self.chance(0.3):
            attributes["color"] = self.points(n, self.pick([3, 4]))
        indices = None
        if self.chance(0.75):
            dtype = self.pick([np.uint32, np.uint16, np.uint8 if n <= 256 else np.uint16])
            low = int(self.rng.integers(n))
            indices = self.rng.integers(low, n, int(self.rng.integers(0, 200)), dtype=dtype)
        if self.chance(0.25):
            attributes["position"] = cell = cval(attributes["position"])
            if all(len(array) == 1 for name, array in attributes.items() if name != "position"):
                self.cells["array"].append((cell, n))
        elif self.chance(0.2) and indices is not None:
            indices = cval(indices)
        part = None
        if self.chance(0.3) and not hasattr(attributes["position"], "force"):
            whole = n if indices is None else len(getattr(indices, "value", indices))
            first = int(self.rng.integers(0, whole + 1))
            part = (first, int(self.rng.integers(0, whole - first + 1)))
        return Geometry(attributes, indices, range=part)

    def value(self, kind: str, make):
        """A plain value, a constant, a cell that others share, or a new cell."""
        dice = self.rng.random()
        if dice < 0.25:
            return make()
        if dice < 0.35:
            return constant(make())
        if dice < 0.55 and self.cells[kind]:
            return self.pick(self.cells[kind])
        cell = cval(make())
        self.cells[kind].append(cell)
        return cell

    def matrix(self):
        return np.vstack([self.rng.normal(size=(3, 4)), [0, 0, 0, 1]])

    def color(self):
        return tuple(np.round(self.rng.random(3), 1).tolist())

    def make_draw(self) -> Draw:
        program = self.pick(PROGRAMS)
        inputs, instances, count = {}, {}, self.pick([0, 1, 1, 2, 3])
        rows = False
        if "model" in program.interface.inputs:
            if self.chance(0.3):
                cell, n = cval(np.stack([self.matrix() for _ in range(max(count, 1))])), cval(count)
                instances["model"], count, rows = cell, n, True
                self.cells["rows"].append((cell, n))
            else:
                inputs["model"] = self.value("model", self.matrix)
        if program.hash == "b-lit" or (program.hash == "a-flat" and self.chance(0.5)):
            inputs["color"] = self.value("color", self.color)
            if self.chance(0.15):
                inputs["color"] = self.fragile
        if program.hash == "b-lit" and self.chance(0.3):
            inputs["id"] = int(self.rng.integers(100))
        if program.hash == "b-lit" and self.chance(0.3):
            inputs["view"] = self.matrix()
        if program.hash == "c-uv" and self.chance(0.6):
            if self.chance(0.5):
                instances["offset"] = self.points(count, 2) if count else self.points(1, 2)
            else:
                inputs["offset"] = self.value("offset", lambda: (float(self.rng.random()), 0.25))
        if not rows and not instances and self.chance(0.3):
            count = cval(count)
        return Draw(
            program,
            self.value("geometry", lambda: self.pick(self.geometries)),
            inputs,
            instances,
            count,
            self.value("visible", lambda: self.chance(0.7)),
            self.value("state", lambda: self.pick(STATES)),
        )

    def write(self) -> None:
        """Assign to one random cell, so that the value stays valid for all who read it."""
        kind = self.pick(list(self.cells))
        if not self.cells[kind]:
            return
        cell = self.pick(self.cells[kind])
        if kind == "rows":
            rows, count = cell
            count.value = int(self.rng.integers(0, 4))
            rows.value = np.stack([self.matrix() for _ in range(max(count.value, 1))])
        elif kind == "array":
            array, n = cell
            array.value = self.points(n + int(self.rng.integers(0, 30)))
        elif kind == "offset":
            cell.value = (float(self.rng.random()), 0.75)
        else:
            cell.value = {
                "color": self.color,
                "model": self.matrix,
                "visible": lambda: self.chance(0.6),
                "state": lambda: self.pick(STATES),
                "geometry": lambda: self.pick(self.geometries),
            }[kind]()

    def replaced(self, draw: Draw) -> Draw:
        names = ["geometry", "visible", "state", "inputs"]
        changed = {self.pick(names), self.pick(names)}
        inputs = dict(draw.inputs)
        if "inputs" in changed and "color" in inputs:
            inputs["color"] = self.value("color", self.color)
        geometry, visible, state = draw.geometry, draw.visible, draw.state
        if "geometry" in changed:
            geometry = self.value("geometry", lambda: self.pick(self.geometries))
        if "visible" in changed:
            visible = self.value("visible", lambda: self.chance(0.5))
        if "state" in changed:
            state = self.value("state", lambda: self.pick(STATES))
        return Draw(
            draw.program, geometry, inputs, draw.instances, draw.instance_count, visible, state
        )

    def batch(self, here: list[Draw]) -> list[DrawChange]:
        changes: list[DrawChange] = []
        for _ in range(int(self.rng.integers(1, 8))):
            dice = self.rng.random()
            if dice < 0.5 or not here:
                new = self.make_draw()
                changes.append(DrawChange(None, new))
                here.append(new)
            elif dice < 0.75:
                old = here.pop(int(self.rng.integers(len(here))))
                changes.append(DrawChange(old, None))
                if self.chance(0.2):
                    changes.append(DrawChange(None, old))
                    here.append(old)
            else:
                at = int(self.rng.integers(len(here)))
                old, here[at] = here[at], self.replaced(here[at])
                changes.append(DrawChange(old, here[at]))
        return changes

    def step(self) -> None:
        dice = self.rng.random()
        if dice < 0.45:
            for _ in range(int(self.rng.integers(1, 5))):
                self.write()
        elif dice < 0.55:
            self.fail()
            return
        elif dice < 0.65:
            self.break_value()
        else:
            changes = self.batch(list(self.model.ranks))
            self.heap.apply(changes)
            self.model.apply(changes)
        self.heap.pull()

    def break_value(self) -> None:
        """One value raises for a while: everything else goes on."""
        self.broken.value = True
        self.write()
        here = list(self.model.ranks)
        if here:
            old = self.pick(here)
            new = None if self.chance(0.3) else self.replaced(old)
            self.heap.apply([DrawChange(old, new)])
            self.model.apply([DrawChange(old, new)])
        for _ in range(2):
            self.write()
            if any(draw.inputs.get("color") is self.fragile for draw in self.model.ranks):
                with pytest.raises(ZeroDivisionError):
                    self.heap.pull()
            else:
                self.heap.pull()
        check(self.heap)
        self.broken.value = False

    def fail(self) -> None:
        changes = self.batch(list(self.model.ranks))
        bad = self.pick(["value", "size", "twice"])
        at = int(self.rng.integers(len(changes) + 1))
        if bad == "value":
            color = computed(lambda: (1.0, 2.0, "three"))
            inputs = {"model": np.eye(4), "color": color}
            draw = Draw(PROGRAMS[0], self.geometries[0], inputs)
        elif bad == "size":
            draw = Draw(PROGRAMS[2], Geometry({"position": self.points(6000)}))
        else:
            draw = self.make_draw()
            changes.append(DrawChange(None, draw))
        changes.insert(at, DrawChange(None, draw))
        before = fingerprint(self.heap)
        with pytest.raises(HeapFullError if bad == "size" else InputError):
            self.heap.apply(changes)
        assert fingerprint(self.heap) == before


def fingerprint(heap: DrawHeap):
    pages = [
        (page.number, page.data[: page.used].tobytes(), page.allocator.live())
        for page in heap.pages
    ]
    buckets = [
        (
            bucket.key,
            bucket.generation,
            bucket.headers.data[: bucket.headers.used].tobytes(),
            bucket.records.data[: bucket.records.used].tobytes(),
        )
        for bucket in heap.buckets
    ]
    sinks = len(heap._sink), len(heap.memory.placement.sink), len(heap._listeners)
    return pages, buckets, heap.order(), heap.stats(), sinks


class Shadow:
    """What a GPU would have: only what dirty ranges brought."""

    def __init__(self) -> None:
        self.copies: dict[Words, np.ndarray] = {}

    def sync(self, heap: DrawHeap) -> None:
        arrays = [
            *heap.pages,
            *(words for bucket in heap.buckets for words in (bucket.headers, bucket.records)),
        ]
        copies = {}
        for words in arrays:
            copy = self.copies.get(words, np.full(0, 0xDEAD, np.uint32))
            if len(copy) < len(words.data):
                more = np.full(len(words.data) - len(copy), 0xDEAD, np.uint32)
                copy = np.concatenate([copy, more])
            for start, stop in words.dirty.drain():
                copy[start:stop] = words.data[start:stop]
            assert np.array_equal(copy[: words.used], words.data[: words.used])
            copies[words] = copy
        self.copies = copies


@pytest.fixture(params=["in bulk", "one by one"])
def ways(request, monkeypatch):
    """Take in draws, values and visibility by the way for many, or by the way for few."""
    few = 1 if request.param == "in bulk" else 1000
    monkeypatch.setattr("heapscene.heap.arrivals.FEW", few)
    monkeypatch.setattr("heapscene.heap.memory.FEW", few)
    monkeypatch.setattr("heapscene.heap.draw_heap._MANY", few)


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("seed", range(5))
def test_heap_holds_what_its_draws_say(seed):
    run = Sequence(seed)
    shadow = Shadow()
    pages = 0
    for step in range(60):
        run.step()
        shadow.sync(run.heap)
        pages = max(pages, len(run.heap.pages))
        if step % 4 == 3:
            check(run.heap)
            run.model.compare(run.heap)
            np.testing.assert_allclose(run.heap.world_bounds(), run.model.bounds(), atol=1e-5)
    assert pages > 1
    run.heap.apply([DrawChange(draw, None) for draw in run.heap.order()])
    check(run.heap)
    stats = run.heap.stats()
    assert stats["pages"] == 1
    assert stats["page_bytes"] == 16
    assert stats["entries"] == stats["buckets"] == 0
    assert len(run.heap._sink) == len(run.heap._listeners) == 0
    assert len(run.heap.memory.placement.sink) == 0


@pytest.mark.parametrize("most_bytes", [300, 9000, 8 * 2**20])
@pytest.mark.parametrize("seed", range(4))
def test_moving_what_lies_on_pages_changes_nothing_that_is_drawn(seed, most_bytes):
    """With a low threshold a pass goes on while draws come, go and change, and ends anew."""
    run = Sequence(100 + seed)
    compactor = run.heap.memory.compactor
    compactor.waste_share = compactor.least_waste = 0
    compactor.most_bytes = most_bytes
    shadow = Shadow()
    moves = resumed = 0
    for step in range(60):
        run.step()
        moved = run.heap.memory.compact_some()
        moves += moved > 0
        resumed += bool(compactor._passes)
        check(run.heap)
        shadow.sync(run.heap)
        if step % 4 == 3:
            run.model.compare(run.heap)
            np.testing.assert_allclose(run.heap.world_bounds(), run.model.bounds(), atol=1e-5)
        if step % 20 == 19:
            run.heap.memory.compact()
            check(run.heap)
            shadow.sync(run.heap)
            run.model.compare(run.heap)
            assert run.heap.stats()["waste_bytes"] == 0
            assert not compactor._passes
    assert moves > 5
    assert resumed > 5 or most_bytes > 10_000
    run.heap.apply([DrawChange(draw, None) for draw in run.heap.order()])
    run.heap.memory.compact_some()
    check(run.heap)
    assert not compactor._passes
    assert run.heap.stats()["page_bytes"] == 16


@pytest.mark.parametrize("seed", range(4))
def test_slots_keep_rank_order_through_many_flips(seed):
    rng = np.random.default_rng(seed)
    heap, model, shadow = DrawHeap(65536, FRAME), ModelHeap(FRAME), Shadow()
    geometry = Geometry({"position": np.eye(3)})
    states = [PipelineState(depth_bias=k) for k in range(5)]
    for _ in range(60):
        here = list(model.ranks)
        most = int(rng.choice([3, 30, 150]))
        gone = [here[k] for k in np.flatnonzero(rng.random(len(here)) < rng.choice([0, 0.1, 0.9]))]
        new = [
            Draw(PROGRAMS[2], geometry, state=cval(states[int(rng.integers(5))]))
            for _ in range(int(rng.integers(most)))
        ]
        changes = [DrawChange(draw, None) for draw in gone]
        changes += [DrawChange(None, draw) for draw in new]
        heap.apply(changes)
        model.apply(changes)
        here = list(model.ranks)
        for k in rng.permutation(len(here))[:most]:
            here[k].state.value = states[int(rng.integers(1 + rng.integers(5)))]
        heap.pull()
        check(heap)
        shadow.sync(heap)

        def key(draw: Draw):
            return draw.state.value.key, model.ranks[draw]

        assert heap.order() == sorted(model.ranks, key=key)


@pytest.mark.parametrize("seed", range(3))
def test_allocator_agrees_with_a_list_of_bytes(seed):
    rng = np.random.default_rng(seed)
    allocator = Allocator(20_000)
    owner = np.zeros(20_000, np.int64)
    owner[:16] = -1
    live: dict[int, int] = {}
    for step in range(1, 1500):
        if live and rng.random() < 0.48:
            offset = list(live)[int(rng.integers(len(live)))]
            allocator.release(offset)
            owner[owner == live.pop(offset)] = 0
        else:
            nbytes = int(rng.choice([0, 1, 16, 17, 64, 64, 64, 300, 2000]))
            size = max(16, -(-nbytes // 16) * 16)
            offset = allocator.allocate(nbytes)
            if offset == 0:
                tail = "".join("x" if taken else "." for taken in owner[::16])
                assert "." * (size // 16) not in tail
                continue
            assert offset % 16 == 0
            assert not owner[offset : offset + size].any()
            owner[offset : offset + size] = step
            live[offset] = step
        assert allocator.live_bytes == np.count_nonzero(owner > 0)
        assert allocator.cursor == np.flatnonzero(owner)[-1] + 1
        if step % 25 == 0:
            allocator.check()
    for offset in live:
        allocator.release(offset)
    allocator.check()
    assert allocator.cursor == 16


@pytest.mark.parametrize("seed", range(3))
def test_dirty_ranges_cover_what_changed(seed):
    rng = np.random.default_rng(seed)
    ranges = DirtyRanges()
    for _ in range(40):
        truth = np.zeros(3000, bool)
        for _ in range(int(rng.integers(0, 60))):
            start = int(rng.integers(0, 2900))
            stop = start + int(rng.integers(0, 30))
            ranges.add(start, stop)
            truth[start:stop] = True
        for _ in range(int(rng.integers(0, 3))):
            starts = rng.integers(0, 2900, int(rng.integers(0, 20)))
            ranges.add_rows(starts, length := int(rng.integers(0, 9)))
            truth[(starts[:, None] + np.arange(length)).reshape(-1)] = True
        assert bool(ranges) == truth.any()
        drained = ranges.drain().tolist()
        assert all(a[1] < b[0] for a, b in pairwise(drained))
        exact = np.zeros(3000, bool)
        for start, stop in drained:
            exact[start:stop] = True
        assert np.array_equal(exact, truth)
        assert not ranges
        assert len(ranges.drain()) == 0
