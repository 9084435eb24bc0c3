"""``f32``, ``i32`` and ``u32``: Python numbers whose arithmetic rounds and wraps as on the GPU.

They are subclasses of :class:`float` and :class:`int`, and type checkers see them as ``float`` and
``int``, so that ``x: f32 = 0.5`` and ``0.5 * x`` need no conversion in the editor. Mixing ``i32``,
``u32`` and ``f32`` is refused when it happens.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.types import BOOL, F32, I32, U32, Scalar

__all__ = [
    "MAX_POWER",
    "Float32",
    "Int32",
    "Integer",
    "UInt32",
    "f32",
    "i32",
    "refuse_mix",
    "scalar_type",
    "u32",
]

_MAX_FLOAT_TO_I32 = 2147483520  # the largest f32 that is an i32
_MAX_FLOAT_TO_U32 = 4294967040
MAX_POWER = 32


def _rounded(value: float) -> float:
    # Rounding a double result of + - * / gives what single arithmetic gives, as 53 >= 2 * 24 + 2.
    return ctypes.c_float(value).value


def scalar_type(value: object) -> Scalar | None:
    """Return the shader type of a number; ``None`` for numbers that adapt and other objects."""
    return _TYPES.get(type(value))


def refuse_mix(operator: str, left: object, right: object) -> ShaderTypeError:
    """Return the error for an operator between two types that do not go together."""
    names = [_type_name(left), _type_name(right)]
    fix = "Convert one side, for example f32(x)." if names[0] != names[1] else ""
    if "bool" in names:
        fix = "A bool is not a number. Write  f32(1.0) if flag else f32(0.0)."
    return ShaderTypeError(explain(f"{names[0]} {operator} {names[1]} is not defined", fix=fix))


def _type_name(value: object) -> str:
    kind = scalar_type(value)
    return kind.name if kind else type(value).__name__


class Float32(float):
    """A 32-bit float. ``f32(x)`` converts any number or bool; every operation rounds to 32 bits."""

    __slots__ = ()
    __shader_type__: ClassVar[Scalar] = F32

    def __new__(cls, value: Any = 0.0) -> Self:  # noqa: D102 - described on the class
        if isinstance(value, (float, int, np.number, np.bool_)):
            return float.__new__(cls, _rounded(float(value)))
        raise ShaderTypeError(
            explain(f"f32() does not take a {type(value).__name__}", fix="Give one number or bool.")
        )

    def __repr__(self) -> str:
        return f"f32({np.float32(self)!s})"

    def __str__(self) -> str:
        return str(np.float32(self))

    @staticmethod
    def _peer(operator: str, self: float, other: object) -> float | None:
        kind = scalar_type(other)
        if kind is not None and kind is not F32:
            raise refuse_mix(operator, self, other)
        if isinstance(other, (float, int, np.floating)):
            return _rounded(float(other))
        return None

    def __add__(self, other: Any) -> Any:
        peer = self._peer("+", self, other)
        return NotImplemented if peer is None else Float32(float(self) + peer)

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __sub__(self, other: Any) -> Any:
        peer = self._peer("-", self, other)
        return NotImplemented if peer is None else Float32(float(self) - peer)

    def __rsub__(self, other: Any) -> Any:
        peer = self._peer("-", self, other)
        return NotImplemented if peer is None else Float32(peer - float(self))

    def __mul__(self, other: Any) -> Any:
        peer = self._peer("*", self, other)
        return NotImplemented if peer is None else Float32(float(self) * peer)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        peer = self._peer("/", self, other)
        return NotImplemented if peer is None else _divided(float(self), peer)

    def __rtruediv__(self, other: Any) -> Any:
        peer = self._peer("/", self, other)
        return NotImplemented if peer is None else _divided(peer, float(self))

    def __mod__(self, other: Any) -> Any:
        peer = self._peer("%", self, other)
        return NotImplemented if peer is None else _remainder(float(self), peer)

    def __rmod__(self, other: Any) -> Any:
        peer = self._peer("%", self, other)
        return NotImplemented if peer is None else _remainder(peer, float(self))

    def __floordiv__(self, other: object) -> Any:
        raise ShaderTypeError(
            explain("'//' is not defined for f32", fix="Write  floor(a / b)  or  trunc(a / b).")
        )

    __rfloordiv__ = __floordiv__

    def __divmod__(self, other: object) -> Any:
        return self.__floordiv__(other)

    __rdivmod__ = __divmod__

    def __pow__(self, other: Any, modulo: None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if _is_literal(other):
            return _raised(self, other)
        peer = self._peer("**", self, other)
        return NotImplemented if peer is None else _power(float(self), peer)

    def __rpow__(self, other: Any, modulo: None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        peer = self._peer("**", self, other)
        return NotImplemented if peer is None else _power(peer, float(self))

    def __neg__(self) -> Float32:
        return Float32(-float(self))

    def __pos__(self) -> Float32:
        return self

    def __abs__(self) -> Float32:
        return Float32(abs(float(self)))

    def __eq__(self, other: object) -> Any:
        peer = self._peer("==", self, other)
        return NotImplemented if peer is None else float(self) == peer

    def __ne__(self, other: object) -> Any:
        peer = self._peer("!=", self, other)
        return NotImplemented if peer is None else float(self) != peer

    def __lt__(self, other: Any) -> Any:
        peer = self._peer("<", self, other)
        return NotImplemented if peer is None else float(self) < peer

    def __le__(self, other: Any) -> Any:
        peer = self._peer("<=", self, other)
        return NotImplemented if peer is None else float(self) <= peer

    def __gt__(self, other: Any) -> Any:
        peer = self._peer(">", self, other)
        return NotImplemented if peer is None else float(self) > peer

    def __ge__(self, other: Any) -> Any:
        peer = self._peer(">=", self, other)
        return NotImplemented if peer is None else float(self) >= peer

    def __hash__(self) -> int:
        return float.__hash__(self)


def _is_literal(value: object) -> bool:
    return isinstance(value, int) and scalar_type(value) is None


def _divided(a: float, b: float) -> Float32:
    if b != 0.0:
        return Float32(a / b)
    if a == 0.0 or math.isnan(a):
        return Float32(math.nan)
    return Float32(math.copysign(math.inf, a) * math.copysign(1.0, b))


def _remainder(a: float, b: float) -> Float32:
    # WGSL: the sign of the left side, a - b * trunc(a / b).
    if b == 0.0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return Float32(math.nan)
    return Float32(math.fmod(a, b))


def _raised(base: Float32, count: int) -> Float32:
    if not 1 <= count <= MAX_POWER:
        raise ShaderTypeError(
            explain(
                f"'**' by the whole number {count} is not defined",
                facts={"range": f"1 to {MAX_POWER}"},
                fix="Write 1.0 / x ** n, or pow(x, y) for x that are not negative.",
            )
        )
    # Multiplications, since WGSL's pow has no value for negative numbers.
    if count == 1:
        return base
    half = _raised(base, count // 2)
    return half * half * base if count % 2 else half * half


def _power(a: float, b: float) -> Float32:
    if a < 0.0:
        return Float32(math.nan)
    with np.errstate(all="ignore"):
        return Float32(np.power(np.float32(a), np.float32(b)))


class Integer(int):
    """What ``i32`` and ``u32`` share."""

    __slots__ = ()
    __shader_type__: ClassVar[Scalar]
    _low: ClassVar[int]
    _high: ClassVar[int]
    _high_float: ClassVar[int]

    def __new__(cls, value: Any = 0) -> Self:  # noqa: D102 - described on the class
        if scalar_type(value) in (I32, U32, BOOL):
            return cls._wrapped(int(value))
        if isinstance(value, (int, np.integer)):
            return int.__new__(cls, cls._checked(int(value)))
        if isinstance(value, (float, np.floating)):
            return int.__new__(cls, cls._truncated(float(value)))
        raise ShaderTypeError(
            explain(
                f"{cls.__name__}() does not take a {type(value).__name__}",
                fix="Give one number or bool.",
            )
        )

    @classmethod
    def _wrapped(cls, value: int) -> Self:
        return int.__new__(cls, (value - cls._low) % (1 << 32) + cls._low)

    @classmethod
    def _checked(cls, value: int) -> int:
        if not cls._low <= value <= cls._high:
            raise ShaderTypeError(
                explain(
                    f"{value} does not fit into {cls.__name__}",
                    facts={"range": f"{cls._low} to {cls._high}"},
                    fix="Write a number within the range.",
                )
            )
        return value

    @classmethod
    def _truncated(cls, value: float) -> int:
        if math.isnan(value):
            return 0
        return int(min(max(_rounded(value), cls._low), cls._high_float))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({int(self)})"

    def __str__(self) -> str:
        return str(int(self))

    def _peer(self, operator: str, other: object) -> int | None:
        kind = scalar_type(other)
        if kind is not None and kind is not self.__shader_type__:
            raise refuse_mix(operator, self, other)
        if isinstance(other, (int, np.integer)):
            return self._checked(int(other))
        if isinstance(other, (float, np.floating)):
            raise refuse_mix(operator, self, Float32(float(other)))
        return None

    def __add__(self, other: Any) -> Any:
        peer = self._peer("+", other)
        return NotImplemented if peer is None else self._wrapped(int(self) + peer)

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __sub__(self, other: Any) -> Any:
        peer = self._peer("-", other)
        return NotImplemented if peer is None else self._wrapped(int(self) - peer)

    def __rsub__(self, other: Any) -> Any:
        peer = self._peer("-", other)
        return NotImplemented if peer is None else self._wrapped(peer - int(self))

    def __mul__(self, other: Any) -> Any:
        peer = self._peer("*", other)
        return NotImplemented if peer is None else self._wrapped(int(self) * peer)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __truediv__(self, other: object) -> Any:
        raise ShaderTypeError(
            explain(
                "'/' on integers gives a fraction in Python, but not in WGSL",
                facts={"left": _type_name(self)},
                fix="Write  f32(a) / f32(b),  or  a // b  with u32.",
            )
        )

    __rtruediv__ = __truediv__

    def __floordiv__(self, other: Any) -> Any:
        return self._divided("//", other, reverse=False)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._divided("//", other, reverse=True)

    def __mod__(self, other: Any) -> Any:
        return self._divided("%", other, reverse=False)

    def __rmod__(self, other: Any) -> Any:
        return self._divided("%", other, reverse=True)

    def _divided(self, operator: str, other: object, *, reverse: bool) -> Any:
        raise NotImplementedError

    def __divmod__(self, other: Any) -> Any:
        raise ShaderTypeError(
            explain("divmod() is not part of the shader language", fix="Write  a // b  and  a % b.")
        )

    __rdivmod__ = __divmod__

    def __pow__(self, other: Any, modulo: None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        raise ShaderTypeError(
            explain(f"'**' is not defined for {type(self).__name__}", fix="Write  x * x.")
        )

    def __rpow__(self, other: Any, modulo: None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.__pow__(other)

    def __and__(self, other: Any) -> Any:
        peer = self._peer("&", other)
        return NotImplemented if peer is None else self._wrapped(int(self) & peer)

    def __rand__(self, other: Any) -> Any:
        return self.__and__(other)

    def __or__(self, other: Any) -> Any:
        peer = self._peer("|", other)
        return NotImplemented if peer is None else self._wrapped(int(self) | peer)

    def __ror__(self, other: Any) -> Any:
        return self.__or__(other)

    def __xor__(self, other: Any) -> Any:
        peer = self._peer("^", other)
        return NotImplemented if peer is None else self._wrapped(int(self) ^ peer)

    def __rxor__(self, other: Any) -> Any:
        return self.__xor__(other)

    def __lshift__(self, other: Any) -> Any:
        return self._wrapped(int(self) << _amount(self, "<<", other))

    def __rlshift__(self, other: Any) -> Any:
        return Int32(other) << self if _is_literal(other) else NotImplemented

    def __rshift__(self, other: Any) -> Any:
        return self._wrapped(int(self) >> _amount(self, ">>", other))

    def __rrshift__(self, other: Any) -> Any:
        return Int32(other) >> self if _is_literal(other) else NotImplemented

    def __invert__(self) -> Any:
        return self._wrapped(~int(self))

    def __neg__(self) -> Any:
        return self._wrapped(-int(self))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._wrapped(abs(int(self)))

    def __eq__(self, other: object) -> Any:
        peer = self._peer("==", other)
        return NotImplemented if peer is None else int(self) == peer

    def __ne__(self, other: object) -> Any:
        peer = self._peer("!=", other)
        return NotImplemented if peer is None else int(self) != peer

    def __lt__(self, other: Any) -> Any:
        peer = self._peer("<", other)
        return NotImplemented if peer is None else int(self) < peer

    def __le__(self, other: Any) -> Any:
        peer = self._peer("<=", other)
        return NotImplemented if peer is None else int(self) <= peer

    def __gt__(self, other: Any) -> Any:
        peer = self._peer(">", other)
        return NotImplemented if peer is None else int(self) > peer

    def __ge__(self, other: Any) -> Any:
        peer = self._peer(">=", other)
        return NotImplemented if peer is None else int(self) >= peer

    def __hash__(self) -> int:
        return int.__hash__(self)


def _amount(left: Integer, operator: str, amount: object) -> int:
    # WGSL takes the amount modulo 32; a literal amount must be below 32.
    if scalar_type(amount) in (U32, I32):
        return int(amount) & 31  # pyright: ignore[reportArgumentType]
    if isinstance(amount, int) and _is_literal(amount):
        if not 0 <= amount < 32:
            raise ShaderTypeError(explain(f"cannot shift by {amount}", fix="Shift by 0 to 31."))
        return amount
    raise ShaderTypeError(
        explain(
            f"{_type_name(left)} {operator} {_type_name(amount)} is not defined",
            fix="Shift by u32: x << u32(n).",
        )
    )


class Int32(Integer):
    """A 32-bit integer with sign; arithmetic wraps.

    ``i32(x)`` truncates floats and reinterprets ``u32``.
    """

    __slots__ = ()
    __shader_type__: ClassVar[Scalar] = I32
    _low = -(1 << 31)
    _high = (1 << 31) - 1
    _high_float = _MAX_FLOAT_TO_I32

    def _divided(self, operator: str, other: object, *, reverse: bool) -> Any:
        del other, reverse
        raise ShaderTypeError(
            explain(
                f"{operator!r} on i32: Python rounds down, WGSL rounds towards zero",
                fix=f"If both sides are not negative, write  u32(a) {operator} u32(b).",
            )
        )


class UInt32(Integer):
    """A 32-bit integer without sign; arithmetic wraps.

    ``u32(x)`` truncates floats and reinterprets ``i32``.
    """

    __slots__ = ()
    __shader_type__: ClassVar[Scalar] = U32
    _low = 0
    _high = (1 << 32) - 1
    _high_float = _MAX_FLOAT_TO_U32

    def _divided(self, operator: str, other: object, *, reverse: bool) -> Any:
        peer = self._peer(operator, other)
        if peer is None:
            return NotImplemented
        a, b = (peer, int(self)) if reverse else (int(self), peer)
        if b == 0:
            return UInt32(a if operator == "//" else 0)
        return UInt32(a // b if operator == "//" else a % b)

    def __neg__(self) -> Any:
        raise ShaderTypeError(explain("- is not defined on u32", fix="Convert first: -i32(x)."))


for _class, _name in ((Float32, "f32"), (Int32, "i32"), (UInt32, "u32")):
    _class.__name__ = _class.__qualname__ = _name

_TYPES: dict[type, Scalar] = {
    Float32: F32,
    Int32: I32,
    UInt32: U32,
    bool: BOOL,
    np.float32: F32,
    np.int32: I32,
    np.uint32: U32,
    np.bool_: BOOL,
}

if TYPE_CHECKING:
    f32: TypeAlias = float
    i32: TypeAlias = int
    u32: TypeAlias = int
else:
    f32, i32, u32 = Float32, Int32, UInt32
