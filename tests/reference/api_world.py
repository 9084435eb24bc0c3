"""A scene that is shown, pools of objects by kind, and arguments: good ones and junk."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import heapscene as hs
from heapscene.draw import TableRows
from heapscene.errors import HeapsceneError
from heapscene.heap import check

FRAME = (HeapsceneError, ZeroDivisionError)
"""What a frame raises: what is wrong with a value, or what a function of these tests raises."""


class Odd:
    """An object that means nothing."""

    def __repr__(self) -> str:
        return "<odd>"


class Hostile:
    """An object whose conversions raise."""

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Any:
        raise ValueError("no items")

    def __getitem__(self, at: object) -> Any:
        raise ValueError("no items")


class Lens:
    """A camera of somebody's own."""

    def __init__(self, view: Any, proj: Any) -> None:
        self.view, self.proj = view, proj


def one(*_: Any) -> Any:
    return 1


def fails(*_: Any) -> Any:
    return 1 / 0


def nothing(*_: Any) -> Any:
    return None


def same(value: Any = None, *_: Any) -> Any:
    return value


NAN, INF = float("nan"), float("inf")
JUNK: list[Callable[[random.Random], Any]] = [
    lambda _: None, lambda _: True, lambda _: -1, lambda _: 0, lambda _: 2**40, lambda _: 1.5,
    lambda _: NAN, lambda _: INF, lambda _: 1e300, lambda _: 1j, lambda _: "", lambda _: "red",
    lambda _: "position", lambda _: b"abc", lambda _: bytearray(b"abcd"), lambda _: (),
    lambda _: [], lambda _: {}, lambda _: {1, 2, 3}, lambda _: {"position": 5}, lambda _: Odd(),
    lambda _: Hostile(), lambda _: Odd, lambda _: len, lambda _: slice(None), lambda _: range(3),
    lambda _: iter((1, 2, 3)), lambda _: (1, 2), lambda _: (1, "2", 3), lambda _: (NAN, 0, 0),
    lambda _: [[1, 2], [3]], lambda _: np.zeros(0), lambda _: np.zeros((3, 3)),
    lambda _: np.zeros((4, 4)), lambda _: np.full((4, 4), NAN), lambda _: np.eye(4),
    lambda _: np.array(5), lambda _: np.ones(3, np.complex128), lambda _: np.array(["a", "b", "c"]),
    lambda _: np.array([None, 1, 2]), lambda _: np.ones((2, 3)), lambda _: np.ones((5, 4)),
    lambda _: np.arange(9, dtype=np.uint8), lambda _: np.array([], bool), lambda _: -np.arange(3),
    lambda _: np.broadcast_to(np.float32(0), (2**33, 3)), lambda _: np.tri(4),
    lambda _: np.broadcast_to(np.uint32(0), (2**32 + 1,)), lambda _: np.ones((3, 4, 4)),
    lambda _: np.datetime64("2020-01-01"), lambda _: np.zeros(2, [("a", "f4")]),
    lambda _: hs.errors, lambda _: hs.Scene, lambda _: hs.cval(Odd()), lambda _: hs.constant(NAN),
    lambda _: hs.cval(np.tri(4)), lambda _: Path("/nowhere"), lambda _: "/nowhere/a.png",
]  # fmt: skip

GOOD: dict[str, Callable[[random.Random], Any]] = {
    "vec3": lambda r: tuple(r.uniform(-1, 1) for _ in range(3)),
    "quaternion": lambda r: r.choice([hs.rotation_x, hs.rotation_y, hs.rotation_z])(r.uniform(0, 6)),
    "scale": lambda r: r.uniform(0.2, 1),
    "matrix": lambda r: np.diag([r.uniform(0.2, 1), 1.0, 1.0, 1.0]),
    "bool": lambda r: r.random() < 0.6,
    "color": lambda r: r.choice(["red", "#00ff0080", (0.1, 0.5, 1.0), (0, 0, 1, 0.5)]),
    "number": lambda r: r.uniform(1, 60),
    "count": lambda r: r.choice([0, 1, 2, 3]),
    "size": lambda r: r.choice([(8, 8), (1, 1), (0, 5), (16, 8)]),
    "points": lambda r: np.array([[r.uniform(-1, 1) for _ in range(3)] for _ in range(r.choice([3, 6]))]),
    "indices": lambda r: [r.randrange(3) for _ in range(3 * r.randrange(3))],
    "name": lambda r: r.choice(["position", "color", "visible", "geometry", "model", "nothing"]),
    "rows": lambda r: r.choice([None, slice(0, 2), [0], [1, 0], [], np.array([True, False, True])]),
    "items": lambda r: [r.randrange(5) for _ in range(r.randrange(4))],
    "item": lambda r: r.randrange(5),
    "text": lambda r: r.choice(["", "a", "color", "target"]),
    "encoding": lambda r: r.choice(["auto", "mega", "expanded"]),
    "bytes": lambda _: 65536,
    "samples": lambda r: r.choice([1, 4]),
    "function": lambda r: r.choice([one, fails, nothing, same]),
    "box": lambda _: np.array([(-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)]),
    "picture": lambda _: np.zeros((2, 3, 4), np.uint8),
    "lens": lambda r: Lens(*[r.choice([np.eye(4), hs.cval(np.eye(4)), np.tri(4)]) for _ in range(2)]),
}  # fmt: skip


COLLECTIONS = {"items", "CSet", "CList", "CDict", "ASet", "AList", "ADict"}
"""Kinds of arguments whose elements are gone through."""


class World:
    """Objects to call, one scene of which is looked at after each call."""

    def __init__(self, seed: int, device: Any, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.device = device
        self.folder = folder
        self.is_odd = False  # whether a call was given a function that is none
        self.encoding = self.rng.choice(["mega", "expanded"])
        self.renderer = hs.Renderer(
            (12, 12), samples=1, device=device, page_bytes=65536, encoding=self.encoding
        )
        self.camera = hs.PerspectiveCamera(position=(0, 1, 6), near=0.1, far=50)
        box, tip = hs.geometry.box(), hs.geometry.cone(segments=5)
        red, blue = hs.UnlitMaterial("red"), hs.PhongMaterial("blue")
        cells = [hs.cval(color) for color in ("lime", "#ffff00", (1, 0, 1))]
        mesh = hs.Mesh(box, red, position=(-1, 0, 0))
        group = hs.Group(hs.Mesh(tip, hs.UnlitMaterial(cells[0])), position=(1, 0, 0))
        members = hs.cset([hs.Mesh(tip, blue, position=(0, 1, 0))])
        draw = hs.Draw(red.program, box, {"model": np.diag([0.5, 0.5, 0.5, 1]), "color": cells[1]})
        places = {"position": [(0, -1, 0), (1, -1, 0), (-1, -1, 0)], "scale": [0.5, 0.4, 0.3]}
        table = hs.DrawTable(hs.UnlitMaterial(), [box, tip], {**places, "color": (1, 0, 0)})
        scene = hs.Scene(mesh, group, members, draw, table, background="white")
        self.scene = scene
        self.pools: dict[str, list[Any]] = {
            "Scene": [scene], "Group": [group, hs.Group()], "Mesh": [mesh, hs.Mesh(box, blue)],
            "UnlitMaterial": [red], "PhongMaterial": [blue], "Geometry": [box, tip], "CVal": cells,
            "AVal": [hs.constant("red"), cells[0].map(same)], "CSet": [members, hs.cset()],
            "CList": [hs.clist()], "CDict": [hs.cdict()], "ASet": [hs.aset([1, 2])],
            "AList": [hs.alist([1, 2])], "ADict": [hs.cdict({1: 2}).map(same)], "Draw": [draw],
            "DrawTable": [table], "Program": [red.program, blue.program],
            "PipelineState": [hs.PipelineState()], "PerspectiveCamera": [self.camera],
            "OrthographicCamera": [hs.OrthographicCamera()], "Targets": [hs.Targets()],
            "Heap": [], "HeapScene": [], "Renderer": [], "FrameReport": [], "ValidationReport": [],
        }  # fmt: skip
        self.seen = self.look()

    def junk(self) -> Any:
        pool = self.rng.choice([pool for pool in self.pools.values() if pool])
        return self.rng.choice(pool) if self.rng.random() < 0.3 else self.rng.choice(JUNK)(self.rng)

    def some(self, kind: str, wrong: float = 0.25) -> Any:
        """Return an argument of a kind, or something else."""
        rng = self.rng
        if rng.random() < wrong:
            value = self.junk()
            # A collection goes through all items, as Python's own do: of these for minutes.
            shape = getattr(value, "shape", ())
            is_endless = (
                kind in COLLECTIONS and isinstance(shape, tuple) and max(shape, default=0) > 1e6
            )
            return [] if is_endless else value
        if kind == "child":
            kind = rng.choice(["Mesh", "Group", "Draw", "DrawTable", "CSet", "Mesh"])
        if kind == "camera":
            kind = rng.choice(["PerspectiveCamera", "OrthographicCamera", "lens"])
        if kind == "material":
            kind = rng.choice(["UnlitMaterial", "PhongMaterial"])
        if kind in GOOD:
            value = GOOD[kind](rng)
            is_plain = rng.random() < 0.9 or kind in ("function", "items", "item")
            return value if is_plain else rng.choice([hs.cval(value), *self.pools["CVal"]])
        return rng.choice(self.pools[kind]) if self.pools[kind] else None

    def options(self, **kinds: str) -> dict[str, Any]:
        return {name: self.some(kind) for name, kind in kinds.items() if self.rng.random() < 0.4}

    def keep(self, pool: str, made: Any) -> None:
        items = self.pools[pool]
        items.append(made)
        if len(items) > 6:
            gone = items.pop(1)
            if hasattr(gone, "close"):
                gone.close()

    def close(self) -> None:
        for pool in ("Renderer", "HeapScene", "Heap"):
            for item in self.pools[pool]:
                item.close()
        self.renderer.close()

    def look(self) -> dict[str, Any]:
        """Return what a frame of the scene shows; or what it raises."""
        try:
            picture = self.renderer.render(self.scene, self.camera).tobytes()
        except FRAME as error:
            return {"raises": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
        shown = self.renderer._scene_of(self.scene)
        check(shown._heap)
        stats = {name: count for name, count in shown.stats().items() if name != "gpu_bytes"}
        return {"picture": picture, "order": list(map(placed, shown.order())), "stats": stats}

    def mend(self) -> bool:
        """Give values that the scene may follow good ones again; return whether it can be drawn."""
        for cell in self.pools["CVal"]:
            cell.value = "red"
        self.seen = self.look()
        return "raises" not in self.seen


def placed(item: Any) -> Any:
    """Return what tells a place of an order from others."""
    return (id(item.draw), item.rows) if isinstance(item, TableRows) else id(item)


PROPERTIES = (
    "position", "rotation", "scale", "transform", "visible", "geometry", "material", "color",
    "state", "background", "fov", "height", "target", "near", "far", "shininess", "parent", "inputs",
)  # fmt: skip


def photo(on: Any) -> Any:
    """Return what somebody can see of an object."""
    if isinstance(on, hs.DrawTable):
        data = [on[name].tobytes() for name in (*on.columns, "visible", "geometry")]
        return [data, on.alive.tobytes(), repr(on.transform), len(on)]
    if isinstance(on, (hs.CSet, hs.CList, hs.CDict)):
        return repr(list(on.force().items() if isinstance(on, hs.CDict) else on.force()))
    if isinstance(on, hs.CVal):
        return id(on.force())
    if isinstance(on, hs.AVal) or type(on).__module__.startswith("heapscene.adaptive"):
        return None  # a value that is derived has nothing of its own
    if isinstance(on, (hs.Group, hs.Scene)):
        return [list(map(id, on)), shown(on)]
    return shown(on)


def shown(on: Any) -> Any:
    values = {name: getattr(on, name, None) for name in PROPERTIES}
    # How many elements a collection has is known once it was read, which a look may do.
    return {name: id(v) if isinstance(v, hs.AVal) else repr(v) for name, v in values.items()}
