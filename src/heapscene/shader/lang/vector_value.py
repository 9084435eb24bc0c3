"""Vectors: immutable, component-wise, with swizzles.

``v.xyz`` and ``v.rgb`` read components, ``v.with_x(1.0)`` returns a changed copy. Comparing two
vectors compares their components and gives a vector of bools (``vec3b``): reduce it with
:func:`all` or :func:`any`.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Never, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.scalars import Float32, Int32, UInt32, scalar_type
from heapscene.shader.types import BOOL, F32, I32, U32, Scalar, Vector

__all__ = [
    "DTYPES",
    "V2",
    "V3",
    "V4",
    "B",
    "S",
    "VectorValue",
    "register",
    "to_scalar",
    "vector_class",
]

S = TypeVar("S")
B = TypeVar("B")
V2 = TypeVar("V2")
V3 = TypeVar("V3")
V4 = TypeVar("V4")

_SETS = ("xyzw", "rgba")
_CLASSES: dict[tuple[Scalar, int], type[VectorValue[Any, Any, Any, Any, Any]]] = {}
_SCALARS: dict[Scalar, Callable[[Any], Any]] = {F32: Float32, I32: Int32, U32: UInt32, BOOL: bool}
DTYPES = {F32: np.float32, I32: np.int32, U32: np.uint32, BOOL: np.bool_}


def vector_class(scalar: Scalar, size: int) -> type[VectorValue[Any, Any, Any, Any, Any]]:
    """Return the class of vectors of that scalar type and size."""
    return _CLASSES[scalar, size]


def to_scalar(scalar: Scalar, value: object) -> Any:
    """Return ``value`` as that scalar, if it is one or is a Python or NumPy number that adapts.

    Raises
    ------
    ShaderTypeError
        Another shader type (``u32`` for ``f32``), or no number.
    """
    kind = scalar_type(value)
    if kind is scalar:
        return value if isinstance(value, (Float32, Int32, UInt32)) else _SCALARS[scalar](value)
    fits = kind is None and (
        isinstance(value, (int, np.integer))
        if scalar.is_integer
        else scalar.is_float and isinstance(value, (float, int, np.number))
    )
    if fits:
        return _SCALARS[scalar](value)
    given = kind.name if kind else type(value).__name__
    raise ShaderTypeError(
        explain(f"{given} where {scalar.name} is needed", fix=f"Convert it: {scalar.name}(x).")
    )


class VectorValue(Generic[S, B, V2, V3, V4]):
    """Two to four scalars.

    Made from scalars and vectors, from one scalar for all components, or from an array.
    """

    __slots__ = ("_parts",)
    __shader_type__: ClassVar[Vector]
    __array_ufunc__ = None  # so that a NumPy scalar on the left leaves the operation to us
    _parts: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        kind = self.__shader_type__
        parts = _flatten(values)
        if not values:
            parts = [_SCALARS[kind.scalar](0)]
        if len(values) == 1 and isinstance(values[0], VectorValue):
            convert = _SCALARS[kind.scalar]  # vec3(vec3u) converts each component
            parts = [convert(part) for part in parts]
        if len(parts) == 1:
            parts = parts * kind.size
        if len(parts) != kind.size:
            raise ShaderTypeError(
                explain(
                    f"{_name(self)} needs {kind.size} components, {len(parts)} were given",
                    fix=f"Give {kind.size} numbers, or one for all.",
                )
            )
        object.__setattr__(self, "_parts", tuple(to_scalar(kind.scalar, part) for part in parts))

    @classmethod
    def _of(cls, parts: Iterator[Any]) -> Self:
        self = object.__new__(cls)
        object.__setattr__(self, "_parts", tuple(parts))
        return self

    def __setattr__(self, name: str, value: Never) -> None:
        single = name in tuple("xyzwrgba")
        fix = f"v = v.with_{_canonical(name)}({value!r})" if single else f"v = {_name(self)}(...)"
        raise ShaderTypeError(
            explain(
                f"{_name(self)} values do not change: {name!r} was assigned", fix=f"Write  {fix}"
            )
        )

    def __repr__(self) -> str:
        return f"{_name(self)}({', '.join(str(part) for part in self._parts)})"

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[S]:
        return iter(self._parts)

    def __getitem__(self, index: int) -> S:
        if not 0 <= index < len(self._parts):
            raise IndexError(f"component {index} of a {_name(self)}")
        return self._parts[int(index)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        del copy
        wanted = DTYPES[self.__shader_type__.scalar] if dtype is None else dtype
        return np.array(
            [part.item() if hasattr(part, "item") else part for part in self._parts], wanted
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def _binary(
        self, symbol: str, function: Callable[[Any, Any], Any], other: object, *, swap: bool = False
    ) -> Any:
        if type(other) is type(self):
            right: tuple[Any, ...] = other._parts  # pyright: ignore[reportAttributeAccessIssue]
        elif isinstance(other, VectorValue):
            raise ShaderTypeError(
                explain(
                    f"{_name(self)} {symbol} {_name(other)} is not defined",
                    fix=f"Convert one side, for example {_name(self)}(v).",
                )
            )
        elif isinstance(other, (int, float, np.number, np.bool_)):
            right = (to_scalar(self.__shader_type__.scalar, other),) * len(self._parts)
        else:
            return NotImplemented
        pairs = (
            zip(right, self._parts, strict=True) if swap else zip(self._parts, right, strict=True)
        )
        return self._of(function(a, b) for a, b in pairs)

    def _arithmetic(
        self, symbol: str, function: Callable[[Any, Any], Any], other: object, *, swap: bool = False
    ) -> Any:
        if self.__shader_type__.scalar is BOOL:
            raise ShaderTypeError(
                explain(
                    f"{symbol!r} is not defined for {_name(self)}",
                    fix="Write  select(0.0, 1.0, flag)  for each bool.",
                )
            )
        return self._binary(symbol, function, other, swap=swap)

    def _compare(self, symbol: str, function: Callable[[Any, Any], Any], other: object) -> Any:
        if type(other) is not type(self):
            if isinstance(other, VectorValue) or scalar_type(other) is not None:
                raise ShaderTypeError(
                    explain(
                        f"{_name(self)} {symbol} {type(other).__name__} is not defined",
                        fix=f"Compare with a {_name(self)}, for example {_name(self)}(0).",
                    )
                )
            return NotImplemented
        found = self._binary(symbol, function, other)
        return vector_class(BOOL, len(self._parts))._of(iter(found._parts))

    def __add__(self, other: Self | S) -> Self:
        return self._arithmetic("+", op.add, other)

    def __radd__(self, other: S) -> Self:
        return self._arithmetic("+", op.add, other, swap=True)

    def __sub__(self, other: Self | S) -> Self:
        return self._arithmetic("-", op.sub, other)

    def __rsub__(self, other: S) -> Self:
        return self._arithmetic("-", op.sub, other, swap=True)

    def __mul__(self, other: Self | S) -> Self:
        return self._arithmetic("*", op.mul, other)

    def __rmul__(self, other: S) -> Self:
        return self._arithmetic("*", op.mul, other, swap=True)

    def __truediv__(self, other: Self | S) -> Self:
        return self._arithmetic("/", op.truediv, other)

    def __rtruediv__(self, other: S) -> Self:
        return self._arithmetic("/", op.truediv, other, swap=True)

    def __floordiv__(self, other: Self | S) -> Self:
        return self._arithmetic("//", op.floordiv, other)

    def __rfloordiv__(self, other: S) -> Self:
        return self._arithmetic("//", op.floordiv, other, swap=True)

    def __mod__(self, other: Self | S) -> Self:
        return self._arithmetic("%", op.mod, other)

    def __rmod__(self, other: S) -> Self:
        return self._arithmetic("%", op.mod, other, swap=True)

    def __and__(self, other: Self | S) -> Self:
        return self._bitwise("&", op.and_, other)

    def __or__(self, other: Self | S) -> Self:
        return self._bitwise("|", op.or_, other)

    def __xor__(self, other: Self | S) -> Self:
        return self._bitwise("^", op.xor, other)

    def _bitwise(self, symbol: str, function: Callable[[Any, Any], Any], other: object) -> Any:
        scalar = self.__shader_type__.scalar
        if scalar is F32 or (scalar is BOOL and symbol == "^") or type(other) is not type(self):
            raise ShaderTypeError(
                explain(
                    f"{_name(self)} {symbol} {type(other).__name__} is not defined",
                    fix=_bitwise_advice(scalar, symbol, _name(self)),
                )
            )
        return self._binary(symbol, function, other)

    def __lshift__(self, other: Any) -> Self:
        return self._shifted(op.lshift, other)

    def __rshift__(self, other: Any) -> Self:
        return self._shifted(op.rshift, other)

    def _shifted(self, function: Callable[[Any, Any], Any], other: Any) -> Self:
        if not self.__shader_type__.scalar.is_integer:
            raise ShaderTypeError(
                explain(
                    f"shifts are not defined for {_name(self)}",
                    fix="Convert to integers, for example vec3u(v).",
                )
            )
        size = len(self._parts)
        if not isinstance(other, VectorValue) and scalar_type(other) not in (U32, None):
            raise ShaderTypeError(
                explain(f"cannot shift a {_name(self)} by a {type(other).__name__}", fix="u32(n)")
            )
        by = other._parts if isinstance(other, VectorValue) else (other,) * size
        return self._of(function(a, b) for a, b in zip(self._parts, by, strict=True))

    def __neg__(self) -> Self:
        if self.__shader_type__.scalar is BOOL:
            raise ShaderTypeError(explain(f"- is not defined for {_name(self)}", fix="Write  ~v."))
        return self._of(-part for part in self._parts)

    def __pos__(self) -> Self:
        if self.__shader_type__.scalar is BOOL:
            raise ShaderTypeError(
                explain(
                    f"+ is not defined for {_name(self)}",
                    fix="Write  select(0.0, 1.0, flag)  for each bool.",
                )
            )
        return self

    def __invert__(self) -> Self:
        flips = self.__shader_type__.scalar is BOOL
        return self._of(not part if flips else ~part for part in self._parts)

    def __eq__(self, other: object) -> B:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare("==", op.eq, other)

    def __ne__(self, other: object) -> B:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare("!=", op.ne, other)

    def __lt__(self, other: Self) -> B:
        return self._compare("<", op.lt, other)

    def __le__(self, other: Self) -> B:
        return self._compare("<=", op.le, other)

    def __gt__(self, other: Self) -> B:
        return self._compare(">", op.gt, other)

    def __ge__(self, other: Self) -> B:
        return self._compare(">=", op.ge, other)

    def __bool__(self) -> Never:
        raise ShaderTypeError(
            explain(f"a {_name(self)} is neither true nor false", fix="Write  all(v)  or  any(v).")
        )

    def with_x(self, value: S) -> Self:
        """Return a copy with another x."""
        return self._with(0, value)

    def with_y(self, value: S) -> Self:
        """Return a copy with another y."""
        return self._with(1, value)

    def _with(self, index: int, value: object) -> Self:
        changed = to_scalar(self.__shader_type__.scalar, value)
        return self._of(changed if i == index else part for i, part in enumerate(self._parts))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            for letters in _SETS:
                indices = [letters[: len(self._parts)].find(letter) for letter in name]
                if 1 <= len(name) <= 4 and min(indices) >= 0:
                    if len(name) == 1:
                        return self._parts[indices[0]]
                    scalar = self.__shader_type__.scalar
                    return vector_class(scalar, len(name))._of(self._parts[i] for i in indices)
            raise AttributeError(
                f"{_name(self)} has no component {name!r}; "
                f"it has {_SETS[0][: len(self._parts)]} and {_SETS[1][: len(self._parts)]}"
            )


def _flatten(values: tuple[Any, ...]) -> list[Any]:
    parts: list[Any] = []
    for value in values:
        if isinstance(value, VectorValue):
            parts.extend(value._parts)
        elif isinstance(value, (np.ndarray, list, tuple)):
            parts.extend(np.asarray(value).reshape(-1).tolist())
        else:
            parts.append(value)
    return parts


def _canonical(letter: str) -> str:
    return _SETS[0][(_SETS[0].find(letter) if letter in _SETS[0] else _SETS[1].find(letter))]


def _name(vector: object) -> str:
    return type(vector).__name__


def register(cls: type[Any], scalar: Scalar, size: int) -> None:
    """Give a vector class its type."""
    cls.__shader_type__ = Vector(scalar, size)
    _CLASSES[scalar, size] = cls


def _bitwise_advice(scalar: Scalar, symbol: str, name: str) -> str:
    if scalar is BOOL and symbol == "^":
        return "Write a != b."
    if scalar is F32:
        return "Convert to integers, for example vec3u(v)."
    return f"Make the other side a {name}."
