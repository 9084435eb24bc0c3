"""FrameReport: what one frame did, in counts, bytes and milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from heapscene.wording import counted, one_line

__all__ = ["FrameReport"]


@dataclass(slots=True)
class FrameReport:
    """Counts and times of one frame.

    Attributes
    ----------
    draws, visible_draws
        Draws in the scene, and those of them that are shown.
    draw_calls, slots, pages
        Indirect draws encoded; pipeline states in use; pages of the heap.
    pipelines_created, shader_modules_created, buffers_created
        GPU objects made for this frame. A still frame makes none.
    bytes_uploaded, upload_writes
        What went from memory to the GPU, in how many writes.
    bytes_moved
        What the heap moved to close holes; part of what was uploaded.
    nodes_evaluated
        Functions of adaptive values that ran.
    compute_passes
        Compute passes encoded.
    emitted_indices
        Vertices or indices that the visible draws emit.
    encodings
        Number of draw calls by encoding, ``"expanded"`` or ``"mega"``.
    stage_ms
        Time that our Python code takes, by stage of :doc:`ARCHITECTURE`; stages do not overlap.
        ``"render"`` and ``"gpu"`` have the time of the driver in calls that we make: a software driver
        may spend most of a frame inside of ``submit``.
    wait_ms, readback_ms
        Time spent waiting for the GPU, and copying a picture back.
    gpu_ms
        Time of the render pass on the GPU; ``None`` until :meth:`resolve` or if the device has no timestamps.
    """

    draws: int = 0
    visible_draws: int = 0
    draw_calls: int = 0
    slots: int = 0
    pages: int = 0
    pipelines_created: int = 0
    shader_modules_created: int = 0
    buffers_created: int = 0
    bytes_uploaded: int = 0
    upload_writes: int = 0
    bytes_moved: int = 0
    nodes_evaluated: int = 0
    compute_passes: int = 0
    emitted_indices: int = 0
    encodings: dict[str, int] = field(default_factory=dict)
    stage_ms: dict[str, float] = field(default_factory=dict)
    wait_ms: float = 0.0
    readback_ms: float = 0.0
    gpu_ms: float | None = None
    _pending: Callable[[], float | None] | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy holds what is known by now: only the report of a renderer can ask the GPU for more.
        return FrameReport, tuple(getattr(self, item.name) for item in fields(self)[:-1])

    def resolve(self) -> FrameReport:
        """Wait for what only the GPU knows, fill it in, and return this report."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            self.gpu_ms = pending()
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the public fields as JSON-ready values."""
        return {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if not item.name.startswith("_")
        }

    def __repr__(self) -> str:
        draws, calls = counted(self.draws, "draw"), counted(self.draw_calls, "call")
        drawn = f"{self.visible_draws:,} of {draws} in {calls}"
        total = sum(self.stage_ms.values())
        return one_line(f"FrameReport({drawn}, {self.bytes_uploaded:,} bytes, {total:.2f} ms)")

    def __str__(self) -> str:
        """Return a few lines for people; :meth:`to_dict` has everything."""
        calls = ", ".join(f"{count:,} {name}" for name, count in self.encodings.items())
        stages = ", ".join(f"{name} {ms:.2f}" for name, ms in self.stage_ms.items())
        made = (self.pipelines_created, self.shader_modules_created, self.buffers_created)
        gpu = "not resolved" if self.gpu_ms is None else f"{self.gpu_ms:.2f}"
        lines = {
            "draws": f"{self.draws:,}, visible {self.visible_draws:,}; {self.emitted_indices:,} indices",
            "calls": f"{self.draw_calls:,} ({calls or 'none'}); slots {self.slots:,}, pages {self.pages:,}",
            "made": "{:,} pipelines, {:,} shader modules, {:,} buffers".format(*made),
            "sent": f"{self.bytes_uploaded:,} bytes in {self.upload_writes:,} writes, "
            f"{self.bytes_moved:,} moved; {self.compute_passes:,} compute passes",
            "values": f"{self.nodes_evaluated:,} evaluated",
            "ms": stages or "none",
            "GPU ms": f"{gpu}; wait {self.wait_ms:.2f}, read back {self.readback_ms:.2f}",
        }
        return "\n".join(f"{name:<6}  {text}" for name, text in lines.items())

    def stage(self, name: str) -> Clock:
        """Return a block that adds its time to ``stage_ms[name]``."""
        return Clock(self.stage_ms, name)


class Clock:
    """Adds the time of a ``with`` block to one entry; several run in every frame."""

    __slots__ = ("_name", "_start", "_times")

    def __init__(self, times: dict[str, float], name: str) -> None:
        self._times = times
        self._name = name

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_error: object) -> None:
        elapsed = (time.perf_counter() - self._start) * 1e3
        self._times[self._name] = self._times.get(self._name, 0.0) + elapsed
