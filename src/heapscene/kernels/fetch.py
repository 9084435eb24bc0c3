"""The heap form of a program: entry points that fetch what the user's functions want from pages.

A vertex number is searched among the records of the bucket (last record whose first number is not
larger, bounded by a tile table of one entry per 64 numbers); the record names a header row, and the row
says for each attribute and input where element k lies in the page: ``base + k * stride``.

The user's functions are called as they are; only the entry points differ from the direct form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from heapscene.errors import InputError, explain
from heapscene.kernels.frame_layout import FrameLayout
from heapscene.kernels.loads import LOADERS, headers, page
from heapscene.kernels.locate import locate_emitted, locate_vertex
from heapscene.shader import (
    BOOL,
    U32,
    VEC4,
    Program,
    StructField,
    StructType,
    Type,
    emit,
    ir,
)

__all__ = ["HEADER_WORDS_PER_FIELD", "HeapShader", "heap_shader"]

HEADER_WORDS_PER_FIELD = 2
Encoding = Literal["expanded", "mega"]


@dataclass(frozen=True, slots=True)
class HeapShader:
    """WGSL of a program over heap pages, and the names of its entry points."""

    wgsl: str
    vertex_entry: str
    fragment_entry: str


@dataclass(frozen=True, slots=True)
class _Context:
    """What both entry points are built from."""

    program: Program
    words: Mapping[tuple[str, str], int]
    frame: FrameLayout


_cache: dict[tuple[str, tuple[tuple[str, str], ...], str, str, tuple[str, ...]], HeapShader] = {}


def heap_shader(
    program: Program,
    fields: Sequence[tuple[str, str]],
    frame: FrameLayout,
    encoding: Encoding,
    targets: tuple[str, ...] = ("color",),
) -> HeapShader:
    """Return the WGSL that draws ``program`` from a heap.

    Parameters
    ----------
    program
        The user's program.
    fields
        ``(kind, name)`` of each field of a header row in order; the kind is ``"attribute"`` or ``"input"``. Inputs of
        the program that are not among them come from the frame.
    frame
        Layout of the frame's uniform buffer.
    encoding
        ``"expanded"``: vertex numbers count vertices. ``"mega"``: they count emitted indices.
    targets
        Names of the colour targets in order; an output's location is the place of its name.
    """
    key = (program.hash, tuple(fields), frame.hash, encoding, targets)
    shader = _cache.get(key)
    if shader is None:
        words = {field: HEADER_WORDS_PER_FIELD * k for k, field in enumerate(fields)}
        context = _Context(program, words, frame)
        shared = _reads_heap(context)
        entries = (
            _vertex_entry(context, encoding, shared),
            _fragment_entry(context, targets, shared),
        )
        shader = HeapShader(emit(ir.Module(entries)), entries[0].name, entries[1].name)
        _cache[key] = shader
    return shader


def _reads_heap(context: _Context) -> bool:
    """Whether the fragment function reads an input that lies in the heap."""
    struct = context.program.fragment_inputs
    return struct is not None and any(
        ("input", member.name) in context.words
        for member in struct.fields
        if member.name in context.program.fragment_input_reads
    )


def _vertex_entry(context: _Context, encoding: Encoding, shared: bool) -> ir.EntryPoint:
    program = context.program
    out = _vertex_struct(program, shared)
    body = ir.FunctionBuilder("vertex_main", returns=out)
    number = body.parameter("vertex_index", U32)
    locate = locate_vertex if encoding == "expanded" else locate_emitted
    at = body.let("at", ir.call(locate.ir, number))
    header, instance = ir.field(at, "header"), ir.field(at, "instance")
    vertex = ir.field(at, "vertex")
    arguments: list[ir.Expr] = []
    for parameter in program.vertex_parameters:
        if parameter.role == "attributes":
            made = _struct_of(body, context, parameter.struct, "attribute", header, vertex, None)
        elif parameter.role == "inputs":
            made = _struct_of(
                body, context, parameter.struct, "input", header, instance,
                program.vertex_input_reads,
            )  # fmt: skip
        else:
            made = {"vertex_index": vertex, "instance_index": instance}[parameter.role]
        arguments.append(made)
    result = body.let("result", ir.call(program.vertex_ir, *arguments))
    members: dict[str, ir.Operand] = {
        member.name: ir.field(result, member.name)
        for member in out.fields
        if member.name not in ("draw_header", "draw_instance")
    }
    if shared:
        members |= {"draw_header": header, "draw_instance": instance}
    body.return_(ir.struct(out, members))
    numbered = [member.name for member in out.fields if member.builtin is None]
    return ir.EntryPoint(
        "vertex",
        body.done(),
        inputs=(ir.Port(number, builtin="vertex_index"),),
        locations=tuple((name, k) for k, name in enumerate(numbered)),
    )


def _vertex_struct(program: Program, shared: bool) -> StructType:
    """Return what crosses from vertex to fragment: only what the fragment function reads."""
    result = program.vertex_ir.returns
    assert isinstance(result, StructType)
    kept = tuple(
        member
        for member in result.fields
        if member.builtin is not None or member.name in program.varying_reads
    )
    if shared:
        kept += (
            StructField("draw_header", U32, interpolate="flat"),
            StructField("draw_instance", U32, interpolate="flat"),
        )
    return StructType("VertexOut", kept)


def _fragment_entry(
    context: _Context, targets: tuple[str, ...], shared: bool
) -> ir.EntryPoint:
    program = context.program
    crossing = _vertex_struct(program, shared)
    out = _fragment_struct(program, targets)
    body = ir.FunctionBuilder("fragment_main", returns=out)
    ports: list[ir.Port] = []
    inside: dict[str, ir.Local] = {}
    location = 0
    for member in crossing.fields:
        local = body.parameter(member.name, member.type)
        inside[member.name] = local
        if member.builtin is not None:
            ports.append(ir.Port(local, builtin=member.builtin))
            continue
        ports.append(ir.Port(local, location=location, interpolate=member.interpolate))
        location += 1
    arguments: list[ir.Expr] = []
    for parameter in program.fragment_parameters:
        if parameter.role == "varyings":
            made = ir.struct(
                parameter.struct,
                {
                    member.name: inside[member.name] if member.name in inside else ir.zero(member.type)
                    for member in parameter.struct.fields
                },
            )
        elif parameter.role == "inputs":
            zero = ir.zero(U32)
            header = ir.expression(inside["draw_header"]) if shared else zero
            instance = ir.expression(inside["draw_instance"]) if shared else zero
            made = _struct_of(
                body, context, parameter.struct, "input", header, instance,
                program.fragment_input_reads,
            )  # fmt: skip
        else:
            local = body.parameter(parameter.role, BOOL)
            ports.append(ir.Port(local, builtin=parameter.role))
            made = ir.expression(local)
        arguments.append(made)
    result = body.let("result", ir.call(program.fragment_ir, *arguments))
    if program.fragment_ir.returns == VEC4:
        body.return_(ir.struct(out, {"color": result}))
    else:
        body.return_(ir.struct(out, {m.name: ir.field(result, m.name) for m in out.fields}))
    locations = tuple((member.name, targets.index(member.name)) for member in out.fields)
    return ir.EntryPoint("fragment", body.done(), inputs=tuple(ports), locations=locations)


def _fragment_struct(program: Program, targets: tuple[str, ...]) -> StructType:
    outputs = program.interface.outputs
    kept = tuple(StructField(name, type_) for name, type_ in outputs.items() if name in targets)
    if not kept:
        raise InputError(
            explain(
                "the program writes none of the colour targets",
                facts={"writes": ", ".join(outputs), "targets": ", ".join(targets)},
                fix="Name a target as the fragment function's output is named.",
            )
        )
    return StructType("FragmentOut", kept)


def _struct_of(
    body: ir.FunctionBuilder,
    context: _Context,
    struct: StructType,
    kind: str,
    header: ir.Expr,
    element: ir.Expr,
    reads: frozenset[str] | None,
) -> ir.Expr:
    """Build the user's struct: members from the header row or the frame, zero if nobody reads them."""
    members: dict[str, ir.Operand] = {}
    for member in struct.fields:
        word = context.words.get((kind, member.name))
        if reads is not None and member.name not in reads:
            members[member.name] = ir.zero(member.type)
        elif word is None:
            members[member.name] = ir.field(context.frame.resource, member.name)
        else:
            members[member.name] = _load(body, member.name, member.type, header, word, element)
    return ir.struct(struct, members)


def _load(
    body: ir.FunctionBuilder, name: str, type_: Type, header: ir.Expr, word: int, element: ir.Expr
) -> ir.Local:
    base = body.let(f"{name}_base", ir.index(headers.ir, ir.binary("+", header, word)))
    stride = ir.index(headers.ir, ir.binary("+", header, word + 1))
    at = body.let(f"{name}_at", ir.binary("+", base, ir.binary("*", element, stride)))
    if type_ == BOOL:
        return body.let(name, ir.binary("!=", ir.index(page.ir, at), 0))
    return body.let(name, ir.call(LOADERS[type_].ir, at))
