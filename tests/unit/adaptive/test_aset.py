import gc

import pytest

from heapscene.adaptive import SetDelta, Sink, aset, computed, cset, cval, evaluations
from heapscene.errors import AdaptiveError


def test_a_cell_keeps_the_order_of_arrival():
    items = cset([3, 1, 3])
    items.add(2)
    items.add(1)
    assert list(items) == [3, 1, 2]
    items.update([3, 4], [3, 9])
    assert list(items.force()) == [1, 2, 3, 4]
    assert len(items) == 4
    assert 4 in items
    items.clear()
    assert list(items) == []
    assert bool(items)
    with pytest.raises(KeyError):
        items.remove(1)


def test_bad_elements_change_nothing():
    items = cset([1])
    with pytest.raises(TypeError):
        items.update([2, []])
    with pytest.raises(TypeError):
        items.update([2], [{}])
    assert list(items) == [1]


def test_the_content_is_a_snapshot():
    items = cset([1])
    before = items.force()
    items.add(2)
    assert list(before) == [1]
    assert before == {1}


def test_map_counts_what_comes_twice():
    items = cset([1, -1, 2])
    reader = items.map(abs).reader()
    assert reader.changes() == SetDelta([1, 2], [])
    items.remove(1)
    assert not reader.changes()
    items.remove(-1)
    assert reader.changes() == SetDelta([], [1])


def test_union_counts():
    a, b = cset([1, 2]), cset([2, 3])
    union = a.union(b, aset([4]), a)
    reader = union.reader()
    assert reader.changes() == SetDelta([1, 2, 3, 4], [])
    a.remove(2)
    assert not reader.changes()
    b.remove(2)
    a.add(4)
    assert reader.changes() == SetDelta([], [2])
    a.remove(1)
    b.add(1)
    assert not reader.changes()
    b.update([1, 5], [1])
    assert reader.changes() == SetDelta([1, 5], [1])
    assert list(union) == [3, 4, 1, 5]


def test_functions_of_sets_may_read_values():
    gc.disable()
    try:
        visible = {i: cval(i % 2 == 0) for i in range(4)}
        items = cset(range(4))
        shown = items.filter(lambda i: visible[i].value)
        reader = shown.reader()
        assert reader.changes() == SetDelta([0, 2], [])
        before = evaluations()
        visible[1].value = True
        visible[2].value = False
        visible[3].value = True
        visible[3].value = False
        assert reader.changes() == SetDelta([1], [2])
        assert evaluations() == before + 2
        items.remove(1)
        visible[1].value = False
        assert reader.changes() == SetDelta([], [1])
        assert visible[1]._outputs() is None
    finally:
        gc.enable()


def test_only_changed_elements_run():
    items = cset(range(100))
    mapped = items.map(lambda x: x + 1)
    mapped.force()
    before = evaluations()
    items.add(100)
    items.remove(5)
    mapped.force()
    assert evaluations() == before + 1


def test_what_has_left_does_not_run_again():
    flag, runs = cval(0), []
    items = cset([1, 2])
    mapped = items.map(lambda x: runs.append(x) or (x, flag.value))
    mapped.force()
    items.remove(1)
    flag.value = 1
    assert list(mapped) == [(2, 1)]
    assert runs == [1, 2, 2]


def test_bind_follows_inner_sets():
    inner = {1: cset("ab"), 2: cset("bc")}
    outer = cset([1, 2])
    union = outer.bind(lambda x: inner[x])
    reader = union.reader()
    assert reader.changes() == SetDelta(["a", "b", "c"], [])
    inner[2].add("d")
    assert reader.changes() == SetDelta(["d"], [])
    inner[1].remove("a")
    inner[1].add("e")
    outer.remove(1)
    assert reader.changes() == SetDelta([], ["a"])
    assert inner[1]._outputs is None
    inner[1].add("f")
    assert not reader.pending
    outer.add(1)
    assert reader.changes() == SetDelta(["e", "f"], [])
    assert list(union) == ["b", "c", "d", "e", "f"]


def test_a_set_that_moves_takes_its_elements_along():
    one, two = aset([1, 2]), aset([3])
    outer = cset([one, two])
    flat = outer.bind(lambda inner: inner)
    assert list(flat) == [1, 2, 3]
    outer.update([one], [one])
    assert list(flat) == [3, 1, 2]


def test_bind_set_lets_go_of_the_set_not_chosen():
    sets = [cset([1, 2]), cset([2, 3])]
    which = cval(0)
    chosen = which.bind_set(lambda i: sets[i])
    reader = chosen.reader()
    assert reader.changes() == SetDelta([1, 2], [])
    which.value = 1
    assert reader.changes() == SetDelta([3], [1])
    sets[0].add(9)
    assert not reader.pending
    sets[1].add(4)
    assert reader.changes() == SetDelta([4], [])
    with pytest.raises(AdaptiveError, match="aset"):
        which.bind_set(lambda i: [i]).force()


def test_a_value_as_a_set():
    a = cval("x")
    reader = a.as_set().reader()
    assert reader.changes() == SetDelta(["x"], [])
    a.value = "y"
    assert reader.changes() == SetDelta(["y"], ["x"])


def test_values_may_read_sets():
    items = cset([1, 2])
    runs = []
    total = computed(lambda: runs.append(1) or sum(items.map(lambda x: x * 10)))
    assert total.value == 30
    items.add(3)
    assert total.value == 60
    items.add(3)
    assert total.value == 60
    assert len(runs) == 2
    even = items.filter(lambda x: x % 2 == 0)
    count = computed(lambda: runs.append(2) or len(even))
    assert count.value == 1
    items.add(5)
    assert count.value == 1
    assert runs.count(2) == 1


@pytest.mark.parametrize("kind", ["map", "bind"])
def test_a_failing_function_loses_nothing(kind):
    limit = cval(2)
    extra = cset([100])

    def check(x):
        if x > limit.value:
            raise ValueError(x)
        return x

    items = cset([1])
    derived = (
        items.map(check) if kind == "map" else items.bind(lambda x: aset([check(x)]).union(extra))
    )
    reader = derived.reader()
    sink = Sink()
    sink.watch(derived, 0)
    reader.changes()
    sink.drain()
    items.update([2, 3, 4])
    assert sink.drain() == [0]
    for _ in range(2):
        with pytest.raises(ValueError, match="3"):
            reader.changes()
        assert reader.pending
    limit.value = 3
    assert sink.drain() == [0]
    with pytest.raises(ValueError, match="4"):
        reader.changes()
    items.remove(4)
    assert sink.drain() == [0]
    assert reader.changes() == SetDelta([2, 3], [])
    limit.value = 1
    with pytest.raises(ValueError, match="2"):
        reader.changes()
    limit.value = 5
    items.add(5)
    assert reader.changes() == SetDelta([5], [])


@pytest.mark.parametrize("kind", ["map", "bind"])
def test_a_new_element_that_fails_still_wakes_a_sink(kind):
    good = cval(False)

    def check(x):
        if not good.value:
            raise ValueError(x)
        return x

    items = cset([])
    inner = aset([7]).map(check)
    derived = items.map(check) if kind == "map" else items.bind(lambda _: inner)
    derived.force()
    sink = Sink()
    sink.watch(derived, 0)
    items.add(7)
    assert sink.drain() == [0]
    with pytest.raises(ValueError, match="7"):
        derived.force()
    good.value = True
    assert sink.drain() == [0]
    assert list(derived) == [7]


def test_a_failing_element_does_not_hide_the_change_of_another():
    factor = {i: cval(1) for i in (1, 2)}

    def scale(x):
        if not factor[x].value:
            raise ValueError(x)
        return x * factor[x].value

    reader = cset([1, 2]).map(scale).reader()
    assert reader.changes() == SetDelta([1, 2], [])
    factor[1].value = 10
    factor[2].value = 0
    with pytest.raises(ValueError, match="2"):
        reader.changes()
    factor[2].value = 1
    assert reader.changes() == SetDelta([10], [1])


def test_nobody_reading_costs_nothing():
    items = cset([1])
    before = evaluations()
    mapped = items.map(lambda x: x)
    reader = items.reader()
    items.add(2)
    assert items._readers == []
    assert evaluations() == before
    reader.changes()
    del reader
    items.add(3)
    assert items._readers == []
    assert list(mapped) == [1, 2, 3]


def test_a_reader_inside_a_computed_is_tracked():
    items = cset([1])
    reader = items.reader()
    log = computed(lambda: tuple(reader.changes().added))
    assert log.value == (1,)
    items.add(2)
    assert log.value == (2,)


def test_discard_takes_out_what_is_there_and_forgives_the_rest():
    numbers = cset([1, 2, 3])
    reader = numbers.reader()
    reader.changes()
    numbers.discard(2)
    numbers.discard(9)
    assert list(numbers.force()) == [1, 3]
    assert list(reader.changes().removed) == [2]
