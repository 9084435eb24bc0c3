"""What a device has to offer to take over from another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapscene.errors import GpuError, explain
from heapscene.gpu import check_alive

if TYPE_CHECKING:
    import wgpu

__all__ = ["PAGE_BYTES", "check_takes_over", "page_limit"]

PAGE_BYTES = 256 * 2**20


def page_limit(device: wgpu.GPUDevice) -> int:
    """Return the largest page that ``device`` can bind, at most 256 MiB."""
    limits = device.limits
    return min(
        int(limits["max-storage-buffer-binding-size"]), int(limits["max-buffer-size"]), PAGE_BYTES
    )


def check_takes_over(device: wgpu.GPUDevice, page_bytes: int) -> None:
    """Check that ``device`` can draw a heap whose pages may have ``page_bytes``.

    Raises
    ------
    GpuError
        It is lost, or its limits are lower than that.
    """
    check_alive(device)
    most = page_limit(device)
    if page_bytes > most:
        raise GpuError(
            explain(
                "the new device is smaller than the pages of this scene",
                facts={"page": f"{page_bytes:,} bytes", "device": f"{most:,} bytes"},
                fix=f"Make the scene with page_bytes={most}, or take a device with a higher limit.",
            )
        )
