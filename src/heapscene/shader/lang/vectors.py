"""Vectors: ``vec3`` holds ``f32``, ``vec3i`` ``i32``, ``vec3u`` ``u32``, ``vec3b`` bools.

``Two``, ``Three`` and ``Four`` say for each size what the four kinds share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, overload

from heapscene.shader.lang import swizzles as names
from heapscene.shader.lang.vector_value import V2, V3, V4, B, S, VectorValue, register
from heapscene.shader.types import BOOL, F32, I32, U32
from heapscene.typing import ArrayLike

__all__ = [
    "vec2",
    "vec2b",
    "vec2i",
    "vec2u",
    "vec3",
    "vec3b",
    "vec3i",
    "vec3u",
    "vec4",
    "vec4b",
    "vec4i",
    "vec4u",
]


class Two(VectorValue[S, B, V2, V3, V4]):
    """What all vectors of two have."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __getattr__(self, name: names.Singles2) -> S: ...
        @overload
        def __getattr__(self, name: names.Pairs2) -> V2: ...
        @overload
        def __getattr__(self, name: names.Triples2) -> V3: ...
        @overload
        def __getattr__(self, name: names.Quads2) -> V4: ...
        def __getattr__(self, name: str) -> Any: ...


class Three(VectorValue[S, B, V2, V3, V4]):
    """What all vectors of three have."""

    __slots__ = ()

    def with_z(self, value: S) -> Self:
        """Return a copy with another z."""
        return self._with(2, value)

    if TYPE_CHECKING:

        @overload
        def __getattr__(self, name: names.Singles3) -> S: ...
        @overload
        def __getattr__(self, name: names.Pairs3) -> V2: ...
        @overload
        def __getattr__(self, name: names.Triples3) -> V3: ...
        @overload
        def __getattr__(self, name: names.Quads3) -> V4: ...
        def __getattr__(self, name: str) -> Any: ...


class Four(VectorValue[S, B, V2, V3, V4]):
    """What all vectors of four have."""

    __slots__ = ()

    def with_z(self, value: S) -> Self:
        """Return a copy with another z."""
        return self._with(2, value)

    def with_w(self, value: S) -> Self:
        """Return a copy with another w."""
        return self._with(3, value)

    if TYPE_CHECKING:

        @overload
        def __getattr__(self, name: names.Singles4) -> S: ...
        @overload
        def __getattr__(self, name: names.Pairs4) -> V2: ...
        @overload
        def __getattr__(self, name: names.Triples4) -> V3: ...
        @overload
        def __getattr__(self, name: names.Quads4) -> V4: ...
        def __getattr__(self, name: str) -> Any: ...


class vec2(Two[float, "vec2b", "vec2", "vec3", "vec4"]):
    """Two ``f32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: float = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec2 | vec2i | vec2u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: float, y: float, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec3(Three[float, "vec3b", "vec2", "vec3", "vec4"]):
    """Three ``f32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: float = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec3 | vec3i | vec3u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: float, y: float, z: float, /) -> None: ...
        @overload
        def __init__(self, xy: vec2, z: float, /) -> None: ...
        @overload
        def __init__(self, x: float, yz: vec2, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec4(Four[float, "vec4b", "vec2", "vec3", "vec4"]):
    """Four ``f32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: float = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec4 | vec4i | vec4u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: float, y: float, z: float, w: float, /) -> None: ...
        @overload
        def __init__(self, xyz: vec3, w: float, /) -> None: ...
        @overload
        def __init__(self, x: float, yzw: vec3, /) -> None: ...
        @overload
        def __init__(self, xy: vec2, zw: vec2, /) -> None: ...
        @overload
        def __init__(self, xy: vec2, z: float, w: float, /) -> None: ...
        @overload
        def __init__(self, x: float, yz: vec2, w: float, /) -> None: ...
        @overload
        def __init__(self, x: float, y: float, zw: vec2, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec2i(Two[int, "vec2b", "vec2i", "vec3i", "vec4i"]):
    """Two ``i32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: int = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec2 | vec2i | vec2u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec3i(Three[int, "vec3b", "vec2i", "vec3i", "vec4i"]):
    """Three ``i32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: int = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec3 | vec3i | vec3u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, z: int, /) -> None: ...
        @overload
        def __init__(self, xy: vec2i, z: int, /) -> None: ...
        @overload
        def __init__(self, x: int, yz: vec2i, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec4i(Four[int, "vec4b", "vec2i", "vec3i", "vec4i"]):
    """Four ``i32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: int = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec4 | vec4i | vec4u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, z: int, w: int, /) -> None: ...
        @overload
        def __init__(self, xyz: vec3i, w: int, /) -> None: ...
        @overload
        def __init__(self, x: int, yzw: vec3i, /) -> None: ...
        @overload
        def __init__(self, xy: vec2i, zw: vec2i, /) -> None: ...
        @overload
        def __init__(self, xy: vec2i, z: int, w: int, /) -> None: ...
        @overload
        def __init__(self, x: int, yz: vec2i, w: int, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, zw: vec2i, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec2u(Two[int, "vec2b", "vec2u", "vec3u", "vec4u"]):
    """Two ``u32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: int = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec2 | vec2i | vec2u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec3u(Three[int, "vec3b", "vec2u", "vec3u", "vec4u"]):
    """Three ``u32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: int = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec3 | vec3i | vec3u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, z: int, /) -> None: ...
        @overload
        def __init__(self, xy: vec2u, z: int, /) -> None: ...
        @overload
        def __init__(self, x: int, yz: vec2u, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec4u(Four[int, "vec4b", "vec2u", "vec3u", "vec4u"]):
    """Four ``u32`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: int = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec4 | vec4i | vec4u | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, z: int, w: int, /) -> None: ...
        @overload
        def __init__(self, xyz: vec3u, w: int, /) -> None: ...
        @overload
        def __init__(self, x: int, yzw: vec3u, /) -> None: ...
        @overload
        def __init__(self, xy: vec2u, zw: vec2u, /) -> None: ...
        @overload
        def __init__(self, xy: vec2u, z: int, w: int, /) -> None: ...
        @overload
        def __init__(self, x: int, yz: vec2u, w: int, /) -> None: ...
        @overload
        def __init__(self, x: int, y: int, zw: vec2u, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec2b(Two[bool, "vec2b", "vec2b", "vec3b", "vec4b"]):
    """Two ``bool`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: bool = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec2b | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: bool, y: bool, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec3b(Three[bool, "vec3b", "vec2b", "vec3b", "vec4b"]):
    """Three ``bool`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: bool = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec3b | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: bool, y: bool, z: bool, /) -> None: ...
        @overload
        def __init__(self, xy: vec2b, z: bool, /) -> None: ...
        @overload
        def __init__(self, x: bool, yz: vec2b, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


class vec4b(Four[bool, "vec4b", "vec2b", "vec3b", "vec4b"]):
    """Four ``bool`` values."""

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self, value: bool = ..., /) -> None: ...
        @overload
        def __init__(self, vector: vec4b | ArrayLike, /) -> None: ...
        @overload
        def __init__(self, x: bool, y: bool, z: bool, w: bool, /) -> None: ...
        @overload
        def __init__(self, xyz: vec3b, w: bool, /) -> None: ...
        @overload
        def __init__(self, x: bool, yzw: vec3b, /) -> None: ...
        @overload
        def __init__(self, xy: vec2b, zw: vec2b, /) -> None: ...
        @overload
        def __init__(self, xy: vec2b, z: bool, w: bool, /) -> None: ...
        @overload
        def __init__(self, x: bool, yz: vec2b, w: bool, /) -> None: ...
        @overload
        def __init__(self, x: bool, y: bool, zw: vec2b, /) -> None: ...
        def __init__(self, *values: Any) -> None: ...


register(vec2, F32, 2)
register(vec3, F32, 3)
register(vec4, F32, 4)
register(vec2i, I32, 2)
register(vec3i, I32, 3)
register(vec4i, I32, 4)
register(vec2u, U32, 2)
register(vec3u, U32, 3)
register(vec4u, U32, 4)
register(vec2b, BOOL, 2)
register(vec3b, BOOL, 3)
register(vec4b, BOOL, 4)
