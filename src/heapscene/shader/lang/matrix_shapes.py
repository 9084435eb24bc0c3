"""The nine matrices: ``mat4x3`` has four columns and three rows, ``mat3`` is ``mat3x3``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from numpy.typing import NDArray

from heapscene.shader.lang.matrices import MatrixValue, register_matrix
from heapscene.shader.lang.vectors import vec2, vec3, vec4

__all__ = [
    "mat2",
    "mat2x3",
    "mat2x4",
    "mat3",
    "mat3x2",
    "mat3x4",
    "mat4",
    "mat4x2",
    "mat4x3",
]


class mat2(MatrixValue[vec2]):
    """Two columns of ``vec2``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec2, c1: vec2, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat2, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2) -> mat2: ...
    @overload
    def __matmul__(self, other: mat3x2) -> mat3x2: ...
    @overload
    def __matmul__(self, other: mat4x2) -> mat4x2: ...
    @overload
    def __matmul__(self, other: vec2) -> vec2: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec2) -> vec2:
        return self._times_row(other)


class mat3(MatrixValue[vec3]):
    """Three columns of ``vec3``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec3, c1: vec3, c2: vec3, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat3, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2x3) -> mat2x3: ...
    @overload
    def __matmul__(self, other: mat3) -> mat3: ...
    @overload
    def __matmul__(self, other: mat4x3) -> mat4x3: ...
    @overload
    def __matmul__(self, other: vec3) -> vec3: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec3) -> vec3:
        return self._times_row(other)


class mat4(MatrixValue[vec4]):
    """Four columns of ``vec4``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec4, c1: vec4, c2: vec4, c3: vec4, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat4, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2x4) -> mat2x4: ...
    @overload
    def __matmul__(self, other: mat3x4) -> mat3x4: ...
    @overload
    def __matmul__(self, other: mat4) -> mat4: ...
    @overload
    def __matmul__(self, other: vec4) -> vec4: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec4) -> vec4:
        return self._times_row(other)


class mat2x3(MatrixValue[vec3]):
    """Two columns of ``vec3``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec3, c1: vec3, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat2x3, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2) -> mat2x3: ...
    @overload
    def __matmul__(self, other: mat3x2) -> mat3: ...
    @overload
    def __matmul__(self, other: mat4x2) -> mat4x3: ...
    @overload
    def __matmul__(self, other: vec2) -> vec3: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec3) -> vec2:
        return self._times_row(other)


class mat2x4(MatrixValue[vec4]):
    """Two columns of ``vec4``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec4, c1: vec4, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat2x4, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2) -> mat2x4: ...
    @overload
    def __matmul__(self, other: mat3x2) -> mat3x4: ...
    @overload
    def __matmul__(self, other: mat4x2) -> mat4: ...
    @overload
    def __matmul__(self, other: vec2) -> vec4: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec4) -> vec2:
        return self._times_row(other)


class mat3x2(MatrixValue[vec2]):
    """Three columns of ``vec2``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec2, c1: vec2, c2: vec2, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat3x2, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2x3) -> mat2: ...
    @overload
    def __matmul__(self, other: mat3) -> mat3x2: ...
    @overload
    def __matmul__(self, other: mat4x3) -> mat4x2: ...
    @overload
    def __matmul__(self, other: vec3) -> vec2: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec2) -> vec3:
        return self._times_row(other)


class mat3x4(MatrixValue[vec4]):
    """Three columns of ``vec4``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec4, c1: vec4, c2: vec4, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat3x4, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2x3) -> mat2x4: ...
    @overload
    def __matmul__(self, other: mat3) -> mat3x4: ...
    @overload
    def __matmul__(self, other: mat4x3) -> mat4: ...
    @overload
    def __matmul__(self, other: vec3) -> vec4: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec4) -> vec3:
        return self._times_row(other)


class mat4x2(MatrixValue[vec2]):
    """Four columns of ``vec2``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec2, c1: vec2, c2: vec2, c3: vec2, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat4x2, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2x4) -> mat2: ...
    @overload
    def __matmul__(self, other: mat3x4) -> mat3x2: ...
    @overload
    def __matmul__(self, other: mat4) -> mat4x2: ...
    @overload
    def __matmul__(self, other: vec4) -> vec2: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec2) -> vec4:
        return self._times_row(other)


class mat4x3(MatrixValue[vec3]):
    """Four columns of ``vec3``."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, c0: vec3, c1: vec3, c2: vec3, c3: vec3, /) -> None: ...
        @overload
        def __init__(self, rows: NDArray[Any] | mat4x3, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...

    @overload
    def __matmul__(self, other: mat2x4) -> mat2x3: ...
    @overload
    def __matmul__(self, other: mat3x4) -> mat3: ...
    @overload
    def __matmul__(self, other: mat4) -> mat4x3: ...
    @overload
    def __matmul__(self, other: vec4) -> vec3: ...
    def __matmul__(self, other: Any) -> Any:
        return self._times(other)

    def __rmatmul__(self, other: vec3) -> vec4:
        return self._times_row(other)


for _class, _columns, _rows in (
    (mat2, 2, 2),
    (mat3, 3, 3),
    (mat4, 4, 4),
    (mat2x3, 2, 3),
    (mat2x4, 2, 4),
    (mat3x2, 3, 2),
    (mat3x4, 3, 4),
    (mat4x2, 4, 2),
    (mat4x3, 4, 3),
):
    register_matrix(_class, _columns, _rows)
