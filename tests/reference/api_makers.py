"""Constructors and functions of the public API, with good and bad arguments, and assignments."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import heapscene as hs
from heapscene.materials.unlit import unlit_fragment, unlit_vertex
from reference.api_call import SHAPES, Call, a_function, add
from reference.api_world import World, fails, one

__all__ = ["add_functions", "add_makers", "assignment"]


def assignment(w: World) -> tuple[str, Any, Call]:
    """Return an assignment to some attribute of some object; only those that there are may be set."""
    rng = w.rng
    pool = rng.choice([pool for pool in ASSIGNED if w.pools[pool]])
    on = rng.choice(w.pools[pool])
    name = rng.choice([*KINDS, "nothing"]) if rng.random() < 0.2 else rng.choice(ASSIGNED[pool])
    kind = KINDS.get(name, "item")
    found = getattr(type(on), name, None)
    is_fixed = isinstance(found, property) and found.fset is None
    raises: tuple[type[Exception], ...] = ()
    if (
        is_fixed
        or not hasattr(on, name)
        or pool in ("Geometry", "PipelineState", "Draw", "Targets")
    ):
        raises = (AttributeError,)
    if pool in ("PipelineState", "Draw", "Targets"):
        raises += (TypeError,)  # CPython raises it for unknown names in a frozen class with slots
    return f"{pool}.{name} =", on, Call(lambda w, on: setattr(on, name, w.some(kind)), raises)


KINDS = {
    "position": "vec3", "rotation": "quaternion", "scale": "scale", "transform": "matrix",
    "visible": "bool", "geometry": "Geometry", "material": "material", "color": "color",
    "state": "PipelineState", "background": "color", "fov": "number", "height": "number",
    "near": "scale", "far": "number", "target": "vec3", "up": "vec3", "shininess": "number",
    "specular": "color", "value": "color", "instances": "name", "cull_mode": "name",
}  # fmt: skip
_PLACED = ["position", "rotation", "scale", "transform", "visible"]
_CAMERA = ["position", "target", "up", "near", "far"]
ASSIGNED: dict[str, list[str]] = {
    "Mesh": [*_PLACED, "geometry", "material"], "Group": _PLACED, "Scene": ["background"],
    "UnlitMaterial": ["color", "state"], "PhongMaterial": ["color", "state", "shininess", "specular"],
    "CVal": ["value"], "DrawTable": ["transform"], "PerspectiveCamera": [*_CAMERA, "fov"],
    "OrthographicCamera": [*_CAMERA, "height"], "Geometry": ["range"], "PipelineState": ["cull_mode"],
    "Draw": ["visible"], "Targets": ["depth"],
}  # fmt: skip


def _place(w: World) -> dict[str, Any]:
    if w.rng.random() < 0.3:
        return w.options(transform="matrix", visible="bool")
    return w.options(position="vec3", rotation="quaternion", scale="scale", visible="bool")


def _children(w: World) -> list[Any]:
    return [w.some("child") for _ in range(w.rng.randrange(3))]


def _columns(w: World) -> dict[str, Any]:
    place = {"position": w.some("points"), **w.options(scale="scale", rotation="quaternion")}
    if w.rng.random() < 0.2:
        place = {"model": w.some("matrix")}
    return {**place, **w.options(color="color", visible="bool", geometry="item")}


def _adopted(w: World, _: Any) -> None:
    """Let another thread be the owner for a while; whoever calls is the owner again afterwards."""
    cell = hs.cval(1)
    found: list[BaseException] = []

    def work() -> None:
        try:
            hs.adopt_thread()
            cell.value = 2
        except BaseException as error:  # noqa: BLE001  raised below
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    hs.adopt_thread()
    if found:
        raise found[0]


def _in_another_thread(w: World, on: Any) -> None:
    """Write in a transaction of a thread that owns nothing: all of it is refused."""
    found: list[BaseException] = []

    def work() -> None:
        try:
            with hs.transact():
                on.add(w.some("item", 0)) if isinstance(on, hs.CSet) else setattr(
                    on, "value", "red"
                )
        except BaseException as error:  # noqa: BLE001  raised below
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found, "a thread that owns nothing has written"
    raise found[0]


def _saved(w: World, _: Any) -> None:
    path = w.folder / "picture.png" if w.rng.random() < 0.6 else w.some("text")
    hs.save_image(path, w.some("picture"))


def _loaded(w: World, _: Any) -> Any:
    file = w.folder / f"file{w.rng.choice(['.obj', '.glb', '.gltf', '.stl', '.xyz'])}"
    file.write_bytes(
        w.rng.choice([b"", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", w.rng.randbytes(80)])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hs.load(file if w.rng.random() < 0.7 else w.some("text"))


def add_makers() -> None:
    add(
        "Scene",
        lambda w, _: hs.Scene(*_children(w), **w.options(background="color")),
        keeps="Scene",
    )
    add("Group", lambda w, _: hs.Group(*_children(w), **_place(w)), keeps="Group")
    for name, material in (
        ("UnlitMaterial", hs.UnlitMaterial),
        ("PhongMaterial", hs.PhongMaterial),
    ):
        add(
            name,
            lambda w, _, m=material: m(w.some("color"), **w.options(state="PipelineState")),
            keeps=name,
        )
    add(
        "Mesh",
        lambda w, _: hs.Mesh(w.some("Geometry", 0.1), w.some("material", 0.1), **_place(w)),
        keeps="Mesh",
    )
    add(
        "Geometry",
        lambda w, _: hs.Geometry(
            {"position": w.some("points"), **w.options(normal="points", color="points")},
            **w.options(indices="indices", range="size"),
        ),
        keeps="Geometry",
    )
    add(
        "Draw",
        lambda w, _: hs.Draw(
            w.some("Program", 0.1),
            w.some("Geometry", 0.1),
            {"model": w.some("matrix"), "color": w.some("color")},
            **w.options(
                instances="name", instance_count="count", visible="bool", state="PipelineState"
            ),
        ),
        keeps="Draw",
    )
    add(
        "DrawTable",
        lambda w, _: hs.DrawTable(
            w.some(w.rng.choice(["Program", "material"]), 0.1),
            w.some("Geometry", 0.1),
            _columns(w),
            **w.options(state="PipelineState", transform="matrix"),
        ),
        keeps="DrawTable",
    )
    add(
        "PipelineState",
        lambda w, _: hs.PipelineState(
            **w.options(
                topology="name",
                cull_mode="name",
                depth_write="bool",
                depth_bias="count",
                blend="name",
                write_mask="name",
                depth_bias_clamp="number",
            )
        ),
        keeps="PipelineState",
    )
    for name, camera in (
        ("PerspectiveCamera", hs.PerspectiveCamera), ("OrthographicCamera", hs.OrthographicCamera),
    ):  # fmt: skip
        add(
            name,
            lambda w, _, c=camera: c(
                w.some("number"),
                **w.options(position="vec3", target="vec3", near="scale", far="number"),
            ),
            keeps=name,
        )
        add(f"{name}.matrices", lambda w, on: on.matrices(w.some("number"), w.some("box")))
    add(
        "Targets",
        lambda w, _: hs.Targets(**w.options(colors="name", depth="name", samples="samples")),
        keeps="Targets",
    )
    functions = [one, fails, unlit_vertex, unlit_fragment]
    add(
        "Program",
        lambda w, _: hs.Program(
            w.rng.choice([*functions, w.junk()]),
            w.rng.choice([*functions, w.junk()]),
            **w.options(limits="name", targets="name"),
        ),
        keeps="Program",
    )
    add("Heap", lambda w, _: hs.Heap(w.device, **w.options(page_bytes="bytes")), keeps="Heap")
    add(
        "HeapScene",
        lambda w, _: hs.HeapScene(
            w.device,
            w.some("Targets", 0.1),
            w.some("Scene"),
            **w.options(
                page_bytes="bytes",
                encoding="encoding",
                heap="Heap",
                expanded_bytes="bytes",
                inputs="name",
            ),
        ),
        keeps="HeapScene",
    )
    add(
        "Renderer",
        lambda w, _: hs.Renderer(
            w.some("size"),
            device=w.device,
            **w.options(
                samples="samples", page_bytes="bytes", encoding="encoding", background="color"
            ),
        ),
        keeps="Renderer",
    )


def add_functions() -> None:
    # A collection raises what Python's own do for what cannot be gone through, or is no key.
    add(
        "cset",
        lambda w, _: hs.cset(w.some("items"), **w.options(name="text")),
        TypeError,
        ValueError,
        keeps="CSet",
    )
    add(
        "clist",
        lambda w, _: hs.clist(w.some("items"), **w.options(name="text")),
        TypeError,
        ValueError,
        keeps="CList",
    )
    add(
        "cdict",
        lambda w, _: hs.cdict(w.some("items"), **w.options(name="text")),
        TypeError,
        ValueError,
        keeps="CDict",
    )
    add("aset", lambda w, _: hs.aset(w.some("items")), TypeError, ValueError, keeps="ASet")
    add("alist", lambda w, _: hs.alist(w.some("items")), TypeError, ValueError, keeps="AList")
    add(
        "cval",
        lambda w, _: hs.cval(
            w.some(w.rng.choice(["color", "vec3", "bool", "Mesh"])), **w.options(name="text")
        ),
        keeps="CVal",
    )
    add("constant", lambda w, _: hs.constant(w.some("color")), keeps="AVal")
    add("computed", lambda w, _: hs.computed(a_function(w)), keeps="AVal")
    add(
        "amap",
        lambda w, _: hs.amap(a_function(w), w.some("CVal"), w.some("AVal")),
        TypeError,
        ZeroDivisionError,
        keeps="AVal",
    )
    add(
        "union_all", lambda w, _: hs.union_all(w.some("items")), TypeError, ValueError, keeps="ASet"
    )
    add(
        "union_all",
        lambda w, _: hs.union_all([w.some("CSet", 0.1), w.some("ASet", 0.1)]),
        keeps="ASet",
    )
    add("clock", lambda _w, _: hs.clock(), keeps="AVal")
    add("tick_clock", lambda w, _: hs.tick_clock(w.some("number")))
    add("post", lambda w, _: hs.post(a_function(w)), TypeError)
    add("adopt_thread", _adopted)
    add("transact", lambda w, _: _in_another_thread(w, w.some(w.rng.choice(["CVal", "CSet"]), 0)))
    add("load", _loaded, keeps="Scene")
    add("save_image", _saved)
    add(
        "render",
        lambda w, _: hs.render(
            w.some("Scene"),
            size=w.some("size"),
            **w.options(camera="camera", background="color", samples="samples"),
        ),
        ZeroDivisionError,
    )
    for turn in (hs.rotation_x, hs.rotation_y, hs.rotation_z):
        add(turn.__name__, lambda w, _, f=turn: f(w.some("number")))
    for name in SHAPES:
        shape = getattr(hs.geometry, name)
        if name in ("flat_normals", "with_normals"):
            add(f"geometry.{name}", lambda w, _, f=shape: f(w.some("Geometry")), keeps="Geometry")
        else:
            add(
                f"geometry.{name}",
                lambda w, _, f=shape: f(w.some("number"), w.some("number")),
                keeps="Geometry",
            )
