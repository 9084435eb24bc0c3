"""The graph itself: weak edges, marking, and bringing nodes up to date.

Edges point from what is read to what has read it and are weak in that direction; a node holds
strongly what it read. Edges stay until the reader is evaluated again without reading that input, so
that marking only sets flags. Both marking and pulling use explicit stacks: no chain is too long.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterable
from threading import get_ident
from typing import Any, ClassVar, Protocol, TypeAlias
from weakref import ref

from heapscene.adaptive.equality import same
from heapscene.adaptive.unique import Unique
from heapscene.errors import AdaptiveError, explain

__all__ = [
    "CLEAN",
    "DIRTY",
    "FAILED",
    "READY",
    "RUN",
    "RUNNING",
    "UNSET",
    "Derived",
    "Edge",
    "Node",
    "adopt_thread",
    "check_thread",
    "claim_thread",
    "evaluations",
    "graph",
    "live_nodes",
    "mark",
    "place_of",
    "rewire",
    "track",
]

CLEAN, DIRTY, FAILED, RUNNING = range(4)
"""States of a derived node; a failed one is out of date, but passes marks on."""


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""Stands for a value that is not there yet."""

READY: Any = object()
"""As the value seen of a dependency: bring it up to date, then go on to the next one."""

_PASSING = frozenset({CLEAN, FAILED})
_FEW = 8
_DEEP = 20


class Listener(Protocol):
    """What an edge may lead to besides a derived node: a sink's entry or a callback."""

    def mark(self) -> None: ...
    def alive(self) -> bool: ...


class Many(dict["Edge", None]):
    """Edges of a node that many others have read; swept when it has doubled."""

    __slots__ = ("limit",)
    limit: int


Edge: TypeAlias = "ref[Derived] | Listener"
Outputs: TypeAlias = "Edge | list[Edge] | Many | None"


class Graph:
    """What is going on in the one graph of this process."""

    __slots__ = ("depth", "evaluations", "failures", "owner", "reads", "running")

    def __init__(self) -> None:
        self.reads: dict[Node, None] | None = None
        self.running: Derived | None = None
        self.failures: dict[Derived, Exception] = {}
        self.depth = 0
        self.evaluations = 0
        self.owner = 0


graph = Graph()
_handing_over = threading.Lock()


class Node(Unique):
    """Something that can be read, and that knows who has read it."""

    __slots__ = ("__weakref__", "_outputs")
    _outputs: Outputs

    is_constant: ClassVar[bool] = False
    """Whether the value can never change, so that nobody has to watch it."""

    def _peek(self) -> Any:
        """Return the value as it was last computed, without computing."""
        raise NotImplementedError

    def _subscribe(self, edge: Edge) -> None:
        outputs = self._outputs
        if outputs is None:
            self._outputs = edge
        elif isinstance(outputs, Many):
            outputs[edge] = None
            if len(outputs) > outputs.limit:
                self._outputs = _many(_living(outputs))
        elif isinstance(outputs, list):
            outputs.append(edge)
            if len(outputs) > _FEW:
                living = _living(outputs)
                self._outputs = living if len(living) < _FEW else _many(living)
        else:
            self._outputs = [outputs, edge] if _lives(outputs) else edge

    def _unsubscribe(self, edge: Edge) -> None:
        outputs = self._outputs
        if outputs is edge:
            self._outputs = None
        elif isinstance(outputs, Many):
            outputs.pop(edge, None)
            if not outputs:
                self._outputs = None
        elif isinstance(outputs, list):
            rest = [other for other in outputs if other is not edge]
            self._outputs = rest if len(rest) > 1 else rest[0] if rest else None


def _many(edges: list[Edge]) -> Many:
    many = Many((edge, None) for edge in edges)
    many.limit = max(2 * _FEW, 2 * len(many))
    return many


def _lives(edge: Edge) -> bool:
    return edge() is not None if type(edge) is ref else edge.alive()  # pyright: ignore[reportAttributeAccessIssue]


def _living(edges: Iterable[Edge]) -> list[Edge]:
    return [edge for edge in edges if _lives(edge)]


RUN: tuple[Node, Any] = (Node(), UNSET)
"""What :meth:`Derived._dependency` returns where the function has to run in any case."""


class Derived(Node):
    """A node whose value comes from others, computed when somebody asks."""

    __slots__ = ("_state", "_value")
    _state: int
    _value: Any

    def _dependency(self, index: int) -> tuple[Node, Any] | None:
        """Return the index-th input of the last evaluation with the value seen, None past the end.

        The value is UNSET where the function has to run whatever the input is, as in RUN, and READY
        where the input has to be up to date first and decides nothing.
        """
        raise NotImplementedError

    def _run(self) -> None:
        """Compute; leave the state CLEAN, or FAILED with the exception raised."""
        raise NotImplementedError

    def _peek(self) -> Any:
        return self._value if self._state == CLEAN else UNSET

    def _place(self) -> str:
        """Say where the function that computes this node was written."""
        raise NotImplementedError

    def _reads(self) -> Iterable[Node]:
        """Return what this node has read, also when it failed."""
        raise NotImplementedError

    def _update(self) -> None:
        """Bring this node and all that it reads up to date.

        What a node has read last time is checked in the order of reading, up to the first change:
        the function would read that much again. So nothing runs that the new value does not need.
        """
        _enter(self)
        stack: list[Derived] = [self]
        positions = [0]
        failures = graph.failures
        graph.depth += 1
        try:
            while stack:
                node = stack[-1]
                if node._state == CLEAN or node in failures:
                    stack.pop()
                    positions.pop()
                    continue
                found = node._dependency(positions[-1])
                if found is None:
                    changed = False
                else:
                    on, seen = found
                    if isinstance(on, Derived) and on._state != CLEAN:
                        if on._state != RUNNING and on not in failures:
                            stack.append(on)
                            positions.append(0)
                            continue
                        changed = True
                    else:
                        changed = seen is UNSET or (
                            seen is not READY and not same(on._peek(), seen)
                        )
                if changed:
                    _run(node)
                elif found is None:
                    node._state = CLEAN
                else:
                    positions[-1] += 1
            failure = failures.get(self)
        except BaseException:
            for node in stack:
                if node._state == DIRTY:
                    node._state = FAILED
            raise
        finally:
            graph.depth -= 1
            if not graph.depth:
                failures.clear()
        if failure is not None:
            try:
                raise failure
            finally:
                del failure


def _enter(node: Derived) -> None:
    if get_ident() != graph.owner:
        check_thread("evaluated", node._place())
    if node._state == RUNNING:
        raise AdaptiveError(
            explain(
                "a value depends on itself",
                facts={"value": node._place()},
                fix="Break the cycle: read one of its inputs with .force().",
            )
        )


def _run(node: Derived) -> None:
    try:
        node._run()
    except RecursionError as error:
        graph.failures[node] = _too_deep(node, error) if graph.depth > _DEEP else error
    except Exception as error:  # noqa: BLE001 (raised again where the pull began)
        graph.failures[node] = error


def _too_deep(node: Derived, error: RecursionError) -> AdaptiveError:
    failure = AdaptiveError(
        explain(
            "functions of too many computed values run inside one another",
            facts={"value": node._place(), "levels": graph.depth},
            fix="Derive long chains by a.map(f) or amap(f, a, b), which need no stack, or read the\n"
            "first half of a chain before the rest: what is up to date does not run.",
        )
    )
    failure.__cause__ = error.with_traceback(None)
    return failure


def track(node: Node) -> None:
    """Note that the running evaluation reads `node`."""
    reads = graph.reads
    if reads is not None and not node.is_constant and get_ident() == graph.owner:
        reads[node] = None


def rewire(node: Derived, old: Iterable[Node], new: Iterable[Node]) -> None:
    """Replace the edges from `old` to `node` by edges from `new`."""
    edge = ref(node)
    kept = set(new)
    before = set(old)
    for source in before - kept:
        source._unsubscribe(edge)
    for source in new:
        if source not in before:
            source._subscribe(edge)


def mark(outputs: Outputs) -> None:
    """Mark everything that was computed from the node that has these outputs as out of date."""
    if outputs is None:
        return
    kind = type(outputs)
    if kind is not ref and kind is not list and kind is not Many:
        outputs.mark()  # pyright: ignore[reportAttributeAccessIssue]
        return
    queue: list[Any] = [outputs]
    for some in queue:  # grows while it is walked
        kind = type(some)
        edges: Any = some if kind is list else (some,)
        if kind is Many:
            edges = list(some)  # the collector may end watches meanwhile
        for edge in edges:
            if type(edge) is ref:
                node = edge()
                if node is not None and node._state in _PASSING:
                    node._state = DIRTY
                    if node._outputs is not None:
                        queue.append(node._outputs)
            else:
                edge.mark()


def live_nodes() -> int:
    """Return how many values and sets are alive; slow, for tests and reports of leaks."""
    gc.collect()  # what only a cycle keeps is not alive
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def evaluations() -> int:
    """Return how many functions of users ran since the process began; it only grows."""
    return graph.evaluations


def claim_thread() -> None:
    """Make the calling thread the owner, if there is none."""
    if not graph.owner:
        _own()


def _own() -> None:
    threading.current_thread()  # lists a thread that was not made by threading, too
    graph.owner = get_ident()


def adopt_thread() -> None:
    """Make the calling thread the one that may write and evaluate adaptive values.

    At first that is the thread that made the first of them; when it has ended, the next one that
    writes or evaluates takes over. Call this in a thread that takes over before, while no evaluation runs.
    """
    if graph.running is not None:
        raise AdaptiveError(
            explain(
                "the owner thread changes while a value is being computed",
                facts={"computed": graph.running._place()},
                fix="Call hs.adopt_thread() outside of functions given to map, bind and computed.",
            )
        )
    _own()


def check_thread(done: str, what: object = None, subject: str = "an adaptive value") -> None:
    """Raise unless the calling thread owns the graph."""
    if get_ident() == graph.owner:
        return
    if not graph.owner:
        claim_thread()
        return
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    with _handing_over:
        if graph.owner not in names and graph.running is None:
            _own()  # it has ended: whoever comes next takes over
    if get_ident() == graph.owner:
        return
    facts: dict[str, object] = {} if what is None else {"value": what}
    facts["owner"] = names.get(graph.owner, "a thread that is not known")
    facts["this thread"] = threading.current_thread().name
    raise AdaptiveError(
        explain(
            f"{subject} is {done} outside of the thread that owns the values",
            facts=facts,
            fix="hs.post(lambda: ...)   # runs in the owner thread, when the next frame starts\n"
            "hs.adopt_thread()        # or make this thread the owner",
        )
    )


def place_of(function: Any) -> str:
    """Say what a function is called and where it was written."""
    while inner := getattr(function, "__wrapped__", None) or getattr(function, "func", None):
        function = inner
    function = getattr(function, "__func__", function)
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    code = getattr(function, "__code__", None)
    return f"{name}, {code.co_filename}:{code.co_firstlineno}" if code is not None else name
