from __future__ import annotations

import numpy as np
import pytest

from heapscene.heap import Words


def used(words: int) -> Words:
    result = Words(16)
    result.resize(words)
    result.dirty.drain()
    return result


@pytest.mark.parametrize("many", [4, 200])
@pytest.mark.parametrize("kind", [bytes, np.asarray])
def test_equal_bytes_are_not_dirty(many, kind):
    words = used(1000)
    data = np.arange(1, many + 1, dtype=np.float32)
    data = data.tobytes() if kind is bytes else data
    assert words.write(12, data)
    assert words.dirty.drain().tolist() == [[12, 12 + many]]
    assert not words.write(12, data)
    assert not words.dirty
    assert words.data[12 : 12 + many].view(np.float32).tolist() == list(range(1, many + 1))


def test_only_the_differing_part_of_an_array_is_dirty():
    words = used(1000)
    data = np.arange(500, dtype=np.uint32)
    words.write(100, data)
    words.dirty.drain()
    data[7] = data[9] = 1
    words.write(100, data)
    assert words.dirty.drain().tolist() == [[107, 110]]


def test_growth_keeps_content_and_leaves_room():
    words = used(10)
    words.write(0, bytes(range(40)))
    before = words.data
    words.resize(17)
    assert len(words.data) == 24  # half as much again
    words.resize(800)
    assert len(words.data) == 850  # a sixteenth more than what comes at once
    assert words.data is not before
    assert words.data[:10].tobytes() == bytes(range(40))


def test_capacity_stops_at_the_limit():
    words = Words(16, limit=40)
    words.resize(38)
    assert len(words.data) == 40


def test_an_eighth_of_the_limit_reserves_all():
    words = Words(16, limit=800)
    words.resize(100)
    assert len(words.data) == 106
    words.write(0, bytes(range(40)))
    words.resize(107)
    assert len(words.data) == 800
    assert words.data[:10].tobytes() == bytes(range(40))
    data = words.data
    words.resize(800)
    assert words.data is data


def test_words_that_become_used_are_dirty_whatever_they_hold():
    words = used(10)
    words.write(8, b"\1" * 8)
    words.dirty.drain()
    words.resize(4)
    words.resize(10)
    words.write(8, b"\1" * 8)
    assert words.dirty.drain().tolist() == [[4, 10]]


def test_nothing_is_written_for_nothing():
    words = used(10)
    assert not words.write(3, b"")
    assert not words.write(3, np.zeros((0, 4), np.float32))
    assert not words.dirty
