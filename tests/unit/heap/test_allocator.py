from __future__ import annotations

import pytest

from heapscene.heap import Allocator


def test_offset_zero_is_never_given():
    allocator = Allocator(64)
    assert allocator.allocate(1) == 16
    assert allocator.allocate(33) == 0
    assert allocator.allocate(32) == 32
    assert allocator.allocate(1) == 0


def test_sizes_are_rounded_once():
    allocator = Allocator(1024)
    offsets = [allocator.allocate(nbytes) for nbytes in (17, 16, 0, 1)]
    assert offsets == [16, 48, 64, 80]
    assert allocator.live_bytes == 32 + 16 + 16 + 16
    allocator.release(48)
    assert allocator.allocate(17) == 96
    assert allocator.allocate(16) == 48


def test_release_at_the_end_lowers_the_cursor_past_older_holes():
    allocator = Allocator(1024)
    a, b, c = (allocator.allocate(16) for _ in range(3))
    allocator.release(a)
    allocator.release(b)
    assert allocator.cursor == c + 16
    allocator.release(c)
    assert allocator.cursor == 16
    allocator.check()


def test_neighbours_merge():
    allocator = Allocator(1024)
    blocks = [allocator.allocate(32) for _ in range(4)]
    for at in (0, 2, 1):
        allocator.release(blocks[at])
        allocator.check()
    assert allocator.allocate(96) == blocks[0]


def test_smallest_block_that_fits_is_taken():
    allocator = Allocator(4096)
    big, _, small, _ = (allocator.allocate(nbytes) for nbytes in (160, 16, 48, 16))
    allocator.release(big)
    allocator.release(small)
    assert allocator.allocate(40) == small
    assert allocator.allocate(40) == big


@pytest.mark.parametrize("offset", [0, 16, 32, 48])
def test_release_of_what_is_not_live_raises(offset):
    allocator = Allocator(1024)
    allocator.release(allocator.allocate(64))
    allocator.allocate(8)
    allocator.release(16)
    with pytest.raises(ValueError, match=f"offset {offset} is not allocated"):
        allocator.release(offset)


def test_check_sees_an_overlap():
    allocator = Allocator(1024)
    allocator.allocate(16)
    allocator.allocate(16)
    allocator._free[16] = 32
    with pytest.raises(AssertionError, match="gap or overlap at 48"):
        allocator.check()


def test_live_ranges_are_told_apart_from_free_ones():
    allocator = Allocator(4096)
    many = allocator.allocate_many(20, 5)
    one = allocator.allocate(100)
    allocator.release(many[1])
    assert allocator.live() == {many[0]: 32, **dict.fromkeys(many[2:], 32), one: 112}
    assert allocator.allocate(1) == many[1]
    assert allocator.live()[many[1]] == 16
    allocator.check()
