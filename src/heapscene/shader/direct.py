"""The direct form of a program: attributes from vertex buffers, all inputs in one uniform."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from heapscene.shader.captured import fill_captured
from heapscene.shader.ir import build
from heapscene.shader.ir.body import FunctionBuilder
from heapscene.shader.ir.nodes import EntryPoint, Local, Module, Port, Resource
from heapscene.shader.linking import StageParameter, call_stage, check_locations, vertex_result
from heapscene.shader.types import BOOL, U32, VEC4, StructField, StructType

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Expr
    from heapscene.shader.program import Program

__all__ = ["direct_module", "fragment_entry", "fragment_result", "inputs_struct"]

LoadInput: TypeAlias = Callable[[StructField], build.Operand]


def inputs_struct(program: Program) -> StructType | None:
    """Return the uniform's struct: all inputs sorted by name, a bool as ``u32``; or ``None``."""
    fields = tuple(
        StructField(name, U32 if type_ == BOOL else type_)
        for name, type_ in sorted(program.interface.inputs.items())
    )
    return StructType("DirectInputs", fields) if fields else None


def direct_module(program: Program) -> Module:
    """Return ``vertex_main`` and ``fragment_main`` over vertex buffers and one uniform."""
    struct = inputs_struct(program)
    uniform = None if struct is None else Resource("direct_inputs", struct, "uniform", "read", 0, 0)

    def load(field: StructField) -> build.Operand:
        assert uniform is not None
        value = build.field(uniform, field.name)
        return build.binary("!=", value, 0) if field.type == BOOL else value

    return Module((_vertex_entry(program, load), fragment_entry(program, load)))


def _vertex_entry(program: Program, load_input: LoadInput) -> EntryPoint:
    result, locations, position = vertex_result(program.vertex_stage, program.varyings)
    body = FunctionBuilder("vertex_main", result, span=program.vertex_stage.function.span)
    order = sorted(program.interface.attributes)
    ports: list[Port] = []
    locals_: dict[str, Local] = {}
    for field in sorted(program.vertex_stage.read("attributes"), key=lambda f: f.name):
        locals_[field.name] = body.parameter(field.name, field.type)
        ports.append(Port(locals_[field.name], location=order.index(field.name)))
    for parameter in program.vertex_stage.parameters:
        if parameter.builtin:
            local = body.parameter(parameter.name, parameter.type)
            locals_[f"builtin {parameter.name}"] = local
            ports.append(Port(local, builtin=parameter.builtin))

    def load(parameter: StageParameter, field: StructField | None) -> build.Operand:
        if field is None:
            return locals_[f"builtin {parameter.name}"]
        return locals_[field.name] if parameter.role == "attributes" else load_input(field)

    fill_captured(body, program.vertex_stage.function, load_input)
    made = body.let("result", call_stage(program.vertex_stage, load))
    names = [position, *(varying.name for varying in program.varyings)]
    members: dict[str, build.Operand] = {name: build.field(made, name) for name in names}
    body.return_(build.struct(result, members))
    return EntryPoint("vertex", body.done(), tuple(ports), locations)


def fragment_entry(
    program: Program,
    load_input: LoadInput,
    extra: tuple[tuple[Local, int], ...] = (),
    body: FunctionBuilder | None = None,
) -> EntryPoint:
    """Return the entry point ``fragment_main``.

    Parameters
    ----------
    load_input
        Gives the value of an input.
    extra, body
        Further flat parameters with their locations, and the builder in which they were made (its
        result is :func:`fragment_result`).
    """
    stage = program.fragment_stage
    names = [local.name for local, _ in extra]
    check_locations(program.vertex_stage, stage, program.varyings, names)
    result, locations = fragment_result(program)
    body = body or FunctionBuilder(
        "fragment_main", result, span=program.fragment_stage.function.span
    )
    ports = [Port(local, location=number, interpolate="flat") for local, number in extra]
    locals_: dict[str, Local] = {}
    for varying in program.varyings:
        local = locals_[varying.name] = body.parameter(varying.name, varying.type)
        ports.append(Port(local, None, varying.location, varying.interpolate))
    for parameter in stage.parameters:
        if parameter.builtin:
            local = locals_[f"builtin {parameter.name}"] = body.parameter(
                parameter.name, parameter.type
            )
            ports.append(Port(local, builtin=parameter.builtin))
    for field in stage.read("varyings"):
        if field.builtin is not None:
            local = locals_[field.name] = body.parameter(field.name, field.type)
            ports.append(Port(local, builtin=field.builtin))

    def load(parameter: StageParameter, field: StructField | None) -> build.Operand:
        if field is None:
            return locals_[f"builtin {parameter.name}"]
        return locals_[field.name] if parameter.role == "varyings" else load_input(field)

    fill_captured(body, stage.function, load_input)
    called = call_stage(stage, load)
    body.return_(_outputs(result, body, called))
    return EntryPoint("fragment", body.done(), tuple(ports), locations)


def fragment_result(program: Program) -> tuple[StructType, tuple[tuple[str, int], ...]]:
    """Return the struct that a fragment entry point returns, and the locations of its members."""
    returned = program.fragment_stage.function.returns
    fields = returned.fields if isinstance(returned, StructType) else ()
    members = [StructField(field.name, field.type) for field, _ in program.outputs]
    members += [
        StructField(field.name, field.type, field.builtin) for field in fields if field.builtin
    ]
    locations = tuple((field.name, number) for field, number in program.outputs)
    return StructType("FragmentOut", tuple(members)), locations


def _outputs(result: StructType, body: FunctionBuilder, called: Expr) -> Expr:
    if called.type == VEC4:
        return build.struct(result, {result.fields[0].name: called})
    made = body.let("result", called)
    return build.struct(result, {f.name: build.field(made, f.name) for f in result.fields})
