"""What a change costs on the CPU, beside the mark that it should stay below.

Each figure is the median of 9 frames after 3 others; in brackets the first of those, and the median
of CPU time, which tells how busy the machine was otherwise. What is compared takes turns, 45 frames
of either, so that a machine that gets slower slows down both. Shares are of our Python code by stage.
Rows whose feature is missing say so. Frames are encoded, and uploads done, but pictures are not
drawn: a software driver would do that on the cores that are measured.

    python benchmarks/update.py [--only NAME ...] [--json]
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import heapscene as hs
from heapscene.gpu import read_buffer, request_device
from heapscene.render import HeapScene, OffscreenTarget, Targets

WARM, TIMED, PAIRS = 3, 9, 45
SIZE = (64, 64)
SOURCE = Path(__file__).parents[1] / "src"


@dataclass
class Row:
    """One line of the table; ``marks`` are (value, limit) that decide ``ok``."""

    what: str
    value: str
    mark: str
    ok: bool | None = None
    first: str = ""
    shares: dict[str, int] = field(default_factory=dict)


class MissingError(Exception):
    """The feature that a row needs is not there."""


class Stage:
    """A scene with everything that draws it, and the clock around a frame."""

    def __init__(self, what: Any) -> None:
        self.device = DEVICE
        self.target = OffscreenTarget(self.device, SIZE, Targets())
        self.scene = HeapScene(self.device, Targets(), what)
        self.camera: Any = orbit(0)
        self.stages: Counter[str] = Counter()  # milliseconds

    def frame(self, *, submit: bool = False) -> float:
        """Return the milliseconds of update and encode."""
        start, start_cpu = time.perf_counter(), time.thread_time()
        report = self.scene.update(self.camera, inputs={"viewport": SIZE})
        encoder = self.device.create_command_encoder()
        self.scene.encode_compute(encoder)
        render_pass = encoder.begin_render_pass(**self.target.pass_descriptor((0, 0, 0, 1)))
        self.scene.encode_draws(render_pass)
        render_pass.end()
        commands = encoder.finish()
        elapsed = (time.perf_counter() - start) * 1e3
        self.frame_cpu = (time.thread_time() - start_cpu) * 1e3
        self.stages.update(report.stage_ms)
        self.device.queue.submit([commands] if submit else [])
        self.wait()
        return elapsed

    def wait(self) -> None:
        """Let the GPU finish: on a software driver it takes the CPU's time."""
        read_buffer(self.device, self.scene._uniform.buffer, 4)

    def step(self, change: Callable[[int], Any], number: int) -> tuple[float, float]:
        """Return the milliseconds of a change and its frame, by the clock and of this thread."""
        start, start_cpu = time.perf_counter(), time.thread_time()
        change(number)
        changed = (time.perf_counter() - start) * 1e3
        self.stages["change"] += changed
        changed_cpu = (time.thread_time() - start_cpu) * 1e3
        return changed + self.frame(), changed_cpu + self.frame_cpu

    def measure(self, change: Callable[[int], Any]) -> tuple[float, float, float]:
        """Return the median and first milliseconds of change and frame, and the bytes of the last."""
        found: list[tuple[float, float]] = []
        for number in range(WARM + TIMED):
            if number == WARM:
                self.stages.clear()
            found.append(self.step(change, number))
        times, spent = zip(*found, strict=True)
        self.cpu = statistics.median(spent[WARM:])
        return statistics.median(times[WARM:]), times[0], self.scene.report.bytes_uploaded

    def told(self, first: float) -> str:
        """Return the first frame's milliseconds, and the median of what this thread really ran."""
        return f"first {first:.2f}, cpu {self.cpu:.2f}"

    @property
    def shares(self) -> dict[str, int]:
        total = sum(self.stages.values()) or 1.0
        return {k: round(100 * v / total) for k, v in self.stages.most_common(3)}

    def close(self) -> None:
        self.scene.close()
        self.target.close()


# Scenes of meshes


class Meshes:
    """`n` meshes, each with a transform (or a position) and a colour of its own that may change."""

    def __init__(self, n: int, *, by_position: bool = False) -> None:
        rng = np.random.default_rng(2)
        quad = hs.geometry.plane()
        places, colors = rng.random((n, 3)) * 100, rng.random((n, 3))
        matrices = np.tile(np.eye(4), (n, 1, 1))
        matrices[:, :3, 3] = places
        self.places = (
            [hs.cval(tuple(p)) for p in places.tolist()]
            if by_position
            else [hs.cval(m) for m in matrices]
        )
        name = "position" if by_position else "transform"
        self.colors = [hs.cval(tuple(c)) for c in colors.tolist()]
        self.nodes = [
            hs.Mesh(quad, hs.UnlitMaterial(color=color), **{name: place})
            for color, place in zip(self.colors, self.places, strict=True)
        ]
        self.scene = hs.Scene(*self.nodes)


KEPT: dict[str, tuple[Any, Stage]] = {}


def meshes(n: int) -> tuple[Meshes, Stage]:
    """Return a scene that several rows share, drawn already."""
    name = f"meshes {n}"
    if name not in KEPT:
        content = Meshes(n)
        KEPT[name] = (content, Stage(content.scene))
        for _ in range(WARM):
            KEPT[name][1].frame(submit=True)
    return KEPT[name]


def make_table(n: int, **columns: Any) -> Any:
    if not hasattr(hs, "DrawTable"):
        raise MissingError
    rng = np.random.default_rng(3)
    chosen = columns or {
        "position": rng.random((n, 3), np.float32) * 100,
        "color": rng.random((n, 4), np.float32),
    }
    return hs.DrawTable(hs.UnlitMaterial(), geometry=[hs.geometry.plane()], columns=chosen)


def table(n: int, kind: str = "") -> tuple[Any, Stage]:
    name = f"table {n} {kind}"
    if name not in KEPT:
        columns = {"model": np.tile(np.eye(4, dtype=np.float32), (n, 1, 1))} if kind else {}
        content = make_table(n, **columns)
        KEPT[name] = (content, Stage(content))
        for _ in range(WARM):
            KEPT[name][1].frame(submit=True)
    return KEPT[name]


def orbit(step: int) -> hs.PerspectiveCamera:
    angle = step * 0.1
    eye = (300 * np.cos(angle), 200.0, 300 * np.sin(angle))
    return hs.PerspectiveCamera(fov=50, position=eye, target=(50, 50, 50), near=1, far=1000)


def still(_step: int) -> None:
    pass


# Rows


def frames(kind: str, make: Callable[[int], tuple[Any, Stage]]) -> Iterator[Row]:
    stages = [make(n)[1] for n in (1_000, 100_000)]
    for name in ("still", "camera only"):

        def change(step: int, stage: Stage, *, moves: bool = name != "still") -> None:
            if moves:
                stage.camera = orbit(step)

        ways = [(stage, partial(change, stage=stage)) for stage in stages]
        (small, _), (large, first) = in_turn_measured(ways)
        for stage in stages:
            stage.camera = orbit(0)
        ratio = large / small
        yield Row(
            f"{name} frame, 1,000 → 100,000 {kind}",
            f"{small:.3f} → {large:.3f} ms, ratio {ratio:.2f}",
            "ratio ≤ 1.2, ≤ 0.5 ms",
            ratio <= 1.2 and large <= 0.5,
            stages[1].told(first),
            stages[1].shares,
        )


def in_turn_measured(
    ways: list[tuple[Stage, Callable[[int], Any]]],
) -> list[tuple[float, float]]:
    """Return the median and first milliseconds of two changes with their frames, which take turns."""
    found: list[list[tuple[float, float]]] = [[] for _ in ways]
    for number in range(WARM + PAIRS):
        turn = list(zip(ways, found, strict=True))
        for (stage, change), times in turn if number % 2 else reversed(turn):
            if number == WARM:
                stage.stages.clear()
            times.append(stage.step(change, number))
    for (stage, _), times in zip(ways, found, strict=True):
        stage.cpu = statistics.median(cpu for _, cpu in times[WARM:])
    return [(statistics.median(ms for ms, _ in times[WARM:]), times[0][0]) for times in found]


def still_frames() -> Iterator[Row]:
    yield from frames("meshes", meshes)
    _, stage = meshes(100_000)
    times = [stage.frame() for _ in range(1000)]
    yield Row(
        "longest of 1,000 still frames, 100,000 meshes",
        f"{max(times):.2f} ms (median {statistics.median(times):.3f})",
        "≤ 5 ms",
        max(times) <= 5,
    )


def table_frames() -> Iterator[Row]:
    yield from frames("rows", table)


def above_still(name: str, stage: Stage, change: Callable[[int], None]) -> Row:
    sent = 0

    def frame(step: int) -> None:
        nonlocal sent
        sent = max(sent, stage.scene.report.bytes_uploaded)  # of the frame before: one of the two
        change(step)

    (base, _), (took, first) = in_turn_measured([(stage, still), (stage, frame)])
    above = took - base
    return Row(
        name,
        f"{above:.3f} ms above still, {sent:.0f} bytes",
        "≤ 0.15 ms, ≤ 64 bytes",
        above <= 0.15 and sent <= 64,
        stage.told(first),
        stage.shares,
    )


def one_of_many() -> Iterator[Row]:
    content, stage = meshes(100_000)

    def recolor(step: int) -> None:
        content.colors[777 * (step + 1)].value = (step / 50, 0.5, 0.5)

    yield above_still("one colour of 100,000 meshes", stage, recolor)


def one_row() -> Iterator[Row]:
    content, stage = table(1_000_000)

    def recolor(step: int) -> None:
        content.write("color", np.full((1, 4), step / 50, np.float32), [7777 * (step + 1)])

    yield above_still("one row of 1,000,000", stage, recolor)


def change_colors(k: int) -> Row:
    content, stage = meshes(100_000)
    rng = np.random.default_rng(k)
    order = rng.permutation(100_000)[:k].tolist()
    values = [[tuple(c) for c in rng.random((k, 3)).tolist()] for _ in range(WARM + TIMED)]

    def change(step: int) -> None:
        with hs.transact():
            for at, color in zip(order, values[step], strict=True):
                content.colors[at].value = color

    took, first, nbytes = stage.measure(change)
    mark = k * 0.0025
    return Row(
        f"{k:,} colours in one transaction",
        f"{took:.2f} ms, {nbytes / 1e3:.0f} kB",
        f"≤ {mark:g} ms",
        took <= mark,
        stage.told(first),
        stage.shares,
    )


def cvals() -> Iterator[Row]:
    for k in (1_000, 10_000):
        yield change_colors(k)


def maps() -> Iterator[Row]:
    n = 10_000
    rng = np.random.default_rng(4)
    sources = [hs.cval(float(x)) for x in rng.random(n)]
    quad = hs.geometry.plane()
    nodes = [
        hs.Mesh(
            quad,
            hs.UnlitMaterial(color=x.map(lambda v: (v, 0.5, 0.5))),
            position=(i % 100, i / 100, 0),
        )
        for i, x in enumerate(sources)
    ]
    stage = Stage(hs.Scene(*nodes))
    order = rng.permutation(n).tolist()

    def change(step: int) -> None:
        with hs.transact():
            for at in order:
                sources[at].value = (step + at / n) / 20

    took, first, nbytes = stage.measure(change)
    yield Row(
        "10,000 values through a map each",
        f"{took:.1f} ms, {nbytes / 1e3:.0f} kB",
        "≤ 60 ms",
        took <= 60,
        stage.told(first),
        stage.shares,
    )
    stage.close()


def build_meshes() -> Iterator[Row]:
    meshes(1_000)  # pipelines are made once per device, not once per scene
    per: dict[int, float] = {}
    shown: dict[int, tuple[float, dict[str, int]]] = {}
    for n in (1_000, 10_000, 100_000):
        times: list[float] = []
        for _ in range({1_000: 9, 10_000: 3}.get(n, 1)):
            gc.collect()
            start = time.perf_counter()
            content = Meshes(n)
            built = time.perf_counter()
            stage = Stage(content.scene)
            stage.scene.update()
            times.append(time.perf_counter() - start)
            shown[n] = (built - start, dict(stage.scene.report.stage_ms))
            stage.close()
            del content, stage
        per[n] = statistics.median(times) / n
    total = per[10_000] * 10_000
    built, stages = shown[10_000]
    every = {"construct": built * 1e3, **stages}
    shares = {k: round(v / sum(every.values()) * 100) for k, v in every.items()}
    shares = dict(sorted(shares.items(), key=lambda item: -item[1])[:4])
    yield Row(
        "10,000 Mesh with two cvals: made, added, first update",
        f"{total:.3f} s",
        "≤ 0.15 s",
        total <= 0.15,
        shares=shares,
    )
    ratio = per[100_000] / per[1_000]
    yield Row(
        "per Mesh at 100,000 against 1,000",
        f"{per[1_000] * 1e6:.1f} → {per[100_000] * 1e6:.1f} µs, ratio {ratio:.2f}",
        "≤ 2.0",
        ratio <= 2,
    )


def memory() -> Iterator[Row]:
    n = 10_000
    meshes(1_000)  # programs are compiled once per process, not once per scene
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    content = Meshes(n)
    built = tracemalloc.get_traced_memory()[0] - before
    stage = Stage(content.scene)
    stage.scene.update()
    gc.collect()
    total = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    yield Row(
        "Python memory per Mesh with two cvals",
        f"{total / n:.0f} bytes ({built / n:.0f} before its first update)",
        "≤ 2,000 bytes",
        total / n <= 2000,
    )
    stage.close()


def table_memory() -> Iterator[Row]:
    n = 200_000
    make_table(10)
    rng = np.random.default_rng(5)
    columns = {
        "position": rng.random((n, 3), np.float32),
        "color": rng.random((n, 4), np.float32),
    }
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    content = make_table(n, **columns)
    stage = Stage(content)
    stage.scene.update()
    gc.collect()
    per = (tracemalloc.get_traced_memory()[0] - before) / n
    tracemalloc.stop()
    yield Row("CPU memory per table row", f"{per:.0f} bytes", "≤ 250 bytes", per <= 250)
    stage.close()


def table_writes() -> Iterator[Row]:
    n = 100_000
    rng = np.random.default_rng(6)
    content, stage = table(n, "model")
    models = np.tile(np.eye(4, dtype=np.float32), (n, 1, 1))

    def turn(step: int) -> None:
        models[:, 0, 3] = step
        content.write("model", models)

    yield timed("all 4×4 of 100,000 rows", stage, turn, 4.0)
    content, stage = table(n)
    places = in_turn(rng.random((n, 3), np.float32) * 100)
    colors = in_turn(rng.random((n, 4), np.float32))
    masks = in_turn(rng.random(n) < 0.5)
    writes = {
        "all positions of 100,000 rows": lambda _step: content.write("position", next(places)),
        "all colours of 100,000 rows": lambda _step: content.write("color", next(colors)),
        "half of 100,000 rows hidden by a mask": lambda _step: content.write(
            "visible", next(masks)
        ),
    }
    for name, write in writes.items():
        yield timed(name, stage, write, 1.5)
    stage.camera = None
    row = timed("all positions, camera fitted to them", stage, writes[next(iter(writes))], 0)
    stage.camera = orbit(0)
    row.ok, row.mark = None, "none"
    yield row


def in_turn(values: Any) -> Iterator[Any]:
    """Return the values, then their reverse, and so on: something differs in every frame."""
    return itertools.cycle([values, values[::-1].copy()])


def timed(name: str, stage: Stage, change: Callable[[int], Any], mark: float) -> Row:
    took, first, nbytes = stage.measure(change)
    return Row(
        name,
        f"{took:.2f} ms, {nbytes / 1e3:.0f} kB",
        f"≤ {mark:g} ms",
        took <= mark,
        stage.told(first),
        stage.shares,
    )


def scattered_rows() -> Iterator[Row]:
    content, stage = table(1_000_000)
    rng = np.random.default_rng(7)
    rows = [rng.choice(1_000_000, 1_000, replace=False) for _ in range(WARM + TIMED)]
    colors = rng.random((1_000, 4), np.float32)
    row = timed(
        "1,000 scattered rows of 1,000,000",
        stage,
        lambda step: content.write("color", colors, rows[step]),
        1.0,
    )
    row.mark += ", ≤ 200 kB"
    row.ok = bool(row.ok) and stage.scene.report.bytes_uploaded <= 200_000
    yield row


def build_table() -> Iterator[Row]:
    n = 1_000_000
    make_table(10)
    rng = np.random.default_rng(8)
    columns = {
        "position": rng.random((n, 3), np.float32) * 100,
        "color": rng.random((n, 4), np.float32),
    }
    start = time.perf_counter()
    content = make_table(n, **columns)
    built = time.perf_counter()
    stage = Stage(content)
    stage.scene.update()
    ready = time.perf_counter()
    yield Row(
        "table of 1,000,000 rows: built / first update",
        f"{built - start:.3f} / {ready - built:.3f} s",
        "≤ 0.8 / 1 s",
        built - start <= 0.8 and ready - built <= 1,
    )
    stage.close()


def table_churn() -> Iterator[Row]:
    content, stage = table(100_000)
    rng = np.random.default_rng(9)
    fresh = {
        "position": rng.random((50_000, 3), np.float32),
        "color": rng.random((50_000, 4), np.float32),
    }

    def churn(_step: int) -> None:
        content.delete(rng.permutation(np.flatnonzero(content.alive))[:50_000])
        content.append(fresh)

    yield timed("delete 50,000 rows and append 50,000", stage, churn, 50.0)


# Processes


def run(code: str, **environment: str) -> tuple[float, float]:
    """Run a process; return its seconds, and those of CPU time."""
    start, before = time.perf_counter(), os.times()
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
    )
    after = os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return time.perf_counter() - start, cpu


def importing() -> Iterator[Row]:
    code = (
        "import time; s, c = time.perf_counter(), time.process_time(); import heapscene;"
        "print(time.perf_counter() - s, time.process_time() - c)"
    )
    found: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        bare = shutil.copytree(SOURCE, Path(folder, "src"), ignore=lambda *_: ["__pycache__"])
        for source, environment in ((SOURCE, {}), (bare, {"PYTHONDONTWRITEBYTECODE": "1"})):
            times = []
            for _ in range(6):
                answer = subprocess.run(
                    [sys.executable, "-c", code],
                    check=True,
                    capture_output=True,
                    text=True,
                    env={**os.environ, "PYTHONPATH": str(source), **environment},
                )
                times.append([float(part) for part in answer.stdout.split()])
            found.append(tuple(map(statistics.median, zip(*times[1:], strict=True))))
    (wall, cpu), (bare_wall, bare_cpu) = found
    yield Row(
        "import heapscene (and without its bytecode)",
        f"{wall:.3f} s ({bare_wall:.3f} s)",
        "≤ 0.35 s",
        wall <= 0.35,
        f"cpu {cpu * 1e3:.0f}, {bare_cpu * 1e3:.0f}",
    )


def first_picture() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cube.stl")
        code = "import trimesh, sys; trimesh.creation.box().export(sys.argv[1])"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        draw = f"import heapscene as hs; hs.render(hs.load({str(path)!r}))"
        times = []
        for number in range(4):
            cache = str(Path(folder, f"cache{number}"))
            times.append(run(draw, MESA_SHADER_CACHE_DIR=cache, XDG_CACHE_HOME=cache))
    took, cpu = zip(*times[1:], strict=True)
    yield Row(
        "process start to the picture of a small STL, cold shader cache",
        f"{statistics.median(took):.2f} s",
        "≤ 2 s",
        statistics.median(took) <= 2,
        f"first {times[0][0] * 1e3:.0f}, cpu {statistics.median(cpu) * 1e3:.0f}",
    )


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "still": still_frames,
    "still_rows": table_frames,
    "one": one_of_many,
    "one_row": one_row,
    "cvals": cvals,
    "maps": maps,
    "table_writes": table_writes,
    "scattered": scattered_rows,
    "build": build_meshes,
    "build_table": build_table,
    "churn": table_churn,
    "memory": memory,
    "table_memory": table_memory,
    "import": importing,
    "first_picture": first_picture,
}
DEVICE: Any = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=[*ROWS], help="groups of rows to run")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    global DEVICE  # noqa: PLW0603  one device for all rows
    DEVICE = request_device()
    if not chosen.json:
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    rows: list[Row] = []
    for name in chosen.only or ROWS:
        try:
            found = ROWS[name]()
            for row in found:
                rows.append(row)
                if not chosen.json:
                    show(row)
        except MissingError:
            rows.append(Row(name, "missing", ""))
            if not chosen.json:
                show(rows[-1])
    if chosen.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))


def show(row: Row) -> None:
    verdict = {True: "ok", False: "MISSED", None: "-"}[row.ok]
    first = f" [{row.first} ms]" if row.first else ""
    shares = ", ".join(f"{name} {share} %" for name, share in row.shares.items())
    print(
        f"{row.what:<58} {row.value + first:<52} {row.mark:<24} {verdict:<7} {shares}", flush=True
    )


if __name__ == "__main__":
    main()
