"""The fourteen points that users of adaptive values rely on, one test each."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from heapscene.adaptive import (
    Sink,
    alist,
    amap,
    aset,
    cdict,
    clist,
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
    line = clist([1]).map(lambda x: x).filter(bool) + clist([2])
    entries = cdict({1: 2}).map(lambda k, v: k + v)
    total = line.sum(lambda x: x)
    before = evaluations()
    a.value = 2
    assert evaluations() == before
    assert both is not None
    assert chosen is not None
    assert items is not None
    assert entries is not None
    assert total is not None


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
    assert not items._live()


def test_06_so_does_dropping_derived_lists_dictionaries_and_reductions():
    flag, items, entries = cval(1), clist([1, 2]), cdict({1: 2})
    before = live_nodes()
    line = items.map(lambda x: x + flag.value).filter_a(lambda _: flag) + alist([9])
    flat = line.bind(lambda x: alist([x]))
    table = entries.map(lambda k, v: k + v + flag.value).filter(lambda *_: True)
    some = [table.keys(), table.as_set(), flat.as_set(), items.map_use(str), line, flat, table]
    values = [flat.sum(), flat.max(), flat.exists(bool), flat.count(), flat.contains(3)]
    values += [table.get(1), amap(lambda x, y: x + y, flag, values[0])]
    readers = [one.reader() for one in some]
    for reader in readers:
        reader.changes()
    for value in values:
        value.force()
    flag.value = 2
    items.append(5)
    for one in (*some, *values):
        one.force()
    refs = [weakref.ref(x) for x in (*some, *values, *readers)]
    del line, flat, table, some, values, readers, reader, value, one
    assert [r() for r in refs] == [None] * len(refs)
    assert live_nodes() == before


def test_06_so_does_dropping_what_failed():
    items, flag = cset(range(5)), cval(0)
    before = live_nodes()
    failing = items.map(lambda x: 1 // (flag.value - x)).union(items)
    total = failing.sum(lambda x: 1 // flag.value)
    for node in (failing, total):
        with pytest.raises(ZeroDivisionError):
            node.force()
    weak = weakref.ref(failing)
    del failing, total, node
    assert weak() is None
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


def test_07_so_do_lists_and_dictionaries():
    line, table = clist([1, 2]), cdict({"a": 1, "b": 2})
    boxes, cells = line.map(lambda x: [x]), table.map(lambda _, x: [x])
    one, cell = boxes[1], cells["b"]
    line.insert(0, 5)
    line.append(6)
    table["a"] = 7
    assert boxes[2] is one
    assert cells["b"] is cell
    line.append(line.pop(2))
    table.update({"b": 2}, ["b"])
    assert boxes[3] == one
    assert boxes[3] is not one
    assert cells["b"] is not cell


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


def test_08_deltas_of_lists_and_dictionaries_are_effective():
    line, table = clist("abc"), cdict({1: "a"})
    steps, entries = line.reader(), table.reader()
    words, known = [], {}
    steps.changes().replay(words)
    entries.changes().replay(known)
    line.append("d")
    line.pop()
    line[0] = "z"
    line[0] = "a"
    table[1] = "z"
    table[1] = "a"
    table[2] = "b"
    del table[2]
    assert not steps.changes()
    assert not entries.changes()
    line[1:] = "xyz"
    table.update({3: "c"}, [1])
    steps.changes().replay(words)
    entries.changes().replay(known)
    assert words == line.value == list("axyz")
    assert known == table.value == {3: "c"}


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
    line, table = clist([1]), cdict({1: 1})
    early, late = line.reader(), line.reader()
    early.changes()
    line.append(2)
    assert len(early.changes().operations) == 1
    assert len(late.changes().operations) == 2
    early, late = table.reader(), table.reader()
    early.changes()
    table[2] = 2
    assert early.changes().assigned == {2: 2}
    assert late.changes().assigned == {1: 1, 2: 2}


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
    line = clist([1])
    ended = line.map(lambda x: x * 2).on_change(lambda delta: seen.extend(delta.operations))
    line.append(4)
    assert seen.pop().value == 8
    ended.dispose()
    line.append(5)
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
    assert amap(lambda x, y: x + y, five, constant(1)).is_constant
    for fixed in (aset([1]), alist([1])):
        fixed.map(abs).force()
        sink.watch(fixed, 0)
        assert fixed._outputs is None
    assert len(sink) == 0


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
    items, line, table = cset([1]), clist([1]), cdict({1: 1})
    for changing in (items, line, table):
        sink.watch(changing, changing)
    items.add(1)
    items.discard(2)
    line[0] = 1
    line.extend(())
    table[1] = 1
    table.discard(2)
    assert not sink.pending
