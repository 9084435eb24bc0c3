"""Running a bucket's kernels: the buffers they write, and the calls of a compute pass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import numpy as np

from heapscene.gpu import BindGroup, GpuBuffer, Pipelines, Resource, SmallBuffer, Usage
from heapscene.kernels.bucket_passes import (
    BucketLoad,
    Dispatch,
    PartWords,
    SlotLoad,
    buffer_sizes,
    plan,
)

__all__ = ["BucketKernels", "ComputePass"]

_PART_BYTES = 4 * len(PartWords._fields)
_PART_STRIDE = 256  # WebGPU's alignment of a uniform binding's offset


class ComputePass(Protocol):
    """The calls of a compute pass encoder that kernels need."""

    def set_pipeline(self, pipeline: Any) -> None:
        """Choose the kernel."""
        ...

    def set_bind_group(self, index: int, bind_group: Any) -> None:
        """Choose its buffers."""
        ...

    def dispatch_workgroups(self, x: int, y: int, z: int, /) -> None:
        """Run it."""
        ...


class BucketKernels:
    """The kernels of one bucket, with the buffers that they write.

    Attributes
    ----------
    firsts, emitted_tiles, vertex_tiles, arguments, indices
        What the draw calls read: prefix sums, tile tables (for mega and for expanded), indirect
        arguments, index buffer.
    """

    def __init__(self, pipelines: Pipelines, label: str) -> None:
        device, counters = pipelines.device, pipelines.counters
        self.label = label
        self._pipelines = pipelines
        self._sums = GpuBuffer(device, f"{label} sums", Usage.STORAGE, counters)
        self.firsts = GpuBuffer(device, f"{label} firsts", Usage.STORAGE, counters)
        self.emitted_tiles, self.vertex_tiles = (
            GpuBuffer(device, f"{label} {what} tiles", Usage.STORAGE, counters)
            for what in ("emitted", "vertex")
        )
        self.arguments = GpuBuffer(
            device, f"{label} args", Usage.STORAGE | Usage.INDIRECT, counters
        )
        # Bound in windows, so that only the largest buffer limits it.
        most = int(device.limits["max-buffer-size"])
        self.indices = GpuBuffer(
            device, f"{label} indices", Usage.STORAGE | Usage.INDEX, counters, max_bytes=most
        )
        self._ranges = SmallBuffer(device, f"{label} ranges", Usage.STORAGE, counters)
        self._params = SmallBuffer(device, f"{label} params", Usage.UNIFORM, counters)
        self._parts = SmallBuffer(device, f"{label} parts", Usage.UNIFORM, counters)
        self._groups: list[BindGroup] = []
        self._dispatches: list[Dispatch] = []

    def prepare(self, load: BucketLoad, slots: Sequence[SlotLoad]) -> None:
        """Make room and send parameters for what :meth:`encode` will run.

        Raises
        ------
        GpuError
            A buffer would be larger than the device allows.
        """
        device = self._pipelines.device
        window = int(device.limits["max-storage-buffer-binding-size"])
        params, dispatches = plan(load, slots, window_bytes=window)
        sizes = buffer_sizes(load, slots)
        self._sums.ensure(sizes.sums)
        self.firsts.ensure(sizes.firsts)
        self.arguments.ensure(sizes.arguments)
        for buffer, nbytes in (
            (self.emitted_tiles, sizes.emitted_tiles),
            (self.vertex_tiles, sizes.vertex_tiles),
            (self.indices, sizes.indices),
        ):
            if nbytes:
                buffer.ensure(nbytes)
        self._ranges.write(
            np.array([(s.start, s.stop, s.window or 0, s.window is not None) for s in slots], "<u4")
        )
        self._params.write(np.array(params, "<u4"))
        parts = [item.part for item in dispatches if item.part is not None]
        if parts:
            packed = np.zeros((len(parts), _PART_STRIDE // 4), "<u4")
            packed[:, : len(PartWords._fields)] = parts
            self._parts.write(packed)
        self._dispatches = dispatches

    def encode(
        self, compute: ComputePass, records: GpuBuffer, page: GpuBuffer, slots: Collection[int]
    ) -> int:
        """Record the dispatches of the last :meth:`prepare`; return how many.

        Parameters
        ----------
        records
            The bucket's records.
        page
            The page that its index arrays lie on.
        slots
            The slots, by number, whose indices are to be written anew.
        """
        buffers: dict[str, Resource] = {
            "params": self._params,
            "records": records,
            "sums": self._sums,
            "firsts": self.firsts,
            "emitted_tiles": self.emitted_tiles,
            "vertex_tiles": self.vertex_tiles,
            "ranges": self._ranges,
            "arguments": self.arguments,
            "page": page,
        }
        encoded = at = 0
        for number, dispatch in enumerate(self._dispatches):
            if dispatch.part is not None and dispatch.window is not None:
                buffers["part"] = (self._parts, at, _PART_BYTES)
                buffers["indices"] = (self.indices, *dispatch.window)
                at += _PART_STRIDE
                if dispatch.part.slot not in slots:
                    continue
            encoded += 1
            kernel = dispatch.kernel
            while number >= len(self._groups):
                self._groups.append(BindGroup(self._pipelines.layouts, f"{self.label} kernels"))
            group = self._groups[number].get(
                kernel.bindings, [buffers[binding.name] for binding in kernel.bindings]
            )
            pipeline = self._pipelines.compute(
                kernel.wgsl, kernel.entry, (kernel.bindings,), kernel.name
            )
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, group)
            compute.dispatch_workgroups(*dispatch.groups)
        return encoded

    def _buffers(self) -> list[GpuBuffer]:
        tiles = [self.emitted_tiles, self.vertex_tiles]
        written = [self._sums, self.firsts, *tiles, self.arguments, self.indices]
        return [*written, self._ranges, self._params, self._parts]

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return sum(buffer.nbytes for buffer in self._buffers())

    def close(self) -> None:
        """Give all buffers back."""
        for buffer in self._buffers():
            buffer.close()
        self._groups.clear()
