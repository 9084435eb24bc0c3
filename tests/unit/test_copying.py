"""Which objects can be copied, and what is said of those that cannot."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import heapscene as hs
from heapscene.render import OffscreenTarget
from reference.programs import PROGRAMS

GEOMETRY = hs.Geometry({"position": np.eye(3), "color": [(1, 0, 0, 1)]}, [0, 1, 2], range=(0, 3))


def _renderer(device):
    return hs.Renderer((8, 8), device=device)


# public name: what makes one
REFUSED = {
    "AVal": lambda _: hs.cval(1).map(str),
    "CVal": lambda _: hs.cval(1, name="width"),
    "constant": lambda _: hs.constant(1),
    "clock": lambda _: hs.clock(),
    "ASet": lambda _: hs.cset([1]).map(str),
    "CSet": lambda _: hs.cset([1]),
    "aset": lambda _: hs.aset([1]),
    "AList": lambda _: hs.clist([1]).map(str),
    "CList": lambda _: hs.clist([1]),
    "alist": lambda _: hs.alist([1]),
    "ADict": lambda _: hs.cdict({1: 2}).map(lambda _k, v: v),
    "CDict": lambda _: hs.cdict({1: 2}),
    "subscription": lambda _: hs.cval(1).on_change(print),
    "Group": lambda _: hs.Group(hs.Group()),
    "Mesh": lambda _: hs.Mesh(GEOMETRY, hs.PhongMaterial()),
    "Scene": lambda _: hs.Scene(hs.Mesh(GEOMETRY, hs.PhongMaterial())),
    "PhongMaterial": lambda _: hs.PhongMaterial(),
    "UnlitMaterial": lambda _: hs.UnlitMaterial(),
    "DrawTable": lambda _: hs.DrawTable(hs.UnlitMaterial(), GEOMETRY, {"position": np.eye(3)}),
    "Heap": hs.Heap,
    "HeapScene": lambda device: hs.HeapScene(device, hs.Targets()),
    "Renderer": _renderer,
    "target": lambda device: OffscreenTarget(device, (8, 8), hs.Targets()),
}
COPIED = {
    "Geometry": GEOMETRY,
    "PipelineState": hs.PipelineState(cull_mode="back"),
    "PerspectiveCamera": hs.PerspectiveCamera(40, position=(1, 2, 3)),
    "OrthographicCamera": hs.OrthographicCamera(near=1.0),
    "FrameReport": hs.FrameReport(draws=3, encodings={"mega": 1}),
    "Targets": hs.Targets(samples=4),
    "ValidationReport": hs.ValidationReport(counts={"records": 1}),
    "Draw": hs.Draw(
        PROGRAMS[2],
        GEOMETRY,
        {"color": (1, 0, 0, 1), "model": np.eye(4)},
        {"offset": np.zeros((2, 3))},
        2,
        visible=False,
    ),
    "Program": PROGRAMS[0],
}
NO_OBJECTS = {"HeapsceneError"}


def test_every_public_class_is_decided():
    classes = {name for name in dir(hs) if isinstance(getattr(hs, name), type)}
    assert classes <= {*REFUSED, *COPIED, *NO_OBJECTS}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_unique_refuses_to_be_copied_and_says_what_to_write(name, device):
    made = REFUSED[name](device)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled") as caught:
            way(made)
        assert len(str(caught.value).splitlines()[-1]) > 20
    for held in ([made], {"it": made}):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            copy.deepcopy(held)
        assert copy.copy(held) == held
    if hasattr(made, "close"):
        made.close()
    if hasattr(made, "dispose"):
        made.dispose()


def _plain(value):
    """What can be compared of a value."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, hs.Geometry):
        arrays = value.read_attributes()
        return _plain(arrays), _plain(value.read_indices()), value.range
    if isinstance(value, hs.Draw):
        return [_plain(getattr(value, name)) for name in value.__dataclass_fields__]
    if hasattr(value, "items"):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (hs.PerspectiveCamera, hs.OrthographicCamera)):
        return vars(value)
    return value


@pytest.mark.parametrize("name", COPIED)
def test_what_is_plain_can_be_copied(name):
    value = COPIED[name]
    ways = [copy.copy, copy.deepcopy]
    if name in ("Draw", "Program"):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            pickle.dumps(value)
    else:
        ways.append(lambda value: pickle.loads(pickle.dumps(value)))
    for way in ways:
        made = way(value)
        assert type(made) is type(value)
        assert _plain(made) == _plain(value)
    if isinstance(value, hs.Draw):
        assert copy.copy(value) is not value, "a copy is another draw in the order"
        for copied in (copy.copy(value), copy.deepcopy(value)):
            with pytest.raises(TypeError):
                copied.inputs["color"] = 1
    if isinstance(value, hs.Geometry):
        made = pickle.loads(pickle.dumps(value))
        assert not made.attributes["position"].flags.writeable


def test_a_deep_copy_refuses_the_adaptive_values_inside():
    draw = hs.Draw(PROGRAMS[0], GEOMETRY, {"color": hs.cval("red"), "model": np.eye(4)})
    assert copy.copy(draw).inputs["color"] is draw.inputs["color"]
    for value in (
        draw,
        hs.PerspectiveCamera(position=hs.cval((0, 0, 1))),
        hs.Geometry({"position": hs.cval(np.eye(3))}),
    ):
        with pytest.raises(TypeError, match="cval"):
            copy.deepcopy(value)


def test_a_copied_report_asks_the_gpu_for_nothing(device):
    with _renderer(device) as renderer:
        report = renderer.draw(hs.Scene())
        made = copy.copy(report)
    assert made.resolve().gpu_ms is None
    assert made.draws == report.draws
