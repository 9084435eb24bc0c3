"""A long life: sizes drift, and neither memory nor the work per operation grows."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from heapscene.heap import Allocator, check
from heapscene.heap.compaction import WASTE_SHARE

PATH = Path(__file__).parents[2] / "benchmarks" / "churn.py"


def load():
    spec = importlib.util.spec_from_file_location("churn", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Work:
    """Counts free blocks that are made or taken: what an allocation costs besides a constant."""

    def __init__(self, monkeypatch) -> None:
        self.blocks = 0
        for name in ("_insert", "_remove"):
            monkeypatch.setattr(Allocator, name, self.counted(getattr(Allocator, name)))

    def counted(self, method):
        def call(*args):
            self.blocks += 1
            return method(*args)

        return call


def run(churn, work: Work) -> list[int]:
    """Return the work of each tenth."""
    churn.fill()
    tenths = []
    frames = churn.operations // 100
    for _ in range(10):
        before = work.blocks
        for _ in range(frames // 10):
            churn.frame()
        tenths.append(work.blocks - before)
        check(churn.heap)
    return tenths


@pytest.mark.parametrize(
    ("operations", "n_live"),
    [
        (10_000, 400),
        pytest.param(100_000, 3000, marks=[pytest.mark.long, pytest.mark.timeout(600)]),
    ],
)
def test_waste_pages_and_work_stay_bounded(monkeypatch, operations, n_live):
    churn = load().Churn(operations, n_live=n_live)
    churn.heap.memory.compactor.least_waste = 2**15
    tenths = run(churn, Work(monkeypatch))
    assert churn.done == operations
    assert churn.moved > 0
    assert churn.largest_waste <= WASTE_SHARE
    assert churn.most_pages <= 2
    stats = churn.heap.stats()
    assert stats["page_bytes"] * (1 - WASTE_SHARE) <= stats["live_bytes"] + 2**19
    assert stats["capacity_bytes"] < 4 * stats["live_bytes"] + 2**20
    # In the first tenth there are hardly any holes to look at yet.
    assert tenths[-1] <= 1.3 * tenths[1]
    assert max(tenths) <= 4 * operations // 10


def test_without_compaction_the_same_life_wastes_more(monkeypatch):
    churn = load().Churn(10_000, n_live=400)
    churn.compacts = False
    run(churn, Work(monkeypatch))
    assert churn.largest_waste > WASTE_SHARE
