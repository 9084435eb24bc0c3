"""What a device has to offer to take over from another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapscene.errors import GpuError, explain
from heapscene.gpu import check_alive
from heapscene.heap import BucketLimits
from heapscene.kernels import most_emitted

if TYPE_CHECKING:
    import wgpu

__all__ = ["PAGE_BYTES", "bucket_limits", "check_takes_over", "page_limit"]

PAGE_BYTES = 256 * 2**20


def page_limit(device: wgpu.GPUDevice) -> int:
    """Return the largest page that ``device`` can bind, at most 256 MiB."""
    return min(_binding_limit(device), PAGE_BYTES)


def bucket_limits(device: wgpu.GPUDevice) -> BucketLimits:
    """Return how much ``device`` can bind and number of one bucket."""
    most = _binding_limit(device)
    return BucketLimits(most, most_emitted(most))


def _binding_limit(device: wgpu.GPUDevice) -> int:
    limits = device.limits
    return min(int(limits["max-storage-buffer-binding-size"]), int(limits["max-buffer-size"]))


def check_takes_over(device: wgpu.GPUDevice, page_bytes: int, table_bytes: int) -> None:
    """Check that ``device`` can draw a heap.

    Parameters
    ----------
    page_bytes
        What a page may have.
    table_bytes
        What the largest table of header rows or records has.

    Raises
    ------
    GpuError
        It is lost, or its limits are lower than that.
    """
    check_alive(device)
    binding = _binding_limit(device)
    if table_bytes > binding:
        raise GpuError(
            explain(
                "the new device is smaller than the tables of this scene",
                facts={"table": f"{table_bytes:,} bytes", "device": f"{binding:,} bytes"},
                fix="Draw less with one program, or take a device with a higher limit.",
            )
        )
    most = page_limit(device)
    if page_bytes > most:
        raise GpuError(
            explain(
                "the new device is smaller than the pages of this scene",
                facts={"page": f"{page_bytes:,} bytes", "device": f"{most:,} bytes"},
                fix=f"Make the scene with page_bytes={most}, or take a device with a higher limit.",
            )
        )
