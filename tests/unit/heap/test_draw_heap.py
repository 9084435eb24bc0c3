from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import computed, constant, cval, evaluations
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.errors import GeometryError, HeapFullError, InputError, StateError
from heapscene.heap import DrawHeap, Words, check
from heapscene.shader import Interface, types
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": types.MAT4}
PROGRAM = FakeProgram(
    "lit",
    Interface(
        {"position": types.VEC3},
        {"model": types.MAT4, "color": types.VEC4, "view": types.MAT4},
        input_defaults={"color": (1, 1, 1, 1)},
    ),
)
BOX = Geometry({"position": np.arange(72).reshape(24, 3)}, np.arange(36) % 24)
POINTS = PipelineState(topology="point-list")
BACK = PipelineState(cull_mode="back")


def draw(color="red", geometry=BOX, program=PROGRAM, **rest) -> Draw:
    inputs = {"model": np.eye(4), **({} if color is None else {"color": color})}
    # Points, since most geometries here are no whole triangles.
    rest.setdefault("state", POINTS)
    return Draw(program, geometry, inputs, **rest)


def heap_of(*draws: Draw, page_bytes: int = 65536) -> DrawHeap:
    heap = DrawHeap(page_bytes, FRAME)
    add(heap, *draws)
    drain(heap)
    return heap


def add(heap: DrawHeap, *draws: Draw) -> None:
    heap.apply([DrawChange(None, item) for item in draws])
    check(heap)


def remove(heap: DrawHeap, *draws: Draw) -> None:
    heap.apply([DrawChange(item, None) for item in draws])
    check(heap)


def replace(heap: DrawHeap, old: Draw, new: Draw) -> None:
    heap.apply([DrawChange(old, new)])
    check(heap)


def ranges(words: Words) -> list[tuple[int, int]]:
    return [(start, stop) for start, stop in words.dirty.drain().tolist()]


def drain(heap: DrawHeap) -> dict[str, list[tuple[int, int]]]:
    """What became dirty, in words."""
    result: dict[str, list[tuple[int, int]]] = {"pages": [], "headers": [], "records": []}
    for page in heap.pages:
        result["pages"] += ranges(page)
    for bucket in heap.buckets:
        result["headers"] += ranges(bucket.headers)
        result["records"] += ranges(bucket.records)
    return result


def agrees(heap: DrawHeap, *draws: Draw) -> None:
    model = ModelHeap(FRAME)
    model.apply([DrawChange(None, item) for item in draws])
    check(heap)
    model.compare(heap)


# Sharing


def test_equal_constants_and_the_same_cell_share_memory():
    cell = cval("red")
    heap = heap_of(
        draw("red"), draw((1.0, 0.0, 0.0)), draw(constant("#ff0000")), draw(cell), draw(cell)
    )
    # position, indices, model, one colour of constants, one of the cell
    assert heap.stats()["entries"] == 5


def test_what_cannot_change_is_not_watched():
    heap = heap_of(draw("red", constant(BOX), visible=constant(True), state=constant(BACK)))
    assert len(heap._sink) == len(heap._listeners) == 0
    assert len(heap.memory.placement.sink) == 0


def test_equal_cells_do_not_share():
    heap = heap_of(draw(cval("red")), draw(cval("red")))
    assert heap.stats()["entries"] == 5


def test_geometries_of_equal_content_share():
    copy = Geometry({"position": np.arange(72).reshape(24, 3)}, np.arange(36) % 24)
    heap = heap_of(draw(), draw(geometry=copy))
    assert heap.stats()["entries"] == 4
    add(heap, draw(geometry=Geometry(BOX.attributes, BOX.indices, range=(3, 3))))
    assert heap.stats()["entries"] == 4


def test_memory_returns():
    draws = [draw(cval((k / 10, 0, 0))) for k in range(10)]
    heap = heap_of(*draws)
    before = heap.stats()
    remove(heap, *draws)
    assert heap.stats()["page_bytes"] == 16
    assert heap.stats()["live_bytes"] == heap.stats()["buckets"] == 0
    add(heap, *draws)
    assert heap.stats() == before


def test_removals_of_a_batch_make_room_for_its_additions():
    big = [Geometry({"position": np.full((3000, 3), k)}) for k in range(2)]
    first, second = (draw(geometry=geometry) for geometry in big)
    heap = heap_of(first)
    heap.apply([DrawChange(None, second), DrawChange(first, None)])
    agrees(heap, second)
    assert heap.stats()["pages"] == 1
    assert heap.stats()["page_bytes"] < 40_000


# Work


def test_nothing_changed_nothing_is_dirty():
    heap = heap_of(draw(cval("red")))
    before = evaluations()
    heap.pull()
    heap.apply([])
    assert drain(heap) == {"pages": [], "headers": [], "records": []}
    assert evaluations() == before


def test_one_colour_is_one_write_of_16_bytes():
    cells = [cval((k / 100, 0, 0)) for k in range(100)]
    heap = heap_of(*(draw(cell) for cell in cells))
    cells[40].value = "tomato"
    heap.pull()
    dirty = drain(heap)
    assert [stop - start for start, stop in dirty["pages"]] == [4]
    assert dirty["headers"] == dirty["records"] == []
    cells[40].value = "#ff6347"
    heap.pull()
    assert drain(heap)["pages"] == []


@pytest.mark.parametrize("how", ["cell", "replacement"])
def test_hiding_is_one_record(how):
    cell = cval(True)
    draws = [draw(cval((k / 100, 0, 0))) for k in range(20)]
    draws[7] = draw(visible=cell)
    heap = heap_of(*draws)
    generation = heap.buckets[0].generation
    if how == "cell":
        cell.value = False
        heap.pull()
    else:
        hidden = Draw(PROGRAM, BOX, draws[7].inputs, visible=False, state=POINTS)
        replace(heap, draws[7], hidden)
        draws[7] = hidden
    assert drain(heap) == {"pages": [], "headers": [], "records": [(7 * 8, 8 * 8)]}
    assert heap.buckets[0].generation > generation
    assert (heap.draw_count, heap.visible_count) == (20, 19)
    assert heap.buckets[0].emitted == 19 * 36
    assert heap.buckets[0].vertices == 19 * 24
    agrees(heap, *draws)


def test_an_add_is_one_row_and_one_record():
    heap = heap_of(*(draw() for _ in range(9)))
    add(heap, draw())
    dirty = drain(heap)
    assert dirty["pages"] == []
    assert sum(stop - start for start, stop in dirty["headers"]) == 6
    assert sum(stop - start for start, stop in dirty["records"]) == 8


def test_a_state_there_and_back_is_two_records_each_way():
    cells = [cval(PipelineState()) for _ in range(20)]
    draws = [draw(state=cell) for cell in cells]
    heap = heap_of(*draws)
    cells[0].value = cells[19].value = BACK
    heap.pull()
    drain(heap)
    cells[5].value = BACK
    heap.pull()
    agrees(heap, *draws)
    assert [slot.live for slot in heap.buckets[0].slots] == [3, 17]
    drain(heap)
    cells[5].value = PipelineState()
    heap.pull()
    agrees(heap, *draws)
    assert sum(stop - start for start, stop in drain(heap)["records"]) <= 16
    assert drain(heap)["headers"] == drain(heap)["pages"] == []


# Order


def test_order_is_arrival_whatever_changes():
    states = [cval(PipelineState()) for _ in range(4)]
    draws = [draw(state=state) for state in states]
    heap = heap_of(*draws)
    for state in states:
        state.value = BACK
        heap.pull()
    assert heap.order() == draws
    new = draw("blue", state=BACK)
    replace(heap, draws[1], new)
    assert heap.order() == [draws[0], new, draws[2], draws[3]]
    heap.apply([DrawChange(draws[0], None), DrawChange(None, draws[0])])
    assert heap.order() == [new, draws[2], draws[3], draws[0]]


def test_states_come_by_key_and_programs_by_hash():
    other = FakeProgram("a", PROGRAM.interface)
    draws = [
        draw(state=BACK),
        draw(state=PipelineState()),
        draw(program=other),
        Draw(PROGRAM, BOX, {"model": np.eye(4), "view": np.eye(4)}),
    ]
    heap = heap_of(*draws)
    assert heap.order() == [draws[2], draws[3], draws[0], draws[1]]
    assert [bucket.frame_names for bucket in heap.buckets] == [("view",), (), ("view",)]


def test_holes_are_squeezed_when_they_outnumber_the_live():
    draws = [draw() for _ in range(40)]
    heap = heap_of(*draws)
    remove(heap, *draws[1:19:2])
    assert heap.stats()["holes"] == 9
    remove(heap, *draws[:20:2], *draws[20:30])
    assert heap.stats()["holes"] <= heap.draw_count
    assert heap.order() == [draws[19], *draws[30:]]


@pytest.mark.parametrize("last", [True, False])
def test_the_table_shrinks_with_its_draws(last):
    draws = [draw(state=BACK if k % 2 else PipelineState()) for k in range(1000)]
    heap = heap_of(*draws)
    remove(heap, *(draws[20:] if last else draws[:980]))
    assert heap.buckets[0].n_records < 250
    agrees(heap, *(draws[:20] if last else draws[980:]))
    add(heap, *draws[30:60])
    agrees(heap, *(draws[:20] if last else draws[980:]), *draws[30:60])


def test_many_slots_grow_in_one_table():
    states = [PipelineState(depth_bias=k) for k in range(5)]
    draws = [draw(state=states[k % 5]) for k in range(300)]
    heap = heap_of()
    for item in draws:
        heap.apply([DrawChange(None, item)])
    agrees(heap, *draws)
    assert heap.buckets[0].n_records < 3 * 300
    remove(heap, *(item for item in draws if item.state is not states[2]))
    agrees(heap, *(item for item in draws if item.state is states[2]))
    assert len(heap.buckets[0].slots) == 1


def test_empty_buckets_and_pages_go():
    geometries = [Geometry({"position": np.full((2500, 3), k)}) for k in range(5)]
    draws = [draw(geometry=geometry) for geometry in geometries]
    heap = heap_of(*draws)
    assert (len(heap.pages), len(heap.buckets)) == (3, 3) or len(heap.pages) == 5
    pages = heap.pages
    remove(heap, *draws[:4])
    assert len(heap.buckets) == 1
    agrees(heap, draws[4])
    remove(heap, draws[4])
    assert pages is heap.pages
    assert [page.number for page in pages] == [0]


def test_many_flips_merge_in_order():
    states = [cval(PipelineState()) for _ in range(200)]
    draws = [draw(state=state) for state in states]
    heap = heap_of(*draws)
    for every, state in (
        (3, BACK),
        (2, BACK),
        (5, PipelineState()),
        (1, BACK),
        (7, PipelineState()),
    ):
        for k in range(0, 200, every):
            states[-1 - k].value = state
        heap.pull()
        agrees(heap, *draws)
    assert heap.stats()["records"] < 4 * 200


def test_one_state_for_many_draws_is_asked_once():
    state = cval(PipelineState())
    draws = [draw(state=state if k % 2 else BACK) for k in range(60)]
    heap = heap_of(*draws)
    state.value = BACK
    heap.pull()
    agrees(heap, *draws)
    assert heap.order() == draws


# Counts, hiding, states


def test_hidden_stays_hidden_when_its_state_changes():
    state, visible = cval(PipelineState()), cval(False)
    item = draw(state=state, visible=visible, instance_count=3)
    heap = heap_of(item)
    state.value = BACK
    heap.pull()
    assert heap.buckets[0].emitted == 0
    visible.value = True
    heap.pull()
    assert heap.buckets[0].emitted == 3 * 36
    agrees(heap, item)


def test_count_zero_draws_nothing():
    count = cval(0)
    item = draw(instance_count=count)
    heap = heap_of(item)
    assert (heap.visible_count, heap.buckets[0].emitted) == (0, 0)
    count.value = 2
    heap.pull()
    assert (heap.visible_count, heap.buckets[0].emitted) == (1, 72)
    agrees(heap, item)


def test_rows_and_count_change_together():
    count, rows = cval(2), cval(np.stack([np.eye(4)] * 2))
    items = [
        Draw(PROGRAM, BOX, {}, {"model": rows}, instance_count=count),
        Draw(PROGRAM, BOX, {}, {"model": rows}, instance_count=count),
    ]
    heap = heap_of(*items)
    for n in (5, 1, 0, 7):
        count.value = n
        rows.value = np.stack([np.diag([k, k, k, 1]) for k in range(1, max(n, 1) + 1)])
        heap.pull()
        agrees(heap, *items)
    assert heap.stats()["entries"] == 4


def test_rows_that_do_not_fit_the_count_are_refused():
    rows = cval(np.stack([np.eye(4)] * 3))
    item = Draw(PROGRAM, BOX, {}, {"model": rows}, instance_count=3)
    heap = heap_of(item)
    before = heap.pages[0].data.tobytes()
    rows.value = np.stack([np.eye(4)] * 2)
    for _ in range(2):
        with pytest.raises(InputError, match="2 rows for 3 instances"):
            heap.pull()
        assert heap.pages[0].data.tobytes() == before
        check(heap)
    rows.value = np.stack([np.diag([2, 2, 2, 1])] * 3)
    heap.pull()
    agrees(heap, item)
    heap.pull()


def test_a_count_beyond_its_rows_is_refused():
    count = cval(3)
    rows = np.stack([np.diag([k, k, k, 1]) for k in range(1, 4)])
    item = Draw(PROGRAM, BOX, {}, {"model": rows}, instance_count=count)
    heap = heap_of(item)
    count.value = 5
    for _ in range(2):
        with pytest.raises(InputError, match="3 rows for 5 instances"):
            heap.pull()
    assert heap.buckets[0].emitted == 3 * 36
    count.value = 2
    heap.pull()
    agrees(heap, item)


def test_who_left_is_not_asked_when_rows_change_size():
    count, rows = cval(2), cval(np.stack([np.eye(4)] * 2))
    items = [Draw(PROGRAM, BOX, {}, {"model": rows}, instance_count=count) for _ in range(3)]
    heap = heap_of(*items)
    remove(heap, items[0])
    other = Draw(PROGRAM, BOX, {"model": np.eye(4)}, instance_count=count)
    replace(heap, items[1], other)
    rows.value = np.stack([np.eye(4)] * 4)
    heap.pull()
    agrees(heap, other, items[2])


def test_one_row_serves_all_instances():
    item = Draw(PROGRAM, BOX, {"model": np.eye(4)}, {"color": [(0, 1, 0, 1)]}, instance_count=4)
    heap = heap_of(item)
    agrees(heap, item)
    word = next(field.word for field in heap.buckets[0].fields if field.name == "color")
    assert heap.buckets[0].headers.data[word + 1] == 0


@pytest.mark.parametrize("bad", [-1, 1.5, "two", None])
def test_bad_counts_are_refused(bad):
    heap = heap_of()
    with pytest.raises(InputError, match="instance_count"):
        add(heap, draw(instance_count=bad))
    assert heap.draw_count == 0


# Geometry


def test_geometry_swap_keeps_rank():
    cell = cval(BOX)
    draws = [draw(), draw(geometry=cell), draw()]
    heap = heap_of(*draws)
    cell.value = Geometry({"position": np.ones((5, 3))})
    heap.pull()
    agrees(heap, *draws)
    assert heap.order() == draws
    cell.value = BOX
    heap.pull()
    assert heap.stats()["entries"] == 4


def test_a_swap_that_needs_another_page_takes_the_draw_along():
    cell, color = cval(BOX), cval("red")
    fill = draw(geometry=Geometry({"position": np.zeros((5000, 3))}))
    item = draw(color, geometry=cell)
    heap = heap_of(fill, item)
    cell.value = Geometry({"position": np.ones((3000, 3))})
    heap.pull()
    agrees(heap, fill, item)
    assert len(heap.pages) == 2
    color.value = "blue"
    heap.pull()
    agrees(heap, fill, item)


def test_adaptive_arrays_of_equal_size_are_written_in_place():
    position, indices = cval(np.zeros((4, 3))), cval(np.array([0, 1, 3, 2], np.uint16))
    item = draw(geometry=Geometry({"position": position}, indices))
    heap = heap_of(item)
    cursor, generation = heap.pages[0].allocator.cursor, heap.buckets[0].generation
    indices.value = np.array([3, 1, 0, 2], np.uint16)
    position.value = np.ones((4, 3))
    heap.pull()
    agrees(heap, item)
    assert heap.pages[0].allocator.cursor == cursor
    assert drain(heap)["records"] == drain(heap)["headers"] == []
    # Equal records, other indices: whoever expanded them has to do it again.
    assert heap.buckets[0].generation > generation


def test_adaptive_arrays_may_grow():
    position = cval(np.zeros((4, 3)))
    geometry = Geometry({"position": position})
    draws = [draw("red", geometry), draw("blue", geometry)]
    heap = heap_of(*draws)
    position.value = np.ones((9, 3))
    heap.pull()
    agrees(heap, *draws)
    assert heap.buckets[0].emitted == 18
    position.value = np.zeros((0, 3))
    heap.pull()
    agrees(heap, *draws)


def test_a_bad_array_keeps_the_old_one_until_it_is_good():
    position = cval(np.zeros((4, 3)))
    item = draw(geometry=Geometry({"position": position}, [0, 1, 3]))
    heap = heap_of(item)
    before = heap.pages[0].data.tobytes()
    position.value = np.ones((2, 3))
    for _ in range(2):
        with pytest.raises(GeometryError, match="past the last"):
            heap.pull()
        check(heap)
        assert heap.pages[0].data.tobytes() == before
    position.value = np.ones((5, 3))
    heap.pull()
    agrees(heap, item)


def test_a_shape_that_was_removed_and_returns_is_read_again():
    position = cval(np.zeros((4, 3)))
    geometry = Geometry({"position": position})
    first, second = draw(geometry=geometry), draw(geometry=geometry)
    heap = heap_of(first)
    position.value = np.ones((6, 3))
    heap.apply([DrawChange(None, second), DrawChange(first, None)])
    heap.pull()
    agrees(heap, second)


# Failure


def test_a_failing_value_does_not_stop_the_others():
    broken, color = cval(False), cval("red")
    fragile = computed(lambda: 1 / 0 if broken.value else "lime")
    items = [
        draw(fragile),
        draw(color),
        draw(fragile, geometry=Geometry({"position": [(0, 0, 0)]})),
    ]
    heap = heap_of(*items)
    broken.value, color.value = True, "blue"
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            heap.pull()
    check(heap)
    broken.value = False
    agrees(heap, *items)
    heap.pull()
    agrees(heap, *items)


def test_a_draw_with_a_failing_value_can_be_replaced_and_removed():
    broken = cval(False)
    fragile = computed(lambda: 1 / 0 if broken.value else "lime")
    item = draw(fragile)
    heap = heap_of(item)
    broken.value = True
    hidden = Draw(PROGRAM, BOX, item.inputs, visible=False, state=POINTS)
    replace(heap, item, hidden)
    with pytest.raises(ZeroDivisionError):
        heap.pull()
    remove(heap, hidden)
    heap.pull()
    assert heap.draw_count == 0


@pytest.mark.parametrize("role", ["visible", "state", "instance_count", "geometry"])
def test_a_draw_with_a_failing_property_can_be_replaced(role):
    good = {"visible": True, "state": BACK, "instance_count": 2, "geometry": BOX}[role]
    broken = cval(False)
    value = computed(lambda: 1 / 0 if broken.value else good)
    item = draw(**{role: value})
    heap = heap_of(item)
    broken.value = True
    blue = draw("blue", **{role: value})
    replace(heap, item, blue)
    with pytest.raises(ZeroDivisionError):
        heap.apply([DrawChange(None, draw(**{role: value}))])
    broken.value = False
    heap.pull()
    agrees(heap, blue)


def test_a_bad_value_moves_with_its_draw_and_is_asked_again():
    color = cval("red")
    fill = draw(geometry=Geometry({"position": np.zeros((5000, 3))}))
    item = draw(color)
    heap = heap_of(fill, item)
    color.value = (1, 2)
    big = Draw(PROGRAM, Geometry({"position": np.ones((3000, 3))}), item.inputs)
    replace(heap, item, big)
    assert len(heap.pages) == 2
    for _ in range(2):
        with pytest.raises(InputError, match="'color'"):
            heap.pull()
    color.value = "blue"
    heap.pull()
    agrees(heap, fill, big)


def test_an_array_changed_in_place_is_seen_when_its_draw_is_replaced():
    model = np.eye(4)
    item = Draw(PROGRAM, BOX, {"model": model})
    heap = heap_of(item)
    model[0, 3] = 5
    again = Draw(PROGRAM, BOX, {"model": model})
    replace(heap, item, again)
    agrees(heap, again)


@pytest.mark.parametrize("role", ["visible", "state", "instance_count", "geometry"])
def test_a_failing_property_keeps_what_it_was(role):
    good = {"visible": True, "state": BACK, "instance_count": 2, "geometry": BOX}[role]
    broken = cval(False)
    value = computed(lambda: 1 / 0 if broken.value else good)
    item = draw(**{role: value})
    heap = heap_of(item)
    broken.value = True
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            heap.pull()
    check(heap)
    assert drain(heap) == {"pages": [], "headers": [], "records": []}
    broken.value = False
    heap.pull()
    agrees(heap, item)


def test_wrong_types_of_properties_are_refused():
    heap = heap_of()
    with pytest.raises(StateError, match="PipelineState"):
        add(heap, draw(state=cval("back")))
    with pytest.raises(GeometryError, match="needs a Geometry"):
        add(heap, draw(geometry=cval([1, 2, 3])))
    assert heap.draw_count == 0


def test_too_large_a_draw_says_both_numbers():
    heap = heap_of(draw())
    big = draw(geometry=Geometry({"position": np.zeros((6000, 3))}))
    with pytest.raises(HeapFullError, match=r"72,\d\d\d bytes[\s\S]*65,520 bytes[\s\S]*page_bytes"):
        heap.apply([DrawChange(None, draw("blue")), DrawChange(None, big)])
    assert heap.draw_count == 1
    check(heap)


def test_a_group_that_fills_a_page_fits():
    n = (65520 - 64 - 16) // 12
    heap = heap_of(draw(geometry=Geometry({"position": np.zeros((n, 3))})))
    assert heap.stats()["pages"] == 1


def test_swap_to_what_no_page_holds_is_refused_and_retried():
    cell = cval(BOX)
    item = draw(geometry=cell)
    heap = heap_of(item)
    cell.value = Geometry({"position": np.zeros((6000, 3))})
    for _ in range(2):
        with pytest.raises(HeapFullError):
            heap.pull()
        check(heap)
    cell.value = Geometry({"position": np.zeros((60, 3))})
    heap.pull()
    agrees(heap, item)


def test_membership_is_checked_along_the_batch():
    heap = heap_of()
    item, other = draw(), draw("blue")
    heap.apply([DrawChange(None, item), DrawChange(item, other), DrawChange(other, None)])
    assert heap.draw_count == 0
    with pytest.raises(InputError, match="added twice"):
        heap.apply([DrawChange(None, item), DrawChange(None, item)])
    with pytest.raises(InputError, match="removed that is not in the heap"):
        heap.apply([DrawChange(None, item), DrawChange(item, None), DrawChange(item, None)])
    with pytest.raises(InputError, match="replaced that is not in the heap"):
        heap.apply([DrawChange(item, other)])
    assert heap.draw_count == 0
    check(heap)


def test_pages_have_to_have_a_size():
    with pytest.raises(InputError, match="page_bytes"):
        DrawHeap(100, FRAME)


# Bounds


def test_bounds_follow_models_and_visibility():
    model, visible = cval(np.eye(4)), cval(True)
    unit = Geometry({"position": [(0, 0, 0), (1, 2, 3), (0, 0, 0)]})
    items = [
        Draw(PROGRAM, unit, {"model": model}),
        Draw(PROGRAM, unit, {"model": np.diag([2, 2, 2, 1])}, visible=visible),
    ]
    heap = heap_of(*items)
    np.testing.assert_array_equal(heap.world_bounds(), [(0, 0, 0), (2, 4, 6)])
    generation = heap.bounds_generation
    heap.world_bounds()[:] = 7
    np.testing.assert_array_equal(heap.world_bounds(), [(0, 0, 0), (2, 4, 6)])
    assert heap.bounds_generation == generation
    moved = np.eye(4)
    moved[:3, 3] = (10, 0, -5)
    model.value = moved
    heap.pull()
    np.testing.assert_array_equal(heap.world_bounds(), [(0, 0, -5), (11, 4, 6)])
    visible.value = False
    heap.pull()
    np.testing.assert_array_equal(heap.world_bounds(), [(10, 0, -5), (11, 2, -2)])


def test_bounds_use_every_instance_and_leave_out_what_is_not_finite():
    unit = Geometry({"position": [(0, 0, 0), (1, 1, 1), (0, 0, 0)]})
    models = np.stack([np.eye(4)] * 3)
    models[:, 0, 3] = (0, 5, np.nan)
    item = Draw(PROGRAM, unit, {}, {"model": models}, instance_count=3)
    heap = heap_of(item)
    np.testing.assert_array_equal(heap.world_bounds(), [(0, 0, 0), (6, 1, 1)])
    assert np.isnan(heap_of().world_bounds()).all()


def test_recolouring_leaves_bounds_alone():
    color = cval("red")
    heap = heap_of(draw(color))
    before = heap.bounds_generation
    color.value = "blue"
    heap.pull()
    assert heap.bounds_generation == before


@pytest.mark.parametrize("bad", ["no", "", None, [], 1, 0.0, np.ones(2)])
@pytest.mark.parametrize("crowd", [1, 40])
def test_visible_is_true_or_false_adaptive_or_not(bad, crowd):
    shown = cval(True)
    with pytest.raises(InputError, match="visible has to be True or False"):
        draw(visible=bad)
    heap = heap_of(*(draw(visible=shown) for _ in range(crowd)))
    shown.value = bad
    with pytest.raises(InputError, match="visible has to be True or False"):
        heap.pull()
    assert heap.visible_count == crowd
    shown.value = np.bool_(False)
    heap.pull()
    check(heap)
    assert heap.visible_count == 0
    shown.value = bad
    with pytest.raises(InputError, match="visible has to be True or False"):
        heap.apply([DrawChange(None, draw(visible=shown)) for _ in range(crowd)])


def test_a_count_is_no_bool_adaptive_or_not():
    count = cval(2)
    heap = heap_of(draw(instance_count=count))
    for bad in (True, 1.0, "1", -1, 2**32, None):
        with pytest.raises(InputError, match="instance_count has to be a whole number"):
            draw(instance_count=bad)
        count.value = bad
        with pytest.raises(InputError, match="instance_count has to be a whole number"):
            heap.pull()
