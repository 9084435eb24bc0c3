"""One bucket on the GPU: its tables, its kernels' results, its pipelines and its draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from heapscene.draw import PipelineState
from heapscene.errors import HeapFullError, explain
from heapscene.gpu import (
    BindGroup,
    Binding,
    Mirror,
    Pipelines,
    RenderSpec,
    Scatter,
    SmallBuffer,
    Usage,
)
from heapscene.heap import Bucket
from heapscene.kernels import ARGS_WORDS, BucketKernels, BucketLoad, FrameLayout, heap_shader
from heapscene.render.targets import Targets
from heapscene.shader import Program

if TYPE_CHECKING:
    import wgpu

__all__ = ["BucketGpu", "choose_encoding"]

Encoding = Literal["expanded", "mega"]
LARGEST = 2**32 - 1

_BOTH = ("vertex", "fragment")
GROUP = (
    Binding(0, "uniform", _BOTH),
    Binding(1, "read-only-storage", _BOTH),
    Binding(2, "read-only-storage", _BOTH),
    Binding(3, "read-only-storage", ("vertex",)),
    Binding(4, "read-only-storage", ("vertex",)),
    Binding(5, "read-only-storage", ("vertex",)),
)
"""Frame inputs, page, header rows, records, first emits and vertices, tiles."""


def choose_encoding(bucket: Bucket, wanted: str, budget: int, largest: int) -> Encoding:
    """Return how to draw a bucket: expanded while its index buffer fits, otherwise mega.

    Parameters
    ----------
    wanted
        ``"auto"``, ``"expanded"`` or ``"mega"``.
    budget
        Bytes that ``"auto"`` may spend on this index buffer.
    largest
        Bytes of the device's largest buffer; beyond it only mega can draw.

    Raises
    ------
    HeapFullError
        It emits more than 2³² − 1 indices, which no encoding can number.
    """
    if bucket.emitted > LARGEST:
        raise HeapFullError(
            explain(
                f"a program's draws on one page emit {bucket.emitted:,} indices",
                facts={"largest": f"{LARGEST:,}"},
                fix="Use smaller pages, for example page_bytes=2**26, or fewer instances.",
            )
        )
    nbytes = bucket.emitted * 4
    fits = nbytes <= largest and bucket.vertices <= LARGEST
    if wanted == "mega" or not fits or (wanted == "auto" and nbytes > budget):
        return "mega"
    return "expanded"


def room_for(count: int, room: int, most: int) -> int:
    """Return how many elements to plan for: ``room`` while it fits, so that hiding changes nothing.

    New room is the count rounded up to three binary digits; above ``most`` it is the count itself.

    Examples
    --------
    >>> room_for(1000, 0, 2**32), room_for(900, 1024, 2**32), room_for(100, 1024, 2**32)
    (1024, 1024, 112)
    """
    if room // 4 <= count <= room:
        return room
    step = 1 << max(4, count.bit_length() - 3)
    return max(count, min(-(-count // step) * step, most))


class BucketGpu:
    """What one bucket has on the GPU.

    Records are scanned and expanded again only when one of them changed; each slot is one
    indirect draw.
    """

    def __init__(
        self,
        bucket: Bucket,
        pipelines: Pipelines,
        targets: Targets,
        frame: FrameLayout,
        scatter: Scatter,
    ) -> None:
        program = bucket.program
        assert isinstance(program, Program), "only compiled programs can be drawn"
        self.bucket = bucket
        self.encoding: Encoding = "expanded"
        self._program = program
        self._pipelines = pipelines
        self._targets = targets
        self._frame = frame
        device, counters = pipelines.device, pipelines.counters
        label = program.hash[:8]
        self._headers, self._records = (
            Mirror(device, f"{label} {what}", Usage.STORAGE, counters, scatter=scatter)
            for what in ("headers", "records")
        )
        self._kernels = BucketKernels(pipelines, label)
        self._group = BindGroup(pipelines.layouts, f"{label} draws")
        self._bound: tuple[list[int], wgpu.GPUBindGroup] | None = None
        self._prepared: tuple[int, Encoding] | None = None
        self._encoded: tuple[int, Encoding] | None = None
        self._slots: list[wgpu.GPURenderPipeline] = []
        self._emitted = 0
        self._vertices = 0

    def sync(self, encoding: Encoding) -> None:
        """Send what changed, and make the pipelines that are not there yet."""
        bucket = self.bucket
        self._headers.sync(bucket.headers)
        self._records.sync(bucket.records)
        wanted = (bucket.generation, encoding)
        if wanted == self._prepared:
            return
        self.encoding = encoding
        ranges = np.array([(slot.start, slot.stop) for slot in bucket.slots], np.uint32)
        most = int(self._pipelines.device.limits["max-buffer-size"]) // 4
        self._emitted = room_for(bucket.emitted, self._emitted, most)
        self._vertices = room_for(bucket.vertices, self._vertices, LARGEST)
        load = BucketLoad(
            records=bucket.n_records,
            emitted=self._emitted,
            vertices=self._vertices,
            slots=len(bucket.slots),
        )
        self._kernels.prepare(load, encoding, ranges)
        self._slots = [self._pipeline(slot.state) for slot in bucket.slots]
        self._prepared = wanted

    def _pipeline(self, state: PipelineState) -> wgpu.GPURenderPipeline:
        targets = self._targets
        names = tuple(targets.colors)
        fields = tuple((field.kind, field.name) for field in self.bucket.fields)
        shader = heap_shader(self._program, fields, self._frame.resource, self.encoding, names)
        return self._pipelines.render(
            RenderSpec(
                wgsl=shader.wgsl,
                vertex_entry=shader.vertex_entry,
                fragment_entry=shader.fragment_entry,
                groups=(GROUP,),
                state=state,
                color_formats=tuple(targets.colors.values()),
                outputs=tuple(
                    k for k, name in enumerate(names) if name in self._program.interface.outputs
                ),
                depth_format=targets.depth,
                samples=targets.samples,
            ),
            label=self._program.hash[:8],
        )

    @property
    def ready(self) -> bool:
        """Whether the pipelines of all slots are made."""
        return self._prepared == (self.bucket.generation, self.encoding)

    @property
    def tables_ready(self) -> bool:
        """Whether the kernels have been encoded since records changed."""
        return self._encoded is not None and self._encoded == self._prepared

    def encode_compute(self, encoder: wgpu.GPUCommandEncoder, page: Mirror) -> int:
        """Encode scan, tiles, arguments and expansion if a record changed; return the passes."""
        if self._encoded == self._prepared:
            return 0
        compute = encoder.begin_compute_pass(label="heapscene kernels")
        self._kernels.encode(compute, self._records, page)
        compute.end()
        self._encoded = self._prepared
        return 1

    def encode_draws(
        self, render_pass: wgpu.GPURenderPassEncoder, frame: SmallBuffer, page: Mirror
    ) -> int:
        """Encode one indirect draw per slot; return how many."""
        if self.bucket.emitted == 0:
            return 0
        kernels = self._kernels
        render_pass.set_bind_group(0, self._bind(frame, page))
        arguments = kernels.arguments.buffer
        expanded = self.encoding == "expanded"
        if expanded:
            render_pass.set_index_buffer(kernels.indices.buffer, "uint32")
        for number, pipeline in enumerate(self._slots):
            render_pass.set_pipeline(pipeline)
            offset = number * ARGS_WORDS * 4
            if expanded:
                render_pass.draw_indexed_indirect(arguments, offset)
            else:
                render_pass.draw_indirect(arguments, offset)
        return len(self._slots)

    def _bind(self, frame: SmallBuffer, page: Mirror) -> wgpu.GPUBindGroup:
        kernels = self._kernels
        buffers = (frame, page, self._headers, self._records, kernels.firsts, kernels.table)
        generations = [buffer.generation for buffer in buffers]
        if self._bound is None or self._bound[0] != generations:
            self._bound = (generations, self._group.get(GROUP, buffers))
        return self._bound[1]

    @property
    def nbytes(self) -> int:
        """Bytes on the GPU, apart from the page."""
        return self._headers.nbytes + self._records.nbytes + self._kernels.nbytes

    def close(self) -> None:
        """Free everything on the GPU."""
        self._headers.close()
        self._records.close()
        self._kernels.close()
