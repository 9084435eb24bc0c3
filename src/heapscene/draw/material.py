"""Material: what a scene needs of one; ``heapscene.materials`` implements it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from heapscene.draw.state import PipelineState
from heapscene.shader import ProgramLike

__all__ = ["Material"]


@runtime_checkable
class Material(Protocol):
    """A program, values for its inputs, and the pipeline state that it wants."""

    @property
    def program(self) -> ProgramLike:
        """The program that draws with this material."""
        ...

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Values by input name, such as ``color``: numbers or adaptive values."""
        ...

    @property
    def state(self) -> PipelineState:
        """The pipeline state that draws with this material get."""
        ...
