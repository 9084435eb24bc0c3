"""What a call of the public API is, and which there have to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import heapscene as hs
from reference.api_world import World, one

__all__ = ["CALLS", "INTERNAL", "SHAPES", "Call", "a_function", "add", "surface"]


class Call(NamedTuple):
    """A call; `on` is the pool of what it is done to, `keeps` that of what it returns."""

    run: Callable[[World, Any], Any]
    raises: tuple[type[Exception], ...] = ()
    on: str = ""
    keeps: str = ""


INTERNAL = {
    "DrawTable": {
        "as_draw", "chosen_geometry", "draw_reader", "material_changed", "reader", "shown",
    },
    "Heap": {"clear_abandoned", "close_gpu", "compact_some", "join", "leave", "open", "sync"},
    "HeapScene": {"forget_encoded", "send_tables"},
    "Scene": {"draw_reader"}, "UnlitMaterial": {"watch"}, "PhongMaterial": {"watch"},
    "FrameReport": {"stage"},
}  # fmt: skip
"""What is for the parts of heapscene that stand behind it."""

CLASSES = [
    "ADict", "AList", "ASet", "AVal", "CDict", "CList", "CSet", "CVal", "DrawTable", "FrameReport",
    "Geometry", "Group", "Heap", "HeapScene", "OrthographicCamera", "PerspectiveCamera", "PhongMaterial",
    "Program", "Renderer", "Scene", "UnlitMaterial", "ValidationReport", "Draw", "Mesh", "PipelineState",
    "Targets",
]  # fmt: skip
ABSTRACT = {
    "ADict", "AList", "ASet", "AVal", "CDict", "CList", "CSet", "CVal", "FrameReport",
    "ValidationReport",
}  # fmt: skip
"""Classes whose objects are made by functions."""


def surface(names: list[str]) -> set[str]:
    """Return the public functions, constructors and methods of the public names."""
    found: set[str] = set()
    for name in names:
        thing = getattr(hs, name)
        if isinstance(thing, type):
            if issubclass(thing, BaseException):
                continue
            assert name in CLASSES, name
            found |= set() if name in ABSTRACT else {name}
            found |= {
                f"{name}.{method}"
                for method in dir(thing)
                if not method.startswith("_")
                and callable(getattr(thing, method))
                and method not in INTERNAL.get(name, ())
            }
        elif name == "geometry":
            found |= {f"geometry.{shape}" for shape in SHAPES}
        elif callable(thing):
            found.add(name)
    return found


def a_function(w: World) -> Any:
    """Return a function, or something that is none."""
    if w.rng.random() < 0.8:
        return w.some("function", 0)
    value = w.junk()
    w.is_odd = not callable(value)
    return value if w.is_odd else one


SHAPES = ["box", "cone", "cylinder", "flat_normals", "plane", "sphere", "torus", "with_normals"]
CALLS: dict[str, list[Call]] = {}


def add(
    name: str, run: Callable[[World, Any], Any], *raises: type[Exception], keeps: str = ""
) -> None:
    on = name.split(".", maxsplit=1)[0] if "." in name and not name.startswith("geometry.") else ""
    CALLS.setdefault(name, []).append(Call(run, raises, on, keeps))
