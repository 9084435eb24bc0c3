"""Typing rules of intrinsics, and the names of types.

A typing rule is text such as ``"F F f32 -> F"``. Its letters stand for any type of a kind, the same
type at each place:

    F  f32 or vector of f32        N  number or vector of numbers      I  integer or vector of
    integers V  vector of f32               U  number, bool or vector of those  B  bool or vector of
    bools M  matrix

``mask(U)`` is ``bool`` in the shape of U; ``F.scalar`` is the type of one component;
``M.transposed`` swaps columns and rows. ``int``, ``vec2int`` and ``vec3int`` are i32 or u32, each
place on its own. A texture's name without its channel type stands for any, ``T.texel`` for what one
of its texels is.
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
    AtomicType,
    Matrix,
    SamplerType,
    Scalar,
    StorageTextureType,
    StructField,
    StructType,
    TextureType,
    Type,
    Vector,
)

__all__ = [
    "DEPTH_TEXTURES",
    "EVERY_STAGE",
    "EXCHANGES",
    "EXCHANGE_RESULTS",
    "KINDS",
    "MULTISAMPLED_TEXTURES",
    "NAMES",
    "RESOURCE_NAMES",
    "SAMPLED_TEXTURES",
    "Operation",
    "is_flat",
    "is_tuple",
    "scalar_of",
    "shaped",
    "spelled",
    "tuple_type",
]

EVERY_STAGE = ("vertex", "fragment", "compute")

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
    **{
        f"mat{columns}x{rows}": Matrix(columns, rows)
        for columns in (2, 3, 4)
        for rows in (2, 3, 4)
        if columns != rows
    },
    "void": VOID,
    **{f"vec{size}i": Vector(I32, size) for size in (2, 3, 4)},
    **{f"vec{size}u": Vector(U32, size) for size in (2, 3, 4)},
    **{f"vec{size}b": Vector(BOOL, size) for size in (2, 3, 4)},
}
"""Types of values by the name that Python code writes."""

SAMPLED_TEXTURES = (
    "texture_1d",
    "texture_2d",
    "texture_2d_array",
    "texture_3d",
    "texture_cube",
    "texture_cube_array",
)
DEPTH_TEXTURES = (
    "texture_depth_2d",
    "texture_depth_2d_array",
    "texture_depth_cube",
    "texture_depth_cube_array",
)
MULTISAMPLED_TEXTURES = ("texture_multisampled_2d", "texture_depth_multisampled_2d")

RESOURCE_NAMES: dict[str, Type] = {
    "atomic_i32": AtomicType(I32),
    "atomic_u32": AtomicType(U32),
    "sampler": SamplerType(),
    "sampler_comparison": SamplerType(comparison=True),
    **{
        f"{kind}<{scalar.name}>": TextureType(kind, scalar)
        for kind in (*SAMPLED_TEXTURES, MULTISAMPLED_TEXTURES[0])
        for scalar in (F32, I32, U32)
    },
    **{kind: TextureType(kind, F32) for kind in (*DEPTH_TEXTURES, MULTISAMPLED_TEXTURES[1])},
}
"""Types of what is no value: atomics, samplers, textures that are sampled."""


def _exchange(name: str, scalar: Scalar) -> StructType:
    return StructType(name, (StructField("old_value", scalar), StructField("exchanged", BOOL)))


EXCHANGES = {scalar: _exchange(f"__exchange_{scalar.name}", scalar) for scalar in (I32, U32)}
"""What ``atomicCompareExchangeWeak`` returns. WGSL has no name for it: it is only ever kept in a
``let`` and read member by member."""
EXCHANGE_RESULTS = {I32: _exchange("ExchangeI32", I32), U32: _exchange("ExchangeU32", U32)}
"""What Python code gets of it: the same members, in a struct that has a name."""


def tuple_type(parts: Sequence[Type]) -> StructType:
    """Return the type of several results of a function: a struct whose members have no names."""
    name = f"tuple[{', '.join(spelled(part) for part in parts)}]"
    return StructType(name, tuple(StructField(str(k), part) for k, part in enumerate(parts)))


def is_tuple(type_: Type) -> bool:
    """Tell whether a type is that of several results."""
    return isinstance(type_, StructType) and type_.name.startswith("tuple[")


_SPELLED = {type_: name for name, type_ in {**NAMES, **RESOURCE_NAMES}.items()}


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


def shaped(type_: Type, scalar: Scalar) -> Type:
    """Return ``scalar`` in the shape of a scalar or vector."""
    return Vector(scalar, type_.size) if isinstance(type_, Vector) else scalar


def is_flat(type_: Type) -> bool:
    """Tell whether a type is a scalar or vector."""
    return isinstance(type_, (Scalar, Vector))


KINDS: dict[str, Callable[[Type], bool]] = {
    "F": lambda t: is_flat(t) and scalar_of(t) == F32,
    "N": lambda t: is_flat(t) and scalar_of(t) != BOOL,
    "I": lambda t: is_flat(t) and scalar_of(t) in (I32, U32),
    "U": is_flat,
    "B": lambda t: is_flat(t) and scalar_of(t) == BOOL,
    "V": lambda t: isinstance(t, Vector) and t.scalar == F32,
    "W": lambda t: isinstance(t, Vector) and t.scalar != BOOL,
    "M": lambda t: isinstance(t, Matrix),
}
# These bind nothing: two of them in one rule may be different types.
_LOOSE: dict[str, tuple[Type, ...]] = {
    "int": (I32, U32),
    "vec2int": (Vector(I32, 2), Vector(U32, 2)),
    "vec3int": (Vector(I32, 3), Vector(U32, 3)),
}


def _is_kind(token: str, found: Type) -> bool:
    return isinstance(found, TextureType | StorageTextureType) and found.kind == token


def _matches(rule: str, args: Sequence[Type]) -> Type | None:
    """Return the result of one rule for these arguments, or ``None``."""
    left, _, result = rule.partition(" -> ")
    wanted = left.split()
    if len(wanted) != len(args):
        return None
    bound: dict[str, Type] = {}
    for token, found in zip(wanted, args, strict=True):
        if token.startswith("mask("):
            if found != shaped(bound[token[5]], BOOL):
                return None
        elif token in KINDS:
            if not KINDS[token](found) or bound.setdefault(token, found) != found:
                return None
        elif token in _LOOSE:
            if found not in _LOOSE[token]:
                return None
        elif _is_kind(token, found):
            bound["T"] = found
        elif token.endswith(".texel"):
            if found != _texel(bound["T"]):
                return None
        elif found not in (NAMES.get(token), RESOURCE_NAMES.get(token)):
            return None
    return _result(result, bound)


def _texel(type_: Type) -> Type:
    assert isinstance(type_, TextureType | StorageTextureType)
    return type_.texel


def _result(result: str, bound: dict[str, Type]) -> Type | None:
    letter, _, part = result.partition(".")
    if part == "scalar":
        return scalar_of(bound[letter])
    if part == "transposed":
        matrix = bound[letter]
        assert isinstance(matrix, Matrix)
        return Matrix(matrix.rows, matrix.columns)
    if part == "texel":
        return _texel(bound[letter])
    if part == "exchange":
        return EXCHANGES[Scalar(letter)]
    return bound.get(result) or NAMES[result]


@dataclass(frozen=True, slots=True)
class Operation:
    """One intrinsic function.

    Attributes
    ----------
    rules
        Typing rules; the first that fits holds.
    wgsl
        Name of the built-in function; after a dot, the member of its result that is meant.
    stages
        Where it may be called.
    effect
        It does something besides giving a value: it writes, or waits for others.
    family
        ``number``, ``derivative``, ``barrier``, ``atomic``, ``texture`` or ``array``.
    place
        The first argument is what is worked on, not a value.
    reads
        Its value depends on memory that others may write: equal calls may differ.
    uniform
        All invocations of the workgroup, or of the quad, have to reach it together.
    """

    name: str
    rules: tuple[str, ...]
    wgsl: str
    stages: tuple[str, ...] = EVERY_STAGE
    effect: bool = False
    family: str = "number"
    place: bool = False
    reads: bool = False
    uniform: bool = False

    @property
    def is_statement(self) -> bool:
        """Whether it gives no value."""
        return bool(self.rules) and all(rule.endswith("-> void") for rule in self.rules)

    def type_for(self, args: Sequence[Type]) -> Type | None:
        """Return the type of the result, or ``None`` if no rule fits."""
        for rule in self.rules:
            found = _matches(rule, args)
            if found is not None:
                return found
        return None
