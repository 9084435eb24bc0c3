"""A draw checks its values when it is made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import Draw, Geometry, PipelineState, checked_draw, rgba
from heapscene.errors import InputError
from heapscene.shader import Interface
from heapscene.shader.types import F32, MAT4, VEC3, VEC4

INTERFACE = Interface(
    attributes={"position": VEC3}, inputs={"color": VEC4, "model": MAT4, "size": F32}
)


@dataclass(frozen=True)
class Stand:
    """What a draw needs of a program."""

    hash: str = "stand"
    interface: Interface = INTERFACE


PROGRAM = Stand()
TRIANGLE = Geometry({"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)]})


def test_draws_are_frozen_and_compare_by_identity() -> None:
    a, b = Draw(PROGRAM, TRIANGLE), Draw(PROGRAM, TRIANGLE)
    assert a != b
    assert len({a, b}) == 2
    with pytest.raises(FrozenInstanceError):
        a.visible = False  # pyright: ignore[reportAttributeAccessIssue]


def test_unknown_inputs_are_refused_with_the_list() -> None:
    with pytest.raises(InputError, match="no input named 'colour'") as caught:
        Draw(PROGRAM, TRIANGLE, {"colour": "red"})
    assert "color: vec4" in str(caught.value)
    with pytest.raises(InputError, match="colour"):
        Draw(PROGRAM, TRIANGLE, instances={"colour": [(1, 0, 0, 1)]})


@pytest.mark.parametrize("inputs", [{"color": (1, 2)}, {"model": np.eye(3)}, {"size": "large"}])
def test_wrong_values_are_refused_at_once(inputs: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Draw(PROGRAM, TRIANGLE, inputs)


def test_adaptive_values_are_not_read() -> None:
    Draw(PROGRAM, TRIANGLE, {"color": cval("not asked yet")})


def test_instances_need_a_row_each_or_one_for_all() -> None:
    Draw(PROGRAM, TRIANGLE, instances={"size": [1.0, 2.0]}, instance_count=2)
    Draw(PROGRAM, TRIANGLE, instances={"size": [1.0]}, instance_count=5)
    Draw(PROGRAM, TRIANGLE, instances={"size": [1.0, 2.0, 3.0]}, instance_count=cval(2))
    with pytest.raises(InputError, match="3 rows for 2 instances"):
        Draw(PROGRAM, TRIANGLE, instances={"size": [1.0, 2.0, 3.0]}, instance_count=2)
    with pytest.raises(InputError, match="rows"):
        Draw(PROGRAM, TRIANGLE, instances={"size": [1.0, 2.0]}, instance_count=cval(3))


def test_a_name_is_given_once() -> None:
    with pytest.raises(InputError, match="both"):
        Draw(PROGRAM, TRIANGLE, {"size": 1.0}, instances={"size": [1.0]})


def test_rules_are_refused_until_they_work() -> None:
    with pytest.raises(InputError, match="rules"):
        Draw(PROGRAM, TRIANGLE, rules={"visible": lambda: True})


def test_colours() -> None:
    assert rgba("red") == (1, 0, 0, 1)
    assert rgba("#00ff0080") == pytest.approx((0, 1, 0, 128 / 255))
    with pytest.raises(InputError, match="reddish"):
        rgba("reddish")


@pytest.mark.parametrize(
    "wrong",
    [
        {"geometry": "no geometry"},
        {"state": "back"},
        {"instance_count": -1},
        {"instance_count": 2**40},
        {"instance_count": 1.5},
    ],
)
def test_a_part_of_another_kind_is_refused_at_once(wrong):
    name = next(iter(wrong))
    parts = {"geometry": Geometry({"position": [(0, 0, 0)]}), "inputs": {}} | wrong
    with pytest.raises(InputError, match=name):
        Draw(PROGRAM, **parts)


def test_what_a_draw_was_given_cannot_be_edited():
    given, rows = {"color": (1, 0, 0), "model": np.eye(4)}, {"size": [1.0, 2.0]}
    geometry = Geometry({"position": np.eye(3)})
    draw = Draw(PROGRAM, geometry, given, rows, instance_count=2)
    plain = checked_draw(PROGRAM, geometry, {"color": (1, 0, 0)}, True, PipelineState())
    for one in (draw, plain, replace(draw, visible=False)):
        for values in (one.inputs, one.instances):
            with pytest.raises(TypeError):
                values["color"] = (0, 1, 0)  # pyright: ignore[reportIndexIssue]
            with pytest.raises(TypeError):
                del values["color"]  # pyright: ignore[reportIndexIssue]
    given["color"] = (0, 0, 1)
    rows.clear()
    assert draw.inputs["color"] == (1, 0, 0)
    assert draw.instances["size"] == (1.0, 2.0)


def test_a_draw_is_shown_on_one_short_line():
    geometry = Geometry({"position": np.zeros((30, 3))})
    inputs = {"model": np.diag([3.14159, 2.71828, 1.41421, 1]), "color": cval("red", name="paint")}
    text = repr(Draw(PROGRAM, geometry, inputs))
    assert len(text) <= 120
    assert "\n" not in text
    assert "model, color=cval('red', name='paint')" in text
