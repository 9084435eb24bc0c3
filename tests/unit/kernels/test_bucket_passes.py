from __future__ import annotations

import pytest

from heapscene.errors import GpuError
from heapscene.kernels import (
    BucketLoad,
    SlotLoad,
    buffer_sizes,
    plan,
    workgroups,
    write_emitted_tiles,
    write_indices,
    write_vertex_tiles,
)

MEGA = SlotLoad(0, 10)
EXPANDED = SlotLoad(0, 10, window=0, room=1000)
FIRST = ["sum_blocks", "scan_sums", "write_firsts"]


def names(made) -> list[str]:
    return [item.kernel.name for item in made.dispatches]


def test_mega_needs_no_index_buffer() -> None:
    load = BucketLoad(records=10, emitted=1000, vertices=300)
    assert names(plan(load, [MEGA])) == [*FIRST, "write_tiles", "write_args"]
    assert names(plan(load, [EXPANDED])) == [*FIRST, "write_tiles", "write_args", "write_indices"]
    assert buffer_sizes(load, [MEGA]).indices == 0
    assert buffer_sizes(load, [EXPANDED]).indices == 4000


def test_tile_tables_are_of_what_the_vertex_shaders_search() -> None:
    load = BucketLoad(records=10, emitted=1000, vertices=300)
    for slot, kernel, tables in (
        (MEGA, write_emitted_tiles, (68, 0)),
        (EXPANDED, write_vertex_tiles, (0, 24)),
    ):
        made = plan(load, [slot])
        assert (made.params.emitted_tiles, made.params.vertex_tiles) == (16, 5)
        assert made.dispatches[3].kernel is kernel
        sizes = buffer_sizes(load, [slot])
        assert (sizes.emitted_tiles, sizes.vertex_tiles) == tables


def test_a_bucket_may_hold_slots_of_both_encodings() -> None:
    load = BucketLoad(records=30, emitted=3000, vertices=300)
    slots = [MEGA, SlotLoad(10, 20, 64, 900), SlotLoad(20, 30, 1024, 1000)]
    dispatches = plan(load, slots).dispatches
    assert [item.kernel for item in dispatches[3:5]] == [write_emitted_tiles, write_vertex_tiles]
    expansions = [(item.part.slot, item.window) for item in dispatches if item.part]
    assert expansions == [(1, (256, 3600)), (2, (4096, 4000))]
    assert buffer_sizes(load, slots).indices == 4 * 2024
    assert buffer_sizes(load, slots).arguments == 60


def test_an_empty_bucket_is_still_scanned() -> None:
    made = plan(BucketLoad(0, 0, 0), [])
    assert names(made) == [*FIRST, "write_args"]
    assert all(item.groups == (1, 1, 1) for item in made.dispatches)


@pytest.mark.parametrize(
    ("invocations", "groups"),
    [
        (0, (1, 1, 1)),
        (64, (1, 1, 1)),
        (65, (2, 1, 1)),
        (64 * 65_535, (65_535, 1, 1)),
        (64 * 65_535 + 1, (65_535, 2, 1)),
        (2**32 - 1, (65_535, 1025, 1)),
    ],
)
def test_workgroups_cover_and_stay_within_limits(invocations: int, groups: tuple) -> None:
    assert workgroups(invocations, write_indices) == groups


def test_records_beyond_a_row_of_workgroups() -> None:
    dispatches = plan(BucketLoad(records=70_000 * 1024, emitted=1, vertices=1), [MEGA]).dispatches
    assert dispatches[0].groups == (65_535, 2, 1)
    assert dispatches[1].groups == (1, 1, 1)


def test_a_long_range_of_indices_is_written_in_aligned_windows() -> None:
    load = BucketLoad(records=3, emitted=1000, vertices=10)
    slot = SlotLoad(0, 3, window=128, room=1000)
    windows = [item for item in plan(load, [slot], window_bytes=1100).dispatches if item.part]
    assert [item.window for item in windows] == [
        (512, 1024),
        (1536, 1024),
        (2560, 1024),
        (3584, 928),
    ]
    assert all(item.window[0] % 256 == 0 and item.window[1] <= 1100 for item in windows)
    assert [(item.part.first, item.part.stop) for item in windows] == [
        (0, 256),
        (256, 512),
        (512, 768),
        (768, 1000),
    ]


def test_more_than_32_bits_raises_with_numbers() -> None:
    with pytest.raises(GpuError, match="4,294,967,296"):
        plan(BucketLoad(records=1, emitted=2**32, vertices=1), [MEGA])


def test_only_the_expanded_encoding_numbers_vertices() -> None:
    load = BucketLoad(records=1, emitted=300, vertices=2**31)
    assert names(plan(load, [MEGA]))[-1] == "write_args"
    with pytest.raises(GpuError, match="vertices"):
        plan(load, [EXPANDED])
