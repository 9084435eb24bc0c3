"""What a program wants from outside: the contract between shaders and the heap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from heapscene.shader.types import Type

__all__ = ["Interface", "ProgramLike"]


@dataclass(frozen=True, slots=True)
class Interface:
    """Names and types that a program reads and writes.

    Attributes
    ----------
    attributes
        Per-vertex inputs of the vertex function, by name.
    inputs
        Per-draw, per-instance and per-frame inputs of both functions, by name.
    varyings
        What the vertex function hands to the fragment function.
    outputs
        Colour targets that the fragment function writes, in order.
    attribute_defaults
        Values for attributes that a geometry may leave out.
    input_defaults
        Values for inputs that a draw may leave out.
    input_limits
        Smallest and largest number of inputs that may not have any; they have to be finite, too.
    captured
        Adaptive values that the functions read by name; each is an input, too, which has this value
        unless a draw gives another.
    """

    attributes: Mapping[str, Type]
    inputs: Mapping[str, Type]
    varyings: Mapping[str, Type] = field(default_factory=dict)
    outputs: Mapping[str, Type] = field(default_factory=dict)
    attribute_defaults: Mapping[str, Any] = field(default_factory=dict)
    input_defaults: Mapping[str, Any] = field(default_factory=dict)
    input_limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    captured: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class ProgramLike(Protocol):
    """What everything below ``kernels`` needs to know of a program."""

    @property
    def hash(self) -> str:
        """Identity by content: equal text, equal program."""
        ...

    @property
    def interface(self) -> Interface:
        """What the program reads and writes."""
        ...
