"""Transactions group writes; what they delay is callbacks, never marks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import get_ident
from typing import Any, Self

from heapscene.adaptive.equality import same
from heapscene.adaptive.node import check_thread, graph
from heapscene.adaptive.unique import Unique

__all__ = ["Subscription", "pending", "raise_all", "settle", "transact"]


class _Pending:
    __slots__ = ("depth", "queue", "roots", "running")

    def __init__(self) -> None:
        self.depth = 0
        self.running = False
        self.queue: deque[Subscription] = deque()
        self.roots: set[Subscription] = set()


pending = _Pending()


class Subscription(Unique):
    """A callback on a value; it lives until :meth:`dispose`, also as a context manager."""

    __slots__ = ("_callback", "_last", "_queued", "_source")

    def __init__(self, source: Any, callback: Callable[[Any], object]) -> None:
        check_thread("watched", source)
        self._source: Any = source
        self._callback: Any = callback
        self._last: Any = self._begin()
        self._queued = False
        if not source.is_constant:
            pending.roots.add(self)  # before, since only edges that are alive are kept
            source._subscribe(self)

    def _begin(self) -> Any:
        """Return what is known when it begins."""
        return self._source.force()

    def dispose(self) -> None:
        """End it: the callback is not called again and no longer kept alive."""
        if self in pending.roots:
            pending.roots.discard(self)
            self._source._unsubscribe(self)
        self._source = self._callback = self._last = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({'disposed' if self._source is None else repr(self._source)})"
        )

    def alive(self) -> bool:
        """Whether it has not been disposed."""
        return self in pending.roots

    def mark(self) -> None:
        """Note that the value may have changed."""
        if not self._queued:
            self._queued = True
            pending.queue.append(self)

    def fire(self) -> None:
        """Call the callback if the value differs from the one it knows."""
        self._queued = False
        if not self.alive():
            return
        value = self._source.force()
        if not same(value, self._last):
            self._last = value
            self._callback(value)


@contextmanager
def transact() -> Generator[None]:
    """Group writes: callbacks run once, after the outermost transaction.

    Marks and reads are not delayed: inside, every value already shows the writes made so far.
    An exception inside ends the transaction as usual (writes stay, callbacks run) and is raised.
    Inside another one, the callbacks wait for the end of the outer one.

    Raises
    ------
    AdaptiveError
        In another thread than the owner.
    Exception
        What a callback raised, after all of them ran; an ExceptionGroup if several did.
    """
    if get_ident() != graph.owner:
        check_thread("written")
    pending.depth += 1
    try:
        yield
    except BaseException as error:
        pending.depth -= 1
        try:
            settle()
        except Exception as later:  # noqa: BLE001 (the first one is what has to be seen)
            error.add_note(f"A callback failed as well: {later!r}")
        raise
    pending.depth -= 1
    settle()


def settle() -> None:
    """Run the callbacks that wait, unless a transaction, an evaluation or a callback is running.

    Raises
    ------
    Exception
        What a callback raised, after all of them ran; an ExceptionGroup if several did.
    """
    if pending.depth or pending.running or graph.running is not None or not pending.queue:
        return
    errors: list[Exception] = []
    pending.running = True
    try:
        while pending.queue:
            try:
                pending.queue.popleft().fire()
            except Exception as error:  # noqa: BLE001 (raised below, after the others ran)
                errors.append(error)
    finally:
        pending.running = False
    raise_all(errors, "several callbacks failed")


def raise_all(errors: list[Exception], title: str) -> None:
    """Raise the one error, or several as a group; nothing for none."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup(title, errors)
