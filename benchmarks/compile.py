"""What it costs to compile shader programs: from Python functions in a file to WGSL.

Writes programs of about 300 typed IR nodes each (callees counted at every call) into modules,
imports them and compiles each once, cold; CPU times, so that a busy
machine gives the same:  python benchmarks/compile.py --programs 100
"""

from __future__ import annotations

import argparse
import cProfile
import importlib.util
import json
import pstats
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
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


def compiled(name: str, text: str, k: int, folder: Path) -> tuple[ComputeProgram, dict[str, float]]:
    """Import a module with one program, compile it, and return it with CPU milliseconds per stage."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)  # the decorators read the lines here; the rest is below
    times: dict[str, float] = {}
    begin = time.process_time()
    program = ComputeProgram(getattr(module, f"main_{k}"))
    for stage, run in STAGES.items():
        run(program)
        now = time.process_time()
        times[stage] = 1e3 * (now - begin)
        begin = now
    return program, times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    options = parser.parse_args()
    found: list[dict[str, float]] = []
    counts: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        compiled("first_0", HEAD + PROGRAM.format(k=0), 0, Path(folder))  # loads the compiler
        profile = cProfile.Profile()
        if options.profile:
            profile.enable()
        for k in range(1, options.programs + 1):
            name = f"benchmark_{k}"
            program, times = compiled(name, HEAD + PROGRAM.format(k=k), k, Path(folder))
            found.append(times)
            counts.append(inlined(program.module.entries[0].function, {}))
        if options.profile:
            profile.disable()
            pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    sums = [sum(times.values()) for times in found]
    total = sum(sums)
    result = {
        "nodes": statistics.median(counts),
        "ms, median": round(statistics.median(sums), 2),
        "ms, first": round(sums[0], 2),
        "ms, all": round(total, 1),
        "share": {s: f"{sum(t[s] for t in found) / total:.0%}" for s in STAGES},
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
