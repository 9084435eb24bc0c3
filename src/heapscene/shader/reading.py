"""Texts about programs, for people: what goes in and out, and the typed IR with its places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from heapscene.shader.ir.print import print_function
from heapscene.shader.ir.visit import reachable_functions
from heapscene.shader.linking import MAX_LOCATIONS
from heapscene.shader.operations import spelled
from heapscene.shader.types import StructType

if TYPE_CHECKING:
    from heapscene.shader.compute_program import ComputeProgram
    from heapscene.shader.ir.nodes import Function
    from heapscene.shader.program import Program

__all__ = ["dump", "explain_compute", "explain_program"]


def dump(*functions: Function) -> str:
    """Return the typed IR of functions with all that they call, callees first."""
    return "\n\n".join(
        print_function(function, places=True) for function in reachable_functions(*functions)
    )


def explain_program(program: Program) -> str:
    """Return what a program reads, hands over and writes."""
    vertex, fragment = program.vertex_stage, program.fragment_stage
    lines = [f"program {program.hash[:8]}"]
    lines += _table([("vertex", vertex.label), ("fragment", fragment.label)])
    face = program.interface
    read = {field.name for field in vertex.read("attributes")}
    rows = [
        (name, spelled(kind), _mark(name in read), _default(name, face.attribute_defaults))
        for name, kind in face.attributes.items()
    ]
    lines += _section("attributes", rows)
    rows = [
        (name, spelled(kind), _readers(program, name), _default(name, face.input_defaults))
        for name, kind in face.inputs.items()
    ]
    lines += _section("inputs", rows)
    rows = [
        (str(v.location), v.name, spelled(v.type), v.interpolate or "") for v in program.varyings
    ]
    lines += _section(f"varyings: {len(rows)} of {MAX_LOCATIONS} locations", rows)
    lines += _section("not handed over, as no fragment function reads it", _unread(program))
    rows = [(str(number), field.name, spelled(field.type)) for field, number in program.outputs]
    lines += _section("targets", rows)
    return "\n".join(lines)


def explain_compute(program: ComputeProgram) -> str:
    """Return what a compute program binds and how it is dispatched."""
    size = " x ".join(map(str, program.workgroup_size))
    lines = [f"program {program.hash[:8]}"]
    where = f"{program.function.name} ({program.function.source.where})"
    lines += _table([("compute", where), ("workgroup", f"{size} invocations")])
    rows = [
        (f"group {b.group}", f"binding {b.binding}", b.name, spelled(b.type), b.kind)
        for b in program.bindings
    ]
    return "\n".join([*lines, *_section("bindings", rows)])


def _readers(program: Program, name: str) -> str:
    stages = {"vertex": program.vertex_stage, "fragment": program.fragment_stage}
    found = [
        word
        for word, stage in stages.items()
        if any(field.name == name for field in stage.read("inputs"))
    ]
    return ", ".join(found) or "not read"


def _mark(is_read: bool) -> str:
    return "vertex" if is_read else "not read"


def _unread(program: Program) -> Iterator[tuple[str, str]]:
    returns = program.vertex_stage.function.returns
    read = {varying.name for varying in program.varyings}
    for member in returns.fields if isinstance(returns, StructType) else ():
        if member.builtin is None and member.name not in read:
            yield member.name, spelled(member.type)


def _default(name: str, defaults: Any) -> str:
    return f"default {defaults[name]!r}" if name in defaults else ""


def _section(title: str, rows: Iterable[tuple[str, ...]]) -> list[str]:
    found = _table(list(rows))
    return [title, *found] if found else []


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    return [
        ("  " + "  ".join(f"{cell:<{n}}" for cell, n in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
