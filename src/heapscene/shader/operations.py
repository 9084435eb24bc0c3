"""One table of operators and intrinsics: name, typing rule, WGSL spelling, stages.

A typing rule is text such as ``"F F f32 -> F"``. Its letters stand for any type of a kind, the same
type at each place:

    F  f32 or vector of f32        N  number or vector of numbers      I  integer or vector of
    integers V  vector of f32               U  number, bool or vector of those  B  bool or vector of
    bools M  matrix

``mask(U)`` is ``bool`` in the shape of U; ``F.scalar`` is the type of one component.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    MAT2,
    MAT3,
    MAT4,
    U32,
    VEC2,
    VEC3,
    VEC4,
    VOID,
    ArrayType,
    Matrix,
    Scalar,
    Type,
    Vector,
)

__all__ = ["BINARY", "INTRINSICS", "NAMES", "Operation", "binary_type", "scalar_of", "spelled"]

_EVERY = ("vertex", "fragment", "compute")

NAMES: dict[str, Type] = {
    "f32": F32,
    "i32": I32,
    "u32": U32,
    "bool": BOOL,
    "vec2": VEC2,
    "vec3": VEC3,
    "vec4": VEC4,
    "mat2": MAT2,
    "mat3": MAT3,
    "mat4": MAT4,
    "void": VOID,
    **{f"vec{size}i": Vector(I32, size) for size in (2, 3, 4)},
    **{f"vec{size}u": Vector(U32, size) for size in (2, 3, 4)},
    **{f"vec{size}b": Vector(BOOL, size) for size in (2, 3, 4)},
}
"""Types by the name that Python code writes."""

_SPELLED = {type_: name for name, type_ in NAMES.items()}


def spelled(type_: Type) -> str:
    """Return the name of a type as Python code writes it."""
    if isinstance(type_, ArrayType):
        return f"array of {spelled(type_.element)}"
    return _SPELLED.get(type_, type_.wgsl)


def scalar_of(type_: Type) -> Scalar | None:
    """Return the type of one component of a scalar, vector or matrix."""
    if isinstance(type_, Scalar):
        return type_
    if isinstance(type_, Vector):
        return type_.scalar
    return F32 if isinstance(type_, Matrix) else None


def _shaped(type_: Type, scalar: Scalar) -> Type:
    return Vector(scalar, type_.size) if isinstance(type_, Vector) else scalar


def _is_flat(type_: Type) -> bool:
    return isinstance(type_, Scalar | Vector)


_KINDS: dict[str, Callable[[Type], bool]] = {
    "F": lambda t: _is_flat(t) and scalar_of(t) == F32,
    "N": lambda t: _is_flat(t) and scalar_of(t) != BOOL,
    "I": lambda t: _is_flat(t) and scalar_of(t) in (I32, U32),
    "U": _is_flat,
    "B": lambda t: _is_flat(t) and scalar_of(t) == BOOL,
    "V": lambda t: isinstance(t, Vector) and t.scalar == F32,
    "W": lambda t: isinstance(t, Vector) and t.scalar != BOOL,
    "M": lambda t: isinstance(t, Matrix),
}


def _matches(rule: str, args: Sequence[Type]) -> Type | None:
    """Return the result of one rule for these arguments, or ``None``."""
    left, _, result = rule.partition(" -> ")
    wanted = left.split()
    if len(wanted) != len(args):
        return None
    bound: dict[str, Type] = {}
    for token, found in zip(wanted, args, strict=True):
        if token.startswith("mask("):
            if found != _shaped(bound[token[5]], BOOL):
                return None
        elif token in _KINDS:
            if not _KINDS[token](found) or bound.setdefault(token, found) != found:
                return None
        elif NAMES[token] != found:
            return None
    if result.endswith(".scalar"):
        return scalar_of(bound[result[0]])
    return bound.get(result) or NAMES[result]


@dataclass(frozen=True, slots=True)
class Operation:
    """One intrinsic function.

    Attributes
    ----------
    rules
        Typing rules; the first that fits holds.
    wgsl
        Name of the built-in function.
    stages
        Where it may be called.
    effect
        It does something besides giving a value, so it is a statement.
    """

    name: str
    rules: tuple[str, ...]
    wgsl: str
    stages: tuple[str, ...] = _EVERY
    effect: bool = False

    def type_for(self, args: Sequence[Type]) -> Type | None:
        """Return the type of the result, or ``None`` if no rule fits."""
        for rule in self.rules:
            found = _matches(rule, args)
            if found is not None:
                return found
        return None


def _table(*groups: tuple[str, tuple[str, ...]]) -> dict[str, Operation]:
    table: dict[str, Operation] = {}
    for names, rules in groups:
        for entry in names.split():
            name, _, wgsl = entry.partition("=")
            table[name] = Operation(name, rules, wgsl or name)
    return table


INTRINSICS: dict[str, Operation] = _table(
    ("abs", ("N -> N",)),
    ("sign", ("F -> F", "I -> I")),
    ("min max", ("N N -> N",)),
    ("clamp", ("N N N -> N",)),
    ("mix", ("F F F -> F", "F F f32 -> F")),
    ("step", ("F F -> F",)),
    ("smoothstep", ("F F F -> F",)),
    ("floor ceil round trunc fract sqrt inverse_sqrt=inverseSqrt", ("F -> F",)),
    ("exp exp2 log log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", ("F -> F",)),
    ("radians degrees saturate", ("F -> F",)),
    ("pow atan2", ("F F -> F",)),
    ("dot", ("W W -> W.scalar",)),
    ("cross", ("vec3 vec3 -> vec3",)),
    ("length", ("F -> f32",)),
    ("distance", ("F F -> f32",)),
    ("normalize", ("V -> V",)),
    ("reflect", ("V V -> V",)),
    ("refract", ("V V f32 -> V",)),
    ("faceforward=faceForward", ("V V V -> V",)),
    ("transpose", ("M -> M",)),
    ("determinant", ("M -> f32",)),
    ("select", ("U U bool -> U", "U U mask(U) -> U")),
    ("any all", ("B -> bool",)),
    ("fma", ("F F F -> F",)),
    ("ldexp", ("f32 i32 -> f32",)),
    (
        (
            "count_one_bits=countOneBits count_leading_zeros=countLeadingZeros "
            "count_trailing_zeros=countTrailingZeros reverse_bits=reverseBits "
            "first_leading_bit=firstLeadingBit first_trailing_bit=firstTrailingBit"
        ),
        ("I -> I",),
    ),
    ("pack4x8unorm pack4x8snorm", ("vec4 -> u32",)),
    ("unpack4x8unorm unpack4x8snorm", ("u32 -> vec4",)),
    ("pack2x16float pack2x16unorm", ("vec2 -> u32",)),
    ("unpack2x16float unpack2x16unorm", ("u32 -> vec2",)),
)
for _name in ["dpdx", "dpdy", "fwidth", "dpdx_fine", "dpdy_fine", "dpdx_coarse", "dpdy_coarse"]:
    _wgsl = _name.replace("_f", "F").replace("_c", "C")
    INTRINSICS[_name] = Operation(_name, ("F -> F",), _wgsl, ("fragment",))
INTRINSICS["array_length"] = Operation("array_length", (), "arrayLength")
for _name, _wgsl in (
    ("workgroup_barrier", "workgroupBarrier"),
    ("storage_barrier", "storageBarrier"),
):
    INTRINSICS[_name] = Operation(_name, (" -> void",), _wgsl, ("compute",), effect=True)


BINARY: dict[str, str] = {
    **{op: op for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")},
    **{op: op for op in ("==", "!=", "<", "<=", ">", ">=")},
    "@": "*",
    "and": "&&",
    "or": "||",
}
"""WGSL spelling of each operator of the IR. ``/`` and ``%`` truncate on integers."""


def _arithmetic_type(op: str, left: Type, right: Type) -> Type | None:
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        if op in "+-" and left == right:
            return left
        if op == "*" and F32 in (left, right):
            return left if isinstance(left, Matrix) else right
        return None
    if not (_KINDS["N"](left) and _KINDS["N"](right)):
        return None
    if left == right:
        return left
    if isinstance(left, Vector) and right == left.scalar:
        return left
    if isinstance(right, Vector) and left == right.scalar:
        return right
    return None


def _product_type(left: Type, right: Type) -> Type | None:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return Matrix(right.columns, left.rows) if left.columns == right.rows else None
    if isinstance(left, Matrix):
        return Vector(F32, left.rows) if right == Vector(F32, left.columns) else None
    if isinstance(right, Matrix):
        return Vector(F32, right.columns) if left == Vector(F32, right.rows) else None
    return None


def binary_type(op: str, left: Type, right: Type) -> Type | None:
    """Return the type of ``left op right``, or ``None`` if the operator is not defined."""
    if op in ("+", "-", "*", "/", "%"):
        return _arithmetic_type(op, left, right)
    if op == "@":
        return _product_type(left, right)
    if op in ("and", "or"):
        return BOOL if left == right == BOOL else None
    if op in ("<<", ">>"):
        return left if _KINDS["I"](left) and right == _shaped(left, U32) else None
    if op in ("&", "|", "^"):
        fits = _KINDS["I"](left) or (_KINDS["B"](left) and op != "^")
        return left if fits and left == right else None
    if op in ("==", "!="):
        return _shaped(left, BOOL) if _is_flat(left) and left == right else None
    return _shaped(left, BOOL) if _KINDS["N"](left) and left == right else None
