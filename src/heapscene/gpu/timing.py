"""How long a render pass took on the GPU, by timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heapscene.gpu.faults import GpuCalls
from heapscene.gpu.readback import read_buffer

if TYPE_CHECKING:
    import wgpu

__all__ = ["Timer"]

_NANOSECONDS_PER_MS = 1e6


class Timer:
    """Two timestamps around a render pass; does nothing where the device has none."""

    __slots__ = ("_buffer", "_queries", "device")

    def __init__(self, device: wgpu.GPUDevice) -> None:
        import wgpu

        self.device = device
        self._queries: wgpu.GPUQuerySet | None = None
        self._buffer: wgpu.GPUBuffer | None = None
        if "timestamp-query" in device.features:
            with GpuCalls("the device made no timestamps"):
                self._queries = device.create_query_set(type="timestamp", count=2)
                self._buffer = device.create_buffer(
                    label="heapscene timestamps",
                    size=16,
                    usage=wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC,
                )

    def pass_arguments(self) -> dict[str, Any]:
        """Return the arguments of ``begin_render_pass`` that take the timestamps."""
        if self._queries is None:
            return {}
        return {
            "timestamp_writes": {
                "query_set": self._queries,
                "beginning_of_pass_write_index": 0,
                "end_of_pass_write_index": 1,
            }
        }

    def resolve_into(self, encoder: wgpu.GPUCommandEncoder) -> None:
        """Encode the copy of the timestamps to where :meth:`milliseconds` reads them."""
        if self._queries is not None and self._buffer is not None:
            encoder.resolve_query_set(self._queries, 0, 2, self._buffer, 0)

    def milliseconds(self) -> float | None:
        """Wait for the last submitted pass and return its time; ``None`` without timestamps."""
        if self._buffer is None:
            return None
        start, stop = read_buffer(self.device, self._buffer, 16).view(np.uint64)
        return float(int(stop) - int(start)) / _NANOSECONDS_PER_MS

    def close(self) -> None:
        """Let go of the query set and its buffer; commands that are encoded already keep them."""
        self._buffer = self._queries = None
