"""Matrices that say where something is: finite, and with the last row 0, 0, 0, 1.

A matrix with the translation in its last row is the transposed one. Drawn, it would be a wrong
picture without a word.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw.numbers import as_array, holds_numbers
from heapscene.errors import InputError, explain
from heapscene.shader import MAT4, Type

__all__ = ["check_places", "encode_place", "encode_places", "is_place", "refused_place"]

_LAST = [0.0, 0.0, 0.0, 1.0]
_NATIVE = (np.dtype(np.float32), np.dtype(np.float64))
_pack = struct.Struct("<16f").pack


def is_place(name: str, type_: Type) -> bool:
    """Whether an input says where a draw is."""
    return name == "model" and type_ == MAT4


def encode_place(value: Any, name: str, source: object = None) -> bytes:
    """Return the packed bytes of a matrix that says where something is.

    Parameters
    ----------
    source
        Where the matrix comes from, if that is worth saying.

    Raises
    ------
    InputError
        It is no 4×4 matrix, or none of finite numbers with the last row 0, 0, 0, 1.
    """
    array = as_array(value)
    if array.shape == (4, 4) and holds_numbers(array):
        numbers = array.ravel().tolist()
        if numbers[12:] == _LAST and (math.isfinite(sum(numbers)) or np.isfinite(array).all()):
            try:
                return _pack(*numbers)
            except OverflowError:
                # What float32 cannot hold is infinite, as it would be on the GPU: matrices are products.
                with np.errstate(over="ignore"):
                    return array.astype("<f4").tobytes()
    raise refused_place(name, value, source)


def encode_places(values: Sequence[Any], name: str, sources: Sequence[Any]) -> NDArray[np.uint32]:
    """Return the packed words of many matrices that say where something is, ``(n, 16)``.

    The same bytes as :func:`encode_place` gives for each.

    Raises
    ------
    InputError
        One is refused; its source is named.
    """
    if {(type(value), getattr(value, "shape", ())) for value in values} == {(np.ndarray, (4, 4))}:
        rows = np.concatenate(values).reshape(len(values), 16)
        if rows.dtype == np.float64 and (rows[:, 12:] == _LAST).all() and np.isfinite(rows).all():
            with np.errstate(over="ignore"):
                return rows.astype("<f4").view(np.uint32)
    packed = [
        encode_place(value, name, source) for value, source in zip(values, sources, strict=True)
    ]
    return np.frombuffer(b"".join(packed), np.uint32).reshape(len(values), 16)


def check_places(name: str, rows: NDArray[Any], what: str = "row") -> None:
    """Raise unless all matrices ``(n, 16)`` have the last row 0, 0, 0, 1.

    Those with a NaN there are left as they are, as other rows that are not finite: they are not seen.

    Raises
    ------
    InputError
        One has another last row; the first such row is named.
    """
    if _all_last(rows):
        return
    last = rows[:, 12:]
    odd = ~((last == _LAST).all(axis=1) | np.isnan(last).any(axis=1))
    if odd.any():
        at = int(odd.argmax())
        raise refused_place(name, rows[at].reshape(4, 4), f"{what} {at:,}")


def _all_last(rows: NDArray[Any]) -> bool:
    """Whether all rows ``(n, 16)`` end with 0, 0, 0, 1."""
    if rows.dtype not in _NATIVE or not rows.flags.c_contiguous:
        return bool((rows[:, 12:] == _LAST).all())
    # As few numbers as 128 bits allow: NumPy takes four times as long for runs of four of them.
    last = np.array(_LAST, rows.dtype).view(np.complex128)
    found = rows.view(np.complex128)[:, -len(last) :]
    return all(bool((found[:, at] == number).all()) for at, number in enumerate(last))


def refused_place(name: str, value: Any, source: object = None) -> InputError:
    """Return what to raise for a value that is no place; it shows the matrix and what to type."""
    array = as_array(value)
    is_matrix = array.shape == (4, 4) and holds_numbers(array)
    facts: dict[str, object] = {} if source is None else {"value of": source}
    fix = f"Write {name}=numpy.eye(4), or an adaptive value of that."
    if not is_matrix:
        shown = " ".join(repr(value).split())
        facts["given"] = shown if len(shown) <= 80 else f"{shown[:77]}..."
    else:
        facts["matrix"] = "\n".join(
            [" ".join([f"{x:8.4g}" for x in row]) for row in array.tolist()]
        )
        if array[:, 3].tolist() == _LAST and np.isfinite(array).all():
            fix = f"Write {name}=matrix.T: the translation belongs into the last column."
    facts["expected"] = "a 4×4 matrix of finite numbers, with the last row 0, 0, 0, 1"
    return InputError(explain(f"this {name} cannot be used", facts=facts, fix=fix))
