"""What it costs to compile shader programs: from Python functions in a file to WGSL.

Writes programs of about 300 typed IR nodes each (callees counted at every call) and compiles each
once, cold: no text is seen twice. CPU times, decorators included, which read the lines:
python benchmarks/compile.py --programs 100

    files       each program in a module of its own
    one file    all in one module
    cells       each in a cell of a notebook: linecache has the text
    closures    each in a function of its own, in one module, capturing a number
"""

from __future__ import annotations

import argparse
import cProfile
import json
import linecache
import pstats
import statistics
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from heapscene.shader import ComputeProgram, ir
from heapscene.shader.ir import nodes

PROGRAM = """
@function
def wave_{k}(p: vec3, t: f32) -> vec3:
    angle = p.x * {k}.25 + t
    ring = vec2(cos(angle), sin(angle))
    shift = mix(ring, ring.yx, 0.{k}5) * exp(-abs(p.z))
    return normalize(vec3(p.xy + shift, p.z * 2.0 - 1.0))


@function
def lit_{k}(normal: vec3, light: vec3, power: f32) -> f32:
    facing = max(dot(normal, light), 0.0)
    mirrored = reflect(-light, normal)
    shine = pow(clamp(mirrored.z, 0.0, 1.0), power + {k}.0)
    return facing * 0.8 + shine * 0.2


@compute(workgroup_size=64)
def main_{k}(thread: vec3u = builtin.global_invocation_id):
    i = thread.x
    if i >= array_length(places):
        return
    p = places[i]
    total = vec3(0.0)
    weight = 0.0
    for step in range(8):
        t = f32(step) * 0.125 + speed[i & 63]
        moved = wave_{k}(p, t)
        again = wave_{k}(moved * 0.5 + p, t + {k}.0)
        if dot(moved, again) < 0.1:
            continue
        value = lit_{k}(moved, normalize(vec3(1.0, t, 2.0)), 8.0)
        value += lit_{k}(again, normalize(vec3(-1.0, 0.5, t)), 4.0)
        if value > 4.0:
            break
        total = total + mix(moved, again, value) * value
        weight += value if value > 0.25 else 0.5 * value
    hashed = (i * 747796405 + {k}) ^ (i >> 16)
    hashed = (hashed << 5) ^ (hashed >> 3) + u32(step_count) * 31
    jitter = f32(hashed & 1023) / 1023.0
    turned = mat3(total, vec3(total.z, total.xy), vec3(jitter)) @ p
    length_ = max(length(turned), 0.001)
    target[i] = select(turned / length_, total / max(weight, 0.01), weight > 0.5) + jitter * 0.01
"""
HEAD = """
from heapscene.shader import (
    abs, array_length, builtin, clamp, compute, cos, dot, exp, f32, function, length, mat3, max, mix,
    normalize, pow, reflect, select, sin, storage, u32, vec2, vec3, vec3u,
)

places = storage("places", vec3, binding=0)
speed = storage("speed", f32, binding=1)
target = storage("target", vec3, binding=2, access="read_write")
step_count = 8
"""
STAGES: dict[str, Callable[[ComputeProgram], Any]] = {
    "front-end": lambda program: program.module,
    "hash": lambda program: program.hash,
    "WGSL": lambda program: program.wgsl,
}


def inlined(function: ir.Function, known: dict[int, int]) -> int:
    """Return the number of nodes, with those of callees at every call."""
    if id(function) not in known:
        known[id(function)] = sum(
            1 + (inlined(node.function, known) if isinstance(node, nodes.Call) else 0)
            for node in ir.walk(function)
        )
    return known[id(function)]


def run(text: str, path: str) -> tuple[dict[str, Any], float]:
    """Run a text as Python does a module; return its names and CPU milliseconds of decorators."""
    code = compile(text, path, "exec")
    scope: dict[str, Any] = {"__name__": Path(path).stem}
    begin = time.process_time()
    exec(code, scope)
    return scope, 1e3 * (time.process_time() - begin)


def stages(function: Any) -> tuple[ComputeProgram, dict[str, float]]:
    """Compile a program; return it and CPU milliseconds per stage."""
    times: dict[str, float] = {}
    begin = time.process_time()
    program = ComputeProgram(function)
    for stage, work in STAGES.items():
        work(program)
        now = time.process_time()
        times[stage] = 1e3 * (now - begin)
        begin = now
    return program, times


def in_files(numbers: Sequence[int], folder: Path) -> Iterator[tuple[Any, float]]:
    """Yield the function of each program, and CPU milliseconds of its decorators."""
    for k in numbers:
        path = folder / f"program_{k}.py"
        path.write_text(HEAD + PROGRAM.format(k=k))
        scope, spent = run(path.read_text(), str(path))
        yield scope[f"main_{k}"], spent


def in_cells(numbers: Sequence[int], _: Path) -> Iterator[tuple[Any, float]]:
    for k in numbers:
        text, name = HEAD + PROGRAM.format(k=k), f"<cell {k}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        scope, spent = run(text, name)
        yield scope[f"main_{k}"], spent


def in_one_file(numbers: Sequence[int], folder: Path) -> Iterator[tuple[Any, float]]:
    path = folder / "programs.py"
    path.write_text(HEAD + "".join(PROGRAM.format(k=k) for k in numbers))
    scope, spent = run(path.read_text(), str(path))
    for k in numbers:
        yield scope[f"main_{k}"], spent / len(numbers)


def in_closures(numbers: Sequence[int], folder: Path) -> Iterator[tuple[Any, float]]:
    path = folder / "closures.py"
    body = textwrap.indent(PROGRAM.replace("step_count", "steps_{k}"), "    ")
    made = f"def make_{{k}}(steps_{{k}}):{body}\n    return main_{{k}}\n\n\n"
    path.write_text(HEAD + "".join(made.format(k=k) for k in numbers))
    scope, _ = run(path.read_text(), str(path))
    for k in numbers:
        begin = time.process_time()
        function = scope[f"make_{k}"](8)
        yield function, 1e3 * (time.process_time() - begin)


LAYOUTS: dict[str, Callable[[Sequence[int], Path], Iterator[tuple[Any, float]]]] = {
    "files": in_files,
    "one file": in_one_file,
    "cells": in_cells,
    "closures": in_closures,
}


def measured(layout: str, count: int) -> dict[str, object]:
    """Compile ``count`` programs that stand in this layout; return what it cost."""
    found: list[dict[str, float]] = []
    counts: list[int] = []
    kept: list[ComputeProgram] = []  # as a running program would
    with tempfile.TemporaryDirectory() as folder:
        for function, spent in LAYOUTS[layout](range(1, count + 1), Path(folder)):
            program, times = stages(function)
            found.append({"decorators": spent, **times})
            counts.append(inlined(program.module.entries[0].function, {}))
            kept.append(program)
    assert len({program.wgsl for program in kept}) == count, "a program was compiled twice"
    sums = [sum(times.values()) for times in found]
    total = sum(sums)
    return {
        "nodes": statistics.median(counts),
        "ms, median": round(statistics.median(sums), 2),
        "ms, first": round(sums[0], 2),
        "ms, all": round(total, 1),
        "share": {s: f"{sum(t[s] for t in found) / total:.0%}" for s in found[0]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--layout", choices=LAYOUTS, help="only this one")
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stages(*[function for function, _ in in_files([0], Path(folder))])  # loads the compiler
    profile = cProfile.Profile()
    result: dict[str, object] = {}
    for layout in [options.layout] if options.layout else LAYOUTS:
        if options.profile:
            profile.enable()
        result[layout] = measured(layout, options.programs)
        profile.disable()
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
