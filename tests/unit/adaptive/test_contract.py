"""The fourteen points that users of adaptive values rely on, one test each."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from heapscene.adaptive import (
    Sink,
    aset,
    computed,
    constant,
    cset,
    cval,
    evaluations,
    live_nodes,
    transact,
)


@pytest.fixture(autouse=True)
def without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_01_one_pull_sees_one_consistent_set_of_inputs():
    a = cval(1)
    left, right = a.map(lambda x: x + 1), a.map(lambda x: x * 10)
    seen = []

    def both():
        seen.append((left.value, right.value))
        return seen[-1]

    pair = computed(both)
    pair.force()
    a.value = 2
    pair.force()
    assert seen == [(2, 10), (3, 20)]


def test_02_at_most_one_evaluation_per_node_pull_and_change():
    a = cval(1)
    runs = []

    def middle(x):
        runs.append(x)
        return x

    shared = a.map(middle)
    top = computed(lambda: shared.value + shared.map(abs).value + shared.value)
    top.force()
    a.value = 2
    a.value = 3
    top.force()
    top.force()
    assert runs == [1, 3]


def test_03_nothing_runs_for_unobserved_nodes():
    a = cval(1)
    mapped = a.map(lambda x: x + 1)
    both = computed(lambda: a.value + mapped.value)
    chosen = a.bind(lambda _: mapped)
    items = cset([1]).map(lambda x: x)
    before = evaluations()
    a.value = 2
    assert evaluations() == before
    assert both is not None
    assert chosen is not None
    assert items is not None


def test_04_map_does_not_run_for_a_same_input():
    a = cval(1)
    parity = a.map(lambda x: x % 2)
    runs = []
    text = parity.map(lambda x: runs.append(x) or str(x))
    both = computed(lambda: runs.append("computed") or text.value)
    assert both.value == "1"
    a.value = 3
    assert both.value == "1"
    a.value = 4
    a.value = 5
    assert both.value == "1"
    assert runs == ["computed", 1]


def test_05_bind_lets_go_of_the_branch_not_taken():
    which, a, b = cval(True), cval("a"), cval("b")
    chosen = which.bind(lambda first: a if first else b)
    sink = Sink()
    sink.watch(chosen, 0)
    sink.drain()
    assert chosen.value == "a"
    b.value = "bb"
    assert sink.drain() == []
    which.value = False
    assert sink.drain() == [0]
    assert chosen.value == "bb"
    a.value = "aa"
    assert sink.drain() == []
    assert a._outputs is None


def test_06_dropping_a_derived_node_frees_it():
    a = cval(1)
    items = cset([1, 2])
    before = live_nodes()
    mapped = a.map(lambda x: x + 1)
    both = computed(lambda one=mapped: one.value + a.value)
    chosen = a.bind(lambda _, one=mapped: one)
    derived = items.map(lambda x: x + a.value).filter(bool).union(items, aset([9]))
    reader = derived.reader()
    reader.changes()
    both.force(), chosen.force()
    refs = [weakref.ref(x) for x in (mapped, both, chosen, derived, reader)]
    del mapped, both, chosen, derived, reader
    assert [r() for r in refs] == [None] * 5
    assert live_nodes() == before


def test_07_set_map_gives_the_same_object_until_removal():
    items = cset([1, 2])
    boxes = items.map(lambda x: (object(), x))
    first = list(boxes)
    items.add(3)
    assert list(boxes)[:2] == first
    items.remove(1)
    items.add(1)
    assert next(iter(boxes)) is first[1]
    assert list(boxes)[2] is not first[0]


def test_08_deltas_are_effective():
    items = cset([1, 2, 3])
    reader = items.reader()
    assert reader.changes().added == [1, 2, 3]
    items.add(4)
    items.remove(4)
    items.discard(9)
    items.add(1)
    assert not reader.pending
    assert not reader.changes()
    items.remove(2)
    items.add(2)
    delta = reader.changes()
    assert (delta.removed, delta.added) == ([2], [2])
    assert list(items) == [1, 3, 2]


def test_09_readers_are_independent():
    items = cset([1])
    one, two = items.reader(), items.reader()
    assert one.changes().added == [1]
    items.add(2)
    assert two.changes().added == [1, 2]
    items.add(3)
    assert one.changes().added == [2, 3]
    assert two.changes().added == [3]
    assert items.reader().changes().added == [1, 2, 3]


def test_10_callbacks_live_until_disposed():
    a = cval(1)
    seen = []
    ended = a.map(lambda x: x + 1).on_change(seen.append)
    a.map(lambda x: x * 10).on_change(seen.append)
    a.value = 2
    assert seen == [3, 20]
    ended.dispose()
    ended.dispose()
    a.value = 3
    assert seen == [3, 20, 30]


def test_11_a_mark_is_reported_once_between_two_drains():
    a = cval(1)
    mapped = a.map(lambda x: x)
    mapped.force()
    sink = Sink()
    sink.watch(mapped, "m")
    a.value = 2
    a.value = 3
    assert sink.drain() == ["m"]
    assert sink.drain() == []
    mapped.force()
    a.value = 4
    assert sink.drain() == ["m"]


def test_12_constants_propagate():
    five = constant(5)
    assert five.map(lambda x: x + 1).is_constant
    assert five.map(lambda x: x + 1).value == 6
    assert five.bind(constant) is not None
    assert five.bind(constant).is_constant
    cell = cval(1)
    assert five.bind(lambda _: cell) is cell
    reads = five.map(lambda x: x + cell.value)
    assert not reads.is_constant
    cell.value = 2
    assert reads.value == 7
    sink = Sink()
    sink.watch(five, 0)
    assert len(sink) == 0
    total = computed(lambda: five.value + cell.value)
    assert total.value == 7
    assert five._outputs is None


def test_13_a_transaction_applies_many_writes_with_one_round_of_callbacks():
    a, b = cval(1), cval(2)
    total = computed(lambda: a.value + b.value)
    seen = []
    subscription = total.on_change(seen.append)
    with transact():
        a.value = 10
        assert total.value == 12
        with transact():
            b.value = 20
        assert seen == []
    assert seen == [30]
    subscription.dispose()


def test_14_equal_writes_are_free():
    a = cval((1.0, float("nan")))
    sink = Sink()
    sink.watch(a, 0)
    a.value = (1.0, float("nan"))
    assert not sink.pending
    a.value = (1, float("nan"))
    assert sink.drain() == [0]
