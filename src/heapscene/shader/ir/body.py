"""Functions made statement by statement.

>>> from heapscene.shader.types import U32
>>> body = FunctionBuilder("add_up", returns=U32)
>>> n = body.parameter("n", U32)
>>> total = body.var("total", U32)
>>> with body.for_range("k", 0, n) as k:
...     body.assign(total, binary("+", total, k))
>>> body.return_(total)
>>> function = body.done()
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from heapscene.shader.diagnostics import Refusal
from heapscene.shader.ir import nodes
from heapscene.shader.ir.build import Operand, binary, expression, matched
from heapscene.shader.ir.nodes import Expr, Function, Local, Resource, Span, Stmt
from heapscene.shader.ir.visit import walk
from heapscene.shader.operations import spelled
from heapscene.shader.types import BOOL, I32, U32, VOID, Type

__all__ = ["FunctionBuilder", "binary"]


class FunctionBuilder:
    """Collects parameters and statements; blocks are ``with`` blocks.

    Parameters
    ----------
    name
        Name in the WGSL text, made unique where it is taken.
    returns
        Type of the result.
    """

    def __init__(self, name: str, returns: Type = VOID, *, span: Span | None = None) -> None:
        self.name = name
        self.returns = returns
        self._span = span
        self._parameters: list[Local] = []
        self._count = 0
        self._blocks: list[list[Stmt]] = [[]]
        self._loops = 0

    def _local(self, name: str, type_: Type, mutable: bool) -> Local:
        self._count += 1
        return Local(self._count - 1, name, type_, mutable)

    def start_after(self, function: Function) -> None:
        """Number locals behind those of a function, whose statements are to follow."""
        numbers = [local.number for local in function.parameters]
        declared = (n for n in walk(function) if isinstance(n, nodes.Declare | nodes.For))
        numbers.extend(node.local.number for node in declared)
        self._count = 1 + max(numbers, default=-1)

    @property
    def blocks(self) -> list[list[Stmt]]:
        """The open blocks, outermost first."""
        return self._blocks

    def append(self, statement: Stmt) -> None:
        """Add a statement to the innermost open block."""
        self._blocks[-1].append(statement)

    def parameter(self, name: str, type_: Type) -> Local:
        """Add a parameter."""
        local = self._local(name, type_, mutable=False)
        self._parameters.append(local)
        return local

    def let(self, name: str, value: Operand, *, span: Span | None = None) -> Local:
        """Name a value that never changes."""
        made = expression(value)
        local = self._local(name, made.type, mutable=False)
        self.append(nodes.Declare(local, made, span=span))
        return local

    def var(
        self, name: str, type_: Type, value: Operand | None = None, *, span: Span | None = None
    ) -> Local:
        """Declare a variable; without a value it starts at zero."""
        local = self._local(name, type_, mutable=True)
        self.append(nodes.Declare(local, self._fitting(value, type_, name), span=span))
        return local

    def declare_at(self, depth: int, name: str, type_: Type) -> Local:
        """Declare a variable in open block ``depth``, before the statement being built."""
        local = self._local(name, type_, mutable=True)
        self._blocks[depth].append(nodes.Declare(local, None))
        return local

    def _fitting(self, value: Operand | None, type_: Type, name: str) -> Expr | None:
        if value is None:
            return None
        made = matched(value, type_)
        if made.type != type_:
            raise Refusal(
                f"{name!r} is {spelled(type_)}, not {spelled(made.type)}",
                {"wanted": spelled(type_), "found": spelled(made.type)},
                f"Convert the value: {spelled(type_)}(...).",
            )
        return made

    def assign(self, local: Local, value: Operand, *, span: Span | None = None) -> None:
        """Write to a variable.

        Raises
        ------
        Refusal
            The local was made by ``let``, or has another type.
        """
        if not local.mutable:
            raise Refusal(f"{local.name!r} cannot be assigned again", fix="Declare it with var.")
        made = self._fitting(value, local.type, local.name)
        assert made is not None
        self.append(nodes.Assign(nodes.Read(local.type, local), made, span=span))

    def store(self, place: Expr, value: Operand, *, span: Span | None = None) -> None:
        """Write to an element or member of a writable resource.

        Raises
        ------
        Refusal
            The resource is read-only, or the types differ.
        """
        root = place
        while isinstance(root, nodes.Index | nodes.Field | nodes.Swizzle):
            root = root.value
        if not isinstance(root, nodes.Global):
            raise Refusal("only elements of storage, workgroup and private variables are written")
        resource = root.resource
        if resource.space in ("uniform", "input", "handle") or (
            resource.space == "storage" and resource.access == "read"
        ):
            raise Refusal(
                f"{resource.name!r} is read-only",
                {"space": resource.space, "access": resource.access},
                "Assign its value outside of shaders."
                if resource.space == "input"
                else f"Declare {resource.name} with access read_write.",
            )
        made = self._fitting(value, place.type, resource.name)
        assert made is not None
        self.append(nodes.Assign(place, made, span=span))

    def fill(self, resource: Resource, value: Operand) -> None:
        """Give the value of a captured adaptive value, in an entry point."""
        place = expression(resource)
        made = self._fitting(value, place.type, resource.name)
        assert made is not None
        self.append(nodes.Assign(place, made))

    @contextmanager
    def block(self) -> Generator[list[Stmt], None, None]:
        """Collect statements into a list that the caller places."""
        statements: list[Stmt] = []
        self._blocks.append(statements)
        try:
            yield statements
        finally:
            self._blocks.pop()

    @contextmanager
    def if_(self, condition: Operand, *, span: Span | None = None) -> Generator[None, None, None]:
        """Run the block if the condition holds."""
        made = _condition(condition)
        with self.block() as then:
            yield
        self.append(nodes.If(made, tuple(then), (), span=span))

    @contextmanager
    def else_(self) -> Generator[None, None, None]:
        """Run the block if the condition of the ``if_`` just before does not hold."""
        last = self._blocks[-1].pop() if self._blocks[-1] else None
        if not isinstance(last, nodes.If) or last.otherwise:
            raise Refusal("else_ follows if_")
        with self.block() as otherwise:
            yield
        self.append(nodes.If(last.condition, last.then, tuple(otherwise), span=last.span))

    @contextmanager
    def while_(
        self, condition: Operand, *, span: Span | None = None
    ) -> Generator[None, None, None]:
        """Repeat the block while the condition holds."""
        made = _condition(condition)
        with self.block() as body:
            yield
        self.append(nodes.While(made, tuple(body), span=span))

    @contextmanager
    def for_range(
        self,
        name: str,
        start: Operand,
        stop: Operand,
        step: int = 1,
        *,
        span: Span | None = None,
    ) -> Generator[Local, None, None]:
        """Repeat the block as ``for name in range(start, stop, step)`` does."""
        bounds = [expression(start), expression(stop)]
        type_: Type = U32 if any(bound.type == U32 for bound in bounds) else I32
        bounds = [matched(bound, type_) for bound in bounds]
        for bound in bounds:
            if bound.type != type_:
                raise Refusal(
                    f"the bounds of a range are i32 or u32, not {spelled(bound.type)}",
                    {"start": spelled(bounds[0].type), "stop": spelled(bounds[1].type)},
                    "Convert them: i32(x) or u32(x).",
                )
        if step == 0 or (step < 0 and type_ == U32):
            raise Refusal(
                "the step of a range is zero" if step == 0 else "a range of u32 cannot count down",
                fix="Convert the bounds: i32(x)." if step else "Write a step other than 0.",
            )
        if not isinstance(bounds[1], nodes.Literal) and not _is_fixed(bounds[1]):
            bounds[1] = expression(self.let(f"{name}_stop", bounds[1]))
        local = self._local(name, type_, mutable=False)
        with self.block() as body:
            yield local
        self.append(nodes.For(local, bounds[0], bounds[1], step, tuple(body), span=span))

    def break_(self, *, span: Span | None = None) -> None:
        """Leave the innermost loop."""
        self.append(nodes.Break(span=span))

    def continue_(self, *, span: Span | None = None) -> None:
        """Go on with the next round of the innermost loop."""
        self.append(nodes.Continue(span=span))

    def return_(self, value: Operand | None = None, *, span: Span | None = None) -> None:
        """Leave the function.

        Raises
        ------
        Refusal
            The value does not have the type that the function returns.
        """
        made = None if value is None else matched(value, self.returns)
        found = VOID if made is None else made.type
        if found != self.returns:
            raise Refusal(
                f"{self.name} returns {spelled(self.returns)}, not {spelled(found)}",
                {"declared": spelled(self.returns), "found": spelled(found)},
                f"Convert the value, or write -> {spelled(found)}."
                if made
                else f"Return a {spelled(self.returns)}.",
            )
        self.append(nodes.Return(made, span=span))

    def discard(self, *, span: Span | None = None) -> None:
        """Drop the fragment."""
        self.append(nodes.Discard(span=span))

    def evaluate(self, value: Expr, *, span: Span | None = None) -> None:
        """Call a function or barrier for its effect."""
        self.append(nodes.Evaluate(value, span=span))

    def done(self) -> Function:
        """Return the finished function."""
        return Function(
            self.name, tuple(self._parameters), self.returns, tuple(self._blocks[0]), self._span
        )


def _is_fixed(value: Expr) -> bool:
    return isinstance(value, nodes.Read) and not value.local.mutable


def _condition(condition: Operand) -> Expr:
    made = expression(condition)
    if made.type != BOOL:
        raise Refusal(
            f"a condition must be bool, not {spelled(made.type)}",
            {"condition": spelled(made.type)},
            "Write a comparison, such as x != 0.",
        )
    return made
