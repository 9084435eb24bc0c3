"""What compiling costs, in calls: a program of 300 typed nodes, as in ``benchmarks/compile.py``."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import pytest

PATH = Path(__file__).parents[3] / "benchmarks" / "compile.py"
spec = importlib.util.spec_from_file_location("compile_benchmark", PATH)
assert spec is not None
assert spec.loader is not None
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


def calls_of(run) -> Counter[str]:
    """Count calls of Python functions by the name of their file."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found[Path(frame.f_code.co_filename).name] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize("layout", bench.LAYOUTS)
def test_calls_per_program(layout, tmp_path):
    functions = [made for made, _ in bench.LAYOUTS[layout](range(1, 4), tmp_path)]
    bench.stages(functions[0])  # loads the compiler
    for made in functions[1:]:
        found = calls_of(lambda made=made: bench.stages(made))
        assert found["tokenize.py"] == 0
        assert 1_000 < found.total() < 13_000
    program, _ = bench.stages(functions[2])
    assert bench.inlined(program.module.entries[0].function, {}) == 300


def test_a_large_file_costs_its_functions_no_more(tmp_path):
    alone = [made for made, _ in bench.in_files([7], tmp_path)]
    among = [made for made, _ in bench.in_one_file(range(60), tmp_path)]
    first, later = (calls_of(lambda f=f: bench.stages(f)).total() for f in (among[7], alone[0]))
    assert abs(first - later) < 400


def test_every_layout_reports_all_programs():
    for layout in bench.LAYOUTS:
        found = bench.measured(layout, 2)
        assert found["nodes"] == 300
        assert set(found["share"]) == {"decorators", *bench.STAGES}
