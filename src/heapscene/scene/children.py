"""Children as people give them become nodes: draws and what changes are wrapped."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AList, ASet, AVal, Reading, computed
from heapscene.draw import Draw, Drawable, DrawTable, TableDraw, check_places, encode_rows
from heapscene.errors import SceneError, explain
from heapscene.scene.live import Entry, Live
from heapscene.scene.node import Node, World, both, enter, leave, read, shown, traced
from heapscene.scene.transform import as_matrix
from heapscene.shader import MAT4

if TYPE_CHECKING:
    from heapscene.scene.group import Container

__all__ = ["Changing", "Fixed", "adopt", "check_free", "flatten", "release"]


class Fixed(Node):
    """A draw or a table made by somebody else, which moves and hides with the groups that it is in."""

    __slots__ = ("_draw", "_entry")

    def __init__(self, draw: Drawable, parent: Container) -> None:
        self._parent = parent
        self._draw = draw
        self._entry: Entry | None = None

    def _enter(self, live: Live) -> Entry:
        self._entry = Entry(self, live)
        return self._entry

    def _leave(self) -> Entry | None:
        entry, self._entry = self._entry, None
        return entry

    def _invalidate(self) -> Entry | None:
        return self._entry

    def _make_draw(self, entry: Entry) -> Drawable:
        parent = self._parent
        assert parent is not None
        draw = self._draw
        world, shown = parent._place()
        changes: dict[str, Any] = {}
        if shown is not True:
            changes["visible"] = both(shown, draw.visible)
        if world is not None:
            changes |= _moved(draw, world)
        raw = entry.live.raw
        if not changes and raw.setdefault(draw, entry) is entry:
            return draw
        # one draw cannot be in a scene twice; its copy shares all values, and so all memory
        return dataclasses.replace(draw, **changes)

    def _subject(self) -> object:
        draw = self._draw
        return draw.table if isinstance(draw, TableDraw) else draw

    def _trace(self, reading: Reading) -> Reading:
        return traced(self, reading, shown(self, self._subject()))

    def _make_shown(self, entry: Entry, draw: Drawable) -> Drawable:  # noqa: ARG002  the given one is kept
        return self._make_draw(entry)


class Changing(Node):
    """Children that an adaptive value, set or list gives.

    They are drawn in the order of their arrival: what is inserted into the middle of a list comes
    last, and what moves inside a list stays where it is. An element that is in a list twice is
    there once.
    """

    __slots__ = ("_busy", "_inside", "_known", "_live", "_read", "_source", "_waiting")

    def __init__(
        self,
        source: AVal[Any] | ASet[Any] | AList[Any],
        parent: Container,
        inside: tuple[Any, ...] = (),
    ) -> None:
        self._parent = parent
        self._inside = (*inside, source)
        self._source = source = source.as_set() if isinstance(source, AList) else source
        self._live: Live | None = None
        self._busy = False
        self._known: dict[Any, Node] = {}
        self._waiting: dict[Any, None] = {}
        self._read: Callable[[], tuple[Iterable[Any], Iterable[Any]]]
        if isinstance(source, ASet):
            reader = source.reader()

            def changes() -> tuple[Iterable[Any], Iterable[Any]]:
                delta = reader.changes()
                return delta.removed, delta.added

            self._read = changes
        else:
            self._read = self._compare
        try:
            self._pull()
        except BaseException:
            release(self)
            raise

    def _enter(self, live: Live) -> None:
        live.sink.watch(self._source, self)
        try:
            self._pull()  # before it is live: what came meanwhile arrives with all the rest
        except Exception:  # noqa: BLE001  the next frame tries again, and raises it
            live.unsettled[self] = None
        self._live = live

    def _leave(self) -> None:
        if self._live is not None:
            self._live.sink.unwatch(self._source, self)
            self._live.unsettled.pop(self, None)
            self._live = None

    def _inner(self) -> Collection[Node]:
        return self._known.values()

    def _reading(self) -> Reading:
        parent = self._parent
        return Reading("children", None if parent is None else shown(parent), self._inside[-1])

    def _pull(self) -> None:
        """Bring the children up to date.

        What cannot be adopted waits, and is tried again with every call until it goes.

        Raises
        ------
        SceneError
            A child is no node or has another parent; all others are in.
        """
        parent = self._parent
        if parent is None or self._busy:
            return
        self._busy = True
        try:
            self._pull_into(parent)
        finally:
            self._busy = False

    def _pull_into(self, parent: Container) -> None:
        removed, added = self._read()
        gone: list[Node] = []
        for item in removed:
            self._waiting.pop(item, None)
            node = self._known.pop(item, None)
            if node is not None:
                release(node)
                gone.append(node)
        if self._live is not None and gone:
            self._live.depart(leave(gone))
        self._waiting.update(dict.fromkeys(added))
        if self._waiting:
            self._adopt_waiting(parent)

    def _adopt_waiting(self, parent: Container) -> None:
        fault: SceneError | None = None
        new: list[Node] = []
        for item in list(self._waiting):
            try:
                check_free(item, parent)
                if any(item is outer for outer in self._inside):
                    raise _inside_itself(item)
                node = adopt(item, parent, self._inside)
            except SceneError as error:
                fault = fault or error
                continue
            del self._waiting[item]
            self._known[item] = node
            new.append(node)
        if self._live is not None and new:
            self._live.arrive(enter(new, self._live))
        if fault is not None:
            raise fault

    def _compare(self) -> tuple[Iterable[Any], Iterable[Any]]:
        """Return what left and what came since the value was last looked at."""
        value = self._source.force()
        items = [] if value is None else list(flatten((value,)))
        for item in items:
            if type(item).__hash__ is None:  # nothing that can be a child
                raise _no_child(item, "node")
        now = dict.fromkeys(items)
        before = {**self._known, **self._waiting}
        return [item for item in before if item not in now], [
            item for item in now if item not in before
        ]


def flatten(items: Iterable[Any], inside: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Return children one by one, going into sequences.

    Raises
    ------
    SceneError
        A list is inside itself.
    """
    for item in items:
        if isinstance(item, (list, tuple)):
            if any(item is outer for outer in inside):
                raise _inside_itself(item)
            yield from flatten(item, (*inside, item))
        elif isinstance(item, (Iterator, ValuesView, set, frozenset)):
            raise SceneError(
                explain(
                    f"a {type(item).__name__} cannot be a child; a list of what is in it can",
                    fix="Wrap it in list(): Scene(list(meshes)).",
                )
            )
        else:
            yield item


def adopt(item: Any, parent: Container, inside: tuple[Any, ...] = ()) -> Node:
    """Return the node for a child that :func:`check_free` has let pass, now under ``parent``.

    ``inside`` are the adaptive values and sets that it comes from, one in the other.
    """
    if isinstance(item, Node):
        item._parent = parent
        return item
    if isinstance(item, DrawTable):
        return Fixed(item.as_draw(), parent)
    return Fixed(item, parent) if isinstance(item, Draw) else Changing(item, parent, inside)


def release(node: Node) -> None:
    """Take a node's parent away, and that of the children that an adaptive child has brought."""
    node._parent = None
    if isinstance(node, Changing):
        for child in node._known.values():
            release(child)


def _inside_itself(item: object) -> SceneError:
    return SceneError(
        explain(
            f"a {type(item).__name__} cannot be inside itself",
            facts={"what": f"{type(item).__name__} at {id(item):#x}"},
            fix="Take it out, or out of what is in it.",
        )
    )


def _no_child(item: object, parent: str) -> SceneError:
    return SceneError(
        explain(
            f"a {type(item).__name__} cannot be a child of a {parent}",
            facts={"child": _shown(item)},
            fix="Children are meshes, groups, draws, tables, and adaptive values, sets or lists of "
            "those.",
        )
    )


def check_free(item: Any, parent: Container) -> None:
    """Raise unless ``item`` can become a child of ``parent``.

    Raises
    ------
    SceneError
        Not a kind of child, in another group, or ``parent`` itself or above it.
    """
    if not isinstance(item, Node) or not item._may_have_parent:
        if isinstance(item, (Draw, DrawTable, AVal, ASet, AList)):
            return
        raise _no_child(item, type(parent).__name__)
    if item._parent is not None:
        item._parent._pull_children()  # a set may have let go of it since the last frame
    if item._parent is not None:
        raise SceneError(
            explain(
                "a node can have one parent",
                facts={
                    "node": repr(item),
                    "parent": repr(item._parent),
                    "also under": "itself" if item._parent is parent else repr(parent),
                },
                fix="Remove it there first, or make another one of the same parts.",
            )
        )
    above: Node | None = parent
    while above is not None:
        if above is item:
            raise SceneError(
                explain(
                    "a group cannot be inside itself",
                    facts={"group": repr(item), "added to": repr(parent)},
                    fix="Add it to a group that is not below it.",
                )
            )
        above = above._parent


def _moved(draw: Drawable, world: World) -> Mapping[str, Any]:
    """Return the fields of a draw with ``world`` applied to its model, if it has one."""
    if draw.program.interface.inputs.get("model") != MAT4:
        return {}
    if isinstance(draw, TableDraw):
        return {"above": world}
    if "model" in draw.instances:
        rows = _below(world, draw.instances["model"], _as_rows)
        return {"instances": {**draw.instances, "model": rows}}
    if "model" in draw.inputs:
        model = _below(world, draw.inputs["model"], _as_model)
        return {"inputs": {**draw.inputs, "model": model}}
    return {"inputs": {**draw.inputs, "model": world}}


def _below(world: World, model: Any, checked: Callable[[Any], NDArray[np.float64]]) -> Any:
    def product() -> NDArray[np.float64]:
        with np.errstate(over="ignore", invalid="ignore"):  # rows need not be finite
            return read(world) @ checked(read(model))

    return computed(product) if isinstance(world, AVal) or isinstance(model, AVal) else product()


def _as_model(value: Any) -> NDArray[np.float64]:
    return as_matrix(value, "model")


def _as_rows(value: Any) -> NDArray[np.float64]:
    check_places("model", encode_rows(MAT4, value, "model").view(np.float32))
    return np.asarray(value, np.float64)


def _shown(item: object) -> str:
    text = repr(item)
    return text if len(text) <= 60 else f"{text[:57]}..."
