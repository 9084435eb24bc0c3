"""Which functions and resources each entry point reaches."""

from __future__ import annotations

from dataclasses import dataclass

from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Function, Module, Resource
from heapscene.shader.ir.visit import reachable_functions, reachable_resources, walk
from heapscene.shader.operations import INTRINSICS

__all__ = ["Reach", "reach_of"]


@dataclass(frozen=True, slots=True)
class Reach:
    """What one entry point needs.

    Attributes
    ----------
    functions
        Helpers, callees first; not the entry function itself.
    misplaced
        Names of intrinsics that are reached and do not exist in the stage.
    """

    stage: str
    functions: tuple[Function, ...]
    resources: tuple[Resource, ...]
    misplaced: tuple[str, ...]


def reach_of(module: Module) -> dict[str, Reach]:
    """Return what each entry point reaches, by its name."""
    found: dict[str, Reach] = {}
    for entry in module.entries:
        functions = reachable_functions(entry.function)
        names = {
            node.name: None
            for function in functions
            for node in walk(function)
            if isinstance(node, nodes.Intrinsic)
        }
        misplaced = tuple(name for name in names if entry.stage not in INTRINSICS[name].stages)
        helpers = tuple(function for function in functions if function is not entry.function)
        resources = tuple(reachable_resources(entry.function))
        found[entry.name] = Reach(entry.stage, helpers, resources, misplaced)
    return found
