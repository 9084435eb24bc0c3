"""Which kernels a bucket needs, with how many workgroups and how large their buffers are."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from heapscene.errors import GpuError, explain
from heapscene.kernels.args import ARGS_WORDS, write_args
from heapscene.kernels.expand import write_indices
from heapscene.kernels.kernel import Kernel
from heapscene.kernels.scan import BLOCK, scan_sums, sum_blocks, write_firsts
from heapscene.kernels.tiles import TILE, write_tiles

__all__ = [
    "BucketLoad",
    "BufferSizes",
    "Dispatch",
    "Encoding",
    "ParamWords",
    "buffer_sizes",
    "plan",
    "workgroups",
]

Encoding: TypeAlias = Literal["expanded", "mega"]

_MOST_GROUPS = _MOST_ROWS = 65_535  # per dimension, WebGPU's default limit
_MOST = 2**32 - 1  # indices and vertices are numbered with 32 bits
_DEFAULT_WINDOW = 128 << 20  # bytes, WebGPU's default limit for one storage binding


class ParamWords(NamedTuple):
    """The words of the uniform ``Params``, in the order of its fields."""

    records: int
    blocks: int
    slots: int
    tiles: int
    axis: int
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
    params
        What the uniform holds; equal ones may share a buffer.
    window
        ``(offset, nbytes)`` of the part of ``indices`` to bind; ``None`` binds buffers whole.
    """

    kernel: Kernel
    groups: tuple[int, int, int]
    params: ParamWords
    window: tuple[int, int] | None = None


class BufferSizes(NamedTuple):
    """Bytes that the kernels' buffers need."""

    sums: int
    firsts: int
    table: int
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
    slots
        Pipeline states, one row of indirect arguments each.
    """

    records: int
    emitted: int
    vertices: int
    slots: int = 1


def plan(
    load: BucketLoad, encoding: Encoding, *, window_bytes: int = _DEFAULT_WINDOW
) -> list[Dispatch]:
    """Return what to dispatch, in order, after a bucket's records changed.

    Parameters
    ----------
    encoding
        ``"expanded"`` adds the passes that write the index buffer.
    window_bytes
        The largest storage binding; a longer index buffer is written in several windows.

    Raises
    ------
    GpuError
        More than 2³² − 1 indices; or vertices, which only the expanded encoding numbers.
    """
    records, emitted, vertices, slots = load
    _check_count(emitted, "indices")
    if encoding == "expanded":
        _check_count(vertices, "vertices")
    axis = 1 if encoding == "expanded" else 0
    blocks = _ceil(records, BLOCK)
    tile_count = _ceil((emitted, vertices)[axis], TILE)
    params = ParamWords(records, blocks, slots, tile_count, axis, 0, emitted)
    dispatches = [
        Dispatch(sum_blocks, _spread(blocks), params),
        Dispatch(scan_sums, (1, 1, 1), params),
        Dispatch(write_firsts, _spread(blocks), params),
        Dispatch(write_tiles, workgroups(tile_count + 1, write_tiles), params),
        Dispatch(write_args, workgroups(slots, write_args), params),
    ]
    if encoding == "expanded":
        # A multiple of one tile is 256 bytes, WebGPU's alignment of a binding's offset.
        step = max(TILE, window_bytes // 4 // TILE * TILE)
        for first in range(0, emitted, step):
            stop = min(first + step, emitted)
            groups = workgroups(_ceil(stop - first, TILE), write_indices)
            window = (first * 4, (stop - first) * 4)
            dispatches.append(
                Dispatch(write_indices, groups, params._replace(first=first, stop=stop), window)
            )
    return dispatches


def buffer_sizes(load: BucketLoad, encoding: Encoding) -> BufferSizes:
    """Return how many bytes the buffers that kernels write have to hold.

    Examples
    --------
    >>> buffer_sizes(BucketLoad(records=2, emitted=12, vertices=8), "expanded")
    BufferSizes(sums=16, firsts=24, table=8, arguments=20, indices=48)
    """
    records, emitted, vertices, slots = load
    expanded = encoding == "expanded"
    elements = vertices if expanded else emitted
    return BufferSizes(
        sums=(_ceil(records, BLOCK) + 1) * 8,
        firsts=(records + 1) * 8,
        table=(_ceil(elements, TILE) + 1) * 4,
        arguments=slots * ARGS_WORDS * 4,
        indices=emitted * 4 if expanded else 0,
    )


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


def _check_count(count: int, what: str) -> None:
    if count > _MOST:
        raise GpuError(
            explain(
                "one program draws more than the GPU can number",
                facts={what: f"{count:,}", "limit": f"{_MOST:,}"},
                fix="Hide objects, or draw fewer instances.",
            )
        )
