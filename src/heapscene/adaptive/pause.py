"""The garbage collector waits while many objects are made at once."""

from __future__ import annotations

import gc

__all__ = ["collector_paused"]


class collector_paused:  # noqa: N801  used like a function
    """Keep the cyclic garbage collector from running inside; afterwards it is as it was before.

    Each collection walks the objects made so far, and finds nothing while a scene is being built.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            gc.enable()
