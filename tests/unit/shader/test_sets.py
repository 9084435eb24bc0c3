"""``result_set``: what may be said of inputs, what it answers, and how it explains itself."""

from __future__ import annotations

import enum
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from heapscene.errors import ShaderNameError, ShaderTypeError
from heapscene.shader import (
    clamp,
    f32,
    function,
    i32,
    length,
    mat3,
    sqrt,
    storage,
    struct,
    u32,
    vec2,
    vec3,
)
from heapscene.shader.ir import nodes
from heapscene.shader.ir.visit import CHILDREN
from heapscene.shader.operations import INTRINSICS
from heapscene.shader.sets import Range, result_set
from heapscene.shader.sets.composites import COMPOSITES
from heapscene.shader.sets.domain import MAX_VALUES
from heapscene.shader.sets.expressions import _EXPRESSIONS
from heapscene.shader.sets.transfer import SCALAR_INTRINSICS
from heapscene.shader.sets.walk import _STATEMENTS


class Mode(enum.IntEnum):
    OFF = 0
    SLOW = 4
    FAST = 7


@struct
class Light:
    color: vec3
    power: f32
    mode: u32


class Parts(enum.IntFlag):
    EDGES = 1
    FACES = 2
    NAMES = 8


fixed = storage("fixed", u32, binding=0)
written = storage("written", u32, binding=1, access="read_write")


@function
def same(n: u32) -> u32:
    return n


@function
def light_mode(light: Light) -> u32:
    return light.mode if light.power > 0.5 else u32(99)


def values(rule, **known):
    found = result_set(rule, known=known)
    assert not found.is_top, found.explain()
    return list(found.values)


# What may be said of inputs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (3, [3]),
        ({5, 1}, [1, 5]),
        ([2, 2, 1], [1, 2]),
        (range(3), [0, 1, 2]),
        (Mode, [0, 4, 7]),
        (Mode.FAST, [7]),
        (Parts, [0, 1, 2, 3, 8, 9, 10, 11]),
        (Parts.EDGES | Parts.NAMES, [9]),
        ({Mode.OFF, Mode.FAST}, [0, 7]),
        (Range(2, 4), [2, 3, 4]),
        (Range(-5, 1), [0, 1]),
    ],
)
def test_known(known, expected):
    assert values(same, n=known) == expected


def test_fields_are_given_by_name():
    assert values(light_mode, light={"power": Range(0.6, 1.0), "mode": Mode}) == [0, 4, 7]
    assert values(light_mode, light={"mode": 1}) == [1, 99]


def test_a_whole_struct_may_be_given():
    lights = [
        Light(color=vec3(1.0), power=0.0, mode=u32(1)),
        Light(color=vec3(1.0), power=1.0, mode=u32(2)),
    ]
    assert values(light_mode, light=lights) == [2, 99]


def test_components_of_a_value_stay_together():
    @function
    def sum_of(v: vec2) -> f32:
        return v.x + v.y

    assert values(sum_of, v=[vec2(1.0, 10.0), vec2(2.0, 20.0)]) == [11.0, 22.0]


def test_a_range_holds_for_each_component():
    @function
    def corner(v: vec2) -> bool:
        return length(v) > 1.5

    assert values(corner, v=Range(0.0, 1.0)) == [False]
    assert values(corner, v=Range(0.0, 1.2)) == [False, True]


def test_the_ends_of_a_range_are_rounded_as_values_are():
    @function
    def more(x: f32) -> bool:
        return x >= f32(0.1)

    assert values(more, x=Range(0.0, 0.1)) == [False, True]


def test_a_matrix_may_be_given():
    @function
    def moved(m: mat3) -> f32:
        return (m @ vec3(0.0, 0.0, 1.0)).x

    m = mat3(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(5.0, 0.0, 1.0))
    assert values(moved, m=m) == [5.0]


def test_wrong_knowledge_is_refused():
    with pytest.raises(ShaderNameError, match="same has no parameter 'm'"):
        result_set(same, known={"m": 1})
    with pytest.raises(ShaderNameError, match="light has no parameter 'hue'"):
        result_set(light_mode, known={"light": {"hue": 1}})
    with pytest.raises(ShaderTypeError, match="n has no possible value"):
        result_set(same, known={"n": set()})
    with pytest.raises(ShaderTypeError, match="none of these"):
        result_set(same, known={"n": Range(-3, -1)})
    with pytest.raises(ShaderTypeError, match="which has no fields"):
        result_set(same, known={"n": {"x": 1}})


def test_a_rule_returns_a_value():
    @function
    def nothing(n: u32) -> None:
        pass

    with pytest.raises(ShaderTypeError, match="nothing returns void"):
        result_set(nothing)


# What it answers -------------------------------------------------------------------------------


def test_membership():
    found = result_set(light_mode, known={"light": {"mode": {1, 2}}})
    assert 2 in found
    assert 3 not in found
    assert len(found) == 3
    assert 3 in result_set(light_mode)


def test_nan_is_different_from_itself():
    @function
    def is_number(x: f32) -> bool:
        return x == x

    assert values(is_number) == [False, True]
    assert values(is_number, x=Range()) == [True]


def test_nan_may_become_any_integer():
    @function
    def level(x: f32) -> u32:
        return u32(clamp(x, 0.0, 3.0))

    assert result_set(level).is_top
    assert values(level, x=Range()) == [0, 1, 2, 3]


def test_all_small_inputs_are_exact_where_paths_are_many():
    @function
    def bits(a: bool, b: bool, c: bool, d: bool, e: bool, f: bool) -> u32:
        n = u32(0)
        n = n + 3 if a else n
        n = n + 9 if b else n
        if c:
            n = n * 2
        if d:
            n += 27
        if e:
            n = n ^ 5
        if f:
            n = n // 3
        return n % 32

    seen = {bits(*(bool(k >> bit & 1) for bit in range(6))) for k in range(64)}
    assert values(bits) == sorted(seen)


def test_a_long_loop_is_widened():
    @function
    def saturating(n: u32) -> u32:
        count = u32(0)
        for _ in range(n):
            count = count + 1 if count < 3 else count
        return count

    assert values(saturating) == [0, 1, 2, 3]


def test_a_loop_that_changes_nothing_ends():
    @function
    def waits(go: bool) -> u32:
        while not go:
            pass
        return u32(1)

    assert values(waits) == [1]
    assert values(waits, go=False) == []


def test_nested_long_loops_take_a_bounded_effort():
    @function
    def hits(n: i32) -> i32:
        found = 0
        for a in range(1000):
            for b in range(1000):
                if a * b == n:
                    found += 1
        return found & 3

    assert values(hits) == [0, 1, 2, 3]


def test_what_nobody_writes_is_read_twice_the_same():
    @function
    def small(at: u32) -> u32:
        return fixed[at] if fixed[at] < 2 else u32(2)

    assert values(small) == [0, 1, 2]


def test_what_is_written_is_not_followed():
    @function
    def small(at: u32) -> u32:
        return written[at] if written[at] < 2 else u32(2)

    found = result_set(small)
    assert found.is_top
    assert "'written' may hold anything" in found.explain()


def test_sixty_four_values_are_a_set_and_more_are_not():
    assert len(values(same, n=Range(1, MAX_VALUES))) == MAX_VALUES
    assert result_set(same, known={"n": Range(0, MAX_VALUES)}).is_top


def test_early_return_from_a_helper_inside_a_loop():
    @function
    def first_at_least(limit: u32) -> u32:
        for k in range(u32(10)):
            if k * k >= limit:
                return k
        return u32(10)

    @function
    def twice(limit: u32) -> u32:
        return first_at_least(limit) * 2

    assert values(twice, limit=Range(5, 20)) == [6, 8, 10]


# How it explains itself ------------------------------------------------------------------------


@function
def explained(n: u32, x: f32) -> u32:
    if x < 1.0:
        return u32(2)
    if n == 7:
        return u32(2)
    return n & 1


@function
def lost(n: u32, x: f32) -> u32:
    scaled = n * 3
    if x < 1.0:
        return scaled + 1
    return u32(0)


@function
def rounds(x: f32) -> f32:
    return sqrt(x) + 1.0


def told(rule, **known):
    """Return the explanation, with lines counted from the ``def``."""
    first = rule.source.tree.lineno
    text = result_set(rule, known=known).explain().replace(__file__, "rules.py")
    return re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) - first}", text)


def test_explains_each_value():
    assert told(explained) == textwrap.dedent(
        """\
        explained returns one of 3 values
          File "rules.py", line 0
          0  line 5: return n & 1
          1  line 5: return n & 1
          2  line 2: return u32(2)
             line 4: return u32(2)"""
    )


def test_explains_what_was_lost():
    assert told(lost) == textwrap.dedent(
        """\
        lost may return more than 64 values
          File "rules.py", line 1, in lost
              scaled = n * 3
                       ^^^^^
          because   'n' may be anything
          returned  line 3
        Narrow it with clamp, min, % or a comparison, or say more about the inputs."""
    )


def test_explains_rounding():
    assert told(rounds, x=4.0) == textwrap.dedent(
        """\
        rounds may return more than 64 values
          File "rules.py", line 1, in rounds
              return sqrt(x) + 1.0
                     ^^^^^^^
          because   how it is rounded is left to the GPU
          returned  line 1
        Narrow it with clamp, min, % or a comparison, or say more about the inputs."""
    )


def test_explains_that_all_returns_together_are_many():
    @function
    def ends(n: u32, m: u32) -> u32:
        if n > m:
            return n
        return m + 100

    assert told(ends, n=Range(0, 40), m=Range(0, 40)) == textwrap.dedent(
        """\
        ends may return more than 64 values
          File "rules.py", line 3, in ends
              return m + 100
              ^^^^^^^^^^^^^^
        Narrow it with clamp, min, % or a comparison, or say more about the inputs."""
    )


def test_same_answer_in_every_process():
    code = (
        "import sys; sys.path.insert(0, 'tests/reference'); from random_rules import make_rule\n"
        "from heapscene.shader.sets import result_set\n"
        "for seed in range(12):\n"
        "    rule = make_rule(seed, 4)\n"
        "    found = result_set(rule.function, known=rule.known)\n"
        "    print(found.values, found.explain())\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "returns one of" in texts.pop()


# Everything is covered -------------------------------------------------------------------------


def test_every_node_is_handled():
    expressions = {kind for kind in CHILDREN if issubclass(kind, nodes.Expr)}
    statements = {kind for kind in CHILDREN if issubclass(kind, nodes.Stmt)}
    assert set(_EXPRESSIONS) == expressions
    assert set(_STATEMENTS) == statements


def test_every_intrinsic_is_handled_or_may_give_anything():
    followed = SCALAR_INTRINSICS | set(COMPOSITES) | {"array_length"}
    anything = {
        name
        for name, operation in INTRINSICS.items()
        if operation.family in ("barrier", "atomic", "texture")
    }
    assert followed <= set(INTRINSICS)
    assert set(INTRINSICS) - followed == anything
