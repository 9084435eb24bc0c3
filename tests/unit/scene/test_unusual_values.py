"""NaN, infinite and flat: drawn as nothing, or refused, and what is beside them stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import GeometryError, InputError

NAN, INF = float("nan"), float("inf")
TRIANGLE = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)])
CAMERA = hs.PerspectiveCamera(position=(0, 0, 5), near=0.1, far=100)
EYE = np.eye(4)
# the background, in front of what is behind: whatever is drawn of it is seen
RED = hs.UnlitMaterial("red")


def triangle(point: Any = None, indices: Any = None) -> hs.Geometry:
    points = TRIANGLE.copy()
    if point is not None:
        points[:] = point
    return hs.Geometry({"position": points}, indices)


def flat(*sizes: float) -> Any:
    return np.diag([*sizes, 1.0])


def rows(position: Any, **columns: Any) -> hs.DrawTable:
    return hs.DrawTable(RED, triangle(), {"position": position, **columns})


NOTHING: dict[str, Callable[[], Any]] = {
    "all vertices NaN": lambda: hs.Mesh(triangle(NAN), RED),
    "all vertices infinite": lambda: hs.Mesh(triangle(INF), RED),
    "beyond float32": lambda: hs.Mesh(triangle(1e300), RED),
    "one point": lambda: hs.Mesh(triangle((0, 0, 1)), RED),
    "one line": lambda: hs.Mesh(triangle(None, [0, 1, 1, 0, 0, 1]), RED),
    "lit, without an area": lambda: hs.Mesh(triangle((0, 0, 1)), hs.PhongMaterial("red")),
    "scale 0": lambda: hs.Mesh(triangle(), RED, scale=0.0),
    "a scale with a 0": lambda: hs.Mesh(triangle(), RED, scale=(0, 1, 1)),
    "lit, scale 0": lambda: hs.Mesh(hs.geometry.box(), hs.PhongMaterial("red"), scale=0),
    "a matrix of rank 1": lambda: hs.Mesh(triangle(), RED, transform=flat(0, 1, 0)),
    "a group of scale 0": lambda: hs.Group(hs.Mesh(triangle(), RED), scale=0.0),
    "far beyond float32": lambda: hs.Mesh(triangle(), RED, position=(1e300, 0, 0)),
    "beyond float32 together": lambda: hs.Group(
        hs.Mesh(triangle(), RED, scale=1e30), scale=1e30, position=(1e30, 0, 0)
    ),
    "no vertices": lambda: hs.Mesh(hs.Geometry({"position": np.zeros((0, 3))}), RED),
    "no indices": lambda: hs.Mesh(triangle(None, []), RED),
    "an empty range": lambda: hs.Mesh(hs.Geometry({"position": TRIANGLE}, range=(3, 0)), RED),
    "an empty table": lambda: rows(np.zeros((0, 3))),
    "rows of NaN": lambda: rows([(NAN, 0, 0), (0, INF, 0)]),
    "rows beyond float32": lambda: rows(np.full((2, 3), 1e300)),
    "rows of scale 0": lambda: rows(np.zeros((2, 3)), scale=0.0),
    "rows of flat matrices": lambda: hs.DrawTable(
        RED, triangle(), {"model": np.array([flat(1, 0, 0), flat(0, 0, 0), np.full((4, 4), NAN)])}
    ),
    "no instances": lambda: hs.Draw(
        RED.program, triangle(), {"model": EYE, "color": (1, 0, 0, 1)}, instance_count=0
    ),
    "instances of NaN": lambda: hs.Draw(
        RED.program, triangle(), {"color": (1, 0, 0, 1)}, {"model": [np.full((4, 4), NAN)]}
    ),
    "a model beyond float32": lambda: hs.Draw(
        RED.program, triangle(), {"model": flat(1e300, 1e300, 1e300), "color": (1, 0, 0, 1)}
    ),
}


@pytest.fixture(scope="module")
def renderer(device: Any) -> Any:
    with hs.Renderer((24, 24), samples=1, device=device) as renderer:
        yield renderer


def is_sound(renderer: hs.Renderer) -> bool:
    """Whether nothing is wrong but numbers that are not finite, which validate() tells as well."""
    return {fault.check for fault in renderer.validate().faults} <= {"finite-data"}


def beside() -> hs.Mesh:
    return hs.Mesh(triangle(), hs.UnlitMaterial("blue"), position=(0, 0, -1))


@pytest.mark.parametrize("name", NOTHING)
def test_what_has_no_area_is_not_seen(name: str, renderer: hs.Renderer) -> None:
    expected = renderer.render(hs.Scene(beside()), CAMERA)
    scene = hs.Scene(beside(), NOTHING[name]())
    assert (renderer.render(scene, CAMERA) == expected).all()
    assert is_sound(renderer)
    fitted = renderer.render(scene)  # of a camera that looks at what is finite
    assert (fitted != fitted[0, 0]).any()


def test_one_broken_vertex_breaks_only_its_triangles(renderer: hs.Renderer) -> None:
    points = np.concatenate([TRIANGLE + np.array((0, 0, 1)), TRIANGLE])
    points[1] = NAN
    scene = hs.Scene(hs.Mesh(hs.Geometry({"position": points}), RED))
    whole = hs.Scene(hs.Mesh(triangle(), RED))
    assert (renderer.render(scene, CAMERA) == renderer.render(whole, CAMERA)).all()


def test_empty_geometry_is_filled_later(renderer: hs.Renderer) -> None:
    points, indices = hs.cval(np.zeros((0, 3))), hs.cval(np.zeros(0, np.uint32))
    scene = hs.Scene(hs.Mesh(hs.Geometry({"position": points}, indices), RED))
    empty = renderer.render(scene, CAMERA)
    with hs.transact():
        points.value = TRIANGLE
        indices.value = np.arange(3)
    filled = renderer.render(scene, CAMERA)
    assert (filled == renderer.render(hs.Scene(hs.Mesh(triangle(), RED)), CAMERA)).all()
    with hs.transact():
        indices.value = np.zeros(0, np.uint8)
        points.value = np.zeros((0, 3))
    assert (renderer.render(scene, CAMERA) == empty).all()
    assert is_sound(renderer)


def test_an_empty_table_is_filled_later(renderer: hs.Renderer) -> None:
    table = rows(np.zeros((0, 3)))
    scene = hs.Scene(table)
    empty = renderer.render(scene, CAMERA)
    assert table.append({"position": np.zeros((0, 3))}).tolist() == []
    handles = table.append({"position": [(0, 0, 0)]})
    assert (renderer.render(scene, CAMERA) != empty).any()
    table.delete(handles)
    assert (renderer.render(scene, CAMERA) == empty).all()


BAD_ARRAYS: dict[str, tuple[str, Any]] = {
    "past the last vertex": ("indices", [0, 1, 3]),
    "negative": ("indices", np.array([0, -1, 2])),
    "fractions": ("indices", np.array([0.0, 1.0, 2.0])),
    "text": ("position", np.array([["a", "b", "c"]])),
    "two columns": ("position", TRIANGLE[:, :2]),
    "fewer vertices than are drawn": ("position", TRIANGLE[:2]),
    "pretended": ("position", np.broadcast_to(np.float32(0), (2**32, 3))),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_a_bad_array_that_comes_later_changes_nothing(name: str, renderer: hs.Renderer) -> None:
    kind, bad = BAD_ARRAYS[name]
    values = {"position": hs.cval(TRIANGLE), "indices": hs.cval(np.array([0, 1, 2]))}
    geometry = hs.Geometry({"position": values["position"]}, values["indices"])
    scene = hs.Scene(beside(), hs.Mesh(geometry, RED))
    before = renderer.render(scene, CAMERA)
    order = renderer.order(scene)
    good = values[kind].force()
    values[kind].value = bad
    for _ in range(2):
        with pytest.raises(GeometryError):
            renderer.render(scene, CAMERA)
    assert renderer.order(scene) == order
    values[kind].value = good
    assert (renderer.render(scene, CAMERA) == before).all()
    assert is_sound(renderer)


REFUSED: dict[str, Callable[[], Any]] = {
    "position": lambda: hs.Mesh(triangle(), RED, position=(NAN, 0, 0)),
    "scale": lambda: hs.Group(scale=INF),
    "rotation of length 0": lambda: hs.Group(rotation=(0, 0, 0, 0)),
    "rotation": lambda: hs.Group(rotation=np.full((3, 3), NAN)),
    "transform": lambda: hs.Group(transform=np.full((4, 4), NAN)),
    "colour": lambda: hs.UnlitMaterial((NAN, 0, 0)),
    "colour of bytes": lambda: hs.UnlitMaterial((255, 0, 0)),
    "camera": lambda: hs.PerspectiveCamera(position=(NAN, 0, 0)),
    "table transform": lambda: setattr(rows((0, 0, 0)), "transform", np.full((4, 4), INF)),
    "plain input": lambda: hs.Draw(RED.program, triangle(), {"model": EYE, "color": (2, 0, 0)}),
    "instances": lambda: hs.Draw(RED.program, triangle(), {"model": EYE}, {"color": [(NAN, 0, 0)]}),
    "column": lambda: rows(np.zeros((2, 3)), color=[(0, 0, 0), (0, -1, 0)]),
    "column of bytes": lambda: rows((0, 0, 0), color=np.array([[255, 0, 0]], np.uint8)),
    "written column": lambda: rows((0, 0, 0), color=(0, 0, 0)).write("color", (0, NAN, 0)),
    "appended column": lambda: rows((0, 0, 0), color=(0, 0, 0)).append(
        {"position": (0, 0, 0), "color": np.array([[INF, 0, 0]])}
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_nobody_can_mean_is_refused_when_it_is_given(name: str) -> None:
    with pytest.raises(InputError):
        REFUSED[name]()


def test_adaptive_rows_of_instances_are_held_to_the_limits(renderer: hs.Renderer) -> None:
    colors = hs.cval(np.array([(1.0, 0, 0), (0, 1.0, 0)]))
    draw = hs.Draw(RED.program, triangle(), {"model": EYE}, {"color": colors}, instance_count=2)
    before = renderer.render(draw, CAMERA)
    colors.value = np.array([(255.0, 0, 0), (0, 1.0, 0)])
    with pytest.raises(InputError, match="Divide by 255"):
        renderer.render(draw, CAMERA)
    colors.value = np.array([(1.0, 0, 0), (0, 1.0, 0)])
    assert (renderer.render(draw, CAMERA) == before).all()


@pytest.mark.parametrize("view", [np.zeros((4, 4)), np.full((4, 4), NAN), np.eye(3), "eye"])
def test_a_camera_that_sees_nothing_is_refused(view: Any, renderer: hs.Renderer) -> None:
    class Lens:
        proj = EYE

    lens: Any = Lens()
    lens.view = view
    with pytest.raises(InputError, match="view"):
        renderer.render(hs.Scene(beside()), lens)
