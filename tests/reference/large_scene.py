"""A scene of any size whose picture is known: run it in a process of its own to see what memory it takes.

A square of cells, one for each object. An object has about 2 MB of vertices of 140 bytes; its first six cover
its cell, all others lie inside. Its colour is the sum of eight attributes, which are its own.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import heapscene as hs
from heapscene.gpu import request_device
from heapscene.shader import builtin, fragment, struct, vec3, vec4, vertex

ROW = 140  # bytes of a vertex
CELL = 4  # pixels
CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]], np.float32)
PARTS = "abcdefgh"


@struct
class Attributes:
    position: vec3
    a: vec4
    b: vec4
    c: vec4
    d: vec4
    e: vec4
    f: vec4
    g: vec4
    h: vec4


@struct
class Where:
    offset: vec3


@struct
class Placed:
    clip: vec4 = builtin.position
    color: vec4


@vertex
def place(v: Attributes, u: Where) -> Placed:
    color = v.a + v.b + v.c + v.d + v.e + v.f + v.g + v.h
    return Placed(clip=vec4(v.position + u.offset, 1.0), color=color)


@vertex
def place_swapped(v: Attributes, u: Where) -> Placed:
    color = v.a + v.b + v.c + v.d + v.e + v.f + v.g + v.h
    swapped = vec4(color.z, color.y, color.x, color.w)
    return Placed(clip=vec4(v.position + u.offset, 1.0), color=swapped)


@struct
class Out:
    color: vec4


@fragment
def paint(p: Placed) -> Out:
    return Out(color=p.color)


PROGRAMS = [hs.Program(place, paint), hs.Program(place_swapped, paint)]
STATES = [hs.PipelineState(), hs.PipelineState(depth_compare="less-equal")]


def geometry(number: int, cells: int, vertices: int) -> hs.Geometry:
    """Return the geometry of an object; with six vertices, the least that gives the same picture."""
    rng = np.random.default_rng(number)
    parts = {name: rng.uniform(0.0, 0.125, 4).astype(np.float32) for name in PARTS}
    position = np.full((vertices, 3), 0.5, np.float32)
    position[:6, :2] = CORNERS
    position[6:, :2] = rng.random((vertices - 6, 2), np.float32)
    position[:, :2] *= 2 / cells
    return hs.Geometry(
        {"position": position}
        | {name: np.tile(value, (vertices, 1)) for name, value in parts.items()}
    )


def draws(cells: int, vertices: int) -> list[hs.Draw]:
    """Return an object for each cell, of two programs and two states in turn."""
    return [
        hs.Draw(
            PROGRAMS[number % 2],
            geometry(number, cells, vertices),
            {"offset": (-1 + 2 * (number % cells) / cells, -1 + 2 * (number // cells) / cells, 0)},
            state=STATES[number // 2 % 2],
        )
        for number in range(cells * cells)
    ]


def memory() -> dict[str, int]:
    """Return bytes of this process that are resident now, and at most so far."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines)
    names = {"resident": "VmRSS", "peak": "VmHWM"}
    return {key: 1024 * int(found[name].split()[0]) for key, name in names.items()}


def show(
    device: Any, what: list[hs.Draw], size: int, **options: Any
) -> tuple[NDArray[np.uint8], Any, dict[str, int]]:
    """Return the picture, the report and the heap's sizes."""
    camera = hs.PerspectiveCamera(position=(0, 0, 3), target=(0, 0, 0), near=0.1, far=10)
    with hs.Renderer((size, size), samples=1, device=device, **options) as renderer:
        picture = renderer.render(hs.cset(what), camera)
        return picture, renderer.report, renderer.stats()["scenes"][0]


def main() -> None:
    """Draw it, and print what was seen as JSON."""
    cells, vertices = int(sys.argv[1]), int(sys.argv[2])
    options: dict[str, Any] = json.loads(sys.argv[3])
    device = request_device()
    size = cells * CELL
    began = time.perf_counter()
    marks = {"start": memory()["resident"]}
    what = draws(cells, vertices)
    marks["geometry made"] = memory()["resident"]
    picture, report, stats = show(device, what, size, **options)
    marks["drawn"] = memory()["resident"]
    peak = memory()["peak"]
    seconds = time.perf_counter() - began
    expected, _, _ = show(device, draws(cells, 6), size)
    print(
        json.dumps(
            {
                "geometry_bytes": cells * cells * vertices * ROW,
                "peak_bytes": peak,
                "marks": marks,
                "heap": stats,
                "draw_calls": report.draw_calls,
                "pages": report.pages,
                "encodings": report.encodings,
                "wrong_pixels": int((picture != expected).any(axis=-1).sum()),
                "colors": len(np.unique(picture.reshape(-1, 4), axis=0)),
                "seconds": round(seconds, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
