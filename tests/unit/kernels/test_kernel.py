"""The three executions of a kernel agree: here NumPy and CPython, on the GPU in tests/gpu."""

from __future__ import annotations

import re
from contextlib import ExitStack

import numpy as np
import pytest

from heapscene.gpu.upload import stage
from heapscene.heap import RECORD
from heapscene.kernels import (
    BucketLoad,
    Kernel,
    Part,
    SlotLoad,
    plan,
    probe_emitted,
    probe_vertices,
    scan_reference,
    scan_sums,
    scatter,
    sum_blocks,
    write_args,
    write_emitted_tiles,
    write_firsts,
    write_indices,
    write_vertex_tiles,
)
from heapscene.kernels import args as args_module
from heapscene.kernels import expand as expand_module
from heapscene.kernels import tiles as tiles_module
from heapscene.kernels.records import Params, params, records
from heapscene.kernels.scatter import staged, target
from heapscene.shader import vec3u

KERNELS = [
    sum_blocks, scan_sums, write_firsts, write_emitted_tiles, write_vertex_tiles, write_args,
    write_indices, scatter, probe_emitted, probe_vertices,
]  # fmt: skip


def random_records(rng: np.random.Generator, n: int) -> np.ndarray:
    table = np.zeros((n, 8), np.uint32)
    width = rng.choice([0, 1, 2, 4], n)
    table[:, 1] = rng.integers(0, 20, n) * width
    table[:, 2] = width | rng.integers(0, 9, n) << 3
    table[:, 3] = rng.integers(1, 30, n) * (rng.random(n) > 0.4)
    table[:, 4:7] = rng.integers(0, 4, (n, 3))
    return table


def test_bindings_are_named_and_numbered() -> None:
    assert [(b.index, b.name, b.kind) for b in write_firsts.bindings] == [
        (0, "params", "uniform"),
        (1, "records", "read-only-storage"),
        (2, "sums", "read-only-storage"),
        (3, "firsts", "storage"),
    ]
    assert write_firsts.workgroup_size == 256
    for binding in write_firsts.bindings:
        space = "uniform" if binding.kind == "uniform" else "storage"
        assert f"@binding({binding.index}) var<{space}" in write_firsts.wgsl
    assert f"fn {write_firsts.entry}(" in write_firsts.wgsl


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_no_two_resources_have_one_number(kernel: Kernel) -> None:
    """The layout and the shader say the same, and no name is bound twice."""
    declared = re.findall(r"@binding\((\d+)\) var<[^>]*> (\w+)", kernel.wgsl)
    assert [int(number) for number, _ in declared] == [b.index for b in kernel.bindings]
    assert len({number for number, _ in declared}) == len(declared)
    assert len({name for _, name in declared}) == len(declared)


def test_the_uniform_has_the_fields_of_its_struct() -> None:
    words = plan(BucketLoad(1, 2, 3), [SlotLoad(0, 1)]).params
    assert [field.name for field in params.type.fields] == list(words._fields)


def test_the_twins_of_the_three_passes_make_the_scan() -> None:
    rng = np.random.default_rng(8)
    for n in (0, 1, 1023, 1024, 1025, 3000):
        table = rng.integers(0, 9, (n, 8)).astype(np.uint32)
        blocks = -(-n // 1024)
        words = np.array([n, blocks, 0, 0, 0], np.uint32)
        sums = np.full((blocks + 1, 2), 99, np.uint32)
        firsts = np.full((n + 1, 2), 99, np.uint32)
        sum_blocks.twin(words, table, sums)
        scan_sums.twin(words, sums)
        write_firsts.twin(words, table, sums, firsts)
        assert np.array_equal(firsts, scan_reference(table))


def test_cpython_runs_what_the_twins_say() -> None:
    rng = np.random.default_rng(4)
    table = random_records(rng, 12)
    firsts = scan_reference(table)
    emitted, vertices = map(int, firsts[-1])
    page = rng.integers(0, 2**32, 64, dtype=np.uint64).astype(np.uint32)
    ranges = np.array([[0, 5, 0, 1], [5, 5, 0, 0], [5, 12, 64 * emitted, 1]], np.uint32)
    slots = [SlotLoad(0, 5, 0, emitted), SlotLoad(5, 5), SlotLoad(5, 12, 64 * emitted, emitted)]
    words, dispatches = plan(BucketLoad(12, emitted, vertices), slots)
    last = next(item.part for item in dispatches if item.part and item.part.slot == 2)
    in_all = (params, Params(**words._asdict()), words)
    in_part = (expand_module.part, Part(**last._asdict()), last)
    tile_table = np.zeros(words.vertex_tiles + 1, np.uint32)
    indices = np.zeros(emitted, np.uint32)
    for kernel, module, (uniform, value, given), contents in (
        (write_vertex_tiles, tiles_module, in_all, [firsts, tile_table]),
        (write_args, args_module, in_all, [firsts, ranges, np.zeros(15, np.uint32)]),
        (write_indices, expand_module, in_part, [table, firsts, ranges, page, indices]),
    ):
        threads = emitted // 64 + 4
        expected = [array.copy() for array in contents]
        kernel.twin(np.array(given, np.uint32), *expected)
        with ExitStack() as stack:
            stack.enter_context(uniform.bound_to(value))
            for binding, array in zip(kernel.bindings[1:], contents, strict=True):
                structured = array.reshape(-1).view(RECORD) if array is table else array
                resource = records if array is table else getattr(module, binding.name)
                stack.enter_context(resource.bound_to(structured))
            for thread in range(threads):
                kernel.function(vec3u(thread, 0, 0), vec3u(threads, 1, 1))
        assert np.array_equal(contents[-1], expected[-1]), kernel.name
        assert contents[-1].any()


def test_cpython_scatters_what_the_twin_scatters() -> None:
    rng = np.random.default_rng(5)
    data = rng.integers(0, 2**32, 140_000, dtype=np.uint64).astype(np.uint32)
    starts = np.sort(rng.choice(14_000, 40, replace=False)) * 10
    ranges = np.stack([starts, starts + rng.choice([1, 2, 4, 7], 40)], axis=1)
    words = stage(data, ranges, [(5, 30, 11), (1000, 3, 2)])
    expected = np.zeros_like(data)
    scatter.twin(words, expected)
    result = np.zeros_like(data)
    with staged.bound_to(words), target.bound_to(result):
        for thread in range(int(words[1]) + 3):
            scatter.function(vec3u(thread, 0, 0), vec3u(4, 1, 1))
    assert np.array_equal(result, expected)
    assert result.any()
