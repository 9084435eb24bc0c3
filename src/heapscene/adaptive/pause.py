"""The garbage collector waits while many objects are made at once."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["collector_paused"]


@contextmanager
def collector_paused() -> Generator[None]:
    """Keep the cyclic garbage collector from running inside; afterwards it is as it was before.

    Each collection walks the objects made so far, and finds nothing while a scene is being built.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
