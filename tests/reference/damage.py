"""Wrong bytes, written straight into buffers on the GPU."""

from __future__ import annotations

import numpy as np

from heapscene.gpu import GpuBuffer, read_buffer


def peek(buffer: GpuBuffer, word: int) -> int:
    """Return a word of a buffer."""
    return int(read_buffer(buffer.device, buffer.buffer, 4, word * 4).view(np.uint32)[0])


def poke(buffer: GpuBuffer, word: int, value: int) -> tuple[int, int]:
    """Write a word into a buffer behind everybody's back; return what was there, and what is."""
    before, value = peek(buffer, word), value & 0xFFFFFFFF
    assert before != value, "the fault changes nothing"
    buffer.device.queue.write_buffer(buffer.buffer, word * 4, np.array([value], np.uint32))
    return before, value


def bits_of(number: float) -> int:
    """Return a number as the word that holds it."""
    return int(np.array([number], np.float32).view(np.uint32)[0])
