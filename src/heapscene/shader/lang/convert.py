"""From Python objects to shader types and values."""

from __future__ import annotations

import enum
from typing import Any, cast, get_args, get_origin
from weakref import WeakValueDictionary

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.advice import known_elsewhere
from heapscene.shader.lang.atomics import atomic_i32, atomic_u32
from heapscene.shader.lang.literals import AbstractInt
from heapscene.shader.lang.matrices import MatrixValue, matrix_class
from heapscene.shader.lang.scalars import Float32, Int32, UInt32, scalar_type
from heapscene.shader.lang.vector_value import VectorValue, to_scalar, vector_class
from heapscene.shader.rules import is_tuple, tuple_type
from heapscene.shader.types import (
    BOOL,
    F32,
    I32,
    U32,
    VOID,
    AtomicType,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

__all__ = [
    "captured",
    "convert",
    "elements",
    "register_struct",
    "result_type",
    "type_of",
    "value_class",
    "zero",
]

_SCALARS: dict[Scalar, type[Any]] = {F32: Float32, I32: Int32, U32: UInt32, BOOL: bool}
_structs: WeakValueDictionary[StructType, type[Any]] = WeakValueDictionary()


def type_of(annotation: object, where: str = "this annotation") -> Type:
    """Return the type that an annotation or a class stands for.

    Raises
    ------
    ShaderTypeError
        Not a class of the shader language; the message starts from ``where``.
    """
    if annotation is None or annotation is type(None):
        return VOID
    if annotation is bool:
        return BOOL
    found = getattr(annotation, "__shader_type__", None)
    if isinstance(annotation, type) and isinstance(found, Type):
        return found
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return _enum_type(annotation, where)
    fix = "Use f32, i32, u32, bool, a vector, a matrix, or a @struct class."
    name = getattr(annotation, "__name__", None)
    if annotation in (float, int):
        fix = "Write f32." if annotation is float else "Write i32 or u32."
    elif annotation is tuple or get_origin(annotation) is tuple:
        fix = "Use a @struct; what a helper returns may be tuple[f32, vec3]."
    elif isinstance(name, str) and known_elsewhere(name) is not None:
        fix = (known_elsewhere(name) or fix).replace("(x), from heapscene.shader", "")
    raise ShaderTypeError(
        explain(
            f"{where}: {getattr(annotation, '__name__', annotation)!s} is not a shader type",
            fix=fix,
        )
    )


def result_type(annotation: object, where: str = "this annotation") -> Type:
    """Return the type of a function's result, which may also be ``tuple[f32, vec3]``.

    Raises
    ------
    ShaderTypeError
        Not a class of the shader language, nor a tuple of two or more.
    """
    if get_origin(annotation) is not tuple:
        return type_of(annotation, where)
    parts = get_args(annotation)
    if len(parts) < 2 or ... in parts:
        raise ShaderTypeError(
            explain(
                f"{where}: a tuple of results has two or more types",
                fix="Write tuple[f32, vec3], with a type for each result.",
            )
        )
    return tuple_type([type_of(part, where) for part in parts])


def _enum_type(cls: type[enum.Enum], where: str) -> Type:
    values = [member.value for member in cls]
    if values and all(type(value) is int for value in values):
        kind = U32 if issubclass(cls, enum.Flag) else I32
        low, high = (0, 0xFFFFFFFF) if kind is U32 else (-(1 << 31), (1 << 31) - 1)
        if all(low <= value <= high for value in values):
            return kind
    raise ShaderTypeError(
        explain(
            f"{where}: the members of {cls.__name__} are not all whole numbers of 32 bits",
            facts={"members": ", ".join(f"{member.name} = {member.value!r}" for member in cls)},
            fix="Use enum.IntEnum, or enum.IntFlag for u32.",
        )
    )


def value_class(kind: Type) -> type[Any]:
    """Return the class whose instances are values of a type."""
    if isinstance(kind, Scalar):
        return _SCALARS[kind]
    if isinstance(kind, Vector):
        return vector_class(kind.scalar, kind.size)
    if isinstance(kind, Matrix):
        return matrix_class(kind)
    if isinstance(kind, AtomicType):
        return atomic_u32 if kind.scalar is U32 else atomic_i32
    if isinstance(kind, StructType) and kind in _structs:
        return _structs[kind]
    raise ShaderTypeError(
        explain(
            f"there are no values of type {kind} in CPython",
            fix="Make a value of a scalar, vector, matrix or @struct type.",
        )
    )


def register_struct(cls: type[Any]) -> None:
    """Make :func:`value_class` find the class of a struct type."""
    _structs[cls.__shader_type__] = cls


def zero(kind: Type) -> Any:
    """Return the value of a type whose words are all zero."""
    if isinstance(kind, Matrix):
        return value_class(kind)(np.zeros((kind.rows, kind.columns)))
    if isinstance(kind, StructType):
        return value_class(kind)(**{field.name: zero(field.type) for field in kind.fields})
    return value_class(kind)()


def convert(value: object, kind: Type, where: str) -> Any:
    """Return ``value`` as a value of that type, if it is one or is a number or array that fits.

    Raises
    ------
    ShaderTypeError
        It is of another type, or has another shape.
    """
    if isinstance(value, enum.Enum):
        value = value.value
    if getattr(type(value), "__shader_type__", None) == kind or (
        kind is BOOL and type(value) is bool
    ):
        return value
    if isinstance(kind, StructType) and is_tuple(kind):
        return _results(value, kind, where)
    wanted = value_class(kind)
    try:
        if isinstance(kind, Scalar):
            return to_scalar(kind, value)
        if not isinstance(value, (VectorValue, MatrixValue, int, float)) and isinstance(
            kind, (Vector, Matrix)
        ):
            return _from_array(value, kind, wanted)
    except ShaderTypeError as error:
        raise ShaderTypeError(f"{where}: {error}") from None
    raise ShaderTypeError(
        explain(
            f"{where}: {type(value).__name__} where {wanted.__name__} is needed",
            fix=f"Write {wanted.__name__}(...).",
        )
    )


def _results(value: object, kind: StructType, where: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple) or len(cast("tuple[Any, ...]", value)) != len(kind.fields):
        raise ShaderTypeError(
            explain(
                f"{where}: {type(value).__name__} where {kind.name} is needed",
                fix="Return " + ", ".join("abcdefgh"[: len(kind.fields)]) + ".",
            )
        )
    parts = cast("tuple[Any, ...]", value)
    return tuple(
        convert(part, field.type, where) for part, field in zip(parts, kind.fields, strict=True)
    )


def _from_array(value: object, kind: Vector | Matrix, wanted: type[Any]) -> Any:
    shape = (kind.size,) if isinstance(kind, Vector) else (kind.rows, kind.columns)
    array = np.asarray(value)
    if array.shape != shape or array.dtype.kind not in "fiub":
        raise ShaderTypeError(
            explain(
                f"{type(value).__name__} where {wanted.__name__} is needed",
                facts={"given": f"{array.dtype} {array.shape}", "needed": f"numbers {shape}"},
                fix=f"Give an array of shape {shape}, or a {wanted.__name__}.",
            )
        )
    return wanted(array)


def captured(value: object) -> Any:
    """Return what a shader function sees for an object of the surrounding Python code.

    Numbers become typed values (an ``int`` adapts like a literal), an enumeration member its value,
    and small arrays vectors and matrices; every other object stays as it is.
    """
    if isinstance(value, enum.Enum):
        return captured(value.value)
    if isinstance(value, (bool, Float32, Int32, UInt32, AbstractInt)):
        return value
    kind = scalar_type(value)
    if kind is not None:
        return _SCALARS[kind](value)
    if isinstance(value, (int, np.integer)):
        return AbstractInt(int(value))
    if isinstance(value, (float, np.floating)):
        return Float32(float(value))
    if isinstance(value, np.ndarray):
        return _captured_array(value)
    return value


def elements(value: object) -> list[Any] | None:
    """Return what a loop over a captured object runs over; ``None`` if it cannot be looped over."""
    if isinstance(value, (tuple, list, range)):
        return list(value)
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return list(value)
    return None


def _captured_array(array: np.ndarray[Any, Any]) -> Any:
    shape = array.shape
    if len(shape) == 2 and all(2 <= size <= 4 for size in shape) and array.dtype.kind in "fiu":
        return matrix_class(Matrix(columns=shape[1], rows=shape[0]))(array)
    if len(shape) == 1 and 2 <= shape[0] <= 4:
        scalar = {"u": U32, "i": I32, "b": BOOL}.get(array.dtype.kind, F32)
        return vector_class(scalar, shape[0])(array)
    return array
