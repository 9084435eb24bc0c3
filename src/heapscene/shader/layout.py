"""Where WGSL puts the members of a struct in a buffer, and the NumPy dtype for it.

WGSL specification, "Memory layout": a vector of three aligns as one of four, a matrix is an array
of columns, a struct is as aligned as its most aligned member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.types import (
    BOOL,
    ArrayType,
    AtomicType,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

__all__ = ["Layout", "Placed", "align_of", "dtype_of", "layout_of", "size_of"]

_SCALARS = {"f32": np.dtype("<f4"), "i32": np.dtype("<i4"), "u32": np.dtype("<u4")}


def _round_up(value: int, to: int) -> int:
    return -(-value // to) * to


def align_of(type_: Type) -> int:
    """Return the alignment in bytes.

    Raises
    ------
    ShaderTypeError
        The type cannot lie in a buffer.
    """
    if isinstance(type_, Vector):
        _check(type_, type_.scalar)
        return 8 if type_.size == 2 else 16
    if isinstance(type_, Matrix):
        return 8 if type_.rows == 2 else 16
    if isinstance(type_, ArrayType):
        return align_of(type_.element)
    if isinstance(type_, StructType):
        return max(align_of(member.type) for member in type_.fields)
    if isinstance(type_, Scalar):
        _check(type_, type_)
        return 4
    if isinstance(type_, AtomicType):
        return 4
    raise ShaderTypeError(
        explain(
            f"{type_} cannot lie in a buffer",
            fix="Take numbers, vectors, matrices or @struct classes of them.",
        )
    )


def _check(type_: Type, scalar: Scalar) -> None:
    if scalar == BOOL:
        raise ShaderTypeError(
            explain(f"{type_} cannot lie in a buffer", fix="Use u32 and compare with 0.")
        )


def stride_of(type_: ArrayType) -> int:
    """Return the distance in bytes between elements."""
    return _round_up(size_of(type_.element), align_of(type_.element))


def size_of(type_: Type) -> int:
    """Return the size in bytes; of one element, for an array without a length."""
    if isinstance(type_, Vector):
        return 4 * type_.size
    if isinstance(type_, Matrix):
        return type_.columns * (8 if type_.rows == 2 else 16)
    if isinstance(type_, ArrayType):
        return stride_of(type_) * (1 if type_.length is None else type_.length)
    if isinstance(type_, StructType):
        return layout_of(type_).size
    return 4


@dataclass(frozen=True, slots=True)
class Placed:
    """A member and the byte at which it begins."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A struct in a buffer.

    Attributes
    ----------
    dtype
        Structured, with gaps. A matrix is an array of *columns*: assign ``m.T``; columns of three
        have a fourth word that is not used.
    """

    fields: tuple[Placed, ...]
    size: int
    align: int
    dtype: np.dtype[Any]


def layout_of(struct: StructType, space: str = "storage") -> Layout:
    """Place the members of a struct.

    Parameters
    ----------
    struct
        A struct whose members can lie in a buffer.
    space
        ``storage`` or ``uniform``. In a uniform, arrays and inner structs must be multiples of 16
        bytes.

    Raises
    ------
    ShaderTypeError
        A member is a bool, or does not fit the rules of uniforms.
    """
    placed: list[Placed] = []
    offset = 0
    for member in struct.fields:
        offset = _round_up(offset, align_of(member.type))
        if space == "uniform":
            _check_uniform(struct, member.name, member.type, offset)
        placed.append(Placed(member.name, member.type, offset))
        offset += size_of(member.type)
    align = max(align_of(member.type) for member in struct.fields)
    size = _round_up(offset, align)
    dtype = np.dtype(
        {
            "names": [each.name for each in placed],
            "formats": [dtype_of(each.type) for each in placed],
            "offsets": [each.offset for each in placed],
            "itemsize": size,
        }
    )
    return Layout(tuple(placed), size, align, dtype)


def _check_uniform(struct: StructType, name: str, type_: Type, offset: int) -> None:
    problem = ""
    if isinstance(type_, ArrayType) and stride_of(type_) % 16:
        problem = f"its elements are {stride_of(type_)} bytes apart, 16 are needed"
    elif isinstance(type_, StructType) and offset % 16:
        problem = f"it begins at byte {offset}, a multiple of 16 is needed"
    if problem:
        raise ShaderTypeError(
            explain(
                f"the member {name!r} of {struct.name} does not fit into a uniform",
                facts={"reason": problem},
                fix="Use a storage buffer, or vectors of four.",
            )
        )


def dtype_of(type_: Type) -> np.dtype[Any]:
    """Return the dtype of one value in a buffer; matrices as an array of columns.

    Raises
    ------
    ShaderTypeError
        The type cannot lie in a buffer.
    """
    align_of(type_)
    if isinstance(type_, Scalar):
        return _SCALARS[type_.name]
    if isinstance(type_, AtomicType):
        return _SCALARS[type_.scalar.name]
    if isinstance(type_, Vector):
        return np.dtype((_SCALARS[type_.scalar.name], (type_.size,)))
    if isinstance(type_, Matrix):
        rows = 2 if type_.rows == 2 else 4
        return np.dtype((_SCALARS["f32"], (type_.columns, rows)))
    if isinstance(type_, StructType):
        return layout_of(type_).dtype
    assert isinstance(type_, ArrayType)
    return np.dtype((_padded(dtype_of(type_.element), stride_of(type_)), (type_.length or 1,)))


def _padded(element: np.dtype[Any], stride: int) -> np.dtype[Any]:
    if element.itemsize == stride:
        return element
    base, shape = element.subdtype or (element, ())
    assert len(shape) == 1  # only vectors of three are smaller than their stride
    return np.dtype((base, (stride // base.itemsize,)))
