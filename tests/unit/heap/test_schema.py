from __future__ import annotations

import pytest

from heapscene.errors import InputError
from heapscene.heap.schema import make_schema
from heapscene.shader import Interface, types
from reference.heap import FakeProgram

PROGRAM = FakeProgram(
    "hash",
    Interface(
        {"position": types.VEC3, "normal": types.VEC3},
        {"view": types.MAT4, "color": types.VEC4, "model": types.MAT4, "time": types.F32},
        input_defaults={"color": (1, 0, 0, 1), "time": 0.0},
    ),
)
FRAME = {"view": types.MAT4, "time": types.F32}


def names(schema):
    return [(field.name, field.kind, field.word) for field in schema.fields]


def test_attributes_come_first_and_all_is_sorted():
    schema = make_schema(PROGRAM, ["model"], FRAME)
    assert names(schema) == [
        ("normal", "attribute", 0),
        ("position", "attribute", 2),
        ("color", "input", 4),
        ("model", "input", 6),
    ]
    assert schema.row_words == 8
    assert schema.frame_names == ("time", "view")


def test_a_binding_of_the_draw_wins():
    schema = make_schema(PROGRAM, ["model", "view", "time"], FRAME)
    assert schema.frame_names == ()
    assert [field.name for field in schema.inputs] == ["color", "model", "time", "view"]


def test_the_frame_wins_over_a_default():
    assert "time" in make_schema(PROGRAM, ["model"], FRAME).frame_names
    schema = make_schema(PROGRAM, ["model"], {"view": types.MAT4})
    assert "time" in [field.name for field in schema.inputs]


def test_what_nobody_gives_is_named():
    with pytest.raises(InputError, match=r"'model'[\s\S]*time, view[\s\S]*model: mat4"):
        make_schema(PROGRAM, ["color"], FRAME)


def test_the_frame_has_to_have_the_type():
    with pytest.raises(InputError, match=r"'time'[\s\S]*vec2<f32>"):
        make_schema(PROGRAM, ["model"], {**FRAME, "time": types.VEC2})
