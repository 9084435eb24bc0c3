"""Bringing pictures and buffers back. This waits for the GPU: never on the frame path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heapscene.gpu.faults import GpuCalls

if TYPE_CHECKING:
    import wgpu

__all__ = ["read_buffer", "read_texture"]


def read_texture(
    device: wgpu.GPUDevice, texture: wgpu.GPUTexture, size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return the texels of a texture with four bytes each.

    Parameters
    ----------
    size
        Width and height in texels.

    Returns
    -------
    numpy.ndarray
        ``(height, width, 4)``, top row first, as stored: nothing is converted.
    """
    width, height = size
    with GpuCalls("a picture was not read back", size=f"{width}×{height} pixels"):
        data: Any = device.queue.read_texture(
            {"texture": texture, "mip_level": 0, "origin": (0, 0, 0)},
            {"offset": 0, "bytes_per_row": width * 4, "rows_per_image": height},
            (width, height, 1),
        )
    return np.frombuffer(data, np.uint8).reshape(height, width, 4).copy()


def read_buffer(
    device: wgpu.GPUDevice, buffer: wgpu.GPUBuffer, nbytes: int, offset: int = 0
) -> NDArray[np.uint8]:
    """Return ``nbytes`` (a multiple of 4) of a buffer with ``COPY_SRC`` usage."""
    if nbytes == 0:
        return np.zeros(0, np.uint8)
    with GpuCalls(f"buffer {buffer.label!r} was not read back", size=f"{nbytes:,} bytes"):
        data: Any = device.queue.read_buffer(buffer, offset, nbytes)
    return np.frombuffer(data, np.uint8).copy()
