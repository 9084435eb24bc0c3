"""Columns of a table: arrays as people have them become rows of 32-bit numbers, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw.color import is_names, rgba_rows
from heapscene.draw.encode import encode_value, is_color, numpy_dtype, whole_numbers
from heapscene.draw.numbers import as_array, holds_numbers
from heapscene.errors import InputError, explain
from heapscene.shader import BOOL, Matrix, Scalar, Type, Vector, spelled

__all__ = ["Column", "as_rows", "check_rows", "common_length", "element_shape"]


MOST_ROWS = 2**31 - 1
"""Handles at most: the GPU counts rows in 32 bits."""


class Column:
    """One value per row of a table.

    Attributes
    ----------
    name, type
        How the header calls it, and what a row holds.
    data
        ``(capacity, words)`` of 32-bit numbers. Another array after growth.
    """

    __slots__ = ("data", "name", "type")

    def __init__(self, name: str, type_: Type, data: NDArray[Any]) -> None:
        self.name = name
        self.type = type_
        self.data = data

    def view(self, rows: int) -> NDArray[Any]:
        """Return the first `rows` rows, read-only, each of the shape of the type."""
        shown = self.data[:rows].reshape(rows, *element_shape(self.type))
        shown.flags.writeable = False
        return shown


def check_rows(count: int) -> None:
    """Raise an :class:`InputError` if a table cannot have so many rows."""
    if count <= MOST_ROWS:
        return
    raise InputError(
        explain(
            f"a table cannot have {count:,} rows",
            facts={"largest": f"{MOST_ROWS:,} rows"},
            fix="Split the rows among several tables.",
        )
    )


def element_shape(type_: Type) -> tuple[int, ...]:
    """Return the shape of one value: ``()``, ``(n,)`` or ``(rows, columns)``."""
    if isinstance(type_, Matrix):
        return (type_.rows, type_.columns)
    return (type_.size,) if isinstance(type_, Vector) else ()


def as_rows(name: str, type_: Type, value: Any) -> tuple[NDArray[Any], bool]:
    """Return ``(n, words)`` numbers, and whether ``value`` was a single one for all rows.

    They fit into the type, and are of the dtype that was given: storing them converts them, in one pass.

    Parameters
    ----------
    value
        Numbers of any kind, byte order and strides; a colour name is a single value.

    Raises
    ------
    InputError
        It would lose its meaning as the type: not numbers, another shape, fractions or numbers out of
        range for a whole number.
    """
    if isinstance(value, str):
        return np.frombuffer(encode_value(type_, value, name), numpy_dtype(type_))[None], True
    array = as_array(value)
    if is_color(type_) and is_names(array):
        array = rgba_rows(array, type_.words)
    dtype = numpy_dtype(type_)
    want = element_shape(type_)
    if not holds_numbers(array):
        raise _refused(name, type_, array, _fitting(type_), _numbers_for(name, type_))
    if array.dtype.kind == "f" and dtype.kind != "f":
        to = "bool" if type_ == BOOL else f"numpy.{dtype.name}"
        fix = f"Write {name}.astype({to}), if that is what it means."
        raise _refused(name, type_, array, _fitting(type_), fix)
    shape: tuple[int, ...] = array.shape
    single = shape == want or (want == (4,) and shape == (3,))
    if single:
        array = array[None]
    if not want and array.shape[1:] == (1,):
        array = array[:, 0]
    fills = want == (4,) and array.shape[1:] == (3,)
    if array.ndim == 0 or (array.shape[1:] != want and not fills):
        raise _refused(name, type_, array, f"shape {_shape(type_)}", _numbers_for(name, type_))
    check_rows(len(array))
    if dtype.kind in "iu":
        try:
            array = whole_numbers(type_, array, name)
        except InputError as cause:
            limits = np.iinfo(dtype)
            wanted = f"numbers from {limits.min} to {limits.max}"
            raise _refused(name, type_, array, wanted, "Give numbers in that range.") from cause
    if fills:
        array = np.concatenate([array, np.ones((len(array), 1), array.dtype)], axis=1)
    return array.reshape(len(array), type_.words), single


def common_length(rows: Mapping[str, tuple[Any, NDArray[Any], bool]]) -> int:
    """Return how many rows columns have together; those of one row serve all.

    Parameters
    ----------
    rows
        By name: the value as given, its rows, and whether it was a single value.

    Raises
    ------
    InputError
        Two columns have different numbers of rows.
    """
    longest = ""
    for name, (_, _, single) in rows.items():
        if not single and (not longest or len(rows[longest][1]) == 1):
            longest = name
    if not longest:
        return 1
    count = len(rows[longest][1])
    for name, (value, array, single) in rows.items():
        if not single and len(array) not in (1, count):
            raise InputError(
                explain(
                    f"column {name!r} has {len(array):,} rows, the table has {count:,}",
                    facts={
                        "column": f"{name!r}  {described(value)}",
                        "set by": f"{longest!r}  {described(rows[longest][0])}",
                    },
                    fix="Give every column the same number of rows, or one row to use it for all "
                    "draws.",
                )
            )
    return count


def described(value: Any) -> str:
    """Return dtype and shape of an array, or of what would become one."""
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    return f"{array.dtype} {array.shape}"


def _refused(name: str, type_: Type, array: NDArray[Any], wanted: str, fix: str) -> InputError:
    dtype = numpy_dtype(type_)
    return InputError(
        explain(
            f"column {name!r} cannot be stored as {spelled(type_)}",
            facts={
                "column": f"{name!r}  {array.dtype} {array.shape}",
                "stored": f"{dtype} {_shape(type_)}",
                "wanted": wanted,
            },
            fix=fix,
        )
    )


def _numbers_for(name: str, type_: Type) -> str:
    """Return what to type where a column is no array of numbers of the right shape."""
    one = (
        f"numpy.zeros({(10, *element_shape(type_))})" if element_shape(type_) else "numpy.zeros(10)"
    )
    names = ' or colour names: ["red", "#ff8000"]' if name == "color" and is_color(type_) else ""
    return f"Give {name!r} as numbers of shape {_shape(type_)}, as of {one}{names and ','}{names}."


def _fitting(type_: Type) -> str:
    is_float = numpy_dtype(type_).kind == "f"
    return "numbers" if is_float else "whole numbers or bools"


def _shape(type_: Type) -> str:
    if isinstance(type_, Scalar):
        return "(n,)"
    return f"(n, {', '.join(map(str, element_shape(type_)))})"
