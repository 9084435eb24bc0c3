"""A device that fails when it is told to: a thin wrapper, for there is no other way to run out of memory.

llvmpipe hands out 80 GB of buffers without an error, and nothing but ``destroy()`` loses a device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wgpu


def run_out() -> None:
    """Raise what wgpu raises when there is no memory."""
    raise wgpu.GPUOutOfMemoryError("Not enough memory left.")


class FaultyDevice:
    """Passes everything on to a device, counts the calls that may fail, and lets one of them fail.

    Attributes
    ----------
    calls
        Names of the calls so far: what creates something, writes, reads or finishes.
    full
        Tells by its label which buffer there is no memory for.
    """

    def __init__(self, device: Any) -> None:
        self._device = device
        self._heapscene_pipelines = None  # its own, not those of the device behind it
        self.queue = _Queue(self, device.queue)
        self.calls: list[str] = []
        self.full: Callable[[str], bool] | None = None
        self._at = 0
        self._act: Callable[[], None] | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._device, name)
        if not name.startswith("create_"):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self.count(name)
            if name == "create_buffer" and self.full is not None and self.full(named["label"]):
                run_out()
            made = found(*arguments, **named)
            return _Encoder(self, made) if name == "create_command_encoder" else made

        return call

    def fail_at(self, number: int, error: Callable[[], Exception] | None = None) -> None:
        """Raise out of memory, or ``error``, at the ``number``-th call from now on, once."""

        def refuse() -> None:
            if error is not None:
                raise error()
            run_out()

        self.act_at(number, refuse)

    def act_at(self, number: int, act: Callable[[], None]) -> None:
        """Run ``act`` before the ``number``-th call from now on, once."""
        self.calls.clear()
        self._at, self._act = number, act

    def relax(self) -> bool:
        """Let nothing fail any more; return whether something was still to fail."""
        waiting, self._act = self._act is not None, None
        return waiting

    def count(self, name: str) -> None:
        self.calls.append(name)
        if self._act is not None and len(self.calls) == self._at:
            act, self._act = self._act, None
            act()


class _Queue:
    def __init__(self, owner: FaultyDevice, queue: Any) -> None:
        self._owner = owner
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._queue, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self._owner.count(name)
            return found(*arguments, **named)

        # Who fails in `submit` has lost the process, not the device: see `heapscene.gpu.faults`.
        return found if name == "submit" else call


class _Encoder:
    def __init__(self, owner: FaultyDevice, encoder: Any) -> None:
        self._owner = owner
        self._encoder = encoder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._encoder, name)

    def finish(self) -> Any:
        self._owner.count("finish")
        return self._encoder.finish()
