"""Whatever an adaptive value raises in a frame, the error says what was being read."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.adaptive import evaluations
from heapscene.errors import GeometryError, InputError, SceneError, StateError
from heapscene.io.build import NamedGroup
from reference.programs import PROGRAMS

TRIANGLE = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float64)
BOX = hs.geometry.box()
NAN = float("nan")
TURN = (0.0, 0.0, 0.0, 1.0)
MANY = np.tile(TRIANGLE, (10, 1))


def broken(_value):
    raise KeyError("no joint of this name")


def _mesh(**given):
    material = given.pop("material") if "material" in given else hs.PhongMaterial()
    return hs.Mesh(given.pop("geometry", BOX), material, **given)


def _material(name, cell):
    return _mesh(material=hs.PhongMaterial(**{name: cell}))


def _draw(**given):
    fields = {"inputs": {"model": np.eye(4), "color": (1, 0, 0)}, "instances": {}}
    for name in ("inputs", "instances"):
        fields[name] = {**fields[name], **given.pop(name, {})}
    fields["inputs"] = {k: v for k, v in fields["inputs"].items() if k not in fields["instances"]}
    geometry = given.pop("geometry", hs.Geometry({"position": TRIANGLE, "normal": TRIANGLE}))
    return hs.Draw(PROGRAMS[2], geometry, **fields, **given)


OFFSETS = np.zeros((3, 3))

# name: (good value, bad value, what makes something to draw of the cell, error, what is read)
CASES = {
    "position": ((0, 0, 0), None, lambda c: _mesh(position=c), InputError, "position"),
    "rotation": (TURN, (0, 0, NAN, NAN), lambda c: _mesh(rotation=c), InputError, "rotation"),
    "scale": (1.0, "x", lambda c: _mesh(scale=c, position=hs.cval((0, 0, 0))), InputError, "scale"),
    "transform": (np.eye(4), None, lambda c: _mesh(transform=c), InputError, "transform"),
    "visible": (True, "no", lambda c: _mesh(visible=c), InputError, "visible"),
    "color": ("red", "redd", lambda c: _material("color", c), InputError, "input 'color'"),
    "beyond": ("red", (2, 0, 0), lambda c: _material("color", c), InputError, "input 'color'"),
    "shininess": (4.0, "", lambda c: _material("shininess", c), InputError, "input 'shininess'"),
    "material": (hs.PhongMaterial(), 7, lambda c: _mesh(material=c), InputError, "material"),
    "geometry": (BOX, None, lambda c: _mesh(geometry=c), GeometryError, "geometry"),
    "points": (
        TRIANGLE,
        None,
        lambda c: _mesh(geometry=hs.Geometry({"position": c})),
        GeometryError,
        "attribute 'position'",
    ),
    "fewer": (
        MANY,
        TRIANGLE,
        lambda c: _mesh(geometry=hs.Geometry({"position": c}, np.arange(30))),
        GeometryError,
        "attribute 'position'",
    ),
    "fewer-lit": (
        MANY,
        TRIANGLE,
        lambda c: _mesh(
            geometry=hs.Geometry({"position": c, "normal": [(0, 0, 1)]}, np.arange(30))
        ),
        GeometryError,
        "geometry",
    ),
    "indices": (
        np.arange(3),
        "no",
        lambda c: _mesh(geometry=hs.Geometry({"position": TRIANGLE, "normal": TRIANGLE}, c)),
        GeometryError,
        "indices",
    ),
    "state": (hs.PipelineState(), 1, lambda c: _draw(state=c, inputs={"offset": (0, 0, 0)}), StateError, "state"),
    "count": (1, -1, lambda c: _draw(instance_count=c, inputs={"offset": (0, 0, 0)}), InputError, "instance_count"),
    "offset": ((0, 0, 0), (0, 0), lambda c: _draw(inputs={"offset": c}), InputError, "input 'offset'"),
    "offsets": (
        OFFSETS,
        OFFSETS[:, :2],
        lambda c: _draw(instances={"offset": c}, instance_count=3),
        InputError,
        "instances 'offset'",
    ),
    "more-offsets": (
        OFFSETS,
        OFFSETS[:2],
        lambda c: _draw(instances={"offset": c}, instance_count=3),
        InputError,
        "",
    ),
    "group": (TURN, None, lambda c: hs.Group(_mesh(), rotation=c), InputError, "rotation"),
    "hidden": (True, [], lambda c: hs.Group(_mesh(visible=hs.cval(True)), visible=c), InputError, "visible"),
    "children": (None, 3, lambda c: c, SceneError, "children"),
    "table": (
        np.eye(4),
        3,
        lambda c: hs.DrawTable(hs.PhongMaterial(), BOX, {"position": TRIANGLE}, transform=c),
        InputError,
        "input 'transform'",
    ),
    "table-color": (
        "red",
        "redd",
        lambda c: hs.DrawTable(hs.PhongMaterial(c), BOX, {"position": TRIANGLE}),
        InputError,
        "input 'color'",
    ),
    "table-hidden": (
        True,
        (),
        lambda c: hs.Group(
            hs.DrawTable(hs.PhongMaterial(), BOX, {"position": TRIANGLE}), visible=c
        ),
        InputError,
        "visible",
    ),
}  # fmt: skip
REFUSED_WHEN_GIVEN = ("children",)


def _notes(error):
    return [note for note in getattr(error, "__notes__", []) if "being read" in note]


def _fails(renderer, scene, error=Exception):
    with pytest.raises(error) as caught:
        renderer.draw(scene)
    (note,) = _notes(caught.value)
    return note


@pytest.mark.parametrize("crowd", [0, 40])
@pytest.mark.parametrize("case", CASES)
def test_a_bad_cell_is_named_with_what_reads_it(device, case, crowd):
    good, bad, make, error, what = CASES[case]
    cell = hs.cval(good, name="joint7")
    inside = NamedGroup("wheel", make(cell))
    others = [_mesh(position=hs.cval((0, 0, 0))) for _ in range(crowd)]
    scene = hs.Scene(others, inside)
    with hs.Renderer((8, 8), device=device) as renderer:
        renderer.draw(scene)
        cell.value = bad
        for _ in range(2):
            note = _fails(renderer, scene, error)
            assert "joint7" in note or not what
            assert not what or f"what   {what}" in note, note
            assert "wheel" in note
            assert max(map(len, note.splitlines())) < 150
        cell.value = good
        renderer.draw(scene)
    if case in REFUSED_WHEN_GIVEN:
        return
    scene = hs.Scene(NamedGroup("wheel", make(cell)))
    cell.value = bad
    with hs.Renderer((8, 8), device=device) as renderer:
        note = _fails(renderer, scene, error)  # where the first frame finds it
        assert "joint7" in note or not what
        assert "wheel" in note


@pytest.mark.parametrize("case", [name for name in CASES if name != "more-offsets"])
def test_what_a_function_of_the_user_raises_stays_and_is_placed(device, case):
    good, _, make, _, what = CASES[case]
    switch = hs.cval(False)
    value = switch.map(lambda bad: broken(bad) if bad else good)
    scene = hs.Scene(NamedGroup("wheel", make(value)))
    with hs.Renderer((8, 8), device=device) as renderer:
        renderer.draw(scene)
        switch.value = True
        before = evaluations()
        with pytest.raises(KeyError, match="no joint") as caught:
            renderer.draw(scene)
        assert evaluations() - before <= 4, "finding out whom to blame computes nothing again"
        (note,) = _notes(caught.value)
        assert __file__ in note
        assert "wheel" in note
        assert f"what   {what}" in note or case == "fewer-lit"
        assert caught.traceback[-1].name == "broken"
        switch.value = False
        renderer.draw(scene)


def test_one_exception_that_is_raised_again_and_again_has_one_note(device):
    once = RuntimeError("the same object")
    switches = [hs.cval(False, name=f"s{k}") for k in range(2)]

    def made(bad):
        if bad:
            raise once
        return (0, 0, 0)

    scene = hs.Scene([_mesh(position=switch.map(made)) for switch in switches])
    with hs.Renderer((8, 8), device=device) as renderer:
        renderer.draw(scene)
        for switch in switches * 2:
            switch.value = True
            assert "position" in _fails(renderer, scene, RuntimeError)
            switch.value = False
            renderer.draw(scene)


def test_frame_inputs_cameras_backgrounds_and_sets_are_named(device):
    cell = hs.cval((0, 0, 3), name="eye")
    with hs.Renderer((8, 8), device=device) as renderer:
        scene, camera = hs.Scene(_mesh()), hs.PerspectiveCamera(position=cell)
        renderer.draw(scene, camera)
        cell.value = "here"
        with pytest.raises(InputError) as caught:
            renderer.draw(scene, camera)
        (note,) = _notes(caught.value)
        assert "position" in note
        assert "PerspectiveCamera" in note
        assert "eye" in note
        sky = hs.cval("white", name="sky")
        scene.background = sky
        renderer.draw(scene)
        sky.value = "whitish"
        assert "sky" in _fails(renderer, scene, InputError)
        things = hs.cset([_draw(inputs={"offset": (0, 0, 0)})], name="things")
        renderer.draw(things)
        things.add(3)
        assert "things" in _fails(renderer, things, SceneError)
    light = hs.cval((0, 1, 0), name="light")
    target = hs.Targets()
    with hs.HeapScene(device, target, hs.Scene(_mesh()), inputs={"light": light}) as heap:
        heap.update()
        light.value = None
        with pytest.raises(InputError) as caught:
            heap.update()
        (note,) = _notes(caught.value)
        assert "frame input 'light'" in note
        assert "name='light'" in note


def test_a_cell_that_many_share_says_how_many(device):
    cell = hs.cval("red", name="paint")
    material = hs.PhongMaterial(cell)
    scene = hs.Scene([_mesh(material=material, position=(k, 0, 0)) for k in range(7)])
    with hs.Renderer((8, 8), device=device) as renderer:
        renderer.draw(scene)
        cell.value = "reddish"
        assert "and 6 others" in _fails(renderer, scene, InputError)


def test_notes_cost_nothing_while_all_is_well(monkeypatch):
    from heapscene.adaptive import reading

    def never(*_):
        raise AssertionError("asked what was read, though nothing failed")

    monkeypatch.setattr(reading.Reading, "note_on", never)
    monkeypatch.setattr(reading.Reading, "__new__", never)
    from heapscene.heap import DrawHeap as Heap
    from heapscene.shader import types

    cells = [hs.cval((k, 0, 0)) for k in range(40)]
    scene = hs.Scene([_mesh(position=cell) for cell in cells])
    heap = Heap(1 << 20, {"view": types.MAT4, "proj": types.MAT4})
    reader = scene.draw_reader()
    for step in range(3):
        heap.apply(reader.changes())
        heap.pull()
        for cell in cells[:20]:
            cell.value = (step, step, 0)
