"""Smart constructors: they check types, so an ill-typed expression cannot exist.

Wherever an operand is wanted, a :class:`Local`, a :class:`Resource`, a Python number or bool will
do. A Python integer takes the type of its neighbour (``i32`` alone); a Python float is ``f32``.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from heapscene.shader.advice import known_elsewhere
from heapscene.shader.diagnostics import Refusal
from heapscene.shader.ir import nodes
from heapscene.shader.ir.fold import fold_binary, fold_convert, wrapped
from heapscene.shader.ir.nodes import Expr, Function, Span
from heapscene.shader.ir.operands import (
    NO_INFINITY,
    Operand,
    expression,
    literal,
    matched,
    operand_advice,
    together,
    zero,
)
from heapscene.shader.ir.places import atomic, texture, uniform_load
from heapscene.shader.operations import INTRINSICS, binary_type, scalar_of, spelled
from heapscene.shader.rules import is_tuple
from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    U32,
    ArrayType,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

__all__ = [
    "Operand",
    "binary",
    "bitcast",
    "call",
    "construct",
    "convert",
    "expression",
    "field",
    "index",
    "intrinsic",
    "literal",
    "matched",
    "struct",
    "swizzle",
    "unary",
    "zero",
]


def unary(op: str, operand: Operand, *, span: Span | None = None) -> Expr:
    """``-x``, ``~x`` or ``not x`` (written ``!``)."""
    value = expression(operand)
    scalar = scalar_of(value.type)
    fits = {
        "-": scalar in (F32, I32),
        "~": scalar in (I32, U32),
        "!": scalar == BOOL,
    }[op]
    if not fits:
        word = {"-": "-", "~": "~", "!": "not"}[op]
        fix = {
            "-": "Convert first: -i32(x)." if scalar == U32 else "Only numbers have a sign.",
            "~": "Use 'not' on a bool." if scalar == BOOL else "Convert first: ~u32(x).",
            "!": "Write a comparison, such as x == 0.",
        }[op]
        raise Refusal(
            f"{word} is not defined on {spelled(value.type)}", {"operand": spelled(value.type)}, fix
        )
    if isinstance(value, nodes.Literal):
        if op == "!":
            return literal(not value.value, span=span)
        number = -value.value if op == "-" else wrapped(~int(value.value), _scalar(value.type))
        if value.type == I32:
            number = number if value.abstract else wrapped(int(number), I32)
        return literal(number, None if value.abstract else value.type, span=span)
    return nodes.Unary(value.type, op, value, span=span)


def _scalar(type_: Type) -> Scalar:
    assert isinstance(type_, Scalar)
    return type_


_VERBS = {
    "+": "add {0} and {1}",
    "-": "subtract {1} from {0}",
    "*": "multiply {0} by {1}",
    "@": "multiply {0} by {1}",
    "/": "divide {0} by {1}",
    "and": "join {0} and {1} with 'and'",
    "or": "join {0} and {1} with 'or'",
}


def binary(op: str, left: Operand, right: Operand, *, span: Span | None = None) -> Expr:
    """``left op right``; the operators are those of :data:`heapscene.shader.operations.BINARY`.

    Raises
    ------
    Refusal
        The operator is not defined for these types.
    """
    if op in ("<<", ">>"):
        return _shift(op, left, right, span)
    a, b = together((left, right))
    type_ = binary_type(op, a.type, b.type)
    if type_ is None:
        verb = _VERBS.get(
            op, f"compute {{0}} {op} {{1}}" if op not in _COMPARED else "compare {0} with {1}"
        )
        raise Refusal(
            f"cannot {verb.format(spelled(a.type), spelled(b.type))}",
            {"left": spelled(a.type), "right": spelled(b.type)},
            _advice(op, a.type, b.type),
        )
    if isinstance(a, nodes.Literal) and isinstance(b, nodes.Literal):
        value = fold_binary(op, a.value, b.value, _scalar(a.type))
        if value is not None:
            abstract = a.abstract and b.abstract and type_ == I32
            return nodes.Literal(type_, value, abstract=abstract, span=span)
        if a.type == F32 and op in ("+", "-", "*", "/") and b.value != 0:
            raise Refusal(f"{a.value} {op} {b.value} is not a finite f32", fix=NO_INFINITY)
    if isinstance(b, nodes.Literal) and op in ("/", "%") and b.value == 0:
        raise Refusal("division by the constant 0", fix="Guard the division with select or if.")
    return nodes.Binary(type_, op, a, b, span=span)


_COMPARED = ("==", "!=", "<", "<=", ">", ">=")


def _advice(op: str, left: Type, right: Type) -> str:
    if op == "@" and isinstance(left, Matrix) and left.columns == 4 and right == Vector(F32, 3):
        return "Write vec4(p, 1.0) for a point, or vec4(p, 0.0) for a direction."
    if op == "*" and isinstance(left, Matrix) and isinstance(right, Vector | Matrix):
        return "Use @ for products with matrices."
    if op in ("and", "or"):
        return "Both sides must be bool: write comparisons, such as x != 0."
    if op == "^" and left == right and scalar_of(left) == BOOL:
        return "Write a != b."
    if BOOL in (scalar_of(left), scalar_of(right)):
        return "A bool is not a number: write select(0.0, 1.0, flag)."
    kinds = (scalar_of(left), scalar_of(right))
    if op in ("&", "|", "^") and F32 in kinds:
        return "Bits are those of integers: convert with u32(...), or bitcast_u32(...) for all 32."
    if op in _COMPARED and kinds[0] == kinds[1] and isinstance(left, Vector | Scalar):
        vector = left if isinstance(left, Vector) else right
        if isinstance(vector, Vector) and Scalar in (type(left), type(right)):
            return f"Make the number a vector: {spelled(vector)}(x); then use all(...) or any(...)."
    if kinds[0] != kinds[1] and None not in kinds:
        # Towards f32, which loses least; a vector stays a vector of its size.
        wanted = F32 if F32 in kinds else kinds[0]
        other = right if kinds[0] == wanted else left
        assert wanted is not None
        target = Vector(wanted, other.size) if isinstance(other, Vector) else wanted
        side = "right" if other is right else "left"
        return f"Convert the {side} side: {spelled(target)}(...)."
    return _size_advice(op, left, right)


def _size_advice(op: str, left: Type, right: Type) -> str:
    if isinstance(left, Matrix | Vector) and isinstance(right, Matrix | Vector):
        if op == "@" and isinstance(left, Matrix):
            rows = right.rows if isinstance(right, Matrix) else right.size
            return f"A matrix of {left.columns} columns takes {left.columns} rows, not {rows}."
        return "Make both of one size: take components (v.xyz), or add some (vec4(v, 1.0))."
    if op in ("+", "-") and F32 in (left, right):
        return "A matrix and a number are only multiplied: m * x."
    if isinstance(left, StructType) or isinstance(right, StructType):
        return "Write the operation for their fields."
    return f"Convert one side, so that {op!r} has operands that go together."


def _shift(op: str, left: Operand, right: Operand, span: Span | None) -> Expr:
    value, amount = expression(left), expression(right)
    if isinstance(amount, nodes.Literal) and not 0 <= amount.value < 32:
        raise Refusal(
            f"a shift by {amount.value} is not within 0 to 31", fix="Shift by 0 to 31 bits."
        )
    unsigned = Vector(U32, value.type.size) if isinstance(value.type, Vector) else U32
    if scalar_of(amount.type) == I32:
        amount = matched(amount, U32)
        if isinstance(amount, nodes.Literal):
            amount = literal(int(amount.value), U32, span=amount.span)
        else:
            amount = convert(unsigned, amount, span=amount.span)
    if amount.type == U32 != unsigned:
        amount = construct(unsigned, amount, span=amount.span)
    type_ = binary_type(op, value.type, amount.type)
    if type_ is None:
        raise Refusal(
            f"cannot compute {spelled(value.type)} {op} {spelled(amount.type)}",
            {"left": spelled(value.type), "right": spelled(amount.type)},
            "Shifts are for integers: convert with u32(...).",
        )
    if isinstance(value, nodes.Literal) and isinstance(amount, nodes.Literal):
        folded = fold_binary(op, value.value, amount.value, _scalar(value.type))
        assert folded is not None
        return nodes.Literal(type_, folded, abstract=value.abstract, span=span)
    return nodes.Binary(type_, op, value, amount, span=span)


def intrinsic(name: str, *operands: Operand, span: Span | None = None) -> Expr:
    """Call an intrinsic of :data:`heapscene.shader.operations.INTRINSICS`.

    Raises
    ------
    Refusal
        There is no such intrinsic, or none for these types.
    """
    operation = INTRINSICS.get(name)
    if operation is None:
        raise Refusal(f"there is no intrinsic {name!r}")
    if name == "array_length":
        return _array_length(operands, span)
    if name == "workgroup_uniform_load":
        return uniform_load(operands, span)
    if operation.family == "atomic":
        return atomic(operation, operands, span)
    if operation.family == "texture":
        return texture(operation, operands, span)
    if name == "select" and len(operands) == 3:
        args = [*together(operands[:2]), expression(operands[2])]
    else:
        args = together(operands)
    type_ = operation.type_for([arg.type for arg in args])
    if type_ is None and any(isinstance(arg, nodes.Literal) and arg.abstract for arg in args):
        args = [matched(arg, F32) for arg in args]
        type_ = operation.type_for([arg.type for arg in args])
    if type_ is None:
        found = ", ".join(spelled(arg.type) for arg in args)
        raise Refusal(
            f"{name} is not defined for ({found})",
            {"defined for": ";  ".join(operation.rules)},
            operand_advice(args) or f"Call {name} as one of these says.",
        )
    return nodes.Intrinsic(type_, name, tuple(args), span=span)


def _array_length(operands: Sequence[Operand], span: Span | None) -> Expr:
    value = expression(operands[0]) if len(operands) == 1 else None
    if not isinstance(value, nodes.Global) or not isinstance(value.type, ArrayType):
        raise Refusal("array_length wants a storage array", fix="Write array_length(name).")
    if value.type.length is not None:
        return literal(value.type.length, U32, span=span)
    return nodes.Intrinsic(U32, "array_length", (value,), span=span)


def construct(type_: Type, *operands: Operand, span: Span | None = None) -> Expr:
    """Make a vector, matrix, array or struct from its parts.

    A vector takes numbers and shorter vectors, or one number that is repeated; a matrix its
    columns, or all elements column by column. A struct takes its members in order of declaration.

    Raises
    ------
    Refusal
        The parts do not make up the type.
    """
    if isinstance(type_, StructType):
        names = [member.name for member in type_.fields]
        if len(names) == len(operands):
            return struct(type_, dict(zip(names, operands, strict=True)), span=span)
    scalar = scalar_of(type_)
    args = tuple(matched(operand, scalar or type_) for operand in operands)
    found = [arg.type for arg in args]
    if isinstance(type_, Vector):
        if len(args) == 1 and isinstance(args[0].type, Vector) and args[0].type.size == type_.size:
            return convert(type_, args[0], span=span)
        width = sum(t.words if isinstance(t, Scalar | Vector) else 99 for t in found)
        fits = all(scalar_of(t) == scalar for t in found) and (
            width == type_.size or found == [scalar]
        )
    elif isinstance(type_, Matrix):
        column = Vector(F32, type_.rows)
        fits = found in ([column] * type_.columns, [F32] * type_.words)
    elif isinstance(type_, ArrayType):
        fits = found == [type_.element] * (type_.length or 0)
    else:
        fits = False
    if not fits:
        raise Refusal(
            f"cannot make {spelled(type_)} from ({', '.join(spelled(t) for t in found)})",
            {"wanted": _recipe(type_), "found": ", ".join(spelled(t) for t in found) or "nothing"},
            f"Convert the parts: {spelled(scalar)}(x)."
            if scalar and any(scalar_of(t) != scalar for t in found)
            else f"Give it {_recipe(type_)}.",
        )
    return nodes.Construct(type_, args, span=span)


def _recipe(type_: Type) -> str:
    if isinstance(type_, Vector):
        return f"one {spelled(type_.scalar)}, or parts with {type_.size} components in all"
    if isinstance(type_, Matrix):
        return f"{type_.columns} columns of type vec{type_.rows}, or {type_.words} numbers"
    return str(type_)


def struct(type_: StructType, members: Mapping[str, Operand], *, span: Span | None = None) -> Expr:
    """Make a struct from all its members by name.

    Raises
    ------
    Refusal
        A member is missing, unknown or of another type.
    """
    known = [member.name for member in type_.fields]
    unknown = [name for name in members if name not in known]
    missing = [name for name in known if name not in members]
    if unknown or missing:
        problem = f"has no field {unknown[0]!r}" if unknown else f"needs the field {missing[0]!r}"
        raise Refusal(
            f"{type_.name} {problem}",
            {"fields": ", ".join(f"{m.name}: {spelled(m.type)}" for m in type_.fields)},
            f"Write {type_.name}({', '.join(f'{name}=...' for name in known)}).",
        )
    args: list[Expr] = []
    for member in type_.fields:
        value = matched(members[member.name], member.type)
        if value.type != member.type:
            raise Refusal(
                f"field {member.name!r} of {type_.name} is {spelled(member.type)}, "
                f"not {spelled(value.type)}",
                {"wanted": spelled(member.type), "found": spelled(value.type)},
                f"Convert it: {spelled(member.type)}(...).",
            )
        args.append(value)
    return nodes.Construct(type_, tuple(args), span=span)


def convert(type_: Type, operand: Operand, *, span: Span | None = None) -> Expr:
    """Convert a number, or a vector component by component. Floats are truncated and clamped.

    Raises
    ------
    Refusal
        The shapes differ.
    """
    value = expression(operand)
    scalar = scalar_of(type_)
    same_size = (isinstance(type_, Scalar) and isinstance(value.type, Scalar)) or (
        isinstance(type_, Vector)
        and isinstance(value.type, Vector)
        and type_.size == value.type.size
    )
    if not same_size or scalar is None:
        raise Refusal(f"cannot convert {spelled(value.type)} to {spelled(type_)}")
    if isinstance(value, nodes.Literal):
        return literal(fold_convert(value.value, scalar), scalar, span=span)
    if value.type == type_:
        return value
    return nodes.Convert(type_, value, span=span)


def bitcast(type_: Type, operand: Operand, *, span: Span | None = None) -> Expr:
    """Reinterpret the bits of a number or vector.

    Raises
    ------
    Refusal
        A bool is involved, or the sizes differ.
    """
    value = expression(operand)
    bits = (F32, I32, U32)
    if (
        scalar_of(value.type) not in bits
        or scalar_of(type_) not in bits
        or isinstance(type_, Matrix)
        or isinstance(value.type, Matrix)
        or type_.words != value.type.words
    ):
        raise Refusal(f"cannot bitcast {spelled(value.type)} to {spelled(type_)}")
    if isinstance(value, nodes.Literal) and value.abstract:
        value = literal(value.value, I32, span=value.span)
    return value if value.type == type_ else nodes.Bitcast(type_, value, span=span)


_COLOR_LETTERS = str.maketrans("rgba", "xyzw")


def swizzle(operand: Operand, letters: str, *, span: Span | None = None) -> Expr:
    """One to four components of a vector by ``xyzw`` or ``rgba``.

    Raises
    ------
    Refusal
        Not a vector, or it has no such component.
    """
    value = expression(operand)
    plain = letters.translate(_COLOR_LETTERS)
    mixed = plain != letters and any(letter in "xyzw" for letter in letters)
    if not isinstance(value.type, Vector):
        known = known_elsewhere(letters)
        if letters == "T" and isinstance(value.type, Matrix):
            known = "Write transpose(m)."
        raise Refusal(
            f"{spelled(value.type)} has no attribute {letters!r}",
            fix=known or "Only vectors have components, .x .xyz ..., and @struct classes fields.",
        )
    known = "xyzw"[: value.type.size]
    if mixed or not 1 <= len(plain) <= 4 or any(letter not in known for letter in plain):
        raise Refusal(
            f"{spelled(value.type)} has no component {letters!r}",
            {"components": f"{' '.join(known)}  (or {' '.join('rgba'[: len(known)])})"},
            f"Write one to four of them, such as .{known[:2]}, from one of both rows.",
        )
    type_ = value.type.scalar if len(plain) == 1 else Vector(value.type.scalar, len(plain))
    return nodes.Swizzle(type_, value, plain, span=span)


def field(operand: Operand, name: str, *, span: Span | None = None) -> Expr:
    """Return a member of a struct.

    Raises
    ------
    Refusal
        Not a struct, or it has no such member.
    """
    value = expression(operand)
    member = value.type.field(name) if isinstance(value.type, StructType) else None
    if member is None:
        what = f"{spelled(value.type)} has no field {name!r}"
        if not isinstance(value.type, StructType):
            raise Refusal(what, fix="Only @struct classes have fields.")
        if is_tuple(value.type):
            raise Refusal(what, {"type": spelled(value.type)}, "Write a, b = t, or t[0].")
        known = [each.name for each in value.type.fields]
        similar = difflib.get_close_matches(name, known, n=1)
        fix = f"Did you mean {similar[0]!r}?" if similar else f"Add {name} to {value.type.name}."
        raise Refusal(what, {"fields": ", ".join(known)}, fix)
    return nodes.Field(member.type, value, name, span=span)


def index(operand: Operand, position: Operand, *, span: Span | None = None) -> Expr:
    """Return an element of an array, a component of a vector, or a *column* of a matrix.

    Raises
    ------
    Refusal
        Nothing to index, or the index is not an integer or a constant out of range.
    """
    value, at = expression(operand), expression(position)
    type_: Type
    length: int | None
    if isinstance(value.type, ArrayType):
        type_, length = value.type.element, value.type.length
    elif isinstance(value.type, Vector):
        type_, length = value.type.scalar, value.type.size
    elif isinstance(value.type, Matrix):
        type_, length = Vector(F32, value.type.rows), value.type.columns
    else:
        raise Refusal(f"{spelled(value.type)} cannot be indexed")
    if at.type not in (I32, U32):
        raise Refusal(
            f"an index must be an integer, not {spelled(at.type)}",
            {"index": spelled(at.type)},
            "Convert it: u32(i).",
        )
    if isinstance(at, nodes.Literal) and (at.value < 0 or (length and at.value >= length)):
        raise Refusal(
            f"the index {at.value} is out of range",
            {"length": length or "decided at run time"},
            f"Count from 0 to {length - 1}." if length else "Count from 0 on.",
        )
    return nodes.Index(type_, value, at, span=span)


def call(function: Function, *operands: Operand, span: Span | None = None) -> Expr:
    """Call another function.

    Raises
    ------
    Refusal
        The arguments do not fit.
    """
    if len(operands) != len(function.parameters):
        raise Refusal(
            f"{function.name} takes {len(function.parameters)} arguments, not {len(operands)}"
        )
    args: list[Expr] = []
    for parameter, operand in zip(function.parameters, operands, strict=True):
        value = matched(operand, parameter.type)
        if value.type != parameter.type:
            raise Refusal(
                f"{function.name} wants {spelled(parameter.type)} for {parameter.name!r}, "
                f"not {spelled(value.type)}",
                {"wanted": spelled(parameter.type), "found": spelled(value.type)},
                f"Convert it: {spelled(parameter.type)}(...).",
            )
        args.append(value)
    return nodes.Call(function.returns, function, tuple(args), span=span)
