import threading
import weakref

import pytest

from heapscene.adaptive import clist, computed, cset, cval, transact
from heapscene.errors import AdaptiveError


def test_an_exception_inside_keeps_the_writes_and_is_raised():
    a = cval(1)
    seen = []
    a.on_change(seen.append)

    def broken():
        with transact():
            a.value = 2
            raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert a.value == 2
    assert seen == [2]


def write_and_raise(write, error):
    with transact():
        write()
        raise error


def test_the_exception_inside_is_the_one_that_is_raised():
    a = cval(1)

    def fails(value):
        raise OSError(value)

    with a.on_change(fails):
        with pytest.raises(KeyError) as caught:
            write_and_raise(lambda: setattr(a, "value", 2), KeyError(1))
        assert "OSError(2)" in caught.value.__notes__[0]
        with pytest.raises(OSError, match="3"), transact():
            a.value = 3
    seen = []
    with a.on_change(seen.append):
        a.value = 4
    assert seen == [4]


def test_nested_transactions_wait_for_the_outermost():
    a, items, seen = cval(1), clist([1]), []
    with a.on_change(seen.append), items.on_change(seen.append):
        with transact():
            a.value = 2
            with pytest.raises(ValueError, match="inner"):
                write_and_raise(lambda: items.append(2), ValueError("inner"))
            assert seen == []
            assert items.value == [1, 2]
            a.value = 3
            del items[0]
        assert seen[0] == 3
        assert [step.kind for step in seen[1].operations] == ["delete", "insert"]
    assert len(seen) == 2


def test_another_thread_may_not_begin_one_or_watch():
    a, errors = cval(1), []

    def begin():
        with transact():
            a.value = 2

    def work():
        for action in (begin, lambda: a.on_change(print)):
            try:
                action()
            except AdaptiveError as error:
                errors.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(errors) == 2
    assert a.value == 1


def test_a_ninth_callback_is_called_too():
    a, seen = cval(1), []
    subscriptions = [a.on_change(lambda value, i=i: seen.append(i)) for i in range(20)]
    a.value = 2
    assert sorted(seen) == list(range(20))
    for subscription in subscriptions:
        subscription.dispose()
    a.value = 3
    assert len(seen) == 20


def test_a_disposed_callback_keeps_nothing_alive():
    items = cset([1])
    mapped = items.map(abs)
    weak = weakref.ref(mapped)
    subscription = mapped.on_change(print)
    del mapped
    assert weak() is not None
    subscription.dispose()
    assert weak() is None


def test_callbacks_are_first_in_first_out_and_only_for_differences():
    a, b = cval(1), cval(1)
    seen = []
    b.on_change(lambda v: seen.append(("b", v)))
    a.on_change(lambda v: seen.append(("a", v)))
    a.map(lambda x: x % 2).on_change(lambda v: seen.append(("parity", v)))
    with transact():
        a.value = 3
        b.value = 3
    assert seen == [("a", 3), ("b", 3)]
    with transact():
        a.value = 4
        a.value = 3
    assert len(seen) == 2


def test_a_callback_may_write():
    a, b = cval(1), cval(0)
    seen = []
    a.on_change(lambda v: setattr(b, "value", v * 10))
    b.on_change(seen.append)
    a.value = 2
    assert seen == [20]


def test_a_failing_callback_does_not_stop_the_others():
    a = cval(1)
    seen = []

    def fail(_):
        raise ValueError("one")

    first = a.on_change(fail)
    a.on_change(seen.append)
    with pytest.raises(ValueError, match="one"):
        a.value = 2
    assert seen == [2]
    a.on_change(fail)
    with pytest.raises(ExceptionGroup) as caught:
        a.value = 3
    assert len(caught.value.exceptions) == 2
    assert seen == [2, 3]
    first.dispose()


def test_a_callback_disposed_meanwhile_is_not_called():
    a = cval(1)
    seen = []
    with a.on_change(seen.append), transact():
        a.value = 2
    assert seen == [2]
    subscription = a.on_change(seen.append)
    with transact():
        a.value = 3
        subscription.dispose()
    assert seen == [2]


def test_a_value_that_failed_calls_again_when_it_recovers():
    a = cval(1)
    seen = []
    subscription = a.map(lambda x: 1 // x).on_change(seen.append)
    with pytest.raises(ZeroDivisionError):
        a.value = 0
    a.value = -1
    assert seen == [-1]
    subscription.dispose()


def test_reads_inside_see_the_writes():
    a, items = cval(1), cset([1])
    total = computed(lambda: a.value + sum(items))
    with transact():
        a.value = 10
        assert total.value == 11
        items.add(5)
        assert total.value == 16
