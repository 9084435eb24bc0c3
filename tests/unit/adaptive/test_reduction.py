import math

import numpy as np
import pytest

from heapscene.adaptive import Sink, clist, cset, cval, evaluations

MAKERS = [pytest.param(cset, id="set"), pytest.param(clist, id="list")]


def put(items, x):
    (items.append if hasattr(items, "append") else items.add)(x)


@pytest.mark.parametrize("make", MAKERS)
def test_reductions_follow(make):
    items = make(range(10))
    limit = cval(8)
    found = {
        "count": items.count(),
        "sum": items.sum(),
        "squares": items.sum(lambda x: x * x),
        "below": items.sum(lambda x: x < limit.value),
        "fold": items.fold(lambda t, x: t + x, lambda t, x: t - x, 100),
        "exists": items.exists(lambda x: x > limit.value),
        "forall": items.forall(lambda x: x < limit.value),
        "min": items.min(),
        "max": items.max(default=-1),
        "contains": items.contains(3),
    }

    def check(elements, limit):
        assert {name: value.value for name, value in found.items()} == {
            "count": len(elements),
            "sum": sum(elements),
            "squares": sum(x * x for x in elements),
            "below": sum(x < limit for x in elements),
            "fold": 100 + sum(elements),
            "exists": any(x > limit for x in elements),
            "forall": all(x < limit for x in elements),
            "min": min(elements, default=None),
            "max": max(elements, default=-1),
            "contains": 3 in elements,
        }

    check(range(10), 8)
    limit.value = 10
    check(range(10), 10)
    put(items, 20)
    items.remove(3)
    check([0, 1, 2, 4, 5, 6, 7, 8, 9, 20], 10)
    items.remove(20)
    items.remove(0)
    check([1, 2, 4, 5, 6, 7, 8, 9], 10)
    items.clear()
    check([], 10)
    put(items, 3)
    check([3], 10)


@pytest.mark.parametrize("make", MAKERS)
def test_a_step_costs_what_changed(make):
    items = make(range(100))
    added, taken = [], []
    total = items.fold(
        lambda t, x: added.append(x) or t + x, lambda t, x: taken.append(x) or t - x, 0
    )
    doubled = items.sum(lambda x: 2 * x)
    assert (total.value, doubled.value) == (4950, 9900)
    assert len(added) == 100
    before = evaluations()
    put(items, 100)
    items.remove(5)
    assert (total.value, doubled.value) == (5045, 10090)
    assert (added[100:], taken) == ([100], [5])
    assert evaluations() == before + 1
    items.clear()
    assert (total.value, doubled.value) == (0, 0)
    assert len(taken) == 1  # folded again, from nothing


def test_a_fold_without_a_way_back_is_folded_again():
    items = clist("abc")
    runs = []
    text = items.fold(lambda t, x: runs.append(x) or t + x, None, "")
    assert text.value == "abc"
    items.append("d")
    assert text.value == "abcd"
    assert runs == list("abcd")
    items.insert(1, "x")
    assert text.value == "axbcd"
    del items[0]
    assert text.value == "xbcd"


def test_an_equal_result_cuts_off():
    items = cset([1, 2, 9])
    runs = []
    text = items.max().map(lambda x: runs.append(x) or str(x))
    assert text.value == "9"
    items.add(3)
    items.remove(1)
    assert text.value == "9"
    assert runs == [9]


def test_sums_of_floats_do_not_drift():
    rng = np.random.default_rng(3)
    items = clist([0.1] * 20)
    total = items.sum()
    for _ in range(2000):
        items[int(rng.integers(0, 20))] = float(rng.normal()) * 10.0 ** float(rng.integers(0, 12))
        total.force()
    for i in range(20):
        items[i] = 0.1
        total.force()
    assert math.isclose(total.value, 2.0, rel_tol=1e-3)
    for i in range(20):
        items[i] = 0.1 + i % 2
        total.force()
    assert math.isclose(total.value, sum(items), rel_tol=1e-12)


def test_a_sum_recovers_from_infinity():
    items = clist([1.0, 2.0, 3.0, 4.0, 5.0])
    total = items.sum()
    assert total.value == 15.0
    items[0] = math.inf
    assert total.value == math.inf
    items[0] = math.nan
    assert math.isnan(total.value)
    items[0] = 1.0
    assert total.value == 15.0


def test_sums_of_other_things():
    vectors = clist([np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([0.0, 1.0])])
    total = vectors.sum(start=np.zeros(2))
    assert total.value.tolist() == [4.0, 7.0]
    del vectors[1]
    assert total.value.tolist() == [1.0, 3.0]


@pytest.mark.parametrize("make", MAKERS)
def test_a_failing_step_is_folded_again(make):
    items = make([1, 2, 3, 4])
    bad = [5]

    def add(total, x):
        if x in bad:
            raise ValueError(x)
        return total + x

    total = items.fold(add, lambda t, x: t - x, 0)
    assert total.value == 10
    put(items, 5)
    with pytest.raises(ValueError, match="5"):
        total.force()
    put(items, 6)
    bad.clear()
    items.remove(1)
    assert total.value == 20


def test_a_reduction_is_watched_as_any_value():
    items = cset([1])
    total = items.map(lambda x: x + 1).sum()
    sink = Sink()
    sink.watch(total, "total")
    sink.drain()
    assert total.value == 2
    items.add(5)
    assert sink.drain() == ["total"]
    assert total.value == 8
