"""Resources of many invocations, and the places in them that expressions name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from heapscene.errors import InputError, ShaderError, explain
from heapscene.shader.interpret.values import Value, bound, leaf_of, mapped, zero
from heapscene.shader.ir.nodes import Resource
from heapscene.shader.numeric.operators import Array
from heapscene.shader.types import F32, ArrayType, Matrix, StructType, Type, Vector

__all__ = ["Bounds", "Memory", "Place"]

Bounds: TypeAlias = Literal["raise", "zero"]


class Place:
    """Where each invocation reads or writes: arrays of a resource and an index for each axis.

    Attributes
    ----------
    type
        Type of what lies there.
    inside
        Which invocations have indices that exist.
    """

    def __init__(self, name: str, type_: Type, tree: Value, first: Array, bounds: Bounds) -> None:
        self.name = name
        self.type = type_
        self.inside = np.ones(len(first), np.bool_)
        self.keys: list[Any] = [first]
        self._tree = tree
        self._bounds: Bounds = bounds
        self._column: Array | None = None

    def field(self, name: str) -> None:
        """Go to a member of a struct."""
        assert isinstance(self.type, StructType)
        member = self.type.field(name)
        assert member is not None
        self.type, self._tree = member.type, self._tree[name]

    @property
    def length(self) -> int:
        """How many elements the array has in which the place lies."""
        if isinstance(self.type, ArrayType):
            return self.type.length or leaf_of(self._tree).shape[len(self.keys)]
        if isinstance(self.type, Matrix):
            return self.type.columns
        assert isinstance(self.type, Vector)
        return self.type.size

    def index(self, at: Array, active: Array) -> None:
        """Go to an element of an array or vector, or to a column of a matrix."""
        length = self.length
        inside = (at >= 0) & (at < length)
        if self._bounds == "raise" and (active & ~inside).any():
            lane = int(np.flatnonzero(active & ~inside)[0])
            raise ShaderError(
                explain(
                    f"element {int(at[lane])} of {self.name!r} does not exist",
                    facts={"length": length, "invocation": lane},
                    fix="Test the index first:  if i < array_length(name):",
                )
            )
        self.inside &= inside
        key = np.where(inside, at, 0).astype(np.intp)
        if isinstance(self.type, ArrayType):
            self.keys.append(key)
            self.type = self.type.element
        elif isinstance(self.type, Matrix):
            self._column = key
            self.keys.append(slice(None))
            self.type = Vector(F32, self.type.rows)
        else:
            assert isinstance(self.type, Vector)
            if self._column is not None:
                self.keys.pop()
            self.keys.append(key)
            self.type = self.type.scalar

    def _key(self, lanes: Array | None = None) -> tuple[Any, ...]:
        keys = self.keys if self._column is None else [*self.keys, self._column]
        if lanes is None:
            return tuple(keys)
        return tuple(key if isinstance(key, slice) else key[lanes] for key in keys)

    def load(self) -> Value:
        """Return what lies there; zero where the index does not exist."""
        key = self._key()
        inside = self.inside

        def read(array: Array) -> Array:
            found = array[key]
            if inside.all():
                return found
            return np.where(
                inside.reshape(-1, *(1,) * (found.ndim - 1)), found, found.dtype.type(0)
            )

        return mapped(read, self._tree)

    def store(self, value: Value, active: Array) -> None:
        """Write; where several invocations write to one place, the last one wins."""
        lanes = np.flatnonzero(active & self.inside)
        key = self._key(lanes)

        def write(array: Array, new: Array) -> Array:
            array[key] = new[lanes]
            return array

        mapped(write, self._tree, value)

    def put(self, value: Array, lanes: Array) -> None:
        """Write one value for each of some invocations."""
        self._tree[self._key(lanes)] = value

    def positions(self) -> Array:
        """Return a number for each invocation that is equal for equal places of single words."""
        key = self._key()
        return np.asarray(np.ravel_multi_index(key, self._tree.shape[: len(key)]))


class Memory:
    """The resources of a run.

    Parameters
    ----------
    given
        For each storage and uniform resource its value by name; storage arrays with access
        ``read_write`` are written in place.
    count, group_size
        Invocations in all, and in one workgroup.
    """

    def __init__(
        self, given: Mapping[str, object], count: int, group_size: int, bounds: Bounds
    ) -> None:
        self._given = given
        self.bounds: Bounds = bounds
        self._trees: dict[Resource, Value] = {}
        self._nowhere = np.zeros(count, np.intp)
        self._lanes = np.arange(count)
        self._groups = self._lanes // group_size
        self._group_count = -(-count // group_size)

    def place(self, resource: Resource) -> Place:
        """Return a resource as a whole."""
        tree = self._trees.get(resource)
        if tree is None:
            tree = self._trees[resource] = self._made(resource)
        first = {"workgroup": self._groups, "private": self._lanes}.get(
            resource.space, self._nowhere
        )
        return Place(resource.name, resource.type, tree, first, self.bounds)

    def _made(self, resource: Resource) -> Value:
        if resource.space == "workgroup":
            return zero(resource.type, self._group_count)
        if resource.space == "private":
            return zero(resource.type, len(self._lanes))
        given = self._given.get(resource.name, _present(resource))
        if given is None:
            raise InputError(
                explain(
                    f"{resource.space} {resource.name!r} has no value",
                    facts={"given": ", ".join(self._given) or "nothing"},
                    fix=f"Pass memory={{{resource.name!r}: array, ...}}.",
                )
            )
        written = resource.access == "read_write"
        value = bound(resource.type, given, f"memory {resource.name!r}", written=written)

        def alone(array: Array) -> Array:
            # An entry point fills its inputs, and must not write to the adaptive value's array.
            return np.array(array)[None] if resource.space == "input" else array[None]

        return mapped(alone, value)


def _present(resource: Resource) -> object:
    """Return the present value of captured adaptive values, ``None`` for other resources."""
    source = resource.source
    if isinstance(source, Mapping):
        values = cast("Mapping[str, Any]", source)
        return {name: each.value for name, each in values.items()}
    return None if source is None else source.value
