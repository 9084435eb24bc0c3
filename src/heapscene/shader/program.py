"""A program: vertex and fragment functions that fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from heapscene.adaptive import OwnCopy
from heapscene.errors import InputError, ShaderTypeError, explain
from heapscene.shader.interface import Interface
from heapscene.shader.stages import ShaderFunction, undecorated
from heapscene.shader.types import StructField, StructType, Type
from heapscene.wording import one_line

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Module
    from heapscene.shader.linking import Stage, Varying

__all__ = ["Program"]


Functions: TypeAlias = "ShaderFunction[..., Any] | Sequence[ShaderFunction[..., Any]]"


class Program(OwnCopy):
    """Vertex and fragment functions, compiled and linked.

    Programs with the same content are equal and have the same ``hash``, wherever their functions
    were defined.

    Parameters
    ----------
    vertex
        Made by ``@vertex``: attributes and inputs to varyings. Of several, each takes what those
        before it return, and adds to it or replaces it.
    fragment
        Made by ``@fragment``: varyings and inputs to colours; also several.
    targets
        Names of the colour targets in order: outputs of other names are left out, with all that
        only they need. By default the outputs as they are returned.
    limits
        Smallest and largest number of inputs by name, for those where others are a mistake: values
        beyond them, or not finite, are refused. Part of the content.

    Attributes
    ----------
    vertex_stage, fragment_stage
        The compiled functions, with the meaning of their parameters and what they read.
    varyings
        What the fragment stage reads of what the vertex stage returns, with locations.
    outputs
        The colours that are written, with the number of their target.

    Raises
    ------
    ShaderTypeError, ShaderNameError, ShaderSyntaxError
        A function is not valid, or they do not fit.

    Examples
    --------
    >>> from heapscene.shader import builtin, fragment, struct, vec4, vertex
    >>> @struct
    ... class Varyings:
    ...     clip: vec4 = builtin.position
    ...     tint: vec4
    >>> @vertex                                             # doctest: +SKIP
    ... def swap(v: Varyings) -> Varyings:
    ...     return v.replace(tint=v.tint.zyxw)
    >>> Program([place, swap], shade)                       # doctest: +SKIP
    """

    vertex_stage: Stage
    fragment_stage: Stage
    varyings: tuple[Varying, ...]
    outputs: tuple[tuple[StructField, int], ...]

    def __init__(
        self,
        vertex: Functions,
        fragment: Functions,
        *,
        targets: Sequence[str] | None = None,
        limits: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        from heapscene.shader.composing import compose
        from heapscene.shader.linking import check_locations, check_position, link_varyings

        self._vertex = _functions(vertex, "vertex")
        self._fragment = _functions(fragment, "fragment")
        whole = compose(self._fragment)
        self.outputs = _pinned(whole, targets)
        kept = {field.name for field, _ in self.outputs}
        self.fragment_stage = _only(whole, kept | _builtins(whole))
        vertex_stage = compose(self._vertex)
        check_position(vertex_stage)
        self.varyings = link_varyings(vertex_stage, self.fragment_stage)
        crossing = {varying.name for varying in self.varyings}
        self.vertex_stage = _only(vertex_stage, crossing | _builtins(vertex_stage))
        check_locations(vertex_stage, self.fragment_stage, self.varyings)
        self._interface = self._make_interface(vertex_stage, whole, limits or {})

    def __repr__(self) -> str:
        return one_line(f"Program({_names(self._vertex)}, {_names(self._fragment)})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and other.hash == self.hash

    def __hash__(self) -> int:
        return int(self.hash[:15], 16)

    @property
    def interface(self) -> Interface:
        """What the program reads and writes."""
        return self._interface

    def pinned(self, targets: Sequence[str]) -> Program:
        """Return the program as it writes to targets of these names, in this order.

        Raises
        ------
        InputError
            They are no names.
        ShaderTypeError
            It writes none of them.
        """
        names = _target_names(targets)
        if tuple(self._interface.outputs) == names[: len(self._interface.outputs)]:
            return self
        return Program(self._vertex, self._fragment, targets=names)

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

    def explain(self) -> str:
        """Return what the program reads, hands over and writes, as text for people."""
        from heapscene.shader.reading import explain_program

        return explain_program(self)

    def dump(self) -> str:
        """Return the typed IR of all functions, as text for people; lines say where they come from."""
        from heapscene.shader.reading import dump

        return dump(self.vertex_stage.function, self.fragment_stage.function)

    @cached_property
    def _direct(self) -> Module:
        from heapscene.shader.direct import direct_module

        return direct_module(self)

    def _make_interface(
        self, vertex: Stage, fragment: Stage, limits: Mapping[str, tuple[float, float]]
    ) -> Interface:
        from heapscene.shader.captured import captured_by, place_of
        from heapscene.shader.linking import defaults_of, join_inputs

        attributes = vertex.parameter("attributes")
        fields = {f.name: f for f in attributes.fields} if attributes else {}
        fields = {name: fields[name] for name in sorted(fields)}
        inputs = join_inputs(vertex, fragment)
        stages = (self.vertex_stage.function, self.fragment_stage.function)
        captured = captured_by(*stages)
        for name in captured:
            if name in inputs:
                raise ShaderTypeError(
                    explain(
                        f"{name!r} is an input and also a captured adaptive value",
                        facts={
                            "input": _declared(name, (*self._vertex, *self._fragment)),
                            "captured": place_of(name, *stages),
                        },
                        fix="Give one of them another name.",
                    )
                )
        types = {name: field.type for name, field in {**inputs, **captured}.items()}
        _check_limits(limits, types)
        return Interface(
            attributes={name: field.type for name, field in fields.items()},
            inputs={name: types[name] for name in sorted(types)},
            varyings={varying.name: varying.type for varying in self.varyings},
            outputs={field.name: field.type for field, _ in self.outputs},
            attribute_defaults=defaults_of(fields),
            input_defaults=defaults_of(inputs),
            input_limits=limits,
            captured={name: field.default for name, field in captured.items()},
        )


def _declared(name: str, functions: Sequence[ShaderFunction[..., Any]]) -> str:
    """Return the struct field and the function that make ``name`` an input, as text."""
    found = [
        (number, f"{kind.name}.{name}, read by {function.name}")
        for function in functions
        for number, kind in enumerate(parameter.type for parameter in function.parameters)
        if isinstance(kind, StructType) and kind.field(name) is not None
    ]
    return max(found, key=lambda item: item[0])[1]  # attributes and varyings come before inputs


def _names(functions: Sequence[ShaderFunction[..., Any]]) -> str:
    names = [function.name for function in functions]
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def _functions(given: Functions, stage: str) -> tuple[ShaderFunction[..., Any], ...]:
    functions = tuple(given) if isinstance(given, list | tuple) else (given,)
    if not functions:
        raise ShaderTypeError(
            explain(
                f"the list of {stage} functions is empty",
                fix="Write Program(vertex, fragment); a list has one function or more.",
            )
        )
    for function in functions:
        found = getattr(function, "stage", None)
        if found is None and callable(function):
            raise undecorated(function, stage)
        if found != stage:
            raise ShaderTypeError(
                explain(
                    f"{getattr(function, 'name', function)!r} is no {stage} function",
                    facts={"stage": found or type(function).__name__},
                    fix="Write Program(vertex, fragment), made by @vertex and @fragment.",
                )
            )
    return cast("tuple[ShaderFunction[..., Any], ...]", functions)


def _builtins(stage: Stage) -> set[str]:
    returns = stage.function.returns
    fields = returns.fields if isinstance(returns, StructType) else ()
    return {field.name for field in fields if field.builtin is not None}


def _only(stage: Stage, names: set[str]) -> Stage:
    """Return the stage without what only other members of its result need."""
    from heapscene.shader.linking import pruned
    from heapscene.shader.pruning import keep_members

    return pruned(stage, keep_members(stage.function, frozenset(names)))


def _pinned(fragment: Stage, targets: Sequence[str] | None) -> tuple[tuple[StructField, int], ...]:
    """Return the outputs that have a target, and the target's number."""
    from heapscene.shader.composing import returned_by
    from heapscene.shader.diagnostics import raise_all

    written = {field.name: field for field in returned_by(fragment) if field.builtin is None}
    names = tuple(written) if targets is None else _target_names(targets)
    kept = tuple((written[name], k) for k, name in enumerate(names) if name in written)
    if not kept and targets is not None:
        fault = fragment.result_fault(
            "the program does not write the colour targets",
            {"writes": ", ".join(written) or "nothing", "targets": ", ".join(names)},
            "Return a vec4 for one target named 'color', or a struct with the targets' names.",
        )
        raise_all([fault])
    return kept


def _target_names(targets: Any) -> tuple[str, ...]:
    named = isinstance(targets, (list, tuple)) and all(isinstance(name, str) for name in targets)  # pyright: ignore[reportUnknownVariableType]
    if not named:
        raise InputError(
            explain(
                "targets are a list of names",
                facts={"given": f"{targets!r:.60}"},
                fix='Write targets=["color"].',
            )
        )
    return tuple(targets)  # pyright: ignore[reportUnknownArgumentType]


def _default_text(value: Any) -> str:
    return str(np.asarray(value, dtype=np.float64).tolist())


def _check_limits(limits: Any, types: Mapping[str, Type]) -> None:
    """Raise unless limits are pairs of numbers for inputs that there are."""
    known = limits if isinstance(limits, Mapping) else {"limits": limits}
    for name, pair in known.items():
        is_pair = isinstance(pair, tuple) and len(pair) == 2
        numbers = pair if is_pair and all(isinstance(n, (int, float)) for n in pair) else None
        if name in types and numbers is not None and numbers[0] <= numbers[1]:
            continue
        raise ShaderTypeError(
            explain(
                f"limits of {name!r} cannot be {pair!r}",
                facts={"inputs": ", ".join(types)},
                fix='Write limits={"color": (0.0, 1.0)}, for an input that the program has.',
            )
        )
