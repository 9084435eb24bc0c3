"""Objects that cannot be copied, because others refer to them or they hold what the GPU has."""

from __future__ import annotations

from typing import ClassVar, NoReturn, Self, SupportsIndex

from heapscene.errors import explain

__all__ = ["OwnCopy", "Unique"]


class Unique:
    """Refuses ``copy``, ``deepcopy`` and ``pickle``, and says what to write instead."""

    __slots__ = ()

    _why: ClassVar[str] = "others refer to it, or it holds what lies on the GPU"
    _instead: ClassVar[str] = "Make another one, as this one was made."

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError(
            explain(
                f"a {type(self).__name__} cannot be copied or pickled",
                facts={"why": self._why},
                fix=self._instead,
            )
        )


class OwnCopy(Unique):
    """Never changes, so that it is its own copy; what pickles it is refused."""

    __slots__ = ()

    _why = "its functions are code"
    _instead = "Pickle the values, and import the module that makes it."

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
