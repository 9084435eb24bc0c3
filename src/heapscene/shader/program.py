"""A program: a vertex and a fragment function that fit together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.interface import Interface
from heapscene.shader.stages import ShaderFunction
from heapscene.shader.types import VEC4, StructType, Type

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Function, Module
    from heapscene.shader.linking import Stage, Varying

__all__ = ["Program"]


class Program:
    """A vertex function and a fragment function, compiled and linked.

    Programs with the same content are equal and have the same ``hash``, wherever their functions
    were defined.

    Parameters
    ----------
    vertex
        Made by ``@vertex``: attributes and inputs to varyings.
    fragment
        Made by ``@fragment``: varyings and inputs to colours.
    limits
        Smallest and largest number of inputs by name, for those where others are a mistake: adaptive
        values beyond them, or not finite, are refused. Part of the content.

    Attributes
    ----------
    vertex_stage, fragment_stage
        The compiled functions, with the meaning of their parameters and what they read.
    varyings
        What the fragment function reads of what the vertex function returns, with locations.

    Raises
    ------
    ShaderTypeError, ShaderNameError, ShaderSyntaxError
        A function is not valid, or the two do not fit.
    """

    vertex_stage: Stage
    fragment_stage: Stage
    varyings: tuple[Varying, ...]

    def __init__(
        self,
        vertex: ShaderFunction[..., Any],
        fragment: ShaderFunction[..., Any],
        *,
        limits: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        from heapscene.shader.linking import link_varyings, stage_of

        for function, stage in ((vertex, "vertex"), (fragment, "fragment")):
            found = getattr(function, "stage", None)
            if found != stage:
                raise ShaderTypeError(
                    explain(
                        f"{getattr(function, 'name', function)!r} is no {stage} function",
                        facts={"stage": found or type(function).__name__},
                        fix="Write Program(vertex, fragment), made by @vertex and @fragment.",
                    )
                )
        self.vertex = vertex
        self.fragment = fragment
        self.vertex_stage = stage_of(vertex)
        self.fragment_stage = stage_of(fragment)
        self.varyings = link_varyings(self.vertex_stage, self.fragment_stage)
        self._interface = self._make_interface(limits or {})

    def __repr__(self) -> str:
        return f"Program({self.vertex.name}, {self.fragment.name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and other.hash == self.hash

    def __hash__(self) -> int:
        return int(self.hash[:15], 16)

    @property
    def interface(self) -> Interface:
        """What the program reads and writes."""
        return self._interface

    @property
    def fragment_ir(self) -> Function:
        """The compiled fragment function."""
        return self.fragment_stage.function

    @property
    def hash(self) -> str:
        """Identity by content: 32 hexadecimal digits."""
        return self._hash

    @cached_property
    def _hash(self) -> str:
        from heapscene.shader.ir.hash import digest, module_hash, type_text

        face = self._interface
        parts = [
            f"{kind}:{name}:{type_text(type_)}"
            for kind, group in (
                ("attribute", face.attributes),
                ("input", face.inputs),
                ("output", face.outputs),
            )
            for name, type_ in group.items()
        ]
        for kind, defaults in (("a", face.attribute_defaults), ("i", face.input_defaults)):
            parts += [f"{kind}:{n}={_default_text(value)}" for n, value in defaults.items()]
        parts += [f"l:{name}={limits}" for name, limits in sorted(face.input_limits.items())]
        return digest(module_hash(self._direct), *parts)

    @cached_property
    def wgsl(self) -> str:
        """A complete module: vertex buffers by sorted attribute name, all inputs in one uniform.

        Entry points are ``vertex_main`` and ``fragment_main``; the uniform ``direct_inputs`` is at
        group 0, binding 0, its members sorted by name
        (:func:`heapscene.shader.direct.inputs_struct`).
        """
        from heapscene.shader.wgsl import emit

        return emit(self._direct)

    @cached_property
    def _direct(self) -> Module:
        from heapscene.shader.direct import direct_module

        return direct_module(self)

    def _make_interface(self, limits: Mapping[str, tuple[float, float]]) -> Interface:
        from heapscene.shader.linking import defaults_of, join_inputs

        attributes = self.vertex_stage.parameter("attributes")
        fields = {f.name: f for f in attributes.fields} if attributes else {}
        fields = {name: fields[name] for name in sorted(fields)}
        inputs = join_inputs(self.vertex_stage, self.fragment_stage)
        return Interface(
            attributes={name: field.type for name, field in fields.items()},
            inputs={name: field.type for name, field in inputs.items()},
            varyings={varying.name: varying.type for varying in self.varyings},
            outputs=_outputs(self.fragment_ir.returns),
            attribute_defaults=defaults_of(fields),
            input_defaults=defaults_of(inputs),
            input_limits=limits,
        )


def _outputs(returns: Type) -> dict[str, Type]:
    if isinstance(returns, StructType):
        return {field.name: field.type for field in returns.fields if field.builtin is None}
    return {"color": VEC4}


def _default_text(value: Any) -> str:
    return str(np.asarray(value, dtype=np.float64).tolist())
