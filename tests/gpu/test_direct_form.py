"""A compiled program in its direct form, drawn by the naive renderer, fills the pixels that it should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heapscene.adaptive import cval
from heapscene.draw import Draw, Geometry
from heapscene.geometry import box
from heapscene.shader import builtin, f32, fragment, mat4, struct, vec3, vec4, vertex
from heapscene.shader.program import Program
from reference.naive_renderer import NaiveRenderer

SIZE = (32, 16)


@struct
class Vertex:
    position: vec3
    normal: vec3
    color: vec4 = vec4(1.0, 1.0, 1.0, 1.0)


@struct
class Inputs:
    view: mat4
    model: mat4
    gain: f32 = f32(1.0)
    color: vec4


@struct
class Varyings:
    normal: vec3
    color: vec4
    clip: vec4 = builtin.position


@vertex
def place(a: Vertex, u: Inputs) -> Varyings:
    turned = u.model @ vec4(a.normal, 0.0)
    clip = u.view @ u.model @ vec4(a.position, 1.0)
    return Varyings(clip=clip, normal=turned.xyz, color=a.color)


@fragment
def shade(v: Varyings, u: Inputs) -> vec4:
    return vec4(u.color.xyz * v.color.xyz * (v.normal.z * u.gain), 1.0)


PROGRAM = Program(place, shade)

# Neither symmetric nor diagonal, and not commuting: a transposed or exchanged operand shows.
VIEW = np.array([[0.5, 0, 0, 0.25], [0, 0.5, 0, -0.25], [0, 0, -0.25, 0.5], [0, 0, 0, 1]])
MODEL = np.array([[1, 0, 0, -0.5], [0, 2, 0, 0.5], [0, 0, 1, 0], [0, 0, 0, 1]])
LINEAR = (0.25, 0.5, 1.0)


@pytest.fixture(params=[1, 4])
def picture(request: pytest.FixtureRequest, device: Any) -> Any:
    naive = NaiveRenderer(device)

    def draw(*draws: Draw) -> Any:
        return naive.render(draws, {"view": VIEW}, size=SIZE, samples=request.param)

    yield draw
    naive.close()


def is_close(pixels: Any, linear: tuple[float, float, float]) -> bool:
    """Whether pixels have this colour; drivers may round the sRGB curve to either side."""
    encoded = [1.055 * value ** (1 / 2.4) - 0.055 for value in linear]
    return bool(np.abs(pixels - 255 * np.array([*encoded, 1.0])).max() <= 1)


def covered(corners: Any) -> Any:
    """The pixels of the rectangle that ``view @ model`` makes of two corners."""
    points = np.concatenate([corners, np.ones((2, 1))], axis=1) @ (VIEW @ MODEL).T
    width, height = SIZE
    x = (points[:, 0] + 1) / 2 * width
    y = (1 - points[:, 1]) / 2 * height
    mask = np.zeros((height, width), bool)
    mask[round(min(y)) : round(max(y)), round(min(x)) : round(max(x))] = True
    return mask


def test_box(picture: Any) -> None:
    color = cval(LINEAR)
    draw = Draw(PROGRAM, box(), {"model": MODEL, "color": color})
    image = picture(draw)
    inside = covered(np.array([(-0.5, -0.5, 0.5), (0.5, 0.5, 0.5)]))
    assert 40 < inside.sum() < inside.size / 2
    assert (image[~inside] == 0).all()
    assert is_close(image[inside], LINEAR)
    color.value = (1.0, 0.5, 0.25)
    assert is_close(picture(draw)[inside], (1.0, 0.5, 0.25))


def test_triangle_without_indices(picture: Any) -> None:
    geometry = Geometry(
        {
            "position": [(-0.5, -0.5, 0), (0.5, -0.5, 0), (-0.5, 0.5, 0)],
            "normal": [(0, 0, 1)],
            "color": [(0.5, 1.0, 1.0)],
        }
    )
    image = picture(Draw(PROGRAM, geometry, {"model": MODEL, "color": LINEAR, "gain": 0.5}))
    rectangle = covered(np.array([(-0.5, -0.5, 0.0), (0.5, 0.5, 0.0)]))
    rows, columns = np.nonzero(rectangle)
    corner = image[rows.max(), columns.min()]  # where the right angle is
    assert is_close(corner, (0.0625, 0.25, 0.5))
    assert (image[rows.min(), columns.max()] == 0).all()
    assert (image[~rectangle] == 0).all()
