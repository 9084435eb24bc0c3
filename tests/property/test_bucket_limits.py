"""Buckets with room for very little: what passes a limit goes to another page, and nothing else differs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import Draw, DrawChange, DrawTable, Geometry, PipelineState
from heapscene.errors import HeapFullError
from heapscene.heap import RECORD_WORDS, BucketLimits, DrawHeap, Memory, check
from heapscene.shader import MAT4, VEC3, VEC4, Interface
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": MAT4}
PROGRAMS = [
    FakeProgram(name, Interface({"position": VEC3}, {"color": VEC4, "view": MAT4}))
    for name in ("a", "b")
]
STATES = [PipelineState(topology="point-list", depth_bias=k) for k in range(3)]
CLOUDS = [Geometry({"position": np.full((n, 3), n)}) for n in (1, 4, 9)]
RECORDS = 20


def limited(records: int = RECORDS, emitted: int = 2**32 - 1) -> DrawHeap:
    return DrawHeap(Memory(65_536, BucketLimits(records * 4 * RECORD_WORDS, emitted)), FRAME)


def check_limits(heap: DrawHeap) -> None:
    check(heap)
    limits = heap.memory.limits
    for bucket in heap.buckets:
        assert 4 * bucket.records.used <= limits.table_bytes
        assert 4 * bucket.headers.used <= limits.table_bytes
        assert bucket.emitted <= limits.emitted
        assert bucket.coming == 0
    assert heap.memory.table_bytes <= limits.table_bytes


class Draws:
    """Draws that come and go, alone and in groups, and change how often and where they are drawn."""

    def __init__(self, seed: int, heap: DrawHeap) -> None:
        self.rng = np.random.default_rng(seed)
        self.heap = heap
        self.model = ModelHeap(FRAME)
        self.shown = cval(True)

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def draw(self) -> Draw:
        visible = self.pick([True, True, cval(True), self.shown])
        count = self.pick([1, 1, 2, cval(1), cval(3)])
        state = self.pick([STATES[0], STATES[1], cval(self.pick(STATES))])
        color = tuple(self.rng.random(4).tolist())
        cloud, program = self.pick(CLOUDS), self.pick(PROGRAMS)
        return Draw(program, cloud, {"color": color}, {}, count, visible, state)

    def group(self) -> list[Draw]:
        cloud, state = self.pick(CLOUDS), self.pick(STATES)
        return [
            Draw(PROGRAMS[0], cloud, {"color": (k / 100, 0, 0, 1)}, state=state)
            for k in range(int(self.rng.integers(16, 50)))
        ]

    def step(self) -> None:
        here = list(self.model.ranks)
        gone = [draw for draw in here if self.rng.random() < self.pick([0.0, 0.1, 0.5])]
        new = self.pick([[], self.group(), [self.draw() for _ in range(9)]])
        changes = [DrawChange(draw, None) for draw in gone]
        changes += [DrawChange(None, draw) for draw in new]
        left = [draw for draw in here if draw not in set(gone)]
        if left:
            changes.append(DrawChange(self.pick(left), self.draw()))
        for way in (self.heap, self.model):
            way.apply(changes)
        for draw in self.model.ranks:
            for value, choices in (
                (draw.visible, (True, False)),
                (draw.instance_count, (0, 1, 3)),
                (draw.state, STATES),
            ):
                if hasattr(value, "value") and self.rng.random() < 0.2:
                    value.value = self.pick(choices)
        self.heap.pull()


@pytest.mark.parametrize("emitted", [2**32 - 1, 60])
@pytest.mark.parametrize("seed", range(4))
def test_draws_past_a_limit_lie_on_another_page(seed: int, emitted: int) -> None:
    heap = limited(emitted=emitted)
    run = Draws(seed, heap)
    pages = 0
    for _ in range(40):
        run.step()
        check_limits(heap)
        run.model.compare(heap)
        pages = max(pages, len(heap.pages))
    assert pages > 2
    heap.apply([DrawChange(draw, None) for draw in heap.order()])
    check_limits(heap)
    assert len(heap.pages) == 1


def test_a_bucket_takes_as_many_as_it_may_before_a_page_is_opened() -> None:
    """Slack and holes never open a page: all records of a bucket may be those of draws."""
    heap = limited(100)
    states = [cval(STATES[k % 3]) for k in range(100)]
    draws = [Draw(PROGRAMS[0], CLOUDS[0], {"color": (k / 200, 0, 0, 1)}, state=s)
             for k, s in enumerate(states)]  # fmt: skip
    for draw in draws:
        heap.apply([DrawChange(None, draw)])
    assert len(heap.pages) == 1
    rng = np.random.default_rng(0)
    for _ in range(200):
        states[int(rng.integers(100))].value = STATES[int(rng.integers(3))]
        heap.pull()
        check_limits(heap)
    assert len(heap.pages) == 1
    for draw in draws[::2]:
        heap.apply([DrawChange(draw, None)])
        heap.apply([DrawChange(None, draw)])
        check_limits(heap)
    assert len(heap.pages) == 1
    one = Draw(PROGRAMS[0], CLOUDS[0], {"color": (1, 1, 1, 1)}, state=STATES[0])
    heap.apply([DrawChange(None, one)])
    assert len(heap.pages) == 2


def test_header_rows_have_a_limit_of_their_own() -> None:
    """A header row of twelve inputs is longer than a record."""
    wide = FakeProgram("w", Interface({"position": VEC3}, {f"c{k}": VEC4 for k in range(12)}))
    inputs = {f"c{k}": (0, 0, 0, 0) for k in range(12)}
    heap = limited(100)
    made = [Draw(wide, CLOUDS[0], inputs, state=STATES[0]) for _ in range(100)]
    heap.apply([DrawChange(None, draw) for draw in made])
    check_limits(heap)
    row_words = heap.buckets[0].schema.row_words
    assert row_words == 26
    most = 100 * RECORD_WORDS // row_words
    assert [bucket.live for bucket in heap.buckets] == [most, most, most, 100 - 3 * most]


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_tables_past_a_limit_lie_on_another_page(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heap = limited(50, emitted=300)
    tables = [
        DrawTable(
            PROGRAMS[k % 2],
            CLOUDS,
            {"color": rng.random((n, 4)), "geometry": rng.integers(0, 3, n)},
            state=cval(STATES[0]),
        )
        for k, n in enumerate((0, 30, 120))
    ]
    heap.apply([DrawChange(None, table.as_draw()) for table in tables])
    others = Draws(seed, heap)
    for _ in range(30):
        table = tables[int(rng.integers(3))]
        live = np.flatnonzero(table.alive)
        roll = int(rng.integers(4))
        n = int(rng.integers(0, 60))
        if roll == 0:
            table.append({"color": rng.random((n, 4)), "geometry": rng.integers(0, 3, n)})
        elif roll == 1:
            table.delete(live[rng.random(len(live)) < 0.3])
        elif roll == 2:
            table.write("geometry", rng.integers(0, 3, len(live)), live)
        else:
            table.state.value = STATES[int(rng.integers(3))]
        heap.pull()
        others.step()
        check_limits(heap)
    assert heap.draw_count == sum(map(len, tables)) + len(others.model.ranks)
    assert len(heap.pages) > 3


@pytest.mark.parametrize("grow", ["count", "show", "show many", "replace"])
def test_a_draw_that_grows_past_a_limit_moves_to_another_page(grow: str) -> None:
    heap = limited(1000, emitted=200)
    count, shown = cval(1), cval(grow not in ("show", "show many"))
    lone = Draw(PROGRAMS[0], CLOUDS[2], {"color": (1, 0, 0, 1)}, {}, count, shown, STATES[0])
    many = [
        Draw(PROGRAMS[0], CLOUDS[2], {"color": (0, k / 100, 0, 1)}, {}, 1, shown, STATES[0])
        for k in range(20 if grow == "show many" else 0)
    ]
    fill = [
        Draw(PROGRAMS[0], CLOUDS[2], {"color": (0, 0, k / 100, 1)}, state=STATES[0])
        for k in range(20)
    ]
    model = ModelHeap(FRAME)
    for way in (heap, model):
        way.apply([DrawChange(None, draw) for draw in (lone, *many, *fill)])
    assert heap.stats()["pages"] == 1
    if grow == "count":
        count.value = 4
    elif grow == "replace":
        change = DrawChange(lone, Draw(PROGRAMS[0], CLOUDS[2], lone.inputs, {}, 5, True, STATES[0]))
        for way in (heap, model):
            way.apply([change])
    else:
        shown.value = True
        if grow == "show":
            heap.pull()
            assert heap.stats()["pages"] == 1
            count.value = 4
    heap.pull()
    check_limits(heap)
    model.compare(heap)
    assert heap.stats()["pages"] == 2


def test_one_draw_that_passes_a_limit_is_refused_and_nothing_has_changed() -> None:
    heap = limited(1000, emitted=200)
    count = cval(20)
    good = Draw(PROGRAMS[0], CLOUDS[2], {"color": (1, 0, 0, 1)}, {}, count, True, STATES[0])
    heap.apply([DrawChange(None, good)])
    before = heap.stats()
    too_many: list[Callable[[], object]] = [
        lambda: heap.apply(
            [DrawChange(None, Draw(PROGRAMS[1], CLOUDS[2], good.inputs, {}, 23, True, STATES[0]))]
        ),
        lambda: heap.apply(
            [DrawChange(good, Draw(PROGRAMS[0], CLOUDS[2], good.inputs, {}, 23, True, STATES[0]))]
        ),
        lambda: (setattr(count, "value", 23), heap.pull()),
    ]
    for attempt in too_many:
        with pytest.raises(HeapFullError, match=r"indices\s+207\n\s+limit\s+200"):
            attempt()
        assert heap.stats() == before
        check_limits(heap)
    count.value = 22
    heap.pull()
    check_limits(heap)
    assert heap.buckets[0].emitted == 198
