"""When two values count as the same, so that nothing downstream has to run."""

from __future__ import annotations

import math
import sys
from typing import Any, cast

__all__ = ["PLAIN", "frozen", "is_array", "same"]

_EXACT = frozenset({int, bool, str, bytes, type(None)})
_MUTABLE = frozenset({list, dict, set, bytearray})
PLAIN = frozenset({int, float, bool, str, bytes, complex, type(None), tuple})


def same(a: object, b: object) -> bool:
    """Whether replacing `a` by `b` changes nothing.

    True for one and the same object, and for equal numbers, strings, bytes, enumeration members
    and tuples of such, of the same type. NaN is the same as NaN; 0.0 differs from -0.0. Everything
    else is compared by identity: no unknown ``__eq__`` is ever called. A list, dict or set is never the
    same, since it may have been edited in place.
    """
    kind = type(a)
    if a is b:
        return kind not in _MUTABLE
    if kind is not type(b):
        return False
    if kind is tuple:
        return _same_items(a, b)  # pyright: ignore[reportArgumentType]
    if kind is float:
        return _same_float(cast("float", a), cast("float", b))
    if isinstance(a, tuple):
        return _same_items(a, b)  # pyright: ignore[reportArgumentType]
    if isinstance(a, complex):
        return _same_float(a.real, cast("complex", b).real) and _same_float(
            a.imag, cast("complex", b).imag
        )
    if kind in _EXACT:
        return a == b
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(a, numpy.generic):
        scalar, other = cast("Any", a), cast("Any", b)
        return scalar.dtype == other.dtype and scalar.tobytes() == other.tobytes()
    return False


def _same_float(a: float, b: float) -> bool:
    if a == b:
        return a != 0.0 or math.copysign(1.0, a) == math.copysign(1.0, b)
    return a != a and b != b  # noqa: PLR0124 (only NaN differs from itself)


def _same_items(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    if len(a) != len(b):
        return False
    at = 0  # enumerate and zip take twice as long as the rest
    for x in a:
        y = b[at]
        # Most of what changes are tuples of floats, and most of these differ at once.
        if type(x) is float is type(y) and x != y and x == x:  # noqa: PLR0124 (NaN is not)
            return False
        if not same(x, y):
            return False
        at += 1  # noqa: SIM113
    return True


def is_array(value: object) -> bool:
    """Whether `value` is a NumPy array; NumPy is not imported for that."""
    if type(value) in PLAIN:
        return False
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def frozen(value: Any) -> Any:
    """Return `value`, an array as a read-only copy, so that later edits of it change nothing."""
    if type(value) in PLAIN or not is_array(value):
        return value
    if value.base is None and not value.flags.writeable:
        return value
    if 0 not in value.strides:
        copy = value.copy()
        copy.setflags(write=False)
        return copy
    # Rows that are one and the same stay so: all of them may be more than there is memory.
    once = value[tuple([slice(0, 1) if step == 0 else slice(None) for step in value.strides])]
    return sys.modules["numpy"].broadcast_to(once.copy(), value.shape)
