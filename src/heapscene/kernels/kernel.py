"""What a kernel is: WGSL, its bindings, and the NumPy twin that says what it should compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from heapscene.gpu import Binding
from heapscene.kernels.emit import compute_wgsl
from heapscene.shader import Resource, ShaderFunction

__all__ = ["Kernel", "kernel"]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A compute function with what it binds.

    Attributes
    ----------
    function
        The shader function; calling it runs one invocation in CPython.
    bindings
        Bind group 0, with names, in the order of binding numbers.
    twin
        The same computation on NumPy arrays, called with the bindings' contents in their order.
    """

    function: ShaderFunction[..., None]
    bindings: tuple[Binding, ...]
    twin: Callable[..., None]

    @property
    def name(self) -> str:
        """For labels and reports; also the name of the entry point."""
        return self.function.name

    @property
    def entry(self) -> str:
        """The entry point in :attr:`wgsl`."""
        return self.function.name

    @property
    def workgroup_size(self) -> int:
        """Invocations per workgroup."""
        return prod(self.function.workgroup_size or (1,))

    @cached_property
    def wgsl(self) -> str:
        """A complete module, compiled at the first use."""
        return compute_wgsl(self.function)


def kernel(
    *resources: Resource[Any], twin: Callable[..., None]
) -> Callable[[ShaderFunction[..., None]], Kernel]:
    """Make a kernel of a compute function.

    Parameters
    ----------
    resources
        What it binds, in the order of binding numbers.
    twin
        Its NumPy twin, which takes their contents in this order.
    """

    def decorate(function: ShaderFunction[..., None]) -> Kernel:
        return Kernel(function, tuple(_binding(resource) for resource in resources), twin)

    return decorate


def _binding(resource: Resource[Any]) -> Binding:
    number = resource.binding or 0
    if resource.space == "uniform":
        return Binding(number, "uniform", name=resource.name)
    kind = "storage" if resource.access == "read_write" else "read-only-storage"
    return Binding(number, kind, name=resource.name)
