"""From a module of the IR to WGSL text.

The text depends on the content only: no set order, no object ids; names are the user's where WGSL
allows them.
"""

from __future__ import annotations

import re

from heapscene.shader.diagnostics import Refusal
from heapscene.shader.ir import nodes
from heapscene.shader.ir.fold import rounded
from heapscene.shader.ir.hash import function_hash, type_text
from heapscene.shader.ir.nodes import (
    EntryPoint,
    Expr,
    Function,
    Module,
    Port,
    Resource,
    Span,
    Stmt,
)
from heapscene.shader.ir.places import is_offset
from heapscene.shader.ir.visit import reachable_functions, reachable_resources, walk
from heapscene.shader.operations import BINARY, EXCHANGES, INTRINSICS, Operation, scalar_of
from heapscene.shader.passes import legal
from heapscene.shader.types import (
    BOOL,
    F32,
    U32,
    VOID,
    ArrayType,
    StructType,
    TextureType,
    Type,
)
from heapscene.shader.wgsl.names import Names, safe
from heapscene.shader.wgsl.text import WgslText

__all__ = ["emit", "float_text"]


def emit(module: Module) -> str:
    """Return the WGSL text of a module: what its entry points reach.

    Raises
    ------
    Refusal
        Two resources share a name or a binding, or a bool lies in a buffer.
    """
    return _Emitter(legal(module)).text()


def float_text(value: float) -> str:
    """Return the shortest WGSL literal that reads back as this f32."""
    text = next(t for t in (f"{value:.{n}g}" for n in range(6, 10)) if _same(t, value))
    if not any(letter in text for letter in ".e"):
        text += ".0"
    return text + "f"


def _same(text: str, value: float) -> bool:
    return rounded(float(text)) == value


class _Emitter:
    def __init__(self, module: Module) -> None:
        self.module = module
        roots = [entry.function for entry in module.entries]
        self.functions = reachable_functions(*roots)
        self.resources = reachable_resources(*roots)
        self.names = Names()
        self.entry_functions = {id(entry.function) for entry in module.entries}
        entry_names = [self.names.give(entry.name) for entry in module.entries]
        self.resource_names = {r: self.names.give(r.name) for r in self.resources}
        self.structs: dict[StructType, str] = {}
        self._collect_structs()
        self.function_names = self._name_functions()
        for entry, name in zip(module.entries, entry_names, strict=True):
            self.function_names[id(entry.function)] = name
        self.lines: list[str] = []
        self.spans: dict[int, tuple[str, Span]] = {}
        self.entries: dict[str, tuple[str, Span]] = {}

    def note(self, function: Function, span: Span | None) -> None:
        """Say that the next line comes from ``span``."""
        if span is not None:
            self.spans[len(self.lines) + 1] = (function.name, span)

    def _name_functions(self) -> dict[int, str]:
        names: dict[int, str] = {}
        by_content: dict[str, str] = {}
        kept: list[Function] = []
        for function in self.functions:
            if id(function) in self.entry_functions:
                continue
            content = function_hash(function)
            if content not in by_content:
                by_content[content] = self.names.give(function.name)
                kept.append(function)
            names[id(function)] = by_content[content]
        self.functions = kept
        return names

    # Structs ---------------------------------------------------------------------------------

    def _collect_structs(self) -> None:
        for resource in self.resources:
            self._add_struct(resource.type)
        for function in self.functions:
            for parameter in function.parameters:
                self._add_struct(parameter.type)
            self._add_struct(function.returns)
            for node in walk(function):
                if isinstance(node, nodes.Expr):
                    self._add_struct(node.type)
                elif isinstance(node, nodes.Declare):
                    self._add_struct(node.local.type)

    def _add_struct(self, type_: Type) -> None:
        if isinstance(type_, ArrayType):
            self._add_struct(type_.element)
        elif not isinstance(type_, StructType) or type_ in EXCHANGES.values():
            return
        elif type_ not in self.structs:
            for member in type_.fields:
                self._add_struct(member.type)
            name = re.sub(r"\W+", "_", type_.name).strip("_")
            self.structs[type_] = self.names.give(name)

    def type_name(self, type_: Type) -> str:
        """Return the WGSL name of a type in this module."""
        if isinstance(type_, StructType):
            return self.structs[type_]
        if isinstance(type_, ArrayType):
            length = "" if type_.length is None else f", {type_.length}"
            return f"array<{self.type_name(type_.element)}{length}>"
        return type_.wgsl

    def _emit_structs(self) -> None:
        ports = {entry.result: entry for entry in self.module.entries if entry.result is not None}
        for type_, name in self.structs.items():
            entry = ports.get(type_)
            locations = dict(entry.locations) if entry else {}
            self.lines.append(f"struct {name} {{")
            for member in type_.fields:
                attribute = ""
                if entry is not None:
                    attribute = _attribute(
                        member.type,
                        member.builtin,
                        locations.get(member.name),
                        member.interpolate if entry.stage == "vertex" else "",
                    )
                self.lines.append(
                    f"    {attribute}{safe(member.name)}: {self.type_name(member.type)},"
                )
            self.lines += ["}", ""]

    def _check_inputs(self) -> None:
        """Refuse an adaptive value that an entry point reaches and does not fill."""
        for entry in self.module.entries:
            filled = {
                node.target.resource
                for node in entry.function.body
                if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Global)
            }
            for resource in reachable_resources(entry.function):
                if resource.space == "input" and resource not in filled:
                    raise Refusal(
                        f"nothing gives the captured adaptive value {resource.name!r} to "
                        f"the {entry.stage} function",
                        {resource.name: type_text(resource.type)},
                        "Make a Program or a ComputeProgram of the function: they pass it.",
                    )

    # Resources -------------------------------------------------------------------------------

    def _emit_resources(self) -> None:
        bound: dict[tuple[int, int], Resource] = {}
        order = sorted(self.resources, key=lambda r: (_is_local(r), r.group, r.binding, r.name))
        for resource in order:
            place = (resource.group, resource.binding)
            kind = self.type_name(resource.type)
            name = self.resource_names[resource]
            if _is_local(resource):
                space = "private" if resource.space == "input" else resource.space
                self.lines.append(f"var<{space}> {name}: {kind};")
                continue
            other = bound.setdefault(place, resource)
            if other is not resource:
                raise Refusal(
                    f"{resource.name!r} and {other.name!r} share "
                    f"group {place[0]}, binding {place[1]}",
                    {resource.name: type_text(resource.type), other.name: type_text(other.type)},
                    "Give each its own binding.",
                )
            if resource.space == "handle":
                self.lines.append(f"@group({place[0]}) @binding({place[1]}) var {name}: {kind};")
                continue
            if _has_bool(resource.type):
                raise Refusal(
                    f"{resource.name!r} holds a bool, which cannot lie in a buffer",
                    {"type": type_text(resource.type)},
                    "Use u32 and compare with 0.",
                )
            space = resource.space if resource.space == "uniform" else f"storage, {resource.access}"
            self.lines.append(
                f"@group({place[0]}) @binding({place[1]}) var<{space}> {name}: {kind};"
            )
        if order:
            self.lines.append("")

    # Functions -------------------------------------------------------------------------------

    def text(self) -> str:
        self._check_inputs()
        self._emit_structs()
        self._emit_resources()
        for function in self.functions:
            self._emit_function(function, None)
        for entry in self.module.entries:
            self._emit_function(entry.function, entry)
        made = WgslText("\n".join(self.lines).rstrip() + "\n")
        made.spans, made.entries = self.spans, self.entries
        return made

    def _emit_function(self, function: Function, entry: EntryPoint | None) -> None:
        writer = _FunctionWriter(self, function)
        writer.begin(function)
        ports: tuple[Port | None, ...] = (
            entry.inputs if entry else (None,) * len(function.parameters)
        )
        parameters: list[str] = []
        for parameter, port in zip(function.parameters, ports, strict=True):
            attribute = ""
            if port is not None and entry is not None:
                interpolate = port.interpolate if entry.stage == "fragment" else ""
                attribute = _attribute(parameter.type, port.builtin, port.location, interpolate)
            # Given WGSL knows its parameters by the names they have in Python.
            name = parameter.name if function.wgsl is not None else writer.declare(parameter)
            parameters.append(f"{attribute}{name}: {self.type_name(parameter.type)}")
        if entry is not None:
            stage = f"@{entry.stage}"
            if entry.stage == "compute":
                stage += f" @workgroup_size({', '.join(map(str, entry.workgroup_size))})"
            self.lines.append(stage)
        arrow = "" if function.returns == VOID else f" -> {self.type_name(function.returns)}"
        name = self.function_names[id(function)]
        self.note(function, head(function.span))
        if entry is not None and function.span is not None:
            self.entries[name] = (function.name, head(function.span) or function.span)
        self.lines.append(f"fn {name}({', '.join(parameters)}){arrow} {{")
        writer.block(function.body, 1)
        if function.wgsl is not None:
            for line in function.wgsl.splitlines():
                self.note(function, head(function.span))
                self.lines.append(f"    {line}".rstrip())
        elif function.returns != VOID and not _returns(function.body):
            # After an endless loop; the WGSL validator wants to see a return.
            self.lines.append(f"    return {self.type_name(function.returns)}();")
        self.lines += ["}", ""]


def head(span: Span | None) -> Span | None:
    """Return the first line of a span: what a statement with a block begins with."""
    if span is None or span.line == span.end_line:
        return span
    return span._replace(end_line=span.line, end_column=1 << 20)


def _returns(body: tuple[Stmt, ...]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, nodes.If):
        return _returns(last.then) and _returns(last.otherwise)
    return isinstance(last, nodes.Return)


def _is_depth(type_: Type) -> bool:
    return isinstance(type_, TextureType) and type_.is_depth


def _is_local(resource: Resource) -> bool:
    return resource.space in ("workgroup", "private", "input")


def _has_bool(type_: Type) -> bool:
    if isinstance(type_, StructType):
        return any(_has_bool(member.type) for member in type_.fields)
    if isinstance(type_, ArrayType):
        return _has_bool(type_.element)
    return scalar_of(type_) == BOOL


def _attribute(
    type_: Type, builtin: str | None, location: int | None, interpolate: str | None
) -> str:
    """Return ``@builtin(…)`` or ``@location(…)`` with a space after it.

    ``interpolate`` is ``""`` where WGSL has no interpolation: vertex attributes and colour outputs.
    """
    if builtin is not None:
        return f"@builtin({builtin}) "
    if location is None:
        return ""
    if interpolate != "" and scalar_of(type_) != F32:
        interpolate = "flat"
    mode = f" @interpolate({interpolate})" if interpolate else ""
    return f"@location({location}){mode} "


class _FunctionWriter:
    """Writes the body of one function."""

    def __init__(self, emitter: _Emitter, function: Function) -> None:
        self.emitter = emitter
        self.function = function
        self.lines = emitter.lines
        self.names = Names(emitter.names)
        self.locals: dict[int, str] = {}
        self._loops = 0
        self._returns = ""

    def begin(self, function: Function) -> None:
        """Note what the function returns where it cannot go on."""
        returns = function.returns
        self._returns = "" if returns == VOID else f" {self.emitter.type_name(returns)}()"

    def _loop(self, body: tuple[Stmt, ...], depth: int) -> None:
        self._loops += 1
        self.block(body, depth)
        self._loops -= 1

    def declare(self, local: nodes.Local) -> str:
        """Give a local its name."""
        name = self.locals[local.number] = self.names.give(local.name)
        return name

    def block(self, statements: tuple[Stmt, ...], depth: int) -> None:
        """Write statements, one a line."""
        for statement in statements:
            self._statement(statement, depth)

    def _statement(self, node: Stmt, depth: int) -> None:
        pad = "    " * depth
        lines = self.lines
        self._note(node)
        match node:
            case nodes.Declare(local=local, value=value):
                made = "" if value is None else f" = {self.top(value)}"
                name = self.declare(local)
                if local.mutable:
                    kind = self.emitter.type_name(local.type)
                    lines.append(f"{pad}var {name}: {kind}{made};")
                else:
                    lines.append(f"{pad}let {name}{made};")
            case nodes.Assign(target=target, value=value):
                lines.append(f"{pad}{self.top(target)} = {self.top(value)};")
            case nodes.If():
                self._if(node, depth, pad)
            case nodes.While(condition=condition, body=body):
                if isinstance(condition, nodes.Literal) and condition.value:
                    lines.append(f"{pad}loop {{")
                else:
                    lines.append(f"{pad}while ({self.top(condition)}) {{")
                self._loop(body, depth + 1)
                lines.append(f"{pad}}}")
            case nodes.For():
                self._for(node, depth, pad)
            case nodes.Return(value=value):
                lines.append(f"{pad}return{'' if value is None else ' ' + self.top(value)};")
            case nodes.Evaluate(value=value):
                start = "" if value.type == VOID else "_ = "
                lines.append(f"{pad}{start}{self.top(value)};")
            case nodes.Break():
                lines.append(f"{pad}break;")
            case nodes.Continue():
                lines.append(f"{pad}continue;")
            case nodes.Discard():
                lines.append(f"{pad}discard;")
                if self._loops:
                    # A discarded fragment runs on as a helper, and would not leave the loop.
                    lines.append(f"{pad}return{self._returns};")
            case _:
                raise TypeError(type(node).__name__)

    def _note(self, node: Stmt) -> None:
        span = node.span
        if isinstance(node, nodes.If | nodes.While) and node.condition.span is not None:
            span = node.condition.span
        self.emitter.note(self.function, head(span))

    def _if(self, node: nodes.If, depth: int, pad: str) -> None:
        word = f"{pad}if"
        while True:
            self.lines.append(f"{word} ({self.top(node.condition)}) {{")
            self.block(node.then, depth + 1)
            rest = node.otherwise
            if len(rest) == 1 and isinstance(rest[0], nodes.If):
                node, word = rest[0], f"{pad}}} else if"
                self._note(node)
                continue
            if rest:
                self.lines.append(f"{pad}}} else {{")
                self.block(rest, depth + 1)
            self.lines.append(f"{pad}}}")
            return

    def _for(self, node: nodes.For, depth: int, pad: str) -> None:
        start, stop = self.top(node.start), self(node.stop)
        name = self.declare(node.local)
        suffix = "u" if node.local.type == U32 else "i"
        compare, step = ("<", f"+= {node.step}") if node.step > 0 else (">", f"-= {-node.step}")
        kind = self.emitter.type_name(node.local.type)
        self.lines.append(
            f"{pad}for (var {name}: {kind} = {start}; "
            f"{name} {compare} {stop}; {name} {step}{suffix}) {{"
        )
        self._loop(node.body, depth + 1)
        self.lines.append(f"{pad}}}")

    def top(self, node: Expr) -> str:
        """Return the text of an expression where no operator stands beside it."""
        text = self(node)
        plain = isinstance(node, nodes.Binary | nodes.Unary | nodes.Literal)
        return text[1:-1] if plain and text.startswith("(") else text

    def _args(self, args: tuple[Expr, ...]) -> str:
        # WGSL reads "a < b, c > d" as a list of template arguments, so comparisons keep theirs.
        return ", ".join(
            self(arg) if isinstance(arg, nodes.Binary) and arg.op[0] in "<>" else self.top(arg)
            for arg in args
        )

    def _intrinsic(self, operation: Operation, args: tuple[Expr, ...]) -> str:
        if operation.place and operation.family != "texture":
            place, *rest = args
            values = f", {self._args(tuple(rest))}" if rest else ""
            return f"{operation.wgsl}(&{self(place)}{values})"
        if operation.name == "texture_gather" and not _is_depth(args[0].type):
            channel = -2 if is_offset(operation.name, args[-1].type) else -1
            args = (args[channel], *args[:channel], *args[len(args) + channel + 1 :])
            # WGSL has the channel first
        function, dot, member = operation.wgsl.partition(".")
        return f"{function}({self._args(args)}){dot}{member}"

    def __call__(self, node: Expr) -> str:
        """Return the text of an expression, in parentheses where it is an operation."""
        match node:
            case nodes.Literal():
                return _literal(node)
            case nodes.Read(local=local):
                return self.locals[local.number]
            case nodes.Global(resource=resource):
                return self.emitter.resource_names[resource]
            case nodes.Unary(op=op, operand=operand):
                return f"({op}{self(operand)})"
            case nodes.Binary(op=op, left=left, right=right):
                return f"({self(left)} {BINARY[op]} {self(right)})"
            case nodes.Intrinsic(name=name, args=args):
                return self._intrinsic(INTRINSICS[name], args)
            case nodes.Construct(args=args):
                return f"{self.emitter.type_name(node.type)}({self._args(args)})"
            case nodes.Convert(value=value):
                return f"{self.emitter.type_name(node.type)}({self.top(value)})"
            case nodes.Bitcast(value=value):
                return f"bitcast<{self.emitter.type_name(node.type)}>({self.top(value)})"
            case nodes.Swizzle(value=value, letters=letters):
                return f"{self(value)}.{letters}"
            case nodes.Field(value=value, name=name):
                return f"{self(value)}.{safe(name)}"
            case nodes.Index(value=value, index=index):
                return f"{self(value)}[{self.top(index)}]"
            case nodes.Call(function=function, args=args):
                return f"{self.emitter.function_names[id(function)]}({self._args(args)})"
            case _:
                raise TypeError(type(node).__name__)


def _literal(node: nodes.Literal) -> str:
    value = node.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = float_text(value)
    elif node.type == U32:
        return f"{value}u"
    elif value == -(1 << 31):
        return "i32(-2147483648)"
    else:
        text = f"{value}i"
    return f"({text})" if value < 0 else text
