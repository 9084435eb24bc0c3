"""Functions that were posted run before a frame; what they raise is raised after it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from heapscene.adaptive import drain_posted

__all__ = ["raised_after", "run_posted"]


def run_posted() -> Exception | None:
    """Run posted functions; return what they raised, for :func:`raised_after`."""
    try:
        drain_posted()
    except Exception as failed:  # noqa: BLE001  raised when the frame is done
        return failed
    return None


@contextmanager
def raised_after(posted: Exception | None) -> Generator[None]:
    """Raise `posted` when what is inside is done; note it on what that raises, so that none is lost."""
    try:
        yield
    except BaseException as error:
        if posted is not None:
            error.add_note(f"before that, a posted function raised {posted!r}")
        raise
    if posted is not None:
        raise posted
