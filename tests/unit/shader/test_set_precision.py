"""Thirty rules and exactly what each may return, written before the analysis.

A set that misses a value would be a missing pipeline; a set with a value too many is a pipeline
that nobody uses. So these are equalities, not bounds.
"""

from __future__ import annotations

import enum

import pytest

from heapscene.shader import (
    abs,
    clamp,
    determinant,
    dot,
    f32,
    floor,
    function,
    i32,
    length,
    mat3,
    max,
    min,
    select,
    step,
    storage,
    struct,
    u32,
    vec3,
)
from heapscene.shader.sets import Range, result_set


class Cull(enum.IntEnum):
    NONE = 0
    FRONT = 1
    BACK = 2


class Compare(enum.IntEnum):
    NEVER = 0
    LESS = 1
    EQUAL = 2
    LESS_EQUAL = 3
    GREATER = 4


@struct
class Blend:
    enabled: bool
    source: u32
    target: u32


@struct
class Place:
    model: mat3
    position: vec3
    selected: bool
    layer: u32


flags = storage("flags", u32, binding=0)

ANY_CULL = {Cull.NONE, Cull.FRONT, Cull.BACK}
CASES = []


def case(expected, **known):
    """Put a rule on the list with what it may return."""

    def add(rule):
        CASES.append(pytest.param(rule, known, tuple(expected), id=rule.name))
        return rule

    return add


# Joins ---------------------------------------------------------------------------------------


@case([1, 2])
@function
def reassigned_in_one_branch(hit: bool) -> u32:
    mode = u32(1)
    if hit:
        mode = u32(2)
    return mode


@case([5, 8])
@function
def two_variables_stay_together(hit: bool) -> u32:
    a, b = u32(1), u32(4)
    if hit:
        a, b = u32(3), u32(5)
    return a + b


@case([0, 1, 3])
@function
def nested_branches(a: bool, b: bool) -> u32:
    level = u32(0)
    if a:
        level = u32(1)
        if b:
            level = u32(3)
    return level


@case([1, 4])
@function
def same_condition_twice(x: f32) -> u32:
    mode = u32(0)
    if x < 0.0:
        mode += 1
    else:
        mode += 2
    if x < 0.0:
        return mode
    return mode + 2


# Path conditions -----------------------------------------------------------------------------


@case([0, 2], x=Range(0, 9))
@function
def contradiction_in_a_row(x: i32) -> u32:
    if x < 3:
        if x > 5:
            return u32(1)
        return u32(0)
    return u32(2)


@case([1, 2, 3], distance=Range(0.0, 100.0))
@function
def level_by_distance(distance: f32) -> u32:
    if distance < 0.0:
        return u32(0)
    if distance < 10.0:
        return u32(1)
    if distance < 50.0:
        return u32(2)
    if distance <= 100.0:
        return u32(3)
    return u32(4)


@case([0, 1, 2])
@function
def level_by_position(eye: vec3, p: vec3) -> u32:
    away = length(eye - p)
    if away > 50.0:
        return u32(2)
    return u32(1) if away > 10.0 else u32(0)


@case([0, 7], n=Range(0, 1000))
@function
def equality_refines(n: u32) -> u32:
    if n == 7:
        return n
    return u32(0)


@case([2, 3], mode=ANY_CULL)
@function
def enum_compare(mode: u32) -> u32:
    if mode != Cull.NONE and not mode == Cull.FRONT:  # noqa: SIM201
        return mode
    return u32(3)


@case([1, 2])
@function
def conjunction(a: bool, b: bool) -> u32:
    if a and b:
        return u32(1) if a else u32(9)
    if not a or not b:
        return u32(2)
    return u32(9)


@case([3, 4], n=Range(0, 9))
@function
def both_sides_of_a_chain(n: i32) -> i32:
    return n if 2 < n < 5 else 3


# Culling, records, masks ---------------------------------------------------------------------


@case([Cull.FRONT, Cull.BACK])
@function
def cull_by_determinant(model: mat3) -> u32:
    return u32(Cull.FRONT) if determinant(model) < 0.0 else u32(Cull.BACK)


@function
def flipped(mode: u32) -> u32:
    """A helper with an early return."""
    if mode == Cull.FRONT:
        return u32(Cull.BACK)
    if mode == Cull.BACK:
        return u32(Cull.FRONT)
    return mode


@case([Cull.NONE], declared=Cull.NONE)
@function
def flip_declared_none(place: Place, declared: u32) -> u32:
    if determinant(place.model) < 0.0:
        return flipped(declared)
    return declared


@case([Cull.FRONT, Cull.BACK], declared={Cull.FRONT, Cull.BACK})
@function
def flip_twice(model: mat3, declared: u32) -> u32:
    once = flipped(declared)
    return flipped(once) if determinant(model) < 0.0 else once


@case([(False, 0, 0), (True, 1, 2)])
@function
def record_by_flag(seen: bool) -> Blend:
    if seen:
        return Blend(enabled=True, source=u32(1), target=u32(2))
    return Blend(enabled=False, source=u32(0), target=u32(0))


@case([(False, 0, 3), (True, 0, 3)], fade=Range(0.0, 1.0))
@function
def record_changed_by_parts(fade: f32) -> Blend:
    blend = Blend(enabled=False, source=u32(0), target=u32(3))
    if fade < 1.0:
        blend = blend.replace(enabled=True)
    return blend


@case([0, 2, 8, 10])
@function
def masked(bits: u32) -> u32:
    return bits & 10


@case([4, 5, 6, 7])
@function
def masked_shifted_and_set(word: u32) -> u32:
    return ((word >> 6) & 3) | 4


@case([0, 1, 2, 3])
@function
def modulo(n: u32) -> u32:
    return n % 4


@case([1, 3])
@function
def parity_of_a_storage_word(at: u32) -> u32:
    word = flags[at]
    return (word & 1) * 2 + 1


# Numbers -------------------------------------------------------------------------------------


@case([-1, 0, 1, 2])
@function
def clamped(n: i32) -> i32:
    return clamp(n, -1, 2)


@case([2, 3, 4], n=Range(0, 4))
@function
def min_and_max(n: u32) -> u32:
    return max(min(n, u32(9)), u32(2))


@case([0, 1, 2, 3], detail=Range(0.0, 3.5))
@function
def level_by_floor(detail: f32) -> u32:
    return u32(floor(detail))


@case([10, 20], x=Range(-1.0, 1.0))
@function
def selected(x: f32) -> i32:
    return select(10, 20, abs(x) < 0.5)


@case([0, 1, 3], x=Range(-100.0, 100.0))
@function
def sum_of_steps(x: f32) -> u32:
    return u32(step(1.0, x)) + u32(step(2.0, x)) * u32(2)


@case([0, 255], n={0, 1})
@function
def wrapped_product(n: u32) -> u32:
    return (n * u32(0xFFFFFFFF)) >> 24


# Loops, helpers, all together ----------------------------------------------------------------


@case([0, 1, 2, 3, 4])
@function
def count_of_thresholds(x: f32) -> u32:
    level = u32(0)
    for k in range(4):
        if x > f32(k) * 10.0:
            level += 1
    return level


@case([1, 2, 4, 8, 16], n=Range(0, 4))
@function
def loop_with_unknown_end(n: u32) -> u32:
    bit = u32(1)
    for _ in range(n):
        bit = bit << 1
    return bit


@case([Compare.LESS, Compare.LESS_EQUAL], order=set(Compare), reversed={False})
@function
def helper_in_a_condition(order: u32, reversed: bool, n: vec3) -> u32:
    if is_less(order) or (reversed and dot(n, n) > 1.0):
        return order
    return u32(Compare.LESS)


@function
def is_less(order: u32) -> bool:
    """A helper that gives a condition."""
    for each in range(u32(1), u32(4), 2):  # noqa: SIM110
        if order == each:
            return True
    return False


@case([6, 15], layer={2, 5})
@function
def while_loop_to_a_finite_end(place: Place, layer: u32) -> u32:
    total, k = u32(0), u32(0)
    while True:
        if k > layer:
            break
        total += k
        k += 1
    return total + (u32(3) if layer == 2 else u32(0))


@pytest.mark.parametrize(("rule", "known", "expected"), CASES)
def test_exactly_these(rule, known, expected):
    found = result_set(rule, known=known)
    assert not found.is_top, found.explain()
    plain = tuple(
        tuple(vars(value).values()) if isinstance(value, Blend) else value for value in found.values
    )
    assert plain == expected, found.explain()


def test_the_list_is_complete():
    assert len(CASES) == 30
