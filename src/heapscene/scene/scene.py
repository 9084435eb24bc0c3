"""Scene: the root of a tree of nodes, and a source of draws."""

from __future__ import annotations

from typing import Any

from heapscene.adaptive import AVal, check_write, claim_thread
from heapscene.draw import DrawReader, encode_value, owned
from heapscene.errors import InputError, explain
from heapscene.scene.group import Container
from heapscene.scene.live import Live, SceneReader
from heapscene.scene.node import Node, World
from heapscene.shader import VEC4
from heapscene.typing import ColorLike

__all__ = ["Scene"]


class Scene(Container):
    """What to draw: nodes, draws, and adaptive values or sets of those.

    Draws are made when a renderer asks for changes, and drawn in the order of their arrival here.
    Any number of renderers may show one scene. It belongs to the thread that owns the adaptive
    values, and so do all nodes; other threads hand their changes over by :func:`heapscene.post`.

    Parameters
    ----------
    *children
        Nodes, draws, adaptive values or sets of those, or sequences of all that.
    background
        A colour behind everything, or an adaptive value of one; ``None`` leaves it to the renderer.

    Raises
    ------
    SceneError
        A child has a parent already.
    InputError
        The background is no colour.
    """

    __slots__ = ("_background", "_children", "_live")

    _instead = "Any number of renderers may show one scene; make another one of other nodes."

    _may_have_parent = False

    def __init__(self, *children: Any, background: ColorLike | AVal[Any] | None = None) -> None:
        claim_thread()
        self._parent = None
        self._children: dict[Any, Node] = {}
        self._live = Live()
        self._background = _checked_background(background)
        self._append(children)

    @property
    def background(self) -> ColorLike | AVal[Any] | None:
        """What is behind everything; ``None`` leaves it to the renderer."""
        return self._background

    @background.setter
    def background(self, value: ColorLike | AVal[Any] | None) -> None:
        check_write(self)
        self._background = _checked_background(value)

    def draw_reader(self) -> DrawReader:
        """Return an independent reader of this scene's draws."""
        assert self._live is not None
        return SceneReader(self._live)

    def _place(self) -> tuple[World, bool | AVal[bool]]:
        return None, True


def _checked_background(value: Any) -> Any:
    if value is None or (isinstance(value, AVal) and not value.is_constant):
        return value
    color = value.force() if isinstance(value, AVal) else value
    try:
        encode_value(VEC4, color, "background")
    except InputError as cause:
        raise InputError(
            explain(
                f"background cannot be {color!r}",
                fix='Write a colour such as background="white" or background=(1, 1, 1, 1).',
            )
        ) from cause
    return owned(value)
