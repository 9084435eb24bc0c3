"""Whatever is closed, ended or used at an odd time: the process lives, and what is wrong is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_nothing_that_ends_at_an_odd_time_ends_the_process():
    paths = os.pathsep.join([str(TESTS), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "reference.odd_endings"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "end"
    assert done.stdout.count("begin") == 10
