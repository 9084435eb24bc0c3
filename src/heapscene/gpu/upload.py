"""How changed words reach a buffer: a few writes, one write and a scatter kernel, or one write.

All three send what is on the CPU, so unchanged words in between do no harm: they cost bytes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from heapscene.gpu.bind import BindGroup, Binding
from heapscene.gpu.buffer import GpuBuffer, Usage
from heapscene.gpu.faults import GpuCalls, submit
from heapscene.gpu.pipeline import Pipelines

if TYPE_CHECKING:
    import wgpu

__all__ = ["LEAST_COMB", "Comb", "Outbox", "Route", "Scatter", "ScatterKernel", "route", "stage"]

Ranges = NDArray[np.int64]
Comb = tuple[int, int, int]
"""Single words at equal distances: the first, how many, and the distance."""

# Measured by benchmarks/uploads.py (llvmpipe, two cores), CPU milliseconds for k of 100,000 rows of
# 64 bytes; a scatter has a price of its own, a write costs about 10 µs, a long one little more:
#       k      30    50    100   1,000   3,000   10,000   30,000   50,000
#  writes    0.31  0.50   1.11    9.9
#  scatter   0.34  0.29   0.47   0.50    0.67     1.12      7.3      6.7
#  span      0.50  0.61   0.80   0.64    0.72     0.71      0.6      0.8
MOST_WRITES = 30
LONG_WORDS = 4096
# Below so many elements a scatter takes about a millisecond, and bytes decide. Above, the span is
# sent if it is at most so many times what changed.
MANY_ELEMENTS = 8192
SPAN_TIMES = 4
# What may be sent although it did not change: a fifth, so that 12-byte rows fit with their places,
# and 3 kB, in which the sections of a scatter fit as well.
SLACK = 0.2
SLACK_WORDS = 768
MOST_TIMES = 8
# Fewer words at equal distances than this are sent with what lies between, in one write.
LEAST_COMB = 1024
_UNITS = (2, 3, 4, 6, 8, 12, 16)
_MOST_GROUPS = 65_535


class ScatterKernel(Protocol):
    """The kernel that copies staged elements to their places, see :func:`stage`."""

    @property
    def name(self) -> str:
        """For labels."""
        ...

    @property
    def wgsl(self) -> str:
        """A complete module."""
        ...

    @property
    def entry(self) -> str:
        """Its entry point."""
        ...

    @property
    def bindings(self) -> Any:  # a cached property is no tuple to a type checker
        """Two :class:`Binding`: the staged words, and the words to write."""
        ...

    @property
    def workgroup_size(self) -> int:
        """Invocations per workgroup; each copies an element."""
        ...


class Route(NamedTuple):
    """How to send ranges: each of ``written`` by a write, all of ``scattered`` by one scatter."""

    written: Ranges
    scattered: Ranges


def route(ranges: Ranges, *, may_scatter: bool = True) -> Route:
    """Choose how to send ``ranges``, ascending and disjoint.

    Unchanged words are at most :data:`SLACK` of what changed and :data:`SLACK_WORDS`, or what a
    scatter adds, see :func:`stage`, but never more than :data:`MOST_TIMES` as much is sent as
    changed. Only where much changed a whole span may be sent, :data:`SPAN_TIMES` as much.
    """
    none = ranges[:0]
    if not may_scatter or len(ranges) <= MOST_WRITES or _joins_to_few(ranges):
        return Route(join(ranges), none)
    is_long = ranges[:, 1] - ranges[:, 0] >= LONG_WORDS
    long, short = (ranges[is_long], ranges[~is_long]) if is_long.any() else (none, ranges)
    if len(short) <= MOST_WRITES:
        return Route(ranges, none)
    changed = int((short[:, 1] - short[:, 0]).sum())
    span = int(short[-1, 1] - short[0, 0])
    elements, overhead = _count(short)
    if span <= changed + overhead or (elements >= MANY_ELEMENTS and span <= SPAN_TIMES * changed):
        return Route(np.concatenate([long, [[short[0, 0], short[-1, 1]]]]), none)
    if overhead > (MOST_TIMES - 1) * changed:
        return Route(join(ranges), none)
    return Route(long, short)


def _joins_to_few(ranges: Ranges) -> bool:
    """Whether :func:`join` leaves at most :data:`MOST_WRITES` ranges; cheaper than joining."""
    gaps = ranges[1:, 0] - ranges[:-1, 1]
    most = len(ranges) - MOST_WRITES
    smallest = np.partition(gaps, most - 1)[:most]
    return int(smallest.sum()) <= _slack(ranges)


def join(ranges: Ranges) -> Ranges:
    """Return fewer ranges: the smallest gaps are sent too, while the slack lasts."""
    if len(ranges) < 2:
        return ranges
    gaps = ranges[1:, 0] - ranges[:-1, 1]
    slack = _slack(ranges)
    if int(gaps.sum()) <= slack:
        return np.array([[ranges[0, 0], ranges[-1, 1]]])
    order = np.argsort(gaps, kind="stable")
    cut = np.ones(len(gaps), bool)
    cut[order[: np.searchsorted(np.cumsum(gaps[order]), slack, side="right")]] = False
    at = np.flatnonzero(cut)
    starts = np.concatenate([ranges[:1, 0], ranges[at + 1, 0]])
    stops = np.concatenate([ranges[at, 1], ranges[-1:, 1]])
    return np.stack([starts, stops], axis=1)


def _slack(ranges: Ranges) -> int:
    changed = int((ranges[:, 1] - ranges[:, 0]).sum())
    return min(int(SLACK * changed) + SLACK_WORDS, (MOST_TIMES - 1) * changed)


def stage(
    data: NDArray[np.uint32], ranges: Ranges, combs: Sequence[Comb] = ()
) -> NDArray[np.uint32]:
    """Return the words that a scatter kernel needs to copy ``ranges`` and ``combs`` of ``data``.

    Ranges are cut into elements of equal length, one section for each length. Beside the data an
    element costs two bytes, a section 24 and a word for every 65,536 that it spans. A comb is a
    section that costs its 24 bytes.
    """
    sections = [(unit, _cut(some, unit)) for unit, some in _by_unit(ranges)]
    head = np.zeros((len(sections) + len(combs), 6), np.uint32)
    parts: list[NDArray[np.uint32]] = []
    first, at = 0, 2 + head.size
    for row, (unit, elements) in zip(head, sections, strict=False):
        high = int(elements[0]) >> 16
        edges = np.arange(high, (int(elements[-1]) >> 16) + 1, dtype=np.int64) << 16
        table = np.searchsorted(elements, edges).astype(np.uint32)
        lows = np.zeros(-(-len(elements) // 2) * 2, np.uint16)
        lows[: len(elements)] = elements & 0xFFFF
        words = lows.view(np.uint32)
        row[:] = (first, unit, high, at, at + len(table), at + len(table) + len(words))
        parts += (table, words, _gather(data, elements, unit))
        first += len(elements)
        at += sum(len(part) for part in parts[-3:])
    for row, (start, count, stride) in zip(head[len(sections) :], combs, strict=True):
        row[:] = (first, 1, start, stride, 0, at)
        parts.append(data[start : start + (count - 1) * stride + 1 : stride])
        first, at = first + count, at + count
    counts = np.array([len(head), first], np.uint32)
    return np.concatenate([counts, head.reshape(-1), *parts])


def _by_unit(ranges: Ranges) -> list[tuple[int, Ranges]]:
    """Return ranges by the length of elements to cut them into."""
    if not len(ranges):
        return []
    lengths = ranges[:, 1] - ranges[:, 0]
    least = int(lengths.min())
    if least <= 2 * _UNITS[-1] and not (lengths % least).any():
        return [(least, ranges)]
    units = np.ones(len(ranges), np.int64)
    for unit in _UNITS:
        units[lengths % unit == 0] = unit
    return [(unit, ranges[units == unit]) for unit in np.unique(units).tolist()]


def _cut(ranges: Ranges, unit: int) -> NDArray[np.int64]:
    """Return where each element starts."""
    starts = ranges[:, 0]
    counts = (ranges[:, 1] - starts) // unit
    if len(counts) == int(counts.sum()):
        return starts
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before * unit, counts) + np.arange(int(counts.sum())) * unit


def _gather(data: NDArray[np.uint32], elements: NDArray[np.int64], unit: int) -> NDArray[np.uint32]:
    # A view whose items overlap: NumPy copies whole items, which is faster than a matrix of indices.
    items = np.ndarray((len(data) - unit + 1,), f"V{4 * unit}", data, strides=(4,))
    return items[elements].view(np.uint32)


def _count(ranges: Ranges) -> tuple[int, int]:
    """Return how many elements :func:`stage` makes, and an upper bound of the words it adds."""
    highs = int(ranges[-1, 1] - ranges[0, 0]) // 65_536 + 2
    sections = _by_unit(ranges)
    elements = sum(int((some[:, 1] - some[:, 0]).sum()) // unit for unit, some in sections)
    return elements, 2 + (elements + len(sections)) // 2 + len(sections) * (6 + highs)


class Outbox:
    """What one target needs to be sent pieces: words on their way, and how they are bound."""

    __slots__ = ("group", "staging")

    def __init__(self, pipelines: Pipelines) -> None:
        self.staging = GpuBuffer(pipelines.device, "staging", Usage.STORAGE, pipelines.counters)
        self.group = BindGroup(pipelines.layouts, "scatter")

    def close(self) -> None:
        """Give the staging buffer back."""
        self.staging.close()


class Scatter:
    """Sends many pieces of a buffer by one write, and lets a kernel put them in place.

    One object serves all buffers of an owner, who has the kernel run before anything reads them:
    :meth:`encode` puts it into a frame, which costs less than :meth:`submit`.
    """

    __slots__ = ("_encoded", "_kernel", "_pipeline", "_pipelines", "_waiting")

    def __init__(self, pipelines: Pipelines, kernel: ScatterKernel) -> None:
        self._pipelines = pipelines
        self._kernel = kernel
        self._pipeline: wgpu.GPUComputePipeline | None = None
        self._waiting: dict[Outbox, tuple[GpuBuffer, int]] = {}
        self._encoded: dict[Outbox, tuple[GpuBuffer, int]] = {}

    def __bool__(self) -> bool:
        """Whether something was sent that is not in its place."""
        return bool(self._waiting)

    def outbox(self) -> Outbox:
        """Return an outbox for one target, which its owner keeps."""
        return Outbox(self._pipelines)

    def send(
        self,
        target: GpuBuffer,
        outbox: Outbox,
        data: NDArray[np.uint32],
        ranges: Ranges,
        combs: Sequence[Comb] = (),
    ) -> None:
        """Send ``ranges`` and ``combs`` of ``data``, for the kernel to copy into ``target``."""
        if outbox in self._waiting:
            self.submit()
        pipelines, kernel, staging = self._pipelines, self._kernel, outbox.staging
        words = stage(data, ranges, combs)
        staging.ensure(words.nbytes)
        with GpuCalls("'staging' was not written", size=f"{words.nbytes:,} bytes"):
            pipelines.device.queue.write_buffer(staging.buffer, 0, words)
        pipelines.counters.count_upload(words.nbytes)
        if self._pipeline is None:
            groups = (tuple(kernel.bindings),)
            self._pipeline = pipelines.compute(kernel.wgsl, kernel.entry, groups, kernel.name)
        self._waiting[outbox] = (target, -(-int(words[1]) // kernel.workgroup_size))

    def encode(self, encoder: wgpu.GPUCommandEncoder) -> None:
        """Encode the kernel for everything that was sent; whoever encodes has to submit."""
        self._encoded = {}
        if not self._waiting:
            return
        bindings: tuple[Binding, ...] = self._kernel.bindings
        with GpuCalls("a scatter was not encoded"):
            compute: Any = encoder.begin_compute_pass(label="heapscene scatter")
            compute.set_pipeline(self._pipeline)
            for outbox, (target, groups) in self._waiting.items():
                compute.set_bind_group(0, outbox.group.get(bindings, [outbox.staging, target]))
                rows = -(-groups // _MOST_GROUPS)
                compute.dispatch_workgroups(min(groups, _MOST_GROUPS), rows, 1)
            compute.end()
        self._encoded, self._waiting = self._waiting, {}
        self._pipelines.counters.compute_passes += 1

    def redo(self) -> None:
        """Take what was encoded last for lost: its words still lie in the outboxes."""
        self._waiting = {**self._encoded, **self._waiting}
        self._encoded = {}

    def submit(self) -> None:
        """Run the kernel now, for everything that was sent and not encoded.

        What was encoded before that is taken for submitted: later writes may have followed it.
        """
        self._encoded = {}
        if not self._waiting:
            return
        device = self._pipelines.device
        with GpuCalls("a scatter was not encoded"):
            encoder = device.create_command_encoder(label="heapscene scatter")
        self.encode(encoder)
        try:
            submit(device, encoder)
        except BaseException:
            self.redo()
            raise
        self._encoded = {}

    def forget(self, outbox: Outbox) -> None:
        """Let go of what was sent to a target that is no more."""
        self._waiting.pop(outbox, None)
        self._encoded.pop(outbox, None)
