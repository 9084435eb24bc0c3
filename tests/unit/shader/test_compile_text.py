"""The text of a program is the same in every process, and WGSL's compiler takes it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from heapscene.shader import ComputeProgram, abs, builtin, compute, ir, reverse_bits, storage, u32
from heapscene.shader.interpret import dispatch
from heapscene.shader.ir.nodes import Intrinsic
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


@pytest.mark.gpu
def test_the_gpu_takes_constants_that_wrap(device):
    device.create_shader_module(code=ComputeProgram(constants).wgsl)
