"""The heap form of a program: entry points that fetch what the user's functions want from pages.

A vertex number is searched among the records of the bucket (last record whose first number is not
larger, bounded by a tile table of one entry per 64 numbers); the record names a header row, and the row
says for each attribute and input where element k lies in the page: ``base + k * stride``.

The user's functions are called as they are; only the entry points differ from the direct form.

A header row with fields of the kind ``"table"`` belongs to a table's rows: their ``model`` is composed of
``transform``, ``position``, ``rotation`` and ``scale`` (or ``uniform_scale``), or of ``transform`` and
the input ``model``. Without such fields no code is added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from heapscene.errors import InputError, explain
from heapscene.kernels.bucket_passes import Encoding
from heapscene.kernels.compose import compose, product
from heapscene.kernels.loads import HEADERS, LOADERS, PAGE
from heapscene.kernels.locate import locate_emitted, locate_vertex
from heapscene.shader import (
    BOOL,
    F32,
    MAT4,
    U32,
    VEC3,
    VEC4,
    Program,
    StageParameter,
    StructField,
    Type,
    call_stage,
    captured_by,
    emit,
    fill_captured,
    fragment_entry,
    fragment_result,
    ir,
    vertex_result,
)

__all__ = ["HeapShader", "heap_shader"]

WORDS_PER_FIELD = 2
_PLACE = ("position", "rotation", "scale", "uniform_scale")


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
        return ("input", name) in self.words or (name == "model" and self.is_composed)

    @property
    def is_composed(self) -> bool:
        """Whether ``model`` is made of a row's position, rotation and scale."""
        return any(("table", name) in self.words for name in _PLACE)


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
        ``(kind, name)`` of each field of a header row in order; the kind is ``"attribute"``,
        ``"input"`` or ``"table"``. Inputs of the program that are not among them come from the frame.
    frame
        The uniform variable of the frame's inputs.
    encoding
        ``"expanded"``: vertex numbers count vertices. ``"mega"``: they count emitted indices.
    targets
        Names of the colour targets in order; without any, a pass writes depth alone.

    Raises
    ------
    InputError
        The program writes none of the targets.
    """
    _check_outputs(program, targets)
    if targets:
        program = program.pinned(targets)
    words = {field: WORDS_PER_FIELD * k for k, field in enumerate(fields)}
    form = _Form(program, words, frame)
    read = {field.name for field in program.fragment_stage.read("inputs")}
    read |= set(captured_by(program.fragment_stage.function))
    shared = any(form.lies_in_heap(name) for name in read)
    entries = (_vertex_entry(form, encoding, shared), _fragment_entry(form, shared))
    return HeapShader(emit(ir.Module(entries)), entries[0].name, entries[1].name)


def _check_outputs(program: Program, targets: tuple[str, ...]) -> None:
    outputs = tuple(program.interface.outputs)
    if targets and not set(outputs) & set(targets):
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
            StructField("draw_element", U32, interpolate="flat"),
        )
        if shared
        else ()
    )
    result, locations, position = vertex_result(program.vertex_stage, program.varyings, extra)
    body = ir.FunctionBuilder("vertex_main", result, span=program.vertex_stage.function.span)
    number = body.parameter("number", U32)
    locate = locate_vertex if encoding == "expanded" else locate_emitted
    at = body.let("at", ir.call(locate.ir, number))
    header, vertex = ir.field(at, "header"), ir.field(at, "vertex")
    element = ir.field(at, "element")
    builtins = {"vertex_index": vertex, "instance_index": ir.field(at, "instance")}

    def load(parameter: StageParameter, field: StructField | None) -> ir.Operand:
        if field is None:
            assert parameter.builtin is not None
            return builtins[parameter.builtin]
        if parameter.role == "attributes":
            word = form.words[("attribute", field.name)]
            return _load(body, field.name, field.type, header, word, vertex)
        return _load_input(form, body, field, header, element)

    fill_captured(
        body,
        program.vertex_stage.function,
        lambda field: _load_input(form, body, field, header, element),
    )
    made = body.let("result", call_stage(program.vertex_stage, load))
    names = [position, *(varying.name for varying in program.varyings)]
    members: dict[str, ir.Operand] = {name: ir.field(made, name) for name in names}
    if shared:
        members |= {"draw_header": header, "draw_element": element}
    body.return_(ir.struct(result, members))
    ports = (ir.Port(number, builtin="vertex_index"),)
    return ir.EntryPoint("vertex", body.done(), ports, locations)


def _fragment_entry(form: _Form, shared: bool) -> ir.EntryPoint:
    program = form.program
    result, _ = fragment_result(program)
    body = ir.FunctionBuilder("fragment_main", result, span=program.fragment_stage.function.span)
    extra: tuple[tuple[ir.Local, int], ...] = ()
    header = element = ir.zero(U32)
    if shared:
        first = len(program.varyings)
        flat_header = body.parameter("draw_header", U32)
        flat_element = body.parameter("draw_element", U32)
        extra = ((flat_header, first), (flat_element, first + 1))
        header, element = ir.expression(flat_header), ir.expression(flat_element)

    def load(field: StructField) -> ir.Operand:
        return _load_input(form, body, field, header, element)

    return fragment_entry(program, load, extra, body)


def _load_input(
    form: _Form, body: ir.FunctionBuilder, field: StructField, header: ir.Expr, element: ir.Expr
) -> ir.Operand:
    if not form.lies_in_heap(field.name):
        return ir.field(form.frame, field.name)
    is_placed = field.name == "model" and ("table", "transform") in form.words
    if is_placed or ("input", field.name) not in form.words:
        return _model(form, body, header, element)
    word = form.words[("input", field.name)]
    return _load(body, field.name, field.type, header, word, element)


def _model(form: _Form, body: ir.FunctionBuilder, header: ir.Expr, element: ir.Expr) -> ir.Operand:
    """Load the parts of a row's matrix and put them together."""

    def part(kind: str, name: str, type_: Type) -> ir.Expr | None:
        word = form.words.get((kind, name))
        if word is None:
            return None
        return _load(body, f"row_{name}", type_, header, word, element)

    if form.is_composed:
        scale = part("table", "scale", VEC3)
        if scale is None:
            uniform = part("table", "uniform_scale", F32)
            scale = ir.construct(VEC3, 1.0 if uniform is None else uniform)
        position = part("table", "position", VEC3) or ir.construct(VEC3, 0.0)
        rotation = part("table", "rotation", VEC4) or ir.construct(VEC4, 0.0, 0.0, 0.0, 1.0)
        model = ir.call(compose.ir, position, rotation, scale)
    else:
        model = part("input", "model", MAT4)
        assert model is not None
    transform = part("table", "transform", MAT4)
    return model if transform is None else ir.call(product.ir, transform, model)


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
