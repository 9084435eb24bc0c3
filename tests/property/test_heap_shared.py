"""Two heaps in one memory, each with draws of its own of shared things, and a memory that moves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from heapscene.draw import DrawChange
from heapscene.heap import DrawHeap, check
from heapscene.shader.types import F32, MAT4
from property.test_heap import FRAME, Sequence, Shadow
from reference.heap import ModelHeap

OTHER_FRAME = {"view": MAT4, "time": F32}  # "proj" is not given: its programs have to bind it


class Second(Sequence):
    """A heap that shares pages, values and geometries with another one."""

    def __init__(self, first: Sequence, seed: int) -> None:
        super().__init__(seed)
        self.heap = DrawHeap(first.heap.memory, OTHER_FRAME)
        self.model = ModelHeap(OTHER_FRAME)
        self.cells, self.geometries = first.cells, first.geometries
        self.broken, self.fragile = first.broken, first.fragile

    def make_draw(self):
        while True:
            draw = super().make_draw()
            if draw.program.hash == "a-flat":
                return draw


def change(run: Sequence) -> None:
    if run.chance(0.4):
        for _ in range(3):
            run.write()
    else:
        changes = run.batch(list(run.model.ranks))
        run.heap.apply(changes)
        run.model.apply(changes)


@pytest.mark.parametrize("seed", range(4))
def test_two_heaps_in_one_memory_hold_what_their_draws_say(seed):
    first = Sequence(seed)
    runs = [first, Second(first, seed + 1000)]
    shadow = Shadow()
    memory = first.heap.memory
    compactor = memory.compactor
    compactor.waste_share = compactor.least_waste = 0
    compactor.most_bytes = (500, 10_000, 2**23)[seed % 3]
    shared = moved = 0
    for step in range(40):
        for _ in range(2):
            change(runs[int(first.rng.integers(2))])
        order = runs[:: 1 if first.chance(0.5) else -1]
        for run in order[: 1 if first.chance(0.3) else 2]:
            run.heap.pull()
            moved += memory.compact_some() > 0
        if step % 5 == 4:
            if step % 10 == 9:
                memory.compact()
            for run in runs:
                run.heap.pull()
            for run in runs:
                check(run.heap)
                run.model.compare(run.heap)
                np.testing.assert_allclose(run.heap.world_bounds(), run.model.bounds(), atol=1e-5)
            entries = [
                {id(e) for r in run.heap._residents.values() for e in (*r.entries, *r.part.entries)}
                for run in runs
            ]
            shared += len(entries[0] & entries[1])
        shadow.sync(SimpleNamespace(pages=memory.pages, buckets=list(memory.buckets())))
    assert shared > 20
    assert moved > 5
    for at, run in enumerate(order):
        if at or seed % 2:
            run.heap.close()
        else:
            run.heap.apply([DrawChange(draw, None) for draw in run.heap.order()])
        for other in order[at + 1 :]:
            other.heap.pull()
            check(other.heap)
            other.model.compare(other.heap)
    assert memory.stats()["entries"] == 0
    assert memory.stats()["page_bytes"] == 16
    assert len(memory.placement.sink) == 0
    assert FRAME.keys() > OTHER_FRAME.keys()
