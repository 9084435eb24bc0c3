"""The text of a program is the same in every process, and WGSL's compiler takes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from heapscene.shader import (
    ComputeProgram,
    abs,
    builtin,
    compute,
    f32,
    i32,
    ir,
    reverse_bits,
    storage,
    struct,
    u32,
    vec2i,
)
from heapscene.shader.interpret import dispatch
from heapscene.shader.ir.nodes import Binary, Construct, Field, Intrinsic
from heapscene.shader.passes import legal

ROOT = Path(__file__).resolve().parents[3]
TEXT = """
import sys
sys.path.insert(0, "tests")
from reference.random_shaders import program
from heapscene.shader import emit, ir
from heapscene.shader.passes import optimized

for seed in range(4):
    function = program(seed).function.ir
    ports = tuple(ir.Port(p, location=k) for k, p in enumerate(function.parameters))
    module = ir.Module((ir.EntryPoint("fragment", function, ports),))
    changed = optimized(module, ("fold", "common", "dead"))
    print(ir.module_hash(module), ir.module_hash(changed))
    print(emit(module), emit(changed))
"""

words = storage("words", u32, binding=0, access="read_write")


@struct
class Inner:
    weights: vec2i
    n: i32


@struct
class Outer:
    inner: Inner
    scale: f32


@compute(workgroup_size=2)
def parts(lane: u32 = builtin.local_invocation_index):
    """Members of constants are constants, too, and what is computed with them wraps."""
    n = Outer(inner=Inner(weights=vec2i(3, -14), n=-14), scale=2.0).inner.n << 28
    w = Outer(inner=Inner(weights=vec2i(3, -14), n=7), scale=2.0).inner.weights.y * 2_000_000_000
    words[lane] = u32(n) ^ u32(w)


@compute(workgroup_size=2)
def constants(lane: u32 = builtin.local_invocation_index):
    words[lane] = (reverse_bits(u32(0xFFFFFFEA)) << 9) + abs(u32(4)) * u32(3000000000)


def test_a_second_process_writes_the_same():
    found = set()
    for seed in ("0", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", TEXT],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert len(found.pop()) > 3_000


def test_constants_that_wrap_are_computed_before_wgsl_refuses_them():
    module = ComputeProgram(constants).module
    changed = legal(module)
    assert not any(isinstance(n, Intrinsic) for n in walk(changed))
    memory = {"words": np.zeros(2, np.uint32)}
    dispatch(module.entries[0], memory)
    word = int(f"{0xFFFFFFEA:032b}"[::-1], 2)
    assert memory["words"].tolist() == [((word << 9) + 4 * 3_000_000_000) % 2**32] * 2


def walk(module):
    return [node for entry in module.entries for node in ir.walk(entry.function)]


def test_the_hash_is_that_of_what_was_written():
    program = ComputeProgram(constants)
    assert program.hash == ir.module_hash(program.module) != ir.module_hash(legal(program.module))


def test_parts_of_constants_are_computed_as_well():
    module = ComputeProgram(parts).module
    changed = legal(module)
    assert not any(isinstance(n, Construct | Field | Binary) for n in walk(changed))
    memory = {"words": np.zeros(2, np.uint32)}
    dispatch(module.entries[0], memory)
    wanted = (-14 << 28) ^ (-14 * 2_000_000_000)
    assert memory["words"].tolist() == [wanted % 2**32] * 2
    again = {"words": np.zeros(2, np.uint32)}
    dispatch(changed.entries[0], again)
    assert again["words"].tolist() == memory["words"].tolist()


@pytest.mark.gpu
@pytest.mark.parametrize("program", [constants, parts])
def test_the_gpu_takes_constants_that_wrap(device, program):
    device.create_shader_module(code=ComputeProgram(program).wgsl)
