"""One frame at a time: what a frame is made with is not drawn or closed from within, or by another thread."""

from __future__ import annotations

import threading

from heapscene.errors import FrameOrderError, explain

__all__ = ["InUse"]


class InUse:
    """A block in which an object is in use, and that nobody else enters meanwhile."""

    __slots__ = ("_lock", "_thread", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._thread = ""

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise FrameOrderError(
                explain(
                    f"this {self._what} is in use: it is being drawn or read just now",
                    facts={"by": self._thread, "this thread": threading.current_thread().name},
                    fix="Draw from one thread, and write hs.post(lambda: ...) for what has to wait.",
                )
            )
        self._thread = threading.current_thread().name

    def __exit__(self, *_error: object) -> None:
        self._lock.release()

    def check(self) -> None:
        """Raise a :class:`FrameOrderError` if it is in use."""
        with self:
            pass
