"""Values that change: cells, constants, and what is computed from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from reprlib import recursive_repr
from threading import get_ident
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar, cast, overload
from weakref import ref

from heapscene.adaptive.equality import PLAIN, frozen, is_array, same
from heapscene.adaptive.node import (
    CLEAN,
    DIRTY,
    FAILED,
    READY,
    RUN,
    RUNNING,
    UNSET,
    Derived,
    Node,
    check_thread,
    claim_thread,
    graph,
    mark,
    place_of,
    rewire,
    track,
)
from heapscene.adaptive.transaction import Subscription, pending, settle
from heapscene.errors import AdaptiveError, explain
from heapscene.wording import brief, one_line

if TYPE_CHECKING:
    from heapscene.adaptive.alist import AList
    from heapscene.adaptive.aset import ASet

__all__ = [
    "AVal",
    "CVal",
    "Computed",
    "Constant",
    "adopt",
    "amap",
    "check_write",
    "chosen_by",
    "computed",
    "constant",
    "cval",
]

T = TypeVar("T")
U = TypeVar("U")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E", bound=Hashable)


class AVal(Node, Generic[T]):
    """A value that may change: read it with :attr:`value`, derive others with :meth:`map`."""

    __slots__ = ()

    _instead = "Write hs.cval(value.value) for another cell that begins with the same value."

    @property
    def value(self) -> T:
        """The current value; read in an evaluation, it is tracked."""
        if graph.reads is not None:
            track(self)
        return self.force()

    def force(self) -> T:
        """Return the current value without tracking the read."""
        raise NotImplementedError

    def __bool__(self) -> NoReturn:
        """Refuse: an adaptive value is neither true nor false, its value is."""
        raise TypeError(
            explain(
                "an adaptive value is neither true nor false",
                facts={"value": self},
                fix="Write value.value for what it is now, or value.map(...) for what follows from it.",
            )
        )

    @overload
    def map(self, function: Callable[[T], U], /) -> AVal[U]: ...
    @overload
    def map(self, function: Callable[[T, A], U], other: AVal[A], /) -> AVal[U]: ...
    @overload
    def map(
        self, function: Callable[[T, A, B], U], other: AVal[A], another: AVal[B], /
    ) -> AVal[U]: ...
    @overload
    def map(self, function: Callable[..., U], /, *others: AVal[Any]) -> AVal[U]: ...
    def map(self, function: Callable[..., U], /, *others: AVal[Any]) -> AVal[U]:
        """Return the value of `function` applied to this one; computed when asked, and kept.

        With `others`, the function gets their values as well, in this order. It runs again only if
        one of the values is not the same as before (or another one that the function has read).
        Constants are mapped at once, to a constant.
        """
        return amap(function, self, *others) if others else self._mapped(function)

    def _mapped(self, function: Callable[[T], U]) -> AVal[U]:
        return Map(self, function)

    def bind(self, function: Callable[[T], AVal[U]]) -> AVal[U]:
        """Return the value of the adaptive value that `function` chooses.

        The function runs only if this value changes, not if the chosen one does; the one that is
        no longer chosen is let go.
        """
        chosen = self.map(function)
        if isinstance(chosen, Constant):
            return chosen_by(chosen.force(), function)
        return Join(chosen, function)

    def bind_set(self, function: Callable[[T], ASet[E]]) -> ASet[E]:
        """Return the set that `function` chooses for the value, with its changes.

        When another set is chosen, the elements of the old one go and those of the new one come.
        """
        from heapscene.adaptive.derived_set import FlatSet, SingleSet, checked_set

        return FlatSet(SingleSet(self.map(checked_set(function))))

    def bind_list(self, function: Callable[[T], AList[U]]) -> AList[U]:
        """Return the list that `function` chooses for the value, with its changes."""
        from heapscene.adaptive.derived_list import FlatList, SingleList, checked_list

        return FlatList(SingleList(self.map(checked_list(function))))

    def as_set(self) -> ASet[Any]:
        """Return the set whose only element is the value; it has to be hashable."""
        from heapscene.adaptive.derived_set import SingleSet

        return SingleSet(self)

    def on_change(self, callback: Callable[[T], object]) -> Subscription:
        """Call `callback` with the new value after each transaction that changed it.

        It is kept alive until ``dispose()`` is called on what this returns. Callbacks run in the
        order in which their values were marked.
        """
        return Subscription(self, callback)

    @recursive_repr("AVal(...)")
    def __repr__(self) -> str:
        known = self._peek()
        origin = ""
        if isinstance(self, Derived):
            name, comma, place = self._place().partition(", ")
            file = re.split(r"[/\\]", place)[-1]  # with its line
            origin = (
                f"; from {one_line(name.rpartition('<locals>.')[2], 30)}{comma}{one_line(file, 30)}"
            )
        return f"AVal({'out of date' if known is UNSET else _short(known)}{origin})"


class Constant(AVal[T]):
    """A value that never changes; nobody subscribes to it."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._outputs = None
        self._value = frozen(value)

    is_constant = True

    def force(self) -> T:
        """Return the value."""
        return self._value

    _peek = force

    def _mapped(self, function: Callable[[T], U]) -> AVal[U]:
        # at once; constant unless the function reads what changes
        value = self._value
        result: Computed[U] = Computed(partial(function, value))
        result.force()
        return result if result._inputs else Constant(result._value)

    def _subscribe(self, edge: object) -> None:
        pass

    @recursive_repr("constant(...)")
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
        if graph.running is not None or get_ident() != graph.owner:
            check_write(self)
        if type(value) not in PLAIN and is_array(value):
            value = frozen(value)
        elif same(self._value, value):
            return
        self._value = value
        if self._outputs is not None:
            mark(self._outputs)
            if pending.queue:
                settle()

    def force(self) -> T:
        """Return the current value without tracking the read."""
        return self._value

    _peek = force

    @recursive_repr("cval(...)")
    def __repr__(self) -> str:
        return f"cval({_short(self._value)})"


class NamedCVal(CVal[T]):
    """A cell that says its name where it is part of an error; the others have no room for one."""

    __slots__ = ("_name",)

    def __init__(self, value: T, name: str) -> None:
        super().__init__(value)
        self._name = name

    @recursive_repr("cval(...)")
    def __repr__(self) -> str:
        return f"cval({_short(self._value)}, name={self._name!r})"


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
        self._more: tuple[tuple[Node, Any], ...] | None = None

    def force(self) -> U:
        """Return the current value without tracking the read, computing it if needed."""
        if self._state != CLEAN:
            self._update()
        return self._value

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if self._more is None:
            self._input._subscribe(ref(self))
            self._more = ()
        if not index:
            return self._input, self._seen
        return self._more[index - 1] if index <= len(self._more) else None

    def _run(self) -> None:
        outer = graph.reads, graph.running
        reads: dict[Node, None] = {}
        done = False
        try:
            given = self._input.force()
            graph.reads = reads
            graph.running = self
            graph.evaluations += 1
            self._state = RUNNING
            value = self._function(given)
            done = True
        finally:
            graph.reads, graph.running = outer
            if reads or self._more:
                reads.pop(self._input, None)
                rewire(self, [node for node, _ in self._more or ()], reads)
                self._more = tuple([(node, node._peek()) for node in reads])
            if not done:
                self._seen = UNSET
                self._state = FAILED
        self._value = value
        self._seen = given
        self._state = CLEAN

    def _place(self) -> str:
        return place_of(self._function)

    def _reads(self) -> Iterable[Node]:
        return (self._input, *[node for node, _ in self._more or ()])


class Computed(Derived, AVal[U]):
    """A function without arguments, of whatever it reads."""

    __slots__ = ("_function", "_inputs", "_seen")
    _counts: ClassVar[int] = 1

    def __init__(self, function: Callable[[], U]) -> None:
        claim_thread()
        self._outputs = None
        self._state = DIRTY
        self._value = UNSET
        self._function = function
        self._inputs: tuple[Node, ...] = ()
        self._seen: tuple[Any, ...] | None = None

    def force(self) -> U:
        """Return the current value without tracking the read, computing it if needed."""
        if self._state != CLEAN:
            self._update()
        return self._value

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if self._seen is None:
            return RUN
        return (self._inputs[index], self._seen[index]) if index < len(self._inputs) else None

    def _run(self) -> None:
        outer = graph.reads, graph.running
        reads: dict[Node, None] = {}
        done = False
        graph.reads = reads
        graph.running = self
        graph.evaluations += self._counts
        self._state = RUNNING
        try:
            value = self._function()
            done = True
        finally:
            graph.reads, graph.running = outer
            inputs = tuple(reads)
            if inputs != self._inputs:
                rewire(self, self._inputs, inputs)
                self._inputs = inputs
            self._seen = tuple([node._peek() for node in inputs]) if done else None
            if not done:
                self._state = FAILED
        self._value = value
        self._state = CLEAN

    def _place(self) -> str:
        return place_of(self._function)

    def _reads(self) -> Iterable[Node]:
        return self._inputs


class Joint(Computed[U]):
    """A function of several values."""

    __slots__ = ("_sources", "_written")

    def __init__(self, function: Callable[..., U], sources: tuple[AVal[Any], ...]) -> None:
        super().__init__(lambda: function(*[source.value for source in sources]))
        self._sources = sources
        self._written = function

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if self._seen is None and index < len(self._sources):
            return self._sources[index], READY  # before, so that chains do not recurse
        return super()._dependency(index)

    def _place(self) -> str:
        return place_of(self._written)


class Join(Computed[U]):
    """The value of a chosen value; what the user wrote is the choice, and counted there."""

    __slots__ = ("_chosen", "_written")
    _counts = 0

    def __init__(self, chosen: AVal[Any], written: Callable[..., object]) -> None:
        super().__init__(lambda: chosen_by(chosen.value, written).value)
        self._chosen = chosen
        self._written = written

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        if self._seen is None:
            return self._chosen, UNSET  # brought up to date before, so that chains do not recurse
        return super()._dependency(index)

    def _place(self) -> str:
        return place_of(self._written)


def adopt(function: Callable[[], U], value: U, reads: Iterable[Node]) -> Computed[U]:
    """Return a computed value whose function has just run, and read `reads`, elsewhere."""
    node = Computed(function)
    node._value = value
    node._inputs = tuple(reads)
    node._seen = tuple([read._peek() for read in node._inputs])
    node._state = CLEAN
    rewire(node, (), node._inputs)
    return node


@overload
def amap(function: Callable[[A], U], a: AVal[A], /) -> AVal[U]: ...
@overload
def amap(function: Callable[[A, B], U], a: AVal[A], b: AVal[B], /) -> AVal[U]: ...
@overload
def amap(function: Callable[[A, B, C], U], a: AVal[A], b: AVal[B], c: AVal[C], /) -> AVal[U]: ...
@overload
def amap(function: Callable[..., U], /, *values: AVal[Any]) -> AVal[U]: ...
def amap(function: Callable[..., U], /, *values: AVal[Any]) -> AVal[U]:
    """Return the value of `function` applied to several values; computed when asked, and kept.

    It runs again only if one of them is not the same as before. Constants are not watched; if all
    are, the function runs at once and the result is constant.

    Raises
    ------
    TypeError
        One is no adaptive value.

    Examples
    --------
    >>> width, height = cval(2), cval(3)
    >>> area = amap(lambda w, h: w * h, width, height)
    >>> area.value
    6
    """
    for value in values:
        if not isinstance(value, AVal):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                explain(
                    f"a {type(value).__name__} is not an adaptive value",
                    facts={"given": f"{value!r:.60}"},
                    fix="Write amap(function, hs.constant(value), ...), or use it in the function.",
                )
            )
    changing = [index for index, value in enumerate(values) if not value.is_constant]
    if len(changing) > 1:
        return Joint(function, values)
    given = [value.force() if value.is_constant else None for value in values]
    if not changing:
        return Constant(None).map(_filled(function, given, None))
    return values[changing[0]].map(_filled(function, given, changing[0]))


def _filled(function: Callable[..., U], given: list[Any], place: int | None) -> Callable[[Any], U]:
    """Return `function` as one of the argument at `place`; the others are as given."""

    def call(value: Any) -> U:
        arguments = given.copy()
        if place is not None:
            arguments[place] = value
        return function(*arguments)

    call.__wrapped__ = function  # pyright: ignore[reportFunctionMemberAccess] (for errors)
    return call


def cval(value: T, name: str | None = None) -> CVal[T]:
    """Return a value that you can change; errors call it by its `name`.

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
    return CVal(value) if name is None else NamedCVal(value, name)


def constant(value: T) -> AVal[T]:
    """Return `value` as an adaptive value that never changes; an array is copied."""
    return Constant(value)


def computed(function: Callable[[], T]) -> AVal[T]:
    """Return the value of `function`, which reads others by ``.value``; usable as a decorator.

    It runs when the value is asked for, and again only after something that it read has changed.
    """
    return Computed(function)


def check_write(target: object) -> None:
    """Raise if `target`, an adaptive value or something made of them, may not be changed now.

    Raises
    ------
    AdaptiveError
        While a value is being computed, or in another thread than the owner.
    """
    is_value = isinstance(target, Node)
    subject = "an adaptive value" if is_value else f"a {type(target).__name__}"
    done = "written" if is_value else "changed"
    check_thread(done, target, subject)
    if graph.running is not None:
        while_ = "another one" if is_value else "an adaptive value"
        raise AdaptiveError(
            explain(
                f"{subject} is {done} while {while_} is being computed",
                facts={done: target, "computed": graph.running._place()},
                fix="Return the new value from the function, or write it later:\n"
                "hs.post(lambda: ...)   # runs when the next frame starts",
            )
        )


def chosen_by(chosen: object, function: Callable[..., object], given_to: str = "bind") -> AVal[Any]:
    """Return what a function has chosen, if it is an adaptive value."""
    if isinstance(chosen, AVal):
        return cast("AVal[Any]", chosen)
    raise AdaptiveError(
        explain(
            f"the function given to {given_to} has to return an adaptive value",
            facts={"function": place_of(function), "returned": type(chosen).__name__},
            fix="Use .map(...) for a function that returns plain values.",
        )
    )


def _short(value: object) -> str:
    if isinstance(value, AVal):  # it may lead back here
        return f"{type(value).__name__}(...)"
    return brief(value)
