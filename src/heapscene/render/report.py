"""FrameReport: what one frame did, in counts, bytes and milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

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
        Time of our Python code, by stage of :doc:`ARCHITECTURE`; stages do not overlap.
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
