"""Chains of functions of one stage become one: each adds to or replaces what the earlier return.

A member that a later function reads is what an earlier one returns under that name (a builtin: under
any name), the latest first; what none returns comes from outside, as for a single function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heapscene.shader.diagnostics import Diagnostic, raise_all
from heapscene.shader.ir import build
from heapscene.shader.ir.body import FunctionBuilder
from heapscene.shader.ir.nodes import Local
from heapscene.shader.ir.usage import fields_read
from heapscene.shader.linking import (
    Stage,
    StageParameter,
    call_stage,
    check_fields,
    joined,
    stage_of,
)
from heapscene.shader.operations import spelled
from heapscene.shader.types import VEC4, StructField, StructType

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["compose"]


def compose(functions: Sequence[ShaderFunction[..., Any]]) -> Stage:
    """Return the stage that runs vertex or fragment functions one after the other.

    Raises
    ------
    ShaderTypeError
        Two functions mean different types by one name.
    """
    stages = [stage_of(each, first=number == 0) for number, each in enumerate(functions)]
    return stages[0] if len(stages) == 1 else _Chain(stages).stage()


def returned_by(stage: Stage) -> tuple[StructField, ...]:
    """Return what a function returns; a plain ``vec4`` is the output ``color``."""
    returns = stage.function.returns
    return returns.fields if isinstance(returns, StructType) else (StructField("color", VEC4),)


def _key(member: StructField) -> str:
    return member.name if member.builtin is None else f"builtin {member.builtin}"


class _Chain:
    """Two or more functions of one stage."""

    def __init__(self, stages: list[Stage]) -> None:
        self.stages = stages
        roles = {p.role for stage in stages for p in stage.parameters}
        self.role = "attributes" if "attributes" in roles else "varyings"
        self.faults: list[Diagnostic] = []
        self.outputs: dict[str, StructField] = {}
        self.owners: dict[str, Stage] = {}
        outside = [self._taken_from_outside(number) for number in range(len(stages))]
        self.given, faults = joined(self.role, stages, outside)
        self.inputs, more = joined("inputs", stages)
        self.faults += faults + more
        self._check_outside(outside)
        if self.faults:
            raise_all(self.faults)

    def _taken_from_outside(self, number: int) -> frozenset[str]:
        """Return which members function ``number`` takes from outside, and note its results."""
        stage = self.stages[number]
        parameter = stage.parameter(self.role)
        names: set[str] = set()
        for member in parameter.fields if parameter else ():
            given = self.outputs.get(_key(member))
            is_read = parameter is not None and member.name in parameter.read
            if given is None and (is_read or number == 0):
                names.add(member.name)
            elif given is not None and is_read and given.type != member.type:
                self.faults.append(self._differs(stage, member, given))
        for member in returned_by(stage):
            self._note(stage, member)
        return frozenset(names)

    def _differs(self, stage: Stage, member: StructField, given: StructField) -> Diagnostic:
        owner = self.owners[_key(member)]
        return stage.fault(
            self.role,
            member.name,
            f"{stage.name} reads {member.name!r} as {spelled(member.type)}, "
            f"{owner.name} returns {spelled(given.type)}",
            {
                owner.name: f"{spelled(given.type)}   {owner.where}",
                stage.name: f"{spelled(member.type)}   {stage.where}",
            },
            "Use one type, or give one of them another name.",
        )

    def _note(self, stage: Stage, member: StructField) -> None:
        key = _key(member)
        earlier = self.outputs.get(key)
        if earlier is not None and earlier.type != member.type:
            owner = self.owners[key]
            self.faults.append(
                stage.result_fault(
                    f"{stage.name} replaces {member.name!r}, which is {spelled(earlier.type)}, "
                    f"by {spelled(member.type)}",
                    {
                        owner.name: f"{spelled(earlier.type)}   {owner.where}",
                        stage.name: f"{spelled(member.type)}   {stage.where}",
                    },
                    "Return the same type, or give it another name.",
                )
            )
            return
        name = member.name if earlier is None else earlier.name
        self.outputs[key] = replace(member, name=name)
        self.owners[key] = stage

    def _check_outside(self, outside: list[frozenset[str]]) -> None:
        for stage, names in list(zip(self.stages, outside, strict=True))[1:]:
            parameter = stage.parameter(self.role)
            if parameter is None:
                continue
            assert isinstance(parameter.type, StructType)
            kept = tuple(member for member in parameter.fields if member.name in names)
            kind = StructType(parameter.type.name, kept)
            self.faults += check_fields(stage, replace(parameter, type=kind))

    # One function of all -----------------------------------------------------------------------

    def stage(self) -> Stage:
        result = StructType("Varyings" if self.role == "attributes" else "Outputs", self._results())
        name = "_".join(stage.name for stage in self.stages)
        body = FunctionBuilder(name, result)
        self._parameters: list[StageParameter] = []
        given = self._struct(body, "given", self.role, self.given)
        inputs = self._struct(body, "inputs", "inputs", self.inputs)
        builtins = self._builtins(body)
        values: dict[str, build.Operand] = {}

        def load(parameter: StageParameter, member: StructField | None) -> build.Operand:
            if member is None:
                assert parameter.builtin is not None
                return builtins[parameter.builtin]
            if parameter.role == "inputs":
                assert inputs is not None
                return build.field(inputs, member.name)
            key = _key(member)
            if key in values:
                return values[key]
            assert given is not None
            return build.field(given, member.name)

        for stage in self.stages:
            made = body.let(f"of_{stage.name}", call_stage(stage, load))
            for member in returned_by(stage):
                is_struct = isinstance(made.type, StructType)
                values[_key(member)] = build.field(made, member.name) if is_struct else made
        named = {self._name(key): values[key] for key in self.outputs}
        body.return_(build.struct(result, named))
        made_function = body.done()
        parameters = tuple(
            replace(parameter, read=read)
            for parameter, read in zip(self._parameters, fields_read(made_function), strict=True)
        )
        first = self.stages[0]
        return Stage(
            " + ".join(stage.name for stage in self.stages),
            first.where,
            replace(made_function, span=first.function.span),
            parameters,
            first.source,
            tuple(self.stages),
        )

    def _name(self, key: str) -> str:
        """Return the name of an output; a builtin makes way for an output of its name."""
        member = self.outputs[key]
        taken = member.builtin is not None and member.name in self.outputs
        return f"{member.name}_" if taken else member.name

    def _results(self) -> tuple[StructField, ...]:
        return tuple(
            replace(member, name=self._name(key), default=None)
            for key, member in self.outputs.items()
        )

    def _struct(
        self, body: FunctionBuilder, name: str, role: str, members: dict[str, StructField]
    ) -> Local | None:
        if not members:
            return None
        kind = StructType(role.capitalize(), tuple(members.values()))
        self._parameters.append(StageParameter(name, role, kind, None, frozenset()))
        return body.parameter(name, kind)

    def _builtins(self, body: FunctionBuilder) -> dict[str, Local]:
        found: dict[str, Local] = {}
        for stage in self.stages:
            for parameter in stage.parameters:
                if parameter.builtin is None or parameter.builtin in found:
                    continue
                found[parameter.builtin] = body.parameter(parameter.builtin, parameter.type)
                self._parameters.append(
                    replace(parameter, name=parameter.builtin, read=frozenset())
                )
        return found
