"""Values become bytes: the one place where Python values meet the layout of heap pages.

Everything is packed little-endian at its natural size (f32 4, vec3 12, mat4 64 bytes), matrices
row-major as NumPy has them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.draw.color import is_names, rgba, rgba_rows
from heapscene.draw.numbers import as_array, check_bytes, holds_numbers, within
from heapscene.errors import InputError, explain
from heapscene.shader import BOOL, I32, U32, Matrix, Scalar, Type, Vector, spelled
from heapscene.wording import brief

__all__ = [
    "encode_all",
    "encode_rows",
    "encode_value",
    "is_color",
    "numpy_dtype",
    "whole_numbers",
]


_FLOAT64 = np.dtype(np.float64)
_ONE = np.float32(1).view(np.uint32)


def numpy_dtype(type_: Type) -> np.dtype[Any]:
    """Return the NumPy dtype of the 32-bit words of ``type_``.

    Examples
    --------
    >>> from heapscene.shader import VEC3
    >>> numpy_dtype(VEC3)
    dtype('float32')
    """
    scalar = _scalar_of(type_)
    if scalar in (U32, BOOL):
        return np.dtype("<u4")
    if scalar == I32:
        return np.dtype("<i4")
    return np.dtype("<f4")


def encode_value(type_: Type, value: Any, name: str) -> bytes:
    """Return the packed bytes of one value.

    A colour name or hex string becomes four numbers; a ``vec4`` given three numbers gets
    ``w = 1``, as WebGPU fills vertex attributes.

    Raises
    ------
    InputError
        The value has the wrong shape or kind for the type; ``name`` is in the message.
    """
    try:
        return _encoder(type_)(value)
    except InputError:
        raise
    except (TypeError, ValueError, struct.error, OverflowError) as cause:
        raise _mismatch(type_, value, name) from cause


def encode_all(type_: Type, values: Sequence[Any], name: str) -> NDArray[np.uint32]:
    """Return the packed words of many single values, ``(len(values), words)``.

    The same bytes as :func:`encode_value` gives for each.

    Raises
    ------
    InputError
        A value has the wrong shape or kind for the type; ``name`` is in the message.
    """
    if isinstance(type_, Matrix) and set(map(type, values)) == {np.ndarray}:
        shape = (type_.rows, type_.columns)
        if {(value.shape, value.dtype) for value in values} == {(shape, _FLOAT64)}:
            with np.errstate(over="ignore"):
                packed = np.concatenate(values, dtype=np.float32, casting="same_kind")
            return packed.reshape(len(values), -1).view(np.uint32)
    if isinstance(type_, Vector) and type_.scalar.is_float:
        packed = _encode_vectors(type_.size, values)
        if packed is not None:
            return packed
    encode = _encoder(type_)
    try:
        data = b"".join(map(encode, values))
    except InputError:
        raise
    except (TypeError, ValueError, struct.error, OverflowError):
        data = b"".join([encode_value(type_, value, name) for value in values])
    return np.frombuffer(data, np.uint32).reshape(len(values), -1)


def encode_rows(type_: Type, value: Any, name: str) -> NDArray[np.uint32]:
    """Return the packed words of an array of values, ``(rows, words)``.

    Raises
    ------
    InputError
        The array's shape does not fit the type, it has fractions or numbers out of range for a whole
        number, or it is larger than a page can be.
    """
    array = as_array(value)
    if is_color(type_) and is_names(array):
        array = rgba_rows(array, type_.words)
    if not holds_numbers(array) or not (_is_float(type_) or array.dtype.kind != "f"):
        raise _mismatch(type_, value, name)
    want = (type_.rows, type_.columns) if isinstance(type_, Matrix) else (type_.words,)
    if array.ndim == 1 and type_.words == 1:
        array = array[:, None]
    pads = array.ndim == 2 and array.shape[1] == 3 and want == (4,)
    if array.ndim == 0 or (array.shape[1:] != want and not pads):
        raise InputError(
            explain(
                f"{name!r} needs rows of {spelled(type_)}",
                facts={"shape": array.shape, "expected": f"(rows, {', '.join(map(str, want))})"},
                fix="Give one row per instance.",
            )
        )
    check_bytes(f"per-instance input {name!r}", len(array), 4 * type_.words, InputError)
    array = whole_numbers(type_, array, name)
    if pads:
        array = np.concatenate([array, np.ones((len(array), 1), array.dtype)], axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        packed = np.ascontiguousarray(array, dtype=numpy_dtype(type_))
    return packed.reshape(len(array), type_.words).view(np.uint32)


def whole_numbers(type_: Type, array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return whole numbers as the type can hold them; other types take numbers as they are.

    Raises
    ------
    InputError
        One is out of range.
    """
    dtype = numpy_dtype(type_)
    if dtype.kind == "f" or array.dtype == dtype:
        return array
    if _scalar_of(type_) == BOOL:
        return array if array.dtype.kind == "b" else array != 0
    limits = np.iinfo(dtype)
    if array.dtype.kind != "b" and not within(array, limits.min, limits.max):
        raise InputError(
            explain(
                f"{name!r} has a number that a {spelled(type_)} cannot hold",
                facts={
                    "smallest": int(array.min()),
                    "largest": int(array.max()),
                    "allowed": f"{limits.min} to {limits.max}",
                },
                fix="Give numbers in that range.",
            )
        )
    return array


def _scalar_of(type_: Type) -> Type:
    return type_.scalar if isinstance(type_, Vector) else type_


def is_color(type_: Type) -> bool:
    """Whether a value of the type may be given as a colour's name."""
    return isinstance(type_, Vector) and type_.scalar.is_float and type_.size >= 3


def _is_float(type_: Type) -> bool:
    return numpy_dtype(type_).kind == "f"


def _encode_vectors(size: int, values: Sequence[Any]) -> NDArray[np.uint32] | None:
    """Return the words of tuples of numbers of one length, or ``None`` if they are not that."""
    length = len(values[0]) if type(values[0]) is tuple else 0
    if set(map(type, values)) != {tuple} or set(map(len, values)) != {length}:
        return None
    if length != size and (length, size) != (3, 4):
        return None
    try:
        data = struct.pack(f"<{length * len(values)}f", *chain.from_iterable(values))
    except (TypeError, ValueError, struct.error, OverflowError):
        return None
    packed = np.frombuffer(data, np.uint32).reshape(len(values), length)
    if length == size:
        return packed
    padded = np.full((len(values), size), _ONE, np.uint32)
    padded[:, :length] = packed
    return padded


@cache
def _encoder(type_: Type) -> Callable[[Any], bytes]:
    if isinstance(type_, Scalar):
        return _scalar_encoder(type_)
    if isinstance(type_, Vector):
        return _vector_encoder(type_)
    if isinstance(type_, Matrix):
        shape = (type_.rows, type_.columns)
        pack = struct.Struct(f"<{type_.words}f").pack

        def encode_matrix(value: Any) -> bytes:
            array = _numbers(value, (shape,))
            try:
                return pack(*array.ravel().tolist())
            except OverflowError:
                # What float32 cannot hold is infinite, as it would be on the GPU: matrices are products.
                with np.errstate(over="ignore"):
                    return array.astype("<f4").tobytes()

        return encode_matrix
    raise TypeError(f"{type_} is not a type of a draw input")


def _scalar_encoder(type_: Scalar) -> Callable[[Any], bytes]:
    pack = struct.Struct({"f32": "<f", "i32": "<i", "u32": "<I", "bool": "<I"}[type_.name]).pack

    def encode_scalar(value: Any) -> bytes:
        kind = type(value)
        if kind is not float and kind is not int:
            value = _numbers(value, ((),)).item()
        return pack(value)

    def encode_bool(value: Any) -> bytes:
        number = value if type(value) is bool else _numbers(value, ((),)).item()
        return pack(number if type(number) is float else bool(number))

    return encode_bool if type_ == BOOL else encode_scalar


def _vector_encoder(type_: Vector) -> Callable[[Any], bytes]:
    code = {"f32": "f", "i32": "i", "u32": "I", "bool": "I"}[type_.scalar.name]
    size = type_.size
    pack = struct.Struct(f"<{size}{code}").pack
    is_float = type_.scalar.is_float
    may_be_color = is_color(type_)
    pads = is_float and size == 4
    shapes = ((4,), (3,)) if pads else ((size,),)

    def encode_vector(value: Any) -> bytes:
        kind = type(value)
        if kind is not tuple and kind is not list:
            if may_be_color and kind is str:
                value = rgba(value)[:size]
            else:
                value = _numbers(value, shapes).tolist()
        if pads and len(value) == 3:
            return pack(*value, 1.0)
        if len(value) != size:
            raise TypeError(f"{len(value)} numbers")
        return pack(*value)

    return encode_vector


def _numbers(value: Any, shapes: tuple[tuple[int, ...], ...]) -> NDArray[Any]:
    """Return an array of one of these shapes; nothing large is converted before it is refused."""
    array = as_array(value)
    if array.shape not in shapes or not holds_numbers(array):
        raise TypeError(f"{array.dtype} {array.shape}")
    return array


def _mismatch(type_: Type, value: Any, name: str) -> InputError:
    return InputError(
        explain(
            f"{name!r} is a {spelled(type_)}, and this value is not",
            facts={
                "value": brief(value),
                "kind": f"{type(value).__name__}{getattr(value, 'shape', '')}",
            },
            fix=f"Write {name}={_example(type_)}, or an adaptive value of that.",
        )
    )


def _example(type_: Type) -> str:
    if isinstance(type_, Matrix):
        return f"numpy.eye({type_.rows})"
    if isinstance(type_, Vector):
        if type_.size == 4 and type_.scalar.is_float:
            return "(1.0, 0.5, 0.0, 1.0)"  # zeros would be a colour that nobody sees
        return "(" + ", ".join(["0"] * type_.size) + ")"
    return "0"
