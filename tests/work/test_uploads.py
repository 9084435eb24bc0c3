"""Bytes and writes of changes in many places, counted."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs

pytestmark = pytest.mark.gpu

COUNT = 3_000
COLOR_BYTES = 16


@pytest.fixture(scope="module")
def colors():
    rng = np.random.default_rng(1)
    return [hs.cval(tuple(color)) for color in rng.random((COUNT, 3)).tolist()]


@pytest.fixture(scope="module")
def scene(colors):
    box = hs.geometry.box(0.5, 0.5, 0.5)
    return hs.Scene(
        *(
            hs.Mesh(box, hs.UnlitMaterial(color), position=(k % 60, k // 60, 0))
            for k, color in enumerate(colors)
        )
    )


@pytest.fixture(scope="module")
def renderer(device):
    with hs.Renderer((120, 120), samples=1, device=device) as renderer:
        yield renderer


def recolor(colors, places, seed):
    rng = np.random.default_rng(seed)
    with hs.transact():
        for place, color in zip(
            places.tolist(), rng.random((len(places), 3)).tolist(), strict=True
        ):
            colors[place].value = tuple(color)


@pytest.mark.parametrize("k", [1, 2, 25, 100, 1_000, COUNT])
def test_scattered_colours_cost_a_fifth_more_than_their_bytes(renderer, scene, colors, k):
    renderer.draw(scene)
    places = np.random.default_rng(k).permutation(COUNT)[:k]
    recolor(colors, places, k)
    report = renderer.draw(scene)
    assert k * COLOR_BYTES <= report.bytes_uploaded <= 1.2 * k * COLOR_BYTES + 4096
    assert report.bytes_uploaded <= 8 * k * COLOR_BYTES
    assert report.upload_writes <= 30
    assert report.compute_passes <= 1
    again = renderer.draw(scene)
    assert (again.bytes_uploaded, again.upload_writes, again.compute_passes) == (0, 0, 0)


def test_a_thousand_scattered_colours_are_one_write_and_one_pass(renderer, scene, colors):
    renderer.draw(scene)
    recolor(colors, np.random.default_rng(7).permutation(COUNT)[:1_000], 7)
    report = renderer.draw(scene)
    assert (report.upload_writes, report.compute_passes) == (1, 1)


def test_scattered_colours_show(renderer, scene, colors):
    renderer.draw(scene)
    recolor(colors, np.random.default_rng(8).permutation(COUNT)[:1_000], 8)
    changed = renderer.render(scene)
    with hs.Renderer((120, 120), samples=1, device=renderer.device) as other:
        assert np.array_equal(changed, other.render(scene))
