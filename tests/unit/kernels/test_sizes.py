"""Sizes up to where 32 bits end, by arithmetic: nothing here is allocated."""

from __future__ import annotations

import pytest

from heapscene.errors import GpuError
from heapscene.gpu import DEFAULT_LIMITS
from heapscene.kernels import (
    BucketLoad,
    SlotLoad,
    buffer_sizes,
    plan,
    workgroups,
    write_indices,
)
from heapscene.render.slot_plans import room_for

MOST = DEFAULT_LIMITS["max-compute-workgroups-per-dimension"]
BINDING = DEFAULT_LIMITS["max-storage-buffer-binding-size"]
ROW = MOST * 64
BILLION = 10**9
SIZES = (0, 1, 63, 64, 65, 511, 512, 513, ROW - 1, ROW, ROW + 1, BILLION, 2**31, 2**32 - 1)


@pytest.mark.parametrize("count", SIZES)
def test_workgroups_cover_and_hardly_exceed(count: int) -> None:
    x, y, z = workgroups(count, write_indices)
    assert max(x, y) <= MOST
    assert z == 1
    assert x * y * 64 >= count
    assert x * y * 64 < count + 64 * (y + 1) or count == 0


def test_more_workgroups_than_there_can_be_are_refused() -> None:
    assert workgroups(MOST * MOST * 64, write_indices) == (MOST, MOST, 1)
    with pytest.raises(GpuError, match="needed  4,294,836,226\n  limit   4,294,836,225"):
        workgroups(MOST * MOST * 64 + 1, write_indices)


@pytest.mark.parametrize("emitted", SIZES)
@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_every_pass_covers_what_there_is(emitted: int, encoding: str) -> None:
    load = BucketLoad(records=5_000_000, emitted=emitted, vertices=emitted // 3)
    start = 192
    slot = SlotLoad(0, 9, start, emitted) if encoding == "expanded" else SlotLoad(0, 9)
    params, dispatches = plan(load, [slot] * 300 if encoding == "mega" else [slot])
    sizes = buffer_sizes(load, [slot])
    by_name = {item.kernel.name: item for item in dispatches}
    elements = load.vertices if encoding == "expanded" else emitted
    tiles = params.vertex_tiles if encoding == "expanded" else params.emitted_tiles
    assert tiles * 64 >= elements > (tiles - 1) * 64
    assert sizes.vertex_tiles + sizes.emitted_tiles == (tiles + 1) * 4
    for name, count in (("write_tiles", tiles + 1), ("write_args", params.slots)):
        x, y, _ = by_name[name].groups
        assert x * y * 64 >= count
    x, y, _ = by_name["sum_blocks"].groups
    assert x * y * 1024 >= load.records
    assert sizes.firsts == 8 * 5_000_001
    assert all(0 <= number < 2**32 for number in params)
    windows = [item for item in dispatches if item.window]
    if encoding == "mega":
        assert not windows
        return
    assert sizes.indices == 4 * (start + emitted)
    at = 0
    for item in windows:
        assert item.window is not None
        assert item.part is not None
        offset, nbytes = item.window
        _, first, stop = item.part
        assert (offset, nbytes) == ((start + at) * 4, (stop - at) * 4)
        assert first == at
        assert offset % 256 == 0
        assert 0 < nbytes <= BINDING
        x, y, _ = item.groups
        # The kernel compares walks before it multiplies by 64, so that nothing wraps around.
        assert x * y * 64 >= -(-(stop - at) // 64)
        at = stop
    assert at == emitted


def test_a_billion_indices_fit_the_default_limits() -> None:
    mega = [SlotLoad(0, 1)]
    assert max(buffer_sizes(BucketLoad(4_000_000, BILLION, 0), mega)) <= BINDING
    assert buffer_sizes(BucketLoad(1, 2**31 - 64, 0), mega).emitted_tiles == BINDING
    assert buffer_sizes(BucketLoad(1, 2**31, 0), mega).emitted_tiles > BINDING
    plan(BucketLoad(1, 2**32 - 1, 2**32), mega)
    with pytest.raises(GpuError, match="indices  4,294,967,296\n  limit    4,294,967,295"):
        plan(BucketLoad(1, 2**32, 0), mega)
    expanded = [SlotLoad(0, 1, 0, 64)]
    plan(BucketLoad(1, 64, 2**31 - 1), expanded)
    with pytest.raises(GpuError, match="vertices  2,147,483,648\n  limit     2,147,483,647"):
        plan(BucketLoad(1, 64, 2**31), expanded)


@pytest.mark.parametrize("count", [1, 1000, BILLION, 2**32 - 2, 2**32 - 1])
def test_room_stays_within_32_bits(count: int) -> None:
    assert count <= room_for(count, 0, 2**32 - 1) <= max(2**32 - 1, count)
