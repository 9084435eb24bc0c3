from __future__ import annotations

from heapscene.heap import Page
from heapscene.heap.page import Piece


def piece(key: str, nbytes: int) -> Piece:
    return Piece(key, nbytes, 0, bytes(nbytes))


def test_equal_keys_share():
    page, fresh = Page(0, 1024), []
    a, b = (page.acquire(piece("x", 16), fresh) for _ in "ab")
    assert a is b
    assert (a.refs, len(fresh)) == (2, 1)
    assert not page.release(a)
    assert page.release(a)
    assert page.is_empty
    assert page.allocator.live_bytes == 0


def test_all_or_nothing():
    page, fresh = Page(0, 1024), []
    kept = page.acquire(piece("kept", 16), fresh)
    before = (page.allocator.cursor, page.allocator.live_bytes, page.entries)
    assert page.acquire_all([piece("kept", 16), piece("a", 500), piece("b", 500)], fresh) is None
    assert (page.allocator.cursor, page.allocator.live_bytes, page.entries) == before
    assert kept.refs == 1
    assert not page.data.any()


def test_the_limit_holds():
    page = Page(0, 64)
    assert page.acquire(piece("a", 49), []) is None
    assert page.acquire(piece("b", 48), []) is not None
    page.fit()
    assert page.used == 16
    assert len(page.data) == 16
