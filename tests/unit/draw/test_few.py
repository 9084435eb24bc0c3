"""A few numbers are looked at by Python, many by NumPy: what is refused is the same."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.draw.limits import ANY_FINITE, UNIT, check_all_limits
from heapscene.draw.rows import chosen_rows
from heapscene.errors import InputError

TINY = float(np.finfo(np.float32).eps)
ODD = [
    0.25,
    0.0,
    -0.0,
    1.0,
    0.1,
    1 + 1e-9,
    1 + TINY,
    -1e-46,
    -1e-3,
    3.5e38,
    3.4028235e38,
    -4e38,
    1e300,
    255.0,
]
NUMBERS = np.array([*ODD, np.nan, np.inf, -np.inf])
DTYPES = (np.float16, np.float32, np.float64, np.longdouble, ">f4", ">f8")


def refusal(rows: np.ndarray, limits: tuple[float, float]) -> str | None:
    try:
        check_all_limits("x", rows, limits)
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("limits", [ANY_FINITE, UNIT, (0.1, 0.3), (-1.0, 0.3)])
def test_few_numbers_are_within_limits_if_many_are(dtype, limits) -> None:
    with np.errstate(over="ignore"):
        numbers = NUMBERS.astype(dtype)
    found = set()
    for number in numbers:
        few = np.full((2, 3), 0.2, dtype)
        few[1, 2] = number
        many = np.concatenate([few, np.full((60, 3), 0.2, dtype)])
        assert refusal(few, limits) == refusal(many, limits), number
        found.add(refusal(few, limits) is None)
    assert found == {True, False}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_few_whole_numbers_are_within_limits_if_many_are(dtype) -> None:
    for number in (0, 1, 2, np.iinfo(dtype).min, np.iinfo(dtype).max):
        few = np.array([[0, number, 1]], dtype)
        many = np.concatenate([few, np.zeros((60, 3), dtype)])
        assert refusal(few, UNIT) == refusal(many, UNIT), number


def test_few_rows_are_chosen_as_many_are() -> None:
    rng = np.random.default_rng(5)
    alive = np.ones(40, np.bool_)
    for _ in range(500):
        few = rng.integers(-1, 41, rng.integers(1, 5))
        many = np.concatenate([few, np.zeros(30, np.int64)])
        outcomes = []
        for rows in (few, many):
            try:
                chosen = chosen_rows(rows, alive, len(alive))
                outcomes.append(np.arange(40)[chosen][: len(few)].tolist())
            except InputError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
