"""Atomics: numbers in storage and workgroup memory that invocations update together.

``counts[i]`` of an array of ``atomic_u32`` is no number but a place; only the functions below work
on it. In CPython one invocation runs at a time, so each is a plain read and write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.apply import intrinsic
from heapscene.shader.lang.scalars import Int32, UInt32
from heapscene.shader.lang.vector_value import to_scalar
from heapscene.shader.types import I32, U32, AtomicType

__all__ = [
    "AtomicPlace",
    "Exchange",
    "atomic_add",
    "atomic_and",
    "atomic_compare_exchange",
    "atomic_exchange",
    "atomic_i32",
    "atomic_load",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_store",
    "atomic_sub",
    "atomic_u32",
    "atomic_xor",
]


class AtomicPlace:
    """An element or member that is an atomic.

    Parameters
    ----------
    memory, key
        The NumPy array or record that holds the number, and where in it.
    """

    __slots__ = ("_key", "_memory")
    __shader_type__: ClassVar[AtomicType]

    def __init__(self, memory: Any, key: int | str) -> None:
        self._memory = memory
        self._key = key

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._memory[self._key]}>"

    def __bool__(self) -> bool:
        raise ShaderTypeError(
            explain("an atomic is a place, not a number", fix="Write atomic_load(place).")
        )


class atomic_i32(AtomicPlace):
    """An ``i32`` that invocations update together; a type for elements and members."""

    __slots__ = ()
    __shader_type__ = AtomicType(I32)


class atomic_u32(AtomicPlace):
    """A ``u32`` that invocations update together; a type for elements and members."""

    __slots__ = ()
    __shader_type__ = AtomicType(U32)


class Exchange(NamedTuple):
    """What :func:`atomic_compare_exchange` found and whether it wrote."""

    old_value: int
    exchanged: bool


def _updated(name: str, place: Any, value: Any, new: Callable[[Any, Any], Any]) -> Any:
    old = _current(name, place)
    given = to_scalar(type(place).__shader_type__.scalar, value)
    place._memory[place._key] = new(old, given)
    return old


def _current(name: str, place: Any) -> Any:
    if not isinstance(place, AtomicPlace):
        raise ShaderTypeError(
            explain(
                f"{name}() works on an atomic, not on a {type(place).__name__}",
                fix="Declare the elements or the field as atomic_u32 or atomic_i32.",
            )
        )
    kind = UInt32 if type(place).__shader_type__.scalar is U32 else Int32
    return kind(int(place._memory[place._key]))


@intrinsic
def atomic_load(place: atomic_i32 | atomic_u32) -> int:
    """The number at a place."""
    return _current("atomic_load", place)


@intrinsic
def atomic_store(place: atomic_i32 | atomic_u32, value: int) -> None:
    """Write a number to a place."""
    _updated("atomic_store", place, value, lambda _, new: new)


@intrinsic
def atomic_add(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Add to the number at a place, wrapping, and return what it was before."""
    return _updated("atomic_add", place, value, lambda old, new: old + new)


@intrinsic
def atomic_sub(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Subtract from the number at a place, wrapping, and return what it was before."""
    return _updated("atomic_sub", place, value, lambda old, new: old - new)


@intrinsic
def atomic_max(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Keep the larger number at a place, and return what it was before."""
    return _updated("atomic_max", place, value, max)


@intrinsic
def atomic_min(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Keep the smaller number at a place, and return what it was before."""
    return _updated("atomic_min", place, value, min)


@intrinsic
def atomic_and(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Keep the bits that both have, and return what was there before."""
    return _updated("atomic_and", place, value, lambda old, new: old & new)


@intrinsic
def atomic_or(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Set bits at a place, and return what was there before."""
    return _updated("atomic_or", place, value, lambda old, new: old | new)


@intrinsic
def atomic_xor(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Flip bits at a place, and return what was there before."""
    return _updated("atomic_xor", place, value, lambda old, new: old ^ new)


@intrinsic
def atomic_exchange(place: atomic_i32 | atomic_u32, value: int) -> int:
    """Write a number to a place, and return what was there before."""
    return _updated("atomic_exchange", place, value, lambda _, new: new)


@intrinsic
def atomic_compare_exchange(place: atomic_i32 | atomic_u32, expected: int, value: int) -> Exchange:
    """Write a number to a place that holds the expected one.

    On some GPUs it may fail although the numbers are equal: ask ``exchanged``, and try again.
    """
    old = _current("atomic_compare_exchange", place)
    scalar = type(place).__shader_type__.scalar
    same = old == to_scalar(scalar, expected)
    given = to_scalar(scalar, value)
    if same:
        place._memory[place._key] = given
    return Exchange(old, bool(same))
