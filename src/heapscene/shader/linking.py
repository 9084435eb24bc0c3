"""How a vertex and a fragment function fit together, and how an entry point calls them.

The direct form and the heap form of a program are entry points around the same two functions; they
differ in where attributes and inputs come from, which is what ``load`` of :func:`call_stage` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapscene.errors import ShaderTypeError, explain
from heapscene.shader import lang
from heapscene.shader.frontend.signature import entry_structs
from heapscene.shader.ir import build
from heapscene.shader.ir.nodes import Expr, Function
from heapscene.shader.ir.usage import fields_read
from heapscene.shader.operations import scalar_of, spelled
from heapscene.shader.types import BOOL, Matrix, Scalar, StructField, StructType, Type, Vector

if TYPE_CHECKING:
    from heapscene.shader.stages import Parameter, ShaderFunction

__all__ = [
    "Stage",
    "StageParameter",
    "Varying",
    "call_stage",
    "join_inputs",
    "link_varyings",
    "stage_of",
    "vertex_result",
]


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
    """An entry function with what its parameters mean."""

    name: str
    where: str
    function: Function
    parameters: tuple[StageParameter, ...]

    def parameter(self, role: str) -> StageParameter | None:
        """Return the parameter of that role, if there is one."""
        return next((p for p in self.parameters if p.role == role), None)

    def read(self, role: str) -> tuple[StructField, ...]:
        """Return the members that are read of the parameter with that role."""
        found = self.parameter(role)
        if found is None:
            return ()
        return tuple(field for field in found.fields if field.name in found.read)


@dataclass(frozen=True, slots=True)
class Varying:
    """A value that goes from the vertex to the fragment function."""

    name: str
    type: Type
    location: int
    interpolate: str | None


def stage_of(function: ShaderFunction[..., Any]) -> Stage:
    """Describe a compiled entry function.

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
    stage = Stage(function.name, function.source.where, made, parameters)
    for parameter in parameters:
        _check_fields(stage, parameter)
    return stage


def _stage_parameter(parameter: Parameter, role: str, read: frozenset[str]) -> StageParameter:
    builtin = parameter.default.name if isinstance(parameter.default, lang.Builtin) else None
    return StageParameter(parameter.name, role, parameter.type, builtin, read)


def _check_fields(stage: Stage, parameter: StageParameter) -> None:
    for field in parameter.fields:
        plain = isinstance(field.type, Scalar | Vector | Matrix)
        is_bool = scalar_of(field.type) == BOOL
        if parameter.role == "attributes":
            fits = plain and not is_bool and not isinstance(field.type, Matrix)
            wanted = "numbers and vectors of numbers"
        elif parameter.role == "inputs":
            fits = plain and not (is_bool and isinstance(field.type, Vector))
            wanted = "numbers, bools, vectors and matrices"
        else:
            continue
        if field.builtin is not None:
            fits, wanted = False, "values that are given; a builtin is a parameter of its own"
        if not fits:
            raise ShaderTypeError(
                explain(
                    f"the field {field.name!r} of {parameter.type} cannot be among "
                    f"the {parameter.role}",
                    facts={
                        field.name: spelled(field.type),
                        "function": f"{stage.name} ({stage.where})",
                    },
                    fix=f"The {parameter.role} are {wanted}.",
                )
            )


def link_varyings(vertex: Stage, fragment: Stage) -> tuple[Varying, ...]:
    """Return what the fragment function reads of what the vertex function returns.

    Raises
    ------
    ShaderTypeError
        A varying is missing, has another type, or is the clip position.
    """
    returned = vertex.function.returns
    assert isinstance(returned, StructType)
    wanted = {field.name: field for field in fragment.read("varyings")}
    parameter = fragment.parameter("varyings")
    places: dict[str, object] = {
        "vertex": f"{vertex.name} ({vertex.where})",
        "fragment": f"{fragment.name} ({fragment.where})",
    }
    for name, field in wanted.items():
        given = returned.field(name)
        if field.builtin is not None and (parameter is None or parameter.type == returned):
            raise ShaderTypeError(
                explain(
                    f"the fragment function reads {name!r}, which is the clip position",
                    facts=places,
                    fix="Take the pixel's place with a parameter  coord: vec4 = builtin.frag_coord",
                )
            )
        if field.builtin is not None:
            continue
        if given is None or given.builtin is not None:
            raise ShaderTypeError(
                explain(
                    f"the fragment function reads the varying {name!r}, "
                    "which the vertex function does not return",
                    facts={**places, "returned": ", ".join(f.name for f in returned.fields)},
                    fix=f"Add {name}: {spelled(field.type)} to {returned.name}.",
                )
            )
        if given.type != field.type:
            raise ShaderTypeError(
                explain(
                    f"the varying {name!r} is {spelled(given.type)} in one function "
                    f"and {spelled(field.type)} in the other",
                    facts={
                        "vertex": f"{spelled(given.type)}   {places['vertex']}",
                        "fragment": f"{spelled(field.type)}   {places['fragment']}",
                    },
                    fix="Use one @struct class for both.",
                )
            )
    linked = [field for field in returned.fields if field.name in wanted and field.builtin is None]
    return tuple(
        Varying(field.name, field.type, location, field.interpolate)
        for location, field in enumerate(linked)
    )


def join_inputs(*stages: Stage) -> dict[str, StructField]:
    """Return the inputs of all stages by name, sorted.

    Raises
    ------
    ShaderTypeError
        Two stages mean different things by one name.
    """
    found: dict[str, tuple[StructField, Stage]] = {}
    for stage in stages:
        parameter = stage.parameter("inputs")
        for field in parameter.fields if parameter else ():
            other, owner = found.setdefault(field.name, (field, stage))
            if other.type != field.type:
                raise ShaderTypeError(
                    explain(
                        f"the input {field.name!r} is {spelled(other.type)} in {owner.name} "
                        f"and {spelled(field.type)} in {stage.name}",
                        facts={
                            owner.name: f"{spelled(other.type)}   {owner.where}",
                            stage.name: f"{spelled(field.type)}   {stage.where}",
                        },
                        fix="Give one of them another name.",
                    )
                )
            if other.default is None and field.default is not None:
                found[field.name] = (field, stage)
    return {name: found[name][0] for name in sorted(found)}


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
            field.name: load(parameter, field)
            if field.name in parameter.read
            else build.zero(field.type)
            for field in parameter.fields
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
    position = next(field for field in returned.fields if field.builtin == "position")
    members = [StructField(position.name, position.type, "position")]
    members += [StructField(v.name, v.type, None, v.interpolate) for v in varyings]
    locations = [(v.name, v.location) for v in varyings]
    for number, field in enumerate(extra, start=len(varyings)):
        members.append(field)
        locations.append((field.name, number))
    return StructType("VertexOut", tuple(members)), tuple(locations), position.name


def defaults_of(fields: Mapping[str, StructField]) -> dict[str, Any]:
    """Return the defaults of those members that have one."""
    return {
        name: field.default
        for name, field in fields.items()
        if field.default is not None
        and not isinstance(field.default, lang.Builtin | lang.Interpolation)
    }
