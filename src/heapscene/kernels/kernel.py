"""What a kernel is: a compute function, and the NumPy twin that says what it should compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from heapscene.gpu import Binding
from heapscene.shader import ComputeProgram, ShaderFunction

__all__ = ["Kernel", "kernel"]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A compute function with its twin; compiled at the first use.

    Attributes
    ----------
    function
        The shader function; calling it runs one invocation in CPython.
    twin
        The same computation on NumPy arrays: it takes the contents of :attr:`bindings` in their
        order, and writes into those that the kernel writes.
    """

    function: ShaderFunction[..., None]
    twin: Callable[..., None]

    @property
    def name(self) -> str:
        """For labels and reports."""
        return self.function.name

    @property
    def workgroup_size(self) -> int:
        """Invocations per workgroup."""
        return prod(self.function.workgroup_size or (1,))

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """Bind group 0, with names, in the order of binding numbers."""
        found: list[Any] = self._program.bindings  # kinds are typed as text there
        return tuple(Binding(item.binding, item.kind, name=item.name) for item in found)

    @property
    def entry(self) -> str:
        """The entry point in :attr:`wgsl`."""
        return self._program.entry

    @property
    def wgsl(self) -> str:
        """A complete module."""
        return self._program.wgsl

    @cached_property
    def _program(self) -> ComputeProgram:
        return ComputeProgram(self.function)


def kernel(*, twin: Callable[..., None]) -> Callable[[ShaderFunction[..., None]], Kernel]:
    """Make a kernel of a compute function, with the twin named beside it."""

    def decorate(function: ShaderFunction[..., None]) -> Kernel:
        return Kernel(function, twin)

    return decorate
