"""Work that other threads hand to the owner of the graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from heapscene.adaptive.node import check_thread
from heapscene.adaptive.transaction import raise_all, transact
from heapscene.errors import explain

__all__ = ["drain_posted", "post"]

_inbox: deque[Callable[[], object]] = deque()


def post(function: Callable[[], object]) -> None:
    """Have `function` called by the owner thread, when the next frame starts.

    May be called from any thread; what is posted runs in the order of posting.

    Raises
    ------
    TypeError
        It cannot be called.
    """
    if not callable(function):
        raise TypeError(
            explain(
                f"a {type(function).__name__} cannot be posted",
                fix="Post a function: hs.post(lambda: ...).",
            )
        )
    _inbox.append(function)


def drain_posted() -> int:
    """Run what has been posted so far, as one transaction; return how many functions ran.

    What is posted meanwhile waits for the next call.

    Raises
    ------
    Exception
        What a function raised, after the others ran; an ExceptionGroup if several did.
    """
    count = len(_inbox)
    if not count:
        return 0
    check_thread("written")
    errors: list[Exception] = []
    with transact():
        for _ in range(count):
            function = _inbox.popleft()
            try:
                function()
            except Exception as error:  # noqa: BLE001 (raised below, after the others ran)
                errors.append(error)
    raise_all(errors, "several posted functions failed")
    return count
