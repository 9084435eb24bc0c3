"""Random graphs and random writes: the incremental library against its recompute-all twin."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from heapscene.adaptive import Sink, computed, cset, cval, transact
from reference import asets, avals


@pytest.fixture(autouse=True)
def without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


class Refused(Exception):
    pass


def outcome(value):
    """Read a value, an exception counting as a value."""
    try:
        return value.value
    except Refused as error:
        return ("refused", *error.args)


def picky(x):
    if x == 5:
        raise Refused(x)
    return x * 3 % 11


def add_node(rng, pairs):
    """Append a random node, real and twin, over the nodes there are."""
    a, b, c = (pairs[i] for i in rng.integers(0, len(pairs), 3))
    kind, k = int(rng.integers(0, 6)), int(rng.integers(2, 6))
    if kind == 0:
        make = lambda a, b, c, m: a.map(lambda x: x % k)
    elif kind == 1:
        make = lambda a, b, c, m: m(lambda: a.value + k * b.value)
    elif kind == 2:
        make = lambda a, b, c, m: m(lambda: b.value if a.value % 2 else c.value)
    elif kind == 3:
        make = lambda a, b, c, m: a.bind(lambda x: (c, b)[x % 2])
    elif kind == 4:
        make = lambda a, b, c, m: a.map(picky)
    else:  # nodes made inside an evaluation
        make = lambda a, b, c, m: m(lambda: a.map(lambda x: x + k).bind(lambda _: b).value)
    pairs.append(
        (make(a[0], b[0], c[0], computed), make(a[1], b[1], c[1], avals.computed)),
    )


@pytest.mark.parametrize("seed", range(4))
def test_values_agree_with_the_twin(seed):
    rng = np.random.default_rng(seed)
    cells = [(cval(i), avals.Cell(i)) for i in range(5)]
    pairs = list(cells)
    for _ in range(15):
        add_node(rng, pairs)
    sink = Sink()
    known = {}
    for step in range(500):
        with transact():
            for _ in range(rng.integers(1, 4)):
                real, twin = cells[rng.integers(0, len(cells))]
                real.value = twin.content = int(rng.integers(0, 8))
        check_sink(sink, known)
        for i in rng.integers(0, len(pairs), 3):
            assert outcome(pairs[i][0]) == outcome(pairs[i][1]), (seed, step)
        if rng.random() < 0.1:
            if len(pairs) > 24:
                del pairs[5 + int(rng.integers(0, 10))]
            add_node(rng, pairs)
        pair = pairs[rng.integers(0, len(pairs))]
        if pair not in known and len(known) < 8:
            sink.watch(pair[0], pair)
            known[pair] = outcome(pair[0])
        elif known and rng.random() < 0.1:
            pair = next(iter(known))
            sink.unwatch(pair[0], pair)
            del known[pair]


def check_sink(sink, known):
    """Pull what the sink reports; then everything watched has to be known as it is."""
    for pair in sink.drain():
        known[pair] = outcome(pair[0])
        if isinstance(known[pair], tuple):
            sink.retry(pair)
    for pair, value in known.items():
        assert value == outcome(pair[1])


def add_set(rng, pairs, flags):
    """Append a random set, real and twin, over the sets there are."""
    a, b, c = (pairs[i] for i in rng.integers(0, len(pairs), 3))
    kind, k = int(rng.integers(0, 8)), int(rng.integers(2, 6))

    def make(side, a, b, c):
        flag = [pair[side] for pair in flags]
        if kind == 0:
            return a.map(lambda x: x % k)
        if kind == 1:
            return a.map(lambda x: x * flag[x % 3].value % 12)
        if kind == 2:
            return a.filter(lambda x: flag[x % 3].value % 2 == 0)
        if kind == 3:
            return a.union(b, c)
        if kind == 4:
            return a.bind(lambda x: b if flag[x % 3].value % 2 else c)
        if kind == 5:
            return choose(flag[k % 3], b, c)
        if kind == 6:  # fails in the elements
            return a.map(lambda x: refuse(x, flag[x % 3].value == 5 and x % k == 0))
        # fails in the choice of sets
        return a.bind(lambda x: (b, c)[refuse(x, flag[0].value == 5) % 2])

    pairs.append((make(0, a[0], b[0], c[0]), make(1, a[1], b[1], c[1])))


def refuse(x, condition):
    if condition:
        raise Refused
    return x


def elements(twin):
    try:
        return set(twin.elements())
    except Refused:
        return None


def contents(real):
    try:
        return set(real)
    except Refused:
        return None


def check_set_sink(sink, known):
    for pair in sink.drain():
        known[pair] = contents(pair[0])
        if known[pair] is None:
            sink.retry(pair)
    for pair, content in known.items():
        assert content == elements(pair[1])


def choose(flag, b, c):
    if isinstance(flag, avals.Value):
        return asets.Set(lambda: iter((b if flag.value % 2 else c).elements()))
    return flag.bind_set(lambda x: (c, b)[x % 2])


@pytest.mark.parametrize("seed", range(4))
def test_sets_agree_with_the_twin(seed):
    rng = np.random.default_rng(100 + seed)
    cells = [(cset(range(i)), asets.SetCell(range(i))) for i in range(4)]
    flags = [(cval(i), avals.Cell(i)) for i in range(3)]
    pairs = list(cells)
    for _ in range(10):
        add_set(rng, pairs, flags)
    readers = []
    sink, known = Sink(), {}
    for step in range(500):
        for _ in range(rng.integers(1, 4)):
            real, twin = cells[rng.integers(0, len(cells))]
            change = rng.integers(0, 12, 2).tolist(), rng.integers(0, 12, 2).tolist()
            real.update(*change)
            twin.update(*change)
            if rng.random() < 0.3:
                real, twin = flags[rng.integers(0, 3)]
                real.value = twin.content = int(rng.integers(0, 6))
        check_set_sink(sink, known)
        if len(known) < 6:
            pair = pairs[rng.integers(0, len(pairs))]
            sink.watch(pair[0], pair)
            known[pair] = contents(pair[0])
        for real, twin in cells:
            assert list(real) == twin.elements()
        for i in rng.permutation(len(readers))[:4]:
            real, twin, reader, content = readers[i]
            expected = elements(twin)
            if expected is None:
                with pytest.raises(Refused):
                    reader.changes()
                continue
            delta = reader.changes()
            content[:] = asets.replay(content, delta.added, delta.removed)
            assert content == list(real), (seed, step)
            assert set(content) == expected, (seed, step)
        if len(readers) < 12 or rng.random() < 0.1:
            real, twin = pairs[rng.integers(0, len(pairs))]
            readers.append((real, twin, real.reader(), []))
        if len(readers) > 12:
            del readers[rng.integers(0, 12)]
        if rng.random() < 0.05:
            if len(pairs) > 16:
                del pairs[4 + int(rng.integers(0, 8))]
            add_set(rng, pairs, flags)
