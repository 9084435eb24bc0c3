"""Sets, sequences and scenes as one stream of steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from heapscene.adaptive import cset
from heapscene.draw import Draw, DrawChange
from heapscene.errors import SceneError
from heapscene.geometry import box
from heapscene.materials import UnlitMaterial
from heapscene.render.pending import PendingChanges
from heapscene.render.sources import open_reader
from heapscene.scene import Mesh, Scene

BOX = box()


def make_draw() -> Draw:
    material = UnlitMaterial("red")
    return Draw(material.program, BOX, {**material.inputs, "model": np.eye(4)})


class Source:
    """A source whose next steps, or whose failure, a test decides."""

    def __init__(self, *draws: Draw) -> None:
        self.steps = [DrawChange(None, draw) for draw in draws]
        self.fails = False

    def draw_reader(self) -> Source:
        return self

    def changes(self) -> Sequence[DrawChange]:
        if self.fails:
            raise ValueError("not now")
        steps, self.steps = self.steps, []
        return steps


def follow(order: list[Draw], steps: Sequence[DrawChange]) -> list[Draw]:
    """Return the drawing order after some steps, as a heap keeps it."""
    order = list(order)
    for old, new in steps:
        if old is None:
            assert new is not None
            assert new not in order
            order.append(new)
        elif new is None:
            order.remove(old)
        else:
            order[order.index(old)] = new
    return order


def test_a_sequence_keeps_its_order() -> None:
    first, last = make_draw(), make_draw()
    scene = Scene(Mesh(BOX, UnlitMaterial("red")))
    order = follow([], open_reader([first, scene, last]).changes())
    assert len(order) == 3
    assert order[0] is first
    assert order[2] is last


def test_a_draw_moves_from_a_later_set_to_an_earlier_one() -> None:
    draw = make_draw()
    earlier, later = cset(), cset([draw])
    reader = open_reader([earlier, later])
    order = follow([], reader.changes())
    later.remove(draw)
    earlier.add(draw)
    pending = PendingChanges()
    pending.extend(reader.changes())
    assert follow(order, pending.steps()) == [draw]
    assert reader.changes() == ()


def test_what_cannot_be_drawn_loses_nothing_else() -> None:
    draw = make_draw()
    elements = cset()
    reader = open_reader(elements)
    assert not reader.changes()
    elements.update([draw, "nonsense"])
    for _ in range(2):
        with pytest.raises(SceneError, match="a str cannot be rendered"):
            reader.changes()
    elements.remove("nonsense")
    assert follow([], reader.changes()) == [draw]


def test_a_failing_source_loses_nothing_of_the_others() -> None:
    a, b, c = make_draw(), make_draw(), make_draw()
    good, bad = Source(a), Source(b)
    bad.fails = True
    reader = open_reader([good, bad, c])
    for _ in range(2):
        with pytest.raises(ValueError, match="not now"):
            reader.changes()
    bad.fails = False
    assert follow([], reader.changes()) == [a, b, c]
    bad.fails = True
    good.steps = [DrawChange(a, None)]
    with pytest.raises(ValueError, match="not now"):
        reader.changes()
    bad.fails = False
    assert follow([a, b, c], reader.changes()) == [b, c]


def test_an_equal_element_takes_the_one_that_is_there_away() -> None:
    draw = make_draw()
    elements = cset([(draw,)])
    reader = open_reader(elements)
    assert follow([], reader.changes()) == [draw]
    elements.remove((draw,))
    assert follow([draw], reader.changes()) == []


def test_an_element_that_leaves_before_it_was_read_leaves_no_trace() -> None:
    elements = cset()
    bad = Source(make_draw())
    bad.fails = True
    reader = open_reader(elements)
    elements.add(bad)
    with pytest.raises(ValueError, match="not now"):
        reader.changes()
    elements.remove(bad)
    assert not reader.changes()


def test_what_is_inside_itself_is_refused() -> None:
    members, items = cset(), [make_draw()]
    members.add(members)
    items.append(items)
    for what in (members, items):
        with pytest.raises(SceneError, match="inside itself"):
            open_reader(what).changes()
