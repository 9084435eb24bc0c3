import ast
import enum
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from heapscene import adaptive
from heapscene.adaptive import constant, cval, same


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Hostile:
    def __eq__(self, other):
        raise AssertionError("must not be asked")

    __hash__ = object.__hash__


class Pair(NamedTuple):
    a: float
    b: str


NAN = float("nan")
EDITED = [1]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1, True),
        (1, 2, False),
        (1, 1.0, False),
        (1, True, False),
        (10**30, 10**30, True),
        (NAN, float("nan"), True),
        (0.0, -0.0, False),
        (1.5, 1.5, True),
        (complex(0, NAN), complex(0, NAN), True),
        (complex(0.0, 0.0), complex(0.0, -0.0), False),
        ("x" * 50, "xx" * 25, True),
        (b"x", bytes([120]), True),
        ((1, (2.0, "x")), (1, (2.0, "x")), True),
        ((1, (2.0, "x")), (1, (2, "x")), False),
        ((1,), (1, 2), False),
        ((NAN, -0.0), (NAN, 0.0), False),
        ((NAN, 1.0), (float("nan"), 1.0), True),
        ((1.0, NAN), (1.0, 2.0), False),
        ((0.5, 1.0), (0.5, 1), False),
        ((EDITED,), (EDITED,), False),
        (Pair(0.5, "x"), Pair(0.5, "x"), True),
        (Pair(0.5, "x"), (0.5, "x"), False),
        (Color.RED, Color.RED, True),
        (Color.RED, Color.BLUE, False),
        (Level.LOW, 1, False),
        ([1], [1], False),
        (Hostile(), Hostile(), False),
        ((Hostile(),), (Hostile(),), False),
        (np.float32(1), np.float32(1), True),
        (np.float32("nan"), np.float32("nan"), True),
        (np.float32(0.0), np.float32(-0.0), False),
        (np.float32(1), np.float64(1), False),
    ],
)
def test_same(a, b, expected):
    assert same(a, b) is expected
    assert same(b, a) is expected


def test_an_array_is_copied_read_only_and_always_marks():
    mine = np.arange(3.0)
    cell = cval(mine)
    runs = []
    total = cell.map(lambda x: runs.append(1) or float(x.sum()))
    assert total.value == 3.0
    mine[0] = 100.0
    assert total.value == 3.0
    with pytest.raises(ValueError, match="read-only"):
        cell.value[0] = 1.0
    cell.value = mine
    assert total.value == 103.0
    cell.value = mine
    assert total.value == 103.0
    assert len(runs) == 3
    mine[:] = 0.0
    assert constant(mine).value is not mine


def test_an_array_that_repeats_a_row_is_copied_once():
    row = np.arange(3.0)
    cell = cval(np.broadcast_to(row, (2**33, 3)))  # 200 GB, if it were copied row by row
    row[0] = 7.0
    assert cell.value.shape == (2**33, 3)
    assert cell.value[2**32].tolist() == [0.0, 1.0, 2.0]
    assert not cell.value.flags.writeable


def test_only_the_standard_library_and_errors_are_imported():
    for path in Path(adaptive.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
            for name in names:
                top = name.split(".")[0]
                assert top in sys.stdlib_module_names or name.startswith(
                    ("heapscene.adaptive", "heapscene.errors", "heapscene.wording")
                ), (path, name)
