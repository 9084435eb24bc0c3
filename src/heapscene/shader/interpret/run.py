"""How a run begins and ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from heapscene.errors import InputError, explain
from heapscene.shader.interpret.machine import Machine
from heapscene.shader.interpret.memory import Bounds, Memory
from heapscene.shader.interpret.values import Value, bound, leaf_of, mapped, tail
from heapscene.shader.ir.nodes import EntryPoint, Function, Local
from heapscene.shader.numeric.operators import Array
from heapscene.shader.types import ArrayType, StructType, Type

__all__ = ["Outcome", "dispatch", "interpret"]

_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a function gave for each invocation.

    Attributes
    ----------
    value
        ``(n,)`` for a scalar, ``(n, size)`` for a vector, ``(n, rows, columns)`` for a matrix, a
        dictionary of such for a struct; ``None`` if the function returns nothing.
    discarded
        ``(n,)``, which pixels called ``discard``; their value means nothing.
    """

    value: Value
    discarded: Array


def interpret(
    function: Function,
    inputs: Mapping[str, object],
    *,
    memory: Mapping[str, object] | None = None,
    bounds: Bounds = "raise",
    limit: int = _LIMIT,
) -> Outcome:
    """Run a function of the IR for many invocations at once.

    Parameters
    ----------
    function
        Any function; its derivatives take four rows that follow each other as a block of pixels,
        in the order (0, 0), (1, 0), (0, 1), (1, 1).
    inputs
        For each parameter by name an array with one row per invocation, or one value for all; a
        struct is a mapping of such.
    memory
        Storage and uniform resources by name, as :meth:`Resource.bound_to` takes them; those that
        are ``read_write`` are written in place.
    bounds
        What an index that does not exist does: ``"raise"``, as in CPython, or ``"zero"``: reads
        give zero and writes are dropped, which is one of WGSL's choices.
    limit
        Most rounds of one loop.

    Raises
    ------
    InputError
        An input or resource is missing or does not fit.
    ShaderError
        An index does not exist, a loop does not end, or a barrier or derivative is reached by a
        part of its group.
    """
    names = [parameter.name for parameter in function.parameters]
    if set(names) != set(inputs):
        raise InputError(
            explain(
                f"{function.name} wants other inputs",
                facts={"wanted": ", ".join(names), "given": ", ".join(inputs)},
                fix="Give  " + ", ".join(f"{name}=..." for name in names) + ".",
            )
        )
    given = [(p, bound(p.type, inputs[p.name], f"input {p.name!r}")) for p in function.parameters]
    counts = {count for p, value in given if (count := _rows(p.type, value)) is not None}
    if len(counts) > 1:
        raise InputError(
            explain(
                "inputs have different numbers of rows",
                facts={"rows": sorted(counts)},
                fix="Give each input the same number of rows, or one value for all.",
            )
        )
    count = counts.pop() if counts else 1
    machine = Machine(
        count, Memory(memory or {}, count, count, bounds), group_size=count, limit=limit
    )
    args = [_spread(p.type, value, count) for p, value in given]
    with np.errstate(all="ignore"):
        value = machine.call(function, args)
    return Outcome(value, machine.discarded)


def _depth(type_: Type) -> int:
    while isinstance(type_, StructType | ArrayType):
        if isinstance(type_, ArrayType):
            return 1 + _depth(type_.element)
        type_ = type_.fields[0].type
    return len(tail(type_))


def _rows(type_: Type, value: Value) -> int | None:
    leaf = leaf_of(value)
    return len(leaf) if leaf.ndim > _depth(type_) else None


def _spread(type_: Type, value: Value, count: int) -> Value:
    if _rows(type_, value) is not None:
        return value

    def repeated(array: Array) -> Array:
        return np.repeat(array[None], count, axis=0)

    return mapped(repeated, value)


def dispatch(
    entry: EntryPoint,
    memory: Mapping[str, object],
    groups: tuple[int, int, int] = (1, 1, 1),
    *,
    bounds: Bounds = "raise",
    limit: int = _LIMIT,
) -> None:
    """Run a compute entry point; storage arrays with access ``read_write`` are written in place.

    Parameters
    ----------
    memory
        Storage and uniform resources by name.
    groups
        How many workgroups in x, y and z.

    Raises
    ------
    InputError, ShaderError
        As :func:`interpret` does.
    """
    size = entry.workgroup_size
    group_size = math.prod(size)
    count = group_size * math.prod(groups)
    machine = Machine(
        count, Memory(memory, count, group_size, bounds), group_size=group_size, limit=limit
    )
    builtins = _builtins(size, groups)
    args = [_builtin(port.local, port.builtin, builtins) for port in entry.inputs]
    with np.errstate(all="ignore"):
        machine.call(entry.function, args)


def _builtin(local: Local, name: str | None, known: Mapping[str, Array]) -> Array:
    if name is None or name not in known:
        raise InputError(
            explain(
                f"{local.name!r} has no value",
                facts={"builtin": name, "known": list(known)},
                fix="Leave the parameter out, or take one of those known.",
            )
        )
    return known[name]


def _builtins(size: tuple[int, int, int], groups: tuple[int, int, int]) -> dict[str, Array]:
    """Return the built-in values; invocations of a workgroup follow each other, x fastest."""
    local = _grid(size)
    group = np.repeat(_grid(groups), len(local), axis=0)
    count = math.prod(groups)
    local_id = np.tile(local, (count, 1))
    return {
        "local_invocation_id": local_id,
        "local_invocation_index": np.tile(np.arange(len(local), dtype=np.uint32), count),
        "workgroup_id": group,
        "num_workgroups": np.repeat(np.array([groups], np.uint32), len(group), axis=0),
        "global_invocation_id": group * np.array(size, np.uint32) + local_id,
    }


def _grid(size: tuple[int, int, int]) -> Array:
    z, y, x = np.meshgrid(*(np.arange(n, dtype=np.uint32) for n in size[::-1]), indexing="ij")
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
