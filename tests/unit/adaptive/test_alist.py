import numpy as np
import pytest

from heapscene.adaptive import Sink, alist, clist, computed, cset, cval, evaluations
from heapscene.errors import AdaptiveError


def follow(changing):
    """Return a function that replays what changed, checks the result, and returns the steps."""
    reader, known = changing.reader(), []

    def check():
        delta = reader.changes()
        delta.replay(known)
        assert known == changing.value
        return [(step.kind, step.at) for step in delta.operations]

    check()
    return check


def test_a_cell_is_used_like_a_list():
    items = clist("abc")
    items.append("d")
    items.insert(0, "z")
    items.insert(-1, "y")
    items[1] = "A"
    del items[2]
    assert items.value == ["z", "A", "c", "y", "d"]
    assert items.pop() == "d"
    assert items.pop(0) == "z"
    items.remove("c")
    items.extend("mn")
    assert items[1:3] == ["y", "m"]
    assert items[-1] == "n"
    assert "m" in items
    assert len(items) == 4
    items[1:3] = "opq"
    assert "".join(items) == "Aopqn"
    items[::2] = "123"
    assert "".join(items) == "1o2q3"
    del items[::2]
    items.clear()
    assert items.value == []
    assert bool(items)


def test_slices_are_replaced_as_lists_replace_them():
    rng = np.random.default_rng(1)
    items, plain = clist(range(5)), list(range(5))
    check = follow(items)
    for step in range(300):
        start, stop = rng.integers(-7, 8, 2).tolist()
        values = [step] * int(rng.integers(0, 4))
        if rng.random() < 0.5 and len(plain) > 4:
            del items[start:stop]
            del plain[start:stop]
        else:
            items[start:stop] = values
            plain[start:stop] = values
        check()
        assert items.value == plain


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda items: items.__setitem__(9, 1), IndexError),
        (lambda items: items.__delitem__(9), IndexError),
        (lambda items: items.pop(9), IndexError),
        (lambda items: items.remove(9), ValueError),
        (lambda items: items.__setitem__(slice(None, None, 2), [1]), ValueError),
        (lambda items: items.extend(1 // x for x in (1, 0)), ZeroDivisionError),
    ],
)
def test_what_is_wrong_changes_nothing(change, error):
    items = clist([1, 2, 3])
    check = follow(items)
    with pytest.raises(error):
        change(items)
    assert items.value == [1, 2, 3]
    assert check() == []


def test_changes_are_merged_to_what_is_needed():
    items = clist("abcd")
    check = follow(items)
    items.insert(1, "x")
    del items[1]
    items[0] = "b"
    items[0] = "a"
    assert check() == []
    items[3] = "D"
    del items[1]
    items.insert(0, "z")
    assert check() == [("delete", 1), ("insert", 0), ("set", 3)]


def test_setting_the_same_marks_nothing():
    items = clist([1, 2])
    sink = Sink()
    sink.watch(items, 0)
    items[0] = 1
    assert not sink.pending
    items[0] = 1.0
    assert sink.drain() == [0]


def test_arrays_are_copied():
    array = np.zeros(3)
    items = clist([array])
    array[0] = 1
    assert items[0][0] == 0
    with pytest.raises(ValueError, match="read-only"):
        items[0][0] = 1


def test_map_keeps_results_through_moves():
    items = clist([1, 2])
    boxes = items.map(lambda x: [x])
    one, two = boxes
    items.insert(0, 0)
    items.append(1)
    assert boxes[1] is one
    assert boxes[2] is two
    assert boxes.value == [[0], [1], [2], [1]]
    before = evaluations()
    items[1] = 7
    assert boxes.value[1] == [7]
    assert evaluations() == before + 1


def test_only_dirty_elements_are_read_again():
    flags = [cval(i % 2 == 0) for i in range(6)]
    runs = []
    items = clist(range(6))
    shown = items.filter_a(lambda i: runs.append(i) or flags[i])
    names = items.map_a(lambda i: flags[i].map(lambda on: f"{i}{on:d}"))
    assert shown.value == [0, 2, 4]
    assert names.value[:2] == ["01", "10"]
    flags[3].value = True
    before = evaluations()
    assert shown.value == [0, 2, 3, 4]
    assert names[3] == "31"
    assert evaluations() == before + 1  # the inner map
    assert runs == list(range(6))
    items.remove(3)
    flags[3].value = False
    assert shown.value == [0, 2, 4]


def test_map_a_wants_adaptive_values():
    with pytest.raises(AdaptiveError, match="map_a"):
        clist([1]).map_a(lambda x: x).force()


def test_concatenation_follows_its_parts():
    a, b = clist("ab"), clist("c")
    both = a + b + a
    check = follow(both)
    a.append("x")
    assert check() == [("insert", 2), ("insert", 6)]
    b.clear()
    assert check() == [("delete", 3)]
    assert "".join(both) == "abxabx"


def test_only_lists_and_sets_that_change_are_joined():
    items, numbers = clist([1]), cset([1])
    for join in (
        lambda: items + [2],  # noqa: RUF005 (the sum is meant)
        lambda: items.concat(numbers),
        lambda: numbers.union(items),
        lambda: clist([[1]]).flatten().force(),
        lambda: cset([1]).flatten().force(),
    ):
        with pytest.raises(AdaptiveError, match="that may change"):
            join()


def test_a_list_may_be_replaced_by_one_of_another_kind():
    parts = clist([alist("ab"), clist("cd")])
    flat = parts.flatten()
    check = follow(flat)
    parts[0] = clist("xy")
    check()
    assert "".join(flat) == "xycd"
    parts[0], parts[1] = parts[1], alist("z")
    check()
    assert "".join(flat) == "cdz"


def test_bind_follows_what_is_chosen():
    numbers, which = clist([1, 2]), cval(True)
    yes, no = clist(["y"]), clist(["n", "N"])
    words = numbers.bind(lambda x: yes if which.value == (x == 1) else no)
    check = follow(words)
    assert words.value == ["y", "n", "N"]
    which.value = False
    check()
    assert words.value == ["n", "N", "y"]
    no.append("!")
    check()
    assert words.value == ["n", "N", "!", "y"]
    with pytest.raises(AdaptiveError, match="a list that may change"):
        numbers.bind(lambda x: [x]).force()


def test_bind_list_lets_go_of_the_list_not_chosen():
    which, a, b = cval(True), clist("a"), clist("b")
    chosen = which.bind_list(lambda first: a if first else b)
    check = follow(chosen)
    a.append("x")
    assert check() == [("insert", 1)]
    which.value = False
    check()
    assert chosen.value == ["b"]
    assert a._outputs is None
    with pytest.raises(AdaptiveError, match="a list that may change"):
        which.bind_list(lambda _: [1]).force()


def test_the_set_of_a_list_counts():
    items = clist([1, 2, 1])
    there = items.as_set()
    assert list(there) == [1, 2]
    del items[0]
    assert list(there) == [1, 2]
    items.remove(1)
    assert list(there) == [2]
    has = items.contains(2)
    assert has.value
    items.clear()
    assert not has.value


def test_values_may_read_lists():
    items = clist([3, 4])
    total = computed(lambda: sum(items) + len(items) + items[0])
    assert total.value == 12
    items[0] = 5
    assert total.value == 16


def test_a_failing_function_loses_nothing():
    items, bad = clist(range(4)), cval(-1)

    def check(x):
        if x == bad.value:
            raise ValueError(x)
        return x

    mapped = items.map(check)
    known = follow(mapped)
    items.insert(1, 9)
    bad.value = 9
    with pytest.raises(ValueError, match="9"):
        mapped.force()
    items.append(8)
    bad.value = 3
    with pytest.raises(ValueError, match="3"):
        mapped.force()
    bad.value = -1
    known()
    assert mapped.value == [0, 9, 1, 2, 3, 8]


def test_inserting_in_one_place_for_long():
    items = clist(range(40))
    evens = items.filter(lambda x: x % 2 == 0)
    plain = list(range(40))
    check = follow(evens)
    for x in range(3000):
        at = 20 if x % 3 else len(plain) // 2
        items.insert(at, x)
        plain.insert(at, x)
        if x % 7 == 0:  # a reader that lags compares labels that are gone
            del items[at]
            del plain[at]
        if x % 50 == 0:
            check()
    check()
    assert items.value == plain
    assert evens.value == [x for x in plain if x % 2 == 0]


def test_chains_of_lists_do_not_recurse():
    items = clist([1])
    end = total = items
    for _ in range(2000):
        end = end.map(abs)
        total = total + items
    assert end.value == [1]
    for _ in range(50):
        end = (end + items).map(abs)
    assert (len(end), len(total)) == (51, 2001)
    items.append(-5)
    assert end.value == [1, 5] * 51
    assert len(total) == 4002
    sets = cset([1])
    union = sets
    for i in range(2000):
        union = union.union(cset([i])) if i % 2 else union.map(abs)
    assert len(union) == 1000
    sets.add(-5000)
    assert 5000 in union


def test_a_callback_gets_what_changed():
    items = clist([1, 2])
    seen = []
    subscription = items.map(lambda x: x % 2).on_change(seen.append)
    items[0] = 3
    assert seen == []
    items.append(4)
    assert [step.kind for step in seen[0].operations] == ["insert"]
    subscription.dispose()
    items.clear()
    assert len(seen) == 1


def test_writing_while_computing_names_both():
    items = clist([1], name="queue")

    def writer():
        items.append(2)

    with pytest.raises(AdaptiveError) as caught:
        computed(writer).force()
    assert "CList(1 element, name='queue')" in str(caught.value)
    assert f"writer, {__file__}" in str(caught.value)
    assert items.value == [1]
