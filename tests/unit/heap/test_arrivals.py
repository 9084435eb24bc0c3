"""Many draws at once: the same heap as one by one, and in order."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from heapscene.adaptive import constant, cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.errors import InputError
from heapscene.heap import Allocator, DrawHeap, check
from heapscene.shader import Interface
from heapscene.shader.types import MAT4, VEC3, VEC4
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": MAT4, "proj": MAT4}
PROGRAM = FakeProgram(
    "lit", Interface({"position": VEC3}, {"model": MAT4, "color": VEC4, "view": MAT4})
)
BOX = Geometry({"position": np.eye(3)})
BALL = Geometry({"position": np.ones((5, 3))}, [0, 1, 2, 2, 3, 4])


def place(x: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[0, 3] = x
    return matrix


def draw(k: int, color=None, geometry=BOX, **rest) -> Draw:
    inputs = {"model": place(k), "color": (k % 7 / 7, 0, 1) if color is None else color}
    return Draw(PROGRAM, geometry, inputs, **rest)


def heap_of(draws: list[Draw], page_bytes: int = 1 << 20) -> DrawHeap:
    heap = DrawHeap(page_bytes, FRAME)
    heap.apply([DrawChange(None, d) for d in draws])
    heap.pull()
    check(heap)
    model = ModelHeap(FRAME)
    model.apply([DrawChange(None, d) for d in draws])
    model.compare(heap)
    return heap


def test_interleaved_geometries_keep_the_order_of_arrival():
    draws = [draw(k, geometry=(BOX, BALL)[k % 2]) for k in range(100)]
    assert heap_of(draws).order() == draws


def test_the_last_draw_of_a_geometry_may_leave_as_many_others_arrive():
    """What the geometry looks like on a page is made once, though it lies on none in between."""
    first = draw(0, geometry=BALL)
    heap = heap_of([first], 1 << 15)
    allocator = heap.pages[0].allocator
    filler = np.zeros(((allocator.limit - allocator.cursor - 200) // 36 * 3, 3))
    heap.apply([DrawChange(None, draw(1, geometry=Geometry({"position": filler})))])
    assert len(heap.pages) == 1  # full, and what `first` leaves is a hole
    coming = [draw(k, geometry=BALL) for k in range(2, 400)]
    heap.apply([DrawChange(first, None), *[DrawChange(None, d) for d in coming]])
    check(heap)
    assert len(heap.memory.catalog.shapes) == 2
    assert len(heap.pages) > 1


def test_few_and_many_mixed_keep_the_order_of_arrival():
    odd = PipelineState(cull_mode="back")
    draws = [
        draw(k, visible=k % 3 > 0, state=odd if k % 40 == 0 else PipelineState()) for k in range(90)
    ]
    draws.insert(20, draw(200, instance_count=cval(2)))
    draws.insert(70, draw(201, geometry=cval(BALL)))
    heap = heap_of(draws)
    slots = [slot.residents for slot in heap.buckets[0].slots]
    for residents in slots:
        ranks = [resident.rank for resident in residents if resident is not None]
        assert ranks == sorted(ranks)


def test_constants_and_cells_of_one_input_may_be_mixed():
    shared = cval((1, 0, 0))
    kinds = [
        lambda k: (0, k, 0),
        lambda _: (1, 0.5, 0.25),
        lambda _: cval((0, 0, 1)),
        lambda _: shared,
        lambda _: constant((1, 1, 0)),
    ]
    draws = [draw(k, color=kinds[k % 5](k)) for k in range(100)]
    heap = heap_of(draws)
    before = heap.pages[0].allocator.live_bytes
    heap.apply([DrawChange(d, None) for d in draws])
    assert before > heap.pages[0].allocator.live_bytes == 0
    assert len(heap._sink) == len(heap.memory.placement.sink) == 0


def test_draws_spill_over_to_further_pages():
    draws = [draw(k, color=cval((k, 0, 0))) for k in range(200)]
    heap = heap_of(draws, page_bytes=4096)
    assert len(heap.pages) > 3
    assert sum(len(page.parts) for page in heap.pages) == len(heap.pages)


def test_holes_are_filled_before_pages_are_opened():
    draws = [draw(k, color=cval((k, 0, 0))) for k in range(100)]
    heap = heap_of(draws, page_bytes=16384)
    pages = len(heap.pages)
    for _ in range(5):
        heap.apply([DrawChange(d, None) for d in draws[::2]])
        draws[::2] = [draw(k, color=cval((k, 1, 0))) for k in range(0, 100, 2)]
        heap.apply([DrawChange(None, d) for d in draws[::2]])
        check(heap)
    assert len(heap.pages) == pages


def test_one_bad_draw_among_many_changes_nothing():
    heap = heap_of([draw(k) for k in range(30)])
    before = heap.stats()
    bad = cval((1, 2))
    with pytest.raises(InputError, match="color"):
        heap.apply(
            [
                DrawChange(None, draw(k, color=bad if k == 40 else cval((0, 0, k))))
                for k in range(60)
            ]
        )
    assert heap.stats() == before
    assert len(heap._sink) == len(heap.memory.placement.sink) == 0
    check(heap)


def test_the_collector_is_as_it_was():
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            heap = heap_of([draw(k) for k in range(30)])
            with pytest.raises(InputError):
                heap.apply([DrawChange(None, heap.order()[0])])
            assert gc.isenabled() is enabled
        finally:
            gc.enable()


def test_visibility_of_many_is_one_pass():
    shown = cval(True)
    heap = heap_of([draw(k, visible=shown, geometry=(BOX, BALL)[k % 2]) for k in range(100)])
    bucket = heap.buckets[0]
    generation, emitted = bucket.generation, bucket.emitted
    shown.value = False
    heap.pull()
    check(heap)
    assert heap.visible_count == bucket.emitted == bucket.vertices == 0
    assert bucket.generation == generation + 1
    shown.value = True
    heap.pull()
    check(heap)
    assert (heap.visible_count, bucket.emitted) == (100, emitted)


def test_many_failing_values_keep_their_bytes_and_are_asked_again():
    cells = [cval((k / 100, 0, 0)) for k in range(100)]
    heap = heap_of([draw(k, color=cell) for k, cell in enumerate(cells)])
    before = heap.pages[0].data.copy()
    for cell in cells:
        cell.value = (1, 2)
    cells[50].value = (9, 9, 9)
    with pytest.raises(InputError, match="color"):
        heap.pull()
    changed = np.flatnonzero(heap.pages[0].data[: len(before)] != before)
    assert len(changed) == 3
    for k, cell in enumerate(cells):
        cell.value = (k / 100, 0, 0)
    heap.pull()
    assert np.array_equal(heap.pages[0].data, before)


def test_many_ranges_at_once():
    allocator = Allocator(4096)
    first = [allocator.allocate(64) for _ in range(10)]
    for offset in first[:8:2]:
        allocator.release(offset)
    offsets = allocator.allocate_many(40, 6)
    assert offsets[:4] == first[:8:2]
    assert len(set(offsets)) == 6
    allocator.check()
    for offset in (*offsets, *first[1:8:2], *first[8:]):
        allocator.release(offset)
    allocator.check()
    assert allocator.cursor == 16
