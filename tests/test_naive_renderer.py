"""The naive renderer against pictures that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from heapscene.draw import Draw, Geometry, PipelineState
from heapscene.shader import Interface
from heapscene.shader.types import F32, MAT2, MAT3, MAT4, U32, VEC2, VEC3, VEC4, Matrix
from reference.naive_renderer import NaiveRenderer, pack_uniform, uniform_layout

# The direct form of a small program, written by hand: whether the twin is right must not depend on
# the compiler.
WGSL = """
struct Inputs {
    color: vec4<f32>,
    gain: f32,
    model: mat4x4<f32>,
    offset: vec2<f32>,
}
@group(0) @binding(0) var<uniform> inputs: Inputs;
struct Varyings { @builtin(position) clip: vec4<f32>, @location(0) tint: vec4<f32> }
@vertex fn vertex_main(
    @location(0) position: vec3<f32>, @location(1) shade: vec4<f32>
) -> Varyings {
    var result: Varyings;
    let moved = inputs.model * vec4<f32>(position, 1.0);
    result.clip = vec4<f32>(moved.xy + inputs.offset, moved.z, moved.w);
    result.tint = inputs.color * inputs.gain * shade;
    return result;
}
@fragment fn fragment_main(varyings: Varyings) -> @location(0) vec4<f32> { return varyings.tint; }
"""


INTERFACE = Interface(
    attributes={"shade": VEC4, "position": VEC3},
    inputs={"model": MAT4, "color": VEC4, "offset": VEC2, "gain": F32},
    attribute_defaults={"shade": (1.0, 1.0, 1.0, 1.0)},
    input_defaults={"gain": 1.0},
)


@dataclass(frozen=True)
class HandWritten:
    hash: str = "by hand"
    wgsl: str = WGSL
    interface: Interface = INTERFACE


SIZE = (16, 8)
PROGRAM = HandWritten()
QUAD = Geometry({"position": [(-1, -1, 0), (0, -1, 0), (0, 1, 0), (-1, 1, 0)]}, [0, 1, 2, 0, 2, 3])
RED, GREEN = (255, 0, 0, 255), (0, 255, 0, 255)
FRAME = {"model": np.eye(4), "offset": (0.0, 0.0), "color": (1, 0, 0)}


@pytest.fixture(params=[1, 4])
def picture(request: pytest.FixtureRequest, device: Any) -> Iterator[Any]:
    """A function from draws, frame and options to a picture; all is drawn at 1 and at 4 samples."""
    naive = NaiveRenderer(device)
    yield partial(naive.render, size=SIZE, samples=request.param)
    naive.close()


def left_and_right(image: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The colours of the two halves, each of which has to be of one colour."""
    halves = image[:, :8].reshape(-1, 4), image[:, 8:].reshape(-1, 4)
    for half in halves:
        assert (half == half[0]).all()
    left, right = (tuple(int(channel) for channel in half[0]) for half in halves)
    return left, right


def test_half_the_picture_is_covered(picture: Any) -> None:
    image = picture([Draw(PROGRAM, QUAD)], FRAME)
    assert image.shape == (8, 16, 4)
    assert image.dtype == np.uint8
    assert left_and_right(image) == (RED, (0, 0, 0, 0))


def test_translation_is_in_the_last_column(picture: Any) -> None:
    model = np.eye(4)
    model[0, 3] = 1
    image = picture([Draw(PROGRAM, QUAD, {"model": model})], FRAME)
    assert left_and_right(image) == ((0, 0, 0, 0), RED)


def test_draw_wins_over_frame_and_frame_over_default(picture: Any) -> None:
    draw = Draw(PROGRAM, QUAD, {"color": "#00ff00"})
    assert left_and_right(picture([draw], FRAME))[0] == GREEN
    assert left_and_right(picture([draw], {**FRAME, "gain": 0.0}))[0] == (0, 0, 0, 0)


def test_missing_input_is_named(picture: Any) -> None:
    with pytest.raises(KeyError, match="offset"):
        picture([Draw(PROGRAM, QUAD)], {"model": np.eye(4), "color": (1, 0, 0)})


def test_first_of_two_coincident_draws_wins(picture: Any) -> None:
    draws = [Draw(PROGRAM, QUAD, {"color": (1, 0, 0)}), Draw(PROGRAM, QUAD, {"color": (0, 1, 0)})]
    assert left_and_right(picture(draws, FRAME))[0] == RED
    assert left_and_right(picture(draws[::-1], FRAME))[0] == GREEN
    last = [replace(draw, state=PipelineState(depth_compare="less-equal")) for draw in draws]
    assert left_and_right(picture(last, FRAME))[0] == GREEN


def test_instances_have_values_of_their_own(picture: Any) -> None:
    draw = Draw(
        PROGRAM,
        QUAD,
        instances={
            "offset": np.array([(0, 0), (1, 0)], float),
            "color": np.array([(1, 0, 0), (0, 1, 0)]),
        },
        instance_count=2,
    )
    assert left_and_right(picture([draw], FRAME)) == (RED, GREEN)
    one = replace(draw, instance_count=1, instances={"offset": [(1.0, 0.0)]})
    assert left_and_right(picture([one], FRAME)) == ((0, 0, 0, 0), RED)


@pytest.mark.parametrize("nothing", [{"visible": False}, {"instance_count": 0}])
def test_hidden_draws_draw_nothing(picture: Any, nothing: dict[str, Any]) -> None:
    assert not picture([Draw(PROGRAM, QUAD, **nothing)], FRAME).any()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, None])
def test_index_kinds_and_ranges(picture: Any, kind: Any) -> None:
    corners = np.array([(-1, -1, 0), (0, -1, 0), (0, 1, 0), (-1, 1, 0)], float)
    order = np.array([3, 3, 3, 0, 1, 2, 0, 2, 3, 1, 1])
    geometry = (
        Geometry({"position": corners[order]}, range=(3, 6))
        if kind is None
        else Geometry({"position": corners}, order.astype(kind), range=(3, 6))
    )
    assert left_and_right(picture([Draw(PROGRAM, geometry)], FRAME))[0] == RED


def test_one_row_serves_all_vertices(picture: Any) -> None:
    geometry = Geometry(
        {"position": QUAD.read_attributes()["position"], "shade": [(0.0, 0.0, 0.0)]},
        QUAD.read_indices(),
    )
    assert left_and_right(picture([Draw(PROGRAM, geometry)], FRAME))[0] == (0, 0, 0, 255)


@pytest.mark.parametrize(
    ("state", "left"),
    [
        (PipelineState(cull_mode="back"), RED),
        (PipelineState(cull_mode="front"), (0, 0, 0, 0)),
        (PipelineState(cull_mode="front", front_face="cw"), RED),
        (PipelineState(depth_compare="never"), (0, 0, 0, 0)),
        (PipelineState(write_mask="a"), (0, 0, 0, 255)),
        (PipelineState(blend="alpha"), RED),
    ],
)
def test_states(picture: Any, state: PipelineState, left: tuple[int, ...]) -> None:
    assert left_and_right(picture([Draw(PROGRAM, QUAD, state=state)], FRAME))[0] == left


def test_background_is_linear(picture: Any) -> None:
    # 1.055 * 0.21 ** (1 / 2.4) - 0.055 = 0.4958, and 0.4958 * 255 = 126.4
    image = picture([], {}, background=(0.21, 0.0, 1.0, 0.8))
    assert left_and_right(image)[0] == (126, 0, 255, 204)


def test_uniform_layout_follows_wgsl() -> None:
    # Worked out by hand from "Alignment and Size" of the WGSL specification.
    inputs = {
        "a": F32,
        "b": VEC3,
        "c": F32,
        "d": VEC2,
        "e": MAT3,
        "f": MAT2,
        "g": Matrix(2, 3),
        "h": U32,
    }
    offsets, size = uniform_layout(inputs)
    assert offsets == {"a": 0, "b": 16, "c": 28, "d": 32, "e": 48, "f": 96, "g": 112, "h": 144}
    assert size == 160


def test_matrices_are_packed_by_columns() -> None:
    packed = np.frombuffer(
        pack_uniform({"m": Matrix(2, 3)}, {"m": [(1, 2), (3, 4), (5, 6)]}), "<f4"
    )
    assert packed.tolist() == [1, 3, 5, 0, 2, 4, 6, 0]
