"""Values that change: cells, constants, and what is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar, cast
from weakref import ref

from heapscene.adaptive.equality import frozen, is_array, same
from heapscene.adaptive.node import (
    CLEAN,
    DIRTY,
    FAILED,
    UNSET,
    Derived,
    Node,
    check_thread,
    claim_thread,
    evaluate,
    graph,
    mark,
    place_of,
    rewire,
    track,
)
from heapscene.adaptive.transaction import Subscription, settle
from heapscene.errors import AdaptiveError, explain

__all__ = ["AVal", "CVal", "computed", "constant", "cval"]

T = TypeVar("T")
U = TypeVar("U")


class AVal(Node, Generic[T]):
    """A value that may change: read it with :attr:`value`, derive others with :meth:`map`."""

    __slots__ = ()

    @property
    def value(self) -> T:
        """The current value; inside a function of `map`, `bind` or `computed` the read is tracked."""
        if graph.reads is not None:
            track(self)
        return self.force()

    def force(self) -> T:
        """Return the current value without tracking the read."""
        raise NotImplementedError

    def map(self, function: Callable[[T], U]) -> AVal[U]:
        """Return the value of `function` applied to this one; computed when asked, and kept.

        The function runs again only if this value is not the same as before (or another one that
        the function has read). A constant is mapped at once, to a constant.
        """
        return Map(self, function)

    def bind(self, function: Callable[[T], AVal[U]]) -> AVal[U]:
        """Return the value of the adaptive value that `function` chooses.

        The function runs only if this value changes, not if the chosen one does; the one that is
        no longer chosen is let go.
        """
        chosen = self.map(function)
        if isinstance(chosen, Constant):
            return _checked(chosen.force(), function)
        return _Computed(lambda: _checked(chosen.value, function).value, function)

    def on_change(self, callback: Callable[[T], object]) -> Subscription:
        """Call `callback` with the new value after each transaction that changed it.

        It is kept alive until ``dispose()`` is called on what this returns. Callbacks run in the
        order in which their values were marked.
        """
        return Subscription(self, callback)


class Constant(AVal[T]):
    """A value that never changes; nobody subscribes to it."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._outputs = None
        self._value = frozen(value)

    @property
    def is_constant(self) -> bool:
        """True."""
        return True

    def force(self) -> T:
        """Return the value."""
        return self._value

    _peek = force

    def map(self, function: Callable[[T], U]) -> AVal[U]:
        """Apply `function` now; the result is constant unless the function reads what changes."""
        value = self._value
        result: _Computed[U] = _Computed(lambda: function(value), function)
        result.force()
        return result if result._inputs else Constant(result._value)

    def _subscribe(self, edge: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"constant({_short(self._value)})"


class CVal(AVal[T]):
    """A value that you change, by assigning :attr:`value`."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        if not graph.owner:
            claim_thread()
        self._outputs = None
        self._value = frozen(value)

    @property
    def value(self) -> T:
        """The current value; assigning marks what depends on it, unless it stays the same.

        An array is copied when assigned, and the copy is read-only; assigning one always marks.

        Raises
        ------
        AdaptiveError
            If it is assigned while a value is being computed, or by another thread than the owner.
            Nothing has changed then.
        """
        if graph.reads is not None:
            track(self)
        return self._value

    @value.setter
    def value(self, value: T) -> None:
        check_write(self)
        if is_array(value):
            value = frozen(value)
        elif same(self._value, value):
            return
        self._value = value
        if self._outputs is not None:
            mark(self._outputs)
            settle()

    def force(self) -> T:
        """Return the current value without tracking the read."""
        return self._value

    _peek = force

    def __repr__(self) -> str:
        return f"cval({_short(self._value)})"


class Map(Derived, AVal[U]):
    """A function of one value."""

    __slots__ = ("_function", "_input", "_more", "_seen")

    def __init__(self, source: AVal[Any], function: Callable[[Any], U]) -> None:
        self._outputs = None
        self._state = DIRTY
        self._value = UNSET
        self._input = source
        self._function = function
        self._seen = UNSET
        self._more: tuple[tuple[Node, Any], ...] = ()

    def force(self) -> U:
        """Return the current value without tracking the read, computing it if needed."""
        if self._state != CLEAN:
            self._update()
        return self._value

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if not index:
            return self._input, self._seen
        return self._more[index - 1] if index <= len(self._more) else None

    def _run(self) -> None:
        first = self._seen is UNSET
        if first and self._value is UNSET:
            self._input._unsubscribe(ref(self))
            self._input._subscribe(ref(self))
        try:
            given = self._input.force()
        except BaseException:
            self._seen = UNSET
            self._state = FAILED
            raise
        graph.evaluations += 1
        value, reads = evaluate(self, self._function, given)
        self._keep(reads)
        if self._value is UNSET or not same(self._value, value):
            self._value = value
        self._seen = given
        self._state = CLEAN

    def _keep(self, reads: dict[Node, None]) -> None:
        self._seen = UNSET
        if reads or self._more:
            reads.pop(self._input, None)
            rewire(self, [node for node, _ in self._more], reads)
            self._more = tuple((node, node._peek()) for node in reads)

    def _place(self) -> str:
        return place_of(self._function)


class _Computed(Derived, AVal[U]):
    """A function without arguments, of whatever it reads."""

    __slots__ = ("_function", "_inputs", "_seen", "_written")

    def __init__(self, function: Callable[[], U], written: Callable[..., object]) -> None:
        claim_thread()
        self._outputs = None
        self._state = DIRTY
        self._value = UNSET
        self._function = function
        self._written = written
        self._inputs: tuple[Node, ...] = ()
        self._seen: tuple[Any, ...] | None = None

    def force(self) -> U:
        """Return the current value without tracking the read, computing it if needed."""
        if self._state != CLEAN:
            self._update()
        return self._value

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if self._seen is None:
            return _NOTHING
        return (self._inputs[index], self._seen[index]) if index < len(self._inputs) else None

    def _run(self) -> None:
        if self._function is self._written:
            graph.evaluations += 1
        value, reads = evaluate(self, self._function)
        self._keep(reads)
        self._seen = tuple(node._peek() for node in self._inputs)
        if self._value is UNSET or not same(self._value, value):
            self._value = value
        self._state = CLEAN

    def _keep(self, reads: Iterable[Node]) -> None:
        self._seen = None
        inputs = tuple(reads)
        if inputs != self._inputs:
            rewire(self, self._inputs, inputs)
            self._inputs = inputs

    def _place(self) -> str:
        return place_of(self._written)


def cval(value: T) -> CVal[T]:
    """Return a value that you can change.

    Examples
    --------
    >>> width = cval(2)
    >>> area = width.map(lambda w: w * w)
    >>> area.value
    4
    >>> width.value = 3
    >>> area.value
    9
    """
    return CVal(value)


def constant(value: T) -> AVal[T]:
    """Return `value` as an adaptive value that never changes; an array is copied."""
    return Constant(value)


def computed(function: Callable[[], T]) -> AVal[T]:
    """Return the value of `function`, which reads others by ``.value``; usable as a decorator.

    It runs when the value is asked for, and again only after something that it read has changed.
    """
    return _Computed(function, function)


def check_write(target: object) -> None:
    """Raise if `target` may not be written now."""
    if graph.running is not None:
        raise AdaptiveError(
            explain(
                "an adaptive value is written while another one is being computed",
                facts={"written": target, "computed": graph.running._place()},
                fix="Return the new value from the function, or write it later:\n"
                "hs.post(lambda: ...)   # runs when the next frame starts",
            )
        )
    check_thread("written", target)


def _checked(chosen: object, function: Callable[..., object]) -> AVal[Any]:
    if isinstance(chosen, AVal):
        return cast("AVal[Any]", chosen)
    raise AdaptiveError(
        explain(
            "the function given to bind has to return an adaptive value",
            facts={"function": place_of(function), "returned": type(chosen).__name__},
            fix="Use .map(...) for a function that returns plain values.",
        )
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_NOTHING: tuple[Node, Any] = (Constant(None), UNSET)
