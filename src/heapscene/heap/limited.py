"""Values of inputs as bytes, refused where they are beyond what the program declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import (
    Limits,
    check_all_limits,
    check_limits,
    check_places,
    encode_all,
    encode_place,
    encode_places,
    encode_rows,
    encode_value,
    first_beyond,
    numpy_dtype,
)
from heapscene.shader import types

__all__ = ["encode_followed", "encode_followed_all", "encode_followed_rows"]


class Limited(Protocol):
    """What is known of an input."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> types.Type: ...
    @property
    def limits(self) -> Limits | None: ...
    @property
    def is_place(self) -> bool: ...


def encode_followed(field: Limited, source: Any) -> bytes:
    """Return the bytes of what an adaptive value is now.

    Raises
    ------
    InputError
        It has the wrong type, or is beyond the limits.
    """
    if field.is_place:
        return encode_place(source.force(), field.name, source)
    data = encode_value(field.type, source.force(), field.name)
    if field.limits is not None:
        numbers = np.frombuffer(data, numpy_dtype(field.type))
        check_limits(field.name, numbers, field.limits, source)
    return data


def encode_followed_all(
    field: Limited, values: Sequence[Any], sources: Sequence[Any]
) -> NDArray[np.uint32]:
    """Return the words of what adaptive values are now, ``(n, words)``; the same bytes.

    Raises
    ------
    InputError
        One has the wrong type, or is beyond the limits.
    """
    if field.is_place:
        return encode_places(values, field.name, sources)
    rows = encode_all(field.type, values, field.name)
    if field.limits is not None:
        numbers = rows.view(numpy_dtype(field.type))
        at = first_beyond(numbers, field.limits)
        if at is not None:
            check_limits(field.name, numbers[at], field.limits, sources[at])
    return rows


def encode_followed_rows(field: Limited, source: Any) -> NDArray[np.uint32]:
    """Return the words of the rows that an adaptive array has now, ``(n, words)``.

    Raises
    ------
    InputError
        It has the wrong type, or a row is beyond the limits.
    """
    rows = encode_rows(field.type, source.force(), field.name)
    if field.is_place:
        check_places(field.name, rows.view(np.float32))
    if field.limits is not None:
        check_all_limits(field.name, rows.view(numpy_dtype(field.type)), field.limits)
    return rows
