"""A second opinion: checks a finished function without trusting whoever built it.

Constructors make ill-typed expressions impossible; the verifier finds what they cannot see, such as
a local that is read before its declaration, a ``break`` outside of a loop, or a path that returns
nothing.
"""

from __future__ import annotations

from typing import Any

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import EntryPoint, Expr, Function, Local, Module, Stmt
from heapscene.shader.ir.places import loaded_type
from heapscene.shader.ir.visit import CHILDREN, children, reachable_functions
from heapscene.shader.operations import INTRINSICS, binary_type, scalar_of
from heapscene.shader.types import (
    BOOL,
    U32,
    VOID,
    ArrayType,
    AtomicType,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

__all__ = ["verify_function", "verify_module"]


def verify_module(module: Module) -> None:
    """Check all functions that the entry points reach, and their ports.

    Raises
    ------
    AssertionError
        The module is not valid; this is a fault of the compiler or of who built the IR by hand.
    """
    for entry in module.entries:
        _verify_entry(entry)
    for function in reachable_functions(*(entry.function for entry in module.entries)):
        verify_function(function)


def _verify_entry(entry: EntryPoint) -> None:
    locals_ = tuple(port.local for port in entry.inputs)
    assert locals_ == entry.function.parameters, "ports and parameters differ"
    for port in entry.inputs:
        assert (port.builtin is None) != (port.location is None), f"port {port} needs one place"
    result = entry.result
    if result is None:
        assert entry.function.returns == VOID, "an entry point returns a struct or nothing"
        return
    placed = {name for name, _ in entry.locations}
    open_members = {member.name for member in result.fields if member.builtin is None}
    assert placed == open_members, f"locations {placed} for members {open_members}"


def verify_function(function: Function) -> None:
    """Check one function; those that it calls are not entered.

    Raises
    ------
    AssertionError
        The function is not valid.
    """
    if function.wgsl is not None:
        assert not function.body, f"{function.name}: WGSL and a body"
        return
    checker = _Checker(function)
    checker.block(function.body, set(function.parameters), in_loop=False)
    if function.returns != VOID:
        assert not _falls_through(function.body), f"{function.name}: a path returns nothing"


def _falls_through(body: tuple[Stmt, ...]) -> bool:
    for statement in body:
        if isinstance(statement, nodes.Return | nodes.Break | nodes.Continue | nodes.Discard):
            return False
        if (
            isinstance(statement, nodes.If)
            and statement.otherwise
            and not _falls_through(statement.then)
            and not _falls_through(statement.otherwise)
        ):
            return False
        if isinstance(statement, nodes.While) and _is_endless(statement):
            return False
    return True


def _is_endless(loop: nodes.While) -> bool:
    always = isinstance(loop.condition, nodes.Literal) and loop.condition.value is True
    return always and not _has_break(loop.body)


def _has_break(body: tuple[Stmt, ...]) -> bool:
    return any(
        isinstance(s, nodes.Break)
        or (isinstance(s, nodes.If) and (_has_break(s.then) or _has_break(s.otherwise)))
        for s in body
    )


class _Checker:
    def __init__(self, function: Function) -> None:
        self.function = function
        self._numbers = {p.number for p in function.parameters}
        assert len(self._numbers) == len(function.parameters), "parameters share a number"

    def block(self, body: tuple[Stmt, ...], known: set[Local], *, in_loop: bool) -> None:
        scope = set(known)
        for statement in body:
            self._statement(statement, scope, in_loop=in_loop)

    def _declare(self, local: Local, scope: set[Local]) -> None:
        assert local.number not in self._numbers, f"%{local.number} is declared twice"
        self._numbers.add(local.number)
        scope.add(local)

    def _statement(self, node: Stmt, scope: set[Local], *, in_loop: bool) -> None:
        for name in CHILDREN[type(node)]:
            child = getattr(node, name)
            if isinstance(child, Expr):
                self._expression(child, scope)
        match node:
            case nodes.Declare(local=local, value=value):
                assert value is not None or local.mutable, f"{local.name} has no value"
                assert value is None or value.type == local.type, f"{local.name}: types differ"
                self._declare(local, scope)
            case nodes.Assign(target=target, value=value):
                assert target.type == value.type, "assigned type differs"
                self._place(target)
            case nodes.If(condition=condition, then=then, otherwise=otherwise):
                assert condition.type == BOOL, "a condition is not bool"
                self.block(then, scope, in_loop=in_loop)
                self.block(otherwise, scope, in_loop=in_loop)
            case nodes.While(condition=condition, body=body):
                assert condition.type == BOOL, "a condition is not bool"
                self.block(body, scope, in_loop=True)
            case nodes.For(local=local, start=start, stop=stop, step=step, body=body):
                assert start.type == stop.type == local.type, "bounds of a loop differ"
                assert step != 0, "a loop does not move"
                inner = set(scope)
                self._declare(local, inner)
                self.block(body, inner, in_loop=True)
            case nodes.Break() | nodes.Continue():
                assert in_loop, "break or continue outside of a loop"
            case nodes.Return(value=value):
                found = VOID if value is None else value.type
                assert found == self.function.returns, f"returns {found}"
            case _:
                pass

    def _place(self, target: Expr) -> None:
        root = target
        while isinstance(root, nodes.Index | nodes.Field | nodes.Swizzle):
            root = root.value
        if isinstance(root, nodes.Read):
            assert root is target, "part of a local is assigned"
            assert root.local.mutable, f"{root.local.name} does not change"
            return
        assert isinstance(root, nodes.Global), "no place"
        resource = root.resource
        assert not isinstance(target.type, AtomicType), "an atomic is written by atomic_store"
        writable = (
            resource.space in ("workgroup", "private", "input") or resource.access == "read_write"
        )
        assert writable, f"{resource.name} is read-only"

    def _expression(self, node: Expr, scope: set[Local]) -> None:
        for child in children(node):
            self._expression(child, scope)
        if isinstance(node, nodes.Read):
            assert node.local in scope, f"{node.local.name} is read before its declaration"
        wanted = _type_of(node)
        assert wanted == node.type, f"{type(node).__name__} is {node.type}, should be {wanted}"


def _type_of(node: Any) -> Type | None:
    match node:
        case nodes.Read(local=local):
            return local.type
        case nodes.Global(resource=resource):
            return resource.type
        case nodes.Unary(operand=operand):
            return operand.type
        case nodes.Binary(op=op, left=left, right=right):
            return binary_type(op, left.type, right.type)
        case nodes.Intrinsic(name="array_length"):
            return U32
        case nodes.Intrinsic(name="workgroup_uniform_load", args=(place,)):
            return loaded_type(place)
        case nodes.Intrinsic(name=name, args=args):
            return INTRINSICS[name].type_for([arg.type for arg in args])
        case nodes.Swizzle(value=value, letters=letters):
            scalar = scalar_of(value.type)
            assert scalar is not None
            return scalar if len(letters) == 1 else Vector(scalar, len(letters))
        case nodes.Field(value=value, name=name):
            member = value.type.field(name) if isinstance(value.type, StructType) else None
            return None if member is None else member.type
        case nodes.Index(value=value):
            return _element(value.type)
        case nodes.Call(function=function, args=args):
            assert [arg.type for arg in args] == [p.type for p in function.parameters]
            return function.returns
        case nodes.Construct(args=args) if args:
            return node.type if _fits(node.type, [arg.type for arg in args]) else None
        case _:
            return node.type


def _element(type_: Type) -> Type | None:
    if isinstance(type_, ArrayType):
        return type_.element
    if isinstance(type_, Vector):
        return type_.scalar
    return Vector(Scalar("f32"), type_.rows) if isinstance(type_, Matrix) else None


def _fits(type_: Type, parts: list[Type]) -> bool:
    if isinstance(type_, StructType):
        return parts == [member.type for member in type_.fields]
    if isinstance(type_, Vector) and parts == [type_.scalar]:
        return True
    if isinstance(type_, ArrayType):
        return parts == [type_.element] * (type_.length or 0)
    same = all(scalar_of(part) == scalar_of(type_) for part in parts)
    return same and sum(part.words for part in parts) == type_.words
