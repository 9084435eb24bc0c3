"""A compute program: one ``@compute`` function with what it binds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from heapscene.adaptive import OwnCopy
from heapscene.errors import InputError, ShaderTypeError, explain
from heapscene.shader.stages import ShaderFunction, undecorated
from heapscene.shader.types import SamplerType, StructType, TextureType, Type
from heapscene.wording import brief

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Function, Module, Resource

__all__ = ["Binding", "ComputeProgram", "bindings_of"]


@dataclass(frozen=True, slots=True)
class Binding:
    """A buffer, texture or sampler that a pipeline binds.

    ``kind`` is WebGPU's ``uniform``, ``storage`` or ``read-only-storage``; ``texture``,
    ``storage-texture`` or ``sampler``.
    """

    name: str
    group: int
    binding: int
    kind: str
    type: Type


def bindings_of(*functions: Function) -> list[Binding]:
    """Return what functions bind, themselves or through calls, by group and binding."""
    from heapscene.shader.ir.visit import reachable_resources

    bound = [r for r in reachable_resources(*functions) if r.space in _BOUND]
    bound.sort(key=lambda r: (r.group, r.binding))
    return [Binding(r.name, r.group, r.binding, _kind(r), r.type) for r in bound]


_BOUND = ("uniform", "storage", "handle")


def _kind(resource: Resource) -> str:
    if isinstance(resource.type, SamplerType):
        return "sampler"
    if resource.space == "handle":
        return "texture" if isinstance(resource.type, TextureType) else "storage-texture"
    if resource.space == "uniform":
        return "uniform"
    return "storage" if resource.access == "read_write" else "read-only-storage"


class ComputeProgram(OwnCopy):
    """A compute function, compiled.

    Parameters
    ----------
    function
        Made by ``@compute``.

    Attributes
    ----------
    module
        Its one entry point.
    captured
        Adaptive values that the function reads, by name. They lie in one uniform, the last of
        ``bindings``; :meth:`captured_values` gives its bytes.

    Raises
    ------
    ShaderTypeError, ShaderNameError, ShaderSyntaxError
        The function is not valid.
    """

    def __init__(self, function: ShaderFunction[..., Any]) -> None:
        given: object = function
        found = getattr(given, "stage", None)
        if found is None and callable(given):
            raise undecorated(given, "compute(workgroup_size=64)")
        if found != "compute" or function.workgroup_size is None:
            raise ShaderTypeError(
                explain(
                    f"{getattr(given, 'name', None) or brief(given)!r} is no compute function",
                    facts={"stage": found or type(given).__name__},
                    fix="Decorate it with @compute(workgroup_size=64).",
                )
            )
        from heapscene.shader.captured import captured_by, uniform_entry
        from heapscene.shader.frontend.signature import builtin_inputs
        from heapscene.shader.ir.nodes import EntryPoint, Module, Port
        from heapscene.shader.zeroed import zeroed

        self.function = function
        made: Function = function.ir
        builtins = builtin_inputs(function.parameters)
        ports = tuple(Port(local, builtin=builtins[local.name]) for local in made.parameters)
        self.workgroup_size = function.workgroup_size
        entry = EntryPoint("compute", made, ports, workgroup_size=self.workgroup_size)
        fields = captured_by(made)
        self.captured: Mapping[str, Any] = {name: field.default for name, field in fields.items()}
        entry, self._uniform = uniform_entry(entry)
        self.module: Module = Module((zeroed(entry),))

    def __repr__(self) -> str:
        return f"ComputeProgram({self.function.name})"

    @property
    def entry(self) -> str:
        """Name of the entry point."""
        from heapscene.shader.wgsl.names import safe

        return safe(self.function.name)

    @cached_property
    def bindings(self) -> list[Binding]:
        """What has to be bound, by group and binding."""
        return bindings_of(self.module.entries[0].function)

    def captured_values(self) -> NDArray[Any]:
        """Return what the captured adaptive values are now, as the bytes of their uniform.

        ``device.queue.write_buffer(buffer, 0, program.captured_values())`` before a dispatch gives
        the function the present values. Read inside of ``computed(...)``, it follows them.

        Raises
        ------
        InputError
            The function captures none.
        ShaderTypeError
            A value has another type than when the program was made.
        """
        if self._uniform is None:
            raise InputError(
                explain(
                    f"{self.function.name!r} captures no adaptive value",
                    fix="Read a cval(...) by its name in the function, or bind a uniform of yours.",
                )
            )
        from heapscene.shader.captured import uniform_values

        assert isinstance(self._uniform.type, StructType)
        return uniform_values(self._uniform.type, self.captured)

    @cached_property
    def hash(self) -> str:
        """Identity by content."""
        from heapscene.shader.ir.hash import module_hash

        return module_hash(self.module)

    @cached_property
    def wgsl(self) -> str:
        """The complete module."""
        from heapscene.shader.wgsl import emit

        return emit(self.module)

    def explain(self) -> str:
        """Return what is bound and how it is dispatched, as text for people."""
        from heapscene.shader.reading import explain_compute

        return explain_compute(self)

    def dump(self) -> str:
        """Return the typed IR of all functions, as text for people; lines say where they come from."""
        from heapscene.shader.reading import dump

        return dump(self.module.entries[0].function)
