"""Arrays that get another size or type while they are drawn, and arrays that somebody edits in place."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import computed, constant, cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.errors import GeometryError, HeapFullError
from heapscene.heap import DrawHeap, check
from heapscene.shader import Interface, types
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": types.MAT4}
POINTS = PipelineState(topology="point-list")
PROGRAM = FakeProgram(
    "p",
    Interface(
        {"position": types.VEC3, "normal": types.VEC3},
        {"model": types.MAT4, "color": types.VEC4},
        attribute_defaults={"normal": (0, 0, 1)},
        input_defaults={"color": (1, 1, 1, 1)},
    ),
)


class World:
    def __init__(self, page_bytes: int = 2**16) -> None:
        self.heap = DrawHeap(page_bytes, FRAME)
        self.model = ModelHeap(FRAME)
        self.rng = np.random.default_rng(0)
        for _ in range(3):  # neighbours, which nobody may touch
            self.add(Geometry({"position": self.points(7)}))

    def points(self, n: int) -> np.ndarray:
        return self.rng.random((n, 3)).astype(np.float32)

    def add(self, geometry, **rest) -> Draw:
        rest.setdefault("inputs", {"model": np.eye(4)})
        draw = Draw(PROGRAM, geometry, state=POINTS, **rest)
        self.change(None, draw)
        return draw

    def change(self, old, new) -> None:
        self.heap.apply([DrawChange(old, new)])
        self.model.apply([DrawChange(old, new)])

    def agrees(self) -> None:
        self.heap.pull()
        check(self.heap)
        self.model.compare(self.heap)


SIZES = [1, 40, 41, 3, 400, 400, 2, 90]


def test_a_geometry_is_swapped_for_one_of_another_size():
    world = World()
    geometry = cval(Geometry({"position": world.points(10)}))
    draws = [world.add(geometry) for _ in range(3)]
    plain = world.add(Geometry({"position": world.points(5)}))
    for n in SIZES:
        geometry.value = Geometry({"position": world.points(n)}, np.arange(n)[::-1])
        old, plain = plain, Draw(PROGRAM, geometry.value, plain.inputs, state=POINTS)
        world.change(old, plain)
        world.agrees()
    assert len({world.heap._residents[draw].part for draw in draws}) == 1
    entries = world.heap.stats()["entries"]
    geometry.value = Geometry({"position": world.points(4)})
    world.agrees()
    assert world.heap.stats()["entries"] == entries + 1


def test_attribute_arrays_grow_and_shrink():
    world = World()
    position = cval(world.points(10))
    world.add(Geometry({"position": position, "normal": [(0, 1, 0)]}))
    world.add(Geometry({"position": position}, range=(0, 1)))
    for n in SIZES:
        position.value = world.points(n)
        world.agrees()


def test_an_attribute_is_one_for_all_or_one_each():
    """The stride in the header row follows."""
    world = World()
    normal = cval(world.points(20))
    world.add(Geometry({"position": world.points(20), "normal": normal}))
    for n in (1, 20, 20, 1):
        normal.value = world.points(n)
        world.agrees()


def test_index_arrays_change_their_length_and_their_type():
    world = World()
    indices = cval(np.arange(10, dtype=np.uint8))
    world.add(Geometry({"position": world.points(200)}, indices))
    for dtype in (np.uint16, np.uint32, np.uint8, np.uint8, np.int64, np.uint16):
        for n in (1, 7, 8, 0, 150):
            indices.value = world.rng.integers(0, 200, n).astype(dtype)
            world.agrees()


def test_a_geometry_gets_and_loses_indices():
    world = World()
    position = world.points(60)
    geometry = cval(Geometry({"position": position}))
    world.add(geometry)
    for dtype in (np.uint8, None, np.uint16, np.uint32, None):
        indices = None if dtype is None else np.arange(50, dtype=dtype)[::-1]
        geometry.value = Geometry({"position": position}, indices)
        world.agrees()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int16, np.uint8, ">f4"])
def test_attribute_types_are_converted_before_they_are_stored(dtype):
    world = World()
    position = cval(world.points(20))
    world.add(Geometry({"position": position}))
    world.agrees()
    live = world.heap.stats()["live_bytes"]
    position.value = (world.points(20) * 9).astype(dtype)
    world.agrees()
    assert world.heap.stats()["live_bytes"] == live


def test_bytes_that_mean_something_else_are_not_shared():
    """Equal bytes of another type or shape: the key says which."""
    world = World()
    zeros = np.zeros((6, 3), np.float32)
    world.add(Geometry({"position": zeros}, np.zeros(12, np.uint8)))
    world.add(Geometry({"position": zeros}, np.zeros(6, np.uint16)))
    world.add(Geometry({"position": zeros}, np.zeros(3, np.uint32)))
    world.agrees()


def test_what_becomes_too_large_stays_as_it_was_until_it_fits():
    world = World(2**13)
    position = cval(world.points(100))
    world.add(Geometry({"position": position}))
    world.agrees()
    before = position.value
    position.value = world.points(1000)
    with pytest.raises(HeapFullError, match="larger page_bytes="):
        world.heap.pull()
    check(world.heap)
    position.value = before
    world.agrees()
    position.value = world.points(300)
    world.agrees()


def test_what_is_wrong_stays_as_it_was_until_it_is_right():
    world = World()
    indices = cval(np.arange(10))
    world.add(Geometry({"position": world.points(10)}, indices))
    world.agrees()
    indices.value = np.arange(11)
    for _ in range(2):
        with pytest.raises(GeometryError, match="index"):
            world.heap.pull()
        check(world.heap)
    indices.value = np.arange(3)
    world.agrees()


def test_what_grows_past_its_page_moves_as_a_whole():
    world = World(2**13)
    position = cval(world.points(10))
    draw = world.add(Geometry({"position": position}, np.arange(10)))
    world.add(Geometry({"position": world.points(300)}))
    first = world.heap._residents[draw].bucket.page
    for n in (400, 500, 60, 600):
        position.value = world.points(n)
        world.agrees()
        resident = world.heap._residents[draw]
        page = resident.bucket.page
        assert all(e.page is page for e in (*resident.entries, *resident.part.entries))
    assert page is not first
    world.change(draw, None)
    world.agrees()


# In place


def test_arrays_of_a_geometry_are_copies_that_nobody_can_write():
    mine, indices = np.random.default_rng(0).random((10, 3)), np.arange(10, dtype=np.uint32)
    geometry = Geometry({"position": mine}, indices)
    world = World()
    world.add(geometry)
    mine[:] = 9
    indices[:] = 3
    world.agrees()
    assert geometry.attributes["position"].max() < 1
    for array in (geometry.attributes["position"], geometry.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("make", [cval, constant])
def test_arrays_of_adaptive_values_are_copies(make):
    mine = np.eye(4)
    world = World()
    value = make(mine)
    draw = world.add(Geometry({"position": world.points(3)}), inputs={"model": value})
    mine[0, 0] = 7
    world.agrees()
    assert draw.inputs["model"].force()[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        value.force()[0, 0] = 3


@pytest.mark.parametrize("writable", [True, False])
def test_arrays_of_a_draw_are_copies(writable):
    """Whether they are edited before the draw is taken in, or before it is placed anew."""
    model, rows = np.eye(4), np.random.default_rng(0).random((2, 4))
    color = [0.5, 0.5, 0.5, 1.0]
    if not writable:  # a view that cannot be written, of an array that can
        seen, shown = model.view(), rows.view()
        seen.flags.writeable = shown.flags.writeable = False
    else:
        seen, shown = model, rows
    world = World()
    inputs = {"model": seen, "color": color}
    geometry = cval(Geometry({"position": world.points(3)}))
    draw = Draw(PROGRAM, geometry, inputs, state=POINTS)
    many = Draw(PROGRAM, geometry, {"model": seen}, {"color": shown}, 2, state=POINTS)
    model[0, 0], rows[0, 0], color[0] = 5, 6, 7
    inputs["color"] = "red"
    for each in (draw, many):
        world.change(None, each)
    world.agrees()
    assert draw.inputs["model"][0, 0] == 1
    assert draw.inputs["color"][0] == 0.5
    model[0, 0], rows[0, 0], color[0] = 8, 9, 10
    geometry.value = Geometry({"position": world.points(30)})
    world.agrees()
    assert many.instances["color"][0, 0] < 1


def test_an_array_that_nobody_can_write_is_not_copied():
    model = np.eye(4)
    model.flags.writeable = False
    draw = Draw(PROGRAM, Geometry({"position": np.eye(3)}), {"model": model}, state=POINTS)
    assert draw.inputs["model"] is model


def test_a_function_that_returns_an_edited_array_is_read_when_it_is_marked():
    mine, tick = np.zeros((10, 3), np.float32), cval(0)
    world = World()
    world.add(Geometry({"position": computed(lambda: (tick.value, mine)[1])}))
    mine[:] = 4
    tick.value = 1
    world.agrees()
