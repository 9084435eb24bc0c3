"""A matrix that says where something is has the last row 0, 0, 0, 1, wherever it comes from.

The transposed matrix, with the translation in its last row, is the mistake of everybody once. It
would be drawn as a wrong picture without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import DrawChange, encode_place, encode_places
from heapscene.errors import InputError
from heapscene.heap import DrawHeap, check
from heapscene.shader import Interface, types
from reference.heap import FakeProgram

PLACE = np.array([(0.5, 0, 0, -1), (0, 0.5, 0, 0.25), (0, 0, 0.5, 0), (0, 0, 0, 1.0)])
NEXT = np.array([(0.5, 0, 0, 0.75), (0, 0.5, 0, 0.5), (0, 0, 1, 0), (0, 0, 0, 1.0)])
NAN = np.where(np.eye(4) == 1, PLACE, np.nan)
WRONG = {
    "transposed": PLACE.T,
    "scaled as a whole": 2 * PLACE,
    "NaN": NAN,
    "infinite": np.diag([np.inf, 1, 1, 1]),
}
ROW_IS_KEPT = ("NaN", "infinite")
"""What rows of tables and instances may hold, as positions may: it is not seen."""
CAMERA = hs.PerspectiveCamera(position=(0, 0, 5), near=0.1, far=100)
BOX = hs.geometry.box()
RED = hs.UnlitMaterial("red")


def table(model: Any, **options: Any) -> hs.DrawTable:
    return hs.DrawTable(RED, BOX, {"model": model}, **options)


def draw(model: Any) -> hs.Draw:
    return hs.Draw(RED.program, BOX, {"model": model, "color": (1, 0, 0, 1)})


def instances(models: Any, count: int = 2) -> hs.Draw:
    return hs.Draw(RED.program, BOX, {"color": (1, 0, 0, 1)}, {"model": models}, count)


def assigned(node: Any, matrix: Any) -> None:
    node.transform = matrix


GIVEN: dict[str, Callable[[Any], Any]] = {
    "mesh": lambda m: hs.Mesh(BOX, RED, transform=m),
    "group": lambda m: hs.Group(transform=m),
    "assigned": lambda m: assigned(hs.Mesh(BOX, RED), m),
    "constant": lambda m: hs.Mesh(BOX, RED, transform=hs.constant(m)),
    "input": draw,
    "table": lambda m: table([PLACE], transform=m),
    "assigned to a table": lambda m: assigned(table([PLACE]), m),
}
ROWS: dict[str, Callable[[Any], Any]] = {
    "column": lambda m: table([PLACE, m]),
    "one for all": table,
    "column of float32": lambda m: table(np.array([PLACE, m], np.float32)),
    "written": lambda m: table([PLACE] * 3).write("model", [m], [1]),
    "appended": lambda m: table([PLACE]).append({"model": [PLACE, m]}),
    "instances": lambda m: instances([PLACE, m]),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", [*GIVEN, *ROWS])
def test_it_is_refused_where_it_is_given(way: str, wrong: str) -> None:
    make = {**GIVEN, **ROWS}[way]
    make(PLACE)
    if way in ROWS and wrong in ROW_IS_KEPT:
        make(WRONG[wrong])
        return
    with pytest.raises(InputError, match="cannot be used") as caught:
        make(WRONG[wrong])
    text = str(caught.value)
    name = "model" if way in (*ROWS, "input") else "transform"
    assert text.startswith(f"this {name} ")
    assert ("matrix.T: the translation" in text) == (wrong == "transposed")
    assert f"{WRONG[wrong][0, 0]:8.4g}" in text
    assert ("row 1" in text) == (way in ("column", "column of float32", "appended", "instances"))


def test_a_table_that_refuses_rows_is_as_it_was() -> None:
    rows = table([PLACE, NEXT])
    news = rows.news.force()
    with pytest.raises(InputError):
        rows.write("model", [NEXT, PLACE.T])
    with pytest.raises(InputError):
        rows.append({"model": [PLACE.T]})
    assert rows["model"].tolist() == np.array([PLACE, NEXT], np.float32).tolist()
    assert (len(rows), rows.news.force()) == (2, news)


LATER: dict[str, Callable[[Any], Any]] = {
    "mesh": lambda m: hs.Mesh(BOX, RED, transform=m),
    "mesh in a group": lambda m: hs.Group(hs.Mesh(BOX, RED, transform=m), position=(0, 0.5, 0)),
    "group": lambda m: hs.Group(hs.Mesh(BOX, RED), transform=m),
    "group in a group": lambda m: hs.Group(
        hs.Group(hs.Mesh(BOX, RED, position=(0, 1, 0)), transform=m), scale=hs.cval(0.5)
    ),
    "computed": lambda m: hs.Mesh(BOX, RED, transform=m.map(lambda matrix: matrix.copy())),
    "input": draw,
    "input below a group": lambda m: hs.Group(draw(m), position=(0, 0.5, 0)),
    "many inputs": lambda m: hs.Group(*[draw(m.map(np.copy)) for _ in range(20)]),
    "table": lambda m: table([PLACE], transform=m),
    "table below a group": lambda m: hs.Group(table([PLACE], transform=m), transform=m),
    "instances": lambda m: instances(m.map(lambda matrix: np.array([NEXT, matrix]))),
}


@pytest.fixture(scope="module")
def renderer(device: Any) -> Any:
    with hs.Renderer((24, 24), samples=1, device=device) as renderer:
        yield renderer


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", LATER)
def test_it_is_refused_by_the_frame_that_reads_it(
    way: str, wrong: str, renderer: hs.Renderer
) -> None:
    matrix, color = hs.cval(PLACE), hs.cval("blue")
    beside = hs.Mesh(BOX, hs.UnlitMaterial(color), position=(0, -1, 0))
    scene = hs.Scene(beside, LATER[way](matrix))
    before = renderer.render(scene, CAMERA)
    order = renderer.order(scene)
    with hs.transact():
        matrix.value, color.value = WRONG[wrong], "lime"
    if way == "instances" and wrong in ROW_IS_KEPT:
        renderer.render(scene, CAMERA)
        matrix.value = NEXT
    else:
        for _ in range(3):
            with pytest.raises(InputError, match="cannot be used") as caught:
                renderer.render(scene, CAMERA)
        assert ("matrix.T: the translation" in str(caught.value)) == (wrong == "transposed")
        assert f"{WRONG[wrong][0, 0]:8.4g}" in str(caught.value)
        (note,) = caught.value.__notes__
        kinds = (
            ("of     DrawTable",)
            if "table" in way
            else ("of     Mesh(", "of     Group(", "of     Draw(")
        )
        assert any(kind in note for kind in kinds) or ("group" in way and "of     Group(" in note)
        assert renderer.order(scene) == order
        assert {fault.check for fault in renderer.validate().faults} == set()
        matrix.value = NEXT
    after = renderer.render(scene, CAMERA)
    assert (after != before).any()
    fresh = hs.Scene(
        hs.Mesh(BOX, hs.UnlitMaterial("lime"), position=(0, -1, 0)), LATER[way](hs.cval(NEXT))
    )
    assert (after == renderer.render(fresh, CAMERA)).all()


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", LATER)
def test_it_is_refused_when_it_arrives(way: str, wrong: str, renderer: hs.Renderer) -> None:
    if way == "instances" and wrong in ROW_IS_KEPT:
        return
    matrix = hs.cval(WRONG[wrong])
    scene = hs.Scene(hs.Mesh(BOX, RED, position=(0, -1, 0)))
    before = renderer.render(scene, CAMERA)
    scene.add(LATER[way](matrix))
    for _ in range(2):
        with pytest.raises(InputError, match="cannot be used"):
            renderer.render(scene, CAMERA)
    matrix.value = NEXT
    assert (renderer.render(scene, CAMERA) != before).any()
    assert renderer.validate().ok


@pytest.mark.parametrize("name", ["place", "transform"])
def test_other_matrices_of_a_program_may_be_anything(name: str) -> None:
    face = Interface({"position": types.VEC3}, {name: types.MAT4, "model": types.MAT3})
    program = FakeProgram("free", face)
    heap = DrawHeap(65536, {})
    cell = hs.cval(PLACE.T)
    item = hs.Draw(program, BOX, {name: cell, "model": np.arange(9).reshape(3, 3)})
    heap.apply([DrawChange(None, item)])
    cell.value = NAN
    heap.pull()


def test_a_value_is_held_to_what_each_of_its_inputs_asks_for() -> None:
    """One adaptive matrix as an input that takes all and as one that does not."""
    face = Interface({"position": types.VEC3}, {"any": types.MAT4, "model": types.MAT4})
    program = FakeProgram("both", face)
    cell = hs.cval(PLACE)
    heap = DrawHeap(65536, {})
    heap.apply([DrawChange(None, hs.Draw(program, BOX, {"any": cell, "model": cell}))])
    cell.value = PLACE.T
    with pytest.raises(InputError, match="this model"):
        heap.pull()
    check(heap)
    cell.value = NEXT
    heap.pull()
    check(heap)


@pytest.mark.parametrize("wrong", ["transposed", "scaled as a whole"])
def test_the_view_of_a_camera_is_a_place_as_well(wrong: str, renderer: hs.Renderer) -> None:
    class Lens:
        proj = np.eye(4)
        view = WRONG[wrong]

    with pytest.raises(InputError, match="this view cannot be used"):
        renderer.render(hs.Scene(hs.Mesh(BOX, RED)), Lens())


def test_few_values_and_many_are_held_to_the_same() -> None:
    rng = np.random.default_rng(3)
    for kind in range(6):
        good = rng.normal(size=(20, 4, 4))
        good[:, 3] = (0, 0, 0, 1)
        values: list[Any] = list(good)
        values[7] = [
            good[7], good[7].astype(np.float32), good[7].tolist(), 1e300 * good[7] + 0 * NEXT,
            np.diag([3, -2, 5, 1]), np.asfortranarray(good[7]),
        ][kind]  # fmt: skip
        values[7] = np.where(np.arange(4)[:, None] < 3, values[7], NEXT) if kind == 3 else values[7]
        each = b"".join(encode_place(value, "model") for value in values)
        assert encode_places(values, "model", values).tobytes() == each
        for wrong in WRONG.values():
            values[11] = wrong
            with pytest.raises(InputError, match="this model cannot") as caught:
                encode_places(values, "model", [f"value {k}" for k in range(20)])
            assert "value 11" in str(caught.value)
            assert f"{wrong[0, 0]:8.4g}" in str(caught.value)
