"""What never changes says so, and what to do instead, when somebody assigns to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, Never, TypeVar

from heapscene.errors import explain

__all__ = ["fixed"]

C = TypeVar("C", bound=type[Any])


def fixed(example: str) -> Callable[[C], C]:
    """Decorate a frozen dataclass: who assigns to it reads how to have a value that changes.

    Parameters
    ----------
    example
        What to type; ``{name}`` stands for the name assigned to.
    """

    def decorate(kind: C) -> C:
        def refuse(self: Any, name: str, value: object) -> Never:  # noqa: ARG001
            raise FrozenInstanceError(
                explain(
                    f"a {kind.__name__} never changes: {name!r} cannot be assigned",
                    fix=example.format(name=name),
                )
            )

        kind.__setattr__ = refuse  # pyright: ignore[reportAttributeAccessIssue]
        return kind

    return decorate
