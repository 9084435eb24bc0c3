"""What all materials share: checked values, which get cells when they change while in use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from heapscene.adaptive import AVal, CVal, Unique, check_write, same
from heapscene.draw import (
    ANY_FINITE,
    Limits,
    MaterialUser,
    PipelineState,
    check_limits,
    encode_value,
)
from heapscene.errors import InputError, explain
from heapscene.shader import Program, Type
from heapscene.wording import brief, one_line

__all__ = ["ShadedMaterial"]

_FEW = 16
_OPAQUE = PipelineState()


class _Users(list[ref[MaterialUser]]):
    """Those who use a material; swept when there are as many as `limit`."""

    limit = _FEW


class ShadedMaterial(Unique):
    """A material whose values may be assigned, and may be adaptive.

    A plain value that is assigned after draws were made with the material gets a cell: the draws
    are replaced once, and later assignments only write the cell.
    """

    __slots__ = ("__weakref__", "_cells", "_state", "_users")

    _instead = (
        "Any number of meshes may share one; or write hs.PhongMaterial(m.color, state=m.state)."
    )

    _types: ClassVar[Mapping[str, Type]] = {}
    """The inputs by name; each value is in a slot of that name, with an underscore in front."""

    _limits: ClassVar[Mapping[str, Limits]] = {}
    """The smallest and largest number of inputs; those of the program."""

    inputs_are_checked: ClassVar[bool] = True

    _getters: ClassVar[tuple[tuple[str, Callable[[Any], Any]], ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._getters = tuple([(name, attrgetter(f"_{name}")) for name in cls._types])

    def __init__(self, state: PipelineState | None) -> None:
        self._cells: dict[str, CVal[Any]] | None = None
        self._state = _OPAQUE if state is None else _checked_state(state)
        # most materials have one user
        self._users: ref[MaterialUser] | _Users | None = None

    @property
    def program(self) -> Program:
        """The program of all materials of this class."""
        raise NotImplementedError

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Values by input name: what was given, or the cells of those that changed while in use."""
        inputs = self._plain()
        if self._cells is not None:
            inputs.update(self._cells)
        return inputs

    @property
    def state(self) -> PipelineState:
        """The pipeline state that draws with this material get."""
        return self._state

    @state.setter
    def state(self, value: PipelineState) -> None:
        check_write(self)
        if _checked_state(value) != self._state:
            self._state = value
            self._changed()

    def watch(self, user: MaterialUser) -> None:
        """Tell ``user``, held weakly, when values are replaced rather than changed in place."""
        users = self._users
        if users is None:
            self._users = ref(user)
            return
        if not isinstance(users, _Users):
            users = self._users = _Users([users])
        if len(users) >= users.limit:
            users[:] = [other for other in users if other() is not None]
            users.limit = 2 * len(users) + _FEW
        users.append(ref(user))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={brief(value)}" for name, value in self._plain().items())
        return one_line(f"{type(self).__name__}({values})")

    def _plain(self) -> dict[str, Any]:
        """Return a new dict of the values as they were given."""
        return {name: get(self) for name, get in self._getters}

    def _assign(self, name: str, value: Any) -> None:
        check_write(self)
        value = self._checked(name, value)
        before = getattr(self, f"_{name}")
        cell = self._cells.get(name) if self._cells is not None else None
        if isinstance(value, AVal):
            if value is before:
                return
            if cell is not None and self._cells is not None:
                del self._cells[name]
        elif cell is not None:
            cell.value = value
            setattr(self, f"_{name}", value)
            return
        elif same(before, value):
            return
        elif self._users:
            self._cells = self._cells or {}
            self._cells[name] = CVal(value)
        setattr(self, f"_{name}", value)
        self._changed()

    def _checked(self, name: str, value: Any) -> Any:
        if type(value) is CVal:
            return value
        if isinstance(value, AVal):
            if value.is_constant:
                self._check_numbers(name, value.force())
            return value
        self._check_numbers(name, value)
        if isinstance(value, np.ndarray):
            return tuple(value.tolist()) if value.ndim else value.item()
        return tuple(value) if isinstance(value, list) else value

    def _check_numbers(self, name: str, value: Any) -> None:
        numbers = np.frombuffer(encode_value(self._types[name], value, name), "<f4")
        check_limits(name, numbers, self._limits.get(name, ANY_FINITE))

    def _changed(self) -> None:
        users = self._users
        if users is None:
            return
        found = [user() for user in (users if isinstance(users, list) else (users,))]
        living = [user for user in found if user is not None]
        self._users = _Users([ref(user) for user in living]) if living else None
        for user in living:
            user.material_changed(self)


def _checked_state(state: Any) -> PipelineState:
    if isinstance(state, PipelineState):
        return state
    raise InputError(
        explain(
            f"a {type(state).__name__} is not a pipeline state",
            fix='Write state=PipelineState(cull_mode="back").',
        )
    )
