"""Every example runs without a window, says what it is, and draws something."""

from __future__ import annotations

import operator
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heapscene as hs

pytestmark = pytest.mark.gpu

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
HEADER = re.compile(r"^# gallery: (image|none) +test: (run|off)( +budget: (.+))?$", re.MULTILINE)
WHITE, RED, BLUE = (255, 255, 255), (255, 0, 0), (0, 124, 255)

each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples write their picture where they are run."""
    monkeypatch.chdir(tmp_path)


@cache
def run(path: Path) -> dict[str, Any]:
    return runpy.run_path(str(path), run_name="__main__")


@each_example
def test_it_is_short_and_has_a_header(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 82
    assert HEADER.search(text), "no line '# gallery: image    test: run'"
    assert re.match(r'"""[^\n]+\n=+\n\n', text), "the docstring begins with an underlined title"


@each_example
def test_its_picture_shows_something(path: Path) -> None:
    image = run(path)["image"]
    assert image.dtype == np.uint8
    background = image[0, 0]
    covered = (image != background).any(axis=2).mean()
    assert 0.03 < covered < 0.97
    assert len(np.unique(image.reshape(-1, 4), axis=0)) >= 3


@each_example
def test_it_says_where_its_picture_goes(path: Path) -> None:
    last = path.read_text(encoding="utf-8").splitlines()[-1]
    assert last == f'hs.save_image("{path.stem}.png", image)'


@each_example
def test_it_keeps_its_budget(path: Path) -> None:
    found = HEADER.search(path.read_text(encoding="utf-8"))
    assert found
    for limit in (found[4] or "").split():
        name, most = limit.split("<=")
        assert operator.le(getattr(run(path)["report"], name), int(most)), limit


def test_a_draw_of_ones_own_and_a_scene_hide_each_other() -> None:
    image = run(FOLDER / "own_passes.py")["image"][..., :3].astype(int)
    height, width, _ = image.shape

    def at(x: float, y: float) -> tuple[int, ...]:
        return tuple(image[int(y * height), int(x * width)])

    assert at(0.02, 0.02) == WHITE
    assert at(0.5, 0.4) == RED  # the box alone
    assert at(0.1, 0.5) == BLUE  # the triangle alone, left of the box
    assert at(0.4, 0.5) == BLUE  # in front of the box
    assert at(0.6, 0.5) == RED  # behind it
    assert at(0.8, 0.5) == BLUE  # beside it, where it is small


def test_a_change_shows_where_it_was_made() -> None:
    found = run(FOLDER / "ten_thousand_boxes.py")
    differs = (found["before"] != found["image"]).any(axis=2).mean()
    assert 0 < differs < 0.02


def test_passes_that_share_a_heap_draw_what_one_draws() -> None:
    found = run(FOLDER / "shared_heap.py")
    draws = [hs.Draw(d.program, d.geometry, d.inputs) for d in found["depth_draws"]]
    with hs.Renderer(found["SIZE"], samples=1, background="white") as renderer:
        alone = renderer.render(draws, found["camera"])
    assert np.array_equal(found["image"], alone)
    assert found["heap"].stats()["scenes"] == 2
    assert found["heap"].stats()["entries"] < 1.1 * 2 * len(draws)
