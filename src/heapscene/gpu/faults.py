"""What wgpu raises, told as errors of heapscene.

wgpu-py raises where the call is made, never later: ``GPUValidationError``, ``GPUOutOfMemoryError``
or ``ValueError``. Commands are an exception, they are checked when their encoder is finished. One
call does not raise: ``queue.submit`` ends the process when the device is lost or a buffer in use was
destroyed. Hence two rules. Buffers are dropped, not destroyed, so that a command buffer keeps those
that it uses; and an encoder is finished where it is submitted, since ``finish`` notices a lost device.
"""

from __future__ import annotations

import re
from types import TracebackType
from typing import TYPE_CHECKING

from heapscene.errors import DeviceLostError, GpuError, HeapsceneError, OutOfMemoryError, explain

if TYPE_CHECKING:
    import wgpu

__all__ = ["GpuCalls", "check_alive", "refusal", "submit"]

_LOST = re.compile(r"device (is|was) lost", re.IGNORECASE)
_RECOVER = "Write renderer.recover(), or scene.recover(device): the next picture is the same."
_FREE = "Close renderers that are no longer used, or draw less at once."
_DULL = ("Validation Error", "Caused by:")
_FRAME = re.compile(r"┌─|│|\d+ │|=$")  # an excerpt of WGSL, which is shown with more lines of it


class GpuCalls:
    """A block of calls to wgpu: what they raise becomes a :class:`GpuError` with the cause chained.

    Parameters
    ----------
    what
        First line of the message, such as ``the device made no buffer 'page 0'``.
    facts
        Further lines of it.
    """

    __slots__ = ("_facts", "_what")

    def __init__(self, what: str, **facts: object) -> None:
        self._what = what
        self._facts = {name.replace("_", " "): value for name, value in facts.items()}

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, HeapsceneError):
            return
        if isinstance(error, (ValueError, RuntimeError, MemoryError)) or _is_wgpus(error):
            raise refusal(error, self._what, self._facts) from error


def _is_wgpus(error: BaseException) -> bool:
    import wgpu

    return isinstance(error, (wgpu.GPUError, wgpu.GPUPipelineError))


def refusal(cause: BaseException, what: str, facts: dict[str, object] | None = None) -> GpuError:
    """Return the error to raise for ``cause``, by its kind: lost, out of memory, or refused."""
    text = sentence(str(cause))
    if _LOST.search(text):
        facts = {"noticed": what, "cause": text}
        return DeviceLostError(explain("the GPU device is lost", facts=facts, fix=_RECOVER))
    facts = {**(facts or {}), "cause": text}
    if isinstance(cause, MemoryError):
        return OutOfMemoryError(explain(f"out of memory: {what}", facts=facts, fix=_FREE))
    return GpuError(explain(what, facts=facts))


def sentence(cause: str) -> str:
    """Return the sentence that says what is wrong, without wgpu's frame around it."""
    lines = [line.strip() for line in cause.splitlines() if line.strip()]
    told = [
        line
        for line in lines
        if line not in _DULL and not line.startswith("In wgpu") and not _FRAME.match(line)
    ]
    return " ".join(told) if told else cause.strip()


def check_alive(device: wgpu.GPUDevice) -> None:
    """Ask the device for next to nothing (12 µs), since there is no other sign of its loss.

    Raises
    ------
    DeviceLostError
        It is lost.
    """
    with GpuCalls("the device takes no commands"):
        device.create_command_encoder().finish()


def submit(device: wgpu.GPUDevice, encoder: wgpu.GPUCommandEncoder) -> None:
    """Finish ``encoder`` and submit what it has, in one breath.

    Raises
    ------
    GpuError
        A command was refused, or the device is lost; nothing was submitted.
    """
    with GpuCalls(f"the commands of {encoder.label!r} were refused"):
        device.queue.submit([encoder.finish()])
