"""Which kernels a bucket needs, with how many workgroups and how large their buffers are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from heapscene.errors import GpuError, explain
from heapscene.kernels.args import ARGS_WORDS, write_args
from heapscene.kernels.expand import write_indices
from heapscene.kernels.kernel import Kernel
from heapscene.kernels.scan import BLOCK, scan_sums, sum_blocks, write_firsts
from heapscene.kernels.tiles import TILE, write_emitted_tiles, write_vertex_tiles

__all__ = [
    "LARGEST_EMITTED",
    "LARGEST_VERTEX",
    "BucketLoad",
    "BufferSizes",
    "Dispatch",
    "Encoding",
    "ParamWords",
    "PartWords",
    "Plan",
    "SlotLoad",
    "buffer_sizes",
    "most_emitted",
    "plan",
    "workgroups",
]

Encoding: TypeAlias = Literal["expanded", "mega"]

LARGEST_EMITTED = 2**32 - 1
"""Indices that a bucket can emit: they are numbered with 32 bits."""

LARGEST_VERTEX = 2**31 - 1
"""Vertices of a bucket that expanded slots can number: a draw call's base vertex has a sign."""

_MOST_GROUPS = _MOST_ROWS = 65_535  # per dimension, WebGPU's default limit
_DEFAULT_WINDOW = 128 << 20  # bytes, WebGPU's default limit for one storage binding


class ParamWords(NamedTuple):
    """The words of the uniform ``Params``, in the order of its fields."""

    records: int
    blocks: int
    slots: int
    emitted_tiles: int
    vertex_tiles: int


class PartWords(NamedTuple):
    """The words of the uniform ``Part``, in the order of its fields."""

    slot: int
    first: int
    stop: int


class Dispatch(NamedTuple):
    """One dispatch.

    Attributes
    ----------
    kernel
        What to run.
    groups
        Workgroups in x, y and z.
    part, window
        What to expand, and ``(offset, nbytes)`` of the piece of ``indices`` to bind; ``None`` for
        passes over all records.
    """

    kernel: Kernel
    groups: tuple[int, int, int]
    part: PartWords | None = None
    window: tuple[int, int] | None = None


class Plan(NamedTuple):
    """What all passes are told, and the passes in order."""

    params: ParamWords
    dispatches: list[Dispatch]


class BufferSizes(NamedTuple):
    """Bytes that the kernels' buffers need."""

    sums: int
    firsts: int
    emitted_tiles: int
    vertex_tiles: int
    arguments: int
    indices: int


class BucketLoad(NamedTuple):
    """How much there is to do in a bucket.

    Attributes
    ----------
    records
        Records in the table, holes included.
    emitted, vertices
        Their sums over the records, or upper bounds of them.
    """

    records: int
    emitted: int
    vertices: int


class SlotLoad(NamedTuple):
    """One pipeline state of a bucket.

    Attributes
    ----------
    start, stop
        First record, and the one after the last.
    window
        Its first index in the index buffer, a multiple of 64; ``None`` draws it as mega.
    room
        How many indices may lie there, at least as many as it emits.
    """

    start: int
    stop: int
    window: int | None = None
    room: int = 0


def plan(
    load: BucketLoad, slots: Sequence[SlotLoad], *, window_bytes: int = _DEFAULT_WINDOW
) -> Plan:
    """Return what to dispatch, in order, after a bucket's records changed.

    Parameters
    ----------
    slots
        Those with a window get the passes that write their indices.
    window_bytes
        The largest storage binding; a longer range of indices is written in several windows.

    Raises
    ------
    GpuError
        More than 2³² − 1 indices; or 2³¹ − 1 vertices, which only the expanded encoding numbers.
    """
    records, emitted, vertices = load
    _check_count(emitted, "indices", LARGEST_EMITTED)
    if _has_expanded(slots):
        _check_count(vertices, "vertices", LARGEST_VERTEX)
    blocks = _ceil(records, BLOCK)
    params = ParamWords(records, blocks, len(slots), _ceil(emitted, TILE), _ceil(vertices, TILE))
    dispatches = [
        Dispatch(sum_blocks, _spread(blocks)),
        Dispatch(scan_sums, (1, 1, 1)),
        Dispatch(write_firsts, _spread(blocks)),
    ]
    if _has_mega(slots):
        groups = workgroups(params.emitted_tiles + 1, write_emitted_tiles)
        dispatches.append(Dispatch(write_emitted_tiles, groups))
    if _has_expanded(slots):
        groups = workgroups(params.vertex_tiles + 1, write_vertex_tiles)
        dispatches.append(Dispatch(write_vertex_tiles, groups))
    dispatches.append(Dispatch(write_args, workgroups(len(slots), write_args)))
    for number, slot in enumerate(slots):
        if slot.window is not None:
            dispatches += _expansion(number, slot.window, slot.room, window_bytes)
    return Plan(params, dispatches)


def _expansion(number: int, start: int, room: int, window_bytes: int) -> list[Dispatch]:
    """Return the passes that write the indices of slot `number`."""
    # A multiple of one tile is 256 bytes, WebGPU's alignment of a binding's offset.
    step = max(TILE, window_bytes // 4 // TILE * TILE)
    dispatches: list[Dispatch] = []
    for first in range(0, room, step):
        stop = min(first + step, room)
        groups = workgroups(_ceil(stop - first, TILE), write_indices)
        window = ((start + first) * 4, (stop - first) * 4)
        dispatches.append(Dispatch(write_indices, groups, PartWords(number, first, stop), window))
    return dispatches


def buffer_sizes(load: BucketLoad, slots: Sequence[SlotLoad]) -> BufferSizes:
    """Return how many bytes the buffers that kernels write have to hold.

    Examples
    --------
    >>> buffer_sizes(BucketLoad(records=2, emitted=12, vertices=8), [SlotLoad(0, 2, 0, 12)])
    BufferSizes(sums=16, firsts=24, emitted_tiles=0, vertex_tiles=8, arguments=20, indices=48)
    """
    ends = [slot.window + slot.room for slot in slots if slot.window is not None]
    return BufferSizes(
        sums=(_ceil(load.records, BLOCK) + 1) * 8,
        firsts=(load.records + 1) * 8,
        emitted_tiles=(_ceil(load.emitted, TILE) + 1) * 4 if _has_mega(slots) else 0,
        vertex_tiles=(_ceil(load.vertices, TILE) + 1) * 4 if _has_expanded(slots) else 0,
        arguments=len(slots) * ARGS_WORDS * 4,
        indices=max(ends, default=0) * 4,
    )


def most_emitted(table_bytes: int) -> int:
    """Return how many indices a bucket may emit when a table may have so many bytes.

    A bucket is searched through a table with a word for every 64 indices, and one more.

    Examples
    --------
    >>> most_emitted(128 << 20) == 2**31 - 64
    True
    """
    return min(LARGEST_EMITTED, (table_bytes // 4 - 1) * TILE)


def _has_mega(slots: Sequence[SlotLoad]) -> bool:
    return any(slot.window is None for slot in slots)


def _has_expanded(slots: Sequence[SlotLoad]) -> bool:
    return any(slot.window is not None for slot in slots)


def workgroups(invocations: int, kernel: Kernel) -> tuple[int, int, int]:
    """Return the workgroups that give at least so many invocations, in two dimensions if need be.

    Raises
    ------
    GpuError
        More than 65,535² workgroups.

    Examples
    --------
    >>> workgroups(64 * 65_536, write_indices)
    (32768, 2, 1)
    """
    return _spread(_ceil(invocations, kernel.workgroup_size))


def _spread(groups: int) -> tuple[int, int, int]:
    groups = max(groups, 1)
    rows = _ceil(groups, _MOST_GROUPS)
    if rows > _MOST_ROWS:
        raise GpuError(
            explain(
                "a kernel needs more workgroups than there can be",
                facts={"needed": f"{groups:,}", "limit": f"{_MOST_GROUPS * _MOST_ROWS:,}"},
                fix="Draw fewer or smaller objects with one program.",
            )
        )
    return (_ceil(groups, rows), rows, 1)  # rows of equal length: hardly any group is left over


def _ceil(count: int, size: int) -> int:
    return -(-count // size)


def _check_count(count: int, what: str, most: int) -> None:
    if count > most:
        raise GpuError(
            explain(
                "one program draws more than the GPU can number",
                facts={what: f"{count:,}", "limit": f"{most:,}"},
                fix="Hide objects, or draw fewer instances.",
            )
        )
