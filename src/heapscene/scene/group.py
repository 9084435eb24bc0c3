"""Nodes with children."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any

from heapscene.adaptive import AVal, check_write, collector_paused
from heapscene.errors import SceneError, explain
from heapscene.scene.children import Changing, adopt, check_free, flatten, release
from heapscene.scene.live import STALE, Live
from heapscene.scene.node import (
    NO_TURN,
    ORIGIN,
    Node,
    Placed,
    World,
    below,
    both,
    enter,
    leave,
    placed_under,
)
from heapscene.typing import MatrixLike, Vec3Like
from heapscene.wording import counted

__all__ = ["Container", "Group"]

_NAMED = 3


class Container(Node):
    """A node that has children, in order of their arrival."""

    __slots__ = ()

    _children: dict[Any, Node]
    _live: Live | None

    def add(self, *children: Any) -> None:
        """Append children: nodes, draws, adaptive values or sets of those, or sequences of these.

        Raises
        ------
        SceneError
            Something cannot be a child here, or has a parent already. Nothing has been added then.
        """
        check_write(self)
        self._append(children)

    def _append(self, children: tuple[Any, ...]) -> None:
        """Do what :meth:`add` says; also while a value is being computed, if it is a new node."""
        with collector_paused():
            self._append_items(list(flatten(children)))

    def _append_items(self, items: list[Any]) -> None:
        seen: set[Any] = set()
        for item in items:
            check_free(item, self)
            if item in seen or item in self._children:
                raise SceneError(
                    explain(
                        f"the same {type(item).__name__} is added twice",
                        facts={"parent": repr(self)},
                        fix="Add it once.",
                    )
                )
            seen.add(item)
        nodes: dict[Any, Node] = {}
        try:
            for item in items:
                nodes[item] = adopt(item, self)
        except BaseException:
            for node in nodes.values():
                release(node)
            raise
        self._children.update(nodes)
        live = self._live
        if live is not None:
            live.arrive(enter(nodes.values(), live))

    def remove(self, *children: Any) -> None:
        """Take children out; added again, they are drawn last.

        Raises
        ------
        SceneError
            One is not a child here. Nothing has been removed then.
        """
        check_write(self)
        given = list(flatten(children))
        for item in given:
            if not _is_among(item, self._children):
                raise SceneError(
                    explain(
                        f"this {type(item).__name__} is not a child of {self!r}",
                        facts={"parent": repr(getattr(item, "parent", None))},
                        fix="Remove it from its parent, or from the set that it came with.",
                    )
                )
        gone = [self._children.pop(item) for item in dict.fromkeys(given)]
        if self._live is not None:
            self._live.depart(leave(gone))
        for node in gone:
            release(node)

    def clear(self) -> None:
        """Take all children out."""
        self.remove(*self._children)

    def find(self, name: str) -> Node:
        """Return the first node below that is called so in the file that it was loaded from.

        Nodes come in order, each before what is below it. Adaptive children count as they were read last.

        Raises
        ------
        SceneError
            There is none.

        Examples
        --------
        >>> wheel = scene.find("wheel")                         # doctest: +SKIP
        >>> wheel.visible = False                               # doctest: +SKIP
        """
        found = self.find_all(name)
        if found:
            return found[0]
        names = list(dict.fromkeys(node.name for node in self._named()))
        near = get_close_matches(name, names, 5, 0.4) if isinstance(name, str) else []  # pyright: ignore[reportUnnecessaryIsInstance]
        raise SceneError(
            explain(
                f"no node below {self!r} is called {name!r:.60}",
                facts={
                    "names": ", ".join(map(repr, near or names[:5])) or "none",
                    "in all": f"{len(names):,}",
                },
                fix="Write one of the names; find_all(name) returns an empty list instead.",
            )
        )

    def find_all(self, name: str) -> list[Node]:
        """Return all nodes below that are called so, in the order of :meth:`find`; maybe none."""
        return [node for node in self._named() if isinstance(name, str) and node.name == name]  # pyright: ignore[reportUnnecessaryIsInstance]

    def _named(self) -> Iterator[Any]:
        return (node for node in below(self._inner()) if getattr(node, "name", ""))

    def __len__(self) -> int:
        """Return how many children were added; an adaptive set counts as one."""
        return len(self._children)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the children as they were given."""
        return iter(tuple(self._children))

    def __contains__(self, item: object) -> bool:
        return item in self._children

    def __bool__(self) -> bool:
        """Return True: ask ``len`` whether there are children."""
        return True

    def __repr__(self) -> str:
        count = len(self._children)
        kinds = [type(child).__name__ for child in islice(self._children, _NAMED)]
        named = ", ".join([*kinds, "..."] if count > _NAMED else kinds)
        children = counted(count, "child", "children")
        return f"{type(self).__name__}({children}{': ' if named else ''}{named})"

    def _inner(self) -> Collection[Node]:
        return self._children.values()

    def _place(self) -> tuple[World, bool | AVal[bool]]:
        """Return where the children are in the scene, and whether they are visible."""
        raise NotImplementedError

    def _pull_children(self) -> None:
        """Bring adaptive children up to date, whatever they raise: a frame will raise it again."""
        changing = [node for node in self._children.values() if isinstance(node, Changing)]
        for node in changing:  # grows: a set may hold adaptive values
            try:
                node._pull()
            except SceneError:
                if self._live is not None:
                    self._live.unsettled[node] = None
            changing += [inner for inner in node._inner() if isinstance(inner, Changing)]


def _is_among(item: Any, children: Mapping[Any, Node]) -> bool:
    try:
        return item in children
    except TypeError:  # it has no hash, so it never was a child
        return False


class Group(Container, Placed):
    """Nodes that move and hide together.

    Every property may be assigned at any time, and may be an adaptive value.

    Parameters
    ----------
    *children
        Nodes, draws, adaptive values or sets of those, or sequences of all that. A
        :class:`~heapscene.draw.Draw` moves with the group if its program has an input ``model``.
    position, rotation, scale
        Three numbers; a quaternion ``(x, y, z, w)`` or 3×3 matrix; a number or three.
    transform
        A 4×4 matrix instead of these.
    visible
        Whether what is in the group is drawn.

    Raises
    ------
    SceneError
        A child has a parent already, or both kinds of place are given.
    InputError
        A value has the wrong shape.
    """

    __slots__ = ("_children", "_derived", "_live")

    _instead = "Write hs.Group(..., position=g.position) with other children: each has one parent."

    def __init__(
        self,
        *children: Any,
        position: Vec3Like | AVal[Any] = ORIGIN,
        rotation: Vec3Like | MatrixLike | AVal[Any] = NO_TURN,
        scale: float | Vec3Like | AVal[Any] = 1.0,
        transform: MatrixLike | AVal[Any] | None = None,
        visible: bool | AVal[bool] = True,
    ) -> None:
        super().__init__(position, rotation, scale, transform, visible)
        self._children = {}
        self._live = None
        self._derived: tuple[World, bool | AVal[bool]] | None = None
        self._append(children)

    def _place(self) -> tuple[World, bool | AVal[bool]]:
        if self._derived is not None:
            return self._derived
        path: list[Group] = []
        above: Container | None = self
        while isinstance(above, Group) and above._derived is None:
            path.append(above)
            above = above._parent
        place = (None, True) if above is None else above._place()
        for group in reversed(path):
            world, shown = place
            place = group._derived = (
                placed_under(world, group, checked=True),
                both(shown, group._now("visible")),
            )
        return place

    @property
    def _used(self) -> bool:
        return self._derived is not None

    def _changed(self, stale: int = STALE) -> None:
        entries = [entry for node in below((self,)) if (entry := node._invalidate()) is not None]
        if self._live is not None:
            self._live.touch(entries, stale)

    def _invalidate(self) -> None:
        self._derived = None

    def _enter(self, live: Live) -> None:
        self._live = live

    def _leave(self) -> None:
        self._live = self._derived = self._cells = None
