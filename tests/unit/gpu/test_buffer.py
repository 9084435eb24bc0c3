from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from heapscene.errors import GpuError
from heapscene.gpu import Counters, GpuBuffer, Mirror, SmallBuffer, Usage, read_buffer
from heapscene.heap import Words

pytestmark = pytest.mark.gpu
STORAGE = Usage.STORAGE


def write(words: Words, start: int, values: Sequence[int] | np.ndarray) -> None:
    stop = start + len(values)
    if stop > words.used:
        words.resize(stop)
    words.write(start, np.asarray(values, np.uint32))


def check(mirror: Mirror, words: Words) -> None:
    got = read_buffer(mirror.device, mirror.buffer, words.used * 4).view(np.uint32)
    assert np.array_equal(got, words.data[: words.used])


def test_an_empty_mirror_has_a_buffer(device) -> None:
    mirror = Mirror(device, "m", STORAGE, Counters())
    mirror.sync(Words())
    assert mirror.buffer.size == mirror.nbytes == 256


def test_only_dirty_ranges_are_sent(device) -> None:
    counters = Counters()
    mirror, words = Mirror(device, "m", STORAGE, counters), Words()
    write(words, 0, range(7, 507))
    mirror.sync(words)
    before = counters.snapshot()
    write(words, 3, [1])
    write(words, 400, [2, 3])
    mirror.sync(words)
    assert counters.since(before) == Counters(bytes_uploaded=12, upload_writes=2)
    check(mirror, words)


def test_equal_bytes_and_nothing_new_send_nothing(device) -> None:
    counters = Counters()
    mirror, words = Mirror(device, "m", STORAGE, counters), Words()
    write(words, 0, range(10))
    mirror.sync(words)
    before, generation = counters.snapshot(), mirror.generation
    write(words, 0, range(10))
    mirror.sync(words)
    assert counters.since(before) == Counters()
    assert mirror.generation == generation


def test_growth_doubles_sends_the_used_part_once_and_frees_the_old(device) -> None:
    counters = Counters()
    mirror, words = Mirror(device, "m", STORAGE, counters), Words()
    write(words, 0, range(64))
    mirror.sync(words)
    assert (mirror.nbytes, mirror.generation) == (256, 1)
    old, before = mirror.buffer, counters.snapshot()
    write(words, 64, range(100))
    write(words, 5, [9])
    mirror.sync(words)
    assert (mirror.nbytes, mirror.generation) == (1024, 2)
    assert counters.since(before) == Counters(164 * 4, 1, 1)
    assert mirror.buffer is not old
    check(mirror, words)


def test_words_beyond_the_used_part_are_sent_when_they_become_used(device) -> None:
    mirror, words = Mirror(device, "m", STORAGE, Counters()), Words(32)
    write(words, 0, range(1, 21))
    mirror.sync(words)
    write(words, 10, [77] * 4)
    words.used = 4
    mirror.sync(words)
    words.used = 20  # what was dropped above is in use again, and nothing is dirty
    mirror.sync(words)
    check(mirror, words)


@pytest.mark.parametrize("seed", range(3))
def test_random_writes_arrive(device, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mirror, words = Mirror(device, "m", STORAGE, Counters()), Words()
    for _ in range(30):
        for _ in range(int(rng.integers(0, 60))):
            start = int(rng.integers(0, words.used + 20))
            length = int(rng.integers(1, 30))
            write(words, start, rng.integers(0, 5, length).astype(np.uint32))
        mirror.sync(words)
        check(mirror, words)


def test_too_large_raises_with_numbers_and_drains_nothing(device) -> None:
    mirror, words = Mirror(device, "page 3", STORAGE, Counters()), Words()
    words.used = (128 << 20) // 4 + 1
    words.dirty.add(0, 1)
    with pytest.raises(GpuError, match=r"'page 3' cannot grow to 134,217,732 bytes"):
        mirror.sync(words)
    assert words.dirty.drain().tolist() == [[0, 1]]


def test_a_capacity_stops_at_the_limit_and_not_at_a_power_of_two(device) -> None:
    buffer = GpuBuffer(device, "b", STORAGE, Counters(), max_bytes=1000)
    buffer.ensure(600)
    assert buffer.nbytes == 1000


def test_a_closed_buffer_says_so(device) -> None:
    buffer = GpuBuffer(device, "b", STORAGE, Counters())
    buffer.ensure(1)
    buffer.close()
    buffer.close()
    with pytest.raises(GpuError, match="'b' is used before it has a size, or after close"):
        buffer.buffer


def test_ensure_replaces_only_when_too_small(device) -> None:
    buffer = GpuBuffer(device, "b", STORAGE, Counters())
    assert [buffer.ensure(n) for n in (10, 256, 257, 300)] == [True, False, True, False]
    assert buffer.generation == 2


def test_a_uniform_is_sent_when_its_bytes_differ(device) -> None:
    counters = Counters()
    uniform = SmallBuffer(device, "u", Usage.UNIFORM, counters)
    values = np.array([1, 2, 3, 4], np.float32)
    assert uniform.write(values)
    assert not uniform.write(values.copy())
    assert uniform.write(values * 2)
    assert (counters.bytes_uploaded, counters.upload_writes) == (32, 2)
    generation = uniform.generation
    assert uniform.write(bytes(1024))
    assert uniform.generation == generation + 1
    assert not uniform.write(b"")
