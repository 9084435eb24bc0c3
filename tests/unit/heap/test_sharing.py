from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import cval, transact
from heapscene.draw import Draw, DrawChange, DrawTable, Geometry, PipelineState
from heapscene.errors import GeometryError
from heapscene.heap import DrawHeap, Memory, check
from heapscene.shader import Interface, types
from reference.heap import FakeProgram, ModelHeap, decode

COLOR_FRAME = {"view": types.MAT4, "proj": types.MAT4}
DEPTH_FRAME = {"view": types.MAT4}
POINTS = PipelineState(topology="point-list")
LIT = FakeProgram(
    "lit",
    Interface(
        {"position": types.VEC3, "normal": types.VEC3},
        {"model": types.MAT4, "color": types.VEC4, "view": types.MAT4},
    ),
)
DEPTH = FakeProgram(
    "depth", Interface({"position": types.VEC3}, {"model": types.MAT4, "view": types.MAT4})
)


def cloud(n: int, seed: int = 0) -> Geometry:
    rng = np.random.default_rng(seed)
    return Geometry(
        {
            "position": rng.random((n, 3), np.float32),
            "normal": rng.random((n, 3), np.float32),
        },
        rng.integers(0, n, 2 * n),
    )


class Pair:
    """A colour and a depth-only heap in one memory, with the same objects."""

    def __init__(self, count: int = 20, page_bytes: int = 2**18) -> None:
        self.memory = Memory(page_bytes)
        self.heaps = [DrawHeap(self.memory, frame) for frame in (COLOR_FRAME, DEPTH_FRAME)]
        self.models = [ModelHeap(frame) for frame in (COLOR_FRAME, DEPTH_FRAME)]
        self.draws: list[list[Draw]] = [[], []]
        self.places = [cval(np.diag([k, 1, 1, 1.0])) for k in range(count)]
        for k, place in enumerate(self.places):
            self.add(cloud(10 + k, k), place)

    def add(self, geometry, place, instances=None, count=1) -> None:
        inputs = {"model": place} if instances is None else {}
        rows = {} if instances is None else {"model": instances}
        pair = [
            Draw(LIT, geometry, {**inputs, "color": "red"}, rows, count, state=POINTS),
            Draw(DEPTH, geometry, inputs, rows, count, state=POINTS),
        ]
        for number, draw in enumerate(pair):
            self.draws[number].append(draw)
            self.change(number, DrawChange(None, draw))

    def change(self, number: int, change: DrawChange) -> None:
        self.heaps[number].apply([change])
        self.models[number].apply([change])

    def agree(self) -> None:
        for heap in self.heaps:
            heap.pull()
        for heap, model in zip(self.heaps, self.models, strict=True):
            check(heap)
            model.compare(heap)


def places(rng: np.random.Generator, count: int) -> np.ndarray:
    found = rng.random((count, 4, 4))
    found[:, 3] = (0, 0, 0, 1)
    return found


def seen(heap: DrawHeap) -> list[dict]:
    """All that the GPU would see of each draw."""
    return [
        decode(bucket, record, slot.state)
        for bucket in heap.buckets
        for slot in bucket.slots
        for record in bucket.table()[slot.start : slot.stop]
    ]


def test_two_heaps_store_what_they_have_in_common_once():
    pair = Pair()
    pair.agree()
    alone = DrawHeap(2**18, COLOR_FRAME)
    alone.apply([DrawChange(None, draw) for draw in pair.draws[0]])
    assert pair.memory.stats()["entries"] == alone.stats()["entries"]
    assert pair.memory.stats()["live_bytes"] == alone.stats()["live_bytes"]
    assert len(pair.memory.placement.sink) == 20


@pytest.mark.parametrize("first", [0, 1])
def test_either_may_go_first(first):
    pair = Pair()
    pair.heaps[first].close()
    other = 1 - first
    pair.places[3].value = np.diag([9, 9, 9, 1.0])
    pair.heaps[other].pull()
    check(pair.heaps[other])
    pair.models[other].compare(pair.heaps[other])
    assert pair.memory.heaps == [pair.heaps[other]]
    pair.heaps[other].close()
    assert pair.memory.stats()["page_bytes"] == 16
    assert pair.memory.stats()["entries"] == 0
    assert len(pair.memory.placement.sink) == 0
    assert not pair.memory.catalog.shapes
    pair.memory.pages[0].allocator.check()


def test_what_one_writes_the_other_shows():
    pair = Pair()
    pair.agree()
    pair.places[5].value = np.diag([7, 7, 7, 1.0])
    for heap in pair.heaps:
        before = heap.bounds_generation
        heap.pull()
        assert heap.bounds_generation >= before
    pair.agree()
    boxes = [heap.world_bounds() for heap in pair.heaps]
    assert np.array_equal(*boxes)
    assert boxes[0][1, 0] > 15


def test_compaction_re_seats_both():
    pair = Pair(60)
    for number in (0, 1):
        for draw in pair.draws[number][:40:2]:
            pair.change(number, DrawChange(draw, None))
    before = [seen(heap) for heap in pair.heaps]
    assert pair.memory.compact() > 0
    assert pair.memory.stats()["waste_bytes"] == 0
    assert [seen(heap) for heap in pair.heaps] == before
    pair.agree()


def test_a_heap_that_is_not_pulled_shows_what_it_showed():
    """New arrays of the old size: the other heap's records say nothing of them yet."""
    pair = Pair(3)
    position = cval(np.random.default_rng(1).random((30, 3), np.float32))
    indices = cval(np.arange(30))
    geometry = Geometry({"position": position, "normal": np.zeros((30, 3))}, indices)
    pair.add(geometry, cval(np.eye(4)))
    pair.agree()
    before = seen(pair.heaps[1])
    position.value = np.random.default_rng(2).random((30, 3), np.float32)
    indices.value = np.arange(30)[::-1] // 2
    pair.heaps[0].pull()
    assert seen(pair.heaps[1]) == before
    pair.memory.compact()
    assert seen(pair.heaps[1]) == before
    assert pair.heaps[1].backlog
    pair.agree()
    assert seen(pair.heaps[1]) != before
    assert len({entry.key for entry in pair.memory.pages[0].entries}) == len(
        pair.memory.pages[0].entries
    )


def test_a_change_of_size_is_heard_by_both():
    pair = Pair(2)
    rows, count = cval(np.stack([np.eye(4)] * 2)), cval(2)
    pair.add(cloud(5), None, rows, count)
    pair.agree()
    for n in (5, 1, 3):
        rows.value = places(np.random.default_rng(n), n)
        count.value = n
        pair.agree()


def test_a_wrong_array_is_told_to_both_and_seen_by_none():
    pair = Pair(2)
    indices = cval(np.arange(30))
    geometry = Geometry(
        {"position": np.zeros((30, 3), np.float32), "normal": np.zeros((30, 3))}, indices
    )
    pair.add(geometry, cval(np.eye(4)))
    pair.agree()
    before = [seen(heap) for heap in pair.heaps]
    indices.value = np.arange(30) + 5
    for _ in range(2):
        for heap in pair.heaps:
            with pytest.raises(GeometryError):
                heap.pull()
            check(heap)
    assert [seen(heap) for heap in pair.heaps] == before
    indices.value = np.arange(30) // 3
    pair.agree()


def test_a_pass_of_compaction_knows_what_both_add():
    pair = Pair(60)
    pair.memory.compactor.waste_share = pair.memory.compactor.least_waste = 0
    pair.memory.compactor.most_bytes = 1000
    for step in range(40):
        number = step % 2
        pair.change(number, DrawChange(pair.draws[number].pop(step % 7), None))
        pair.memory.compact_some()
        if step % 5 == 0:
            pair.add(cloud(40 + step, step), pair.places[0])
        pair.memory.compact_some()
        pair.agree()


@pytest.mark.parametrize("first", [0, 1])
def test_columns_of_a_table_are_stored_once(first):
    program = FakeProgram("rows", Interface({"position": types.VEC3}, {"model": types.MAT4}))
    positions = np.random.default_rng(0).random((300, 3)).astype(np.float32)
    geometry = Geometry({"position": np.eye(3)})
    table = DrawTable(program, [geometry], {"position": positions})
    memory = Memory(2**18)
    heaps = [DrawHeap(memory, DEPTH_FRAME), DrawHeap(memory, DEPTH_FRAME)]
    for heap in heaps:
        heap.apply([DrawChange(None, table.as_draw())])
    assert memory.stats()["live_bytes"] < 300 * 12 + 200
    table.write("position", (50, 60, 70), [17])
    table.append({"position": np.full((4, 3), -8.0)})
    table.delete([0, 5])
    for heap in heaps[:: 1 if first else -1]:
        heap.pull()
    for heap in heaps:
        check(heap)
        assert heap.world_bounds()[1].max() == 71
        assert heap.world_bounds()[0].min() == -8
    heaps[first].close()
    table.write("position", (0, 0, 99), [17])
    heaps[1 - first].pull()
    check(heaps[1 - first])
    assert heaps[1 - first].world_bounds()[1, 2] == 100


def test_a_change_for_one_geometry_is_not_written_for_another():
    """Two geometries of different sizes read one index array; the change suits the larger one."""
    heap, model = DrawHeap(2**16, DEPTH_FRAME), ModelHeap(DEPTH_FRAME)
    indices = cval(np.arange(10))
    geometries = [Geometry({"position": np.random.default_rng(n).random((n, 3))}, indices)
                  for n in (10, 40)]  # fmt: skip
    small, large = (
        Draw(DEPTH, geometry, {"model": np.eye(4)}, state=POINTS) for geometry in geometries
    )
    for draw in (small, large):
        heap.apply([DrawChange(None, draw)])
        model.apply([DrawChange(None, draw)])
    assert heap.stats()["entries"] == 4
    before = seen(heap)
    indices.value = np.arange(30, 40)
    with pytest.raises(GeometryError):
        heap.pull()
    check(heap)
    after = seen(heap)
    assert after[0] == before[0]
    assert after[1]["vertices"] == list(range(30, 40))
    # A third that comes meanwhile has the new indices.
    third = Draw(DEPTH, Geometry({"position": np.ones((50, 3))}, indices), {"model": np.eye(4)},
                 state=POINTS)  # fmt: skip
    heap.apply([DrawChange(None, third)])
    assert seen(heap)[2]["vertices"] == list(range(30, 40))
    assert seen(heap)[0] == before[0]
    model.apply([DrawChange(None, third)])
    indices.value = np.arange(10)[::-1]
    heap.pull()
    check(heap)
    model.compare(heap)
    assert heap.stats()["entries"] == 5


def test_who_comes_before_a_change_is_heard_does_not_write_for_the_others():
    heap = DrawHeap(2**16, DEPTH_FRAME)
    indices = cval(np.arange(10))
    small = Geometry({"position": np.random.default_rng(0).random((10, 3))}, indices)
    large = Geometry({"position": np.random.default_rng(1).random((40, 3))}, indices)
    heap.apply([DrawChange(None, Draw(DEPTH, small, {"model": np.eye(4)}, state=POINTS))])
    before = seen(heap)
    indices.value = np.arange(30, 40)
    heap.apply([DrawChange(None, Draw(DEPTH, large, {"model": np.eye(4)}, state=POINTS))])
    assert seen(heap)[0] == before[0]
    with pytest.raises(GeometryError):
        heap.pull()
    assert seen(heap)[0] == before[0]
    assert seen(heap)[1]["vertices"] == list(range(30, 40))
    check(heap)


@pytest.mark.parametrize("seed", range(6))
def test_what_changes_again_before_both_have_heard_is_heard_by_both(seed):
    """One heap renews arrays, these change again, and the other heap comes first this time."""
    rng = np.random.default_rng(seed)
    memory = Memory(2**18)
    heaps = [DrawHeap(memory, COLOR_FRAME) for _ in range(2)]
    models = [ModelHeap(COLOR_FRAME) for _ in range(2)]
    cells = {"position": cval(rng.random((5, 3))), "normal": cval(rng.random((5, 3)))}
    geometry = Geometry(cells)
    rows, count = cval(np.stack([np.eye(4)])), cval(1)

    def add(number: int) -> None:
        draw = Draw(LIT, geometry, {"color": "red"}, {"model": rows}, count, state=POINTS)
        for target in (heaps[number], models[number]):
            target.apply([DrawChange(None, draw)])

    add(0)
    add(1)
    for _ in range(30):
        with transact():
            n = int(rng.integers(1, 9))
            for cell in cells.values():
                cell.value = rng.random((n, 3))
            count.value = int(rng.integers(1, 4))
            rows.value = places(rng, count.value)
        late = int(rng.integers(2))
        heaps[1 - late].pull()
        if rng.random() < 0.1:
            add(late)
        if rng.random() < 0.4:
            heaps[late].pull()
            heaps[1 - late].pull()
            for heap, model in zip(heaps, models, strict=True):
                check(heap)
                model.compare(heap)
