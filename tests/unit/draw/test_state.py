"""Pipeline states compare by value and refuse what cannot be drawn."""

from __future__ import annotations

import pytest

from heapscene.draw import PipelineState
from heapscene.errors import StateError


def test_equal_values_are_equal_states() -> None:
    a, b = PipelineState(cull_mode="back"), PipelineState(cull_mode="back")
    assert a == b
    assert hash(a) == hash(b)
    assert a.key == b.key
    assert a != PipelineState()


def test_key_is_reversible_and_exact() -> None:
    state = PipelineState(
        topology="line-list", depth_compare="always", depth_bias=3, write_mask="rg", blend="alpha"
    )
    assert PipelineState(*state.key) == state


@pytest.mark.parametrize("topology", ["triangle-strip", "line-strip"])
def test_strips_are_refused_with_the_reason(topology: str) -> None:
    with pytest.raises(StateError, match="share one draw call") as caught:
        PipelineState(topology=topology)  # pyright: ignore[reportArgumentType]
    assert topology.replace("strip", "list") in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"topology": "quads"},
        {"cull_mode": "both"},
        {"front_face": "left"},
        {"depth_compare": "smaller"},
        {"blend": "screen"},
        {"write_mask": "rgbx"},
    ],
)
def test_unknown_values_are_refused_by_name(wrong: dict[str, str]) -> None:
    (name, value), *_ = wrong.items()
    with pytest.raises(StateError, match=name) as caught:
        PipelineState(**wrong)  # pyright: ignore[reportArgumentType]
    assert repr(value) in str(caught.value)
