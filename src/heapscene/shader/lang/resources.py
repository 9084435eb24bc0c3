"""Buffers that shader functions read and write by name.

A resource is made at module level and used inside shader functions as an array (``page[i]``) or,
for a uniform, as a struct (``params.n``). In CPython it has a value while it is bound::

    page = storage("page", f32, binding=0)

    with page.bound_to(np.zeros(16, np.float32)):
        scale(u32(3))
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import InputError, ShaderTypeError, explain
from heapscene.shader.lang.convert import convert, type_of, value_class
from heapscene.shader.lang.vector_value import DTYPES
from heapscene.shader.types import ArrayType, AtomicType, Matrix, Scalar, StructType, Type, Vector

__all__ = [
    "Access",
    "Resource",
    "Space",
    "check_place",
    "private",
    "storage",
    "uniform",
    "workgroup",
]

T = TypeVar("T")
Space = Literal["storage", "uniform", "workgroup", "private"]
Access = Literal["read", "read_write"]


class Resource(Generic[T]):
    """A named buffer: see :func:`storage`, :func:`uniform`, :func:`workgroup`, :func:`private`.

    Attributes
    ----------
    name
        Its name in WGSL.
    space
        WGSL's address space.
    access
        ``"read"`` or ``"read_write"``.
    group, binding
        Where it is bound; ``None`` in the spaces that need no binding.
    type
        An array type, or the struct of a uniform.
    """

    def __init__(
        self,
        name: str,
        space: Space,
        kind: Type,
        *,
        access: Access = "read_write",
        group: int | None = None,
        binding: int | None = None,
    ) -> None:
        if not name.isidentifier():
            raise ShaderTypeError(
                explain(f"{name!r} is not a name", fix="Use a Python identifier.")
            )
        check_place(name, group, binding)
        if access not in ("read", "read_write"):
            raise ShaderTypeError(
                explain(f"access {access!r} is unknown", fix='Write "read" or "read_write".')
            )
        self.name = name
        self.space: Space = space
        self.access: Access = access
        self.group = group
        self.binding = binding
        self.type = kind
        self._bound: list[Any] = []

    def __repr__(self) -> str:
        return f"<{self.space} {self.name}: {self.type}>"

    @contextmanager
    def bound_to(self, value: Any) -> Generator[None, None, None]:
        """Give the resource a value in CPython for the duration of a ``with`` block.

        Parameters
        ----------
        value
            For an array, a NumPy array that is read and written in place: shape ``(n,)`` for
            scalars, ``(n, size)`` for vectors, ``(n, rows, columns)`` for matrices, a structured
            array for structs. For a uniform, an instance of its class.

        Raises
        ------
        InputError
            Another shape or dtype.
        """
        if isinstance(self.type, ArrayType):
            _check_array(self, self.type.element, value)
            self._bound.append(value)
        else:
            self._bound.append(convert(value, self.type, f"uniform {self.name!r}"))
        try:
            yield
        finally:
            self._bound.pop()

    def __len__(self) -> int:
        return len(self._value())

    def __getitem__(self, index: int) -> T:
        array, element, number = self._locate(index)
        return _read(array, number, element)

    def __setitem__(self, index: int, value: T) -> None:
        array, element, number = self._locate(index)
        if self.access == "read":
            raise ShaderTypeError(
                explain(
                    f"{self.name!r} is read-only: element {number} was assigned",
                    fix='Declare it with access="read_write".',
                )
            )
        if _has_atomic(element):
            raise ShaderTypeError(
                explain(
                    f"{self.name!r} holds atomics, which are not assigned",
                    fix=f"Write atomic_store({self.name}[i], value).",
                )
            )
        fitting = convert(value, element, f"element of {self.name!r}")
        array[number] = _stored(fitting, element)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    else:

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_") and isinstance(self.type, StructType):
                if self.type.field(name) is not None:
                    return getattr(self._value(), name)
                known = ", ".join(field.name for field in self.type.fields)
                raise AttributeError(f"uniform {self.name!r} has no field {name!r}; it has {known}")
            raise AttributeError(f"{self!r} has no attribute {name!r}")

    def _value(self) -> Any:
        if not self._bound:
            raise InputError(
                explain(
                    f"{self.space} {self.name!r} has no value in CPython",
                    fix=f"Call the function inside  with {self.name}.bound_to(value):",
                )
            )
        return self._bound[-1]

    def _locate(self, index: object) -> tuple[NDArray[Any], Type, int]:
        if not isinstance(self.type, ArrayType):
            raise ShaderTypeError(
                explain(
                    f"uniform {self.name!r} is not an array",
                    fix=f"Read a field of it, {self.name}.field, or declare storage(...).",
                )
            )
        if isinstance(index, (bool, np.bool_)) or not isinstance(index, (int, np.integer)):
            raise ShaderTypeError(
                explain(
                    f"an index is a whole number, not a {type(index).__name__}",
                    fix="Write  u32(x).",
                )
            )
        array = self._value()
        if not 0 <= index < len(array):
            raise IndexError(
                explain(
                    f"element {int(index)} of {self.name!r} does not exist",
                    facts={"length": len(array)},
                    fix="Check the index, for example  if i < array_length(values).",
                )
            )
        return array, self.type.element, int(index)


def storage(
    name: str,
    element_type: type[T],
    *,
    binding: int,
    group: int = 0,
    access: Access = "read",
) -> Resource[T]:
    """Declare a storage buffer: an array of any length.

    Parameters
    ----------
    name
        Its name in WGSL.
    element_type
        A scalar, vector, matrix or ``@struct`` class.
    binding, group
        Where it is bound.
    access
        ``"read_write"`` if shader functions assign elements.
    """
    kind = ArrayType(type_of(element_type, f"storage {name!r}"))
    if access == "read" and _has_atomic(kind.element):
        raise ShaderTypeError(
            explain(
                f"storage {name!r} holds atomics, which are not read-only",
                fix='Declare it with access="read_write".',
            )
        )
    return Resource(name, "storage", kind, access=access, group=group, binding=binding)


def uniform(name: str, struct: type[T], *, binding: int, group: int = 0) -> Resource[T]:
    """Declare a uniform buffer with the fields of a ``@struct`` class, read as ``name.field``."""
    kind = type_of(struct, f"uniform {name!r}")
    if _has_atomic(kind):
        raise _atomics_elsewhere("uniform", name)
    if not isinstance(kind, StructType):
        raise ShaderTypeError(
            explain(
                f"uniform {name!r} needs a @struct class, not {kind}",
                fix="Put the value into a @struct class, and read  name.field.",
            )
        )
    return Resource(name, "uniform", kind, access="read", group=group, binding=binding)


def check_place(name: str, *numbers: object) -> None:
    """Refuse a group or binding that is no number."""
    for number in numbers:
        if number is not None and (type(number) is not int or number < 0):
            raise ShaderTypeError(
                explain(
                    f"{name!r} cannot be bound at {number!r}",
                    fix="Give whole numbers from 0 on:  group=0, binding=1.",
                )
            )


def _check_length(space: str, name: str, length: object) -> None:
    if type(length) is not int or length < 1:
        raise ShaderTypeError(
            explain(
                f"{space} {name!r} cannot have {length!r} elements",
                fix=f"Give a whole number from 1 on:  {space}({name!r}, f32, 64).",
            )
        )


def workgroup(name: str, element_type: type[T], length: int) -> Resource[T]:
    """Declare an array that the invocations of a workgroup share."""
    _check_length("workgroup", name, length)
    kind = ArrayType(type_of(element_type, f"workgroup {name!r}"), length)
    return Resource(name, "workgroup", kind)


def private(name: str, element_type: type[T], length: int) -> Resource[T]:
    """Declare an array that each invocation has for itself."""
    _check_length("private", name, length)
    kind = ArrayType(type_of(element_type, f"private {name!r}"), length)
    if _has_atomic(kind.element):
        raise _atomics_elsewhere("private", name)
    return Resource(name, "private", kind)


def _atomics_elsewhere(space: str, name: str) -> ShaderTypeError:
    return ShaderTypeError(
        explain(
            f"{space} {name!r} holds atomics, which other invocations must be able to reach",
            fix='Use workgroup(...), or storage(..., access="read_write").',
        )
    )


def _same_dtype(array: NDArray[Any], element: Type) -> bool:
    if isinstance(element, StructType):
        return set(array.dtype.names or ()) >= {field.name for field in element.fields}
    return array.dtype == _dtype(element)


def _check_array(resource: Resource[Any], element: Type, value: Any) -> None:
    tail = _tail(element)
    right = isinstance(value, np.ndarray) and value.ndim >= 1 and value.shape[1:] == tail
    if not (right and _same_dtype(value, element)):
        given = (
            f"{value.dtype} {value.shape}"
            if isinstance(value, np.ndarray)
            else type(value).__name__
        )
        needed = ", ".join(("n", *map(str, tail))) + ("," if not tail else "")
        dtype = "fields of the struct" if isinstance(element, StructType) else _dtype(element)
        raise InputError(
            explain(
                f"{resource.space} {resource.name!r} cannot be bound to that value",
                facts={"given": given, "needed": f"{dtype} ({needed})"},
                fix="Give a NumPy array of that dtype and shape, for example array.astype(numpy.float32).",
            )
        )


def _tail(element: Type) -> tuple[int, ...]:
    if isinstance(element, Vector):
        return (element.size,)
    if isinstance(element, Matrix):
        return (element.rows, element.columns)
    return ()


def _dtype(element: Type) -> np.dtype[Any]:
    if isinstance(element, AtomicType):
        element = element.scalar
    if isinstance(element, Scalar):
        return np.dtype(DTYPES[element])
    return np.dtype(DTYPES[element.scalar] if isinstance(element, Vector) else np.float32)


def _read(memory: Any, key: int | str, element: Type) -> Any:
    if isinstance(element, AtomicType):
        return value_class(element)(memory, key)
    stored = memory[key]
    if isinstance(element, StructType):
        values = {field.name: _read(stored, field.name, field.type) for field in element.fields}
        return value_class(element)(**values)
    return value_class(element)(stored)


def _has_atomic(element: Type) -> bool:
    if isinstance(element, StructType):
        return any(_has_atomic(field.type) for field in element.fields)
    return isinstance(element, AtomicType)


def _stored(value: Any, element: Type) -> Any:
    if isinstance(element, StructType):
        return tuple(_stored(getattr(value, field.name), field.type) for field in element.fields)
    return value if isinstance(element, Scalar) else np.asarray(value)
