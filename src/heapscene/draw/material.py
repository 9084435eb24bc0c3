"""Material: what a scene needs of one; ``heapscene.materials`` implements it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from heapscene.draw.state import PipelineState
from heapscene.shader import ProgramLike

__all__ = ["Material", "MaterialUser", "WatchedMaterial"]


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


class MaterialUser(Protocol):
    """Something that has made a draw with a material."""

    def material_changed(self, material: Any) -> None:
        """Hear that ``material`` has other inputs or another state than when it was read."""
        ...


@runtime_checkable
class WatchedMaterial(Material, Protocol):
    """A material that can change after draws were made with it."""

    def watch(self, user: MaterialUser) -> None:
        """Tell ``user``, held weakly, when values are replaced rather than changed in place."""
        ...
