"""The set of values that a rule may return: :func:`result_set`."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapscene.errors import ShaderNameError, ShaderTypeError, explain
from heapscene.shader.ir.fold import rounded
from heapscene.shader.ir.nodes import Function
from heapscene.shader.lang import MatrixValue, VectorValue, convert
from heapscene.shader.operations import spelled
from heapscene.shader.sets.domain import (
    INTEGER_LIMITS,
    MAX_VALUES,
    Finite,
    Known,
    Number,
    between,
    finite,
    top,
)
from heapscene.shader.sets.expressions import shaped
from heapscene.shader.sets.resolve import Resolved, Unbounded, resolve
from heapscene.shader.sets.results import Loss, ResultSet
from heapscene.shader.sets.state import State
from heapscene.shader.sets.symbols import Symbol, Value, flatten
from heapscene.shader.sets.walk import MAX_STEPS, Walker
from heapscene.shader.types import (
    BOOL,
    F32,
    U32,
    Matrix,
    Scalar,
    StructType,
    Type,
    Vector,
)

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["MAX_CASES", "Range", "result_set"]

MAX_CASES = 256
"""Combinations of inputs that are analysed one by one if nothing else is exact."""

_MAX_STEPS_OF_CASES = 2 * MAX_STEPS


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from ``low`` to ``high``, both included; of floats all that lie between, never NaN.

    For a vector it holds for each component.
    """

    low: float = -math.inf
    high: float = math.inf


def result_set(
    rule: ShaderFunction[..., Any], known: Mapping[str, object] | None = None
) -> ResultSet:
    """Return the values that a rule may return, whatever its inputs are.

    Parameters
    ----------
    rule
        Made by ``@function``.
    known
        What is known of its parameters, by name: a value, a set or list of values, an enumeration
        class (of flags: every combination), or a :class:`Range`. For a parameter that is a struct,
        a mapping of the same kind for its fields. What is left out may be anything, floats NaN and
        infinite too; a parameter whose annotation is an enumeration is one of its members.

    Raises
    ------
    ShaderNameError
        There is no such parameter or field.
    ShaderTypeError
        What is known does not fit the type, or the rule returns nothing.

    Examples
    --------
    >>> from heapscene.shader import f32, function, u32
    >>> @function
    ... def level(distance: f32) -> u32:
    ...     if distance < 10.0:
    ...         return u32(0)
    ...     return u32(1) if distance < 50.0 else u32(2)
    >>> [int(value) for value in result_set(level, known={"distance": Range(20.0, 90.0)}).values]
    [1, 2]
    """
    function: Function = rule.ir
    if not _is_result(function.returns):
        raise ShaderTypeError(
            explain(
                f"{rule.name} returns {spelled(function.returns)}, which is no value of a state",
                fix=f"Write  def {rule.name}(...) -> u32:",
            )
        )
    given = dict(known or {})
    types = {p.name: p.type for p in function.parameters}
    _check_names(rule.name, given, types)
    for parameter in rule.parameters:
        if isinstance(parameter.annotation, type) and issubclass(parameter.annotation, enum.Enum):
            given.setdefault(parameter.name, parameter.annotation)
    found, walker = _analysed(function, given)
    if walker.losses or found.coarse or found.unbounded:
        each = _each_case(function, _cases(given, types))
        if each:
            found, walker = _joined(each)
    return _result(rule, function, found)


def _is_result(type_: Type) -> bool:
    if isinstance(type_, StructType):
        return all(_is_result(field.type) for field in type_.fields)
    return isinstance(type_, Scalar | Vector | Matrix)


def _analysed(function: Function, given: Mapping[str, object]) -> tuple[Resolved, Walker]:
    walker = Walker()
    inputs = _Inputs(walker)
    args = [inputs.make(p.type, given.get(p.name), p.name) for p in function.parameters]
    return resolve(walker.run(function, args, State(walker.effort))), walker


def _each_case(
    function: Function, cases: Iterable[Mapping[str, object]]
) -> list[tuple[Resolved, Walker]]:
    """Analyse every combination of inputs by itself; nothing if that takes too long."""
    found: list[tuple[Resolved, Walker]] = []
    steps = 0
    for case in cases:
        found.append(_analysed(function, case))
        steps += found[-1][1].effort.steps
        if steps > _MAX_STEPS_OF_CASES or found[-1][0].unbounded:
            return []
    return found


def _joined(parts: list[tuple[Resolved, Walker]]) -> tuple[Resolved, Walker]:
    found = Resolved()
    for part, walker in parts:
        for value, places in part.values.items():
            found.values.setdefault(value, {}).update(places)
        found.coarse |= part.coarse or bool(walker.losses)
    if len(found.values) > MAX_VALUES:
        found.unbounded = Unbounded(None, None, None)
    return found, parts[-1][1]


def _cases(given: Mapping[str, object], types: Mapping[str, Type]) -> list[dict[str, object]]:
    """Return every combination of inputs as single values, if they are few."""
    choices: list[list[object]] = []
    for name, type_ in types.items():
        options = given.get(name)
        if options is None and type_ == BOOL:
            options = (False, True)
        values = _listed(options)
        if values is None or isinstance(options, Mapping | Range):
            return []
        choices.append(values)
    if math.prod(map(len, choices)) > MAX_CASES:
        return []
    return [dict(zip(types, each, strict=True)) for each in itertools.product(*choices)]


def _listed(options: object) -> list[object] | None:
    """Return single values; ``None`` if these are no single values."""
    if options is None or isinstance(options, Range | Mapping):
        return None
    if isinstance(options, type) and issubclass(options, enum.Enum):
        return None if issubclass(options, enum.Flag) else list(options)
    if isinstance(options, set | frozenset | list | tuple | range):
        return list(options)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return [options]


def _check_names(owner: str, given: Mapping[str, object], names: Iterable[str]) -> None:
    wrong = [name for name in given if name not in names]
    if wrong:
        raise ShaderNameError(
            explain(
                f"{owner} has no parameter {wrong[0]!r}",
                facts={"parameters": ", ".join(names)},
                fix="Give what is known by the names of the parameters.",
            )
        )


class _Inputs:
    """Makes the symbols of the parameters."""

    def __init__(self, walker: Walker) -> None:
        self._symbols = walker.symbols

    def make(self, type_: Type, given: object, name: str) -> Value:
        """Return the value of a parameter or field, of which ``given`` is known."""
        if isinstance(given, Mapping) and isinstance(type_, StructType):
            _check_names(name, given, [field.name for field in type_.fields])
            return tuple(
                self.make(field.type, given.get(field.name), f"{name}.{field.name}")
                for field in type_.fields
            )
        if given is None or isinstance(given, Range):
            return self._any(type_, given, name)
        if isinstance(given, type) and issubclass(given, enum.Flag) and isinstance(type_, Scalar):
            mask = sum(int(member.value) for member in given)
            known = between(type_, *INTEGER_LIMITS[type_.name], may=mask)
            return self._symbols.leaf(type_, known, f"{name!r} is any {given.__name__}", None)
        values = _listed(given)
        if values is None:
            raise _wrong(name, type_, given)
        if not values:
            raise ShaderTypeError(
                explain(
                    f"{name} has no possible value",
                    facts={"given": given},
                    fix="Give one value or more, or leave the input out.",
                )
            )
        rows = [_scalars(convert(value, type_, name)) for value in values]
        return self._one_of(type_, list(dict.fromkeys(rows)), name)

    def _any(self, type_: Type, given: Range | None, name: str) -> Value:
        def leaf(scalar: Scalar, path: str) -> Symbol:
            known = top(scalar) if given is None else _in_range(given, scalar, name)
            label = name + path
            return self._symbols.leaf(
                scalar, known, f"{label!r} may be {_words(known, scalar)}", None
            )

        made = shaped(type_, leaf)
        if made is None:
            raise ShaderTypeError(
                explain(
                    f"{name} is {spelled(type_)}, which is no input of a rule",
                    fix="Take numbers, bools, vectors, matrices or @struct classes of them.",
                )
            )
        return made

    def _one_of(self, type_: Type, rows: list[tuple[Number, ...]], name: str) -> Value:
        columns = list(zip(*rows, strict=True))
        kinds = [symbol.type for symbol in flatten(self._any(type_, None, name))]
        if len(rows) == 1:
            parts = [self._symbols.constant(c[0], k) for c, k in zip(columns, kinds, strict=True)]
        elif len(columns) == 1:
            known = finite(kinds[0], columns[0])
            parts = [self._symbols.leaf(kinds[0], known, f"{name!r} has many values", None)]
        else:  # components belong together: one index chooses all of them
            at = self._symbols.leaf(U32, finite(U32, range(len(rows))), f"{name!r}", None)
            parts = [
                self._symbols.table(tuple(c), at, k)
                if isinstance(at.known, Finite)
                else self._symbols.leaf(k, finite(k, c), f"{name!r} has many values", None)
                for c, k in zip(columns, kinds, strict=True)
            ]
        waiting = iter(parts)
        made = shaped(type_, lambda scalar, path: next(waiting))  # noqa: ARG005
        assert made is not None
        return made


def _in_range(given: Range, scalar: Scalar, name: str) -> Known:
    if scalar == BOOL or not given.low <= given.high:
        raise ShaderTypeError(
            explain(f"{name} cannot be in {given}", fix="Write Range(low, high) for a number.")
        )
    if scalar == F32:
        return between(F32, rounded(float(given.low)), rounded(float(given.high)))
    low, high = INTEGER_LIMITS[scalar.name]
    first, last = max(given.low, low), min(given.high, high)
    if first > last:
        raise ShaderTypeError(
            explain(
                f"{name} is {scalar.name}, and {given} has none of these",
                fix=f"Write a range within {low} to {high}.",
            )
        )
    return between(scalar, math.ceil(first), math.floor(last))


def _words(known: Known, scalar: Scalar) -> str:
    if isinstance(known, Finite) or known == top(scalar):
        return "anything"
    return f"any {scalar.name} from {known.low:g} to {known.high:g}"


def _wrong(name: str, type_: Type, given: object) -> ShaderTypeError:
    return ShaderTypeError(
        explain(
            f"{name} is {spelled(type_)}, which has no fields",
            facts={"given": given},
            fix="Give a value, a set of values, an enumeration class or a Range.",
        )
    )


def _scalars(value: Any) -> tuple[Number, ...]:
    if isinstance(value, MatrixValue):
        return tuple(float(x) for column in value for x in column)
    if isinstance(value, VectorValue):
        return tuple(map(_plain, value))
    kind = getattr(type(value), "__shader_type__", None)
    if isinstance(kind, StructType):
        return tuple(x for f in kind.fields for x in _scalars(getattr(value, f.name)))
    return (_plain(value),)


def _plain(value: Any) -> Number:
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, float) else int(value)


def _reason(symbol: Symbol) -> str:
    if symbol.op.startswith("?"):
        return "it may be anything"
    if symbol.type == F32:
        return "how it is rounded is left to the GPU"
    return "it has too many values"


def _result(rule: ShaderFunction[..., Any], function: Function, found: Resolved) -> ResultSet:
    loss = None
    lost = found.unbounded
    if lost is not None:
        why = "" if lost.symbol is None else lost.symbol.why or _reason(lost.symbol)
        loss = Loss(why, lost.span, lost.returned)
    return ResultSet.make(rule, function.returns, found, loss)
