"""Which way changed words go, how many bytes that costs, and that they arrive."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.gpu import Counters, Mirror, Pipelines, Scatter, Usage, read_buffer
from heapscene.gpu.upload import LEAST_COMB, join, route, stage
from heapscene.heap import Words
from heapscene.kernels import scatter, scatter_reference


def rows(places: np.ndarray, length: int) -> np.ndarray:
    return np.stack([places, places + length], axis=1).astype(np.int64)


def sent(ranges: np.ndarray, data: np.ndarray) -> int:
    """Return the bytes that the chosen route sends."""
    written, scattered = route(ranges)
    total = int((written[:, 1] - written[:, 0]).sum()) * 4
    return total + (stage(data, scattered).nbytes if len(scattered) else 0)


@pytest.mark.parametrize("length", [3, 4, 8, 16])
@pytest.mark.parametrize("k", [1, 2, 30, 100, 1_000, 10_000, 99_999, 100_000])
def test_rows_cost_a_fifth_more_than_their_bytes(length: int, k: int) -> None:
    rng = np.random.default_rng(k)
    data = np.zeros(100_000 * length + 64, np.uint32)
    ranges = join_touching(rows(np.sort(rng.choice(100_000, k, replace=False)) * length, length))
    assert sent(ranges, data) <= 1.2 * k * length * 4 + 4096
    assert sent(ranges, data) <= 8 * k * length * 4


def test_a_few_small_changes_cost_at_most_eight_times_their_bytes() -> None:
    data = np.zeros(1 << 25, np.uint32)
    for k in (2, 31, 60, 500):
        for step in (9, 100, len(data) // k):
            ranges = rows(np.arange(k) * step, 1)
            assert sent(ranges, data) <= 8 * k * 4


def join_touching(ranges: np.ndarray) -> np.ndarray:
    cut = np.flatnonzero(ranges[1:, 0] > ranges[:-1, 1])
    starts = np.concatenate([ranges[:1, 0], ranges[cut + 1, 0]])
    return np.stack([starts, np.concatenate([ranges[cut, 1], ranges[-1:, 1]])], axis=1)


def test_the_smallest_gaps_are_sent_too() -> None:
    ranges = np.array([[0, 10], [11, 20], [50, 60], [63, 70], [1000, 1001]])
    # 37 words changed: 775 of slack take all gaps but the last.
    assert join(ranges).tolist() == [[0, 70], [1000, 1001]]
    # A word allows seven more.
    assert join(np.array([[0, 1], [9, 10], [30, 31]])).tolist() == [[0, 10], [30, 31]]


def test_few_ranges_are_written_and_many_scattered() -> None:
    few = rows(np.arange(30) * 5000, 4)
    many = rows(np.arange(31) * 5000, 4)
    assert route(few).written.tolist() == few.tolist()
    assert not len(route(few).scattered)
    assert not len(route(many).written)
    assert route(many).scattered.tolist() == many.tolist()
    assert route(many, may_scatter=False).written.tolist() == many.tolist()


def test_long_ranges_are_written_beside_a_scatter() -> None:
    many = rows(np.arange(100) * 5000, 4)
    long = np.array([[1_000_000, 1_050_000]])
    plan = route(np.concatenate([many, long]))
    assert plan.written.tolist() == long.tolist()
    assert plan.scattered.tolist() == many.tolist()


def test_where_much_changed_the_span_is_written() -> None:
    every_second = rows(np.arange(10_000) * 2, 1)
    assert route(every_second).written.tolist() == [[0, 19_999]]
    assert not len(route(every_second).scattered)
    every_fifth = rows(np.arange(10_000) * 5, 1)
    assert len(route(every_fifth).scattered) == 10_000


@pytest.mark.parametrize("seed", range(8))
def test_the_twin_puts_staged_words_in_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.choice([500, 70_000, 400_000]))
    data = rng.integers(0, 2**32, size, dtype=np.uint64).astype(np.uint32)
    ranges = random_ranges(rng, size)[: 0 if seed == 7 else None]
    combs = [(7, int(rng.integers(1, 90)), 5), (3, 20, 2)][: seed % 3]
    before = np.zeros(size, np.uint32)
    expected = before.copy()
    for start, stop in ranges:
        expected[start:stop] = data[start:stop]
    for start, count, stride in combs:
        places = start + np.arange(count) * stride
        expected[places] = data[places]
    assert np.array_equal(scatter_reference(stage(data, ranges, combs), before), expected)


def random_ranges(rng: np.random.Generator, size: int) -> np.ndarray:
    count = int(rng.integers(1, 60))
    cuts = np.sort(rng.choice(size, 2 * count, replace=False)).reshape(-1, 2)
    lengths = rng.choice([1, 2, 3, 4, 5, 16, 20, 33], count) if rng.random() < 0.7 else 4
    cuts[:, 1] = np.minimum(cuts[:, 0] + lengths, cuts[:, 1])
    return cuts.astype(np.int64)


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(4))
def test_random_scatters_arrive(device, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counters = Counters()
    sender = Scatter(Pipelines(device, counters), scatter)
    mirror, words = Mirror(device, "m", Usage.STORAGE, counters, scatter=sender), Words()
    words.resize(300_000)
    mirror.sync(words)
    for length in (1, 3, 4, 16, 7):
        before = counters.snapshot()
        k = int(rng.integers(100, 3000))
        places = rng.choice((words.used - length) // 20, k, replace=False) * 20
        for place in places.tolist():
            words.write(place, rng.integers(1, 2**32, length, dtype=np.uint32).tobytes())
        for place in rng.integers(0, words.used - 200, 3).tolist():
            words.write(place, rng.integers(1, 2**32, 200, dtype=np.uint32))
        if seed % 2:
            words.dirty.add_comb(*comb(words, rng))
        mirror.sync(words)
        sender.submit()
        since = counters.since(before)
        assert (since.compute_passes, since.upload_writes) == (1, 1)
        got = read_buffer(device, mirror.buffer, words.used * 4).view(np.uint32)
        assert np.array_equal(got, words.data[: words.used])
    before = counters.snapshot()
    mirror.sync(words)
    assert counters.since(before) == Counters()
    mirror.close()


def comb(words: Words, rng: np.random.Generator) -> tuple[int, int, int]:
    """Change words at equal distances; return where, how many, and the distance."""
    stride = int(rng.integers(2, 12))
    start, count = int(rng.integers(0, 1000)), int(rng.integers(LEAST_COMB, 20_000))
    inside = words.data[start : start + (count - 1) * stride + 1 : stride]
    inside[:] = rng.integers(1, 2**32, count, dtype=np.uint32)
    return start, count, stride


@pytest.mark.gpu
def test_what_is_sent_twice_before_it_is_encoded_arrives(device) -> None:
    counters = Counters()
    sender = Scatter(Pipelines(device, counters), scatter)
    mirror, words = Mirror(device, "m", Usage.STORAGE, counters, scatter=sender), Words()
    words.resize(100_000)
    mirror.sync(words)
    rng = np.random.default_rng(1)
    for _ in range(2):
        words.dirty.add_comb(*comb(words, rng))
        mirror.sync(words)
    assert sender
    encoder = device.create_command_encoder()
    sender.encode(encoder)
    assert not sender
    device.queue.submit([encoder.finish()])
    got = read_buffer(device, mirror.buffer, words.used * 4).view(np.uint32)
    assert np.array_equal(got, words.data[: words.used])
    words.dirty.add_comb(*comb(words, rng))
    mirror.sync(words)
    mirror.close()
    sender.submit()  # what was sent to a buffer that is no more is forgotten


@pytest.mark.gpu
@pytest.mark.parametrize("inside", [0, 1, 5, LEAST_COMB - 1, LEAST_COMB, LEAST_COMB + 500])
def test_a_comb_that_reaches_past_what_was_sent_arrives(device, inside: int) -> None:
    counters = Counters()
    sender = Scatter(Pipelines(device, counters), scatter)
    mirror, words = Mirror(device, "m", Usage.STORAGE, counters, scatter=sender), Words()
    start, stride, count = 7, 3, LEAST_COMB + 1000
    # The buffer has room, so that what grows is sent beside what is known, and not all anew.
    for used in (start + count * stride, start + inside * stride):
        words.resize(used)
        mirror.sync(words, may_shrink=False)
    words.resize(start + count * stride)
    words.data[start : words.used : stride] = np.arange(1, count + 1)
    words.dirty.drain()
    words.dirty.add_comb(start, count, stride)
    mirror.sync(words)
    sender.submit()
    got = read_buffer(device, mirror.buffer, words.used * 4).view(np.uint32)
    assert np.array_equal(got, words.data[: words.used])
    mirror.close()
