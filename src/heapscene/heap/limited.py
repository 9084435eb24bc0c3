"""Values of inputs as bytes, refused where they are beyond what the program declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import Limits, check_limits, encode_all, encode_value, first_beyond
from heapscene.shader import types

__all__ = ["encode_followed", "encode_followed_all"]


class Limited(Protocol):
    """What is known of an input."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> types.Type: ...
    @property
    def limits(self) -> Limits | None: ...


def encode_followed(field: Limited, source: Any) -> bytes:
    """Return the bytes of what an adaptive value is now.

    Raises
    ------
    InputError
        It has the wrong type, or is beyond the limits.
    """
    data = encode_value(field.type, source.force(), field.name)
    if field.limits is not None:
        check_limits(field.name, np.frombuffer(data, "<f4"), field.limits, source)
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
    rows = encode_all(field.type, values, field.name)
    if field.limits is not None:
        numbers = rows.view(np.float32)
        at = first_beyond(numbers, field.limits)
        if at is not None:
            check_limits(field.name, numbers[at], field.limits, sources[at])
    return rows
