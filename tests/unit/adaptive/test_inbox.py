import threading

import pytest

from heapscene.adaptive import adopt_thread, computed, cval, drain_posted, post
from heapscene.errors import AdaptiveError


def run_in_thread(function):
    errors = []

    def work():
        try:
            function()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return errors


def test_posted_functions_run_in_order_as_one_transaction():
    a = cval(0)
    seen = []
    a.on_change(seen.append)

    def send():
        for i in (1, 2, 3):
            post(lambda i=i: setattr(a, "value", i))

    assert run_in_thread(send) == []
    assert a.value == 0
    assert drain_posted() == 3
    assert a.value == 3
    assert seen == [3]
    assert drain_posted() == 0


def test_all_run_and_the_exceptions_come_at_the_end():
    seen = []

    def fail():
        raise ValueError("no")

    post(fail)
    post(lambda: seen.append(1))
    with pytest.raises(ValueError, match="no"):
        drain_posted()
    assert seen == [1]
    post(fail)
    post(fail)
    with pytest.raises(ExceptionGroup):
        drain_posted()


def test_what_is_posted_meanwhile_waits():
    runs = []

    def again():
        runs.append(1)
        post(again)

    post(again)
    drain_posted()
    assert runs == [1]
    drain_posted()
    assert runs == [1, 1]
    post(lambda: None)
    # leave nothing behind
    from heapscene.adaptive import inbox

    inbox._inbox.clear()


def test_another_thread_may_not_drain_but_may_adopt():
    a = cval(0)
    post(lambda: setattr(a, "value", 1))
    (error,) = run_in_thread(drain_posted)
    assert isinstance(error, AdaptiveError)
    assert a.value == 0

    def take_over():
        adopt_thread()
        drain_posted()

    assert run_in_thread(take_over) == []
    assert a.value == 1
    a.value = 2  # that thread has ended


def test_the_owner_stays_while_a_value_is_computed():
    with pytest.raises(AdaptiveError, match="owner thread"):
        computed(adopt_thread).force()


@pytest.mark.parametrize("function", [None, 5, "print"])
def test_only_functions_can_be_posted(function):
    with pytest.raises(TypeError, match=r"hs\.post\(lambda"):
        post(function)
    assert drain_posted() == 0
