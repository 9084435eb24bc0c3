"""Buffers that grow, and buffers that are written as a whole."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from numpy.typing import NDArray

from heapscene.errors import GpuError, explain
from heapscene.gpu.counters import Counters
from heapscene.gpu.faults import GpuCalls

if TYPE_CHECKING:
    import wgpu

__all__ = ["GpuBuffer", "SmallBuffer", "Usage"]

_SMALLEST = 256  # bytes; also WebGPU's offset alignment
_KEPT = 2**20  # bytes; less is not worth another buffer


class Usage(IntFlag):
    """What a buffer is for; the numbers are WebGPU's, so that no caller needs wgpu for them."""

    INDEX = 0x10
    VERTEX = 0x20
    UNIFORM = 0x40
    STORAGE = 0x80
    INDIRECT = 0x100


_COPIES = 0x4 | 0x8  # COPY_SRC and COPY_DST


class Holder(Protocol):
    """What holds wgpu's buffers beside their :class:`GpuBuffer`."""

    def forget(self) -> None:
        """Let go of them."""
        ...


class GpuBuffer:
    """A buffer that is replaced by a larger, empty one when it becomes too small.

    A buffer that is replaced or closed is dropped, not destroyed: its memory is free as soon as no
    command buffer uses it. Submitting one with a destroyed buffer would end the process.

    Parameters
    ----------
    usage
        :class:`Usage` flags; copying is added.
    max_bytes
        The largest size; by default the largest that can be bound as a whole.

    Attributes
    ----------
    generation
        Goes up whenever :attr:`buffer` becomes another object.
    nbytes
        Capacity.
    groups
        The bind groups that hold :attr:`buffer`.
    """

    __slots__ = (
        "_buffer",
        "_usage",
        "counters",
        "device",
        "generation",
        "groups",
        "label",
        "max_bytes",
        "nbytes",
    )

    def __init__(
        self,
        device: wgpu.GPUDevice,
        label: str,
        usage: int,
        counters: Counters,
        *,
        max_bytes: int | None = None,
    ) -> None:
        self.device = device
        self.label = label
        self.counters = counters
        self.generation = 0
        self.nbytes = 0
        self.groups: WeakSet[Holder] = WeakSet()
        self._usage = int(usage) | _COPIES
        self._buffer: wgpu.GPUBuffer | None = None
        if max_bytes is None:
            max_bytes = int(device.limits["max-buffer-size"])
            if usage & Usage.STORAGE:
                max_bytes = min(max_bytes, int(device.limits["max-storage-buffer-binding-size"]))
        self.max_bytes = max_bytes

    @property
    def buffer(self) -> wgpu.GPUBuffer:
        """The buffer as it is now; nobody may keep it across :meth:`ensure`."""
        if self._buffer is None:
            raise GpuError(
                explain(
                    f"buffer {self.label!r} is used before it has a size, or after close()",
                    fix="Call ensure(nbytes) first, and close() last.",
                )
            )
        return self._buffer

    def ensure(self, nbytes: int) -> bool:
        """Make room for ``nbytes``; return whether the buffer was replaced.

        Raises
        ------
        GpuError
            The device has no buffers of that size, or refused to make one: the old one stays then.
        """
        if self._buffer is not None and nbytes <= self.nbytes:
            return False
        if nbytes > self.max_bytes:
            raise GpuError(
                explain(
                    f"buffer {self.label!r} cannot grow to {nbytes:,} bytes",
                    facts={
                        "needed": f"{nbytes:,} bytes",
                        "device limit": f"{self.max_bytes:,} bytes",
                    },
                    fix="Draw less with one program, or use smaller pages, such as page_bytes=2**25.",
                )
            )
        size = max(_SMALLEST, self.nbytes)
        while size < nbytes:
            size *= 2
        self._replace(min(size, self.max_bytes))
        return True

    def shrink(self, nbytes: int) -> bool:
        """Give back half or more where less than a quarter is needed; return whether it was replaced.

        A buffer that was shrunk has room for twice what it needs, so one that grows and shrinks in turn
        is seldom replaced. Up to 1 MiB nothing is given back.

        Raises
        ------
        GpuError
            The device refused to make a smaller one: the old one stays then.
        """
        if self.nbytes <= _KEPT or nbytes * 4 > self.nbytes:
            return False
        size = self.nbytes
        while size > _KEPT and nbytes * 4 <= size:
            size //= 2
        self._replace(size)
        return True

    def _replace(self, size: int) -> None:
        with GpuCalls(f"the device made no buffer {self.label!r}", size=f"{size:,} bytes"):
            made = self.device.create_buffer(label=self.label, size=size, usage=self._usage)
        self.counters.buffers_created += 1
        self._drop()
        self._buffer = made
        self.nbytes = size
        self.generation += 1

    def close(self) -> None:
        """Give the memory back. Closing twice is fine."""
        self._drop()
        self._buffer = None
        self.nbytes = 0

    def _drop(self) -> None:
        for group in self.groups:
            group.forget()
        self.groups.clear()


class SmallBuffer(GpuBuffer):
    """A buffer that is written as a whole, and only when its bytes differ from the last ones."""

    __slots__ = ("_last",)

    def __init__(self, device: wgpu.GPUDevice, label: str, usage: int, counters: Counters) -> None:
        super().__init__(device, label, usage, counters)
        self._last: bytes | None = None

    def write(self, data: bytes | NDArray[Any]) -> bool:
        """Send ``data`` (a multiple of 4 bytes) unless the GPU has it; return whether it was sent.

        Raises
        ------
        GpuError
            The device has no buffers of that size, or refused the write.
        """
        packed = data if isinstance(data, bytes) else data.tobytes()
        grown = self.ensure(len(packed))
        if packed == self._last and not grown:
            return False
        self._last = None  # unknown, should the write fail
        if packed:
            with GpuCalls(f"{self.label!r} was not written", size=f"{len(packed):,} bytes"):
                self.device.queue.write_buffer(self.buffer, 0, packed)
            self.counters.count_upload(len(packed))
        self._last = packed
        return bool(packed)
