"""Pending changes end where the single steps end, whatever comes and goes."""

import numpy as np
import pytest

from heapscene.draw import DrawChange
from heapscene.render.pending import PendingChanges


def replay(state, steps):
    """Apply steps to a list of draws; a replacement keeps its place."""
    state = list(state)
    for old, new in steps:
        if old is None:
            assert new not in state
            state.append(new)
        elif new is None:
            state.remove(old)
        else:
            state[state.index(old)] = new
    return state


@pytest.mark.parametrize("seed", range(50))
def test_shortened_steps_end_in_the_same_state(seed):
    rng = np.random.default_rng(seed)
    pending = PendingChanges()
    before = [f"draw {k}" for k in range(3)]
    now, steps, fresh = list(before), [], 3
    for _ in range(30):
        roll = rng.random()
        if roll < 0.4 or not now:
            step = DrawChange(None, f"draw {fresh}")
            fresh += 1
        else:
            old = now[rng.integers(len(now))]
            step = DrawChange(old, None if roll < 0.7 else f"draw {fresh}")
            fresh += roll >= 0.7
        steps.append(step)
        now = replay(now, [step])
        pending.extend([step])
        assert replay(before, pending.steps()) == now
    assert len(pending) <= len(steps)


def test_what_comes_and_goes_leaves_no_trace():
    pending = PendingChanges()
    pending.extend([DrawChange(None, "a"), DrawChange("a", "b"), DrawChange("b", None)])
    assert pending.steps() == []


def test_removed_and_added_again_stays_two_steps():
    pending = PendingChanges()
    pending.extend([DrawChange("a", None), DrawChange(None, "a")])
    assert pending.steps() == [("a", None), (None, "a")]
