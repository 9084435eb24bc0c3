"""Frame inputs: packed, kept, and refused as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import CameraMatrices
from heapscene.errors import InputError
from heapscene.render.frame_inputs import FrameInputs

CAMERA = CameraMatrices(np.eye(4), np.eye(4), np.zeros(3))


def test_new_values_are_kept() -> None:
    inputs = FrameInputs({"light": (1.0, 2.0, 3.0)})
    first = inputs.pack(CAMERA, {})
    later = inputs.pack(CAMERA, {"time": 2.0, "light": (3.0, 2.0, 1.0)})
    assert later != first
    assert inputs.pack(CAMERA, {}) == later


@pytest.mark.parametrize("changes", [{"time": "noon"}, {"nothing": 1.0}, {"light": (1.0, 2.0)}])
def test_a_refused_value_changes_nothing(changes: dict[str, Any]) -> None:
    inputs = FrameInputs({"light": (1.0, 2.0, 3.0)})
    before = inputs.pack(CAMERA, {})
    with pytest.raises(InputError):
        inputs.pack(CAMERA, {"viewport": (5, 5), **changes})
    assert inputs.pack(CAMERA, {}) == before


@pytest.mark.parametrize("extra", [{"time": "noon"}, {"light": "red"}, {"viewport": (1, 2, 3)}])
def test_a_bad_value_is_refused_where_it_is_given(extra: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        FrameInputs(extra)


def test_the_viewport_may_be_adaptive() -> None:
    size = cval((80, 60))
    inputs = FrameInputs({"viewport": size})
    assert inputs.viewport == (80, 60)
    before = inputs.pack(CAMERA, {})
    size.value = (60, 80)
    assert inputs.viewport == (60, 80)
    assert inputs.pack(CAMERA, {}) != before


def test_arrays_that_were_written_into_are_packed_again() -> None:
    light = np.array([1.0, 2.0, 3.0])
    inputs = FrameInputs({"light": light})
    camera = CameraMatrices(np.eye(4), np.eye(4), np.zeros(3))
    before = inputs.pack(camera, {})
    light[0] = 5.0
    lit = inputs.pack(camera, {})
    camera.view[0, 3] = 7.0
    assert len({before, lit, inputs.pack(camera, {})}) == 3


def test_what_did_not_change_is_not_packed_again() -> None:
    inputs = FrameInputs({"light": (1.0, 2.0, 3.0)})
    first = inputs.pack(CAMERA, {"viewport": (8, 6)})
    again = CameraMatrices(np.eye(4), np.eye(4), np.zeros(3))
    assert inputs.pack(again, {"viewport": (8, 6)}) is first
    assert inputs.pack(again, {}) is first
    assert inputs.pack(again, {"viewport": (6, 8)}) != first
