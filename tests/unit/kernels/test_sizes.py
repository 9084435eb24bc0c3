"""Sizes up to where 32 bits end, by arithmetic: nothing here is allocated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from heapscene.errors import GpuError, HeapFullError
from heapscene.gpu import DEFAULT_LIMITS
from heapscene.kernels import BucketLoad, buffer_sizes, plan, workgroups, write_indices
from heapscene.render.bucket_gpu import choose_encoding, room_for

MOST = DEFAULT_LIMITS["max-compute-workgroups-per-dimension"]
BINDING = DEFAULT_LIMITS["max-storage-buffer-binding-size"]
BUFFER = DEFAULT_LIMITS["max-buffer-size"]
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
def test_every_pass_covers_what_there_is(emitted: int, encoding: Any) -> None:
    load = BucketLoad(records=5_000_000, emitted=emitted, vertices=emitted // 3, slots=300)
    dispatches = plan(load, encoding)
    sizes = buffer_sizes(load, encoding)
    by_name = {item.kernel.name: item for item in dispatches}
    elements = load.vertices if encoding == "expanded" else emitted
    tiles = by_name["write_tiles"].params.tiles
    assert tiles * 64 >= elements > (tiles - 1) * 64
    assert sizes.table == (tiles + 1) * 4
    for name, count in (("write_tiles", tiles + 1), ("write_args", 300)):
        x, y, _ = by_name[name].groups
        assert x * y * 64 >= count
    x, y, _ = by_name["sum_blocks"].groups
    assert x * y * 1024 >= load.records
    assert sizes.firsts == 8 * 5_000_001
    words = [number for item in dispatches for number in item.params]
    assert all(0 <= number < 2**32 for number in words)
    windows = [item for item in dispatches if item.window]
    if encoding == "mega":
        assert not windows
        return
    assert sizes.indices == 4 * emitted
    at = 0
    for item in windows:
        assert item.window is not None
        offset, nbytes = item.window
        assert (offset, nbytes) == (at * 4, (item.params.stop - at) * 4)
        assert item.params.first == at
        assert offset % 256 == 0
        assert 0 < nbytes <= BINDING
        x, y, _ = item.groups
        # The kernel compares walks before it multiplies by 64, so that nothing wraps around.
        assert x * y * 64 >= -(-(item.params.stop - at) // 64)
        at = item.params.stop
    assert at == emitted


def bucket(emitted: int, vertices: int = 0) -> Any:
    return SimpleNamespace(emitted=emitted, vertices=vertices)


def test_where_the_encodings_end() -> None:
    fits = BUFFER // 4
    for wanted in ("auto", "expanded"):
        assert choose_encoding(bucket(fits), wanted, BUFFER, BUFFER) == "expanded"
        assert choose_encoding(bucket(fits + 1), wanted, 2**40, BUFFER) == "mega"
        assert choose_encoding(bucket(10, 2**32 - 1), wanted, BUFFER, BUFFER) == "expanded"
        assert choose_encoding(bucket(10, 2**32), wanted, BUFFER, BUFFER) == "mega"
        assert choose_encoding(bucket(BILLION), wanted, 2**40, BUFFER) == "mega"
        assert choose_encoding(bucket(2**32 - 1), wanted, 2**40, BUFFER) == "mega"
        with pytest.raises(HeapFullError, match="4,294,967,296 indices\n  largest  4,294,967,295"):
            choose_encoding(bucket(2**32), wanted, 2**40, BUFFER)
    assert choose_encoding(bucket(11), "auto", 40, BUFFER) == "mega"
    assert choose_encoding(bucket(10), "auto", 40, BUFFER) == "expanded"


def test_a_billion_indices_fit_the_default_limits() -> None:
    sizes = buffer_sizes(BucketLoad(records=4_000_000, emitted=BILLION, vertices=0), "mega")
    assert max(sizes) <= BINDING
    half = buffer_sizes(BucketLoad(records=1, emitted=2**31 - 64, vertices=0), "mega")
    assert half.table == BINDING
    assert buffer_sizes(BucketLoad(1, 2**31, 0), "mega").table > BINDING


@pytest.mark.parametrize("count", [1, 1000, BILLION, 2**32 - 2, 2**32 - 1])
def test_room_stays_within_32_bits(count: int) -> None:
    assert count <= room_for(count, 0, 2**32 - 1) <= max(2**32 - 1, count)
