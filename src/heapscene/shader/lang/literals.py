"""Integer literals of a running shader function."""

from __future__ import annotations

from typing import Any

import numpy as np

from heapscene.shader.lang.scalars import Int32, Integer, refuse_mix

__all__ = ["AbstractInt", "concrete"]


class AbstractInt(int):
    """An integer that takes the type of what it meets; by itself it is ``i32``."""

    __slots__ = ()

    def _peer(self, operator: str, other: object) -> int | None:
        if isinstance(other, (bool, np.bool_)):
            raise refuse_mix(operator, Int32(int(self)), other)
        if isinstance(other, int) and not isinstance(other, Integer):
            return int(other)
        return None

    def __add__(self, other: Any) -> Any:
        peer = self._peer("+", other)
        return NotImplemented if peer is None else AbstractInt(int(self) + peer)

    def __sub__(self, other: Any) -> Any:
        peer = self._peer("-", other)
        return NotImplemented if peer is None else AbstractInt(int(self) - peer)

    def __mul__(self, other: Any) -> Any:
        peer = self._peer("*", other)
        return NotImplemented if peer is None else AbstractInt(int(self) * peer)

    def __truediv__(self, other: Any) -> Any:
        peer = self._peer("/", other)
        return NotImplemented if peer is None else concrete(self) / concrete(other)

    def __floordiv__(self, other: Any) -> Any:
        peer = self._peer("//", other)
        if peer is None:
            return NotImplemented
        if self < 0 or peer <= 0:
            return concrete(self) // Int32(peer)
        return AbstractInt(int(self) // peer)

    def __mod__(self, other: Any) -> Any:
        peer = self._peer("%", other)
        if peer is None:
            return NotImplemented
        if self < 0 or peer <= 0:
            return concrete(self) % Int32(peer)
        return AbstractInt(int(self) % peer)

    def __pow__(self, other: Any, modulo: None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        peer = self._peer("**", other)
        return NotImplemented if peer is None else Int32(int(self)) ** Int32(peer)

    def __lshift__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Integer) else AbstractInt(int(self) << other)

    def __rshift__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Integer) else AbstractInt(int(self) >> other)

    def __and__(self, other: Any) -> Any:
        peer = self._peer("&", other)
        return NotImplemented if peer is None else AbstractInt(int(self) & peer)

    def __or__(self, other: Any) -> Any:
        peer = self._peer("|", other)
        return NotImplemented if peer is None else AbstractInt(int(self) | peer)

    def __xor__(self, other: Any) -> Any:
        peer = self._peer("^", other)
        return NotImplemented if peer is None else AbstractInt(int(self) ^ peer)

    def __neg__(self) -> AbstractInt:
        return AbstractInt(-int(self))

    def __pos__(self) -> AbstractInt:
        return self

    def __invert__(self) -> AbstractInt:
        return AbstractInt(~int(self))


def concrete(value: Any) -> Any:
    """Give a literal its type when nothing else does: ``i32``; other values stay as they are."""
    return Int32(int(value)) if type(value) is AbstractInt else value
