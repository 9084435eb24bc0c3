"""Adaptive values that remember nothing: every read recomputes everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Value:
    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute

    @property
    def value(self) -> Any:
        return self.compute()

    def map(self, function: Callable[[Any], Any]) -> Value:
        return Value(lambda: function(self.value))

    def bind(self, function: Callable[[Any], Value]) -> Value:
        return Value(lambda: function(self.value).value)


class Cell(Value):
    def __init__(self, value: Any) -> None:
        self.content = value
        super().__init__(lambda: self.content)


def computed(function: Callable[[], Any]) -> Value:
    return Value(function)
