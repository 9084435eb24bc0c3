"""Statements: blocks, variables, control flow, definite assignment."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from heapscene.shader.desugar import desugared
from heapscene.shader.frontend import refused
from heapscene.shader.frontend.calls import STATEMENTS, intrinsic_of
from heapscene.shader.frontend.loops import Loops
from heapscene.shader.frontend.lowering import Fault, Static, is_simple, is_stable
from heapscene.shader.frontend.scope import Uses, find_uses
from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.nodes import Expr, Local
from heapscene.shader.operations import spelled
from heapscene.shader.rules import is_tuple, tuple_type
from heapscene.shader.types import F32, I32, VOID, StructType, Type, Vector

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["Statements"]


class Statements(Loops):
    """Lowers the body of a function."""

    def __init__(
        self, function: ShaderFunction[..., Any], stack: tuple[ShaderFunction[..., Any], ...]
    ) -> None:
        super().__init__(function, stack)
        self.tree = desugared(function.source)
        self.uses: dict[str, Uses] = find_uses(self.tree.body)
        self.loop_names = {
            name.id
            for node in function.source.nodes(ast.For)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        }

    def run(self, body: list[ast.stmt]) -> None:
        """Lower statements; a faulty one is noted and the next is tried."""
        for statement in body:
            if not self.alive:
                return
            try:
                self._statement(statement)
            except Fault as fault:
                self.diagnostics.extend(fault.diagnostics)
                self._poison(statement)

    def _poison(self, statement: ast.stmt) -> None:
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Store)
                and node.id not in self.locals
            ):
                self.poisoned.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.poisoned.add(node.name)
            elif isinstance(node, ast.alias):
                self.poisoned.add((node.asname or node.name).partition(".")[0])
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            self.alive = not isinstance(statement, ast.Return)

    def _statement(self, node: ast.stmt) -> None:
        method = self._STATEMENTS.get(type(node))
        if method is None:
            what, fix = refused.STATEMENTS.get(type(node), (type(node).__name__, "Remove it."))
            raise self.fault(
                node, f"{what} is not part of the shader language", kind="syntax", fix=fix
            )
        method(self, node)

    # Variables -------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            raise self.fault(
                node,
                "several '=' in one statement are not part of the shader language",
                kind="syntax",
                fix="Assign on lines of their own.",
            )
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            self._assign_tuple(node, target)
            return
        self.whole = node.value
        self._assign_to(target, node, self.value(node.value))

    def _assign_tuple(self, node: ast.Assign, target: ast.Tuple) -> None:
        values = self.parts(node.value)
        if values is None:
            values = self._tuple_values(node, target)
        if len(values) != len(target.elts):
            raise self.fault(
                target,
                f"{len(values)} values for {len(target.elts)} names",
                kind="syntax",
                fix=f"Write {', '.join('abcdefgh'[: len(values)])} = {ast.unparse(node.value)}.",
            )
        for each, value in zip(target.elts, values, strict=True):
            self._assign_to(each, node, value)

    def _tuple_values(self, node: ast.Assign, target: ast.Tuple) -> list[Expr]:
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
            raise self.fault(
                node,
                "a tuple is assigned from a tuple of the same length only",
                kind="syntax",
                fix="Write a, b = v.x, v.y.",
            )
        values = self.values(*node.value.elts)
        return [each if is_simple(each) else self.temporary("part", each) for each in values]

    def _assign_to(self, target: ast.expr, node: ast.stmt, value: Expr) -> None:
        match target:
            case ast.Name():
                self._set(target, node, value)
            case ast.Subscript():
                with self.builder.block() as prelude:
                    place = self._stored_place(target)
                if prelude or not is_stable(getattr(place, "index", place)):
                    value = value if is_stable(value) else self.temporary("stored", value)
                self._append(prelude)
                with self.at(node) as span:
                    self.builder.store(place, value, span=span)
            case ast.Attribute():
                raise self._immutable(target)
            case _:
                raise self.fault(
                    target,
                    "this cannot be assigned to",
                    kind="syntax",
                    fix="Assign to a name or to an element of an array.",
                )

    def _stored_place(self, target: ast.Subscript) -> Expr:
        place = self.any(target)
        made = self.constant(place, target) if isinstance(place, Static) else place
        root = made
        while isinstance(root, nodes.Index | nodes.Field | nodes.Swizzle):
            root = root.value
        if not isinstance(root, nodes.Global):
            owner = ast.unparse(target.value)
            raise self.fault(
                target,
                f"{spelled(root.type)} values do not change",
                facts={"type of " + owner: spelled(root.type)},
                fix=f"Write {owner} = {owner}.with_x(...) for a vector.",
            )
        return made

    def _immutable(self, target: ast.Attribute) -> Fault:
        owner = self.value(target.value)
        text = ast.unparse(target.value)
        fix = f"Write {text} = {text}.replace({target.attr}=...)."
        if isinstance(owner.type, Vector):
            fix = f"Write {text} = {text}.with_{target.attr}(...)."
            if len(target.attr) > 1:
                fix = f"Make a new vector: {text} = {spelled(owner.type)}(...)."
        return self.fault(
            target,
            f"{spelled(owner.type)} values do not change: {target.attr!r} was assigned",
            facts={f"type of {text}": spelled(owner.type)},
            fix=fix,
        )

    def _set(
        self, target: ast.Name, node: ast.stmt, value: Expr, type_: Type | None = None
    ) -> None:
        name = target.id
        if name in self.loop_names:
            raise self.fault(
                target,
                f"the loop variable {name!r} cannot be assigned",
                fix="Use another name, or a 'while' loop.",
            )
        local = self.locals.get(name)
        with self.at(node) as span:
            if local is not None:
                self._check_type(target, local, value, node)
                self.builder.assign(local, value, span=span)
                self.assigned.add(name)
                return
            if value.type == VOID:
                raise self.fault(
                    node,
                    f"{name!r} gets no value: the function returns nothing",
                    fix="Write the call on a line of its own.",
                )
            value = build.matched(value, type_ or value.type)
            if type_ is not None and value.type != type_:
                raise self.fault(
                    node,
                    f"{name!r} is declared {spelled(type_)}, the value is {spelled(value.type)}",
                    facts={"declared": spelled(type_), "found": spelled(value.type)},
                    fix=f"Convert it: {spelled(type_)}(...).",
                )
            self.locals[name] = self._declare(name, value, span)
            self.origins[name] = target
            self.assigned.add(name)
            self.poisoned.discard(name)

    def _declare(self, name: str, value: Expr, span: nodes.Span) -> Local:
        uses = self.uses[name]
        here = uses.depth == len(self.depths) - 1
        if here and uses.stores == 1:
            return self.builder.let(name, value, span=span)
        if here:
            return self.builder.var(name, value.type, value, span=span)
        local = self.builder.declare_at(self.depths[uses.depth], name, value.type)
        self.builder.assign(local, value, span=span)
        return local

    def _check_type(self, target: ast.Name, local: Local, value: Expr, node: ast.stmt) -> None:
        if build.matched(value, local.type).type == local.type:
            return
        origin = self.origins.get(target.id)
        first = f"{spelled(local.type)}" + (f"   (line {origin.lineno})" if origin else "")
        advice = f"Convert the value: {spelled(local.type)}(...)."
        if local.type.wgsl == "i32" and origin is not None:
            start = "0.0" if value.type.wgsl == "f32" else f"{spelled(value.type)}(...)"
            advice = f"Convert the value, or begin with {target.id} = {start}."
            self.poisoned.add(target.id)  # what follows is about the other type
        raise self.fault(
            node,
            f"{target.id!r} is {spelled(local.type)} and cannot become {spelled(value.type)}",
            facts={"first": first, "now": spelled(value.type)},
            fix=advice,
        )

    def _annotated(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise self.fault(
                node,
                "a declaration needs a name and a value",
                kind="syntax",
                fix="Write name: f32 = 0.0.",
            )
        type_ = self.type_at(node.annotation, ast.unparse(node.annotation))
        if node.target.id in self.locals and self.locals[node.target.id].type != type_:
            raise self.fault(node, f"{node.target.id!r} is declared twice with different types")
        self._set(node.target, node, self.value(node.value), type_)

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Attribute):
            raise self._immutable(node.target)
        if isinstance(node.target, ast.Subscript):
            place = self._stored_place(node.target)
            if isinstance(place, nodes.Index):
                place = build.index(place.value, self.temporary("at", place.index), span=place.span)
            value = self.operation(node, node.op, place, self.value(node.value))
            with self.at(node) as span:
                self.builder.store(place, value, span=span)
            return
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        before, value = self.value(read), self.value(node.value)
        origin = self.origins.get(node.target.id)
        try:
            made = self.operation(node, node.op, before, value)
        except Fault as fault:
            if origin is None or (before.type, value.type) != (I32, F32):
                raise
            fix = f"Begin with {node.target.id} = 0.0, or another number with a point."
            self.poisoned.add(node.target.id)
            raise Fault(*(replace(each, fix=fix) for each in fault.diagnostics)) from fault
        self._set(node.target, node, made)

    # Control flow ----------------------------------------------------------------------------

    def _if(self, node: ast.If) -> None:
        condition = self.condition(node.test)
        if isinstance(condition, nodes.Literal):
            self.depths.append(len(self.builder.blocks) - 1)
            self.run(node.body if condition.value else node.orelse)
            self.depths.pop()
            return
        before, was_alive = set(self.assigned), self.alive
        with self.builder.block() as then, self.python_block():
            self.run(node.body)
        after_then, then_alive = self.assigned, self.alive
        self.assigned, self.alive = set(before), was_alive
        with self.builder.block() as otherwise, self.python_block():
            self.run(node.orelse)
        if then_alive and self.alive:
            self.assigned &= after_then
        elif then_alive:
            self.assigned = after_then
        self.alive = then_alive or self.alive
        self.builder.append(
            nodes.If(condition, tuple(then), tuple(otherwise), span=self.span(node))
        )

    def _break(self, node: ast.Break) -> None:
        self.loops[-1].append(set(self.assigned))
        self.builder.break_(span=self.span(node))
        self.alive = False

    def _continue(self, node: ast.Continue) -> None:
        self.builder.continue_(span=self.span(node))
        self.alive = False

    def _return(self, node: ast.Return) -> None:
        is_empty = node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        )
        value = None if is_empty or node.value is None else self._returned(node.value)
        with self.at(node) as span:
            self.builder.return_(value, span=span)
        self.alive = False

    def _returned(self, node: ast.expr) -> Expr:
        wanted = self.builder.returns
        if not (isinstance(wanted, StructType) and is_tuple(wanted)):
            return self.value(node)
        parts = self.values(*node.elts) if isinstance(node, ast.Tuple) else self.parts(node)
        if parts is None:
            return self.value(node)
        fields = [field.type for field in wanted.fields]
        if len(parts) == len(fields):
            parts = [build.matched(each, type_) for each, type_ in zip(parts, fields, strict=True)]
        found = tuple_type([part.type for part in parts])
        if found != wanted:
            raise self.fault(
                node,
                f"{self.function.name} returns {spelled(wanted)}, not {spelled(found)}",
                facts={"declared": spelled(wanted), "found": spelled(found)},
                fix=f"Convert the values, or write -> {spelled(found)}.",
            )
        return build.construct(wanted, *parts, span=self.span(node))

    def _expression(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await):
            self.any(node.value)  # refused
        if not isinstance(node.value, ast.Call):
            raise self.fault(
                node,
                "this line has no effect",
                kind="syntax",
                fix="Assign the value to a name, or remove the line.",
            )
        call = node.value
        name = (
            intrinsic_of(self.any(call.func))
            if isinstance(call.func, ast.Name | ast.Attribute) and not self._is_method(call.func)
            else None
        )
        span = self.span(node)
        if name in STATEMENTS:
            if name == "discard":
                if call.args or call.keywords:
                    raise self.fault(call, "discard() takes no arguments")
                self.builder.discard(span=span)
                self.alive = False
            else:
                self.builder.evaluate(self.intrinsic(call, name or ""), span=span)
            return
        self.whole = call
        self.builder.evaluate(self.value(call), span=span)

    def _is_method(self, func: ast.expr) -> bool:
        return isinstance(func, ast.Attribute) and not isinstance(self.any(func.value), Static)

    def _nothing(self, node: ast.stmt) -> None:
        """``pass``; ``assert`` is checked where the function runs in CPython."""

    _STATEMENTS: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.If: _if,
        ast.While: Loops.loop_while,
        ast.For: Loops.loop_for,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.Return: _return,
        ast.Expr: _expression,
        ast.Pass: _nothing,
        ast.Assert: _nothing,
    }
