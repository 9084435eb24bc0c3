"""What all nodes have: a parent, a place and whether they are visible."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import (
    AVal,
    CVal,
    Reading,
    Unique,
    check_write,
    computed,
    refuses,
    same,
)
from heapscene.draw import owned, read_visible
from heapscene.errors import SceneError, explain
from heapscene.scene.live import HIDDEN_OR_SHOWN, STALE, Entry, Live
from heapscene.scene.transform import as_matrix, as_position, as_rotation, as_scale, compose, moved
from heapscene.typing import MatrixLike, Vec3Like
from heapscene.wording import brief

if TYPE_CHECKING:
    from heapscene.scene.group import Container

__all__ = [
    "NO_TURN",
    "ORIGIN",
    "Node",
    "Placed",
    "World",
    "below",
    "both",
    "enter",
    "is_adaptive",
    "leave",
    "placed_under",
    "read",
    "shown",
    "traced",
]

World = NDArray[np.float64] | AVal[Any] | None
"""A float64 matrix, an adaptive value of one, or ``None`` for the identity."""

ORIGIN = (0.0, 0.0, 0.0)
NO_TURN = (0.0, 0.0, 0.0, 1.0)
_DEFAULTS: dict[str, Any] = {"position": ORIGIN, "rotation": NO_TURN, "scale": 1.0}


class Node(Unique):
    """Something that can be in a scene, under one parent."""

    __slots__ = ("__weakref__", "_parent")

    _parent: Container | None
    _may_have_parent = True

    @property
    def parent(self) -> Container | None:
        """The group or scene that this node is in."""
        return self._parent

    def _inner(self) -> Collection[Node]:
        """Return the nodes directly below this one."""
        return ()

    def _enter(self, live: Live) -> Entry | None:
        """Become part of a scene; return this node's entry, if it makes a draw."""
        raise NotImplementedError

    def _leave(self) -> Entry | None:
        """Stop being part of a scene; return this node's entry, if it had one."""
        raise NotImplementedError

    def _invalidate(self) -> Entry | None:
        """Forget what came from nodes above; return this node's entry, if it has one."""
        return None


def enter(nodes: Iterable[Node], live: Live) -> list[Entry]:
    """Make nodes and all below them part of a scene; return their entries in order."""
    return [entry for node in below(nodes) if (entry := node._enter(live)) is not None]


def leave(nodes: Iterable[Node]) -> list[Entry]:
    """Take nodes and all below them out of their scene; return their entries."""
    return [entry for node in below(nodes) if (entry := node._leave()) is not None]


def below(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes and all below them, parents first; no tree is too deep for it."""
    stack = [iter(nodes)]
    while stack:
        for node in stack[-1]:
            yield node
            inner = node._inner()
            if inner:
                stack.append(iter(inner))
                break
        else:
            stack.pop()


class Placed(Node):
    """A node with a place and a visibility of its own.

    While a node is in a scene that is being read, the first assignment of a plain value gives the
    property a cell: the draws are replaced once, and later assignments only write the cell.
    """

    __slots__ = ("_cells", "_position", "_rotation", "_scale", "_transform", "_visible")

    def __init__(
        self, position: Any, rotation: Any, scale: Any, transform: Any, visible: Any
    ) -> None:
        self._parent = None
        self._cells: dict[str, CVal[Any]] | None = None
        self._position: Any = ORIGIN
        self._rotation: Any = NO_TURN
        self._scale: Any = 1.0
        self._transform: Any = None
        self._visible: Any = True
        if position is not ORIGIN:
            self._position = _checked("position", position, as_position)
        if rotation is not NO_TURN:
            self._rotation = _checked("rotation", rotation, as_rotation)
        if type(scale) is not float or scale != 1.0:
            self._scale = _checked("scale", scale, as_scale)
        if transform is not None:
            is_moved = position is not ORIGIN or rotation is not NO_TURN
            if is_moved or type(scale) is not float or scale != 1.0:
                self._check_one_place("transform")
            self._transform = _checked("transform", transform, as_matrix)
        if visible is not True:
            self._visible = _checked("visible", visible, read_visible)

    @property
    def position(self) -> Any:
        """Where the origin of this node lies in its parent: three numbers, or an adaptive value."""
        return self._position

    @position.setter
    def position(self, value: Vec3Like | AVal[Any]) -> None:
        self._assign("position", value, as_position)

    @property
    def rotation(self) -> Any:
        """A quaternion ``(x, y, z, w)`` or a 3×3 matrix, or an adaptive value of one."""
        return self._rotation

    @rotation.setter
    def rotation(self, value: Vec3Like | MatrixLike | AVal[Any]) -> None:
        self._assign("rotation", value, as_rotation)

    @property
    def scale(self) -> Any:
        """A number or three, or an adaptive value; negative numbers mirror."""
        return self._scale

    @scale.setter
    def scale(self, value: float | Vec3Like | AVal[Any]) -> None:
        self._assign("scale", value, as_scale)

    @property
    def transform(self) -> Any:
        """A 4×4 matrix in place of position, rotation and scale; ``None`` if those are used."""
        return self._transform

    @transform.setter
    def transform(self, value: MatrixLike | AVal[Any] | None) -> None:
        self._assign("transform", value, as_matrix)

    @property
    def visible(self) -> Any:
        """Whether this node and all below it are drawn: a bool, or an adaptive value of one."""
        return self._visible

    @visible.setter
    def visible(self, value: bool | AVal[bool]) -> None:
        self._assign("visible", value, read_visible)

    @property
    def _used(self) -> bool:
        """Whether a draw was made with the values of this node."""
        raise NotImplementedError

    def _changed(self, stale: int = STALE) -> None:
        """Have all draws at and below this node made again, or what is `stale` of them."""
        raise NotImplementedError

    def _assign(self, name: str, value: Any, check: Callable[[Any], Any]) -> None:
        check_write(self)
        if name != "visible" and value is not None:
            self._check_one_place(name)
        if value is None and name == "transform":
            fresh = None
        else:
            fresh = _checked(name, value, check)
            if self._write_cell(name, fresh):
                return
        if self._cells is not None:
            self._cells.pop(name, None)
        if self._used:
            if fresh is not None and not isinstance(fresh, AVal) and self._wants_cell(name):
                self._cells = self._cells or {}
                self._cells[name] = CVal(fresh)
            setattr(self, f"_{name}", fresh)
            self._changed(HIDDEN_OR_SHOWN if name == "visible" else STALE)
        else:
            setattr(self, f"_{name}", fresh)

    def _write_cell(self, name: str, fresh: Any) -> bool:
        """Whether nothing is left to do for a plain value: it is written, or the same as before."""
        if isinstance(fresh, AVal):
            return fresh is getattr(self, f"_{name}")
        cell = self._cells.get(name) if self._cells else None
        if cell is None:
            return same(getattr(self, f"_{name}"), fresh)
        cell.value = fresh
        setattr(self, f"_{name}", fresh)
        return True

    def _wants_cell(self, name: str) -> bool:  # noqa: ARG002  a mesh decides by name
        return True

    def _now(self, name: str) -> Any:
        """Return the value to make draws with: the property's cell, if it has one."""
        if self._cells is not None and name in self._cells:
            return self._cells[name]
        value = getattr(self, f"_{name}")
        return value.force() if isinstance(value, AVal) and value.is_constant else value

    def _check_one_place(self, name: str) -> None:
        others = [
            other
            for other, default in _DEFAULTS.items()
            if (given := getattr(self, f"_{other}")) is not default
            and not np.array_equal(given, default)
        ]
        if name == "transform" and others:
            before = ", ".join(others)
            fix = "Give one of the two; compose the others into the matrix."
        elif name != "transform" and self._transform is not None:
            before = "transform"
            fix = "Set transform = None first, or assign another transform."
        else:
            return
        raise SceneError(
            explain(
                f"{name} cannot be set: a node has either a transform, or position, rotation and "
                "scale",
                facts={"given before": before},
                fix=fix,
            )
        )


def placed_under(world: World, node: Placed, *, checked: bool) -> World:
    """Return where a node is in the scene, given where its parent is.

    Plain values give a plain matrix; otherwise the result is one adaptive value.

    Parameters
    ----------
    world
        Place of the parent.
    node
        The node.
    checked
        Whether an adaptive transform has to be checked even if nothing else is done with it.
    """
    transform: Any = node._transform
    if type(transform) is not CVal:
        transform = node._now("transform")
    if transform is not None:
        if is_adaptive(transform):
            if world is None:
                return transform.map(as_matrix) if checked else transform
            if not isinstance(world, AVal):
                return transform.map(lambda matrix: world @ as_matrix(matrix))
            return computed(lambda: world.value @ as_matrix(transform.value))
        return _under(world, cast("NDArray[np.float64]", transform))
    position, rotation, scale = node._now("position"), node._now("rotation"), node._now("scale")
    adaptive = sum(isinstance(value, AVal) for value in (position, rotation, scale))
    if adaptive > 1 or (adaptive and isinstance(world, AVal)):
        return computed(
            lambda: _times(read(world), compose(read(position), read(rotation), read(scale)))
        )
    if adaptive:
        return _one_adaptive(world, position, rotation, scale)
    if rotation is NO_TURN and type(scale) is float and scale == 1.0:
        return world if position is ORIGIN else _under(world, moved(position))
    return _under(world, compose(position, rotation, scale))


def both(a: bool | AVal[bool], b: bool | AVal[bool]) -> bool | AVal[bool]:
    """Return whether both are true; no node is made where one of them is plain."""
    if not isinstance(a, AVal):
        return b if a else False
    if not isinstance(b, AVal):
        return a if b else False
    return computed(lambda: read_visible(a.value) and read_visible(b.value))


def is_adaptive(value: object) -> TypeGuard[AVal[Any]]:
    """Whether a value may change by itself."""
    return isinstance(value, AVal)


def read(value: Any) -> Any:
    """Return a value; adaptive ones are tracked."""
    return value.value if isinstance(value, AVal) else value


def _one_adaptive(world: Any, position: Any, rotation: Any, scale: Any) -> AVal[Any]:
    if is_adaptive(position):
        return position.map(lambda value: _times(world, compose(value, rotation, scale)))
    if is_adaptive(rotation):
        return rotation.map(lambda value: _times(world, compose(position, value, scale)))
    return cast("AVal[Any]", scale).map(
        lambda value: _times(world, compose(position, rotation, value))
    )


def _under(world: World, local: NDArray[np.float64]) -> World:
    if isinstance(world, AVal):
        return world.map(lambda matrix: matrix @ local)
    return _times(world, local)


def _times(world: NDArray[np.float64] | None, local: NDArray[np.float64]) -> NDArray[np.float64]:
    return local if world is None else world @ local


def _checked(name: str, value: Any, check: Callable[[Any], Any]) -> Any:
    """Return what to keep of an assigned value: adaptive values as they are, arrays as read-only copies."""
    if type(value) is CVal:
        return value
    if isinstance(value, AVal):
        if value.is_constant:
            check(value.force())
        return value
    checked = check(value)
    if name == "visible":
        return checked
    if name == "transform" or isinstance(value, np.ndarray):
        copy = np.array(checked if name == "transform" else value)
        copy.setflags(write=False)
        return copy
    return owned(value)


def shown(node: Node, what: object = None) -> str:
    """Return what a node is called, on one line, with the names that it and those above it have.

    Parameters
    ----------
    what
        What the node stands for, if not for itself.
    """
    names: list[str] = []
    above: Node | None = node
    while above is not None:
        name = getattr(above, "name", None)
        if isinstance(name, str) and name:
            names.append(name)
        above = above._parent
    inside = f" in {'/'.join(reversed(names))}" if names else ""
    return f"{brief(node if what is None else what, 100)}{inside}"


def traced(node: Node, reading: Reading, called: str) -> Reading:
    """Return what of a node or of those above it was being read for a value of its draw."""
    checks = _VISIBLE if reading.name == "visible" else _PLACE if reading.name in _MOVED else {}
    above: Node | None = node
    while above is not None and checks:
        for name, check in checks.items():
            value = getattr(above, f"_{name}", None)
            if isinstance(value, AVal) and refuses(value, check):
                return Reading(name, called if above is node else shown(above), value)
        above = above._parent
    return reading._replace(of=called)


_VISIBLE: dict[str, Callable[[Any], Any]] = {"visible": read_visible}
_PLACE: dict[str, Callable[[Any], Any]] = {
    "transform": as_matrix,
    "position": as_position,
    "rotation": as_rotation,
    "scale": as_scale,
}
_MOVED = frozenset({"input 'model'", "input 'transform'", "instances 'model'"})
