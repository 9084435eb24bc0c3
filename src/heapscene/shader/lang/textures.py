"""Textures and samplers: declared at module level, used by the functions of :mod:`.sampling`.

A texture's class is its shape, ``texel`` the class of what a load gives. In CPython a texture has
texels while it is bound, as a buffer has elements::

    albedo = texture_2d("albedo", binding=1)
    linear = sampler("linear", binding=2, filter="linear")

    with albedo.bound_to(np.zeros((64, 64, 4), np.float32)):
        shade(varyings)
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import InputError, ShaderTypeError, explain
from heapscene.shader.lang.resources import check_place
from heapscene.shader.lang.vector_value import DTYPES
from heapscene.shader.lang.vectors import vec4, vec4i, vec4u
from heapscene.shader.types import F32, SamplerType, Scalar, StorageTextureType, TextureType, Vector

__all__ = [
    "FORMATS",
    "Handle",
    "Texture",
    "sampler",
    "sampler_comparison",
    "texture_1d",
    "texture_2d",
    "texture_2d_array",
    "texture_3d",
    "texture_cube",
    "texture_cube_array",
    "texture_depth_2d",
    "texture_depth_2d_array",
    "texture_depth_cube",
    "texture_depth_cube_array",
    "texture_depth_multisampled_2d",
    "texture_multisampled_2d",
    "texture_storage_1d",
    "texture_storage_2d",
    "texture_storage_2d_array",
    "texture_storage_3d",
]

V = TypeVar("V", vec4, vec4i, vec4u)
Filter = Literal["nearest", "linear"]
Address = Literal["clamp-to-edge", "repeat", "mirror-repeat"]
Compare = Literal[
    "never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"
]
FloatFormat: TypeAlias = Literal[
    "rgba8unorm", "rgba8snorm", "rgba16float", "r32float", "rg32float", "rgba32float"
]
SintFormat: TypeAlias = Literal["rgba8sint", "rgba16sint", "r32sint", "rg32sint", "rgba32sint"]
UintFormat: TypeAlias = Literal["rgba8uint", "rgba16uint", "r32uint", "rg32uint", "rgba32uint"]
FORMATS: tuple[str, ...] = (
    *("rgba8unorm", "rgba8snorm", "rgba8uint", "rgba8sint", "rgba16uint", "rgba16sint"),
    *("rgba16float", "r32uint", "r32sint", "r32float", "rg32uint", "rg32sint", "rg32float"),
    *("rgba32uint", "rgba32sint", "rgba32float"),
)
"""Formats of storage textures that every WebGPU device has."""


class Handle:
    """What shaders name but cannot hold: a texture or a sampler.

    Attributes
    ----------
    name
        Its name in WGSL.
    type
        Its type in the IR.
    group, binding
        Where it is bound.
    """

    def __init__(
        self,
        name: str,
        kind: TextureType | StorageTextureType | SamplerType,
        group: int,
        binding: int,
    ) -> None:
        if not name.isidentifier():
            raise ShaderTypeError(
                explain(f"{name!r} is not a name", fix="Use a Python identifier.")
            )
        check_place(name, group, binding)
        self.name = name
        self.type = kind
        self.group = group
        self.binding = binding

    def __repr__(self) -> str:
        return f"<{self.type} {self.name}>"


class Texture(Handle):
    """A texture of any shape.

    Its texels are arrays whose axes are, as far as the shape has them, layers (six to a cube),
    depth, rows, columns, samples, and four channels unless it is a depth texture.
    """

    kind: ClassVar[str]
    axes: ClassVar[str]
    type: TextureType | StorageTextureType

    def __init__(
        self, name: str, kind: TextureType | StorageTextureType, group: int, binding: int
    ) -> None:
        super().__init__(name, kind, group, binding)
        self._bound: list[list[NDArray[Any]]] = []

    @contextmanager
    def bound_to(
        self, *levels: NDArray[Any] | Sequence[NDArray[Any]]
    ) -> Generator[None, None, None]:
        """Give the texture texels in CPython for the duration of a ``with`` block.

        Parameters
        ----------
        levels
            One array for each mip level, the largest first; ``float32``, ``int32`` or ``uint32`` as
            the texel is. A storage texture has one, which is written in place.

        Raises
        ------
        InputError
            Another shape or dtype.
        """
        made = [np.asarray(level) for level in levels]
        for level in made:
            self._check(level)
        if not made or (len(made) > 1 and not self._may_have_levels()):
            raise InputError(
                explain(
                    f"{self.name!r} has one level, {len(made)} were given", fix="Give one array."
                )
            )
        self._bound.append(made)
        try:
            yield
        finally:
            self._bound.pop()

    def _may_have_levels(self) -> bool:
        return isinstance(self.type, TextureType) and not any(
            kind in self.type.kind for kind in ("multisampled", "1d")
        )

    def _check(self, level: NDArray[Any]) -> None:
        channels = isinstance(self.type.texel, Vector)
        rank = len(self.axes.split()) + channels
        right = level.ndim == rank and level.dtype == DTYPES[self.type.sampled]
        if right and channels:
            right = level.shape[-1] == 4
        if right and "cube" in self.type.kind:
            right = level.shape[0] % 6 == 0
        if not right:
            needed = ", ".join([*self.axes.split(), *(["4"] if channels else [])])
            raise InputError(
                explain(
                    f"texture {self.name!r} cannot be bound to that array",
                    facts={
                        "given": f"{level.dtype} {level.shape}",
                        "needed": f"{np.dtype(DTYPES[self.type.sampled])} ({needed})",
                    },
                    fix="Give an array of that dtype and shape, for example array.astype(numpy.float32).",
                )
            )

    @property
    def levels(self) -> list[NDArray[Any]]:
        """The texels that it is bound to, by mip level."""
        if not self._bound:
            raise InputError(
                explain(
                    f"texture {self.name!r} has no texels in CPython",
                    fix=f"Call the function inside  with {self.name}.bound_to(array):",
                )
            )
        return self._bound[-1]


class _Sampled(Texture, Generic[V]):
    def __init__(
        self,
        name: str,
        texel: type[V] = vec4,
        *,
        binding: int,
        group: int = 0,
    ) -> None:
        if texel not in (vec4, vec4i, vec4u):
            raise ShaderTypeError(
                explain(
                    f"the texels of {name!r} are vec4, vec4i or vec4u, not {texel!r}",
                    fix=f"Write {self.kind}({name!r}, vec4, binding=...).",
                )
            )
        scalar: Scalar = texel.__shader_type__.scalar
        super().__init__(name, TextureType(self.kind, scalar), group, binding)


class texture_1d(_Sampled[V]):
    """A line: columns. It has one level."""

    kind, axes = "texture_1d", "columns"


class texture_2d(_Sampled[V]):
    """A picture: rows, columns."""

    kind, axes = "texture_2d", "rows columns"


class texture_2d_array(_Sampled[V]):
    """Pictures of one size: layers, rows, columns."""

    kind, axes = "texture_2d_array", "layers rows columns"


class texture_3d(_Sampled[V]):
    """A block: depth, rows, columns."""

    kind, axes = "texture_3d", "depth rows columns"


class texture_cube(_Sampled[V]):
    """Six square pictures, in the order +x, -x, +y, -y, +z, -z."""

    kind, axes = "texture_cube", "6 rows columns"


class texture_cube_array(_Sampled[V]):
    """Several cubes: six layers each."""

    kind, axes = "texture_cube_array", "6*cubes rows columns"


class texture_multisampled_2d(_Sampled[V]):
    """A picture with several samples for each pixel, which are loaded one by one."""

    kind, axes = "texture_multisampled_2d", "rows columns samples"


class _Depth(Texture):
    def __init__(self, name: str, *, binding: int, group: int = 0) -> None:
        super().__init__(name, TextureType(self.kind, F32), group, binding)


class texture_depth_2d(_Depth):
    """A depth buffer: rows, columns."""

    kind, axes = "texture_depth_2d", "rows columns"


class texture_depth_2d_array(_Depth):
    """Depth buffers of one size: layers, rows, columns."""

    kind, axes = "texture_depth_2d_array", "layers rows columns"


class texture_depth_cube(_Depth):
    """Six depth buffers, in the order of :class:`texture_cube`."""

    kind, axes = "texture_depth_cube", "6 rows columns"


class texture_depth_cube_array(_Depth):
    """Several cubes of depth buffers: six layers each."""

    kind, axes = "texture_depth_cube_array", "6*cubes rows columns"


class texture_depth_multisampled_2d(_Depth):
    """A depth buffer with several samples for each pixel."""

    kind, axes = "texture_depth_multisampled_2d", "rows columns samples"


class _Stored(Texture, Generic[V]):
    if TYPE_CHECKING:

        @overload
        def __init__(
            self: _Stored[vec4],
            name: str,
            format: FloatFormat,
            *,
            binding: int,
            group: int = 0,
            access: Literal["read", "write", "read_write"] = "write",
        ) -> None: ...
        @overload
        def __init__(
            self: _Stored[vec4i],
            name: str,
            format: SintFormat,
            *,
            binding: int,
            group: int = 0,
            access: Literal["read", "write", "read_write"] = "write",
        ) -> None: ...
        @overload
        def __init__(
            self: _Stored[vec4u],
            name: str,
            format: UintFormat,
            *,
            binding: int,
            group: int = 0,
            access: Literal["read", "write", "read_write"] = "write",
        ) -> None: ...

    def __init__(
        self,
        name: str,
        format: str,
        *,
        binding: int,
        group: int = 0,
        access: str = "write",
    ) -> None:
        if format not in FORMATS:
            raise ShaderTypeError(
                explain(
                    f"{format!r} is no format of a storage texture",
                    facts={"formats": ", ".join(FORMATS)},
                    fix='Write one of these formats, such as "rgba8unorm".',
                )
            )
        if access not in ("read", "write", "read_write") or (
            access == "read_write" and not format.startswith("r32")
        ):
            raise ShaderTypeError(
                explain(
                    f"{name!r} cannot have access {access!r} with {format}",
                    fix="read_write needs r32uint, r32sint or r32float; else read or write.",
                )
            )
        super().__init__(name, StorageTextureType(self.kind, format, access), group, binding)


class texture_storage_1d(_Stored[V]):
    """A line that functions write: columns."""

    kind, axes = "texture_storage_1d", "columns"


class texture_storage_2d(_Stored[V]):
    """A picture that functions write: rows, columns."""

    kind, axes = "texture_storage_2d", "rows columns"


class texture_storage_2d_array(_Stored[V]):
    """Pictures that functions write: layers, rows, columns."""

    kind, axes = "texture_storage_2d_array", "layers rows columns"


class texture_storage_3d(_Stored[V]):
    """A block that functions write: depth, rows, columns."""

    kind, axes = "texture_storage_3d", "depth rows columns"


class sampler(Handle):
    """How a texture is sampled.

    Parameters
    ----------
    filter
        Between texels: the nearest one, or a weighted mean.
    mipmap_filter
        Between mip levels.
    address
        What lies outside of [0, 1].
    """

    def __init__(
        self,
        name: str,
        *,
        binding: int,
        group: int = 0,
        filter: Filter = "linear",
        mipmap_filter: Filter = "linear",
        address: Address = "clamp-to-edge",
    ) -> None:
        super().__init__(name, SamplerType(), group, binding)
        self.filter = filter
        self.mipmap_filter = mipmap_filter
        self.address = address


class sampler_comparison(Handle):
    """How a depth texture is compared with a reference: the share of texels that pass."""

    def __init__(
        self,
        name: str,
        *,
        binding: int,
        group: int = 0,
        compare: Compare = "less",
        filter: Filter = "linear",
        address: Address = "clamp-to-edge",
    ) -> None:
        super().__init__(name, SamplerType(comparison=True), group, binding)
        self.compare = compare
        self.filter = filter
        self.mipmap_filter: Filter = "nearest"
        self.address = address
