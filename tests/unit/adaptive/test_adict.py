import pytest

from heapscene.adaptive import Sink, cdict, computed, cval, evaluations
from heapscene.errors import AdaptiveError


def follow(changing):
    reader, known = changing.reader(), {}

    def check():
        delta = reader.changes()
        delta.replay(known)
        assert list(known.items()) == list(changing.value.items())
        return delta.assigned, delta.removed

    check()
    return check


def test_a_cell_is_used_like_a_dictionary():
    ages = cdict({"a": 1})
    ages["b"] = 2
    ages["a"] = 3
    assert ages["a"] == 3
    assert list(ages) == ["a", "b"]
    assert "b" in ages
    assert len(ages) == 2
    del ages["a"]
    ages.discard("z")
    with pytest.raises(KeyError):
        del ages["a"]
    with pytest.raises(KeyError):
        ages.update({"c": 1}, ["z"])
    assert ages.value == {"b": 2}
    ages.clear()
    assert ages.value == {}
    assert bool(ages)


def test_deltas_are_effective():
    ages = cdict({"a": 1, "b": 2})
    check = follow(ages)
    ages["a"] = 5
    ages["a"] = 1
    ages["c"] = 3
    del ages["c"]
    assert check() == ({}, [])
    ages["b"] = 7
    del ages["a"]
    assert check() == ({"b": 7}, ["a"])
    ages.update({"b": 7}, ["b"])
    ages["x"] = 0
    assert check() == ({"b": 7, "x": 0}, ["b"])


def test_moving_to_the_end_is_followed():
    ages = cdict({"a": 1, "b": 2, "c": 3})
    doubled = ages.map(lambda _, age: 2 * age)
    some = doubled.filter(lambda _, age: age != 4)
    keys = ages.keys()
    check = follow(some)
    assert list(keys) == ["a", "b", "c"]
    ages.update({"a": 1}, ["a"])
    assert check() == ({"a": 2}, ["a"])
    assert list(keys) == ["b", "c", "a"]
    ages["b"] = 5
    assert check() == ({"b": 10}, [])
    assert some.value == {"c": 6, "a": 2, "b": 10}


def test_map_runs_for_changed_keys_only():
    factor, ages = cval(1), cdict({"a": 1, "b": 2})
    scaled = ages.map(lambda key, age: (key, age * factor.value))
    assert scaled.value == {"a": ("a", 1), "b": ("b", 2)}
    kept = scaled["a"]
    before = evaluations()
    ages["b"] = 3
    assert scaled["b"] == ("b", 3)
    assert scaled["a"] is kept
    assert evaluations() == before + 1
    factor.value = 2
    assert scaled.value == {"a": ("a", 2), "b": ("b", 6)}


def test_get_cuts_off_where_its_key_is_not_changed():
    ages = cdict({"a": 1, "b": 2})
    runs = []
    text = ages.get("a", 0).map(lambda age: runs.append(age) or str(age))
    assert text.value == "1"
    ages["b"] = 5
    assert text.value == "1"
    del ages["a"]
    assert text.value == "0"
    assert runs == [1, 0]
    assert ages.get("z").value is None


def test_the_set_of_values_counts():
    ages = cdict({"a": 1, "b": 1})
    values = ages.as_set()
    assert list(values) == [1]
    del ages["a"]
    assert list(values) == [1]
    ages["b"] = 2
    assert list(values) == [2]


def test_a_failing_function_loses_nothing():
    ages, bad = cdict({"a": 1, "b": 2}), cval("")

    def check(key, age):
        if key == bad.value:
            raise ValueError(key)
        return age > 1

    old = ages.filter(check)
    known = follow(old)
    bad.value = "c"
    ages["c"] = 9
    ages["a"] = 7
    with pytest.raises(ValueError, match="c"):
        old.force()
    bad.value = "b"
    with pytest.raises(ValueError, match="b"):
        old.force()
    bad.value = ""
    known()
    assert set(old) == {"a", "b", "c"}


def test_values_and_sinks_see_changes():
    ages = cdict({"a": 1}, name="ages")
    total = computed(lambda: sum(ages.value.values()))
    count = ages.count()
    sink = Sink()
    sink.watch(ages, "ages")
    assert (total.value, count.value) == (1, 1)
    ages["b"] = 2
    assert sink.drain() == ["ages"]
    assert (total.value, count.value) == (3, 2)
    ages["b"] = 2
    assert not sink.pending
    with pytest.raises(AdaptiveError, match="name='ages'"):
        computed(ages.clear).force()
    assert len(ages) == 2


def test_a_callback_gets_what_changed():
    ages, seen = cdict({"a": 1}), []
    with ages.on_change(seen.append):
        ages["a"] = 1
        ages["b"] = 2
    ages["c"] = 3
    assert [delta.assigned for delta in seen] == [{"b": 2}]
