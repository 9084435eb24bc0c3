"""What messages advise is right: it names what was meant, or can be typed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import encode_rows, encode_value
from heapscene.errors import InputError, StateError
from heapscene.shader import BOOL, F32, MAT4, VEC3, VEC4

BOX = hs.geometry.box()


def table(**columns: Any) -> hs.DrawTable:
    return hs.DrawTable(hs.PhongMaterial(), BOX, columns)


def draw(inputs: dict[str, Any], **options: Any) -> hs.Draw:
    return hs.Draw(hs.PhongMaterial().program, BOX, inputs, **options)


def stored(color: str) -> Any:
    return np.frombuffer(encode_value(VEC4, color, "color"), np.float32)


def message(action: Any) -> str:
    with pytest.raises((InputError, StateError, AttributeError, TypeError)) as caught:
        action()
    return str(caught.value)


def test_colours_of_a_table_have_names() -> None:
    names = ["red", "#00ff00", "rgba(0, 0, 255, 0.5)"]
    made = table(position=np.zeros((3, 3)), color=names)
    assert np.array_equal(made["color"], [stored(name) for name in names])
    made.write("color", np.array(["white", "black"]), rows=[0, 1])
    assert made["color"][:2].tolist() == [[1, 1, 1, 1], [0, 0, 0, 1]]
    made.append({"position": np.zeros((2, 3)), "color": ("red", "white")})
    made.write("color", np.array(["tomato"] * 5, object))
    assert np.array_equal(made["color"], np.tile(stored("tomato"), (5, 1)))
    before = made["color"].copy()
    assert "'reed' is not a colour" in message(lambda: made.write("color", ["reed"] * 5))
    assert np.array_equal(made["color"], before)


def test_so_have_those_of_instances() -> None:
    rows = encode_rows(VEC4, ["red", "#00ff0080"], "tint").view(np.float32)
    assert rows.tolist() == [[1, 0, 0, 1], [0, 1, 0, pytest.approx(128 / 255)]]
    assert encode_rows(VEC3, ["red"], "tint").view(np.float32).tolist() == [[1, 0, 0]]
    with pytest.raises(InputError, match="'width' is a f32"):
        encode_rows(F32, ["red"], "width")


@pytest.mark.parametrize(
    ("columns", "hint"),
    [
        ({"position": np.zeros((5, 2))}, "shape (n, 3), as of numpy.zeros((10, 3))"),
        ({"color": [("red", 1)]}, 'or colour names: ["red", "#ff8000"]'),
        ({"color": ["red", (1, 0, 0)]}, 'or colour names: ["red", "#ff8000"]'),
        ({"scale": ["big", "small"]}, "shape (n,), as of numpy.zeros(10)"),
        ({"visible": np.array([0.0, 1.0])}, "Write visible.astype(bool)"),
        ({"geometry": np.array([0.0, 0.0])}, "Write geometry.astype(numpy.uint32)"),
        ({"geometry": [0, -1]}, "Give numbers in that range"),
        ({"colour": "red"}, "Did you mean 'color'?"),
        ({"postion": np.zeros(3)}, "Did you mean 'position'?"),
    ],
)
def test_what_to_do_about_a_column(columns: dict[str, Any], hint: str) -> None:
    text = message(lambda: table(**{"position": np.zeros((2, 3)), **columns}))
    assert hint in text
    assert "<f32>" not in text


def test_what_to_do_about_another_column() -> None:
    made = table(position=np.zeros((2, 3)), color="red")
    assert "Did you mean 'position'?" in message(lambda: made["positions"])
    assert "Did you mean 'color'?" in message(lambda: made.write("colour", "red"))


@pytest.mark.parametrize(
    ("color", "hint"),
    [
        ((255, 128, 0, 255), "Divide by 255"),
        ((3, 0, 0), "Divide by 255"),
        ((2.0, 0, 0), "Write finite numbers from 0 to 1"),
        ((100.5, 0, 0), "Write finite numbers from 0 to 1"),
        ((256, 0, 0), "Write finite numbers from 0 to 1"),
        ((1.5, 1, 1, 1), "Write finite numbers from 0 to 1"),
    ],
)
def test_only_bytes_are_to_be_divided(color: Any, hint: str) -> None:
    assert hint in message(lambda: hs.PhongMaterial(color=color))
    assert hint in message(lambda: table(position=np.zeros((1, 3)), color=[color]))


def test_an_example_of_a_colour_can_be_seen() -> None:
    text = message(lambda: draw({"color": 3}))
    assert "'color' is a vec4" in text
    example = eval(text.partition("Write color=")[2].partition(", or")[0])
    assert max(example[:3]) > 0.5
    assert example[3] == 1
    encode_value(VEC4, example, "color")


def test_swapped_arguments_of_a_table() -> None:
    text = message(lambda: hs.DrawTable(BOX, hs.PhongMaterial(), {"color": "red"}))  # pyright: ignore[reportArgumentType]
    assert "has to be a Program or a material" in text
    assert "Write DrawTable(hs.PhongMaterial(), geometry, columns={...})" in text
    assert "Write Draw(hs.Program" in message(lambda: hs.Draw(BOX, BOX))  # pyright: ignore[reportArgumentType]


def test_names_that_are_nearly_right() -> None:
    text = message(lambda: draw({"colr": "red"}))
    assert "Did you mean 'color'?" in text
    assert "color: vec4" in text
    assert "model: mat4" in text
    assert "<f32>" not in text
    assert "declare it" in message(lambda: draw({"qqqq": 1}))
    camera = hs.PerspectiveCamera()
    assert "Did you mean 'target'?" in message(lambda: setattr(camera, "targets", (0, 0, 0)))


@pytest.mark.parametrize(
    ("made", "name", "hint"),
    [
        (draw({}), "visible", "Draw(..., visible=cell)"),
        (hs.PipelineState(), "blend", "dataclasses.replace(state, blend=...)"),
    ],
)
def test_what_never_changes_says_what_does(made: Any, name: str, hint: str) -> None:
    before = getattr(made, name)
    text = message(lambda: setattr(made, name, False))
    assert hint in text
    assert getattr(made, name) is before


def test_types_are_spelled_as_in_python() -> None:
    for type_, name in ((BOOL, "bool"), (F32, "f32"), (VEC3, "vec3"), (MAT4, "mat4")):
        assert f"is a {name}," in message(lambda type_=type_: encode_value(type_, {}, "x"))
