"""What a stage does not have: derivatives outside of fragments, barriers outside of compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from heapscene.shader.diagnostics import Diagnostic
from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Function
from heapscene.shader.ir.visit import reachable_functions, walk
from heapscene.shader.operations import INTRINSICS

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["check_stage"]


_STAGED = (nodes.Intrinsic, nodes.Global, nodes.Discard)


def check_stage(made: Function, function: ShaderFunction[..., Any]) -> list[Diagnostic]:
    """Return the faults of an entry function and its helpers that depend on the stage."""
    faults: list[Diagnostic] = []
    for each in reachable_functions(made):
        for node in walk(each):
            if type(node) not in _STAGED:
                continue
            for what, fix in _problems(node, function.stage):
                span = node.span or each.span or made.span
                assert span is not None
                facts = {} if each is made else {"used by": f"{function.stage} {function.name}"}
                faults.append(Diagnostic("type", what, span, each.name, facts, fix))
    return faults


def _problems(node: object, stage: str) -> Iterator[tuple[str, str]]:
    match node:
        case nodes.Intrinsic(name=name) if stage not in INTRINSICS[name].stages:
            allowed = " and ".join(INTRINSICS[name].stages)
            fix = f"This is a {stage} function."
            if "sample" in name:
                fix = "Write texture_sample_level or texture_sample_compare_level."
            yield f"{name} is for {allowed} functions only", fix
        case nodes.Discard() if stage != "fragment":
            yield "discard is for fragment functions only", f"This is a {stage} function."
        case nodes.Global(resource=resource):
            if resource.space == "workgroup" and stage != "compute":
                yield (
                    f"{resource.name!r} is workgroup memory, which only compute functions have",
                    f"This is a {stage} function.",
                )
            if (
                stage == "vertex"
                and resource.space == "storage"
                and resource.access == "read_write"
            ):
                yield (
                    f"{resource.name!r} can be written, which WebGPU forbids in vertex functions",
                    "Declare it with access read.",
                )
        case _:
            return
