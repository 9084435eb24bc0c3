import gc
import sys
import threading
import traceback
import weakref

import pytest

from heapscene.adaptive import (
    Sink,
    amap,
    computed,
    constant,
    cset,
    cval,
    evaluations,
    transact,
)
from heapscene.errors import AdaptiveError


def test_a_chain_of_ten_thousand_maps_marks_and_evaluates():
    a = cval(0)
    top = a
    for _ in range(10_000):
        top = top.map(lambda x: x + 1)
    sink = Sink()
    assert top.value == 10_000
    sink.watch(top, "top")
    a.value = 1
    assert sink.drain() == ["top"]
    assert top.value == 10_001


def test_a_long_chain_of_computed_values_reevaluates():
    def follow(before):
        return computed(lambda: before.value + 1)

    a = cval(0)
    top = a
    for _ in range(5_000):
        top = follow(top)
        top.force()
    a.value = 1
    assert top.value == 5_001


def test_a_long_chain_of_binds_evaluates():
    a, step = cval(0), cval(1)
    top = a
    for _ in range(3_000):
        top = top.bind(lambda x: step.map(lambda y: x + y))
    assert top.value == 3_000
    step.value = 2
    assert top.value == 6_000


def test_a_long_chain_can_be_dropped():
    top = cval(0)
    for _ in range(50_000):
        top = top.map(lambda x: x)
    top.force()
    alive = weakref.ref(top)
    del top
    assert alive() is None


def test_nodes_made_inside_an_evaluation_stay_alive_and_tracked():
    gc.disable()
    try:
        a = cval(1)
        total = computed(lambda: a.map(lambda x: x * 10).map(lambda x: x + 1).value)
        assert total.value == 11
        a.value = 2
        assert total.value == 21
        chosen = a.bind(lambda x: a.map(lambda y: x + y))
        assert chosen.value == 4
        a.value = 3
        assert chosen.value == 6
    finally:
        gc.enable()


def test_edges_to_what_is_no_longer_read_are_dropped():
    flag, a, b = cval(True), cval(1), cval(2)
    some = computed(lambda: a.value if flag.value else b.value)
    some.force()
    flag.value = False
    some.force()
    assert a._outputs is None
    assert b._outputs is not None
    before = evaluations()
    a.value = 5
    assert some.value == 2
    assert evaluations() == before


def test_an_input_that_is_not_needed_any_more_does_not_run():
    flag, a = cval(True), cval(1)
    runs = []
    costly = a.map(lambda x: runs.append(x) or x)
    some = computed(lambda: costly.value if flag.value else 0)
    some.force()
    with transact():
        flag.value = False
        a.value = 2
    assert some.value == 0
    assert runs == [1]


def test_map_tracks_other_values_that_its_function_reads():
    a, b = cval(1), cval(10)
    total = a.map(lambda x: x + b.value)
    assert total.value == 11
    b.value = 20
    assert total.value == 21
    a.value = 2
    assert total.value == 22


def test_force_is_not_tracked():
    a, b = cval(1), cval(1)
    total = computed(lambda: a.value + b.force())
    assert total.value == 2
    b.value = 5
    assert total.value == 2
    a.value = 2
    assert total.value == 7


def test_a_failing_evaluation_is_retried_and_passes_marks_on():
    a = cval(0)
    runs = []
    inverse = a.map(lambda x: runs.append(x) or 1 / x)
    top = computed(lambda: inverse.value + 1)
    sink = Sink()
    sink.watch(top, "top")
    assert sink.drain() == ["top"]
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            top.force()
    assert runs == [0, 0]
    sink.retry("top")
    assert sink.drain() == ["top"]
    a.value = 2
    assert sink.drain() == ["top"]
    assert top.value == 1.5
    a.value = 0
    assert sink.drain() == ["top"]
    with pytest.raises(ZeroDivisionError):
        top.force()
    a.value = 4
    assert sink.drain() == ["top"]
    assert top.value == 1.25


@pytest.mark.parametrize("kind", ["map", "computed"])
def test_a_value_that_was_fine_before_fails_each_time(kind):
    a, b = cval(1), cval(1)

    def ratio(x):
        return x / b.value

    value = a.map(ratio) if kind == "map" else computed(lambda: ratio(a.value))
    assert value.value == 1
    b.value = 0
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            value.force()
    b.value = 1
    assert value.value == 1


def test_a_failing_function_runs_once_per_pull():
    a = cval(0)
    runs = []
    inverse = a.map(lambda x: runs.append(x) or 1 / x)
    left, right = inverse.map(abs), computed(lambda: inverse.value)

    @computed
    def count():
        failed = 0
        for value in (left, right, inverse):
            try:
                value.force()
            except ZeroDivisionError:
                failed += 1
        return failed

    assert count.value == 3
    assert runs == [0]


def test_a_failure_that_is_handled_by_the_reader():
    a = cval(0)
    inverse = a.map(lambda x: 1 / x)

    @computed
    def safe():
        try:
            return inverse.value
        except ZeroDivisionError:
            return -1

    assert safe.value == -1
    a.value = 2
    assert safe.value == 0.5
    a.value = 0
    assert safe.value == -1


def test_an_interrupt_leaves_the_graph_usable():
    a = cval(0)

    def interrupt(x):
        if x == 0:
            raise KeyboardInterrupt
        return x

    top = a.map(interrupt).map(lambda x: x + 1)
    sink = Sink()
    sink.watch(top, 0)
    sink.drain()
    with pytest.raises(KeyboardInterrupt):
        top.force()
    a.value = 1
    assert sink.drain() == [0]
    assert top.value == 2


def test_the_traceback_names_the_function_of_the_user():
    def broken(_):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError) as caught:
        cval(1).map(broken).map(str).force()
    assert "broken" in [frame.name for frame in traceback.extract_tb(caught.tb)]


def test_a_cycle_is_refused():
    values = []
    a = computed(lambda: values[0].value)
    values.append(a)
    with pytest.raises(AdaptiveError, match="depends on itself"):
        a.force()


def test_writing_during_an_evaluation_names_both_and_changes_nothing():
    a, items = cval(1), cset([1])

    def writer():
        a.value = 2

    def adder():
        items.add(2)

    for function, name in ((writer, "cval(1)"), (adder, "CSet(1 element)")):
        with pytest.raises(AdaptiveError) as caught:
            computed(function).force()
        assert name in str(caught.value)
        assert f"{function.__name__}, {__file__}" in str(caught.value)
        assert "hs.post" in str(caught.value)
    assert a.value == 1
    assert list(items) == [1]


def test_a_name_is_part_of_the_error():
    color = cval("red", name="color")
    assert repr(color) == "cval('red', name='color')"
    with pytest.raises(AdaptiveError, match=r"name='color'"):
        computed(lambda: setattr(color, "value", "blue")).force()
    color.value = "green"
    assert color.value == "green"


def test_a_function_of_several_values():
    a, b, c = cval(1), cval(2), cval(3)
    runs = []
    total = amap(lambda *values: runs.append(values) or sum(values), a, b, c)
    same = a.map(lambda x, y, z: x + y + z, b, c)
    assert (total.value, same.value) == (6, 6)
    b.value = 5
    a.value = 1
    assert (total.value, same.value) == (9, 9)
    with transact():
        a.value = 2
        a.value = 1
    assert total.value == 9
    assert runs == [(1, 2, 3), (1, 5, 3)]


def test_constants_fold_away_in_functions_of_several_values():
    one, two, cell = constant(1), constant(2), cval(3)
    assert amap(lambda x, y: x + y, one, two).is_constant
    assert one.map(lambda x, y: x + y, two).value == 3
    mixed = amap(lambda x, y, z: (x, y, z), one, cell, two)
    assert isinstance(mixed, type(cell.map(abs)))
    assert mixed.value == (1, 3, 2)
    cell.value = 4
    assert mixed.value == (1, 4, 2)
    assert one.map(lambda x, y: x - y, cell).value == -3
    assert one._outputs is None
    assert not amap(lambda x, y: x + y + cell.value, one, two).is_constant


def test_a_long_chain_of_functions_of_several_values_does_not_recurse():
    a, step = cval(0), cval(1)
    end = a
    for _ in range(5000):
        end = amap(lambda x, y: x + y, end, step)
    assert end.value == 5000
    step.value = 2
    assert end.value == 10000


def test_functions_too_deep_inside_one_another_are_refused_with_the_reason():
    a = cval(0)
    chain = [a]
    for _ in range(2000):
        chain.append(computed(lambda below=chain[-1]: below.value + 1))
    for _ in range(2):
        with pytest.raises(AdaptiveError, match="inside one another") as caught:
            chain[-1].force()
        assert __file__ in str(caught.value)
        assert isinstance(caught.value.__cause__, RecursionError)
    for node in chain[::50]:
        node.force()
    assert chain[-1].force() == 2000
    a.value = 1
    assert chain[-1].force() == 2001


def test_recursion_in_a_function_of_the_user_is_raised_as_it_is():
    def forever():
        return forever()

    with pytest.raises(RecursionError):
        computed(forever).force()


def test_bind_wants_an_adaptive_value():
    with pytest.raises(AdaptiveError, match=r"Use \.map"):
        cval(1).bind(lambda x: x).force()


def test_bind_does_not_run_when_only_the_chosen_value_changes():
    which, a = cval(0), cval(1)
    runs = []
    chosen = which.bind(lambda x: runs.append(x) or a)
    assert chosen.value == 1
    a.value = 2
    assert chosen.value == 2
    assert runs == [0]


def test_other_threads_may_not_write_or_evaluate():
    a = cval(1)
    mapped = a.map(lambda x: x + 1)
    errors = []

    def work():
        for action in (lambda: setattr(a, "value", 2), mapped.force):
            try:
                action()
            except AdaptiveError as error:
                errors.append(str(error))

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()
    assert len(errors) == 2
    assert all("hs.post" in text and "worker" in text for text in errors)
    assert a.value == 1


def test_many_outputs_are_swept():
    a = cval(1)
    keep = [a.map(lambda x: x + 1) for _ in range(40)]
    for node in keep:
        node.force()
    for _ in range(1000):
        a.map(lambda x: x).force()
    assert len(a._outputs) <= 81
    a.value = 2
    assert [node.value for node in keep] == [3] * 40
    del keep[::2]
    a.value = 3
    assert [node.value for node in keep] == [4] * 20


def test_sizes():
    a = cval(1)
    assert sys.getsizeof(a) <= 72
    assert sys.getsizeof(a.map(abs)) <= 200


def test_decorator_and_repr():
    @computed
    def three():
        return 3

    assert three.value == 3
    assert repr(cval("x")) == "cval('x')"
    assert repr(constant(1)) == "constant(1)"


def test_a_list_edited_in_place_and_assigned_again_is_a_change():
    cell = cval([1.0, 0.0, 0.0])
    first = cell.map(lambda numbers: numbers[0])
    assert first.value == 1.0
    numbers = cell.value
    numbers[0] = 0.5
    cell.value = numbers
    assert first.value == 0.5


def test_a_value_that_holds_itself_can_be_shown():
    cell = cval(None)
    cell.value = cell
    assert repr(cell) == "cval(CVal(...))"


@pytest.mark.parametrize(
    "made",
    [
        lambda: cval(False),
        lambda: cval(0, name="level"),
        lambda: constant(True),
        lambda: cval(1).map(bool),
        lambda: computed(lambda: True),
        lambda: cval(1).bind(cval),
    ],
)
def test_an_adaptive_value_is_neither_true_nor_false(made):
    value = made()
    with pytest.raises(TypeError, match=r"value\.value"):
        bool(value)
    with pytest.raises(TypeError, match="neither true nor false"):
        _ = value or 1
    assert value == value
    assert value != made()
    assert value in {value: 1}
