"""One bucket on the GPU: its tables, its kernels' results, its pipelines and its draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from heapscene.errors import HeapFullError, explain
from heapscene.gpu import BindGroup, Binding, Mirror, Pipelines, RenderSpec, UniformBuffer
from heapscene.heap import Bucket
from heapscene.kernels import ARGS_WORDS, BucketPasses, FrameLayout, heap_shader
from heapscene.render.targets import Targets

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


def choose_encoding(
    bucket: Bucket, wanted: str, budget: int, device: wgpu.GPUDevice
) -> Encoding:
    """Return how to draw a bucket: expanded while its index buffer fits, otherwise mega.

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
    limits = device.limits
    largest = min(
        int(limits["max-storage-buffer-binding-size"]), int(limits["max-buffer-size"])
    )
    fits = nbytes <= largest and bucket.vertices <= LARGEST
    if wanted == "mega" or not fits or (wanted == "auto" and nbytes > budget):
        return "mega"
    return "expanded"


class BucketGpu:
    """What one bucket has on the GPU.

    Records are scanned and expanded again only when one of them changed; each slot is one
    indirect draw.
    """

    def __init__(
        self,
        bucket: Bucket,
        device: wgpu.GPUDevice,
        pipelines: Pipelines,
        targets: Targets,
        frame: FrameLayout,
    ) -> None:
        self.bucket = bucket
        self.encoding: Encoding = "expanded"
        self._pipelines = pipelines
        self._targets = targets
        self._frame = frame
        counters = pipelines.counters
        self._headers = Mirror(device, "headers", _storage(), counters)
        self._records = Mirror(device, "records", _storage(), counters)
        self._passes = BucketPasses(device, pipelines)
        self._group = BindGroup(pipelines.layouts, GROUP, "draws")
        self._resources: list[Any] = []
        self._scanned: tuple[Any, ...] | None = None
        self._slots: list[tuple[wgpu.GPURenderPipeline, int]] = []
        self._slots_key: tuple[Any, ...] | None = None

    def sync(self, page: Mirror, frame: UniformBuffer, encoding: Encoding) -> None:
        """Send what changed, and make the pipelines that are not there yet."""
        bucket = self.bucket
        self.encoding = encoding
        self._headers.sync(bucket.headers)
        self._records.sync(bucket.records)
        self._passes.prepare(bucket, encoding)
        passes = self._passes
        self._resources = [
            frame, page, self._headers, self._records, passes.firsts, passes.tiles
        ]  # fmt: skip
        self._page = page
        key = (encoding, tuple(slot.state for slot in bucket.slots))
        if key != self._slots_key:
            self._slots = [(self._pipeline(slot.state), k) for k, slot in enumerate(bucket.slots)]
            self._slots_key = key

    def _pipeline(self, state: Any) -> wgpu.GPURenderPipeline:
        bucket = self.bucket
        shader = heap_shader(bucket.program, bucket.fields, self._frame, self.encoding)
        targets = self._targets
        names = list(targets.colors)
        outputs = tuple(
            names.index(name) for name in bucket.program.interface.outputs if name in names
        )
        return self._pipelines.render(
            RenderSpec(
                wgsl=shader.wgsl,
                vertex_entry=shader.vertex_entry,
                fragment_entry=shader.fragment_entry,
                groups=(GROUP,),
                state=state,
                color_formats=tuple(targets.colors.values()),
                outputs=outputs,
                depth_format=targets.depth,
                samples=targets.samples,
            ),
            label=bucket.program.hash[:12],
        )

    @property
    def ready(self) -> bool:
        """Whether all pipelines are made."""
        return len(self._slots) == len(self.bucket.slots)

    def encode_compute(self, encoder: wgpu.GPUCommandEncoder) -> int:
        """Encode scan, tiles, arguments and expansion if a record changed; return the passes."""
        key = (self.bucket.generation, self.encoding)
        if key == self._scanned:
            return 0
        self._passes.encode(encoder, self.bucket, self.encoding, self._records, self._page)
        self._scanned = key
        return 1

    def encode_draws(self, render_pass: wgpu.GPURenderPassEncoder) -> int:
        """Encode one indirect draw per slot that draws something; return how many."""
        if self.bucket.emitted == 0:
            return 0
        render_pass.set_bind_group(0, self._group.get(self._resources))
        arguments = self._passes.arguments.buffer
        expanded = self.encoding == "expanded"
        if expanded:
            render_pass.set_index_buffer(self._passes.indices.buffer, "uint32")
        calls = 0
        for pipeline, number in self._slots:
            if self.bucket.slots[number].visible_count == 0:
                continue
            render_pass.set_pipeline(pipeline)
            offset = number * ARGS_WORDS * 4
            if expanded:
                render_pass.draw_indexed_indirect(arguments, offset)
            else:
                render_pass.draw_indirect(arguments, offset)
            calls += 1
        return calls

    @property
    def nbytes(self) -> int:
        """Bytes on the GPU."""
        return self._headers.nbytes + self._records.nbytes + self._passes.nbytes

    def close(self) -> None:
        """Free everything on the GPU."""
        self._headers.close()
        self._records.close()
        self._passes.close()


def _storage() -> int:
    import wgpu

    return wgpu.BufferUsage.STORAGE
