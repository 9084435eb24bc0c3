"""What may be assigned when: not while a value is being computed."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from heapscene.adaptive import computed, cval
from heapscene.draw import PipelineState
from heapscene.errors import AdaptiveError
from heapscene.geometry import box, sphere
from heapscene.materials import PhongMaterial
from heapscene.scene import Group, Mesh, Scene


def mesh() -> Mesh:
    return Mesh(box(), PhongMaterial())


ASSIGNMENTS = {
    "position": (1, 2, 3),
    "rotation": (0, 0, 0, 1),
    "scale": 2.0,
    "visible": False,
    "transform": np.eye(4),
    "geometry": sphere(),
    "material": PhongMaterial("red"),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_mesh_is_not_assigned_to_while_a_value_is_computed(name):
    target = mesh()
    before = getattr(target, name)
    with pytest.raises(AdaptiveError, match="computed"):
        computed(lambda: setattr(target, name, ASSIGNMENTS[name])).force()
    assert getattr(target, name) is before


@pytest.mark.parametrize(
    ("name", "value"),
    [("color", "red"), ("shininess", 3.0), ("state", PipelineState(cull_mode="back"))],
)
def test_a_material_is_not_assigned_to_while_a_value_is_computed(name, value):
    target = PhongMaterial()
    before = getattr(target, name)
    with pytest.raises(AdaptiveError, match="computed"):
        computed(lambda: setattr(target, name, value)).force()
    assert getattr(target, name) is before


def test_children_do_not_change_while_a_value_is_computed():
    child, other = mesh(), mesh()
    group = Group(child)
    for act in (lambda: group.add(other), lambda: group.remove(child), group.clear):
        with pytest.raises(AdaptiveError, match="computed"):
            computed(act).force()
    assert list(group) == [child]


def test_nodes_may_be_made_while_a_value_is_computed():
    made = computed(lambda: Group(mesh(), Group(mesh())))
    scene = Scene(made)
    assert len(scene.draw_reader().changes()) == 2


def test_adding_leaves_the_collector_as_it_was():
    assert gc.isenabled()
    group = Group()
    with pytest.raises(AttributeError):
        group.add(*(mesh() for _ in range(3)), *[cval(mesh()).no_such_thing])
    group.add([mesh() for _ in range(3)])
    assert gc.isenabled()
    gc.disable()
    try:
        group.add(mesh())
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_hiding_makes_neither_values_nor_inputs_anew():
    target = Mesh(box(), PhongMaterial(), position=(1, 2, 3))
    group = Group(target)
    reader = Scene(group).draw_reader()
    ((_, first),) = reader.changes()
    target.visible = False
    ((_, hidden),) = reader.changes()
    assert hidden.inputs is first.inputs
    assert hidden.visible is False
    target.visible = True
    group.visible = False
    ((_, again),) = reader.changes()
    assert again.inputs is first.inputs
    assert not again.visible.force()
    target.position = (0, 0, 1)
    target.visible = False
    ((_, moved),) = reader.changes()
    assert moved.visible is False
    assert moved.inputs["model"].force()[2, 3] == 1
