"""What all matrices share: made from columns as in WGSL, and ``m[0]`` is the first column.

NumPy arrays are row-major: ``mat4(array)`` takes a 4×4 array as mathematics writes it, ``mat4x3``
one of three rows and four columns, and ``np.asarray(m)`` gives it back. Products are ``m @ m``,
``m @ v`` (v is a column) and ``v @ m`` (v is a row); ``m * s`` scales.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, Never, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.lang.scalars import Float32
from heapscene.shader.lang.vector_value import VectorValue, to_scalar, vector_class
from heapscene.shader.types import F32, Matrix

__all__ = ["MatrixValue", "dot_products", "matrix_class", "register_matrix"]

V = TypeVar("V", bound="VectorValue[Any, Any, Any, Any, Any]")

_CLASSES: dict[Matrix, type[MatrixValue[Any]]] = {}


def matrix_class(kind: Matrix) -> type[MatrixValue[Any]]:
    """Return the class of matrices of that shape."""
    return _CLASSES[kind]


class MatrixValue(Generic[V]):
    """A matrix of ``f32``."""

    __slots__ = ("_columns",)
    __shader_type__: ClassVar[Matrix]
    __array_ufunc__ = None
    _column_class: ClassVar[type[Any]]
    _columns: tuple[V, ...]

    def __init__(self, *values: Any) -> None:
        size, rows_ = self.__shader_type__.columns, self.__shader_type__.rows
        name = type(self).__name__
        if len(values) == 1 and type(values[0]) is type(self):
            columns = values[0]._columns
        elif len(values) == 1 and not isinstance(values[0], (VectorValue, float, int)):
            rows = np.asarray(values[0])
            if rows.shape != (rows_, size):
                raise ShaderTypeError(
                    explain(
                        f"{name} needs shape ({rows_}, {size}), not {rows.shape}",
                        fix=f"Give {rows_} rows of {size} numbers.",
                    )
                )
            columns = tuple(self._column_class(*column) for column in rows.T.tolist())
        elif len(values) == size and all(type(v) is self._column_class for v in values):
            columns = values
        else:
            raise ShaderTypeError(
                explain(
                    f"{name} is made from {size} columns of type {self._column_class.__name__}",
                    facts={
                        "given": ", ".join(type(value).__name__ for value in values) or "nothing"
                    },
                    fix=f"Write  {name}({', '.join(f'c{i}' for i in range(size))}).",
                )
            )
        object.__setattr__(self, "_columns", tuple(columns))

    @classmethod
    def identity(cls) -> Self:
        """Return the square matrix that changes nothing."""
        if cls.__shader_type__.columns != cls.__shader_type__.rows:
            raise ShaderTypeError(
                explain(
                    f"{cls.__name__} is not square and has no identity",
                    fix="Take mat2, mat3 or mat4.",
                )
            )
        return cls(np.eye(cls.__shader_type__.columns))

    @classmethod
    def from_rows(cls, *rows: Any) -> Self:
        """Return the matrix with these rows, as many as its columns are long."""
        kind = cls.__shader_type__
        wanted = vector_class(F32, kind.columns)
        if len(rows) != kind.rows or any(type(row) is not wanted for row in rows):
            raise ShaderTypeError(
                explain(
                    f"{cls.__name__} has {kind.rows} rows of type {wanted.__name__}",
                    facts={"given": ", ".join(type(row).__name__ for row in rows) or "nothing"},
                    fix=f"Write  {cls.__name__}.from_rows({', '.join(f'r{i}' for i in range(kind.rows))}).",
                )
            )
        return cls(np.array([np.asarray(row) for row in rows]))

    def __setattr__(self, name: str, value: Never) -> None:
        raise ShaderTypeError(
            explain(
                f"{type(self).__name__} values do not change: {name!r} was assigned",
                fix=f"Make a new one from columns: m = {type(self).__name__}(m[0], ...)",
            )
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._columns))})"

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[V]:
        return iter(self._columns)

    def __getitem__(self, column: int) -> V:
        if not 0 <= column < len(self._columns):
            raise IndexError(f"column {column} of a {type(self).__name__}")
        return self._columns[int(column)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        del copy
        columns = [np.asarray(column) for column in self._columns]
        return np.stack(columns, axis=1).astype(np.float32 if dtype is None else dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._columns

    def __hash__(self) -> int:
        return hash(self._columns)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return np.array_equal(np.asarray(self), np.asarray(other))

    def _map(self, columns: Iterator[Any]) -> Self:
        return type(self)(*columns)

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return self._map(a + b for a, b in zip(self._columns, other._columns, strict=True))

    def __sub__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return self._map(a - b for a, b in zip(self._columns, other._columns, strict=True))

    def __neg__(self) -> Self:
        return self._map(-column for column in self._columns)

    def __pos__(self) -> Self:
        return self

    def __mul__(self, factor: float) -> Self:
        if isinstance(factor, (VectorValue, MatrixValue)):
            raise ShaderTypeError(
                explain(
                    f"{type(self).__name__} * {type(factor).__name__} is not defined",
                    fix="Write  @  for the product of linear algebra.",
                )
            )
        scale = to_scalar(F32, factor)
        return self._map(column * scale for column in self._columns)

    def __rmul__(self, factor: float) -> Self:
        return self.__mul__(factor)

    def __truediv__(self, divisor: float) -> Self:
        raise ShaderTypeError(
            explain(
                f"{type(self).__name__} / {type(divisor).__name__} is not defined",
                fix="Write  m * (1.0 / s).",
            )
        )

    def _times(self, other: Any) -> Any:
        kind = self.__shader_type__
        if isinstance(other, MatrixValue) and other.__shader_type__.rows == kind.columns:
            made = matrix_class(Matrix(other.__shader_type__.columns, kind.rows))
            return made(*[self._times(column) for column in other._columns])
        if type(other) is vector_class(F32, kind.columns):
            return _sum(column * part for column, part in zip(self._columns, other, strict=True))
        raise _no_product(self, other)

    def _times_row(self, row: Any) -> Any:
        if type(row) is self._column_class:
            made = vector_class(F32, self.__shader_type__.columns)
            return made(*dot_products(row, self._columns))
        raise _no_product(row, self)


def dot_products(row: Any, columns: tuple[Any, ...]) -> list[Float32]:
    """Return the dot product of ``row`` with each column, summed from the first component on."""
    return [_sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]


def _sum(terms: Iterator[Any]) -> Any:
    total = next(terms)
    for term in terms:
        total = total + term
    return total


def _no_product(left: object, right: object) -> ShaderTypeError:
    names = type(left).__name__, type(right).__name__
    fix = ""
    if names in (("mat4", "vec3"), ("mat4x3", "vec3")):
        fix = "Write  vec4(p, 1.0)  for a point, or  vec4(p, 0.0)  for a direction."
    elif any(name in ("f32", "float", "int", "AbstractInt") for name in names):
        fix = "Write  *  to scale by a number."
    return ShaderTypeError(explain(f"cannot multiply {names[0]} by {names[1]}", fix=fix))


def register_matrix(cls: type[MatrixValue[Any]], columns: int, rows: int) -> None:
    """Give a matrix class its shape."""
    cls.__shader_type__ = Matrix(columns, rows)
    cls._column_class = vector_class(F32, rows)
    _CLASSES[cls.__shader_type__] = cls
