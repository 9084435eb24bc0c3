"""Draw: one thing to draw, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from heapscene.adaptive import AVal
from heapscene.draw.encode import encode_rows, encode_value, numpy_dtype
from heapscene.draw.fixed import fixed
from heapscene.draw.geometry import Geometry
from heapscene.draw.limits import check_all_limits, check_limits
from heapscene.draw.numbers import owned
from heapscene.draw.place import check_places, encode_place, is_place
from heapscene.draw.state import PipelineState
from heapscene.errors import InputError, explain
from heapscene.shader import Interface, ProgramLike, spelled
from heapscene.wording import brief, one_line, similar

__all__ = [
    "Draw",
    "check_count",
    "check_instances",
    "check_kind",
    "check_mapping",
    "check_program",
    "checked_draw",
    "read_visible",
    "with_captured",
]

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_MAPPINGS = frozenset({dict, MappingProxyType})


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


@fixed(
    "Give it an adaptive value, and assign to that: Draw(..., {name}=cell), cell = hs.cval(...)."
)
@dataclass(frozen=True, eq=False, repr=False, slots=True, weakref_slot=True)
class Draw:
    """One object: a program, a geometry, its values and its pipeline state.

    A draw never changes; what changes are the adaptive values in it. Arrays and lists are copied (but for
    arrays that nobody can write), so editing yours later changes nothing. Two draws that hold the same
    adaptive value (the same object) share its memory; equal constants are shared too.

    Parameters
    ----------
    program
        What to run, see :class:`heapscene.Program`.
    geometry
        A :class:`Geometry`, or an adaptive value of one.
    inputs
        Values of the program's inputs by name: numbers, arrays or adaptive values. What is missing
        comes from the frame (``view``, ``proj``, ...) or is what the program's functions captured.
    instances
        Per-instance inputs by name: ``instance_count`` rows, or one row for all.
    instance_count
        How often to draw the geometry; 0 draws nothing.
    visible
        Hidden draws cost nothing and keep their memory.
    state
        Pipeline state, or an adaptive value of one.
    rules
        Reserved for state decided on the GPU; has to be empty.

    Raises
    ------
    InputError
        A name that the program does not read, or a value of the wrong type; a ``model`` that is no place:
        a 4×4 matrix of finite numbers with the last row 0, 0, 0, 1.
    """

    program: ProgramLike
    geometry: Geometry | AVal[Geometry]
    inputs: Mapping[str, Any] = field(default_factory=_nothing)
    instances: Mapping[str, Any] = field(default_factory=_nothing)
    instance_count: int | AVal[int] = 1
    visible: bool | AVal[bool] = True
    state: PipelineState | AVal[PipelineState] = PipelineState()
    rules: Mapping[str, Any] = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        check_program(self.program)
        check_mapping("inputs", self.inputs)
        check_mapping("instances", self.instances)
        inputs = with_captured(self.program, self.inputs, self.instances)
        if inputs is not self.inputs:
            object.__setattr__(self, "inputs", inputs)
        check_kind(self.geometry, Geometry, "geometry", "hs.geometry.box()")
        check_kind(self.state, PipelineState, "state", 'hs.PipelineState(cull_mode="back")')
        check_count(self.instance_count)
        if not isinstance(self.visible, AVal):
            read_visible(self.visible)
        face = self.program.interface
        known, limits = face.inputs, face.input_limits
        for name, value in self.inputs.items():
            if name not in known:
                raise _unknown(name, known)
            if not isinstance(value, AVal):
                if is_place(name, known[name]):
                    encode_place(value, name)
                    continue
                data = encode_value(known[name], value, name)
                if name in limits:
                    numbers = np.frombuffer(data, numpy_dtype(known[name]))
                    check_limits(name, numbers, limits[name])
        for name, value in self.instances.items():
            if name not in known:
                raise _unknown(name, known)
            if name in self.inputs:
                raise InputError(
                    explain(
                        f"{name!r} is given both as an input and per instance",
                        fix=f"Leave {name!r} out of inputs or out of instances.",
                    )
                )
            if not isinstance(value, AVal):
                rows = encode_rows(known[name], value, name).view(numpy_dtype(known[name]))
                check_instances(name, len(rows), self.instance_count)
                if is_place(name, known[name]):
                    check_places(name, rows)
                if name in limits:
                    check_all_limits(name, rows, limits[name])
        object.__setattr__(self, "inputs", _owned(self.inputs))
        object.__setattr__(self, "instances", _owned(self.instances))
        check_mapping("rules", self.rules)
        if self.rules:
            raise InputError(
                explain(
                    "rules= is not supported yet",
                    facts={"rules": ", ".join(self.rules)},
                    fix="Give state= or visible= as an adaptive value instead.",
                )
            )

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, item.name) for item in fields(self)]
        return Draw, tuple(
            dict(value) if type(value) is MappingProxyType else value for value in values
        )

    def __repr__(self) -> str:
        parts = [brief(self.geometry)]
        given = {**self.inputs, **self.instances}
        values = [
            f"{name}={brief(value, 40)}" if isinstance(value, AVal) else name
            for name, value in given.items()
        ]
        parts += [", ".join(values)] if values else []
        count = self.instance_count
        parts += [] if type(count) is int and count == 1 else [f"{brief(count)} instances"]
        return one_line(f"Draw({'; '.join([*parts, brief(self.program)])})")


def _owned(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values that nobody else can edit."""
    if not values:
        return _NOTHING
    return MappingProxyType({name: owned(value) for name, value in values.items()})


# A frozen dataclass sets its fields one by one through calls that look each of them up.
(
    _put_program,
    _put_geometry,
    _put_inputs,
    _put_instances,
    _put_count,
    _put_visible,
    _put_state,
    _put_rules,
) = (getattr(Draw, item.name).__set__ for item in fields(Draw))


def checked_draw(
    program: ProgramLike,
    geometry: Geometry | AVal[Geometry],
    inputs: Mapping[str, Any],
    visible: bool | AVal[bool],
    state: PipelineState | AVal[PipelineState],
) -> Draw:
    """Return a draw of inputs that are known to be what the program takes; nothing is checked."""
    if program.interface.captured:
        inputs = with_captured(program, inputs)
    draw = _new(Draw)
    _put_program(draw, program)
    _put_geometry(draw, geometry)
    _put_inputs(draw, inputs if type(inputs) is MappingProxyType else MappingProxyType(inputs))
    _put_instances(draw, _NOTHING)
    _put_count(draw, 1)
    _put_visible(draw, visible)
    _put_state(draw, state)
    _put_rules(draw, _NOTHING)
    return draw


_new = Draw.__new__


def with_captured(
    program: ProgramLike, inputs: Mapping[str, Any], given: Mapping[str, Any] = _NOTHING
) -> Mapping[str, Any]:
    """Return inputs with the adaptive values that the program's functions read by name."""
    captured = program.interface.captured
    if not captured:
        return inputs
    return {**{name: captured[name] for name in captured if name not in given}, **inputs}


def check_kind(value: Any, kind: type, name: str, example: str) -> None:
    """Raise an :class:`InputError` unless `value` is of a class, or adaptive."""
    if not isinstance(value, kind | AVal):
        raise InputError(
            explain(
                f"{name} has to be a {kind.__name__}, or an adaptive value of one",
                facts={"given": f"{type(value).__name__}: {brief(value)}"},
                fix=f"Write {name}={example}.",
            )
        )


def check_program(value: Any, maker: str = "Draw") -> None:
    """Raise an :class:`InputError` unless `value` is a program."""
    if not isinstance(getattr(value, "interface", None), Interface):
        is_table = maker == "DrawTable"
        raise InputError(
            explain(
                f"program has to be a Program{' or a material' if is_table else ''}",
                facts={"given": f"{type(value).__name__}: {brief(value)}"},
                fix="Write DrawTable(hs.PhongMaterial(), geometry, columns={...})."
                if is_table
                else "Write Draw(hs.Program(vertex, fragment), geometry, inputs={...}).",
            )
        )


def check_mapping(name: str, value: Any) -> None:
    """Raise an :class:`InputError` unless `value` is a mapping."""
    if type(value) not in _MAPPINGS and not isinstance(value, Mapping):
        raise InputError(
            explain(
                f"{name} has to be a dict of values by name",
                facts={"given": f"{type(value).__name__}: {brief(value)}"},
                fix=f'Write {name}={{"color": (1, 0, 0, 1)}}.',
            )
        )


def check_count(count: Any) -> None:
    """Raise an :class:`InputError` unless `count` is an instance count, or adaptive."""
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not isinstance(count, AVal) and not (whole and 0 <= count < 2**32):
        raise InputError(
            explain(
                "instance_count has to be a whole number from 0 to 2³² − 1",
                facts={"given": f"{count!r}"},
                fix="Write instance_count=1.",
            )
        )


def read_visible(value: Any) -> bool:
    """Return whether something is visible: what plain values and adaptive ones may be.

    Raises
    ------
    InputError
        It is neither true nor false.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(
        explain(
            "visible has to be True or False",
            facts={"given": brief(value, 100)},
            fix="Write visible=True, or an adaptive value of that.",
        )
    )


def check_instances(name: str, rows: int, count: int | AVal[int]) -> None:
    """Raise unless a per-instance input has ``count`` rows, or one row for all."""
    wanted = count.force() if isinstance(count, AVal) else count
    if rows not in (1, wanted) and not (isinstance(count, AVal) and rows > wanted):
        raise InputError(
            explain(
                f"per-instance input {name!r} has {rows:,} rows for {wanted:,} instances",
                fix=f"Give {wanted:,} rows, or one row for all instances.",
            )
        )


def _unknown(name: str, known: Mapping[str, Any]) -> InputError:
    return InputError(
        explain(
            f"the program has no input named {name!r}",
            facts={"inputs": ", ".join(f"{key}: {spelled(known[key])}" for key in sorted(known))},
            fix=similar(name, known, "Leave it out, or declare it in the program's input struct."),
        )
    )
