"""A rest of a primitive would join the next draw: it is refused, and changes nothing."""

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.errors import GeometryError
from heapscene.heap import DrawHeap
from heapscene.shader import MAT4
from reference.programs import PROGRAMS

POINTS = np.arange(12, dtype=np.float32).reshape(4, 3)
FRAME = {"view": MAT4, "proj": MAT4}


def draw(geometry, state=PipelineState()):
    return Draw(PROGRAMS[0], geometry, {"model": np.eye(4), "color": (1, 0, 0, 1)}, state=state)


@pytest.mark.parametrize("indices", [None, [0, 1, 2, 3]])
def test_a_rest_of_a_triangle_is_refused(indices):
    heap = DrawHeap(65536, FRAME)
    with pytest.raises(GeometryError, match=r"multiple of 3, or draw a part.*range=\(0, 3\)"):
        heap.apply([DrawChange(None, draw(Geometry({"position": POINTS}, indices)))])
    assert heap.draw_count == 0


def test_lines_take_pairs_and_points_anything():
    heap = DrawHeap(65536, FRAME)
    lines = PipelineState(topology="line-list")
    points = PipelineState(topology="point-list")
    heap.apply(
        [
            DrawChange(None, draw(Geometry({"position": POINTS}), lines)),
            DrawChange(None, draw(Geometry({"position": POINTS}), points)),
        ]
    )
    assert heap.draw_count == 2


def test_a_state_that_does_not_fit_keeps_the_old_one():
    heap = DrawHeap(65536, FRAME)
    state = cval(PipelineState(topology="line-list"))
    heap.apply([DrawChange(None, draw(Geometry({"position": POINTS}), state))])
    state.value = PipelineState()
    with pytest.raises(GeometryError, match="whole number"):
        heap.pull()
    assert heap.buckets[0].slots[0].state.topology == "line-list"
