"""Wrong calls of the public API are refused with an error of ours, and change nothing.

Random calls, with arguments of other types and shapes, in any order, on closed objects, from other
threads and while values are computed. After each call that is refused, the scene has the same draws,
the same numbers and the same picture. ``make fuzz-api SECONDS=600`` runs it for as long as you like.
"""

from __future__ import annotations

import faulthandler
import os
import random
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.draw import TableRows, camera_matrices
from heapscene.errors import HeapsceneError
from heapscene.heap import check

SECONDS = float(os.environ.get("HEAPSCENE_FUZZ_SECONDS", "0"))
CALLS = 60

# What may be raised besides errors of ours, as the docstrings say: collections raise what Python's
# own do; names and children have to be hashable, as keys of a dict; a function that is none, or that
# raises, raises where the value is read.
COLLECTION = (TypeError, KeyError, IndexError, ValueError)
HASHED = (TypeError,)
OURS = (HeapsceneError,)
# A frame raises what values raise; these are functions of this test.
FRAME = (HeapsceneError, ZeroDivisionError)


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


def one(*_: Any) -> Any:
    return 1


def fails(*_: Any) -> Any:
    return 1 / 0


def nothing(*_: Any) -> Any:
    return None


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
    lambda _: np.broadcast_to(np.float32(0), (2**33, 3)),
    lambda _: np.broadcast_to(np.uint32(0), (2**32 + 1,)),
    lambda _: np.datetime64("2020-01-01"), lambda _: np.zeros(2, [("a", "f4")]),
    lambda _: hs.errors, lambda _: hs.Scene, lambda _: hs.cval(Odd()), lambda _: hs.constant(NAN),
]  # fmt: skip

GOOD: dict[str, Callable[[random.Random], Any]] = {
    "vec3": lambda r: tuple(r.uniform(-1, 1) for _ in range(3)),
    "quaternion": lambda r: hs.rotation_y(r.uniform(0, 6)),
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
    "encoding": lambda r: r.choice(["auto", "mega", "expanded"]),
    "bytes": lambda _: 65536,
    "samples": lambda r: r.choice([1, 4]),
    "function": lambda r: r.choice([one, fails, nothing]),
}  # fmt: skip


class World:
    """A scene that is shown, pools of objects by kind, and random calls on them."""

    def __init__(self, seed: int, device: Any) -> None:
        self.rng = random.Random(seed)
        self.device = device
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
            "scene": [scene], "group": [group, hs.Group()], "mesh": [mesh, hs.Mesh(box, blue)],
            "material": [red, blue], "geometry": [box, tip], "cell": cells, "cset": [members, hs.cset()],
            "clist": [hs.clist()], "cdict": [hs.cdict()], "draw": [draw], "table": [table],
            "program": [red.program, blue.program], "state": [hs.PipelineState()],
            "camera": [self.camera, hs.OrthographicCamera()], "targets": [hs.Targets()],
            "heap": [], "heap scene": [], "renderer": [],
        }  # fmt: skip
        self.counts: Counter[str] = Counter()
        self.seen = self.look()

    # arguments

    def junk(self) -> Any:
        pool = self.rng.choice([pool for pool in self.pools.values() if pool])
        return self.rng.choice(pool) if self.rng.random() < 0.3 else self.rng.choice(JUNK)(self.rng)

    def some(self, kind: str, wrong: float = 0.25) -> Any:
        rng = self.rng
        if rng.random() < wrong:
            value = self.junk()
            # A collection goes through all items, as Python's own do: of these for minutes.
            is_endless = kind == "items" and getattr(value, "size", 0) > 1000
            return [] if is_endless else value
        if kind == "child":
            kind = rng.choice(["mesh", "group", "draw", "table", "cset", "mesh"])
        if kind in GOOD:
            cells = self.pools["cell"]
            value = GOOD[kind](rng)
            return value if rng.random() < 0.9 else rng.choice([hs.cval(value), *cells])
        return rng.choice(self.pools[kind]) if self.pools[kind] else None

    def options(self, **kinds: str) -> dict[str, Any]:
        return {name: self.some(kind) for name, kind in kinds.items() if self.rng.random() < 0.4}

    def close(self) -> None:
        for pool in ("renderer", "heap scene", "heap"):
            for item in self.pools[pool]:
                item.close()
        self.renderer.close()

    # calls

    def make(self) -> tuple[str, str, Callable[[], Any]]:
        """Return a kind, and how to make one."""
        some, rng = self.some, self.rng
        place = {
            "position": "vec3", "rotation": "quaternion", "scale": "scale", "visible": "bool",
        } if rng.random() < 0.7 else {"transform": "matrix"}  # fmt: skip
        options = self.options(**place)
        kind = rng.choice([
            "scene", "group", "mesh", "material", "geometry", "shape", "cell", "cset", "clist",
            "cdict", "draw", "table", "state", "camera", "targets", "program", "heap", "heap scene",
            "renderer", "mesh", "draw", "table",
        ])  # fmt: skip
        children = [some("child") for _ in range(rng.randrange(3))]
        made: dict[str, Callable[[], Any]] = {
            "scene": lambda: hs.Scene(*children, **self.options(background="color")),
            "group": lambda: hs.Group(*children, **options),
            "mesh": lambda: hs.Mesh(some("geometry", 0.1), some("material", 0.1), **options),
            "material": lambda: rng.choice([hs.UnlitMaterial, hs.PhongMaterial])(
                some("color"), **self.options(state="state")
            ),
            "geometry": lambda: hs.Geometry(
                {"position": some("points"), **self.options(normal="points", color="points")},
                **self.options(indices="indices", range="size"),
            ),
            "shape": lambda: rng.choice(
                [hs.geometry.box, hs.geometry.plane, hs.geometry.sphere, hs.geometry.torus]
            )(some("number"), some("number")),
            "cell": lambda: hs.cval(some(rng.choice(["color", "vec3", "bool", "mesh"]))),
            "cset": lambda: hs.cset(some("items")),
            "clist": lambda: hs.clist(some("items")),
            "cdict": lambda: hs.cdict(some("items")),
            "draw": lambda: hs.Draw(
                some("program", 0.1),
                some("geometry", 0.1),
                {"model": some("matrix"), "color": some("color")},
                **self.options(instances="name", instance_count="count", visible="bool", state="state"),
            ),
            "table": lambda: hs.DrawTable(
                some(rng.choice(["program", "material"]), 0.1),
                some("geometry", 0.1),
                {"position": some("points"), **self.options(color="color", scale="scale", visible="bool")},
                **self.options(state="state", transform="matrix"),
            ),
            "state": lambda: hs.PipelineState(
                **self.options(
                    topology="name", cull_mode="name", depth_write="bool", depth_bias="count",
                    blend="name", write_mask="name", depth_bias_clamp="number",
                )
            ),
            "camera": lambda: rng.choice([hs.PerspectiveCamera, hs.OrthographicCamera])(
                some("number"), **self.options(position="vec3", target="vec3", near="scale", far="number")
            ),
            "targets": lambda: hs.Targets(**self.options(colors="name", depth="name", samples="samples")),
            "program": lambda: hs.Program(
                some("program"), some("function"), **self.options(limits="name", targets="name")
            ),
            "heap": lambda: hs.Heap(self.device, **self.options(page_bytes="bytes")),
            "heap scene": lambda: hs.HeapScene(
                self.device, some("targets", 0.1), some("scene"),
                **self.options(page_bytes="bytes", encoding="encoding", heap="heap", expanded_bytes="bytes"),
            ),
            "renderer": lambda: hs.Renderer(
                some("size"), device=self.device,
                **self.options(samples="samples", page_bytes="bytes", encoding="encoding", background="color"),
            ),
        }  # fmt: skip
        return ("geometry" if kind == "shape" else kind), kind, made[kind]

    def edit(self) -> tuple[str, Any, Callable[[], Any]]:
        """Return a name, what it is done to, and a call that changes or reads something."""
        some, rng = self.some, self.rng
        kind = rng.choice([
            "scene", "group", "mesh", "material", "cell", "cell", "cset", "clist", "cdict", "table",
            "table", "camera", "heap", "heap scene", "renderer", "shown", "geometry", "state",
        ])  # fmt: skip
        if kind == "shown":
            return "shown", self.renderer, self._on_renderer(self.renderer, is_shown=True)
        if not self.pools[kind]:
            return kind, None, lambda: None
        on: Any = rng.choice(self.pools[kind])
        name = rng.choice([
            "position", "rotation", "scale", "transform", "visible", "geometry", "material",
            "color", "state", "background", "fov", "height", "near", "target", "shininess",
        ])  # fmt: skip
        kinds = {
            "position": "vec3", "rotation": "quaternion", "transform": "matrix", "visible": "bool",
            "background": "color", "fov": "number", "height": "number", "near": "scale",
            "target": "vec3", "shininess": "number",
        }  # fmt: skip

        def assign() -> None:
            setattr(on, name, some(kinds.get(name, name)))

        calls: dict[str, list[Callable[[], Any]]] = {
            "table": [
                lambda: on.write(some("name", 0.1), some(rng.choice(["points", "color", "vec3"])), some("rows")),
                lambda: on.write("position", some("points"), some("rows")),
                lambda: on.append({"position": some("points"), "scale": some("scale"), "color": some("color", 0.1)}),
                lambda: on.append(some("items")),
                lambda: on.delete(some("rows", 0.6)),
                lambda: on[some("name")],
                lambda: setattr(on, "transform", some("matrix")),
            ],
            "cell": [lambda: setattr(on, "value", some(rng.choice(["color", "vec3", "color"])))],
            "cset": [lambda: on.add(some("child")), lambda: on.remove(some("child")), lambda: on.map(some("function"))],
            "clist": [
                lambda: on.append(some("item")), lambda: on.insert(some("item"), some("item")),
                lambda: on.remove(some("item")), lambda: on.pop(some("item")),
            ],
            "cdict": [
                lambda: on.__setitem__(some("item"), some("item")), lambda: on.__delitem__(some("item")),
                lambda: on[some("item")],
            ],
            "heap": [on.stats, on.compact, on.validate, on.close] if kind == "heap" else [],
            "heap scene": self._on_heap_scene(on) if kind == "heap scene" else [],
            "renderer": [self._on_renderer(on)] if kind == "renderer" else [],
            "camera": [assign, lambda: camera_matrices(on, 1.0, np.zeros((2, 3)))],
            "geometry": [assign, lambda: on.bounds, lambda: repr(on)],
        }  # fmt: skip
        tree = [
            assign,
            lambda: on.add(*[some("child") for _ in range(rng.randrange(1, 3))]),
            lambda: on.remove(some("child")),
        ]
        return (
            kind,
            on,
            rng.choice(calls.get(kind, tree if kind in ("scene", "group") else [assign])),
        )

    def _on_renderer(self, on: Any, *, is_shown: bool = False) -> Callable[[], Any]:
        some = self.some
        calls = [
            lambda: on.render(some("scene", 0.6), some("camera", 0.5)),
            lambda: on.order(some("scene", 0.5)),
            on.stats,
            on.validate,
            on.fit,
        ]
        if not is_shown:
            calls += [lambda: on.resize(some("size")), on.close, lambda: on.recover(self.junk())]
        return self.rng.choice(calls)

    def _on_heap_scene(self, on: Any) -> list[Callable[[], Any]]:
        some = self.some
        encoder = self.device.create_command_encoder()
        return [
            lambda: on.update(some("camera"), **self.options(inputs="name")),
            lambda: on.update(self.camera, inputs={"viewport": some("size"), **self.options(time="number")}),
            lambda: on.encode_compute(encoder),
            lambda: on.encode_draws(self.junk()),
            lambda: on.add(some("draw")), lambda: on.remove(some("draw")), on.order, on.stats, on.fit,
            on.validate, on.ready, on.world_bounds, on.close, lambda: on.recover(self.junk()),
        ]  # fmt: skip

    def step(self) -> str | None:
        """Make one call; return a fault, if it is one."""
        rng = self.rng
        before = self.seen
        if rng.random() < 0.5:
            pool, kind, call = self.make()
            on, allowed = None, (COLLECTION if kind in ("cset", "clist", "cdict") else OURS)
        else:
            pool, (kind, on, call) = "", self.edit()
            allowed = COLLECTION + OURS if kind in ("cset", "clist", "cdict") else OURS
            if kind in ("scene", "group", "table", "heap scene"):
                allowed += HASHED
            if kind in ("mesh", "group", "material", "geometry", "scene", "state"):
                allowed += (AttributeError,)  # of a property that there is not
            if kind == "state":
                allowed += (
                    TypeError,
                )  # which CPython raises for that in a frozen class with slots
            if kind in ("shown", "renderer", "heap scene"):
                allowed += FRAME
            if kind == "camera":
                allowed += (AttributeError,)
        allowed += OURS
        state = photo(on)
        how = rng.choice(["thread", "computed"]) if rng.random() < 0.1 else "plain"
        try:
            made = called(call, how)
        except allowed as error:
            self.counts[f"refused {type(error).__name__}"] += 1
            after = self.look()
            if photo(on) != state:
                return f"{kind}: refused, and what it was called on has changed\n{traceback.format_exc()}"
            self.seen = after
            if after != before:
                what = [name for name in before if before[name] != after[name]]
                return f"{kind}: refused, and {what} changed\n{traceback.format_exc()}"
        except BaseException:  # noqa: BLE001  whatever it is, it is shown
            return f"{kind} ({how}): another error\n{traceback.format_exc()}"
        else:
            self.counts["accepted"] += 1
            if pool:
                self.keep(pool, made)
            self.seen = self.look()
        return None

    def keep(self, pool: str, made: Any) -> None:
        items = self.pools[pool]
        items.append(made)
        if len(items) > 6:
            gone = items.pop(1)
            if hasattr(gone, "close"):
                gone.close()

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
        for cell in self.pools["cell"]:
            cell.value = "red"
        self.seen = self.look()
        return "raises" not in self.seen


def placed(item: Any) -> Any:
    """Return what tells a place of an order from others."""
    return (id(item.draw), item.rows) if isinstance(item, TableRows) else id(item)


def called(call: Callable[[], Any], how: str) -> Any:
    if how == "plain":
        return call()
    found: list[Any] = []

    def work() -> None:
        try:
            found.extend((call(), None))
        except BaseException as error:  # noqa: BLE001  raised below
            found.extend((None, error))

    if how == "thread":
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        hs.computed(work).force()
    if found[1] is not None:
        raise found[1]
    return found[0]


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
        return repr(on)
    if isinstance(on, hs.CVal):
        return id(on.force())
    if isinstance(on, (hs.Group, hs.Scene)):
        return [list(map(id, on)), shown(on)]
    return shown(on)


def shown(on: Any) -> Any:
    return {name: repr(getattr(on, name, None)) for name in PROPERTIES}


def run(seed: int, device: Any, calls: int = CALLS) -> Counter[str]:
    """Make random calls; raise with the seed and the number of the call at a fault."""
    world = World(seed, device)
    try:
        for number in range(calls):
            fault = world.step()
            assert fault is None, f"seed {seed}, call {number}: {fault}"
            if "raises" in world.seen:
                world.counts["frames that raise"] += 1
                if not world.mend():
                    break
        if "raises" not in world.seen:
            report = world.renderer.validate()
            assert report.ok, f"seed {seed}: {report}"
    finally:
        world.close()
    return world.counts


@pytest.mark.parametrize("seed", range(12))
def test_wrong_calls_change_nothing(seed: int, device: Any) -> None:
    counts = run(seed, device)
    assert sum(count for what, count in counts.items() if what.startswith("refused")) > 5


@pytest.mark.skipif(SECONDS == 0, reason="type:  make fuzz-api SECONDS=600")
@pytest.mark.timeout(SECONDS + 120)
def test_for_a_while(device: Any) -> None:
    faulthandler.enable()
    end = time.monotonic() + SECONDS
    seed = int(os.environ.get("HEAPSCENE_FUZZ_SEED", str(time.time_ns() % 2**32)))
    counts: Counter[str] = Counter()
    faults: dict[str, str] = {}
    while time.monotonic() < end:
        seed += 1
        counts["sequences"] += 1
        try:
            counts += run(seed, device)
        except Exception as error:  # noqa: BLE001  whatever it is, it is shown
            text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            faults.setdefault(text.splitlines()[-1], f"seed {seed}: {text}")
    print(dict(counts), f"{len(faults)} faults")
    assert not faults, "\n\n".join(faults.values())
