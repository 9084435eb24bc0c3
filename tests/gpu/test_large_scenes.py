"""A scene of any size draws right, in as many draw calls as said, and in little more memory than needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
GEOMETRY = 2_000_000_000
LEAST_FREE = 12 * 10**9


def draw(cells: int, vertices: int, **options: Any) -> dict[str, Any]:
    """Draw the scene in a process of its own; return what it printed.

    With threads, llvmpipe holds 36 MB for each part of a picture that waits for them: one to three, as it happens.
    """
    command = [sys.executable, "-m", "reference.large_scene", str(cells), str(vertices)]
    path = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS), *sys.path])
    done = subprocess.run(
        [*command, json.dumps(options)],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": path, "LP_NUM_THREADS": "0"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def free_bytes() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return 1024 * int(dict(line.split(":") for line in lines)["MemAvailable"].split()[0])


def test_each_object_is_drawn_where_it_belongs() -> None:
    found = draw(8, 600, page_bytes=2**20)
    assert found["wrong_pixels"] == 0
    assert found["colors"] == 64
    assert found["pages"] == 6
    assert found["draw_calls"] == 6 * 2 * 2


@pytest.mark.long
@pytest.mark.timeout(600)
def test_two_gigabytes_of_geometry() -> None:
    """They are held three times: as the user's geometry, in pages, and by the (software) GPU."""
    free = free_bytes()
    if free < LEAST_FREE:
        pytest.skip(f"{free / 1e9:.1f} GB are free of {LEAST_FREE / 1e9:.0f}")
    found = draw(32, 14_976)
    print(found)
    assert found["geometry_bytes"] >= GEOMETRY
    assert found["wrong_pixels"] == 0
    assert found["colors"] == 32 * 32
    assert found["pages"] == 16
    assert found["draw_calls"] == 2 * found["pages"] * 2
    ratio = found["peak_bytes"] / found["geometry_bytes"]
    print(f"peak: {ratio:.2f} of the geometry")
    assert ratio <= 3.2
