"""Random shader programs mean the same in CPython, in the interpreter and on the GPU.

Before and after every pass, bit for bit: the programs keep floats to whole numbers, or (``rough``)
compare executions that round in the same order.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from heapscene.shader import ComputeProgram, emit, ir
from heapscene.shader.interpret import dispatch, interpret
from heapscene.shader.passes import PASSES, on_functions, optimized
from heapscene.shader.types import F32, I32, U32, ArrayType
from reference.random_shaders import columns, inputs, phases, program

ROWS = 32
LANES = 64


# Without folding WGSL's compiler refuses constants that overflow.
FEW, ALL = ("fold",), ("fold", "common", "dead")


def seeds_of(chunk, size):
    return range(chunk * size, (chunk + 1) * size)


def module_of(function):
    return ir.Module((ir.EntryPoint("compute", function),))


def results(module, given):
    """Verify what a module reaches and run its only entry point."""
    function = module.entries[0].function
    for each in ir.reachable_functions(function):
        ir.verify_function(each)
    return interpret(function, given).value


def check_program(seed):
    """Compare CPython, the interpreter, and the interpreter after each pass and after all."""
    made = program(seed, rough=seed % 4 == 1, size=2 + seed % 4, helpers=seed % 3)
    given = inputs(ROWS, seed)
    module = module_of(made.function.ir)
    expected = results(module, columns(given))
    for row in (seed % ROWS, (seed + ROWS // 2) % ROWS):
        assert made.call(*given[row]) == expected[row], f"seed {seed}, row {row}\n{made.text}"
    together = module
    for name, change in PASSES.items():
        together = on_functions(together, change)
        for after in (together, on_functions(module, change)) if seed % 3 == 0 else (together,):
            found = results(after, columns(given))
            assert found.tolist() == expected.tolist(), f"seed {seed}, after {name}\n{made.text}"
    return len(np.unique(expected))


@pytest.mark.parametrize("chunk", range(8))
def test_programs_agree(chunk):
    """200 programs in all."""
    distinct = [check_program(seed) for seed in seeds_of(chunk, 25)]
    assert np.median(distinct) > 4, "the programs hardly depend on their inputs"


def check_chunk(chunk):
    return [check_program(seed) for seed in seeds_of(chunk, 50)]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_thousand_programs_agree():
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        distinct = [n for found in pool.map(check_chunk, range(10, 210)) for n in found]
    assert len(distinct) == 10_000
    assert np.median(distinct) > 4


def check_quads(seed):
    """Derivatives need neighbours, so the passes are compared in the interpreter only."""
    made = program(seed, quads=True)
    given = inputs(64, seed)
    columns_ = {**columns(given), "d": (given[:, 0] % 50).astype(np.float32)}
    module = module_of(made.function.ir)
    expected = results(module, columns_)
    for name, change in PASSES.items():
        found = results(on_functions(module, change), columns_)
        assert found.tolist() == expected.tolist(), f"seed {seed}, after {name}\n{made.text}"


@pytest.mark.parametrize("seed", range(12))
def test_derivatives_survive_passes(seed):
    check_quads(seed)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_derivatives_survive_passes_at_length():
    for seed in range(12, 500):
        check_quads(seed)


def check_phases(seed, device=None):
    """Compare a program with barriers before and after passes, and with the GPU."""
    function, text = phases(seed, LANES)
    module = ComputeProgram(function).module
    given = np.random.default_rng(seed).integers(0, 1 << 32, LANES, dtype=np.uint32)

    def run(changed):
        memory = {"source": given, "target": np.zeros(LANES, np.uint32)}
        ir.verify_module(changed)
        dispatch(changed.entries[0], memory)
        return memory["target"]

    expected = run(module)
    for name, change in PASSES.items():
        found = run(on_functions(module, change))
        assert found.tolist() == expected.tolist(), f"seed {seed}, after {name}\n{text}"
    if device is not None:
        changed = optimized(module, ALL if seed % 2 else FEW)
        found = dispatched(device, changed, [given, np.zeros(LANES, np.uint32)])
        assert found.tolist() == expected.tolist(), f"seed {seed}\n{text}"


@pytest.mark.parametrize("seed", range(10))
def test_phases_survive_passes(seed):
    check_phases(seed)


@pytest.mark.gpu
def test_phases_agree_on_the_gpu(device):
    for seed in range(4):
        check_phases(seed, device)


@pytest.mark.gpu
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_phases_agree_on_the_gpu_at_length(device):
    for seed in range(10, 200):
        check_phases(seed, device)


# On the GPU --------------------------------------------------------------------------------------


def batch(functions):
    """Return a module whose invocation ``lane`` calls all functions with the inputs of its row."""
    body = ir.FunctionBuilder("main")
    lane = body.parameter("lane", U32)
    source = ir.Resource("source", ArrayType(U32), "storage", "read", 0, 0)
    target = ir.Resource("target", ArrayType(U32), "storage", "read_write", 0, 1)

    def word(k):
        return ir.index(source, ir.binary("+", ir.binary("*", lane, 3), k))

    a = body.let("a", word(0))
    b = body.let("b", ir.convert(I32, word(1)))
    c = body.let("c", ir.convert(F32, ir.binary("%", word(2), 100)))
    for k, function in enumerate(functions):
        place = ir.index(target, ir.binary("+", ir.binary("*", lane, len(functions)), k))
        body.store(place, ir.call(function, a, b, c))
    port = ir.Port(lane, builtin="local_invocation_index")
    entry = ir.EntryPoint("compute", body.done(), (port,), workgroup_size=(LANES, 1, 1))
    return ir.Module((entry,))


def dispatched(device, module, arrays):
    """Run a module's entry point on one workgroup; return the last array as it is then."""
    import wgpu

    shader = device.create_shader_module(code=emit(module))
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": shader, "entry_point": module.entries[0].name}
    )
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [device.create_buffer_with_data(data=a.tobytes(), usage=usage) for a in arrays]
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, group)
    work.dispatch_workgroups(1)
    work.end()
    device.queue.submit([encoder.finish()])
    found = np.frombuffer(device.queue.read_buffer(buffers[-1]), arrays[-1].dtype)
    return found.reshape(arrays[-1].shape)


def check_on_gpu(device, seeds, names):
    made = [program(s, size=2 + s % 4, helpers=s % 3, gpu=True) for s in seeds]
    given = inputs(LANES, seeds[0])
    expected = np.stack([interpret(p.function.ir, columns(given)).value for p in made], axis=1)
    module = optimized(batch([p.function.ir for p in made]), names)
    found = dispatched(device, module, [given, np.zeros((LANES, len(made)), np.uint32)])
    wrong = [(seeds[k], lane) for lane, k in np.argwhere(found != expected)]
    assert not wrong, f"{wrong[:9]}\n{made[wrong[0][0] - seeds[0]].text}"


@pytest.mark.gpu
@pytest.mark.parametrize("names", [FEW, ALL])
def test_programs_agree_on_the_gpu(device, names):
    check_on_gpu(device, range(20 * len(names), 20 * len(names) + 20), names)


@pytest.mark.gpu
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_thousand_programs_agree_on_the_gpu(device):
    for chunk in range(10, 60):
        check_on_gpu(device, seeds_of(chunk, 20), ALL if chunk % 2 else FEW)
