"""What all parts of the front-end share: spans, faults, captured values."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapscene.adaptive import AVal
from heapscene.errors import ShaderError, ShaderNameError
from heapscene.shader import lang
from heapscene.shader.advice import advice
from heapscene.shader.desugar import static_names
from heapscene.shader.diagnostics import Diagnostic, Refusal
from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.body import FunctionBuilder
from heapscene.shader.ir.nodes import Expr, Function, Local, Resource, Span
from heapscene.shader.ir.visit import walk
from heapscene.shader.operations import INTRINSICS
from heapscene.shader.types import (
    ArrayType,
    AtomicType,
    SamplerType,
    StorageTextureType,
    StructType,
    TextureType,
    Type,
)

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["Fault", "Lowering", "Static"]


@dataclass(frozen=True, slots=True)
class Static:
    """An object of the surrounding Python code, not yet a value of the shader."""

    value: Any
    name: str


class Fault(Exception):
    """The statement cannot be compiled; ``diagnostics`` is empty if that was reported before."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__()
        self.diagnostics = diagnostics


class Lowering:
    """State of one function while it is compiled."""

    def __init__(
        self, function: ShaderFunction[..., Any], stack: tuple[ShaderFunction[..., Any], ...]
    ) -> None:
        self.function = function
        self._filename = function.source.filename
        self.stack = (*stack, function)
        self.diagnostics: list[Diagnostic] = []
        self.builder: FunctionBuilder
        self.locals: dict[str, Local] = {}
        self.assigned: set[str] = set()
        self.poisoned: set[str] = set()
        self.static_names = static_names(function.source)
        self.unrolled: dict[str, Static] = {}  # variables of loops that are unrolled
        self.origins: dict[str, ast.expr] = {}  # first assignments

    def span(self, node: ast.AST) -> Span:
        """Return where a syntax node is."""
        place: Any = node
        return Span(
            self._filename,
            place.lineno,
            place.col_offset,
            place.end_lineno or place.lineno,
            place.end_col_offset or place.col_offset + 1,
        )

    def fault(
        self,
        node: ast.AST,
        what: str,
        *,
        kind: str = "type",
        facts: Mapping[str, object] | None = None,
        fix: str = "",
    ) -> Fault:
        """Return the exception for a fault at ``node``."""
        labelled = self._labelled(node, facts or {})
        return Fault(Diagnostic(kind, what, self.span(node), self.function.name, labelled, fix))

    def _labelled(self, node: ast.AST, facts: Mapping[str, object]) -> dict[str, object]:
        """Put the text of operands before their types, and the line where a name was assigned."""
        operands: dict[str, ast.expr] = {}
        match node:
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                operands = {"left": left, "right": right}
            case ast.AugAssign(target=left, value=right):
                operands = {"left": left, "right": right}
            case ast.UnaryOp(operand=operand):
                operands = {"operand": operand}
            case _:
                pass
        labelled = dict(facts)
        for label, operand in operands.items():
            if label in labelled:
                text = _short(ast.unparse(operand))
                origin = self.origins.get(operand.id) if isinstance(operand, ast.Name) else None
                line = f"   (line {origin.lineno})" if origin is not None else ""
                labelled[label] = f"{text} : {labelled[label]}{line}"
        return labelled

    def at(self, node: ast.AST) -> _Place:
        """Give the refusals of smart constructors a place."""
        return _Place(self, node)

    def temporary(self, name: str, value: Expr) -> Expr:
        """Return the value, named so that it is evaluated once."""
        if is_simple(value):
            return value
        return build.expression(self.builder.let(name, value))

    def resolve(self, node: ast.Name) -> Static:
        """Return the captured object of that name."""
        try:
            return Static(self.function.source.resolve(node.id, [*self.locals]), node.id)
        except ShaderError as error:
            first, *rest = str(error).split("\n")
            similar = [line.split("similar", 1)[1].strip() for line in rest if "similar" in line]
            raise self.fault(
                node,
                first,
                kind="name",
                facts={"similar": similar[0]} if similar else {},
                fix=advice(node.id),
            ) from error

    def outside(self, name: str) -> str | None:
        """Return what a name means outside of the function, as text, or ``None``."""
        try:
            found = self.function.source.resolve(name)
        except ShaderError:
            return None
        called = getattr(found, "__name__", None)
        word = "class" if isinstance(found, type) else "function"
        return _short(found) if called is None else f"{word} {called}"

    def type_at(self, node: ast.expr, annotation: object, *, result: bool = False) -> Type:
        """Return the type that an annotation stands for; ``node`` is the annotation.

        A ``result`` may be a tuple of types.

        Raises
        ------
        Fault
            It is no type.
        """
        try:
            read = lang.result_type if result else lang.type_of
            return read(self.function.source.evaluate(annotation), _WHERE)
        except ShaderError as error:
            what, *rest = str(error).removeprefix(f"{_WHERE}: ").split("\n")
            similar = [line.split("similar", 1)[1].strip() for line in rest if "similar" in line]
            raise self.fault(
                node,
                what,
                kind="name" if isinstance(error, ShaderNameError) else "type",
                facts={"similar": similar[0]} if similar else {},
                fix=rest[-1] if rest else "",
            ) from error

    def constant(self, static: Static, node: ast.AST) -> Expr:
        """Return a captured object as a value of the shader: a constant, or a resource."""
        if isinstance(static.value, AVal):
            return self._adaptive(static, node)
        with self.at(node) as span:
            made = _constant(static.value, span)
        if made is not None:
            return made
        value = static.value
        if hasattr(value, "stage") and hasattr(value, "source"):
            raise self.fault(
                node,
                f"{static.name!r} is a function, not a value",
                kind="name",
                fix=f"Call it: {static.name}(...).",
            )
        raise self.fault(
            node,
            f"{static.name!r} is a {type(value).__name__}, which a shader cannot use",
            kind="name",
            facts={"value": _short(value)},
            fix="Capture numbers, bools, vectors, matrices, enums, resources or shader functions.",
        )

    def _adaptive(self, static: Static, node: ast.AST) -> Expr:
        """Return a captured adaptive value: an input of the program, by the name it has here."""
        value: Any = static.value.force()
        span = self.span(node)
        made = _constant(value, span)
        name = static.name.rpartition(".")[2]
        if made is None or isinstance(made, nodes.Global) or not name.isidentifier():
            raise self.fault(
                node,
                f"{static.name!r} is an adaptive value of a {type(value).__name__}, "
                "which a shader cannot use",
                kind="name",
                facts={"value": _short(value)},
                fix=_better_value(value),
            )
        resource = Resource(name, made.type, "input", source=static.value)
        return nodes.Global(made.type, resource, span=span)


class _Place:
    """Where smart constructors work. A class, since one is made for nearly every expression."""

    __slots__ = ("_lowering", "_node")

    def __init__(self, lowering: Lowering, node: ast.AST) -> None:
        self._lowering = lowering
        self._node = node

    def __enter__(self) -> Span:
        return self._lowering.span(self._node)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Refusal):
            fault = self._lowering.fault(self._node, error.what, facts=error.facts, fix=error.fix)
            raise fault from error


_WHERE = "annotation"


def _better_value(value: object) -> str:
    """Return how to write an adaptive value that a shader can read."""
    if isinstance(value, tuple | list):
        numbers: Sequence[object] = value
        if 2 <= len(numbers) <= 4 and all(type(x) in (int, float) for x in numbers):
            text = ", ".join(f"{x:g}" for x in numbers)
            return f"Write cval(vec{len(numbers)}({text}))."
    return "Let it hold a number, a bool, a vector or a matrix, and give it a name."


def _short(value: object) -> str:
    text = (value if isinstance(value, str) else repr(value)).split("\n")[0]
    return text if len(text) <= 60 else text[:57] + "..."


def is_simple(value: Expr) -> bool:
    """Tell whether a value may be written twice: a literal or a local that never changes."""
    return isinstance(value, nodes.Literal) or (
        isinstance(value, nodes.Read) and not value.local.mutable
    )


def _constant(given: Any, span: Span | None) -> Expr | None:
    value = lang.captured(given)
    if isinstance(value, lang.Resource):
        resource = Resource(
            value.name, value.type, value.space, value.access, value.group or 0, value.binding or 0
        )
        return nodes.Global(resource.type, resource, span=span)
    if isinstance(value, lang.Handle):
        handle = Resource(value.name, value.type, "handle", "read", value.group, value.binding)
        return nodes.Global(handle.type, handle, span=span)
    if isinstance(value, bool):
        return build.literal(value, span=span)
    if isinstance(value, lang.AbstractInt):
        return build.literal(int(value), span=span)
    type_ = getattr(type(value), "__shader_type__", None)
    if isinstance(value, int | float) and type_ is not None:
        plain = float(value) if isinstance(value, float) else int(value)
        return build.literal(plain, type_, span=span)
    if isinstance(value, lang.VectorValue | lang.MatrixValue):
        parts = [_constant(part, span) for part in value]
        made = [part for part in parts if part is not None]
        return build.construct(type(value).__shader_type__, *made, span=span)
    if isinstance(type_, StructType):
        members = {m.name: _constant(getattr(value, m.name), span) for m in type_.fields}
        if all(member is not None for member in members.values()):
            return build.struct(
                type_, {k: v for k, v in members.items() if v is not None}, span=span
            )
    return None


def default_value(given: Any, span: Span | None) -> Expr | None:
    """Return the default of a field or parameter as a value, or ``None`` if there is none."""
    if given is None or isinstance(given, lang.Builtin | lang.Interpolation):
        return None
    return _constant(given, span)


def is_whole_array(value: Expr) -> bool:
    """Tell whether an expression is an array itself, not an element."""
    return isinstance(value.type, ArrayType)


def holds_atomic(type_: Type) -> bool:
    """Tell whether a type is an atomic or a struct with one."""
    if isinstance(type_, StructType):
        return any(holds_atomic(member.type) for member in type_.fields)
    return isinstance(type_, AtomicType)


_FIXED = ("uniform", "handle", "input")


def is_handle(type_: Type) -> bool:
    """Tell whether a type is that of a texture or sampler."""
    return isinstance(type_, TextureType | StorageTextureType | SamplerType)


def is_stable(value: Expr) -> bool:
    """Tell whether a value stays the same while the rest of its expression is evaluated."""
    for node in walk(value):
        if isinstance(node, nodes.Call):
            return False
        if isinstance(node, nodes.Intrinsic) and INTRINSICS[node.name].reads:
            return False
        if isinstance(node, nodes.Global) and node.resource.space not in _FIXED:
            resource = node.resource
            if resource.space in ("workgroup", "private") or resource.access != "read":
                return False
    return True


def as_function(value: Any) -> Function:
    """Narrow the result of lowering."""
    assert isinstance(value, Function)
    return value
