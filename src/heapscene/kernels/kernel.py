"""What a kernel is: WGSL, its bindings, and the NumPy twin that says what it should compute."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

from heapscene.gpu import Binding
from heapscene.typing import UintArray

__all__ = ["PARAMS", "Kernel", "Params", "Storage", "raw_kernel"]

PARAMS = ("records", "blocks", "slots", "tiles", "axis", "first", "stop")
"""Words of the uniform that all kernels of a bucket read, see :func:`heapscene.kernels.plan`."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compute entry point.

    Attributes
    ----------
    name
        For labels and reports.
    wgsl
        A complete module.
    entry
        The entry point in it.
    bindings
        Bind group 0, with names, in the order of binding numbers.
    workgroup_size
        Invocations per workgroup.
    twin
        The same computation on NumPy arrays, called with the bindings' contents in their order.
    """

    name: str
    wgsl: str = field(repr=False)
    entry: str
    bindings: tuple[Binding, ...]
    workgroup_size: int
    twin: Callable[..., None] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Storage:
    """Marks a parameter of a raw kernel as a storage buffer of that WGSL type."""

    wgsl: str
    access: Literal["read", "read_write"]


class _Uniform:
    """Marks the parameter of a raw kernel that is the uniform of :data:`PARAMS`."""


Params: TypeAlias = Annotated[UintArray, _Uniform()]


def raw_kernel(wgsl: str, *, workgroup_size: int) -> Callable[[Callable[..., None]], Kernel]:
    """Turn a Python function into a kernel whose GPU form is WGSL text.

    Only for what the shader language cannot say: workgroup memory. The function's signature
    declares the bindings, each annotated with :data:`Params` or a :class:`Storage`; its body is
    the NumPy twin.

    Parameters
    ----------
    wgsl
        The module without its bindings: helper declarations and the function ``main``.
    """

    def decorate(function: Callable[..., None]) -> Kernel:
        hints = get_type_hints(function, include_extras=True)
        names = list(inspect.signature(function).parameters)
        marks = [get_args(hints[name])[1] for name in names]
        declared = [
            _declare(i, name, mark) for i, (name, mark) in enumerate(zip(names, marks, strict=True))
        ]
        return Kernel(
            name=function.__name__,
            wgsl="\n".join([_struct(), *declared, wgsl]),
            entry="main",
            bindings=tuple(
                Binding(i, _kind(mark), name=name)
                for i, (name, mark) in enumerate(zip(names, marks, strict=True))
            ),
            workgroup_size=workgroup_size,
            twin=function,
        )

    return decorate


def _struct() -> str:
    return f"struct Params {{ {', '.join(f'{name}: u32' for name in PARAMS)} }}"


def _declare(index: int, name: str, mark: Any) -> str:
    at = f"@group(0) @binding({index})"
    if isinstance(mark, Storage):
        return f"{at} var<storage, {mark.access}> {name}: {mark.wgsl};"
    return f"{at} var<uniform> {name}: Params;"


def _kind(mark: Any) -> Literal["uniform", "read-only-storage", "storage"]:
    if isinstance(mark, Storage):
        return "storage" if mark.access == "read_write" else "read-only-storage"
    return "uniform"
