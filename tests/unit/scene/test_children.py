"""Lists that change as children: drawn in the order of arrival."""

import numpy as np
import pytest

from heapscene.adaptive import alist, clist, cset, cval
from heapscene.draw import Draw
from heapscene.errors import SceneError
from heapscene.geometry import box
from heapscene.scene import Group, Mesh, Scene
from reference.drawlist import PROGRAM, DrawList, PlainMaterial

BOX = box()
MATERIAL = PlainMaterial()


def mesh(x=0):
    return Mesh(BOX, MATERIAL, position=(x, 0, 0))


def places(seen):
    return [float(draw.inputs["model"][0, 3]) for draw in seen.draws]


def test_a_list_may_change():
    parts = clist([mesh(1), mesh(2)])
    seen = DrawList(Scene(Group(parts)))
    assert seen.pull() == (2, 0, 0)
    parts.append(mesh(3))
    assert seen.pull() == (1, 0, 0)
    del parts[0]
    assert seen.pull() == (0, 1, 0)
    parts[0] = mesh(4)
    assert seen.pull() == (1, 1, 0)
    assert places(seen) == [3, 4]
    parts.clear()
    assert seen.pull() == (0, 2, 0)


def test_what_is_inserted_arrives_last_and_what_moves_stays():
    parts = clist([mesh(1), mesh(2)])
    seen = DrawList(Scene(parts))
    seen.pull()
    parts.insert(0, mesh(3))
    assert seen.pull() == (1, 0, 0)
    assert places(seen) == [1, 2, 3]
    parts.append(parts.pop(0))
    assert seen.pull() == (0, 0, 0)
    parts[:] = list(reversed(parts.value))
    assert seen.pull() == (0, 0, 0)
    assert places(seen) == [1, 2, 3]


def test_an_element_that_is_there_twice_is_drawn_once():
    node = mesh(1)
    parts = clist([node, node])
    seen = DrawList(Scene(parts))
    assert seen.pull() == (1, 0, 0)
    del parts[0]
    assert seen.pull() == (0, 0, 0)
    del parts[0]
    assert seen.pull() == (0, 1, 0)
    assert node.parent is None


def test_derived_lists_and_values_in_lists():
    chosen = cval(mesh(1))
    shown = cval(True)
    parts = clist([chosen, mesh(2)])
    scene = Scene(parts.filter(lambda _: shown.value) + alist([mesh(3)]))
    seen = DrawList(scene)
    assert seen.pull() == (3, 0, 0)
    chosen.value = None
    assert seen.pull() == (0, 1, 0)
    shown.value = False
    assert seen.pull() == (0, 1, 0)
    assert places(seen) == [3]


def test_what_cannot_be_a_child_is_refused():
    with pytest.raises(SceneError, match="cannot be a child"):
        Scene(clist(["what"]))
    node = mesh()
    Group(node)
    with pytest.raises(SceneError, match="one parent"):
        Scene(clist([node]))


def test_a_set_inside_itself_is_refused() -> None:
    outer, inner = cset(), cset()
    outer.add(inner)
    scene = Scene(outer)
    reader = scene.draw_reader()
    reader.changes()
    inner.add(outer)
    with pytest.raises(SceneError, match="inside itself"):
        reader.changes()
    with pytest.raises(SceneError, match="inside itself"):
        Scene(outer)
    inner.remove(outer)
    assert list(reader.changes()) == []


def test_a_value_inside_itself_is_refused() -> None:
    value = cval(())
    value.value = (value,)
    with pytest.raises(SceneError, match="inside itself"):
        Scene(value)


def test_a_list_inside_itself_is_refused() -> None:
    items: list[object] = []
    items.append(items)
    with pytest.raises(SceneError, match="inside itself"):
        Scene(items)


def test_a_draw_that_comes_back_is_itself_and_no_copy():
    draw = Draw(PROGRAM, BOX, {"model": np.eye(4), "color": "red"})
    scene = Scene(draw)
    seen = DrawList(scene)
    for _ in range(3):
        seen.pull()
        assert seen.draws == [draw]
        assert seen.draws[0] is draw
        scene.remove(draw)
        seen.pull()
        scene.add(draw)
