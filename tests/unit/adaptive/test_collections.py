"""What all collections that you change share: refusals, callbacks, operands."""

import numpy as np
import pytest

from heapscene.adaptive import cdict, clist, computed, cset, transact
from heapscene.errors import AdaptiveError

CHANGES = [
    (cset, lambda s: s.pop()),
    (cset, lambda s: s.difference_update([1])),
    (cset, lambda s: s.intersection_update([1])),
    (cset, lambda s: s.symmetric_difference_update([1])),
    (cset, lambda s: s.__ior__({5})),
    (cset, lambda s: s.__isub__({1})),
    (cset, lambda s: s.__iand__({1})),
    (cset, lambda s: s.__ixor__({1})),
    (clist, lambda s: s.reverse()),
    (clist, lambda s: s.sort(reverse=True)),
    (clist, lambda s: s.pop(0)),
    (clist, lambda s: s.__iadd__([1])),
    (cdict, lambda s: s.pop(1)),
    (cdict, lambda s: s.pop(9, None)),
    (cdict, lambda s: s.popitem()),
    (cdict, lambda s: s.setdefault(5, 6)),
    (cdict, lambda s: s.__ior__({1: 3})),
]


def content(collection):
    return list(collection.items()) if hasattr(collection, "items") else list(collection)


@pytest.mark.parametrize(("make", "change"), CHANGES)
def test_nothing_changes_while_a_value_is_computed(make, change):
    items = make([(1, 1), (2, 2)] if make is cdict else [1, 2])
    before = content(items)
    with pytest.raises(AdaptiveError):
        computed(lambda: change(items)).force()
    assert content(items) == before


@pytest.mark.parametrize(
    ("make", "change"), [(make, change) for make, change in CHANGES if make is not cdict]
)
def test_each_call_is_one_change(make, change):
    items, told = make([1, 2, 3]), []
    items.on_change(told.append)
    change(items)
    assert len(told) == 1
    with transact():
        change(items)
        change(items)
    assert len(told) <= 2


def test_a_set_may_be_its_own_operand():
    for name, left in (("ior", [1, 2]), ("iand", [1, 2]), ("isub", []), ("ixor", [])):
        items = cset([1, 2])
        assert getattr(items, f"__{name}__")(items) is items
        assert list(items) == left
    derived = cset([2, 3])
    items = cset([1, 2])
    items |= derived.map(lambda x: x + 1)
    items -= {1: None}.keys()
    assert list(items) == [2, 3, 4]
    with pytest.raises(TypeError):
        items |= [1]  # pyright: ignore[reportOperatorIssue]


def test_a_generator_that_fails_changes_nothing():
    def failing():
        yield 1
        raise OSError

    for name in ("difference_update", "intersection_update", "symmetric_difference_update"):
        items = cset([1, 2])
        with pytest.raises(OSError):
            getattr(items, name)(failing())
        assert list(items) == [1, 2]


def test_a_list_that_its_key_changes_is_not_sorted():
    items = clist([3, 1, 2])

    def key(x):
        items[0] = 7
        return x

    with pytest.raises(ValueError, match="modified during sort"):
        items.sort(key=key)
    assert items.value == [7, 1, 2]


def test_reversing_keeps_arrays():
    items = clist([np.zeros(2), np.ones(2)])
    first, second = items
    items.reverse()
    assert items[0] is second
    assert items[1] is first


def test_where_and_how_often_are_followed():
    items = clist("aba")
    where, often = computed(lambda: items.index("b")), computed(lambda: items.count("a"))
    all_ = items.count()
    assert (where.value, often.value, all_.value) == (1, 2, 3)
    items += ["a"]
    items.insert(0, "a")
    assert (where.value, often.value, all_.value) == (2, 4, 5)


def test_pairs_are_followed():
    ages = cdict({"Ann": 41})
    total = computed(lambda: sum(ages.values()) + len(ages.items()))
    assert total.value == 42
    assert ages.setdefault("Bob", 7) == 7
    assert total.value == 50
    ages |= cdict({"Ann": 1}).map(lambda _, age: age)
    assert (ages.popitem(), ages.pop("Ann"), total.value) == (("Bob", 7), 1, 0)
