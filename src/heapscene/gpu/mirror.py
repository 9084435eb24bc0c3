"""GPU copies of NumPy words, kept up to date for the price of what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from heapscene.gpu.buffer import GpuBuffer
from heapscene.gpu.counters import Counters
from heapscene.gpu.faults import GpuCalls
from heapscene.gpu.upload import LEAST_COMB, Comb, Scatter, route

if TYPE_CHECKING:
    import wgpu

__all__ = ["DirtyLike", "Mirror", "WordsLike"]


MOST_STAGED = 8 * 2**20
"""Bytes of a write, and of writes that wait: the device holds what is written twice until a submit.

Measured on llvmpipe, 512 MiB in pages of 128: 501 MiB more at the peak without a submit in between, 128 with
one after each 32 MiB, 24 with one after each 8.
"""


class DirtyLike(Protocol):
    """Ranges of words that changed since they were last drained."""

    def __bool__(self) -> bool:
        """Whether anything changed."""
        ...

    def take_combs(self) -> Sequence[Comb]:
        """Return single words at equal distances, and forget them; the rest is drained."""
        ...

    def add(self, start: int, stop: int) -> None:
        """Note a range."""
        ...

    def drain(self) -> NDArray[np.int64]:
        """Return disjoint ``(start, stop)`` in words, ``(n, 2)``, ascending, and forget them."""
        ...


class WordsLike(Protocol):
    """What a :class:`Mirror` copies: a growable array of 32-bit words."""

    @property
    def data(self) -> NDArray[np.uint32]:
        """All words, capacity included."""
        ...

    @property
    def used(self) -> int:
        """How many words at the front are in use."""
        ...

    @property
    def dirty(self) -> DirtyLike:
        """What to send."""
        ...


class Mirror(GpuBuffer):
    """The GPU's copy of a NumPy array of words; :meth:`sync` sends what changed, nothing else.

    Parameters
    ----------
    usage
        With :attr:`Usage.STORAGE`, which ``scatter`` needs.
    scatter
        For changes in very many places, which it puts in place when its owner says; without it,
        each is a write.
    """

    __slots__ = ("_known", "_outbox", "_scatter")

    def __init__(
        self,
        device: wgpu.GPUDevice,
        label: str,
        usage: int,
        counters: Counters,
        *,
        scatter: Scatter | None = None,
    ) -> None:
        super().__init__(device, label, usage, counters)
        self._known = 0  # words at the front that the GPU has, apart from dirty ranges
        self._scatter = scatter
        self._outbox = None if scatter is None else scatter.outbox()

    def sync(self, words: WordsLike, *, may_shrink: bool = True) -> None:
        """Send the dirty ranges of ``words``; when the buffer is replaced, send the used part once.

        Parameters
        ----------
        may_shrink
            Whether a buffer that is much too large may be replaced now.

        Raises
        ------
        GpuError
            ``words`` are larger than the device's buffers, and nothing is drained; or the device
            refuses a write, and the next call sends the used part once more.
        """
        used = words.used
        shrunk = may_shrink and self.shrink(used * 4)
        if used == self._known and not shrunk and self.nbytes and not words.dirty:
            return
        if shrunk or self.ensure(used * 4):
            self._known = 0
        combs = () if self._scatter is None else self._combs(words.dirty, used)
        ranges = self._clip(words.dirty.drain(), used)
        if not len(ranges) and not combs:
            return
        try:
            self._send(words, ranges, combs)
        except BaseException:
            self._known = 0  # what has arrived is unknown, and nothing is dirty any more
            raise

    def _send(self, words: WordsLike, ranges: NDArray[np.int64], combs: Sequence[Comb]) -> None:
        plan = route(ranges, may_scatter=self._scatter is not None)
        with GpuCalls(f"{self.label!r} was not written", size=f"{words.used * 4:,} bytes"):
            for start, stop in plan.written.tolist():
                for first in range(start, stop, MOST_STAGED // 4):
                    self._write(first, words.data[first : min(stop, first + MOST_STAGED // 4)])
        if len(plan.scattered) or combs:
            assert self._scatter is not None
            assert self._outbox is not None
            self._scatter.send(self, self._outbox, words.data, plan.scattered, combs)

    def _write(self, first: int, data: NDArray[np.uint32]) -> None:
        counters = self.counters
        before = counters.bytes_uploaded
        self.device.queue.write_buffer(self.buffer, first * 4, data)
        counters.count_upload(data.nbytes)
        if counters.bytes_uploaded // MOST_STAGED > before // MOST_STAGED:
            self.device.queue.submit([])

    def close(self) -> None:
        """Give the memory back. Closing twice is fine."""
        super().close()
        if self._scatter is not None and self._outbox is not None:
            self._scatter.forget(self._outbox)
            self._outbox.close()

    def _combs(self, dirty: DirtyLike, used: int) -> list[Comb]:
        """Return the combs of the known part that are worth a scatter; the others become ranges."""
        known = min(self._known, used)
        kept: list[Comb] = []
        for start, count, stride in dirty.take_combs():
            inside = min(count, -((start - known) // stride))
            if inside >= LEAST_COMB:
                kept.append((start, inside, stride))
            elif inside > 0:
                dirty.add(start, start + (inside - 1) * stride + 1)
        return kept

    def _clip(self, ranges: NDArray[np.int64], used: int) -> NDArray[np.int64]:
        """Return what to send of the used words, and take them for sent."""
        known = min(self._known, used)
        self._known = used
        if used == known and (not len(ranges) or ranges[-1, 1] <= known):
            return ranges
        ranges = ranges[: np.searchsorted(ranges[:, 0], known)]
        if len(ranges) and ranges[-1, 1] > known:
            ranges[-1, 1] = known
        if used > known:
            # What lies past the known part may be stale or never sent, whether it is dirty or not.
            if len(ranges) and ranges[-1, 1] == known:
                ranges[-1, 1] = used
            else:
                ranges = np.concatenate([ranges, [[known, used]]])
        return ranges
