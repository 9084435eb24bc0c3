"""The types of the shader language: one frozen value per WGSL type.

Types are compared by value; a struct is its name and its fields. Sizes and alignments follow
WGSL's memory layout rules (WGSL specification, "Alignment and Size"), which is what a
*host-shareable* struct in a uniform or storage buffer uses. Values in heap pages are packed
instead, see :attr:`Type.words`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "BOOL",
    "F32",
    "I32",
    "MAT2",
    "MAT3",
    "MAT4",
    "U32",
    "VEC2",
    "VEC3",
    "VEC4",
    "VOID",
    "ArrayType",
    "AtomicType",
    "Matrix",
    "SamplerType",
    "Scalar",
    "StorageTextureType",
    "StructField",
    "StructType",
    "TextureType",
    "Type",
    "Vector",
    "Void",
]


class Type:
    """Base of all types."""

    __slots__ = ()

    @property
    def wgsl(self) -> str:
        """The type as WGSL spells it."""
        raise NotImplementedError

    @property
    def words(self) -> int:
        """How many 32-bit words one value takes when packed without padding."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.wgsl


@dataclass(frozen=True, slots=True)
class Void(Type):
    """What a function without a result returns."""

    @property
    def wgsl(self) -> str:
        return "void"

    @property
    def words(self) -> int:
        return 0

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class Scalar(Type):
    """``f32``, ``i32``, ``u32`` or ``bool``."""

    name: str

    @property
    def wgsl(self) -> str:
        return self.name

    @property
    def words(self) -> int:
        return 1

    @property
    def is_float(self) -> bool:
        return self.name == "f32"

    @property
    def is_integer(self) -> bool:
        return self.name in ("i32", "u32")

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class Vector(Type):
    """Two to four scalars."""

    scalar: Scalar
    size: int

    @property
    def wgsl(self) -> str:
        return f"vec{self.size}<{self.scalar.name}>"

    @property
    def words(self) -> int:
        return self.size

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class Matrix(Type):
    """``columns`` × ``rows`` floats. WGSL's ``mat3x4`` has three columns and four rows.

    Stored row-major in NumPy and in heap pages; a loader transposes (docs/design, D6).
    """

    columns: int
    rows: int

    @property
    def wgsl(self) -> str:
        return f"mat{self.columns}x{self.rows}<f32>"

    @property
    def words(self) -> int:
        return self.columns * self.rows

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class ArrayType(Type):
    """``length`` elements, or as many as the buffer holds when ``length`` is ``None``."""

    element: Type
    length: int | None = None

    @property
    def wgsl(self) -> str:
        if self.length is None:
            return f"array<{self.element.wgsl}>"
        return f"array<{self.element.wgsl}, {self.length}>"

    @property
    def words(self) -> int:
        if self.length is None:
            raise TypeError("a runtime-sized array has no fixed number of words")
        return self.element.words * self.length

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class AtomicType(Type):
    """An ``i32`` or ``u32`` that invocations update together."""

    scalar: Scalar

    @property
    def wgsl(self) -> str:
        return f"atomic<{self.scalar.name}>"

    @property
    def words(self) -> int:
        return 1

    __str__ = Type.__str__


class _Handle(Type):
    """What a shader names but cannot hold: it has no words."""

    __slots__ = ()

    @property
    def words(self) -> int:
        raise TypeError(f"a {self.wgsl} is no value and has no words")


@dataclass(frozen=True, slots=True)
class TextureType(_Handle):
    """A texture that is sampled or loaded from.

    Attributes
    ----------
    kind
        WGSL's name, such as ``texture_2d_array`` or ``texture_depth_cube``.
    sampled
        Type of one channel; depth textures have one channel of ``f32``.
    """

    kind: str
    sampled: Scalar

    @property
    def wgsl(self) -> str:
        return self.kind if self.is_depth else f"{self.kind}<{self.sampled.name}>"

    @property
    def is_depth(self) -> bool:
        return self.kind.startswith("texture_depth_")

    @property
    def texel(self) -> Type:
        """What a load gives: four channels, or one depth."""
        return self.sampled if self.is_depth else Vector(self.sampled, 4)

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class StorageTextureType(_Handle):
    """A texture that is written by its texel coordinates.

    Attributes
    ----------
    kind
        ``texture_storage_2d``, ``texture_storage_2d_array`` or ``texture_storage_3d``.
    format
        WebGPU's name of the texel format, such as ``rgba8unorm``.
    access
        ``read``, ``write`` or ``read_write``.
    """

    kind: str
    format: str
    access: str = "write"

    @property
    def wgsl(self) -> str:
        return f"{self.kind}<{self.format}, {self.access}>"

    @property
    def sampled(self) -> Scalar:
        """Type of one channel."""
        if self.format.endswith("uint"):
            return U32
        return I32 if self.format.endswith("sint") else F32

    @property
    def texel(self) -> Type:
        """What is stored and loaded: always four channels."""
        return Vector(self.sampled, 4)

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class SamplerType(_Handle):
    """How a texture is sampled; with ``comparison``, against a reference depth."""

    comparison: bool = False

    @property
    def wgsl(self) -> str:
        return "sampler_comparison" if self.comparison else "sampler"

    __str__ = Type.__str__


@dataclass(frozen=True, slots=True)
class StructField:
    """One member; ``builtin`` is WGSL's name of it, ``default`` is not part of the type."""

    name: str
    type: Type
    builtin: str | None = None
    interpolate: str | None = None
    default: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class StructType(Type):
    """Named members in order of declaration."""

    name: str
    fields: tuple[StructField, ...]

    @property
    def wgsl(self) -> str:
        return self.name

    @property
    def words(self) -> int:
        return sum(member.type.words for member in self.fields)

    def field(self, name: str) -> StructField | None:
        """Return the member of that name, or ``None``."""
        return next((member for member in self.fields if member.name == name), None)

    __str__ = Type.__str__


VOID = Void()
F32 = Scalar("f32")
I32 = Scalar("i32")
U32 = Scalar("u32")
BOOL = Scalar("bool")
VEC2 = Vector(F32, 2)
VEC3 = Vector(F32, 3)
VEC4 = Vector(F32, 4)
MAT2 = Matrix(2, 2)
MAT3 = Matrix(3, 3)
MAT4 = Matrix(4, 4)
