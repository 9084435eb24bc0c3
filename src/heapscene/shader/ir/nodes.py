"""The nodes of the typed IR: frozen values, each with its type and where it came from.

Only :mod:`heapscene.shader.ir.build` makes them, since its constructors check types. Locals are
identified by number; their names matter to readers only. Callees are held by reference, so a
function is a complete value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from heapscene.shader.types import StructType, Type

__all__ = [
    "Assign",
    "Binary",
    "Bitcast",
    "Break",
    "Call",
    "Construct",
    "Continue",
    "Convert",
    "Declare",
    "Discard",
    "EntryPoint",
    "Evaluate",
    "Expr",
    "Field",
    "For",
    "Function",
    "Global",
    "If",
    "Index",
    "Intrinsic",
    "Literal",
    "Local",
    "Module",
    "Port",
    "Read",
    "Resource",
    "Return",
    "Span",
    "Stmt",
    "Swizzle",
    "Unary",
    "While",
]


class Span(NamedTuple):
    """A range of source text: lines from 1, columns from 0 in UTF-8 bytes, as in ``ast``.

    A tuple, since every node has one: it is made in a third of the time of a frozen dataclass, and
    the cyclic collector walks none.
    """

    filename: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter or local variable of one function. ``mutable`` is WGSL's ``var``."""

    number: int
    name: str
    type: Type
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class Resource:
    """A module-scope variable.

    Attributes
    ----------
    space
        ``storage``, ``uniform``, ``workgroup`` or ``private``; ``handle`` for textures and samplers;
        ``input`` for the value of a captured adaptive value, which entry points fill and functions
        only read.
    access
        ``read`` or ``read_write``.
    source
        The adaptive value behind an ``input``, or those behind the members of a ``uniform``; name
        and type are the identity.
    """

    name: str
    type: Type
    space: str = "storage"
    access: str = "read"
    group: int = 0
    binding: int = 0
    source: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of expressions."""

    type: Type
    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A scalar. ``abstract`` marks a Python integer that takes the type its neighbours want."""

    value: bool | int | float
    abstract: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Read(Expr):
    """The value of a local."""

    local: Local


@dataclass(frozen=True, slots=True)
class Global(Expr):
    """A resource, as a value or as the root of a place."""

    resource: Resource


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """``-``, ``~`` or ``!``."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """An operator of :data:`heapscene.shader.operations.BINARY`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Intrinsic(Expr):
    """A function of :data:`heapscene.shader.operations.INTRINSICS`.

    Where its table entry says ``place``, the first argument is not a value but what is worked on:
    an atomic (:class:`Index` or :class:`Field` down from a :class:`Global`) or a whole resource.
    Operands are evaluated from left to right. An entry with an ``effect`` must be neither dropped,
    repeated nor moved past another effect.
    """

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Construct(Expr):
    """A vector, matrix (by columns), array or struct from its parts; the zero value without any."""

    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Convert(Expr):
    """The same number in another scalar type, component by component."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Bitcast(Expr):
    """The same bits in another type."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Swizzle(Expr):
    """One to four components of a vector, as letters of ``xyzw``."""

    value: Expr
    letters: str


@dataclass(frozen=True, slots=True)
class Field(Expr):
    """A member of a struct."""

    value: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index(Expr):
    """An element of an array or vector, or a column of a matrix."""

    value: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A call of another IR function."""

    function: Function
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Stmt:
    """Base of statements."""

    span: Span | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Declare(Stmt):
    """A local begins here; without a value it starts at zero."""

    local: Local
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    """Write to a mutable local, or to an element or member of a writable resource."""

    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class If(Stmt):
    """Two blocks, the second may be empty."""

    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class While(Stmt):
    """Repeat while the condition holds."""

    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class For(Stmt):
    """``for local in range(start, stop, step)``; bounds are evaluated once."""

    local: Local
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Break(Stmt):
    """Leave the innermost loop."""


@dataclass(frozen=True, slots=True)
class Continue(Stmt):
    """Next round of the innermost loop."""


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    """Leave the function."""

    value: Expr | None


@dataclass(frozen=True, slots=True)
class Discard(Stmt):
    """Drop the fragment. Control does not go on after it."""


@dataclass(frozen=True, slots=True)
class Evaluate(Stmt):
    """A call for its effect: a function or a barrier."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Function:
    """A function. Two functions with equal content have equal hashes, whatever their names.

    Attributes
    ----------
    wgsl
        The text between the braces, for a function whose ``body`` is empty because WGSL itself was
        given: values in, a value out, nothing else touched. Its parameters keep their names.
    twin
        The Python function that says what ``wgsl`` computes; called with values of the language.
    parts, digest
        What the body is made of and the identity, kept by :mod:`.visit` and :mod:`.hash` at the
        first use. They follow from the rest.
    """

    name: str
    parameters: tuple[Local, ...]
    returns: Type
    body: tuple[Stmt, ...]
    span: Span | None = field(default=None, compare=False)
    wgsl: str | None = None
    twin: Any = field(default=None, compare=False, repr=False)
    parts: Parts | None = field(default=None, init=False, compare=False, repr=False)
    digest: str | None = field(default=None, init=False, compare=False, repr=False)


class Parts(NamedTuple):
    """What the body of a function is made of.

    Attributes
    ----------
    nodes
        All nodes, parents first.
    callees, resources
        What they call and name, in order of first use.
    """

    nodes: tuple[Any, ...]
    callees: tuple[Function, ...]
    resources: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Port:
    """A value that enters or leaves an entry point: a builtin, or a numbered location."""

    local: Local
    builtin: str | None = None
    location: int | None = None
    interpolate: str | None = None


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """What a pipeline starts.

    Attributes
    ----------
    stage
        ``vertex``, ``fragment`` or ``compute``.
    inputs
        Parameters of the entry function, in its order.
    function
        Its ``parameters`` are the locals of ``inputs``; it returns ``void`` or a struct.
    locations
        Location of each member of the returned struct that is not a builtin.
    """

    stage: str
    function: Function
    inputs: tuple[Port, ...] = ()
    locations: tuple[tuple[str, int], ...] = ()
    workgroup_size: tuple[int, int, int] = (1, 1, 1)

    @property
    def name(self) -> str:
        """The name that a pipeline gives."""
        return self.function.name

    @property
    def result(self) -> StructType | None:
        """The struct that the entry point returns."""
        returns = self.function.returns
        return returns if isinstance(returns, StructType) else None


@dataclass(frozen=True, slots=True)
class Module:
    """Entry points; functions, structs and resources are those that they reach."""

    entries: tuple[EntryPoint, ...]
