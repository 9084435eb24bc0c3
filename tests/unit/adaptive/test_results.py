"""Results that are released when their elements leave."""

from typing import ClassVar

import pytest

from heapscene.adaptive import clist, computed, cset, cval
from heapscene.errors import AdaptiveError

MAKERS = [pytest.param(cset, id="set"), pytest.param(clist, id="list")]


class Resource:
    alive: ClassVar[list] = []
    broken = False

    def __init__(self, element):
        self.element = element
        Resource.alive.append(self)

    def release(self):
        Resource.alive.remove(self)
        if self.broken:
            raise OSError(self.element)


@pytest.fixture(autouse=True)
def nothing_alive():
    Resource.alive.clear()


def alive():
    return sorted(resource.element for resource in Resource.alive)


@pytest.mark.parametrize("make", MAKERS)
def test_results_go_with_their_elements(make):
    items = make([1, 2, 3])
    used = items.map_use(Resource)
    first = next(iter(used))
    items.remove(2)
    assert alive() == [1, 2, 3]
    assert len(used) == 2
    assert alive() == [1, 3]
    assert next(iter(used)) is first
    used.dispose()
    assert alive() == []
    assert list(used) == []
    items.clear()
    assert list(used) == []
    used.dispose()


@pytest.mark.parametrize("make", MAKERS)
def test_the_whole_is_a_context_manager_and_tells_readers(make):
    items = make([1, 2])
    with items.map_use(Resource) as used:
        count = used.count()
        reader = used.reader()
        reader.changes()
        assert count.value == 2
        assert alive() == [1, 2]
    assert alive() == []
    assert count.value == 0
    assert reader.changes()


@pytest.mark.parametrize("make", MAKERS)
def test_a_result_is_replaced_when_what_it_read_changes(make):
    items, factor = make([1, 2]), cval(1)
    used = items.map_use(lambda x: Resource(x * factor.value))
    used.force()
    factor.value = 10
    used.force()
    assert alive() == [10, 20]


@pytest.mark.parametrize("make", MAKERS)
def test_what_was_made_for_nothing_is_released(make):
    items, bad = make([1]), cval(3)

    def build(x):
        if x == bad.value:
            raise ValueError(x)
        return Resource(x)

    used = items.map_use(build)
    used.force()
    (items.extend if make is clist else items.update)([2, 3])
    for _ in range(3):
        with pytest.raises(ValueError, match="3"):
            used.force()
        assert alive() == [1]
    bad.value = 0
    used.force()
    assert alive() == [1, 2, 3]
    bad.value = 2
    with pytest.raises(ValueError, match="2"):
        used.force()
    items.clear()
    used.force()
    assert alive() == []


def test_a_result_that_several_give_is_released_with_the_last():
    items = clist([1, 2, 3])
    shared = Resource("shared")
    used = items.map_use(lambda x: shared)
    assert len(used) == 3
    del items[:2]
    used.force()
    assert alive() == ["shared"]
    items.clear()
    used.force()
    assert alive() == []


def test_results_that_are_equal_are_released_one_by_one():
    closed = []

    class Handle(tuple):
        __slots__ = ()

        def close(self):
            closed.append(self)

    items = cset([1, 2])
    used = items.map_use(lambda x: Handle(("same",)))
    assert len(used) == 1
    items.remove(1)
    assert len(used) == 1
    assert len(closed) == 1
    used.dispose()
    assert len(closed) == 2


@pytest.mark.parametrize("make", MAKERS)
def test_a_release_that_fails_stops_nothing(make):
    items = make([1, 2, 3, 4])
    used = items.map_use(Resource)
    for resource in used:
        resource.broken = resource.element < 3
    items.remove(1)
    with pytest.raises(OSError, match="1"):
        used.force()
    assert len(used) == 3
    with pytest.raises(OSError, match="2"):
        used.dispose()
    assert alive() == []
    assert list(used) == []


def test_disposing_while_computing_is_refused():
    items = cset([1])
    used = items.map_use(Resource)
    used.force()
    with pytest.raises(AdaptiveError, match="written while"):
        computed(used.dispose).force()
    assert alive() == [1]


def test_what_has_no_release_is_only_dropped():
    items = cset([1, 2])
    used = items.map_use(str)
    assert list(used) == ["1", "2"]
    items.clear()
    assert list(used) == []
