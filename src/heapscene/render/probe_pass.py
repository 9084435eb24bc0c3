"""Running the probe of a bucket's search: the buffers that it writes, and its dispatches."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import numpy as np

from heapscene.gpu import BindGroup, GpuBuffer, Resource, SmallBuffer, Usage, read_buffer
from heapscene.kernels import PROBE_WORDS, probe_emitted, probe_vertices, workgroups
from heapscene.render.bucket_gpu import BucketGpu
from heapscene.typing import UintArray

__all__ = ["ProbePass"]


class ProbePass:
    """The probe of one bucket, in its encoding, on the buffers that its draws are bound to."""

    def __init__(self, bucket: BucketGpu, page: GpuBuffer, n_records: int) -> None:
        pipelines = bucket._pipelines
        device, counters = pipelines.device, pipelines.counters
        self._bucket = bucket
        self._page = page
        self._n_records = n_records
        self._kernel = probe_vertices if bucket.encoding == "expanded" else probe_emitted
        self._params = SmallBuffer(device, "probe params", Usage.UNIFORM, counters)
        self._found = GpuBuffer(device, "probe", Usage.STORAGE, counters)
        self._group = BindGroup(pipelines.layouts, "probe")

    def run(self, first: int, stop: int) -> UintArray:
        """Return what the search finds for some emitted indices, ``(stop - first, 5)``.

        `first` is a multiple of 64, for the offset at which the index buffer is bound.
        """
        bucket, kernel, count = self._bucket, self._kernel, stop - first
        pipelines, made = bucket._pipelines, bucket._kernels
        self._params.write(np.array([self._n_records, 0, 0, 0, 0, first, stop], np.uint32))
        self._found.ensure(count * PROBE_WORDS * 4)
        buffers: dict[str, Resource] = {
            "params": self._params,
            "page": self._page,
            "records": bucket._records,
            "firsts": made.firsts,
            "tiles": made.table,
            "indices": (made.indices, first * 4, count * 4),
            "found": self._found,
        }
        group = self._group.get(
            kernel.bindings, [buffers[binding.name] for binding in kernel.bindings]
        )
        pipeline = pipelines.compute(kernel.wgsl, kernel.entry, (kernel.bindings,), kernel.name)
        encoder = pipelines.device.create_command_encoder(label="heapscene probe")
        compute: Any = encoder.begin_compute_pass(label="heapscene probe")
        compute.set_pipeline(pipeline)
        compute.set_bind_group(0, group)
        compute.dispatch_workgroups(*workgroups(count, kernel))
        compute.end()
        pipelines.device.queue.submit([encoder.finish()])
        nbytes = count * PROBE_WORDS * 4
        words = read_buffer(pipelines.device, self._found.buffer, nbytes).view(np.uint32)
        return words.reshape(count, PROBE_WORDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._params.close()
        self._found.close()
