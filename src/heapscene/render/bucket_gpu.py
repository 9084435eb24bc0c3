"""One bucket on the GPU: its tables, its kernels' results, its pipelines and its draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from heapscene.draw import PipelineState
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
from heapscene.heap import Bucket, Slot
from heapscene.kernels import (
    ARGS_WORDS,
    LARGEST_VERTEX,
    BucketKernels,
    BucketLoad,
    Encoding,
    FrameLayout,
    SlotLoad,
    heap_shader,
)
from heapscene.render.slot_plans import IndexWindows, choose_encodings, room_for
from heapscene.render.targets import Targets
from heapscene.shader import Program

if TYPE_CHECKING:
    import wgpu

__all__ = ["BucketGpu"]

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

_ENCODINGS: tuple[Encoding, ...] = ("mega", "expanded")
_Expansion: TypeAlias = tuple[int, int, int]  # what a slot's indices depend on: see _prepare


class BucketGpu:
    """What one bucket has on the GPU.

    Records are scanned again when one of them changed, and a slot is expanded again when one of its own
    did; each slot is one indirect draw.
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
        self.encodings: tuple[Encoding, ...] = ()
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
        self._groups = {name: BindGroup(pipelines.layouts, f"{label} draws") for name in _ENCODINGS}
        self._windows = IndexWindows()
        self._prepared: tuple[int, tuple[Encoding, ...]] | None = None
        self._encoded: tuple[int, tuple[Encoding, ...]] | None = None
        self._expansions: list[_Expansion | None] = []
        self._expanded: dict[Slot, _Expansion] = {}
        self._pipelines_of_slots: list[wgpu.GPURenderPipeline] = []
        self._emitted = 0
        self._vertices = 0
        self._asked: tuple[int, str, int] | None = None
        self._spent = 0

    def sync(self, wanted: str, budget: int) -> int:
        """Send what changed, and make the pipelines that are not there yet.

        Parameters
        ----------
        wanted
            ``"auto"``, ``"expanded"`` or ``"mega"``.
        budget
            Bytes that ``"auto"`` may spend on the index buffer.

        Returns
        -------
        int
            Bytes of the index buffer that are planned for, slack included.
        """
        bucket = self.bucket
        self.send_tables()
        asked = (bucket.generation, wanted, budget)
        if asked != self._asked:
            largest = int(self._pipelines.device.limits["max-buffer-size"])
            encodings = choose_encodings(bucket, wanted, budget, largest)
            if (bucket.generation, encodings) != self._prepared:
                self._prepare(encodings, largest // 4)
            self._spent = self._windows.nbytes
            self._asked = asked
        return self._spent

    def send_tables(self) -> None:
        """Send what changed in header rows and records."""
        self._headers.sync(self.bucket.headers)
        self._records.sync(self.bucket.records)

    def _prepare(self, encodings: tuple[Encoding, ...], most: int) -> None:
        bucket = self.bucket
        self._prepared = self._encoded = self._asked = None  # a step that fails is taken again
        self.encodings = encodings
        windows = self._windows.place(list(self._expanded_slots()), most)
        slots = [SlotLoad(s.start, s.stop, *windows.get(s, (None, 0))) for s in bucket.slots]
        limit = bucket.limits.emitted
        self._emitted = room_for(bucket.emitted, self._emitted, limit)
        self._vertices = room_for(bucket.vertices, self._vertices, min(LARGEST_VERTEX, limit))
        load = BucketLoad(bucket.n_records, self._emitted, self._vertices)
        self._kernels.prepare(load, slots)
        buffer = self._kernels.indices.generation
        self._expansions = [
            None if slot not in windows else (slot.generation, windows[slot][0], buffer)
            for slot in bucket.slots
        ]
        self._pipelines_of_slots = [
            self._pipeline(slot.state, encoding)
            for slot, encoding in zip(bucket.slots, encodings, strict=True)
        ]
        self._prepared = (bucket.generation, encodings)

    def _expanded_slots(self) -> Iterable[Slot]:
        pairs = zip(self.bucket.slots, self.encodings, strict=True)
        return (slot for slot, encoding in pairs if encoding == "expanded")

    def _pipeline(self, state: PipelineState, encoding: Encoding) -> wgpu.GPURenderPipeline:
        targets = self._targets
        names = tuple(targets.colors)
        fields = tuple((field.kind, field.name) for field in self.bucket.fields)
        shader = heap_shader(self._program, fields, self._frame.resource, encoding, names)
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
        return self._prepared == (self.bucket.generation, self.encodings)

    @property
    def tables_ready(self) -> bool:
        """Whether the kernels have been encoded since records changed."""
        return self._encoded is not None and self._encoded == self._prepared

    def encode_compute(self, encoder: wgpu.GPUCommandEncoder, page: Mirror) -> int:
        """Encode scan, tiles, arguments and expansion if a record changed; return the passes."""
        if self._encoded == self._prepared:
            return 0
        wanted = {
            slot: expansion
            for slot, expansion in zip(self.bucket.slots, self._expansions, strict=True)
            if expansion is not None
        }
        stale = {
            number
            for number, slot in enumerate(self.bucket.slots)
            if slot in wanted and self._expanded.get(slot) != wanted[slot]
        }
        compute = encoder.begin_compute_pass(label="heapscene kernels")
        self._kernels.encode(compute, self._records, page, stale)
        compute.end()
        self._expanded = wanted
        self._encoded = self._prepared
        return 1

    def redo(self) -> None:
        """Run the kernels in the next frame: those of this one will not run."""
        self._encoded = None
        self._expanded = {}

    def encode_draws(
        self, render_pass: wgpu.GPURenderPassEncoder, frame: SmallBuffer, page: Mirror
    ) -> Sequence[Encoding]:
        """Encode one indirect draw per slot; return how each was drawn."""
        if self.bucket.emitted == 0:
            return ()
        kernels = self._kernels
        arguments = kernels.arguments.buffer
        if "expanded" in self.encodings:
            render_pass.set_index_buffer(kernels.indices.buffer, "uint32")
        bound = None
        for number, (pipeline, encoding) in enumerate(
            zip(self._pipelines_of_slots, self.encodings, strict=True)
        ):
            if encoding != bound:
                render_pass.set_bind_group(0, self._bind(encoding, frame, page))
                bound = encoding
            render_pass.set_pipeline(pipeline)
            offset = number * ARGS_WORDS * 4
            if encoding == "expanded":
                render_pass.draw_indexed_indirect(arguments, offset)
            else:
                render_pass.draw_indirect(arguments, offset)
        return self.encodings

    def _bind(self, encoding: Encoding, frame: SmallBuffer, page: Mirror) -> wgpu.GPUBindGroup:
        # Always the same buffers: the group is remade when one of them tells it to forget.
        group, kernels = self._groups[encoding], self._kernels
        if group.current is not None:
            return group.current
        tiles = kernels.emitted_tiles if encoding == "mega" else kernels.vertex_tiles
        buffers = (frame, page, self._headers, self._records, kernels.firsts, tiles)
        return group.get(GROUP, buffers)

    @property
    def nbytes(self) -> int:
        """Bytes on the GPU, apart from the page."""
        return self._headers.nbytes + self._records.nbytes + self._kernels.nbytes

    def close(self) -> None:
        """Free everything on the GPU."""
        self._headers.close()
        self._records.close()
        self._kernels.close()
        self._pipelines_of_slots = []
        self._prepared = self._encoded = self._asked = None
