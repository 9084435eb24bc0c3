import gc
import weakref

import pytest

from heapscene.adaptive import OwnEdge, Sink, aset, constant, cset, cval


def test_keys_come_in_order_of_their_first_mark_each_once():
    cells = [cval(0) for _ in range(5)]
    sink = Sink()
    for i, cell in enumerate(cells):
        sink.watch(cell, i)
    for i in (3, 1, 3, 4, 1):
        cells[i].value += 1
    assert sink.pending
    assert sink.drain() == [3, 1, 4]
    assert not sink.pending


def test_several_keys_and_several_sinks():
    a = cval(0)
    one, two = Sink(), Sink()
    one.watch(a, "x")
    one.watch(a, "y")
    one.watch(a, "y")
    two.watch(a, ("z", 1))
    a.value = 1
    assert one.drain() == ["x", "y"]
    assert two.drain() == [("z", 1)]
    one.unwatch(a, "x")
    a.value = 2
    assert one.drain() == ["y"]
    one.unwatch(a, "y")
    assert len(one) == 0


def test_one_value_under_very_many_keys():
    a = cval(0)
    sink = Sink()
    for i in range(20_000):
        sink.watch(a, i)
    a.value = 1
    assert sink.drain() == list(range(20_000))
    for i in range(19_999):
        sink.unwatch(a, i)
    a.value = 2
    assert sink.drain() == [19_999]


def test_one_key_for_two_values_comes_once():
    a, b = cval(0), cval(0)
    sink = Sink()
    sink.watch(a, "k")
    sink.watch(b, "k")
    a.value = 1
    b.value = 1
    assert sink.drain() == ["k"]
    a.value = 2
    b.value = 2
    sink.unwatch(a, "k")
    assert sink.drain() == ["k"]


def test_unwatch_also_takes_back_what_waits():
    a = cval(0)
    sink = Sink()
    sink.watch(a, "k")
    a.value = 1
    sink.unwatch(a, "k")
    assert sink.drain() == []
    sink.unwatch(a, "k")
    sink.retry("k")
    assert sink.drain() == []


def test_retry_before_any_drain_and_after():
    a = cval(0)
    sink = Sink()
    sink.watch(a, "k")
    sink.retry("k")
    assert sink.drain() == ["k"]
    sink.retry("k")
    sink.retry("unknown")
    assert sink.drain() == ["k"]
    sink.drain()
    sink.unwatch(a, "k")
    sink.retry("k")
    assert sink.drain() == []


def test_a_value_that_is_out_of_date_is_reported_at_once():
    a = cval(1)
    mapped = a.map(lambda x: x)
    sink = Sink()
    sink.watch(mapped, 0)
    assert sink.drain() == [0]
    assert sink.drain() == []


def test_dropping_a_sink_frees_it_and_its_edges():
    gc.disable()
    try:
        a = cval(0)
        mapped = a.map(lambda x: x)
        sink = Sink()
        sink.watch(a, 0)
        sink.watch(a, 1)
        key = aset([])
        sink.watch(mapped, key)
        lost = weakref.ref(key)
        mapped.force()
        a.value = 1
        alive, node = weakref.ref(sink), weakref.ref(mapped)
        del sink, mapped, key
        assert lost() is None
        assert alive() is None
        assert node() is None
        a.value = 2
        a.map(abs).force()
        assert type(a._outputs) is weakref.ref
    finally:
        gc.enable()


def test_a_sink_keeps_what_it_watches():
    a = cval(0)
    sink = Sink()
    sink.watch(a.map(lambda x: x + 1), 0)
    assert len(sink) == 1
    assert sink.drain() == [0]


def test_sets_are_watched_too():
    items = cset([1])
    even = items.filter(lambda x: x % 2 == 0)
    reader = even.reader()
    sink = Sink()
    sink.watch(items, "items")
    sink.watch(even, "even")
    sink.watch(aset([1]), "constant")
    sink.watch(constant(1), "constant")
    assert sink.drain() == ["even"]
    assert reader.changes().added == []
    items.add(2)
    assert sink.drain() == ["items", "even"]
    assert reader.pending
    assert reader.changes().added == [2]
    items.add(2)
    assert sink.drain() == []


def test_a_key_has_to_be_hashable():
    sink = Sink()
    with pytest.raises(TypeError, match="unhashable"):
        sink.watch(cval(1), [])
    assert len(sink) == 0


class Place(OwnEdge):
    __slots__ = ("__weakref__", "name")

    def __init__(self, name: str) -> None:
        self.name = name


def test_a_key_may_be_its_own_edge():
    cells = [cval(0) for _ in range(4)]
    places = [Place(name) for name in "abcd"]
    sink = Sink(list)
    for cell, place in zip(cells, places, strict=True):
        sink.watch(cell, place)
        sink.watch(cell, place)
    for at in (2, 0, 3, 0):
        cells[at].value += 1
    assert sink.peek() == [places[2], places[0], places[3]]
    assert sink.drain() == [places[2], places[0], places[3]]
    assert sink.drain() == []
    sink.retry(places[1])
    sink.retry(places[3])
    sink.retry(Place("unknown"))
    assert sink.drain() == [places[1], places[3]]


def test_own_edges_and_other_keys_mix():
    a, b = cval(0), cval(0)
    place = Place("a")
    sink = Sink(list)
    sink.watch(a, "first")
    sink.watch(a, place)
    sink.watch(b, "first")
    b.value = 1
    a.value = 1
    assert sink.drain() == ["first", place]
    sink.unwatch(a, "first")
    a.value = 2
    assert sink.drain() == [place]


def test_dropping_a_sink_ends_the_watches_of_own_edges():
    a, b = cval(0), cval(0)
    pairs = [(a, Place("a")), (b, Place("b"))]
    sink = Sink(lambda: pairs)
    sink.watch(b, "other")
    sink.watch_all(pairs)
    assert len(sink) == 3
    sink.unwatch(a, pairs[0][1])
    assert len(sink) == 2
    sink.watch(a, pairs[0][1])
    a.value = b.value = 1
    assert sink.drain() == [pairs[0][1], "other", pairs[1][1]]
    del sink
    assert a._outputs is b._outputs is None


def test_a_sink_has_to_know_where_own_edges_are():
    a = cval(0)
    with pytest.raises(TypeError, match="own_edges"):
        Sink().watch(a, Place("a"))
    assert a._outputs is None


def test_an_own_edge_that_is_no_longer_watched_is_silent():
    a = cval(0)
    place = Place("a")
    sink = Sink(list)
    sink.watch(a, place)
    a.value = 1
    sink.unwatch(a, place)
    assert sink.drain() == []
    a.value = 2
    place.mark()
    sink.retry(place)
    assert sink.drain() == []
    sink.watch(a, place)
    a.value = 3
    assert sink.drain() == [place]


def test_a_value_lets_own_edges_of_a_dropped_sink_go():
    a = cval(0)
    place = Place("a")
    edges = [(a, place)]
    sink = Sink(edges.copy)
    sink.watch(a, place)
    gone = weakref.ref(place)
    del edges, place, sink
    gc.collect()
    assert gone() is None
    a.value = 1
