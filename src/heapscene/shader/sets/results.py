"""What :func:`result_set` gives: values in order, or the place where they were lost."""

from __future__ import annotations

import enum
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heapscene.shader.diagnostics import Diagnostic, render
from heapscene.shader.ir.nodes import Span
from heapscene.shader.lang import value_class
from heapscene.shader.sets.domain import MAX_VALUES, Number
from heapscene.shader.sets.resolve import Resolved, value_order
from heapscene.shader.types import Matrix, Scalar, StructType, Type, Vector

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["Loss", "ResultSet"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a set is not known.

    Attributes
    ----------
    why
        In words; empty for an operation that has too many results.
    span
        The expression that may be too much.
    returned
        Where its value is returned.
    """

    why: str
    span: Span | None
    returned: Span | None


@dataclass(frozen=True)
class ResultSet:
    """The values that a rule may return.

    Attributes
    ----------
    name
        The rule's name.
    values
        In ascending order. If the rule returns an enumeration: its members, and numbers where
        there is no such member. Empty if ``is_top``.
    is_top
        The rule may return anything of its type, as far as is known.
    """

    name: str
    values: tuple[Any, ...]
    is_top: bool
    _where: Span | None = field(repr=False, default=None)
    _places: tuple[tuple[Span, ...], ...] = field(repr=False, default=())
    _loss: Loss | None = field(repr=False, default=None)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __contains__(self, value: object) -> bool:
        return self.is_top or any(_same(value, each) for each in self.values)

    @classmethod
    def make(
        cls, rule: ShaderFunction[..., Any], type_: Type, found: Resolved, loss: Loss | None
    ) -> ResultSet:
        """Collect what the analysis found."""
        where = rule.ir.span
        if loss is not None:
            return cls(rule.name, (), True, where, (), loss)
        rows = sorted(found.values, key=value_order)
        made = tuple(_as_result(rule.returns, value_of(type_, iter(row))) for row in rows)
        places = tuple(tuple(s for s in found.values[row] if s is not None) for row in rows)
        return cls(rule.name, made, False, where, places)

    def explain(self) -> str:
        """Say for each value which lines return it, or where the set was lost."""
        if self._loss is not None:
            return self._explain_loss(self._loss)
        count = len(self.values)
        says = {0: "never returns", 1: "returns one value"}
        lines = [f"{self.name} {says.get(count, f'returns one of {count} values')}"]
        if self._where is not None:
            lines.append(f'  File "{self._where.filename}", line {self._where.line}')
        texts = [_text(value) for value in self.values]
        width = max(map(len, texts), default=0)
        for text, places in zip(texts, self._places, strict=True):
            ordered = sorted(set(places), key=lambda s: (s.filename, s.line, s.column))
            for k, span in enumerate(ordered):
                source = linecache.getline(span.filename, span.line).strip()
                label = text if k == 0 else ""
                lines.append(f"  {label:<{width}}  line {span.line}: {source}")
            if not ordered:
                lines.append(f"  {text}")
        return "\n".join(lines)

    def _explain_loss(self, loss: Loss) -> str:
        span = loss.span or loss.returned or self._where
        facts: dict[str, object] = {}
        if loss.why:
            facts["because"] = loss.why
        if loss.returned is not None and loss.returned != span:
            facts["returned"] = f"line {loss.returned.line}"
        what = f"{self.name} may return more than {MAX_VALUES} values"
        fix = "Narrow it with clamp, min, % or a comparison, or say more about the inputs."
        if span is None:
            return "\n".join([what, *(f"  {k}  {v}" for k, v in facts.items()), fix])
        return render(Diagnostic("type", what, span, self.name, facts, fix))


def _same(a: object, b: object) -> bool:
    equal: Any = a == b
    return all(equal) if hasattr(equal, "_parts") else bool(equal)


def _text(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else str(value)


def value_of(type_: Type, numbers: Iterator[Number]) -> Any:
    """Return the value whose scalars come from ``numbers``."""
    if isinstance(type_, Scalar):
        number = next(numbers)
        return number if isinstance(number, bool) else value_class(type_)(number)
    if isinstance(type_, Vector):
        return value_class(type_)(*(value_of(type_.scalar, numbers) for _ in range(type_.size)))
    if isinstance(type_, Matrix):
        column = Vector(Scalar("f32"), type_.rows)
        return value_class(type_)(*(value_of(column, numbers) for _ in range(type_.columns)))
    assert isinstance(type_, StructType)
    members = {member.name: value_of(member.type, numbers) for member in type_.fields}
    return value_class(type_)(**members)


def _as_result(returns: Any, value: Any) -> Any:
    if isinstance(returns, type) and issubclass(returns, enum.Enum):
        return next((member for member in returns if member.value == value), value)
    return value
