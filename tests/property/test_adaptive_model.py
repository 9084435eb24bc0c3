"""All kinds of adaptive things together, in long random sequences, against the recompute-all twin.

The garbage collector is off: whatever is dropped has to go by counting references alone.
"""

import gc
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from heapscene.adaptive import Sink, evaluations, live_nodes, transact
from reference.asets import replay
from reference.graphs import Graph, Pair, Refused


@pytest.fixture(autouse=True)
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Stop(Exception):
    pass


class Known:
    """What somebody knows who only sees changes."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.content = {} if pair.kind == "dict" else []

    def take(self, delta) -> None:
        if self.pair.kind == "set":
            self.content = replay(self.content, delta.added, delta.removed)
        else:
            delta.replay(self.content)

    def check(self) -> None:
        """Compare with the collection, order included, and with the twin."""
        content = self.pair.outcome()
        assert list(self.content) == list(content)
        assert self.content == content
        assert self.pair.agrees()


class Watcher(Known):
    """A reader."""

    def __init__(self, pair: Pair) -> None:
        super().__init__(pair)
        self.reader = pair.real.reader()

    def read(self) -> None:
        if self.pair.expected() is Refused:
            with pytest.raises(Refused):
                self.reader.changes()
            return
        before = dict(self.content) if self.pair.kind == "dict" else list(self.content)
        delta = self.reader.changes()
        self.take(delta)
        check_effective(self.pair.kind, before, delta)
        self.check()
        assert not self.reader.changes()


def check_effective(kind, before, delta) -> None:
    if kind == "list":
        rest = list(before)
        for step in delta.operations:
            assert step.kind != "set" or rest[step.at] != step.value
            type(delta)([step]).replay(rest)
    elif kind == "dict":
        for key, value in delta.assigned.items():
            assert key in delta.removed or before.get(key) != value


class Caller(Known):
    """A callback, on something that never fails."""

    def __init__(self, pair: Pair) -> None:
        super().__init__(pair)
        if pair.kind == "val":
            self.content = pair.real.force()
            self.subscription = pair.real.on_change(self.called)
        else:
            self.take(pair.real.reader().changes())
            self.subscription = pair.real.on_change(self.called)

    def called(self, change) -> None:
        if self.pair.kind == "val":
            assert change != self.content
            self.content = change
        else:
            assert change
            self.take(change)

    def check(self) -> None:
        if self.pair.kind == "val":
            assert self.content == self.pair.outcome()
            assert self.pair.agrees()
        else:
            super().check()


class Run:
    """A graph and all that look at it."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.graph = Graph(self.rng)
        self.watchers: list[Watcher] = []
        self.callers: list[Caller] = []
        self.sink: Sink[Pair] = Sink()
        self.watched: dict[Pair, object] = {}

    def some(self) -> Pair:
        return self.graph.choose([*self.graph.cells, *self.graph.derived])

    def step(self) -> None:
        self.write()
        if self.rng.random() < 0.2:
            self.rearrange()
        self.check_sink()
        for _ in range(2):
            assert self.some().agrees()
        for watcher in self.watchers:
            if self.rng.random() < 0.3:
                watcher.read()
        if self.callers:
            self.callers[self.graph.number(len(self.callers))].check()

    def write(self) -> None:
        change, luck = self.graph.change, self.rng.random()
        if luck < 0.5:
            change()
            return
        with suppress(Stop), transact():
            change()
            if luck < 0.7:
                assert self.some().agrees()
                with transact():
                    change()
                    change()
            change()
            if luck > 0.9:
                raise Stop

    def rearrange(self) -> None:
        """Make and drop derived nodes, readers, callbacks and watches."""
        self.graph.grow()
        pair = self.some()
        if pair.kind != "val":
            self.watchers.append(Watcher(pair))
        if len(self.watchers) > 8:
            del self.watchers[self.graph.number(8)]
        pair = self.some()
        if pair.safe:
            self.callers.append(Caller(pair))
        if len(self.callers) > 6:
            self.callers.pop(self.graph.number(6)).subscription.dispose()
        pair = self.some()
        if pair not in self.watched and len(self.watched) < 8:
            self.sink.watch(pair.real, pair)
            self.watched[pair] = pair.outcome()
        elif self.watched:
            pair = next(iter(self.watched))
            self.sink.unwatch(pair.real, pair)
            del self.watched[pair]

    def check_sink(self) -> None:
        """Pull what the sink reports; then everything watched is known as it is."""
        for pair in self.sink.drain():
            self.watched[pair] = pair.outcome()
            if self.watched[pair] is Refused:
                self.sink.retry(pair)
        for pair, content in self.watched.items():
            expected = pair.expected()
            if pair.kind == "set" and expected is not Refused:
                assert set(content) == set(expected)
            else:
                assert content == expected

    def end(self) -> None:
        for caller in self.callers:
            caller.subscription.dispose()


def play(seed: int, steps: int) -> None:
    print("seed", seed)
    before = live_nodes()
    run = Run(seed)
    for step in range(steps):
        try:
            run.step()
        except BaseException as error:
            error.add_note(f"seed {seed}, step {step}")
            raise
    assert evaluations() > steps
    run.end()
    del run
    assert live_nodes() == before


@pytest.mark.parametrize("seed", range(5))
def test_everything_agrees_with_the_twin(seed: int) -> None:
    play(seed, 1_000)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(100, 110))
def test_everything_agrees_with_the_twin_for_long(seed: int) -> None:
    play(seed, 10_000)
