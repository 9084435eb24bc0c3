"""Intrinsics about the running invocation and its neighbours; most exist on a GPU only."""

# A function is named by its result.

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from heapscene.errors import ShaderError, explain
from heapscene.shader.lang.apply import intrinsic
from heapscene.shader.lang.scalars import UInt32
from heapscene.shader.lang.vectors import vec2, vec3, vec4

__all__ = [
    "Discard",
    "array_length",
    "discard",
    "dpdx",
    "dpdx_coarse",
    "dpdx_fine",
    "dpdy",
    "dpdy_coarse",
    "dpdy_fine",
    "fwidth",
    "fwidth_coarse",
    "fwidth_fine",
    "storage_barrier",
    "texture_barrier",
    "workgroup_barrier",
    "workgroup_uniform_load",
]

T = TypeVar("T")
F = TypeVar("F", float, vec2, vec3, vec4)


class Discard(Exception):
    """Leaves a fragment function without a colour."""


@intrinsic
def array_length(array: Any) -> int:
    """How many elements a storage array has."""
    return UInt32(len(array))


@intrinsic
def discard() -> NoReturn:
    """Leave the fragment function without a colour; the call then returns ``None`` in CPython."""
    raise Discard


@intrinsic
def dpdx(x: F) -> F:
    """Difference to the neighbouring pixel in x."""
    raise _neighbours("dpdx", x)


@intrinsic
def dpdy(x: F) -> F:
    """Difference to the neighbouring pixel in y."""
    raise _neighbours("dpdy", x)


@intrinsic
def fwidth(x: F) -> F:
    """``abs(dpdx(x)) + abs(dpdy(x))``."""
    raise _neighbours("fwidth", x)


@intrinsic
def dpdx_fine(x: F) -> F:
    """Difference in x, between the pixel's own neighbours."""
    raise _neighbours("dpdx_fine", x)


@intrinsic
def dpdy_fine(x: F) -> F:
    """Difference in y, between the pixel's own neighbours."""
    raise _neighbours("dpdy_fine", x)


@intrinsic
def dpdx_coarse(x: F) -> F:
    """Difference in x, one for a block of four pixels."""
    raise _neighbours("dpdx_coarse", x)


@intrinsic
def dpdy_coarse(x: F) -> F:
    """Difference in y, one for a block of four pixels."""
    raise _neighbours("dpdy_coarse", x)


@intrinsic
def fwidth_fine(x: F) -> F:
    """``abs(dpdx_fine(x)) + abs(dpdy_fine(x))``."""
    raise _neighbours("fwidth_fine", x)


@intrinsic
def fwidth_coarse(x: F) -> F:
    """``abs(dpdx_coarse(x)) + abs(dpdy_coarse(x))``."""
    raise _neighbours("fwidth_coarse", x)


def _neighbours(name: str, x: object) -> ShaderError:
    return ShaderError(
        explain(
            f"{name}() needs the neighbouring pixels, and a call in CPython has one",
            facts={"value": x},
            fix="Run the program on the GPU, or pass the derivative as a parameter.",
        )
    )


@intrinsic
def workgroup_barrier() -> None:
    """Wait for the other invocations of the workgroup, and see what they wrote to it."""
    raise _others("workgroup_barrier")


@intrinsic
def storage_barrier() -> None:
    """Wait for the other invocations of the workgroup, and see what they wrote to buffers."""
    raise _others("storage_barrier")


@intrinsic
def texture_barrier() -> None:
    """Wait for the other invocations of the workgroup, and see what they wrote to textures."""
    raise _others("texture_barrier")


@intrinsic
def workgroup_uniform_load(place: T) -> T:
    """Wait for the workgroup, then read an element of workgroup memory, the same one in all of it.

    What depends on the value is known to be the same for the whole workgroup, so that barriers may
    stand under conditions on it.
    """
    del place
    raise _others("workgroup_uniform_load")


def _others(name: str) -> ShaderError:
    return ShaderError(
        explain(
            f"{name}() needs the other invocations, and a call in CPython has one",
            fix="Split the function at its barriers into helpers, and call those.",
        )
    )
