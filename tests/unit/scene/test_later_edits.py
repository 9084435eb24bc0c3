"""An array that somebody keeps and edits in place: wherever it was handed in, nothing happens, now or later.

But for what is read anew in every frame, where the next frame shows it; see docs/inputs.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import HeapsceneError
from heapscene.render.frame_inputs import FrameInputs

CAMERA = hs.PerspectiveCamera(position=(0, 0, 5), near=0.1, far=100)
CORNERS = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)])
PLACE = np.array([(0.5, 0, 0, -0.5), (0, 0.5, 0, 0.25), (0, 0, 0.5, 0), (0, 0, 0, 1.0)])
TRIANGLE = hs.Geometry({"position": CORNERS})
SMALL = hs.Geometry({"position": CORNERS / 2})
RED = hs.UnlitMaterial("red")


def of(array: Any, dtype: Any = float) -> Callable[[], Any]:
    return lambda: np.array(array, dtype)


def given(value: Any) -> Any:
    return value


def assigned(value: Any) -> hs.CVal:
    cell = hs.cval(np.zeros(1))
    cell.value = value
    return cell


def mapped(value: Any) -> hs.AVal:
    return hs.cval(value).map(lambda array: array)


def draw(**inputs: Any) -> hs.Draw:
    instances = inputs.pop("instances", {})
    all_inputs = {"model": PLACE, "color": (1, 0, 0, 1), **inputs}
    kept = {name: value for name, value in all_inputs.items() if name not in instances}
    return hs.Draw(RED.program, TRIANGLE, kept, instances, 2 if instances else 1)


def table(**columns: Any) -> hs.DrawTable:
    place = {} if "model" in columns else {"position": [(1, 0, 0), (-1, 0, 0)]}
    return hs.DrawTable(RED, [TRIANGLE, SMALL], {**place, "color": (1, 0, 0), **columns})


def written(name: str, value: Any, rows: Any = None) -> hs.DrawTable:
    first = {"model": np.tile(PLACE, (2, 1, 1))} if name == "model" else {name: table_values[name]}
    made = table(**first)
    made.write(name, value, rows)
    return made


def appended(name: str, value: Any) -> hs.DrawTable:
    made = table(**({"model": PLACE} if name == "model" else {}))
    place = {} if name == "model" else {"position": table_values["position"]}
    made.append({**place, "color": (1, 0, 0), name: value})
    return made


def placed(node: Any, name: str, value: Any) -> Any:
    setattr(node, name, value)
    return node


table_values: dict[str, Any] = {
    "position": [(0.5, 0, 0), (-0.5, 0, 0)], "color": [(0, 1, 0, 1), (1, 1, 0, 1)],
    "visible": [True, False], "geometry": [0, 1],
}  # fmt: skip
CELLS: dict[str, Callable[[Any], Any]] = {
    "plain": given, "cval": hs.cval, "assigned": assigned, "constant": hs.constant, "map": mapped,
}  # fmt: skip
MADE: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {}
"""How to make an array, and what shows it."""
for how, cell in CELLS.items():
    MADE |= {
        f"{how} attribute": (of(CORNERS), lambda a, c=cell: hs.Mesh(hs.Geometry({"position": c(a)}), RED)),
        f"{how} float32 attribute": (
            of(CORNERS, np.float32), lambda a, c=cell: hs.Mesh(hs.Geometry({"position": c(a)}), RED)
        ),
        f"{how} indices": (
            of([0, 1, 2], np.uint32), lambda a, c=cell: hs.Mesh(hs.Geometry({"position": CORNERS}, c(a)), RED)
        ),
        f"{how} model": (of(PLACE), lambda a, c=cell: draw(model=c(a))),
        f"{how} color input": (of([0, 1, 0, 1]), lambda a, c=cell: draw(color=c(a))),
        f"{how} instances": (of([PLACE, PLACE.copy()]), lambda a, c=cell: draw(instances={"model": c(a)})),
        f"{how} colors of instances": (
            of([(0, 1, 0, 1), (1, 1, 0, 1)], np.float32), lambda a, c=cell: draw(instances={"color": c(a)})
        ),
        f"{how} position": (of([0.5, 0, 0]), lambda a, c=cell: hs.Mesh(TRIANGLE, RED, position=c(a))),
        f"{how} quaternion": (of([0, 0, 0.6, 0.8]), lambda a, c=cell: hs.Mesh(TRIANGLE, RED, rotation=c(a))),
        f"{how} rotation": (of(np.diag([1, -1, 1])), lambda a, c=cell: hs.Group(hs.Mesh(TRIANGLE, RED), rotation=c(a))),
        f"{how} scale": (of([0.5, 2, 1]), lambda a, c=cell: hs.Mesh(TRIANGLE, RED, scale=c(a))),
        f"{how} transform": (of(PLACE), lambda a, c=cell: hs.Mesh(TRIANGLE, RED, transform=c(a))),
        f"{how} transform of a group": (of(PLACE), lambda a, c=cell: hs.Group(draw(), transform=c(a))),
        f"{how} assigned transform": (of(PLACE), lambda a, c=cell: placed(hs.Mesh(TRIANGLE, RED), "transform", c(a))),
        f"{how} color": (of([0.2, 0.4, 0.8]), lambda a, c=cell: hs.Mesh(TRIANGLE, hs.UnlitMaterial(c(a)))),
        f"{how} assigned color": (
            of([0.2, 0.4, 0.8]), lambda a, c=cell: hs.Mesh(TRIANGLE, placed(hs.UnlitMaterial(), "color", c(a)))
        ),
        f"{how} transform of a table": (of(PLACE), lambda a, c=cell: hs.Group(placed(table(), "transform", c(a)))),
    }  # fmt: skip
for name, value in {**table_values, "model": [PLACE, PLACE.copy()]}.items():
    MADE |= {
        f"column {name}": (of(value, None), lambda a, n=name: table(**{n: a})),
        f"column {name} of its own type": (
            of(value, {"visible": bool, "geometry": np.int32}.get(name, np.float32)),
            lambda a, n=name: table(**{n: a}),
        ),
        f"written {name}": (of(value, None), lambda a, n=name: written(n, a)),
        f"appended {name}": (of(value, None), lambda a, n=name: appended(n, a)),
    }
MADE["rows"] = (of([1, 0], int), lambda a: written("position", [(1, 0, 0), (0, 1, 0)], a))


@pytest.fixture(scope="module")
def renderer(device: Any) -> Any:
    with hs.Renderer((24, 24), samples=1, device=device) as renderer:
        yield renderer


def spoil(array: np.ndarray) -> None:
    array[...] = array[::-1].copy() if array.ndim > 1 and len(array) == 2 else 0
    array += np.asarray(1, array.dtype) if array.dtype != bool else array


@pytest.mark.parametrize("name", MADE)
def test_edits_of_an_array_that_was_handed_in_change_nothing(
    name: str, renderer: hs.Renderer
) -> None:
    new, show = MADE[name]
    array = new()
    assert array.flags.writeable
    item = show(array)
    scene = hs.Scene(item, hs.Mesh(TRIANGLE, hs.UnlitMaterial("blue"), position=(1, -1, -1)))
    before = renderer.render(scene, CAMERA)
    spoil(array)
    assert not np.array_equal(array, new())
    assert (renderer.render(scene, CAMERA) == before).all()
    # all is read again: by a scene of its own, and by one that it comes back to
    scene.remove(item)
    renderer.render(scene, CAMERA)
    scene.add(item)
    assert (renderer.render(scene, CAMERA) == before).all()
    with hs.Renderer((24, 24), samples=1, device=renderer.device) as other:
        assert (other.render(scene, CAMERA) == before).all()
    assert is_another(show, array, before, renderer)


def is_another(show: Any, array: np.ndarray, before: np.ndarray, renderer: hs.Renderer) -> bool:
    """Whether an edited array would have been seen: as another picture, or as an error."""
    try:
        scene = hs.Scene(
            show(array), hs.Mesh(TRIANGLE, hs.UnlitMaterial("blue"), position=(1, -1, -1))
        )
        return bool((renderer.render(scene, CAMERA) != before).any())
    except HeapsceneError:
        return True


@pytest.mark.parametrize("name", MADE)
def test_what_is_not_copied_cannot_be_edited(name: str, renderer: hs.Renderer) -> None:
    """Read-only arrays may be kept as they are; read-only views of others are copied."""
    new, show = MADE[name]
    base = new()
    view = base[...]
    view.flags.writeable = False
    scene = hs.Scene(show(view))
    before = renderer.render(scene, CAMERA)
    spoil(base)
    assert (renderer.render(scene, CAMERA) == before).all()
    guarded = new()
    guarded.flags.writeable = False
    assert (renderer.render(hs.Scene(show(guarded)), CAMERA) == before).all()
    with pytest.raises(ValueError, match="read-only"):
        guarded[...] = 0


class Lens:
    def __init__(self) -> None:
        given = CAMERA.matrices(1.0, np.zeros((2, 3)))
        self.view, self.proj, self.position = (array.copy() for array in given)


def lens_picture(lens: Any) -> Callable[[hs.Renderer], bytes]:
    scene = hs.Scene(hs.Mesh(TRIANGLE, RED))
    return lambda renderer: renderer.render(scene, lens).tobytes()


def anew(name: str) -> tuple[Any, Callable[[hs.Renderer], bytes]]:
    """Return an array that is read in every frame, and what it becomes."""
    if name == "frame input":
        array = np.array([0.1, 0.2, 0.3])
        inputs, camera = FrameInputs({"light": array}), CAMERA.matrices(1.0, np.zeros((2, 3)))
        return array, lambda _: inputs.pack(camera, {})
    if name == "changed frame input":
        array = np.array([0.1, 0.2, 0.3])
        inputs, camera = FrameInputs({"light": (0, 0, 0)}), CAMERA.matrices(1.0, np.zeros((2, 3)))
        inputs.pack(camera, {"light": array})
        return array, lambda _: inputs.pack(camera, {})
    lens = Lens()
    return getattr(lens, name), lens_picture(lens)


@pytest.mark.parametrize("name", ["view", "proj", "frame input", "changed frame input"])
def test_what_is_read_in_every_frame_follows(name: str, renderer: hs.Renderer) -> None:
    array, look = anew(name)
    before = look(renderer)
    assert look(renderer) == before
    array[0] *= 0.5
    assert look(renderer) != before
    array[0] *= 2.0
    assert look(renderer) == before


def test_an_adaptive_matrix_of_a_camera_is_a_copy(renderer: hs.Renderer) -> None:
    lens = Lens()
    mine = lens.view.copy()
    lens.view = hs.cval(mine)
    look = lens_picture(lens)
    before = look(renderer)
    mine[0] *= 0.5
    assert look(renderer) == before


def test_a_function_may_edit_and_return_the_same_array(renderer: hs.Renderer) -> None:
    """Somebody who saves an allocation: what depends on the result is told all the same."""
    step, place = hs.cval(0.0), np.eye(4)

    def moved(x: float) -> np.ndarray:
        place[0, 3] = x
        return place

    for aval in (step.map(moved), hs.computed(lambda: moved(step.value))):
        scene = hs.Scene(hs.Mesh(TRIANGLE, RED, transform=aval))
        seen = []
        for x in (-1.0, 0.0, 1.0):
            step.value = x
            seen.append(renderer.render(scene, CAMERA).tobytes())
        assert len(set(seen)) == 3
