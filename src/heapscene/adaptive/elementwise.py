"""What collections that apply a function to each element of another have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar, cast

from heapscene.adaptive.collection import announce
from heapscene.adaptive.delta import Reader
from heapscene.adaptive.follow import Follower
from heapscene.adaptive.node import Node, place_of
from heapscene.adaptive.results import Results, Uses
from heapscene.adaptive.value import check_write
from heapscene.errors import AdaptiveError, explain

__all__ = ["ElementWise", "Mapped", "Used", "checked_result"]

C = TypeVar("C")


class ElementWise(Follower):
    """A collection of what a function makes of each element of another.

    Its kind of collection has the slots ``_reader`` and ``_results``.
    """

    __slots__ = ()
    _reader: Any
    _results: Results

    def _read(self, reader: Reader, function: Callable[[Any], Any], *, picks: bool = False) -> None:
        self._reader = reader
        self._results = self._make_results(function, picks)

    def _make_results(self, function: Callable[[Any], Any], picks: bool) -> Results:
        return Results(function, picks=picks)

    def _image(self, place: Any, result: Any) -> tuple[Any, ...]:
        """Return what is in this collection for an element, by its place, and its result."""
        raise NotImplementedError

    def _origin(self) -> Node:
        return self._reader._source

    def _stale(self) -> list[Node]:
        return self._results.stale(self, self._reader)

    def _place(self) -> str:
        return self._results.place()


class Mapped(ElementWise):
    """The results of the function."""

    __slots__ = ()

    def _image(self, place: Any, result: Any) -> tuple[Any, ...]:  # noqa: ARG002
        return (result,)


class Used(Mapped):
    """The results of the function, released when their elements have left.

    It ends, empty, when it is disposed: by :meth:`dispose` or as a context manager.
    """

    __slots__ = ()

    def _make_results(self, function: Callable[[Any], Any], picks: bool) -> Results:  # noqa: ARG002
        return Uses(function)

    def _nothing(self) -> Reader:
        """Return a reader of an empty collection that never changes."""
        raise NotImplementedError

    def _clear(self) -> bool:
        """Take everything out; return whether something was there."""
        raise NotImplementedError

    def dispose(self) -> None:
        """Release all results and follow the source no more.

        Raises
        ------
        AdaptiveError
            If a value is being computed, or in another thread than the owner. Nothing has changed
            then.
        Exception
            What a result raised, after all were released; an ExceptionGroup if several did.
        """
        check_write(self)
        self._reader = self._nothing()
        self._depend(())
        try:
            cast("Uses", self._results).end(self)
        finally:
            if self._clear():
                announce(self)  # pyright: ignore[reportArgumentType] (one by its kind)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.dispose()


def checked_result(
    function: Callable[[Any], object], kind: type[C], what: str, make: str
) -> Callable[[Any], C]:
    """Return `function` with a check that what it returns is a collection of a kind."""

    @wraps(function)
    def choose(value: Any) -> C:
        chosen = function(value)
        if isinstance(chosen, kind):
            return chosen
        raise AdaptiveError(
            explain(
                f"the function has to return a {what} that may change",
                facts={"function": place_of(function), "returned": type(chosen).__name__},
                fix=f"Return {make}([...]) for elements that stay.",
            )
        )

    return choose
