import gc
import weakref

import numpy as np
import pytest

from heapscene.adaptive import AVal, constant, cset, cval, evaluations, live_nodes, transact
from heapscene.draw import Draw, DrawSource, Geometry
from heapscene.errors import InputError, SceneError
from heapscene.geometry import box, sphere
from heapscene.scene import Group, Mesh, Scene, compose, rotation_y, rotation_z
from reference.drawlist import PROGRAM, DrawList, PlainMaterial, now, picture

BOX = box()
MATERIAL = PlainMaterial()


def mesh(**properties):
    return Mesh(BOX, MATERIAL, **properties)


def model(draw):
    return np.asarray(now(draw.inputs["model"]))


def moved(x, y=0, z=0):
    return compose((x, y, z), (0, 0, 0, 1), 1)


def test_a_scene_is_a_draw_source():
    assert isinstance(Scene(), DrawSource)
    assert Scene().draw_reader().changes() == []


def test_plain_values_make_plain_draws():
    scene = Scene(Group(mesh(position=(1, 2, 3), scale=2), position=(10, 0, 0)), mesh())
    before = live_nodes()
    seen = DrawList(scene)
    assert seen.pull() == (2, 0, 0)
    first, second = seen.draws
    assert isinstance(first.inputs["model"], np.ndarray)
    assert first.inputs["model"].tolist() == compose((11, 2, 3), (0, 0, 0, 1), 2).tolist()
    assert np.array_equal(second.inputs["model"], np.eye(4))
    assert first.visible is True
    assert live_nodes() == before


def test_nothing_changed_means_no_steps_and_no_work():
    spin = cval(0.1)
    scene = Scene(mesh(rotation=spin.map(rotation_y)), cset([mesh()]), cval(mesh()))
    seen = DrawList(scene)
    seen.pull()
    picture(seen.draws)
    before = evaluations()
    assert seen.reader.changes() == ()
    assert seen.reader.changes() == ()
    assert evaluations() == before


def test_composition_against_numpy():
    a, b, c = cval((1.0, 2.0, 3.0)), cval(rotation_z(0.3)), cval((1.0, 2.0, -1.0))
    inner = Mesh(BOX, MATERIAL, position=(0, 1, 0), rotation=rotation_y(1.0), scale=c)
    middle = Group(inner, rotation=b)
    outer = Group(middle, position=a, scale=3)
    seen = DrawList(Scene(outer))
    seen.pull()

    def expected():
        result = np.eye(4)
        for node in (outer, middle, inner):
            p, r, s = (now(getattr(node, name)) for name in ("position", "rotation", "scale"))
            result = result @ compose(p, r, s)
        return result

    assert np.allclose(model(seen.draws[0]), expected())
    for cell, value in ((a, (0, 0, 9)), (b, rotation_z(2)), (c, 0.5)):
        cell.value = value
        assert np.allclose(model(seen.draws[0]), expected())
    assert seen.pull() == (0, 0, 0)


def test_an_adaptive_transform_is_handed_on_as_it_is():
    place = cval(moved(1))
    scene = Scene(mesh(transform=place), Group(mesh(), transform=place))
    seen = DrawList(scene)
    seen.pull()
    first, second = seen.draws
    assert first.inputs["model"] is place
    assert model(second).tolist() == moved(1).tolist()


def test_static_meshes_under_a_moving_group_cost_one_node_each():
    place = cval(moved(1))
    scene = Scene(Group([mesh(position=(i, 0, 0)) for i in range(10)], transform=place))
    seen = DrawList(scene)
    seen.pull()
    picture(seen.draws)
    before = evaluations()
    place.value = moved(5)
    picture(seen.draws)
    assert evaluations() - before == 11
    assert [model(draw)[0, 3] for draw in seen.draws] == [5 + i for i in range(10)]


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("position", (1, 2, 3), [4, 5, 6]),
        ("rotation", rotation_y(1.0), np.eye(3)),
        ("scale", 2, (1, 2, 3)),
        ("transform", moved(1), moved(2)),
    ],
)
def test_a_live_property_gets_a_cell_once(name, first, second):
    node = mesh()
    seen = DrawList(Scene(node))
    seen.pull()
    setattr(node, name, first)
    assert seen.pull() == (0, 0, 1)
    draw = seen.draws[0]
    assert isinstance(draw.inputs["model"], AVal)
    setattr(node, name, second)
    assert seen.pull() == (0, 0, 0)
    assert seen.draws[0] is draw
    fresh = mesh(**{name: second})
    twin = DrawList(Scene(fresh))
    twin.pull()
    assert np.allclose(model(draw), model(twin.draws[0]))
    assert np.array_equal(getattr(node, name), second)


def test_assigning_before_a_frame_or_the_same_again_costs_nothing():
    node = mesh(position=(1, 2, 3))
    scene = Scene(node)
    node.position = (3, 2, 1)
    seen = DrawList(scene)
    seen.pull()
    assert isinstance(seen.draws[0].inputs["model"], np.ndarray)
    node.position = (3, 2, 1)
    node.visible = True
    node.geometry = node.geometry
    node.material = node.material
    assert seen.pull() == (0, 0, 0)


def test_adaptive_and_plain_may_follow_each_other():
    node = mesh()
    seen = DrawList(Scene(node))
    seen.pull()
    cell = cval((1, 0, 0))
    node.position = cell
    assert node.position is cell
    assert seen.pull() == (0, 0, 1)
    node.position = (2, 0, 0)
    assert seen.pull() == (0, 0, 1)
    cell.value = (9, 9, 9)
    assert model(seen.draws[0])[0, 3] == 2
    node.position = constant((4, 0, 0))
    seen.pull()
    assert isinstance(seen.draws[0].inputs["model"], np.ndarray)
    node.position = ORIGIN = (0, 0, 0)
    node.transform = None
    seen.pull()
    assert node.position == ORIGIN
    node.transform = moved(8)
    node.transform = None
    seen.pull()
    assert np.array_equal(model(seen.draws[0]), np.eye(4))


def test_hiding_a_mesh_needs_no_node():
    node = mesh()
    seen = DrawList(Scene(node, mesh()))
    seen.pull()
    before = live_nodes()
    node.visible = False
    assert seen.pull() == (0, 0, 1)
    assert seen.draws[0].visible is False
    assert live_nodes() == before


def test_visibility_is_a_conjunction_and_folds():
    a, b = cval(True), cval(True)
    inner = [mesh(), mesh(visible=False), mesh(visible=b)]
    group = Group(inner, visible=a)
    seen = DrawList(Scene(group))
    seen.pull()
    assert seen.draws[0].visible is a
    assert seen.draws[1].visible is False
    assert [now(draw.visible) for draw in seen.draws] == [True, False, True]
    b.value = False
    assert [now(draw.visible) for draw in seen.draws] == [True, False, False]
    a.value, b.value = False, True
    assert [now(draw.visible) for draw in seen.draws] == [False] * 3
    group.visible = False
    seen.pull()
    assert [draw.visible for draw in seen.draws[1:2]] == [False]
    assert [now(draw.visible) for draw in seen.draws] == [False] * 3


def test_hiding_a_group_replaces_once_and_then_writes():
    group = Group([mesh() for _ in range(5)])
    seen = DrawList(Scene(group))
    seen.pull()
    before = evaluations()
    group.visible = False
    assert seen.pull() == (0, 0, 5)
    group.visible = True
    assert seen.pull() == (0, 0, 0)
    assert all(now(draw.visible) is True for draw in seen.draws)
    assert evaluations() == before


def test_order_is_that_of_arrival():
    a, b, c, d = (mesh(position=(i, 0, 0)) for i in range(4))
    parts = cset([b])
    scene = Scene(a, parts, c)
    seen = DrawList(scene)

    def order():
        seen.pull()
        return [int(model(draw)[0, 3]) for draw in seen.draws]

    assert order() == [0, 1, 2]
    parts.add(d)
    assert order() == [0, 1, 2, 3]
    scene.remove(a)
    scene.add(a)
    assert order() == [1, 2, 3, 0]
    group = Group()
    scene.add(group)
    parts.remove(b)
    group.add(b)
    assert order() == [2, 3, 0, 1]
    c.visible = False
    c.position = (7, 0, 0)
    c.geometry = sphere()
    assert order() == [7, 3, 0, 1]


def test_removed_before_it_was_ever_drawn():
    scene = Scene()
    seen = DrawList(scene)
    seen.pull()
    node = mesh()
    scene.add(node)
    scene.remove(node)
    assert seen.pull() == (0, 0, 0)
    scene.add(node)
    assert seen.pull() == (1, 0, 0)


def test_two_readers_at_different_paces():
    node, other = mesh(), mesh()
    scene = Scene(node)
    fast, slow = DrawList(scene), DrawList(scene)
    fast.pull()
    slow.pull()
    assert fast.draws[0] is slow.draws[0]
    node.position = (1, 0, 0)
    fast.pull()
    node.geometry = sphere()
    fast.pull()
    scene.add(other)
    fast.pull()
    scene.remove(other)
    fast.pull()
    assert slow.pull() == (0, 0, 1)
    assert slow.draws == fast.draws
    late = DrawList(scene)
    late.pull()
    assert late.draws == fast.draws


def test_readers_and_scenes_are_let_go():
    scene = Scene(mesh(), cset([mesh()]))
    reader = scene.draw_reader()
    reader.changes()
    dead = weakref.ref(reader)
    del reader
    gc.collect()
    assert dead() is None
    material = PlainMaterial()
    node = Mesh(BOX, material)
    scene = Scene(node, Group(mesh()))
    DrawList(scene).pull()
    dead = weakref.ref(scene)
    del scene, node
    gc.collect()
    assert dead() is None


def test_adaptive_children():
    a, b, c = mesh(), mesh(), mesh()
    child = cval(a)
    parts = cset([b])
    scene = Scene(Group(child, parts, position=(1, 0, 0)))
    seen = DrawList(scene)
    assert seen.pull() == (2, 0, 0)
    child.value = [a, c]
    assert seen.pull() == (1, 0, 0)
    child.value = None
    assert seen.pull() == (0, 2, 0)
    with transact():
        parts.remove(b)
        child.value = b
    assert seen.pull() == (1, 1, 0)
    assert b.parent is scene_group(scene)
    child.value = (b, Group(a, Group(c)))
    assert seen.pull() == (2, 0, 0)
    assert all(model(draw)[0, 3] == 1 for draw in seen.draws)
    parts.add(Group(cset([mesh()])))
    assert seen.pull() == (1, 0, 0)


def scene_group(scene):
    return next(iter(scene))


def test_sets_of_adaptive_values():
    a, b = mesh(), mesh()
    child = cval(a)
    parts = cset([child, b])
    scene = Scene(parts)
    seen = DrawList(scene)
    assert seen.pull() == (2, 0, 0)
    child.value = None
    scene.add(a)
    assert seen.pull() == (1, 1, 0)
    parts.remove(child)
    child.value = a
    assert seen.pull() == (0, 0, 0)
    assert a.parent is scene


def test_what_a_set_got_while_it_was_away_arrives_in_its_place():
    a, b, c = (mesh(position=(i, 0, 0)) for i in range(3))
    parts = cset([a])
    group = Group(parts, b)
    scene = Scene(group)
    seen = DrawList(scene)
    seen.pull()
    scene.remove(group)
    parts.update([c])
    scene.add(group)
    scene.add(mesh(position=(3, 0, 0)))
    seen.pull()
    assert [model(draw)[0, 3] for draw in seen.draws] == [0, 2, 1, 3]
    scene.remove(group)
    parts.add("what")
    scene.add(group)
    with pytest.raises(SceneError, match="a str cannot be a child"):
        seen.pull()
    parts.remove("what")
    assert seen.pull()[0] == 3


def test_a_node_that_a_set_let_go_is_free_at_once():
    node = mesh()
    parts = cset([node])
    scene = Scene(parts)
    seen = DrawList(scene)
    seen.pull()
    parts.remove(node)
    scene.add(node)
    assert seen.pull() == (1, 1, 0)


def test_two_sets_may_swap_in_one_transaction():
    a, b = mesh(position=(1, 0, 0)), mesh(position=(2, 0, 0))
    left, right = cset([a]), cset([b])
    scene = Scene(Group(left, position=(10, 0, 0)), Group(right, position=(20, 0, 0)))
    seen = DrawList(scene)
    seen.pull()
    with transact():
        left.update([b], [a])
        right.update([a], [b])
    assert seen.pull() == (2, 2, 0)
    assert sorted(model(draw)[0, 3] for draw in seen.draws) == [12, 21]


def test_a_second_parent_is_refused():
    node = mesh()
    first, second = Group(node), Group()
    with pytest.raises(SceneError, match="one parent") as caught:
        second.add(mesh(), node)
    assert repr(first) in str(caught.value)
    assert repr(second) in str(caught.value)
    assert len(second) == 0
    assert node.parent is first
    scene = Scene()
    seen = DrawList(scene)
    parts = cset([])
    scene.add(parts)
    good = mesh()
    parts.update([node, good])
    for _ in range(2):
        with pytest.raises(SceneError, match="one parent"):
            seen.pull()
    first.remove(node)
    assert seen.pull() == (2, 0, 0)


@pytest.mark.parametrize("child", [3, "mesh", None, {}, np.zeros(3), Scene(), Mesh, BOX])
def test_what_is_no_child_is_refused(child):
    scene = Scene()
    fine = mesh()
    with pytest.raises(SceneError, match="cannot be a child of a Scene"):
        scene.add(fine, child)
    assert len(scene) == 0
    assert fine.parent is None


def test_wrong_members_of_sets_are_refused_and_free_what_was_adopted():
    node = mesh()
    with pytest.raises(SceneError, match="a str cannot be a child"):
        Scene(cset([node, "what"]))
    assert node.parent is None


def test_groups_cannot_contain_themselves():
    inner = Group()
    outer = Group(inner)
    with pytest.raises(SceneError, match="inside itself"):
        inner.add(outer)
    with pytest.raises(SceneError, match="inside itself"):
        inner.add(inner) if inner.parent is None else Group.add(outer, outer)
    node = mesh()
    with pytest.raises(SceneError, match="added twice"):
        outer.add(node, [node])
    with pytest.raises(SceneError, match="not a child"):
        outer.remove(node)


def test_one_place_only():
    with pytest.raises(SceneError, match="either a transform"):
        mesh(transform=np.eye(4), position=(1, 0, 0))
    node = mesh(transform=moved(1))
    with pytest.raises(SceneError, match="position cannot be set"):
        node.position = (1, 0, 0)
    node.transform = None
    node.position = np.array([1.0, 0, 0])
    with pytest.raises(SceneError, match="transform cannot be set"):
        node.transform = moved(1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("position", (1, 2)),
        ("position", None),
        ("rotation", 0.3),
        ("scale", "large"),
        ("transform", np.eye(3)),
        ("visible", "no"),
        ("geometry", "box"),
        ("material", "red"),
        ("material", PlainMaterial),
    ],
)
def test_bad_values_are_refused_and_change_nothing(name, value):
    node = mesh()
    seen = DrawList(Scene(node))
    seen.pull()
    before = getattr(node, name)
    with pytest.raises(InputError):
        setattr(node, name, value)
    assert getattr(node, name) is before
    assert seen.pull() == (0, 0, 0)


def test_arrays_are_copied():
    place = np.array([1.0, 2.0, 3.0])
    node = mesh(position=place)
    place[:] = 9
    seen = DrawList(Scene(node))
    seen.pull()
    assert model(seen.draws[0])[:3, 3].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        node.position[0] = 5


def test_draws_are_drawn_as_they_are_or_moved_by_their_groups():
    free = Draw(PROGRAM, BOX, {"model": moved(1), "color": (1, 0, 0)})
    scene = Scene(free, Group(free, position=(5, 0, 0)), Group(free))
    seen = DrawList(scene)
    assert seen.pull() == (3, 0, 0)
    assert seen.draws[0] is free
    assert [model(draw)[0, 3] for draw in seen.draws] == [1, 6, 1]
    group = list(scene)[1]
    group.visible = False
    group.position = (7, 0, 0)
    assert seen.pull() == (0, 0, 1)
    assert [model(draw)[0, 3] for draw in seen.draws] == [1, 8, 1]
    assert [bool(now(draw.visible)) for draw in seen.draws] == [True, False, True]
    scene.remove(free)
    scene.add(free)
    assert seen.pull() == (1, 1, 0)


def test_adaptive_models_and_instances_move_too():
    place, step = cval(moved(10)), cval(moved(1))
    rows = np.stack([moved(1), moved(2)])
    one = Draw(PROGRAM, BOX, {"model": step, "color": (1, 1, 1)})
    many = Draw(PROGRAM, BOX, {"color": (1, 1, 1)}, {"model": rows}, 2)
    bare = Draw(PROGRAM, BOX, {"color": (1, 1, 1)})
    seen = DrawList(Scene(Group(one, many, bare, transform=place)))
    seen.pull()
    first, second, third = seen.draws
    assert model(first)[0, 3] == 11
    assert now(second.instances["model"])[:, 0, 3].tolist() == [11, 12]
    assert model(third)[0, 3] == 10
    place.value, step.value = moved(20), moved(2)
    assert model(first)[0, 3] == 22
    assert now(second.instances["model"])[:, 0, 3].tolist() == [21, 22]


def test_adaptive_material_and_geometry():
    red, blue = PlainMaterial((1, 0, 0)), PlainMaterial((0, 0, 1))
    material, geometry = cval(red), cval(BOX)
    node = Mesh(geometry, material)
    seen = DrawList(Scene(node))
    seen.pull()
    assert seen.draws[0].geometry is geometry
    material.value = blue
    assert seen.pull() == (0, 0, 1)
    assert seen.draws[0].inputs["color"] == (0, 0, 1)
    node.material = red
    assert seen.pull() == (0, 0, 1)
    material.value = red
    assert seen.pull() == (0, 0, 0)


def test_a_draw_that_cannot_be_made_is_made_when_it_can():
    material = PlainMaterial((1, 0))
    node, other = Mesh(BOX, material), mesh()
    seen = DrawList(Scene(node, other))
    for _ in range(2):
        with pytest.raises(InputError, match="color"):
            seen.pull()
    material.inputs = {"color": (1, 0, 1)}
    assert seen.pull() == (2, 0, 0)
    node.material = PlainMaterial("not a colour")
    scene_change = mesh()
    list(node.parent)
    node.parent.add(scene_change)
    with pytest.raises(InputError, match="not a colour"):
        seen.pull()
    node.material = material
    assert seen.pull()[0] == 1


def test_no_tree_is_too_deep():
    leaf = mesh(position=(0, 0, 1))
    top = Group(leaf, position=(1, 0, 0))
    for _ in range(3000):
        top = Group(top, position=(1, 0, 0))
    scene = Scene(top)
    seen = DrawList(scene)
    assert seen.pull() == (1, 0, 0)
    assert model(seen.draws[0])[:3, 3].tolist() == [3001, 0, 1]
    top.visible = False
    assert seen.pull() == (0, 0, 1)
    scene.remove(top)
    assert seen.pull() == (0, 1, 0)


def test_clear_and_the_collection_protocol():
    a, b = mesh(), Group()
    scene = Scene(a, b, background="white")
    assert list(scene) == [a, b]
    assert len(scene) == 2
    assert a in scene
    assert scene.background == "white"
    assert bool(Group())
    scene.clear()
    assert len(scene) == 0
    assert a.parent is b.parent is None


def test_geometry_without_normals_is_left_alone_if_none_are_needed():
    bare = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})
    seen = DrawList(Scene(Mesh(bare, MATERIAL)))
    seen.pull()
    assert seen.draws[0].geometry is bare
