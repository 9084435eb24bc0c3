"""Expressions: from syntax nodes to typed values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from heapscene.adaptive import AVal
from heapscene.shader import lang
from heapscene.shader.advice import advice
from heapscene.shader.frontend.constants import check_constant
from heapscene.shader.frontend.lowering import (
    Fault,
    Lowering,
    Static,
    holds_atomic,
    is_handle,
    is_stable,
    is_whole_array,
)
from heapscene.shader.frontend.refused import EXPRESSIONS, instead_of_in
from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.nodes import Expr, Stmt
from heapscene.shader.ir.visit import walk
from heapscene.shader.operations import INTRINSICS, scalar_of, spelled
from heapscene.shader.rules import is_tuple
from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    U32,
    AtomicType,
    Matrix,
    SamplerType,
    Scalar,
    StructType,
    Vector,
)

__all__ = ["Expressions"]

_OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARISONS: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_CHEAP_NODES = 8


class Expressions(Lowering):
    """Lowers expressions.

    A result is a typed value, or a :class:`Static` object to call or look into.
    """

    def value(self, node: ast.expr) -> Expr:
        """Return a value, captured objects as constants."""
        found = self.any(node)
        made = self.constant(found, node) if isinstance(found, Static) else found
        if type(made.type) in (Scalar, Vector, Matrix):
            return made
        if is_handle(made.type):
            is_sampler = isinstance(made.type, SamplerType)
            raise self.fault(
                node,
                f"{ast.unparse(node)!r} is a {'sampler' if is_sampler else 'texture'}, not a value",
                facts={"type": spelled(made.type)},
                fix="Name it where it is used: texture_sample(texture, sampler, at).",
            )
        if holds_atomic(made.type):
            raise self.fault(
                node,
                f"{ast.unparse(node)!r} is an atomic, not a value"
                if isinstance(made.type, AtomicType)
                else f"{spelled(made.type)} holds atomics and cannot be used whole",
                facts={"type": spelled(made.type)},
                fix="Write atomic_load(place), or one of the other functions atomic_....",
            )
        if is_whole_array(made):
            name = made.resource.name if isinstance(made, nodes.Global) else "the array"
            raise self.fault(
                node, f"{name!r} is an array and cannot be used whole", fix=f"Index it: {name}[i]."
            )
        return made

    def values(self, *given: ast.expr) -> list[Expr]:
        """Return several values, evaluated from left to right as Python does.

        Where a later one needs statements of its own, earlier ones that these may change are read
        before them.
        """
        made: list[Expr] = []
        block = self.builder.blocks[-1]
        for node in given:
            count = len(block)
            value = self.value(node)
            if len(block) > count:
                prelude = block[count:]
                del block[count:]
                made = [each if is_stable(each) else self.temporary("kept", each) for each in made]
                block += prelude
            made.append(value)
        return made

    def named_values(self, given: Mapping[str, ast.expr], order: Sequence[str]) -> dict[str, Expr]:
        """Return values by name, evaluated in the order written, to be placed in ``order``."""
        made = dict(zip(given, self.values(*given.values()), strict=True))
        if list(made) != [name for name in order if name in made]:
            for name, value in made.items():
                if not is_stable(value):
                    made[name] = self.temporary(name, value)
        return made

    def place(self, node: ast.expr) -> Expr:
        """Return a value that may be a whole array."""
        found = self.any(node)
        return self.constant(found, node) if isinstance(found, Static) else found

    def any(self, node: ast.expr) -> Expr | Static:
        """Return a value or a captured object."""
        method = self._EXPRESSIONS.get(type(node))
        if method is None:
            what, fix = EXPRESSIONS.get(type(node), (type(node).__name__, "Remove it."))
            raise self.fault(
                node, f"{what} is not part of the shader language", kind="syntax", fix=fix
            )
        return method(self, node)

    def call(self, node: ast.Call) -> Expr | Static:
        """Return the result of a call; see :mod:`.calls`."""
        raise NotImplementedError

    def _name(self, node: ast.Name) -> Expr | Static:
        local = self.locals.get(node.id)
        if node.id in self.poisoned:
            raise Fault
        if node.id in self.unrolled:
            return self.unrolled[node.id]
        if local is not None and node.id in self.assigned:
            return build.expression(local, self.span(node))
        if local is not None or node.id in self.uses:
            raise self._unassigned(node)
        if node.id in self.loop_names:
            raise self.fault(
                node,
                f"{node.id!r} is a loop variable and ends with its loop",
                kind="name",
                fix="Copy it to another variable inside the loop.",
            )
        return self.resolve(node)

    def _unassigned(self, node: ast.Name) -> Exception:
        first = self.uses[node.id].first
        facts = {"assigned in": f"line {first.lineno}"} if first is not None else {}
        outside = self.outside(node.id)
        if outside is not None:
            return self.fault(
                node,
                f"{node.id!r} is a variable of this function and is read before it is assigned",
                kind="name",
                facts={**facts, "outside": outside},
                fix=f"Give the variable another name than {node.id}.",
            )
        return self.fault(
            node,
            f"{node.id!r} may be used before it is assigned",
            kind="name",
            facts=facts,
            fix=f"Assign {node.id} before the branch or loop.",
        )

    def _literal(self, node: ast.Constant) -> Expr:
        if isinstance(node.value, bool | int | float):
            with self.at(node) as span:
                return build.literal(node.value, span=span)
        what = "None" if node.value is None else f"a {type(node.value).__name__}"
        raise self.fault(
            node,
            f"{what} is not a value of the shader language",
            kind="syntax",
            fix="Use numbers and bools.",
        )

    def _attribute(self, node: ast.Attribute) -> Expr | Static:
        owner = self.any(node.value)
        if isinstance(owner, Static):
            made = _value_like(owner)
            if made is None:
                return self._static_attribute(owner, node)
            owner = self.constant(owner, node.value)
        with self.at(node) as span:
            if isinstance(owner.type, StructType):
                return build.field(owner, node.attr, span=span)
            return build.swizzle(owner, node.attr, span=span)

    def _static_attribute(self, owner: Static, node: ast.Attribute) -> Static:
        name = f"{owner.name}.{node.attr}"
        try:
            return Static(getattr(owner.value, node.attr), name)
        except AttributeError as error:
            raise self.fault(
                node,
                f"{owner.name!r} has no attribute {node.attr!r}",
                kind="name",
                fix=advice(
                    node.attr, f"Write one that it has: print(dir({owner.name})) lists them."
                ),
            ) from error

    def _subscript(self, node: ast.Subscript) -> Expr | Static:
        owner = self.any(node.value)
        if isinstance(node.slice, ast.Tuple):
            raise self._several_indices(node, node.slice)
        if isinstance(owner, Static) and isinstance(owner.value, Mapping):
            text = ast.unparse(node)
            raise self.fault(
                node,
                f"{owner.name!r} is a dict, which a shader cannot index",
                kind="syntax",
                fix=f"Write static({text}).",
            )
        index = self.value(node.slice)
        if isinstance(owner, Static):
            if isinstance(owner.value, tuple | list) and isinstance(index, nodes.Literal):
                if not 0 <= index.value < len(owner.value):
                    raise self.fault(node, f"{owner.name}[{index.value}] is out of range")
                return Static(owner.value[int(index.value)], f"{owner.name}[{index.value}]")
            owner = self.constant(owner, node.value)
        if isinstance(owner.type, Matrix) and not isinstance(index, nodes.Literal):
            owner = self._variable(owner)
        with self.at(node) as span:
            if is_tuple(owner.type):
                return self._result_of(node, owner, index)
            return build.index(owner, index, span=span)

    def _result_of(self, node: ast.Subscript, owner: Expr, index: Expr) -> Expr:
        """Return one of several results of a function."""
        assert isinstance(owner.type, StructType)
        count = len(owner.type.fields)
        if not isinstance(index, nodes.Literal) or index.type not in (I32, U32):
            raise self.fault(node.slice, "the number of a result is a constant", fix="Write t[0].")
        if not 0 <= index.value < count:
            raise self.fault(
                node.slice,
                f"there is no result {index.value}",
                facts={"results": count},
                fix=f"Count from 0 to {count - 1}.",
            )
        return build.field(owner, str(index.value), span=self.span(node))

    def _several_indices(self, node: ast.Subscript, indices: ast.Tuple) -> Exception:
        text = ast.unparse(node.value)
        fix = "Index once for each level: a[i][j]."
        plain = not any(
            isinstance(each, ast.Slice) or getattr(each, "value", None) is ...
            for each in indices.elts
        )
        if plain and len(indices.elts) == 2:
            row, column = map(ast.unparse, indices.elts)
            fix = f"Write {text}[{column}][{row}]: a matrix is indexed by its columns."
        return self.fault(
            indices,
            "several indices at once are not part of the shader language",
            kind="syntax",
            fix=fix,
        )

    def _variable(self, value: Expr) -> Expr:
        # Only places can be indexed by a value that is not constant.
        root = value
        while isinstance(root, nodes.Index | nodes.Field):
            root = root.value
        if isinstance(root, nodes.Global) or (isinstance(root, nodes.Read) and root.local.mutable):
            return value
        return build.expression(self.builder.var("indexed", value.type, value))

    # Operators -------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Expr:
        return self.operation(node, node.op, *self.values(node.left, node.right))

    def operation(self, node: ast.AST, op: ast.operator, left: Expr, right: Expr) -> Expr:
        """Return ``left op right`` with the meaning that both Python and WGSL give it."""
        symbol = _OPERATORS[type(op)]
        with self.at(node) as span:
            if symbol in ("/", "//", "%", "**"):
                a, b = build.matched(left, right.type), build.matched(right, left.type)
                if symbol == "**":
                    return self._power(node, left, right)
                symbol = self._division(node, symbol, a, b)
            if (
                symbol == "@"
                and not isinstance(left.type, Matrix)
                and not isinstance(right.type, Matrix)
            ):
                raise self.fault(
                    node,
                    f"cannot multiply {spelled(left.type)} by {spelled(right.type)} with @",
                    facts={"left": spelled(left.type), "right": spelled(right.type)},
                    fix="Write dot(a, b) for vectors, * for numbers.",
                )
            return check_constant(build.binary(symbol, left, right, span=span))

    def _division(self, node: ast.AST, symbol: str, a: Expr, b: Expr) -> str:
        kinds = (scalar_of(a.type), scalar_of(b.type))
        facts = {"left": spelled(a.type), "right": spelled(b.type)}
        if symbol == "/" and kinds[0] in (I32, U32) and kinds[1] in (I32, U32):
            raise self.fault(
                node,
                "'/' on integers gives a fraction in Python, but not in WGSL",
                facts=facts,
                fix="Write f32(a) / f32(b), or a // b with u32.",
            )
        if symbol == "//" and F32 in kinds:
            raise self.fault(
                node,
                "'//' is not defined for f32",
                facts=facts,
                fix="Write floor(a / b) or trunc(a / b).",
            )
        if symbol in ("//", "%") and I32 in kinds and not (_is_count(a) and _is_count(b)):
            raise self.fault(
                node,
                f"{symbol!r} on i32: Python rounds down, WGSL rounds towards zero",
                facts=facts,
                fix=f"If both sides are not negative, write u32(a) {symbol} u32(b).",
            )
        return "%" if symbol == "%" else "/"

    def _power(self, node: ast.AST, left: Expr, right: Expr) -> Expr:
        span = self.span(node)
        if left.type == F32 and isinstance(right, nodes.Literal) and right.abstract:
            return self._raised(node, self.temporary("base", left), int(right.value), span)
        a, b = build.matched(left, right.type), build.matched(right, left.type)
        if not (a.type == b.type == F32):
            raise self.fault(
                node,
                f"'**' is not defined for {spelled(a.type)} and {spelled(b.type)}",
                facts={"left": spelled(a.type), "right": spelled(b.type)},
                fix="Write x * x, or pow(x, y) with f32 or vectors of f32.",
            )
        return check_constant(build.intrinsic("pow", a, b, span=span))

    def _raised(self, node: ast.AST, base: Expr, count: int, span: nodes.Span) -> Expr:
        if not 1 <= count <= lang.MAX_POWER:
            raise self.fault(
                node,
                f"'**' by the whole number {count} is not defined",
                facts={"range": f"1 to {lang.MAX_POWER}"},
                fix="Write 1.0 / x ** n, or pow(x, y) for x that are not negative.",
            )
        if count == 1:
            return base
        half = self._raised(node, base, count // 2, span)
        half = self.temporary("power", half)
        square = build.binary("*", half, half, span=span)
        return build.binary("*", square, base, span=span) if count % 2 else square

    def _unary(self, node: ast.UnaryOp) -> Expr:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            number = node.operand.value
            if isinstance(number, int | float) and not isinstance(number, bool):
                with self.at(node) as span:
                    return build.literal(-number, span=span)
        operand = self.value(node.operand)
        with self.at(node) as span:
            match node.op:
                case ast.Not():
                    if operand.type != BOOL:
                        raise self.fault(
                            node,
                            f"'not' wants a bool, not {spelled(operand.type)}",
                            facts={"operand": spelled(operand.type)},
                            fix="Write x == 0 for numbers, ~v for vectors of bools.",
                        )
                    return build.unary("!", operand, span=span)
                case ast.USub() if isinstance(operand.type, Matrix):
                    return build.binary("*", operand, -1.0, span=span)
                case ast.USub():
                    return build.unary("-", operand, span=span)
                case ast.Invert() if (
                    isinstance(operand.type, Vector) and scalar_of(operand.type) == BOOL
                ):
                    return build.unary("!", operand, span=span)
                case ast.Invert():
                    return build.unary("~", operand, span=span)
                case _:
                    if scalar_of(operand.type) in (None, BOOL):
                        raise self.fault(node, f"+ is not defined on {spelled(operand.type)}")
                    return operand

    def condition(self, node: ast.expr) -> Expr:
        """Return a bool; truth of numbers is refused."""
        made = self.value(node)
        if made.type == BOOL:
            return made
        text = ast.unparse(node)
        is_vector = isinstance(made.type, Vector)
        fix = f"Write all({text}) or any({text})." if is_vector else f"Write {text} != 0."
        if is_vector and scalar_of(made.type) != BOOL:
            fix = "Compare it first, then use all(...) or any(...)."
        elif made.type == F32:
            fix = f"Write {text} != 0.0."
        raise self.fault(
            node,
            f"a condition must be bool, not {spelled(made.type)}",
            facts={"condition": spelled(made.type)},
            fix=fix,
        )

    def _bool(self, node: ast.BoolOp) -> Expr:
        op = "and" if isinstance(node.op, ast.And) else "or"
        result = self.condition(node.values[0])
        for each in node.values[1:]:
            with self.builder.block() as prelude:
                right = self.condition(each)
            if prelude:
                result = self._late(op, result, right, prelude)
            else:
                result = build.binary(op, result, right, span=self.span(node))
        return result

    def _late(self, op: str, left: Expr, right: Expr, prelude: list[Stmt]) -> Expr:
        # The right side needs statements: they run only if Python would run it.
        found = self.builder.var("holds", BOOL, left)
        condition = build.expression(found)
        if op == "or":
            condition = build.unary("!", condition)
        write = nodes.Assign(nodes.Read(BOOL, found), right)
        self.builder.append(nodes.If(condition, (*prelude, write), ()))
        return build.expression(found)

    def _compare(self, node: ast.Compare) -> Expr:
        for op in node.ops:
            if type(op) not in _COMPARISONS:
                word = "is" if isinstance(op, ast.Is | ast.IsNot) else "in"
                raise self.fault(
                    node,
                    f"{word!r} is not part of the shader language",
                    kind="syntax",
                    fix=instead_of_in(node, op),
                )
        left, right = self.values(node.left, node.comparators[0])
        result: Expr | None = None
        for position, op in enumerate(node.ops):
            with self.builder.block() as prelude:
                if position:
                    right = self.value(node.comparators[position])
                if position + 1 < len(node.ops):
                    right = self.temporary("middle", build.matched(right, left.type))
                link = self._link(node, op, left, right)
            if result is None:
                self._append(prelude)
                result = link
            elif prelude:
                result = self._late("and", result, link, prelude)
            else:
                result = build.binary("and", result, link, span=self.span(node))
            left = right
        assert result is not None
        return result

    def _append(self, statements: list[Stmt]) -> None:
        for statement in statements:
            self.builder.append(statement)

    def _link(self, node: ast.Compare, op: ast.cmpop, left: Expr, right: Expr) -> Expr:
        with self.at(node) as span:
            link = build.binary(_COMPARISONS[type(op)], left, right, span=span)
            if len(node.ops) > 1 and link.type != BOOL:
                raise self.fault(
                    node,
                    "a chain of comparisons gives one bool, vectors give several",
                    fix="Compare twice and join with all(...) and all(...).",
                )
            return link

    def _conditional(self, node: ast.IfExp) -> Expr:
        condition = self.condition(node.test)
        if isinstance(condition, nodes.Literal):
            return self.value(node.body if condition.value else node.orelse)
        with self.builder.block() as then:
            a = self.value(node.body)
        with self.builder.block() as otherwise:
            b = self.value(node.orelse)
        a, b = build.matched(a, b.type), build.matched(b, a.type)
        if a.type != b.type:
            raise self.fault(
                node,
                f"the two sides of 'if ... else' differ: {spelled(a.type)} and {spelled(b.type)}",
                facts={"if true": spelled(a.type), "if false": spelled(b.type)},
                fix="Convert one of them.",
            )
        span = self.span(node)
        if not then and not otherwise and _is_cheap(a) and _is_cheap(b):
            return build.intrinsic("select", b, a, condition, span=span)
        found = self.builder.var("chosen", a.type)
        read = nodes.Read(a.type, found)
        self.builder.append(
            nodes.If(
                condition,
                (*then, nodes.Assign(read, a)),
                (*otherwise, nodes.Assign(read, b)),
                span=span,
            )
        )
        return build.expression(found, span)

    def _call(self, node: ast.Call) -> Expr | Static:
        return self.call(node)

    uses: dict[str, Any]
    loop_names: set[str]

    _EXPRESSIONS: ClassVar[dict[type, Callable[[Any, Any], Expr | Static]]] = {
        ast.Name: _name,
        ast.Constant: _literal,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _bool,
        ast.Compare: _compare,
        ast.IfExp: _conditional,
        ast.Call: _call,
    }


def _value_like(static: Static) -> bool | None:
    """Tell whether a captured object has components or members of its own."""
    value = static.value
    is_class = isinstance(value, type)
    if isinstance(value, lang.VectorValue | lang.Resource | AVal):
        return True
    if not is_class and isinstance(getattr(type(value), "__shader_type__", None), StructType):
        return True
    return None


def _is_count(value: Expr) -> bool:
    return isinstance(value, nodes.Literal) and value.value >= 0


def _is_cheap(value: Expr) -> bool:
    """Tell whether evaluating a value in vain costs little and cannot fault."""
    if not isinstance(value.type, Scalar | Vector):
        return False
    for count, node in enumerate(walk(value), start=1):
        if count > _CHEAP_NODES or isinstance(node, nodes.Call | nodes.Index):
            return False
        if isinstance(node, nodes.Intrinsic) and INTRINSICS[node.name].effect:
            return False
        if (
            isinstance(node, nodes.Binary)
            and node.op in ("/", "%")
            and scalar_of(node.type) in (I32, U32)
        ):
            return False
    return True
