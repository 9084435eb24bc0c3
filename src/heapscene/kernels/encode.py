"""Running a bucket's kernels: the buffers they write, and the calls of a compute pass."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from heapscene.gpu import BindGroup, GpuBuffer, Pipelines, Resource, SmallBuffer, Usage
from heapscene.kernels.bucket_passes import (
    BucketLoad,
    Dispatch,
    Encoding,
    buffer_sizes,
    plan,
)

__all__ = ["BucketKernels", "ComputePass"]


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
    firsts, table, arguments, indices
        What the draw calls read: prefix sums, tile table, indirect arguments, index buffer.
    """

    def __init__(self, pipelines: Pipelines, label: str) -> None:
        device, counters = pipelines.device, pipelines.counters
        self.label = label
        self._pipelines = pipelines
        self._sums = GpuBuffer(device, f"{label} sums", Usage.STORAGE, counters)
        self.firsts = GpuBuffer(device, f"{label} firsts", Usage.STORAGE, counters)
        self.table = GpuBuffer(device, f"{label} tiles", Usage.STORAGE, counters)
        self.arguments = GpuBuffer(
            device, f"{label} args", Usage.STORAGE | Usage.INDIRECT, counters
        )
        # Bound in windows, so that only the largest buffer limits it.
        most = int(device.limits["max-buffer-size"])
        self.indices = GpuBuffer(
            device, f"{label} indices", Usage.STORAGE | Usage.INDEX, counters, max_bytes=most
        )
        self._ranges = SmallBuffer(device, f"{label} ranges", Usage.STORAGE, counters)
        self._uniforms: list[SmallBuffer] = []
        self._groups: list[BindGroup] = []
        self._dispatches: list[Dispatch] = []

    def prepare(self, load: BucketLoad, encoding: Encoding, ranges: NDArray[np.uint32]) -> None:
        """Make room and send parameters for what :meth:`encode` will run.

        Parameters
        ----------
        ranges
            ``(slots, 2)``: the first record of each slot and the one after its last.

        Raises
        ------
        GpuError
            A buffer would be larger than the device allows.
        """
        device = self._pipelines.device
        window = int(device.limits["max-storage-buffer-binding-size"])
        dispatches = plan(load, encoding, window_bytes=window)
        sizes = buffer_sizes(load, encoding)
        self._sums.ensure(sizes.sums)
        self.firsts.ensure(sizes.firsts)
        self.table.ensure(sizes.table)
        self.arguments.ensure(sizes.arguments)
        self.indices.ensure(sizes.indices)
        self._ranges.write(ranges.astype("<u4"))
        for number, params in enumerate(dict.fromkeys(item.params for item in dispatches)):
            if number == len(self._uniforms):
                label = f"{self.label} params {number}"
                counters = self._pipelines.counters
                self._uniforms.append(SmallBuffer(device, label, Usage.UNIFORM, counters))
            self._uniforms[number].write(np.array(params, np.uint32))
        self._dispatches = dispatches

    def encode(self, compute: ComputePass, records: GpuBuffer, page: GpuBuffer) -> int:
        """Record the dispatches of the last :meth:`prepare`; return how many.

        Parameters
        ----------
        records
            The bucket's records.
        page
            The page that its index arrays lie on.
        """
        params = list(dict.fromkeys(item.params for item in self._dispatches))
        for number, dispatch in enumerate(self._dispatches):
            kernel = dispatch.kernel
            if number == len(self._groups):
                self._groups.append(BindGroup(self._pipelines.layouts, f"{self.label} {number}"))
            buffers: dict[str, Resource] = {
                "params": self._uniforms[params.index(dispatch.params)],
                "records": records,
                "sums": self._sums,
                "firsts": self.firsts,
                "table": self.table,
                "ranges": self._ranges,
                "arguments": self.arguments,
                "page": page,
                "indices": (self.indices, *dispatch.window) if dispatch.window else self.indices,
            }
            group = self._groups[number].get(
                kernel.bindings, [buffers[binding.name] for binding in kernel.bindings]
            )
            pipeline = self._pipelines.compute(
                kernel.wgsl, kernel.entry, (kernel.bindings,), kernel.name
            )
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, group)
            compute.dispatch_workgroups(*dispatch.groups)
        return len(self._dispatches)

    def _buffers(self) -> list[GpuBuffer]:
        written = [self._sums, self.firsts, self.table, self.arguments, self.indices]
        return [*written, self._ranges, *self._uniforms]

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return sum(buffer.nbytes for buffer in self._buffers())

    def close(self) -> None:
        """Give all buffers back."""
        for buffer in self._buffers():
            buffer.close()
        self._groups.clear()
