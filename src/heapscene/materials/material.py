"""What all materials share: checked values, which get cells when they change while in use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from heapscene.adaptive import AVal, CVal, same
from heapscene.draw import MaterialUser, PipelineState, encode_value
from heapscene.errors import InputError, explain
from heapscene.shader import Program, Type

__all__ = ["ShadedMaterial"]

_FEW = 16
_OPAQUE = PipelineState()


class ShadedMaterial:
    """A material whose values may be assigned, and may be adaptive.

    A plain value that is assigned after draws were made with the material gets a cell: the draws
    are replaced once, and later assignments only write the cell.
    """

    __slots__ = ("__weakref__", "_cells", "_state", "_sweep", "_users", "_values")

    _types: ClassVar[Mapping[str, Type]] = {}

    def __init__(self, values: dict[str, Any], state: PipelineState | None) -> None:
        self._values = {name: self._checked(name, value) for name, value in values.items()}
        self._cells: dict[str, CVal[Any]] = {}
        self._state = _OPAQUE if state is None else _checked_state(state)
        self._users: list[ref[MaterialUser]] = []
        self._sweep = _FEW

    @property
    def program(self) -> Program:
        """The program of all materials of this class."""
        raise NotImplementedError

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Values by input name: what was given, or the cells of those that changed while in use."""
        return {**self._values, **self._cells}

    @property
    def state(self) -> PipelineState:
        """The pipeline state that draws with this material get."""
        return self._state

    @state.setter
    def state(self, value: PipelineState) -> None:
        if _checked_state(value) != self._state:
            self._state = value
            self._changed()

    def watch(self, user: MaterialUser) -> None:
        """Tell ``user``, held weakly, when values are replaced rather than changed in place."""
        if len(self._users) >= self._sweep:
            self._users = [other for other in self._users if other() is not None]
            self._sweep = 2 * len(self._users) + _FEW
        self._users.append(ref(user))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"{type(self).__name__}({values})"

    def _assign(self, name: str, value: Any) -> None:
        value = self._checked(name, value)
        cell = self._cells.get(name)
        if isinstance(value, AVal):
            if value is self._values[name]:
                return
            self._cells.pop(name, None)
            self._values[name] = value
            self._changed()
        elif cell is not None:
            cell.value = value
            self._values[name] = value
        elif not same(self._values[name], value):
            if self._users:
                self._cells[name] = CVal(value)
            self._values[name] = value
            self._changed()

    def _checked(self, name: str, value: Any) -> Any:
        if isinstance(value, AVal):
            if value.is_constant:
                encode_value(self._types[name], value.force(), name)
            return value
        encode_value(self._types[name], value, name)
        if isinstance(value, np.ndarray):
            return tuple(value.tolist())
        return tuple(value) if isinstance(value, list) else value

    def _changed(self) -> None:
        users, self._users = self._users, []
        for user in users:
            found = user()
            if found is not None:
                self._users.append(user)
                found.material_changed(self)


def _checked_state(state: Any) -> PipelineState:
    if isinstance(state, PipelineState):
        return state
    raise InputError(
        explain(
            f"a {type(state).__name__} is not a pipeline state",
            fix='Write state=PipelineState(cull_mode="back").',
        )
    )
