"""Values of many invocations at once.

A value has one row per invocation: a scalar is ``(n,)``, a vector ``(n, size)``, a matrix
``(n, rows, columns)``; a struct is a dictionary of its members. An array puts its length behind the
first axis of all that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np

from heapscene.errors import InputError, explain
from heapscene.shader.numeric import DTYPES
from heapscene.shader.numeric.operators import Array
from heapscene.shader.operations import scalar_of
from heapscene.shader.types import ArrayType, AtomicType, Matrix, StructType, Type, Vector

__all__ = ["Value", "blend", "bound", "component_type", "leaf_of", "mapped", "tail", "zero"]

Value: TypeAlias = Any
"""An array, or a dictionary of values."""


def tail(type_: Type) -> tuple[int, ...]:
    """Return the shape of one value that is not a struct."""
    if isinstance(type_, Vector):
        return (type_.size,)
    if isinstance(type_, Matrix):
        return (type_.rows, type_.columns)
    return ()


def component_type(type_: Type) -> np.dtype[Any]:
    """Return NumPy's type of the components of a value that is neither struct nor array."""
    scalar = type_.scalar if isinstance(type_, AtomicType) else scalar_of(type_)
    assert scalar is not None, f"{type_} has no components"
    return DTYPES[scalar]


def zero(type_: Type, *count: int) -> Value:
    """Return zeros, with the axes ``count`` before those of the type."""
    if isinstance(type_, StructType):
        return {member.name: zero(member.type, *count) for member in type_.fields}
    if isinstance(type_, ArrayType):
        assert type_.length is not None, "a runtime-sized array has no zero value"
        return zero(type_.element, *count, type_.length)
    return np.zeros((*count, *tail(type_)), component_type(type_))


def mapped(function: Callable[..., Array], *values: Value) -> Value:
    """Apply a function to the arrays that values of one type consist of."""
    first = values[0]
    if isinstance(first, dict):
        members = cast("dict[str, Value]", first)
        return {name: mapped(function, *(value[name] for value in values)) for name in members}
    return function(*values)


def leaf_of(value: Value) -> Array:
    """Return one of the arrays that a value consists of."""
    while isinstance(value, dict):
        value = next(iter(cast("dict[str, Value]", value).values()))
    return value


def blend(active: Array, new: Value, old: Value) -> Value:
    """Return ``new`` in the active rows and ``old`` in the others."""
    if active.all():
        return new

    def chosen(a: Array, b: Array) -> Array:
        return np.where(active.reshape(-1, *(1,) * (a.ndim - 1)), a, b)

    return mapped(chosen, new, old)


def bound(type_: Type, given: object, where: str, *, written: bool = False) -> Value:
    """Return what the caller gave for a type, in the form of :func:`zero` without copying arrays.

    Parameters
    ----------
    given
        An array; for structs a structured array, a mapping or an object with the members.
    written
        It has to be an array of exactly that component type, since it is written in place.

    Raises
    ------
    InputError
        Another shape or component type.
    """
    if isinstance(type_, ArrayType):
        return bound(type_.element, given, where, written=written)
    if isinstance(type_, StructType):
        return {
            member.name: bound(
                member.type, _member(given, member.name), f"{where}.{member.name}", written=written
            )
            for member in type_.fields
        }
    wanted, shape = component_type(type_), tail(type_)
    array = np.asarray(given)
    exact = array.dtype == wanted and (isinstance(given, np.ndarray) or not written)
    if array.shape[array.ndim - len(shape) :] != shape or (written and not exact):
        raise InputError(
            explain(
                f"{where} does not fit",
                facts={"given": f"{array.dtype} {array.shape}", "wanted": f"{wanted} (…, {shape})"},
                fix=f"Give an array of {wanted} whose last axes are {shape}.",
            )
        )
    return array if array.dtype == wanted else array.astype(wanted)


def _member(given: object, name: str) -> object:
    if isinstance(given, Mapping):
        return cast("Mapping[str, object]", given)[name]
    if isinstance(given, np.ndarray):
        return given[name]
    return getattr(given, name)
