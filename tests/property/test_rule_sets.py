"""Every value that a random rule returns is in its set, and the set is not much larger.

What a rule returns is observed by the NumPy interpreter of the IR, over 10,000 inputs at length.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from heapscene.shader.interpret import interpret
from heapscene.shader.ir import nodes
from heapscene.shader.sets import refine, result_set, walk

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))

from random_rules import make_rule

QUICK = range(0, 300, 100)
LONG = range(0, 10_000, 1_000)
INPUTS = 10_000
FEW_INPUTS = 1_000


@dataclass
class Figures:
    """What came out over many rules."""

    rules: int = 0
    tops: int = 0
    exact: int = 0
    ratios: list[float] = field(default_factory=list)

    def __str__(self):
        ratios = np.array(self.ratios)
        return (
            f"{self.rules} rules, top {self.tops / self.rules:.2%}, "
            f"exactly what was observed {self.exact / self.rules:.1%}, set size over observed: "
            f"median {np.median(ratios):.2f}, mean {ratios.mean():.2f}, "
            f"95th percentile {np.percentile(ratios, 95):.2f}, largest {ratios.max():.1f}"
        )


def observed(value):
    """Return the distinct results of all invocations, as tuples of numbers."""
    columns = list(value.values()) if isinstance(value, dict) else [value]
    rows = np.stack([np.asarray(column).astype(np.int64) for column in columns], axis=1)
    return {tuple(row) for row in np.unique(rows, axis=0).tolist()}


def as_numbers(value):
    parts = vars(value).values() if hasattr(value, "replace") else [value]
    return tuple(int(part) for part in parts)


def check(seeds, inputs):
    figures = Figures()
    for seed in seeds:
        rule = make_rule(seed, inputs)
        found = result_set(rule.function, known=rule.known)
        seen = observed(interpret(rule.function.ir, rule.inputs).value)
        figures.rules += 1
        if found.is_top:
            figures.tops += 1
            continue
        possible = {as_numbers(value) for value in found.values}
        assert seen <= possible, (
            f"rule {seed} returns {sorted(seen - possible)}, which is not in its set\n"
            f"{rule.text}\n{rule.known}\n{found.explain()}"
        )
        figures.exact += seen == possible
        figures.ratios.append(len(possible) / len(seen))
    return figures


def assert_sharp(figures):
    print(figures)
    assert np.median(figures.ratios) <= 1.5
    assert figures.tops < 0.05 * figures.rules


@pytest.mark.parametrize("first", QUICK)
def test_no_value_is_missing(first):
    assert_sharp(check(range(first, first + QUICK.step), FEW_INPUTS))


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", LONG)
def test_no_value_is_missing_in_many_rules(first):
    assert_sharp(check(range(first, first + LONG.step), INPUTS))


def without_else(self, node, states, flow):
    """Go on with the first branch only, as an analysis once did that forgot assignments."""
    holds, fails = self._split(node.condition, states)
    after = self._block(node.then, holds, flow)
    return after or self._block(node.otherwise, fails, flow)


def once(self, node, states, flow):
    """Run the body of a loop once."""
    states = self._started(node, states) if isinstance(node, nodes.For) else states
    exits = []
    return exits + self._round(node, states, flow, exits)


def first_only(self, states, span):
    """Keep one of several states that meet."""
    return states[0]


@pytest.mark.parametrize("fault", ["without_else", "once", "first_only", "reversed"])
def test_faults_are_noticed(fault, monkeypatch):
    if fault == "without_else":
        monkeypatch.setitem(walk._STATEMENTS, nodes.If, without_else)
    elif fault == "once":
        monkeypatch.setitem(walk._STATEMENTS, nodes.For, once)
    elif fault == "first_only":
        monkeypatch.setattr(walk.Walker, "_merged", first_only)
    else:  # what is not less is taken for what is at most that
        monkeypatch.setitem(refine._NEGATED, "<", "<=")
    with pytest.raises(AssertionError, match="which is not in its set"):
        check(range(60), 1_000)
