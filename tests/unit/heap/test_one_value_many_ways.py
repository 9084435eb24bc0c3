"""One adaptive value, read in several ways at once; and numbers that are stored as they are."""

from __future__ import annotations

import numpy as np

from heapscene.adaptive import cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.heap import DrawHeap, check
from heapscene.shader import I32, MAT4, U32, VEC3, VEC4, Interface
from reference.heap import FakeProgram, ModelHeap

POINTS = PipelineState(topology="point-list")
TWO_NAMES = FakeProgram(
    "two", Interface({"position": VEC3}, {"color": VEC4, "edge": VEC4, "glow": VEC3})
)
OTHER = FakeProgram("other", Interface({"position": VEC3}, {"shade": VEC3, "color": VEC4}))
NUMBERS = FakeProgram(
    "numbers",
    Interface({"position": VEC3, "id": U32, "step": I32, "weights": VEC4}, {"model": MAT4}),
)


def test_every_reader_of_a_value_is_served() -> None:
    """Under two names of one draw, as another type, in another program, and as what is hidden."""
    value, shown = cval((0.25, 0.5, 0.75)), cval(True)
    cloud = Geometry({"position": np.eye(3)})
    draws = [
        Draw(TWO_NAMES, cloud, dict.fromkeys(("color", "edge", "glow"), value), state=POINTS),
        Draw(OTHER, cloud, {"shade": value, "color": value}, {}, 1, shown, POINTS),
        Draw(OTHER, cloud, {"shade": (1, 1, 1), "color": value}, state=POINTS),
    ]
    heap, model = DrawHeap(2**16, {}), ModelHeap({})
    for way in (heap, model):
        way.apply([DrawChange(None, draw) for draw in draws])
    for color in ((1.0, 0.0, 0.5), (0.0, 0.25, 0.5)):
        value.value = color
        shown.value = not shown.value
        heap.pull()
        check(heap)
        model.compare(heap)


def test_integers_and_four_columns_are_stored_bit_by_bit() -> None:
    ids = np.array([0, 2**24 + 1, 2**32 - 1], np.uint32)
    steps = np.array([-1, -(2**31), 2**31 - 1], np.int32)
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    cloud = Geometry({"position": np.eye(3), "id": ids, "step": steps, "weights": weights})
    heap = DrawHeap(2**16, {})
    heap.apply([DrawChange(None, Draw(NUMBERS, cloud, {"model": np.eye(4)}, state=POINTS))])
    check(heap)
    (bucket,) = heap.buckets
    words = bucket.page.data
    found = {}
    for number, field in enumerate(bucket.schema.attributes):
        base, stride = bucket.headers.data[2 * number : 2 * number + 2].tolist()
        assert stride == field.type.words
        found[field.name] = words[base : base + 3 * stride]
    assert np.array_equal(found["id"], ids)
    assert np.array_equal(found["step"].view(np.int32), steps)
    assert np.array_equal(found["weights"].view(np.float32), weights.reshape(-1))


def test_one_array_may_be_two_attributes() -> None:
    points = cval(np.eye(3))
    both = FakeProgram("both", Interface({"position": VEC3, "normal": VEC3}, {"color": VEC4}))
    cloud = Geometry({"position": points, "normal": points})
    draw = Draw(both, cloud, {"color": (1, 1, 1, 1)}, state=POINTS)
    heap, model = DrawHeap(2**16, {}), ModelHeap({})
    for way in (heap, model):
        way.apply([DrawChange(None, draw)])
    for array in (np.eye(3) * 2, np.ones((5, 3))):
        points.value = array
        heap.pull()
        check(heap)
        model.compare(heap)
    heap.apply([DrawChange(draw, None)])
    check(heap)
    assert heap.stats()["entries"] == 0
