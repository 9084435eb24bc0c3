"""Adaptive values that shader functions capture: inputs of the program, by the names they have there.

The IR has them as resources of the space ``input``. An entry point gives them their values before it
calls the function; a draw takes them from the program unless it is given others, a compute program
reads them from a uniform that whoever dispatches it fills.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader import lang
from heapscene.shader.ir import build
from heapscene.shader.ir.body import FunctionBuilder
from heapscene.shader.ir.nodes import EntryPoint, Global, Resource
from heapscene.shader.ir.visit import reachable_functions, reachable_resources, walk
from heapscene.shader.layout import layout_of
from heapscene.shader.operations import spelled
from heapscene.shader.rules import scalar_of, shaped
from heapscene.shader.types import BOOL, U32, Matrix, StructField, StructType, Type

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Function

__all__ = ["captured_by", "fill_captured", "place_of", "uniform_entry", "uniform_values"]


def captured_by(*functions: Function) -> dict[str, StructField]:
    """Return the adaptive values that functions read, by name; each is the default of its field.

    Raises
    ------
    ShaderTypeError
        Two values have one name.
    """
    found: dict[str, StructField] = {}
    # Resources of one name and type are equal: their values are compared node by node.
    read = (node for function in reachable_functions(*functions) for node in walk(function))
    for node in read:
        if not isinstance(node, Global) or node.resource.space != "input":
            continue
        resource = node.resource
        field = StructField(resource.name, resource.type, default=resource.source)
        other = found.setdefault(resource.name, field)
        if other.default is not resource.source or other.type != resource.type:
            raise ShaderTypeError(
                explain(
                    f"two adaptive values have the name {resource.name!r}",
                    facts={"types": f"{spelled(other.type)}, {spelled(resource.type)}"},
                    fix="Give one of them another name where the function reads it.",
                )
            )
    return {name: found[name] for name in sorted(found)}


def place_of(name: str, *functions: Function) -> str:
    """Return the function and line that read an adaptive value, as text."""
    for function in reachable_functions(*functions):
        for node in walk(function):
            if not isinstance(node, Global) or node.span is None:
                continue
            if (node.resource.space, node.resource.name) == ("input", name):
                return f"in {function.name}, {node.span.filename}:{node.span.line}"
    return "a shader function"


def fill_captured(
    body: FunctionBuilder, function: Function, load: Callable[[StructField], build.Operand]
) -> None:
    """Give the adaptive values that ``function`` reads what ``load`` gives for each."""
    for resource in reachable_resources(function):
        if resource.space == "input":
            field = StructField(resource.name, resource.type, default=resource.source)
            body.fill(resource, load(field))


def uniform_entry(entry: EntryPoint) -> tuple[EntryPoint, Resource | None]:
    """Return a compute entry point that reads captured adaptive values from a uniform of its own.

    The uniform is a struct with a member for each value, in the order of their names, in group 0 at
    the first binding behind all others. Bools lie in it as ``u32``.

    Returns
    -------
    tuple
        The entry point and its uniform, ``None`` if nothing is captured.

    Raises
    ------
    ShaderTypeError
        Two values have one name, or a value cannot lie in a uniform.
    """
    function = entry.function
    fields = captured_by(function)
    if not fields:
        return entry, None
    others = [r for r in reachable_resources(function) if r.space != "input"]
    bindings = [r.binding for r in others if r.group == 0 and r.space not in _UNBOUND]
    names = {resource.name for resource in others}
    name = "captured"
    while name in names:
        name += "_"
    members = tuple(StructField(f.name, _stored(f.type)) for f in fields.values())
    struct = StructType("Captured", members)
    layout_of(struct, "uniform")  # refuses what cannot lie there
    sources = {field.name: field.default for field in fields.values()}
    binding = max(bindings, default=-1) + 1
    uniform = Resource(name, struct, "uniform", "read", 0, binding, source=sources)
    body = FunctionBuilder(function.name)

    def load(field: StructField) -> build.Operand:
        value = build.field(uniform, field.name)
        return value if value.type == field.type else build.convert(field.type, value)

    fill_captured(body, function, load)
    made = replace(function, body=(*body.done().body, *function.body))
    return replace(entry, function=made), uniform


_UNBOUND = ("workgroup", "private")


def _stored(type_: Type) -> Type:
    return shaped(type_, U32) if scalar_of(type_) == BOOL else type_


def uniform_values(struct: StructType, sources: Mapping[str, Any]) -> NDArray[Any]:
    """Return the present values as the bytes of a uniform.

    Parameters
    ----------
    struct
        Type of the uniform.
    sources
        The adaptive value of each member.

    Raises
    ------
    ShaderTypeError
        A value has another type than when the program was made.
    """
    made = np.zeros((), layout_of(struct, "uniform").dtype)
    for member in struct.fields:
        _write(made, member, sources[member.name].value)
    return made


def _write(target: Any, member: StructField, value: Any) -> None:
    type_ = member.type
    if scalar_of(type_) == U32 and np.asarray(value).dtype == np.bool_:
        bits = np.asarray(value, np.uint32)
        value = bits if bits.ndim else int(bits)
    fitting = lang.convert(value, type_, f"the adaptive value {member.name!r}")
    if isinstance(type_, StructType):
        for inner in type_.fields:
            _write(target[member.name], inner, getattr(fitting, inner.name))
    elif isinstance(type_, Matrix):
        target[member.name][..., : type_.rows] = np.asarray(fitting).T
    else:
        target[member.name] = np.asarray(fitting)
