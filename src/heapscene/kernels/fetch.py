"""The heap form of a program: entry points that fetch what the user's functions want from pages.

A vertex number is searched among the records of the bucket (last record whose first number is not
larger, bounded by a tile table of one entry per 64 numbers); the record names a header row, and the row
says for each attribute and input where element k lies in the page: ``base + k * stride``.

The user's functions are called as they are; only the entry points differ from the direct form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from heapscene.errors import InputError, explain
from heapscene.kernels.bucket_passes import Encoding
from heapscene.kernels.loads import HEADERS, LOADERS, PAGE
from heapscene.kernels.locate import locate_emitted, locate_vertex
from heapscene.shader import (
    BOOL,
    U32,
    Program,
    StageParameter,
    StructField,
    Type,
    call_stage,
    emit,
    fragment_entry,
    fragment_result,
    ir,
    vertex_result,
)

__all__ = ["HeapShader", "heap_shader"]

WORDS_PER_FIELD = 2


@dataclass(frozen=True, slots=True)
class HeapShader:
    """WGSL of a program over heap pages, and the names of its entry points."""

    wgsl: str
    vertex_entry: str
    fragment_entry: str


@dataclass(frozen=True, slots=True)
class _Form:
    """What both entry points are built from; ``words`` says where a field lies in the header row."""

    program: Program
    words: Mapping[tuple[str, str], int]
    frame: ir.Resource

    def lies_in_heap(self, name: str) -> bool:
        """Whether an input comes from the draw and not from the frame."""
        return ("input", name) in self.words


@lru_cache(maxsize=1024)
def heap_shader(
    program: Program,
    fields: tuple[tuple[str, str], ...],
    frame: ir.Resource,
    encoding: Encoding,
    targets: tuple[str, ...] = ("color",),
) -> HeapShader:
    """Return the WGSL that draws ``program`` from a heap.

    Parameters
    ----------
    program
        The user's program.
    fields
        ``(kind, name)`` of each field of a header row in order; the kind is ``"attribute"`` or
        ``"input"``. Inputs of the program that are not among them come from the frame.
    frame
        The uniform variable of the frame's inputs.
    encoding
        ``"expanded"``: vertex numbers count vertices. ``"mega"``: they count emitted indices.
    targets
        Names of the colour targets in order.

    Raises
    ------
    InputError
        The program's outputs are not the targets, in the same order.
    """
    _check_outputs(program, targets)
    words = {field: WORDS_PER_FIELD * k for k, field in enumerate(fields)}
    form = _Form(program, words, frame)
    shared = any(form.lies_in_heap(field.name) for field in program.fragment_stage.read("inputs"))
    entries = (_vertex_entry(form, encoding, shared), _fragment_entry(form, shared))
    return HeapShader(emit(ir.Module(entries)), entries[0].name, entries[1].name)


def _check_outputs(program: Program, targets: tuple[str, ...]) -> None:
    outputs = tuple(program.interface.outputs)
    if outputs != targets[: len(outputs)]:
        raise InputError(
            explain(
                "the program does not write the colour targets",
                facts={"writes": ", ".join(outputs), "targets": ", ".join(targets)},
                fix="Return a vec4 for one target named 'color', or a struct with the targets' names.",
            )
        )


def _vertex_entry(form: _Form, encoding: Encoding, shared: bool) -> ir.EntryPoint:
    program = form.program
    extra = (
        (
            StructField("draw_header", U32, interpolate="flat"),
            StructField("draw_instance", U32, interpolate="flat"),
        )
        if shared
        else ()
    )
    result, locations, position = vertex_result(program.vertex_stage, program.varyings, extra)
    body = ir.FunctionBuilder("vertex_main", result)
    number = body.parameter("number", U32)
    locate = locate_vertex if encoding == "expanded" else locate_emitted
    at = body.let("at", ir.call(locate.ir, number))
    header, vertex = ir.field(at, "header"), ir.field(at, "vertex")
    instance = ir.field(at, "instance")
    builtins = {"vertex_index": vertex, "instance_index": instance}

    def load(parameter: StageParameter, field: StructField | None) -> ir.Operand:
        if field is None:
            assert parameter.builtin is not None
            return builtins[parameter.builtin]
        if parameter.role == "attributes":
            word = form.words[("attribute", field.name)]
            return _load(body, field.name, field.type, header, word, vertex)
        return _load_input(form, body, field, header, instance)

    made = body.let("result", call_stage(program.vertex_stage, load))
    names = [position, *(varying.name for varying in program.varyings)]
    members: dict[str, ir.Operand] = {name: ir.field(made, name) for name in names}
    if shared:
        members |= {"draw_header": header, "draw_instance": instance}
    body.return_(ir.struct(result, members))
    ports = (ir.Port(number, builtin="vertex_index"),)
    return ir.EntryPoint("vertex", body.done(), ports, locations)


def _fragment_entry(form: _Form, shared: bool) -> ir.EntryPoint:
    program = form.program
    result, _ = fragment_result(program)
    body = ir.FunctionBuilder("fragment_main", result)
    extra: tuple[tuple[ir.Local, int], ...] = ()
    header = instance = ir.zero(U32)
    if shared:
        first = len(program.varyings)
        flat_header = body.parameter("draw_header", U32)
        flat_instance = body.parameter("draw_instance", U32)
        extra = ((flat_header, first), (flat_instance, first + 1))
        header, instance = ir.expression(flat_header), ir.expression(flat_instance)

    def load(field: StructField) -> ir.Operand:
        return _load_input(form, body, field, header, instance)

    return fragment_entry(program, load, extra, body)


def _load_input(
    form: _Form, body: ir.FunctionBuilder, field: StructField, header: ir.Expr, instance: ir.Expr
) -> ir.Operand:
    if not form.lies_in_heap(field.name):
        return ir.field(form.frame, field.name)
    word = form.words[("input", field.name)]
    return _load(body, field.name, field.type, header, word, instance)


def _load(
    body: ir.FunctionBuilder, name: str, type_: Type, header: ir.Expr, word: int, element: ir.Expr
) -> ir.Expr:
    """Load element ``element`` of the field whose base and stride lie at ``word`` of the row."""
    base = ir.index(HEADERS, ir.binary("+", header, word))
    stride = ir.index(HEADERS, ir.binary("+", header, word + 1))
    at = body.let(f"{name}_at", ir.binary("+", base, ir.binary("*", element, stride)))
    if type_ == BOOL:
        return ir.binary("!=", ir.index(PAGE, at), 0)
    return ir.call(LOADERS[type_].ir, at)
