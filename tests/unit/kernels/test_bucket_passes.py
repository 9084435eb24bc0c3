from __future__ import annotations

import pytest

from heapscene.errors import GpuError
from heapscene.kernels import (
    BucketLoad,
    buffer_sizes,
    plan,
    workgroups,
    write_indices,
)


def names(dispatches) -> list[str]:
    return [item.kernel.name for item in dispatches]


def test_mega_needs_no_index_buffer() -> None:
    load = BucketLoad(records=10, emitted=1000, vertices=300)
    scan = ["sum_blocks", "scan_sums", "write_firsts", "write_tiles", "write_args"]
    assert names(plan(load, "mega")) == scan
    assert names(plan(load, "expanded")) == [*scan, "write_indices"]
    assert buffer_sizes(load, "mega").indices == 0
    assert buffer_sizes(load, "expanded").indices == 4000


def test_the_tile_table_is_of_what_the_vertex_shader_searches() -> None:
    load = BucketLoad(records=10, emitted=1000, vertices=300)
    for encoding, tile_count, axis in (("mega", 16, 0), ("expanded", 5, 1)):
        params = plan(load, encoding)[0].params
        assert (params.tiles, params.axis) == (tile_count, axis)
        assert buffer_sizes(load, encoding).table == (tile_count + 1) * 4


def test_an_empty_bucket_is_still_scanned() -> None:
    dispatches = plan(BucketLoad(0, 0, 0), "expanded")
    assert names(dispatches)[-1] == "write_args"
    assert all(item.groups == (1, 1, 1) for item in dispatches)


@pytest.mark.parametrize(
    ("invocations", "groups"),
    [
        (0, (1, 1, 1)),
        (64, (1, 1, 1)),
        (65, (2, 1, 1)),
        (64 * 65_535, (65_535, 1, 1)),
        (64 * 65_535 + 1, (32_768, 2, 1)),
        (2**32 - 1, (65_473, 1025, 1)),
    ],
)
def test_workgroups_cover_and_stay_within_limits(invocations: int, groups: tuple) -> None:
    assert workgroups(invocations, write_indices) == groups


def test_records_beyond_a_row_of_workgroups() -> None:
    dispatches = plan(BucketLoad(records=70_000 * 1024, emitted=1, vertices=1), "mega")
    assert dispatches[0].groups == (35_000, 2, 1)
    assert dispatches[1].groups == (1, 1, 1)


def test_a_long_index_buffer_is_written_in_aligned_windows() -> None:
    load = BucketLoad(records=3, emitted=1000, vertices=10)
    windows = [item for item in plan(load, "expanded", window_bytes=1100) if item.window]
    assert [item.window for item in windows] == [(0, 1024), (1024, 1024), (2048, 1024), (3072, 928)]
    assert all(item.window[0] % 256 == 0 and item.window[1] <= 1100 for item in windows)
    assert [(item.params.first, item.params.stop) for item in windows] == [
        (0, 256),
        (256, 512),
        (512, 768),
        (768, 1000),
    ]
    assert all(item.params.records == 3 for item in windows)


def test_more_than_32_bits_raises_with_numbers() -> None:
    with pytest.raises(GpuError, match="4,294,967,296"):
        plan(BucketLoad(records=1, emitted=2**32, vertices=1), "mega")


def test_only_the_expanded_encoding_numbers_vertices() -> None:
    load = BucketLoad(records=1, emitted=300, vertices=2**32)
    assert names(plan(load, "mega"))[-1] == "write_args"
    with pytest.raises(GpuError, match="vertices"):
        plan(load, "expanded")
