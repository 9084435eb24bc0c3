"""Adaptive values that shader functions capture: inputs of the program, by the names they have there.

The IR has them as resources of the space ``input``. An entry point gives them their values before it
calls the function; a draw takes them from the program unless it is given others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader.ir import build
from heapscene.shader.ir.nodes import Global
from heapscene.shader.ir.visit import reachable_functions, reachable_resources, walk
from heapscene.shader.operations import spelled
from heapscene.shader.types import StructField

if TYPE_CHECKING:
    from heapscene.shader.ir.body import FunctionBuilder
    from heapscene.shader.ir.nodes import Function

__all__ = ["captured_by", "fill_captured", "place_of"]


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
