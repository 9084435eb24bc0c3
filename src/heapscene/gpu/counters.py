"""What was sent to the GPU and made on it, counted."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counters"]


@dataclass(slots=True)
class Counters:
    """Running totals of one device; a frame report is the difference of two snapshots.

    Attributes
    ----------
    bytes_uploaded, upload_writes
        Bytes handed to the queue, and in how many writes.
    buffers_created
        Buffers made, growth included.
    pipelines_created, shader_modules_created
        Compute and render pipelines, and compiled WGSL texts.
    compute_passes
        Passes submitted to put staged words in place.

    Examples
    --------
    >>> counters = Counters()
    >>> before = counters.snapshot()
    >>> counters.count_upload(64)
    >>> counters.since(before).bytes_uploaded
    64
    """

    bytes_uploaded: int = 0
    upload_writes: int = 0
    buffers_created: int = 0
    pipelines_created: int = 0
    shader_modules_created: int = 0
    compute_passes: int = 0

    def count_upload(self, nbytes: int) -> None:
        """Add one write of ``nbytes``."""
        self.bytes_uploaded += nbytes
        self.upload_writes += 1

    def snapshot(self) -> Counters:
        """Return a copy that stays as it is."""
        return Counters(*self._values())

    def since(self, earlier: Counters) -> Counters:
        """Return what was added after the snapshot ``earlier``."""
        pairs = zip(self._values(), earlier._values(), strict=True)
        return Counters(*(now - before for now, before in pairs))

    def _values(self) -> tuple[int, ...]:
        return (
            self.bytes_uploaded,
            self.upload_writes,
            self.buffers_created,
            self.pipelines_created,
            self.shader_modules_created,
            self.compute_passes,
        )
