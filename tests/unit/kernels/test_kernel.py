from __future__ import annotations

from typing import Annotated

import numpy as np

from heapscene.kernels import scan_reference, scan_sums, sum_blocks, write_firsts
from heapscene.kernels.kernel import Params, Storage, raw_kernel


def test_the_signature_declares_the_bindings() -> None:
    @raw_kernel("fn main() {}", workgroup_size=32)
    def fill(
        params: Params,
        source: Annotated[np.ndarray, Storage("array<u32>", "read")],
        target: Annotated[np.ndarray, Storage("array<f32>", "read_write")],
    ) -> None:
        target[:] = source

    assert fill.name == "fill"
    assert [(b.index, b.name, b.kind) for b in fill.bindings] == [
        (0, "params", "uniform"),
        (1, "source", "read-only-storage"),
        (2, "target", "storage"),
    ]
    assert "@group(0) @binding(2) var<storage, read_write> target: array<f32>;" in fill.wgsl
    assert fill.wgsl.endswith("fn main() {}")


def test_the_twins_of_the_three_passes_make_the_scan() -> None:
    rng = np.random.default_rng(8)
    for n in (0, 1, 1023, 1024, 1025, 3000):
        records = rng.integers(0, 9, (n, 8)).astype(np.uint32)
        blocks = -(-n // 1024)
        params = np.array([n, blocks, 0, 0, 0, 0, 0], np.uint32)
        sums = np.full((blocks + 1, 2), 99, np.uint32)
        firsts = np.full((n + 1, 2), 99, np.uint32)
        sum_blocks.twin(params, records, sums)
        scan_sums.twin(params, sums)
        write_firsts.twin(params, records, sums, firsts)
        assert np.array_equal(firsts, scan_reference(records))
