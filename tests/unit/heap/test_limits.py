"""Colours of 255 and NaN are refused when an adaptive value becomes one, wherever it is read."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import DrawChange
from heapscene.errors import InputError
from heapscene.heap import DrawHeap, check
from heapscene.materials.unlit import unlit_fragment, unlit_vertex
from heapscene.shader import types

FRAME = {"view": types.MAT4, "proj": types.MAT4}
BAD = {"bytes": (255, 128, 0), "nan": (0.5, float("nan"), 0.5), "negative": (0, -0.1, 0, 1)}


def meshes(colors: list[hs.CVal]) -> hs.Scene:
    quad = hs.geometry.plane()
    return hs.Scene(*[hs.Mesh(quad, hs.UnlitMaterial(color=color)) for color in colors])


def filled(colors: list[hs.CVal]) -> DrawHeap:
    heap = DrawHeap(1 << 20, FRAME)
    heap.apply(meshes(colors).draw_reader().changes())
    return heap


def content(heap: DrawHeap) -> bytes:
    page = heap.pages[0]
    return page.data[: page.used].tobytes()


@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("kind", BAD)
def test_a_changed_colour_beyond_its_limits_is_refused(kind: str, count: int) -> None:
    colors = [hs.cval((0.1, 0.2, at / 100)) for at in range(50)]
    heap = filled(colors)
    before = content(heap)
    with hs.transact():
        for color in colors[1:count]:
            color.value = (0.9, 0.9, 0.9)
        colors[0].value = BAD[kind]
    with pytest.raises(InputError, match=r"color \(") as caught:
        heap.pull()
    assert "within 0 to 1" in str(caught.value)
    assert "cval(" in str(caught.value)
    assert ("Divide by 255" in str(caught.value)) == (kind == "bytes")
    check(heap)
    if count == 1:
        assert content(heap) == before
    with pytest.raises(InputError):  # asked again, as long as it stays wrong
        heap.pull()
    colors[0].value = (0.1, 0.2, 0.0)
    heap.pull()
    with hs.transact():
        for color in colors[1:count]:
            color.value = (0.1, 0.2, colors.index(color) / 100)
    heap.pull()
    assert content(heap) == before


@pytest.mark.parametrize("count", [1, 50])
def test_it_is_refused_when_it_arrives(count: int) -> None:
    colors = [hs.cval((0.1, 0.2, 0.3)) for _ in range(count)]
    colors[-1].value = (255, 0, 0)
    heap = DrawHeap(1 << 20, FRAME)
    with pytest.raises(InputError, match="within 0 to 1"):
        heap.apply(meshes(colors).draw_reader().changes())
    assert heap.draw_count == 0
    check(heap)


def test_numbers_of_a_light_have_to_be_finite() -> None:
    shininess = hs.cval(20.0)
    mesh = hs.Mesh(hs.geometry.box(), hs.PhongMaterial(shininess=shininess))
    heap = DrawHeap(1 << 20, {**FRAME, "light_direction": types.VEC3})
    heap.apply(hs.Scene(mesh).draw_reader().changes())
    shininess.value = 1000.0
    heap.pull()
    shininess.value = float("inf")
    with pytest.raises(InputError, match="not finite"):
        heap.pull()


def test_programs_of_ones_own_take_any_numbers() -> None:
    program = hs.UnlitMaterial().program
    free = hs.Program(unlit_vertex, unlit_fragment)
    assert free.hash != program.hash
    color = hs.cval((1.0, 1.0, 1.0, 1.0))
    heap = DrawHeap(1 << 20, FRAME)
    inputs = {"color": color, "model": np.eye(4)}
    heap.apply([DrawChange(None, hs.Draw(free, hs.geometry.plane(), inputs))])
    color.value = (7.0, 8.0, 9.0, 1.0)
    heap.pull()


def test_a_constant_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="Divide by 255"):
        hs.UnlitMaterial(color=hs.constant((255, 0, 0)))
