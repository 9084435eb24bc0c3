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
    """The probe of one bucket, on the buffers that its draws are bound to."""

    def __init__(self, bucket: BucketGpu, page: GpuBuffer, n_records: int) -> None:
        pipelines = bucket._pipelines
        device, counters = pipelines.device, pipelines.counters
        self._bucket = bucket
        self._page = page
        self._n_records = n_records
        self._stretch = SmallBuffer(device, "probe stretch", Usage.UNIFORM, counters)
        self._found = GpuBuffer(device, "probe", Usage.STORAGE, counters)
        self._groups = BindGroup(pipelines.layouts, "probe"), BindGroup(pipelines.layouts, "probe")

    def run(self, first: int, stop: int, at: int | None, base_vertex: int) -> UintArray:
        """Return what the search finds for some emitted indices, ``(stop - first, 5)``.

        Parameters
        ----------
        at, base_vertex
            Where their indices begin in the index buffer, a multiple of 64, and what the draw call
            adds to each; ``None`` for a slot that is drawn as mega.
        """
        bucket, count = self._bucket, stop - first
        is_expanded = at is not None
        kernel = probe_vertices if is_expanded else probe_emitted
        pipelines, made = bucket._pipelines, bucket._kernels
        self._stretch.write(np.array([first, stop, self._n_records, base_vertex], np.uint32))
        self._found.ensure(count * PROBE_WORDS * 4)
        buffers: dict[str, Resource] = {
            "stretch": self._stretch,
            "page": self._page,
            "records": bucket._records,
            "firsts": made.firsts,
            "tiles": made.vertex_tiles if is_expanded else made.emitted_tiles,
            "indices": (made.indices, (at or 0) * 4, count * 4),
            "found": self._found,
        }
        group = self._groups[is_expanded].get(
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
        self._stretch.close()
        self._found.close()
