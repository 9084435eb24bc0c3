"""The interpreter: masks, memory, atomics, barriers and blocks of pixels."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import InputError, ShaderError
from heapscene.shader import (
    ComputeProgram,
    atomic_add,
    atomic_compare_exchange,
    atomic_max,
    atomic_sub,
    atomic_u32,
    builtin,
    compute,
    dpdx_fine,
    dpdy_coarse,
    f32,
    function,
    fwidth,
    fwidth_coarse,
    fwidth_fine,
    ir,
    mat3,
    private,
    storage,
    struct,
    types,
    u32,
    uniform,
    vec2,
    vec3,
    vec3u,
    workgroup,
    workgroup_barrier,
)
from heapscene.shader.interpret import dispatch, interpret
from heapscene.shader.ir.build import binary, construct, index, literal
from heapscene.shader.types import F32, I32, U32, ArrayType

page = storage("page", f32, binding=0, access="read_write")
words = storage("words", u32, binding=1, access="read_write")
totals = storage("totals", atomic_u32, binding=2, access="read_write")
shared = workgroup("shared", u32, 8)
own = private("own", u32, 2)


@struct
class Params:
    shift: vec3
    turn: mat3
    n: u32


params = uniform("params", Params, binding=3)


@struct
class Point:
    at: vec3
    weight: f32


points = storage("points", Point, binding=4, access="read_write")


def memory_of(*names, **arrays):
    return {**{name: np.zeros(8, np.uint32) for name in names}, **arrays}


@function
def collatz(n: u32) -> u32:
    """Rounds until 1 is reached; 0 is never."""
    rounds = u32(0)
    m = n
    while True:
        if m == 0:
            return u32(999)
        if m == 1:
            break
        if rounds == 3:
            rounds += 10
            m = m // 2 if m % 2 == 0 else 3 * m + 1
            continue
        rounds += 1
        m = m // 2 if m % 2 == 0 else 3 * m + 1
    return rounds


def test_rows_leave_loops_on_their_own():
    n = np.arange(40, dtype=np.uint32)
    found = interpret(collatz.ir, {"n": n}).value
    assert found.tolist() == [int(collatz(u32(int(k)))) for k in n]


def test_a_scalar_input_is_the_same_for_all_rows():
    @function
    def scaled(v: vec3, s: f32) -> vec3:
        return v * s

    v = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert np.array_equal(interpret(scaled.ir, {"v": v, "s": 2.0}).value, 2 * v)
    single = interpret(scaled.ir, {"v": v[1], "s": 3.0}).value
    assert single.tolist() == [[9, 12, 15]]


def test_wrong_inputs_are_refused():
    with pytest.raises(InputError, match="wants other inputs"):
        interpret(collatz.ir, {"m": 1})

    @function
    def both(a: f32, b: f32) -> f32:
        return a + b

    with pytest.raises(InputError, match="different numbers of rows"):
        interpret(both.ir, {"a": np.zeros(3, np.float32), "b": np.zeros(4, np.float32)})


def test_a_uniform_is_given_by_its_members():
    @function
    def moved(p: vec3) -> vec3:
        return params.turn @ p + params.shift * f32(params.n)

    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], np.float32)
    given = {"params": {"shift": np.float32([1, 0, 0]), "turn": turn, "n": np.uint32(5)}}
    p = np.float32([[1, 2, 3], [4, 5, 6]])
    found = interpret(moved.ir, {"p": p}, memory=given).value
    assert np.array_equal(found, p @ turn.T + [5, 0, 0])


def test_structs_in_storage_are_read_and_written_in_place():
    @compute(workgroup_size=4)
    def swap(lane: u32 = builtin.local_invocation_index):
        p = points[lane]
        points[lane] = Point(at=p.at.zyx * p.weight, weight=p.at.x)

    array = np.zeros(4, [("at", np.float32, 3), ("weight", np.float32)])
    array["at"] = np.arange(12).reshape(4, 3)
    array["weight"] = [1, 2, 3, 4]
    at, weight = array["at"].copy(), array["weight"].copy()
    dispatch(ComputeProgram(swap).module.entries[0], {"points": array})
    assert np.array_equal(array["at"], at[:, ::-1] * weight[:, None])
    assert np.array_equal(array["weight"], at[:, 0])


def test_an_index_that_does_not_exist_is_an_error_or_zero():
    @function
    def at(i: u32) -> f32:
        page[i] = 5.0 + page[i]
        return page[i]

    given = np.float32([1, 2])
    with pytest.raises(ShaderError, match="element 7 of 'page' does not exist"):
        interpret(at.ir, {"i": np.uint32([0, 7])}, memory={"page": given.copy()})
    kept = given.copy()
    found = interpret(at.ir, {"i": np.uint32([0, 7])}, memory={"page": kept}, bounds="zero").value
    assert found.tolist() == [6, 0]
    assert kept.tolist() == [6, 2]


def test_a_row_that_is_not_active_may_have_any_index():
    @function
    def guarded(i: u32) -> f32:
        if i < 2:
            return page[i]
        return -1.0

    i = np.uint32([0, 1, 2, 4_000_000_000])
    found = interpret(guarded.ir, {"i": i}, memory={"page": np.float32([3, 4])}).value
    assert found.tolist() == [3, 4, -1, -1]


def test_the_late_side_of_and_is_not_evaluated():
    @function
    def late(i: u32) -> bool:
        return i < 2 and page[i] > 0.0

    found = interpret(late.ir, {"i": np.uint32([0, 1, 9])}, memory={"page": np.float32([1, -1])})
    assert found.value.tolist() == [True, False, False]


def test_private_memory_is_each_row_s_own():
    @function
    def twice(n: u32) -> u32:
        own[n & 1] = n
        own[1] += 10
        return own[0] * 100 + own[1]

    found = interpret(twice.ir, {"n": np.uint32([4, 5])}).value
    assert found.tolist() == [410, 15]


def test_components_of_elements_are_written_alone():
    cells = ir.Resource("cells", ArrayType(vec2.__shader_type__), "storage", "read_write", 0, 0)
    body = ir.FunctionBuilder("f", F32)
    i = body.parameter("i", U32)
    body.store(index(index(cells, 0), i), ir.convert(F32, binary("+", i, 7)))
    body.return_(index(index(cells, 0), i))
    memory = {"cells": np.zeros((1, 2), np.float32)}
    assert interpret(body.done(), {"i": np.uint32([0, 1])}, memory=memory).value.tolist() == [7, 8]
    assert memory["cells"].tolist() == [[7, 8]]


def test_atomics_take_turns_in_order():
    @compute(workgroup_size=8)
    def count(lane: u32 = builtin.local_invocation_index):
        words[lane] = atomic_add(totals[lane & 1], lane + 1)
        atomic_max(totals[2], (lane * 5) % 7)
        atomic_sub(totals[3], u32(1))

    memory = memory_of("words", totals=np.uint32([100, 200, 0, 3]))
    dispatch(ComputeProgram(count).module.entries[0], memory)
    assert memory["words"].tolist() == [100, 200, 101, 202, 104, 206, 109, 212]
    assert memory["totals"].tolist() == [116, 220, 6, 0xFFFFFFFB]


def test_exchanges_succeed_for_one_of_those_who_expect_the_same():
    @compute(workgroup_size=8)
    def claim(lane: u32 = builtin.local_invocation_index):
        found = atomic_compare_exchange(totals[lane // 4], u32(0), lane + 1)
        words[lane] = found.old_value * 10 + (u32(1) if found.exchanged else u32(0))

    memory = memory_of("words", totals=np.uint32([0, 0]))
    dispatch(ComputeProgram(claim).module.entries[0], memory)
    assert memory["totals"].tolist() == [1, 5]
    assert memory["words"].tolist() == [1, 10, 10, 10, 1, 50, 50, 50]


def test_a_workgroup_sums_between_barriers():
    @compute(workgroup_size=8)
    def total(
        lane: u32 = builtin.local_invocation_index,
        group: vec3u = builtin.workgroup_id,
        thread: vec3u = builtin.global_invocation_id,
    ):
        shared[lane] = words[thread.x]
        workgroup_barrier()
        step = u32(4)
        while step > 0:
            if lane < step:
                shared[lane] = shared[lane] + shared[lane + step]
            workgroup_barrier()
            step //= 2
        if lane == 0:
            page[group.x] = f32(shared[0])

    memory = {"words": np.arange(24, dtype=np.uint32), "page": np.zeros(3, np.float32)}
    dispatch(ComputeProgram(total).module.entries[0], memory, (3, 1, 1))
    assert memory["page"].tolist() == [28, 92, 156]


def test_a_barrier_that_only_some_reach_is_an_error():
    body = ir.FunctionBuilder("main")
    lane = body.parameter("lane", U32)
    with body.if_(binary("<", lane, 3)):
        body.evaluate(ir.intrinsic("workgroup_barrier"))
    port = ir.Port(lane, builtin="local_invocation_index")
    entry = ir.EntryPoint("compute", body.done(), (port,), workgroup_size=(8, 1, 1))
    with pytest.raises(ShaderError, match="3 of 8"):
        dispatch(entry, {}, (2, 1, 1))


def test_invocations_are_numbered_as_on_the_gpu():
    @compute(workgroup_size=(2, 2, 2))
    def number(
        thread: vec3u = builtin.global_invocation_id, lane: u32 = builtin.local_invocation_index
    ):
        words[thread.x + 4 * thread.y + 8 * thread.z] = lane

    memory = {"words": np.zeros(16, np.uint32)}
    dispatch(ComputeProgram(number).module.entries[0], memory, (2, 1, 1))
    assert memory["words"].tolist() == [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7]


def test_derivatives_are_differences_within_blocks():
    @function
    def slopes(x: f32) -> vec3:
        return vec3(dpdx_fine(x * 2.0), dpdy_coarse(x), fwidth(x))

    x = np.float32([1, 2, 4, 8, 0, 0, 0, 5])
    found = interpret(slopes.ir, {"x": x}).value
    assert found[:, 0].tolist() == [2, 2, 8, 8, 0, 0, 10, 10]
    assert found[:, 1].tolist() == [3, 3, 3, 3, 0, 0, 0, 0]
    assert found[:, 2].tolist() == [4, 7, 7, 10, 0, 5, 5, 10]

    @function
    def widths(x: f32) -> vec2:
        return vec2(fwidth_fine(x), fwidth_coarse(x))

    found = interpret(widths.ir, {"x": x}).value
    assert found[:, 0].tolist() == [4, 7, 7, 10, 0, 5, 5, 10]
    assert found[:, 1].tolist() == [4, 4, 4, 4, 0, 0, 0, 0]


def test_a_derivative_needs_the_whole_block():
    @function
    def slope(x: f32) -> f32:
        if x > 3.0:
            return 0.0
        return dpdx_fine(x)

    with pytest.raises(ShaderError, match="part of a block"):
        interpret(slope.ir, {"x": np.float32([1, 2, 3, 4])})
    assert interpret(slope.ir, {"x": np.float32([9] * 4 + [1, 2, 1, 3])}).value[4:].tolist() == [
        *(1, 1, 2, 2)
    ]


def test_discarded_pixels_have_no_effects():
    page_ = np.zeros(4, np.float32)
    body = ir.FunctionBuilder("f", F32)
    x = body.parameter("x", F32)
    with body.if_(binary(">", x, 1.0)):
        body.discard()
    cells = ir.Resource("page", ArrayType(F32), "storage", "read_write", 0, 0)
    body.store(index(cells, ir.convert(U32, x)), x)
    body.return_(x)
    outcome = interpret(body.done(), {"x": np.float32([0.5, 1, 2, 3])}, memory={"page": page_})
    assert outcome.discarded.tolist() == [False, False, True, True]
    assert page_.tolist() == [0.5, 1, 0, 0]


def test_a_loop_that_does_not_end_is_an_error():
    body = ir.FunctionBuilder("f", U32)
    n = body.var("n", U32, 0)
    with body.while_(binary("<", n, 10)):
        body.assign(n, binary("*", n, 2))
    body.return_(n)
    with pytest.raises(ShaderError, match="does not end"):
        interpret(body.done(), {}, limit=50)


def test_missing_memory_is_named():
    body = ir.FunctionBuilder("f", U32)
    cells = ir.Resource("cells", ArrayType(U32), "storage", "read", 0, 0)
    body.return_(index(cells, literal(0)))
    with pytest.raises(InputError, match="'cells' has no value"):
        interpret(body.done(), {})


def test_i32_rounds_towards_zero_and_survives_the_smallest():
    body = ir.FunctionBuilder("f", I32)
    a, b = (body.parameter(name, I32) for name in "ab")
    body.return_(binary("+", binary("*", binary("/", a, b), 10), binary("%", a, b)))
    low = -(1 << 31)
    given = {"a": np.int32([-7, 7, 5, low]), "b": np.int32([2, -2, 0, -1])}
    assert interpret(body.done(), given).value.tolist() == [-31, -29, 50, 0]


def test_a_matrix_of_numbers_is_filled_column_by_column():
    wide = types.Matrix(2, 3)
    body = ir.FunctionBuilder("f", wide)
    numbers = [body.parameter(f"p{k}", F32) for k in range(6)]
    body.return_(construct(wide, *numbers))
    given = {f"p{k}": np.float32([k, 10 * k]) for k in range(6)}
    found = interpret(body.done(), given).value
    assert found[0].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert np.array_equal(found[1], 10 * found[0])
