import gc
import weakref

import numpy as np
import pytest

from heapscene.adaptive import AVal, constant, cval, live_nodes
from heapscene.draw import Geometry, Material, PipelineState, WatchedMaterial
from heapscene.errors import InputError
from heapscene.geometry import box
from heapscene.materials import PhongMaterial, UnlitMaterial
from heapscene.scene import Mesh, Scene
from reference.drawlist import DrawList, now

BOX = box()
KINDS = [UnlitMaterial, PhongMaterial]


@pytest.mark.parametrize("kind", KINDS)
def test_materials_of_a_class_share_one_program(kind):
    one, other = kind("red"), kind(color=(0, 1, 0, 0.5))
    assert isinstance(one, Material)
    assert isinstance(one, WatchedMaterial)
    assert one.program is other.program
    assert set(one.inputs) <= set(one.program.interface.inputs)
    assert one.state == PipelineState()
    assert {"model", "view", "proj", "color"} <= set(one.program.interface.inputs)
    assert list(one.program.interface.attribute_defaults["color"]) == [1, 1, 1, 1]
    assert "fn unlit_fragment" in one.program.wgsl or "fn phong_fragment" in one.program.wgsl


@pytest.mark.parametrize("kind", KINDS)
def test_a_colour_that_is_assigned_reaches_all_meshes(kind):
    material = kind("red")
    meshes = [Mesh(BOX, material) for _ in range(3)]
    seen = DrawList(Scene(*meshes))
    other = DrawList(Scene(Mesh(BOX, material)))
    seen.pull()
    other.pull()
    gc.collect()
    before = live_nodes()
    material.color = "blue"
    assert material.color == "blue"
    assert seen.pull() == (0, 0, 3)
    assert other.pull() == (0, 0, 1)
    assert live_nodes() == before + 1
    cells = {id(draw.inputs["color"]) for draw in (*seen.draws, *other.draws)}
    assert len(cells) == 1
    material.color = [0, 1, 0]
    assert seen.pull() == (0, 0, 0)
    assert now(seen.draws[0].inputs["color"]) == (0, 1, 0)


def test_before_use_nothing_gets_a_cell():
    material = PhongMaterial("red")
    material.color = "blue"
    material.shininess = 3.0
    assert dict(material.inputs) == {"color": "blue", "shininess": 3.0, "specular": 0.12}


def test_adaptive_colours_are_handed_on():
    color = cval("red")
    material = UnlitMaterial(color)
    assert material.inputs["color"] is color
    seen = DrawList(Scene(Mesh(BOX, material)))
    seen.pull()
    material.color = "green"
    assert seen.pull() == (0, 0, 1)
    assert isinstance(seen.draws[0].inputs["color"], AVal)
    material.color = color
    assert seen.pull() == (0, 0, 1)
    material.color = color
    assert seen.pull() == (0, 0, 0)
    assert seen.draws[0].inputs["color"] is color


def test_state_and_numbers_may_be_assigned():
    material = PhongMaterial()
    seen = DrawList(Scene(Mesh(BOX, material)))
    seen.pull()
    material.state = PipelineState(cull_mode="back")
    assert seen.pull() == (0, 0, 1)
    assert seen.draws[0].state.cull_mode == "back"
    material.state = PipelineState(cull_mode="back")
    assert seen.pull() == (0, 0, 0)
    material.specular = 0.5
    material.shininess = 9
    assert seen.pull() == (0, 0, 1)
    assert now(seen.draws[0].inputs["specular"]) == 0.5
    assert now(seen.draws[0].inputs["shininess"]) == 9
    material.specular = 0.25
    assert seen.pull() == (0, 0, 0)
    assert now(seen.draws[0].inputs["specular"]) == 0.25
    assert (material.specular, material.shininess) == (0.25, 9)


def test_numbers_that_are_given_reach_the_draw():
    material = PhongMaterial("gold", shininess=7, specular=0.125)
    seen = DrawList(Scene(Mesh(BOX, material)))
    seen.pull()
    (draw,) = seen.draws
    assert (draw.inputs["shininess"], draw.inputs["specular"]) == (7, 0.125)
    assert (material.shininess, material.specular) == (7, 0.125)


def test_a_mesh_with_another_material_is_left_alone():
    old = PhongMaterial()
    mesh = Mesh(BOX, old)
    seen = DrawList(Scene(mesh))
    seen.pull()
    mesh.material = PhongMaterial("red")
    seen.pull()
    old.color = "blue"
    assert seen.pull() == (0, 0, 0)
    mesh.material = old
    assert seen.pull() == (0, 0, 1)
    assert now(seen.draws[0].inputs["color"]) == "blue"


def test_a_material_does_not_keep_scenes_alive():
    material = PhongMaterial()
    scene = Scene(Mesh(BOX, material))
    DrawList(scene).pull()
    dead = weakref.ref(scene)
    del scene
    gc.collect()
    assert dead() is None
    for _ in range(200):
        DrawList(Scene(Mesh(BOX, material))).pull()
        gc.collect(0)
    gc.collect()
    assert len(material._users) <= 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("color", "reddish"),
        ("color", (1, 0)),
        ("color", None),
        ("color", 7),
        ("color", constant("reddish")),
        ("state", "opaque"),
    ],
)
def test_bad_values_are_refused_and_change_nothing(kind, name, value):
    with pytest.raises(InputError):
        kind(**{name: value})
    material = kind("red")
    before = getattr(material, name)
    with pytest.raises(InputError):
        setattr(material, name, value)
    assert getattr(material, name) == before


def test_bad_numbers_are_refused():
    for bad in ("shiny", None, (1, 2)):
        with pytest.raises(InputError, match="shininess"):
            PhongMaterial(shininess=bad)


def test_arrays_become_tuples():
    color = np.array([1.0, 0.5, 0.0])
    material = UnlitMaterial(color)
    color[:] = 0
    assert material.color == (1.0, 0.5, 0.0)


def test_phong_makes_normals_once_and_only_if_they_are_missing():
    bare = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})
    material = PhongMaterial()
    lines = PhongMaterial(state=PipelineState(topology="line-list"))
    adaptive = cval(bare)
    scene = Scene(
        [Mesh(bare, material), Mesh(bare, material), Mesh(BOX, material)],
        [Mesh(bare, UnlitMaterial()), Mesh(bare, lines), Mesh(adaptive, material)],
    )
    seen = DrawList(scene)
    seen.pull()
    made, same, whole, unlit, line, derived = (draw.geometry for draw in seen.draws)
    assert made is same
    assert made.attributes["normal"].tolist() == [[0, 0, 1]] * 3
    assert whole is BOX
    assert unlit is line is bare
    assert now(derived) is made
    adaptive.value = BOX
    assert now(derived) is BOX


@pytest.mark.parametrize(
    ("color", "says"),
    [
        ((255, 128, 0), "Divide by 255"),
        ((float("nan"), 0, 0), "finite"),
        ((-0.1, 0, 0), "from 0 to 1"),
    ],
)
def test_a_colour_outside_its_range_is_refused(color, says):
    with pytest.raises(InputError, match=says):
        UnlitMaterial(color)


def test_a_shininess_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="finite"):
        PhongMaterial("red", shininess=float("inf"))


@pytest.mark.parametrize("bad", [-1, -1e-30, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["shininess", "specular"])
def test_highlights_are_not_negative(name, bad):
    wanted = {"shininess": "not above 0", "specular": "not 0 or more"}[name]
    if not np.isfinite(bad):
        wanted = "not finite"
    with pytest.raises(InputError, match=wanted):
        PhongMaterial(**{name: bad})
    material = PhongMaterial()
    with pytest.raises(InputError, match=wanted):
        setattr(material, name, bad)
    with pytest.raises(InputError, match=wanted):
        PhongMaterial(**{name: constant(bad)})
    assert PhongMaterial(specular=0).specular == 0
    with pytest.raises(InputError, match="above 0"):
        PhongMaterial(shininess=0)
