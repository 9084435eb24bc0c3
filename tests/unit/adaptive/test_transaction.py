import pytest

from heapscene.adaptive import computed, cset, cval, transact


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
