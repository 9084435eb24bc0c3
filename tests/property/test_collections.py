"""Collections that you change against Python's own: random calls, results, errors and order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from heapscene.adaptive import cdict, clist, cset

MISSING = object()


def outcome(function: Callable[[Any], Any], target: Any) -> Any:
    """What a call returns, or the class of what it raises; the collection itself says nothing."""
    try:
        result = function(target)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        return type(error)
    return None if result is target else result


class Ordered(dict):
    """A set of Python's own that remembers the order of arrival."""

    def __init__(self, elements=()) -> None:
        super().__init__(dict.fromkeys(elements))

    def put(self, kept: set, coming=()) -> None:
        """Become `kept`, in order, then those of it that come."""
        left = [one for one in self if one in kept]
        came = [one for one in coming if one in kept and one not in self]
        assert set(left) | set(came) == kept
        self.clear()
        dict.update(self, dict.fromkeys([*left, *came]))


def inplace(name: str, other: Any) -> Callable[[Any], Any]:
    def change(target: Any) -> None:
        result = getattr(target, f"__{name}__")(other)
        if result is NotImplemented:
            raise TypeError(name)
        assert result is target

    return change


def set_call(rng) -> tuple[Callable[[Any], Any], Callable[[set], Any], list[int]]:
    """Return a random call for a set of ours, the same one for Python's, and what may come."""
    kind = int(rng.integers(0, 13))
    x = int(rng.integers(0, 12))
    other = [int(one) for one in rng.integers(0, 12, rng.integers(0, 6))]
    third = [int(one) for one in rng.integers(0, 12, rng.integers(0, 6))]
    names = ("ior", "isub", "iand", "ixor")
    if kind < 8:
        given = set(other) if kind < 4 else other  # a list has no such operator
        call = inplace(names[kind % 4], given)
        return call, call, list(given)
    calls: list[tuple[Callable[[Any], Any], list[int]]] = [
        (lambda s: s.remove(x), []),
        (lambda s: s.difference_update(other, third), []),
        (lambda s: s.intersection_update(other, third), []),
        (lambda s: s.symmetric_difference_update(other), other),
        (lambda s: s.add(x), [x]),
    ]
    call, coming = calls[kind - 8]
    return call, call, coming


@pytest.mark.parametrize("seed", range(4))
def test_sets_change_as_pythons_own(seed):
    rng = np.random.default_rng(seed)
    real, twin, order = cset(), set[int](), Ordered()
    reader, known, told = real.reader(), Ordered(), []
    real.on_change(told.append)
    for _ in range(600):
        call, same, coming = set_call(rng)
        before, told[:] = set(twin), []
        assert outcome(call, real) == outcome(same, twin)
        order.put(twin, coming)
        assert list(real) == list(order)
        assert len(told) == (before != twin)
        if rng.random() < 0.2 and twin:
            last = next(reversed(order))
            assert real.pop() == last
            twin.discard(last)
            order.put(twin)
        if rng.random() < 0.3:
            delta = reader.changes()
            assert set(delta.removed) <= set(known)
            known.put(set(known) - set(delta.removed))
            known.put(set(known) | set(delta.added), delta.added)
            assert list(known) == list(order)


def list_call(rng) -> Callable[[Any], Any]:
    x, i, j = (int(one) for one in rng.integers(-9, 9, 3))
    other = [int(one) for one in rng.integers(0, 9, rng.integers(0, 4))]
    step = int(rng.choice([-2, -1, 1, 2, 3]))
    calls: list[Callable[[Any], Any]] = [
        lambda s: s.reverse(),
        lambda s: s.sort(),
        lambda s: s.sort(key=lambda one: one % 3, reverse=True),
        lambda s: s.sort(key=lambda one: one / (one - x)) if x in s else s.sort(key=str),
        lambda s: s.index(x),
        lambda s: s.index(x, i),
        lambda s: s.index(x, i, j),
        lambda s: s.count(x),
        inplace("iadd", other),
        lambda s: s.pop(i),
        lambda s: s.pop(),
        lambda s: s.insert(i, x),
        lambda s: s.insert(None, x),
        lambda s: s.remove(x),
        lambda s: s.append(x),
        lambda s: s.__setitem__(slice(i, j), other),
        lambda s: s.__setitem__(slice(i, j, step), other),
        lambda s: s.__delitem__(slice(i, j, step)),
        lambda s: s.__setitem__(i, x),
        lambda s: list(reversed(s)),
        lambda s: s.extend(s),
    ]
    return calls[int(rng.integers(0, len(calls)))]


def tried(call: Callable[[Any], Any], target: Any) -> Any:
    try:
        return outcome(call, target)
    except ZeroDivisionError as error:
        return type(error)


@pytest.mark.parametrize("seed", range(4))
def test_lists_change_as_pythons_own(seed):
    rng = np.random.default_rng(seed)
    real, twin = clist([3, 1, 2]), [3, 1, 2]
    reader, known, told = real.reader(), [], []
    real.on_change(told.append)
    for _ in range(800):
        call, told[:] = list_call(rng), []
        before = list(twin)
        assert tried(call, real) == tried(call, twin)
        if len(twin) > 24:
            real.clear()
            twin.clear()
        assert real.value == twin
        assert len(told) <= 1 + (not twin)
        assert before == twin or told
        if rng.random() < 0.3:
            reader.changes().replay(known)
            assert known == twin


def dict_call(rng) -> Callable[[Any], Any]:
    key, value = (int(one) for one in rng.integers(0, 8, 2))
    other = {int(one): value for one in rng.integers(0, 8, rng.integers(0, 4))}
    calls: list[Callable[[Any], Any]] = [
        lambda d: d.pop(key),
        lambda d: d.pop(key, None),
        lambda d: d.pop(key, value),
        lambda d: d.popitem(),
        lambda d: d.setdefault(key),
        lambda d: d.setdefault(key, value),
        inplace("ior", other),
        lambda d: d.update(list(other.items())),
        lambda d: d.update(),
        lambda d: d.__setitem__(key, value),
        lambda d: d.__delitem__(key),
        lambda d: d[key],
        lambda d: d.setdefault({}, 1),
        lambda d: d.update([1]),
        lambda d: key in d.keys(),  # noqa: SIM118 (a set of its own)
        lambda d: list(d.values()),
        lambda d: list(d.items()),
        lambda d: d.items() <= other.items(),
    ]
    return calls[int(rng.integers(0, len(calls)))]


@pytest.mark.parametrize("seed", range(4))
def test_dictionaries_change_as_pythons_own(seed):
    rng = np.random.default_rng(seed)
    real, twin = cdict(), {}
    reader, known, told = real.reader(), {}, []
    real.on_change(told.append)
    for _ in range(800):
        call, told[:] = dict_call(rng), []
        before = list(twin.items())
        assert outcome(call, real) == outcome(call, twin)
        assert list(real.items()) == list(twin.items())
        assert len(told) == (before != list(twin.items()))
        if rng.random() < 0.3:
            reader.changes().replay(known)
            assert list(known.items()) == list(twin.items())
