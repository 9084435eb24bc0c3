"""How a vertex and a fragment stage fit together, and how an entry point calls them.

The direct form and the heap form of a program are entry points around the same two stages; they
differ in where attributes and inputs come from, which is what ``load`` of :func:`call_stage` says.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from heapscene.shader import lang
from heapscene.shader.diagnostics import Diagnostic, raise_all
from heapscene.shader.frontend.signature import entry_structs
from heapscene.shader.ir import build, nodes
from heapscene.shader.ir.nodes import Expr, Function, Span
from heapscene.shader.ir.usage import fields_read
from heapscene.shader.ir.visit import reachable_functions, walk
from heapscene.shader.operations import scalar_of, spelled
from heapscene.shader.types import BOOL, Matrix, Scalar, StructField, StructType, Type, Vector

if TYPE_CHECKING:
    from heapscene.shader.source import FunctionSource
    from heapscene.shader.stages import Parameter, ShaderFunction

__all__ = [
    "Stage",
    "StageParameter",
    "Varying",
    "call_stage",
    "check_locations",
    "join_inputs",
    "link_varyings",
    "stage_of",
    "vertex_result",
]

MAX_LOCATIONS = 16
"""WebGPU's default for what goes from a vertex to a fragment stage."""

_COUNTED = ("front_facing", "sample_index")  # builtins of fragments that take a location's room


@dataclass(frozen=True, slots=True)
class StageParameter:
    """One parameter of an entry function.

    Attributes
    ----------
    role
        ``attributes``, ``inputs``, ``varyings`` or ``builtin``.
    builtin
        WGSL's name, for the role ``builtin``.
    read
        Members that the function reads, itself or through calls.
    """

    name: str
    role: str
    type: Type
    builtin: str | None
    read: frozenset[str]

    @property
    def fields(self) -> tuple[StructField, ...]:
        """Members of the struct; none for a builtin."""
        return self.type.fields if isinstance(self.type, StructType) else ()


@dataclass(frozen=True, slots=True)
class Stage:
    """An entry function, or a chain of them made one, with what its parameters mean.

    Attributes
    ----------
    where
        ``file:line`` of the ``def``.
    source
        Its text; of a chain, that of the first.
    parts
        The stages that a chain was made of; none for a single function.
    """

    name: str
    where: str
    function: Function
    parameters: tuple[StageParameter, ...]
    source: FunctionSource | None = field(default=None, compare=False)
    parts: tuple[Stage, ...] = ()

    def parameter(self, role: str) -> StageParameter | None:
        """Return the parameter of that role, if there is one."""
        return next((p for p in self.parameters if p.role == role), None)

    def read(self, role: str) -> tuple[StructField, ...]:
        """Return the members that are read of the parameter with that role."""
        found = self.parameter(role)
        if found is None:
            return ()
        return tuple(field for field in found.fields if field.name in found.read)

    @property
    def spans(self) -> dict[str, Span]:
        """Where the annotations of parameters and result stand, by name and ``"return"``."""
        return {} if self.source is None else dict(_annotations(self.source))

    @property
    def label(self) -> str:
        """Name and place, for messages."""
        return ", ".join(f"{part.name} ({part.where})" for part in self.parts or (self,))

    def fault(
        self, role: str, name: str, what: str, facts: Mapping[str, object], fix: str
    ) -> Diagnostic:
        """Return a fault that stands where the member ``name`` is read first."""
        parts = [part for part in self.parts if part._reads(role, name)]
        if parts:
            return parts[0].fault(role, name, what, facts, fix)
        return Diagnostic("type", what, self._place(role, name), self.name, facts, fix)

    def result_fault(self, what: str, facts: Mapping[str, object], fix: str) -> Diagnostic:
        """Return a fault that stands under the annotation of the result."""
        last = self.parts[-1] if self.parts else self
        span = last.spans.get("return") or last.function.span
        assert span is not None
        return Diagnostic("type", what, span, last.name, facts, fix)

    def _reads(self, role: str, name: str) -> bool:
        return any(field.name == name for field in self.read(role))

    def _place(self, role: str, name: str) -> Span:
        parameter = self.parameter(role)
        assert parameter is not None
        found = next(_reads_of(self.function, parameter, name), None)
        span = found or self.spans.get(parameter.name) or self.function.span
        assert span is not None
        return span


def _reads_of(function: Function, parameter: StageParameter, name: str) -> Iterator[Span]:
    """Yield where a member is read: in the function itself first, then in its helpers."""
    for each in reversed(reachable_functions(function)):
        for node in walk(each):
            match node:
                case nodes.Field(value=nodes.Read(type=kind), name=found, span=Span() as span):
                    if kind == parameter.type and found == name:
                        yield span
                case _:
                    continue


@dataclass(frozen=True, slots=True)
class Varying:
    """A value that goes from the vertex to the fragment function."""

    name: str
    type: Type
    location: int
    interpolate: str | None


def stage_of(function: ShaderFunction[..., Any], *, first: bool = True) -> Stage:
    """Describe a compiled entry function.

    Parameters
    ----------
    first
        It is the first of its chain: its members come from outside.

    Raises
    ------
    ShaderTypeError
        An attribute or input has a type that cannot be given.
    """
    made: Function = function.ir
    roles = {"vertex": ("attributes", "inputs"), "fragment": ("varyings", "inputs")}[function.stage]
    plain = entry_structs(function.parameters)
    role_of = {p.name: role for p, role in zip(plain, roles, strict=False)}
    parameters = tuple(
        _stage_parameter(parameter, role_of.get(parameter.name, "builtin"), read)
        for parameter, read in zip(function.parameters, fields_read(made), strict=True)
    )
    source = function.source
    stage = Stage(function.name, source.where, made, parameters, source)
    checked = [p for p in parameters if first or p.role == "inputs"]
    faults = [f for parameter in checked for f in check_fields(stage, parameter)]
    if faults:
        raise_all(faults)
    return stage


def _annotations(source: FunctionSource) -> Iterator[tuple[str, Span]]:
    tree = source.tree
    nodes_ = {arg.arg: arg.annotation for arg in tree.args.args} | {"return": tree.returns}
    for name, node in nodes_.items():
        if isinstance(node, ast.expr):
            yield (
                name,
                Span(
                    source.filename,
                    node.lineno,
                    node.col_offset,
                    node.end_lineno or node.lineno,
                    node.end_col_offset or node.col_offset + 1,
                ),
            )


def _stage_parameter(parameter: Parameter, role: str, read: frozenset[str]) -> StageParameter:
    builtin = parameter.default.name if isinstance(parameter.default, lang.Builtin) else None
    return StageParameter(parameter.name, role, parameter.type, builtin, read)


def pruned(stage: Stage, function: Function) -> Stage:
    """Return the stage with another body, which reads less."""
    if function is stage.function:
        return stage
    parameters = tuple(
        replace(parameter, read=read)
        for parameter, read in zip(stage.parameters, fields_read(function), strict=True)
    )
    return replace(stage, function=function, parameters=parameters)


def check_fields(stage: Stage, parameter: StageParameter) -> Iterator[Diagnostic]:
    """Yield the faults of members that cannot be given from outside."""
    for member in parameter.fields:
        plain = isinstance(member.type, Scalar | Vector | Matrix)
        is_bool = scalar_of(member.type) == BOOL
        if parameter.role == "attributes":
            fits = plain and not is_bool and not isinstance(member.type, Matrix)
            wanted = "numbers and vectors of numbers"
        elif parameter.role == "inputs":
            fits = plain and not (is_bool and isinstance(member.type, Vector))
            wanted = "numbers, bools, vectors and matrices"
        else:
            continue
        if member.builtin is not None:
            fits, wanted = False, "values that are given; a builtin is a parameter of its own"
        if not fits:
            span = stage.spans.get(parameter.name) or stage.function.span
            assert span is not None
            yield Diagnostic(
                "type",
                f"the field {member.name!r} of {parameter.type} cannot be among "
                f"the {parameter.role}",
                span,
                stage.name,
                {member.name: spelled(member.type)},
                f"The {parameter.role} are {wanted}.",
            )


def check_position(vertex: Stage) -> None:
    """Refuse a vertex stage that does not place its vertices.

    Raises
    ------
    ShaderTypeError
        No function of it returns ``builtin.position``.
    """
    returned = vertex.function.returns
    assert isinstance(returned, StructType)
    if not any(member.builtin == "position" for member in returned.fields):
        fault = vertex.result_fault(
            "no vertex function of the program returns builtin.position",
            {"returned": ", ".join(member.name for member in returned.fields)},
            "Write a @struct class with the field  clip: vec4 = builtin.position",
        )
        raise_all([fault])


def link_varyings(vertex: Stage, fragment: Stage) -> tuple[Varying, ...]:
    """Return what the fragment stage reads of what the vertex stage returns.

    Raises
    ------
    ShaderTypeError
        Varyings are missing, have another type, are the clip position, or are too many.
    """
    returned = vertex.function.returns
    assert isinstance(returned, StructType)
    wanted = {member.name: member for member in fragment.read("varyings")}
    faults = [
        fault
        for member in wanted.values()
        if (fault := _link_fault(vertex, fragment, returned, member)) is not None
    ]
    if faults:
        raise_all(faults)
    linked = [member for member in returned.fields if _is_linked(member, wanted)]
    return tuple(
        Varying(member.name, member.type, location, member.interpolate)
        for location, member in enumerate(linked)
    )


def _is_linked(member: StructField, wanted: Mapping[str, StructField]) -> bool:
    return member.name in wanted and member.builtin is None and wanted[member.name].builtin is None


def _link_fault(
    vertex: Stage, fragment: Stage, returned: StructType, member: StructField
) -> Diagnostic | None:
    name = member.name
    given = returned.field(name)
    if member.builtin is not None:
        if not _shares_struct(vertex, fragment, name):
            return None
        return fragment.fault(
            "varyings",
            name,
            f"the fragment function reads {name!r}, which is the clip position",
            {"vertex": vertex.label},
            "Take the pixel's place with a parameter  coord: vec4 = builtin.frag_coord",
        )
    if given is None or given.builtin is not None:
        names = [f.name for f in returned.fields if f.builtin is None]
        similar = difflib.get_close_matches(name, names, n=1)
        fix = f"Add {name}: {spelled(member.type)} to {returned.name}."
        return fragment.fault(
            "varyings",
            name,
            f"the fragment function reads the varying {name!r}, "
            "which the vertex function does not return",
            {"vertex": vertex.label, "returned": ", ".join(names) or "only the position"},
            f"Did you mean {similar[0]!r}? Or: {fix}" if similar else fix,
        )
    if given.type != member.type:
        return fragment.fault(
            "varyings",
            name,
            f"the varying {name!r} is {spelled(given.type)} in one function "
            f"and {spelled(member.type)} in the other",
            {
                "vertex": f"{spelled(given.type)}   {vertex.label}",
                "fragment": f"{spelled(member.type)}   {fragment.label}",
            },
            "Use one @struct class for both.",
        )
    return None


def _shares_struct(vertex: Stage, fragment: Stage, name: str) -> bool:
    """Whether a fragment function reads a member of the very class that a vertex function returns."""
    returned = [part.function.returns for part in vertex.parts or (vertex,)]
    read = [part.parameter("varyings") for part in fragment.parts or (fragment,)]
    return any(p is not None and name in p.read and p.type in returned for p in read)


def check_locations(
    vertex: Stage, fragment: Stage, varyings: Sequence[Varying], extra: Sequence[str] = ()
) -> None:
    """Refuse more varyings than every device takes.

    Parameters
    ----------
    extra
        What an entry point hands over besides.

    Raises
    ------
    ShaderTypeError
        They are more than 16; the message lists them.
    """
    taken = [p.builtin for p in fragment.parameters if p.builtin in _COUNTED]
    names = [*extra, *(f"builtin.{name}" for name in taken)]
    count = len(varyings) + len(names)
    if count <= MAX_LOCATIONS:
        return
    facts: dict[str, object] = {
        "fragment": fragment.label,
        "varyings": ", ".join(f"{v.name}: {spelled(v.type)}" for v in varyings),
    }
    if names:
        facts["besides"] = ", ".join(names)
    fault = vertex.result_fault(
        f"{count} values go from the vertex to the fragment stage, {MAX_LOCATIONS} are possible",
        facts,
        "Pack several into one vector, or compute them from others in the fragment function.",
    )
    raise_all([fault])


def join_inputs(*stages: Stage) -> dict[str, StructField]:
    """Return the inputs of all stages by name, sorted.

    Raises
    ------
    ShaderTypeError
        Two stages mean different things by one name.
    """
    found, faults = joined("inputs", stages)
    if faults:
        raise_all(faults)
    return {name: found[name] for name in sorted(found)}


def joined(
    role: str, stages: Sequence[Stage], names: Sequence[frozenset[str]] | None = None
) -> tuple[dict[str, StructField], list[Diagnostic]]:
    """Return the members of one role by name, of the stages together, and where types differ.

    ``names`` says which members of each stage count; by default all do.
    """
    found: dict[str, tuple[StructField, Stage]] = {}
    faults: list[Diagnostic] = []
    for number, stage in enumerate(stages):
        parameter = stage.parameter(role)
        for member in parameter.fields if parameter else ():
            if names is not None and member.name not in names[number]:
                continue
            other, owner = found.setdefault(member.name, (member, stage))
            if other.type != member.type:
                faults.append(_conflict(role, (other, owner), (member, stage)))
            elif other.default is None and member.default is not None:
                found[member.name] = (member, stage)
    return {name: member for name, (member, _) in found.items()}, faults


def _conflict(
    role: str, first: tuple[StructField, Stage], second: tuple[StructField, Stage]
) -> Diagnostic:
    (other, owner), (member, stage) = first, second
    word = "input" if role == "inputs" else role.removesuffix("s")
    return stage.fault(
        role,
        member.name,
        f"the {word} {member.name!r} is {spelled(other.type)} in {owner.name} "
        f"and {spelled(member.type)} in {stage.name}",
        {
            owner.name: f"{spelled(other.type)}   {owner.where}",
            stage.name: f"{spelled(member.type)}   {stage.where}",
        },
        "Give one of them another name.",
    )


def call_stage(
    stage: Stage, load: Callable[[StageParameter, StructField | None], build.Operand]
) -> Expr:
    """Call an entry function from an entry point.

    Parameters
    ----------
    load
        Gives the value of a member that is read, or, with ``None`` for the member, of a builtin.
        Members that are not read are zero.
    """
    args: list[build.Operand] = []
    for parameter in stage.parameters:
        if not isinstance(parameter.type, StructType):
            args.append(load(parameter, None))
            continue
        members: dict[str, build.Operand] = {
            member.name: load(parameter, member)
            if member.name in parameter.read
            else build.zero(member.type)
            for member in parameter.fields
        }
        if parameter.read:
            args.append(build.struct(parameter.type, members))
        else:
            args.append(build.zero(parameter.type))
    return build.call(stage.function, *args)


def vertex_result(
    vertex: Stage, varyings: Sequence[Varying], extra: Sequence[StructField] = ()
) -> tuple[StructType, tuple[tuple[str, int], ...], str]:
    """Return a vertex entry point's struct, locations of its members, name of the position.

    Parameters
    ----------
    extra
        Members that an entry point adds; their locations follow those of the varyings.
    """
    returned = vertex.function.returns
    assert isinstance(returned, StructType)
    position = next(member for member in returned.fields if member.builtin == "position")
    members = [StructField(position.name, position.type, "position")]
    members += [StructField(v.name, v.type, None, v.interpolate) for v in varyings]
    locations = [(v.name, v.location) for v in varyings]
    for number, member in enumerate(extra, start=len(varyings)):
        members.append(member)
        locations.append((member.name, number))
    return StructType("VertexOut", tuple(members)), tuple(locations), position.name


def defaults_of(fields: Mapping[str, StructField]) -> dict[str, Any]:
    """Return the defaults of those members that have one."""
    return {
        name: field.default
        for name, field in fields.items()
        if field.default is not None
        and not isinstance(field.default, lang.Builtin | lang.Interpolation)
    }
