"""The IR as text for people: one statement a line, types of declarations, numbers of locals."""

from __future__ import annotations

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Function, Local, Stmt
from heapscene.shader.operations import spelled

__all__ = ["print_function"]


def print_function(function: Function) -> str:
    """Return the text of one function."""
    parameters = ", ".join(f"{_name(p)}: {spelled(p.type)}" for p in function.parameters)
    lines = [f"{function.name}({parameters}) -> {spelled(function.returns)}"]
    if function.wgsl is None:
        _block(function.body, lines, 1)
    else:
        lines += [f"  wgsl | {line}" for line in function.wgsl.splitlines()]
    return "\n".join(lines)


def _name(local: Local) -> str:
    return f"{local.name}%{local.number}"


def _block(statements: tuple[Stmt, ...], lines: list[str], depth: int) -> None:
    for statement in statements:
        _statement(statement, lines, depth)
    if not statements:
        lines.append("  " * depth + "nothing")


def _statement(node: Stmt, lines: list[str], depth: int) -> None:
    pad = "  " * depth
    match node:
        case nodes.Declare(local=local, value=value):
            word = "var" if local.mutable else "let"
            tail = "" if value is None else f" = {_text(value)}"
            lines.append(f"{pad}{word} {_name(local)}: {spelled(local.type)}{tail}")
        case nodes.Assign(target=target, value=value):
            lines.append(f"{pad}{_text(target)} = {_text(value)}")
        case nodes.If(condition=condition, then=then, otherwise=otherwise):
            lines.append(f"{pad}if {_text(condition)}")
            _block(then, lines, depth + 1)
            if otherwise:
                lines.append(f"{pad}else")
                _block(otherwise, lines, depth + 1)
        case nodes.While(condition=condition, body=body):
            lines.append(f"{pad}while {_text(condition)}")
            _block(body, lines, depth + 1)
        case nodes.For(local=local, start=start, stop=stop, step=step, body=body):
            lines.append(f"{pad}for {_name(local)} in {_text(start)}, {_text(stop)}, {step}")
            _block(body, lines, depth + 1)
        case nodes.Return(value=value):
            lines.append(f"{pad}return{'' if value is None else ' ' + _text(value)}")
        case nodes.Evaluate(value=value):
            lines.append(f"{pad}{_text(value)}")
        case _:
            lines.append(pad + type(node).__name__.lower())


def _text(node: Expr) -> str:
    match node:
        case nodes.Literal(value=value):
            return f"{value}{'u' if spelled(node.type) == 'u32' else ''}"
        case nodes.Read(local=local):
            return _name(local)
        case nodes.Global(resource=resource):
            return f"@{resource.name}"
        case nodes.Unary(op=op, operand=operand):
            return f"({op} {_text(operand)})"
        case nodes.Binary(op=op, left=left, right=right):
            return f"({_text(left)} {op} {_text(right)})"
        case nodes.Intrinsic(name=name, args=args):
            return f"{name}({', '.join(map(_text, args))})"
        case nodes.Construct(args=args):
            return f"{spelled(node.type)}({', '.join(map(_text, args))})"
        case nodes.Convert(value=value):
            return f"{spelled(node.type)}({_text(value)})"
        case nodes.Bitcast(value=value):
            return f"bitcast({spelled(node.type)}, {_text(value)})"
        case nodes.Swizzle(value=value, letters=letters):
            return f"{_text(value)}.{letters}"
        case nodes.Field(value=value, name=name):
            return f"{_text(value)}.{name}"
        case nodes.Index(value=value, index=index):
            return f"{_text(value)}[{_text(index)}]"
        case nodes.Call(function=function, args=args):
            return f"{function.name}({', '.join(map(_text, args))})"
        case _:
            raise TypeError(type(node).__name__)
