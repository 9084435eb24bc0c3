from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import Draw, DrawChange, DrawTable, Geometry, PipelineState
from heapscene.heap import Allocator, DrawHeap, check
from heapscene.heap.compaction import LEAST_WASTE, MOST_BYTES, WASTE_SHARE
from heapscene.shader import Interface, types
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": types.MAT4}
POINTS = PipelineState(topology="point-list")
PROGRAM = FakeProgram(
    "lit", Interface({"position": types.VEC3}, {"color": types.VEC4, "view": types.MAT4})
)
PICKABLE = FakeProgram(
    "pick", Interface({"position": types.VEC3}, {"color": types.VEC4, "id": types.U32})
)


def cloud(n: int, seed: int = 0) -> Geometry:
    return Geometry({"position": np.random.default_rng(seed).random((n, 3), np.float32)})


def meshes(count: int, vertices: int, program=PROGRAM) -> list[Draw]:
    return [
        Draw(program, cloud(vertices, k), {"color": (k / count, 0, 0, 1)}, state=POINTS)
        for k in range(count)
    ]


def heap_with_gaps(draws: list[Draw], page_bytes: int = 2**24) -> tuple[DrawHeap, list[Draw]]:
    """Every other draw is gone again."""
    heap = DrawHeap(page_bytes, FRAME)
    heap.apply([DrawChange(None, draw) for draw in draws])
    heap.apply([DrawChange(draw, None) for draw in draws[::2]])
    for page in heap.pages:
        page.dirty.drain()
    return heap, draws[1::2]


def agrees(heap: DrawHeap, draws: list[Draw]) -> None:
    check(heap)
    model = ModelHeap(FRAME)
    model.apply([DrawChange(None, draw) for draw in draws])
    model.compare(heap)


def test_half_a_page_of_holes_is_closed_and_draws_what_it_drew():
    heap, left = heap_with_gaps(meshes(100, 1000))
    used = heap.stats()["page_bytes"]
    assert heap.memory.compact_some() == heap.stats()["live_bytes"]
    assert heap.stats()["waste_bytes"] == 0
    assert heap.stats()["page_bytes"] < 0.51 * used
    agrees(heap, left)
    assert heap.memory.compact_some() == 0


def test_what_is_sent_is_what_moved():
    heap, _ = heap_with_gaps(meshes(100, 1000))
    moved = heap.memory.compact_some()
    ((start, stop),) = heap.pages[0].dirty.drain().tolist()
    assert (stop - start) * 4 == moved
    (bucket,) = heap.buckets
    assert not heap.memory.compact()
    assert not heap.pages[0].dirty
    bucket.headers.dirty.drain()


@pytest.mark.parametrize(
    ("count", "gone", "compacts"), [(20, 8, False), (100, 30, False), (100, 50, True)]
)
def test_small_pages_and_little_waste_are_left_alone(count, gone, compacts):
    draws = meshes(count, 1000)
    heap = DrawHeap(2**24, FRAME)
    heap.apply([DrawChange(None, draw) for draw in draws])
    heap.apply([DrawChange(draw, None) for draw in draws[:gone]])
    (page,) = heap.pages
    waste = page.allocator.waste
    assert (waste > LEAST_WASTE and waste > WASTE_SHARE * page.allocator.cursor) == compacts
    assert bool(heap.memory.compact_some()) == compacts


def test_a_step_moves_at_most_eight_mebibytes():
    heap, _ = heap_with_gaps(meshes(24, 100_000), 2**26)
    steps: list[int] = []
    while moved := heap.memory.compact_some():
        steps.append(moved)
        check(heap)
    assert max(steps) <= MOST_BYTES
    assert len(steps) > 1
    assert heap.stats()["waste_bytes"] == 0


def test_what_is_larger_than_a_step_moves_alone():
    heap, left = heap_with_gaps(meshes(6, 80_000), 2**24)
    heap.memory.compactor.most_bytes = 900_000
    steps = [heap.memory.compact_some() for _ in range(8)]
    assert [moved for moved in steps if moved > 900_000] == [960_000] * 3
    assert steps[-1] == 0
    agrees(heap, left)
    assert heap.stats()["waste_bytes"] == 0


def test_pages_share_one_budget_per_step():
    heap, left = heap_with_gaps(meshes(24, 10_000), 2**20)
    heap.memory.compactor.most_bytes = 500_000
    assert len(heap.pages) > 2
    while moved := heap.memory.compact_some():
        assert moved <= 500_000
    agrees(heap, left)


def test_a_number_that_equals_an_old_offset_stays_a_number():
    """A stride in words and an inline value that both look like where something lay."""
    heap = DrawHeap(2**20, FRAME)
    first = Draw(PICKABLE, cloud(100, 1), {"color": (1, 0, 0, 1), "id": 0}, state=POINTS)
    heap.apply([DrawChange(None, first)])
    offsets = [entry.offset for entry in heap.pages[0].entries]
    draws = [
        Draw(PICKABLE, cloud(3 + k, k + 2), {"color": (0, k / 9, 0, 1), "id": at}, state=POINTS)
        for k, at in enumerate([*offsets, *(at >> 2 for at in offsets), 3, 4])
    ]
    heap.apply([DrawChange(None, draw) for draw in draws])
    heap.apply([DrawChange(first, None)])
    assert heap.memory.compact() > 0
    agrees(heap, draws)


def test_indices_move_although_no_input_does():
    """Only an index array lies behind the hole."""
    position = np.random.default_rng(0).random((50, 3), np.float32)
    model = {"color": (1, 1, 1, 1)}
    kept = Geometry({"position": position})
    gone = Draw(PROGRAM, Geometry({"position": position}, np.arange(30)), model, state=POINTS)
    indexed = [
        Draw(PROGRAM, Geometry({"position": position}, indices), model, state=POINTS)
        for indices in (np.arange(7, dtype=np.uint8), np.arange(20, dtype=np.uint16))
    ]
    first = Draw(PROGRAM, kept, model, state=POINTS)
    heap = DrawHeap(2**16, FRAME)
    for draw in (first, gone, *indexed):
        heap.apply([DrawChange(None, draw)])
    heap.apply([DrawChange(gone, None)])
    (bucket,) = heap.buckets
    generation, headers = bucket.generation, bucket.headers.data.copy()
    assert heap.memory.compact() == 16 + 48
    agrees(heap, [first, *indexed])
    assert np.array_equal(headers, bucket.headers.data)
    assert bucket.generation == generation


def test_a_range_past_the_end_that_draws_nothing_keeps_its_place():
    position = np.zeros((4, 3), np.float32)
    empty = Geometry({"position": position}, np.arange(4, dtype=np.uint32), range=(4, 0))
    some, more = meshes(2, 60)
    draw = Draw(PROGRAM, empty, {"color": (1, 1, 1, 1)}, state=POINTS)
    heap = DrawHeap(2**16, FRAME)
    for each in (some, draw, more):
        heap.apply([DrawChange(None, each)])
    heap.apply([DrawChange(some, None)])
    assert heap.memory.compact() > 0
    agrees(heap, [draw, more])


def test_values_that_change_later_are_written_to_where_they_lie_now():
    color = cval((0.5, 0.5, 0.5, 1.0))
    draws = meshes(10, 300)
    draws[5] = Draw(PROGRAM, cloud(30, 77), {"color": color}, state=POINTS)
    heap, left = heap_with_gaps(draws)
    assert heap.memory.compact() > 0
    color.value = (0.25, 1.0, 0.125, 1.0)
    heap.pull()
    agrees(heap, left)


@pytest.mark.parametrize("count", [1, 40])
def test_who_comes_after_a_move_finds_what_lies_there(count):
    """Nobody has looked at the geometry since it moved: one draw, and many at once."""
    shared = Geometry({"position": np.random.default_rng(0).random((90, 3))}, np.arange(60))
    first, second = meshes(1, 500)[0], Draw(PROGRAM, shared, {"color": "red"}, state=POINTS)
    heap = DrawHeap(2**16, FRAME)
    for draw in (first, second):
        heap.apply([DrawChange(None, draw)])
    heap.apply([DrawChange(first, None)])
    assert heap.memory.compact() > 0
    late = [Draw(PROGRAM, shared, {"color": (k / 50, 0, 0, 1)}, state=POINTS) for k in range(count)]
    heap.apply([DrawChange(None, draw) for draw in late])
    agrees(heap, [second, *late])


def test_rows_of_tables_move_with_their_chunks():
    shapes = [Geometry(cloud(n, n).attributes, np.arange(n)[::-1]) for n in (10, 30)]
    table = DrawTable(PROGRAM, shapes, {"color": np.zeros((500, 4))}, state=POINTS)
    early = meshes(4, 500)
    heap = DrawHeap(2**16, FRAME)
    for draw in (*early, table.as_draw()):
        heap.apply([DrawChange(None, draw)])
    heap.apply([DrawChange(draw, None) for draw in early])
    assert heap.memory.compact() > 0
    table.write("color", np.random.default_rng(1).random((500, 4)))
    table.write("geometry", 1, slice(0, 100))
    heap.pull()
    check(heap)
    assert heap.memory.compact() == 0


def test_equal_histories_give_equal_bytes():
    def history() -> list[bytes]:
        heap, _ = heap_with_gaps(meshes(60, 700))
        heap.memory.compactor.most_bytes = 50_000
        for k in range(5):
            heap.memory.compact_some()
            heap.apply([DrawChange(None, draw) for draw in meshes(3, 100 * k + 20)])
        return [page.data[: page.used].tobytes() for page in heap.pages]

    assert history() == history()


def test_an_abandoned_pass_ends_with_its_page():
    heap, left = heap_with_gaps(meshes(40, 1000), 2**18)
    heap.memory.compactor.least_waste, heap.memory.compactor.most_bytes = 0, 15_000
    assert heap.memory.compact_some() > 0
    assert heap.memory.compactor._passes
    heap.apply([DrawChange(draw, None) for draw in left])
    assert heap.memory.compact_some() == 0
    assert not heap.memory.compactor._passes
    check(heap)


@pytest.mark.parametrize("seed", range(3))
def test_ranges_of_an_allocator_follow_each_other_after_packing(seed):
    rng = np.random.default_rng(seed)
    allocator = Allocator(1 << 16)
    live: dict[int, int] = {}
    for _ in range(300):
        for _ in range(int(rng.integers(1, 20))):
            if live and rng.random() < 0.5:
                offset = list(live)[int(rng.integers(len(live)))]
                del live[offset]
                allocator.release(offset)
            elif offset := allocator.allocate(size := 16 * int(rng.integers(1, 30))):
                live[offset] = size
        if not live:
            continue
        order = np.array(sorted(live), np.int64)
        first = int(rng.integers(len(order)))
        some = order[first : first + int(rng.integers(1, len(order) + 1))]
        sizes = np.array([live[offset] for offset in some.tolist()], np.int64)
        places = allocator.pack(some, sizes)
        allocator.check()
        assert np.array_equal(places[1:], (places + sizes)[:-1])
        assert (places <= some).all()
        for offset in some.tolist():
            del live[offset]
        live.update(zip(places.tolist(), sizes.tolist(), strict=True))
        assert allocator.live_bytes == sum(live.values())
