"""Methods of the public API, with good and bad arguments, and what each may raise besides errors of ours."""

from __future__ import annotations

from typing import Any

from heapscene.render import OffscreenTarget
from reference.api_call import a_function, add
from reference.api_world import World

__all__ = ["add_frames", "add_values", "add_writes"]


def _own_pass(w: World, on: Any) -> None:
    """Draw a scene in a pass of one's own, with a step left out now and then."""
    target = OffscreenTarget(w.device, (8, 8), on._targets)
    try:
        if w.rng.random() < 0.9:
            on.update(w.camera, inputs={"viewport": (8, 8)})
        encoder = w.device.create_command_encoder()
        if w.rng.random() < 0.9:
            on.encode_compute(encoder)
        render_pass = encoder.begin_render_pass(**target.pass_descriptor((0, 0, 0, 1)))
        try:
            on.encode_draws(render_pass if w.rng.random() < 0.9 else w.junk())
        finally:
            render_pass.end()
        w.device.queue.submit([encoder.finish()])
    finally:
        target.close()


def _listened(w: World, on: Any) -> None:
    on.on_change(a_function(w)).dispose()


def add_values() -> None:
    read = (
        TypeError,
        ZeroDivisionError,
        ValueError,
    )  # of functions, and of what is none, where it is read
    for name in ("AVal", "CVal"):
        add(f"{name}.as_set", lambda _w, on: on.as_set(), keeps="ASet")
        add(f"{name}.bind", lambda w, on: on.bind(a_function(w)), *read, keeps="AVal")
        add(f"{name}.bind_list", lambda w, on: on.bind_list(a_function(w)), *read, keeps="AList")
        add(f"{name}.bind_set", lambda w, on: on.bind_set(a_function(w)), *read, keeps="ASet")
        add(
            f"{name}.map",
            lambda w, on: on.map(
                a_function(w), *[w.some("AVal") for _ in range(w.rng.randrange(2))]
            ),
            *read,
            keeps="AVal",
        )
        add(f"{name}.force", lambda _w, on: on.force(), *(read if name == "AVal" else ()))
        add(f"{name}.on_change", _listened, *(read if name == "AVal" else ()))
    for name in ("ASet", "CSet", "AList", "CList"):
        is_set, base = name.endswith("Set"), "ASet" if name.endswith("Set") else "AList"
        for method in ("bind", "filter", "filter_a", "map", "map_a", "map_use"):
            add(
                f"{name}.{method}",
                lambda w, on, m=method: getattr(on, m)(a_function(w)),
                keeps=base,
            )
        for method in ("exists", "forall"):
            add(
                f"{name}.{method}",
                lambda w, on, m=method: getattr(on, m)(a_function(w)),
                keeps="AVal",
            )
        for method in ("max", "min"):
            add(
                f"{name}.{method}",
                lambda w, on, m=method: getattr(on, m)(w.some("item")),
                keeps="AVal",
            )
        add(f"{name}.sum", lambda w, on: on.sum(a_function(w), w.some("item")), keeps="AVal")
        add(
            f"{name}.fold",
            lambda w, on: on.fold(
                a_function(w), w.rng.choice([None, a_function(w)]), w.some("item")
            ),
            keeps="AVal",
        )
        add(f"{name}.flatten", lambda _w, on: on.flatten(), keeps=base)
        add(f"{name}.contains", lambda w, on: on.contains(w.some("item")), keeps="AVal")
        other = "union" if is_set else "concat"
        add(f"{name}.{other}", lambda w, on, o=other, b=base: getattr(on, o)(w.some(b)), keeps=base)
        if not is_set:
            add(f"{name}.as_set", lambda _w, on: on.as_set(), keeps="ASet")
    for name in ("ADict", "CDict"):
        for method in ("filter", "map"):
            add(
                f"{name}.{method}",
                lambda w, on, m=method: getattr(on, m)(a_function(w)),
                keeps="ADict",
            )
        add(f"{name}.as_set", lambda _w, on: on.as_set(), keeps="ASet")
        add(f"{name}.keys", lambda _w, on: on.keys(), keeps="ASet")
        add(f"{name}.get", lambda w, on: on.get(w.some("item"), w.some("item")), keeps="AVal")
    for name in ("ASet", "CSet", "AList", "CList", "ADict", "CDict"):
        raises = read if name[0] == "A" else ()
        add(f"{name}.count", lambda _w, on: on.count(), keeps="AVal")
        add(f"{name}.force", lambda _w, on: on.force(), *raises)
        add(f"{name}.reader", lambda _w, on: on.reader().changes(), *raises)
        add(f"{name}.on_change", _listened, *raises)


def add_writes() -> None:
    add("CSet.add", lambda w, on: on.add(w.some("child")), TypeError)
    add("CSet.discard", lambda w, on: on.discard(w.some("child")), TypeError)
    add("CSet.remove", lambda w, on: on.remove(w.some("child")), TypeError, KeyError)
    add(
        "CSet.update",
        lambda w, on: on.update([w.some("child")], w.some("items")),
        TypeError,
        ValueError,
    )
    add("CList.append", lambda w, on: on.append(w.some("item")))
    add("CList.extend", lambda w, on: on.extend(w.some("items")), TypeError, ValueError)
    add("CList.insert", lambda w, on: on.insert(w.some("item"), w.some("item")), TypeError)
    add("CList.remove", lambda w, on: on.remove(w.some("item")), ValueError, TypeError)
    add("CList.pop", lambda w, on: on.pop(w.some("item")), IndexError, TypeError)
    add("CList.pop", lambda w, on: on[w.some("item")], IndexError, TypeError)
    add("CList.pop", lambda w, on: on.__delitem__(w.some("item")), IndexError, TypeError)
    add(
        "CList.pop",
        lambda w, on: on.__setitem__(w.some("item"), w.some("items")),
        IndexError,
        TypeError,
        ValueError,
    )
    add("CDict.discard", lambda w, on: on.discard(w.some("item")), TypeError)
    add(
        "CDict.update",
        lambda w, on: on.update(w.some("items"), w.some("items")),
        TypeError,
        ValueError,
        KeyError,
    )
    add(
        "CDict.update",
        lambda w, on: on.update({w.some("item", 0): 1}, [w.some("item")]),
        TypeError,
        KeyError,
    )
    add("CDict.update", lambda w, on: on.__setitem__(w.some("item"), w.some("item")), TypeError)
    add("CDict.discard", lambda w, on: on.__delitem__(w.some("item")), TypeError, KeyError)
    add("CDict.get", lambda w, on: on[w.some("item")], TypeError, KeyError)
    for name in ("CSet", "CList", "CDict"):
        add(
            f"{name}.clear",
            lambda w, on: on.clear() if len(on) > 1 or w.rng.random() < 0.2 else None,
        )
    for name in ("Scene", "Group"):
        add(
            f"{name}.add",
            lambda w, on: on.add(*[w.some("child") for _ in range(w.rng.randrange(1, 3))]),
            ZeroDivisionError,
        )
        add(f"{name}.remove", lambda w, on: on.remove(w.some("child")))
        add(f"{name}.find", lambda w, on: on.find(w.some("text")))
        add(f"{name}.find_all", lambda w, on: on.find_all(w.some("text")))
        add(f"{name}.clear", lambda w, on: on.clear() if on is not w.scene else None)
    add(
        "DrawTable.write",
        lambda w, on: on.write(
            w.some("name", 0.1), w.some(w.rng.choice(["points", "color", "vec3"])), w.some("rows")
        ),
    )
    add("DrawTable.write", lambda w, on: on.write("position", w.some("points"), w.some("rows")))
    add("DrawTable.write", lambda w, on: on[w.some("name")])
    add(
        "DrawTable.append",
        lambda w, on: on.append(
            {"position": w.some("points"), "scale": w.some("scale"), "color": w.some("color", 0.1)}
        ),
    )
    add("DrawTable.append", lambda w, on: on.append(w.some("items")))
    add("DrawTable.delete", lambda w, on: on.delete(w.some("rows", 0.6)))


def add_frames() -> None:
    frame = (ZeroDivisionError,)  # what a function of these tests raises
    add("Geometry.read_attributes", lambda _w, on: on.read_attributes())
    add("Geometry.read_indices", lambda _w, on: (on.read_indices(), on.bounds, repr(on)))
    add("Program.dump", lambda _w, on: on.dump())
    add("Program.explain", lambda _w, on: (on.explain(), on.wgsl))
    add(
        "Program.pinned",
        lambda w, on: on.pinned(w.rng.choice([["color"], w.some("items"), w.some("text")])),
    )
    add("FrameReport.resolve", lambda _w, on: on.resolve())
    add("FrameReport.to_dict", lambda _w, on: on.to_dict())
    add("ValidationReport.to_dict", lambda _w, on: (on.to_dict(), str(on)))
    for name in ("Heap", "HeapScene", "Renderer"):
        add(f"{name}.stats", lambda _w, on: on.stats())
        add(f"{name}.validate", lambda _w, on: on.validate(), keeps="ValidationReport")
        add(f"{name}.close", lambda _w, on: on.close())
        add(f"{name}.compact", lambda _w, on: on.compact())
    add(
        "Renderer.render",
        lambda w, on: on.render(w.some("Scene", 0.6), w.some("camera", 0.5)),
        *frame,
    )
    add(
        "Renderer.draw",
        lambda w, on: on.draw(
            w.some("Scene"), w.some("camera"), target=w.rng.choice([None, w.junk()])
        ),
        *frame,
        keeps="FrameReport",
    )
    add("Renderer.order", lambda w, on: on.order(w.some("Scene", 0.5)))
    add("Renderer.fit", lambda _w, on: on.fit())
    add("Renderer.resize", lambda w, on: on.resize(w.some("size")))
    add("Renderer.recover", lambda w, on: on.recover(w.rng.choice([w.device, w.junk()])))
    add(
        "HeapScene.update",
        lambda w, on: on.update(w.some("camera"), **w.options(inputs="name")),
        *frame,
        keeps="FrameReport",
    )
    add(
        "HeapScene.update",
        lambda w, on: on.update(
            w.camera, inputs={"viewport": w.some("size"), **w.options(time="number")}
        ),
        *frame,
    )
    add(
        "HeapScene.encode_compute",
        lambda w, on: on.encode_compute(
            w.rng.choice([w.device.create_command_encoder(), w.junk()])
        ),
    )
    add("HeapScene.encode_draws", _own_pass, *frame)
    add("HeapScene.encode_draws", lambda w, on: on.encode_draws(w.junk()))
    add("HeapScene.add", lambda w, on: on.add(w.some(w.rng.choice(["Draw", "DrawTable"]))))
    add("HeapScene.remove", lambda w, on: on.remove(w.some(w.rng.choice(["Draw", "DrawTable"]))))
    for method in ("order", "fit", "ready", "world_bounds"):
        add(f"HeapScene.{method}", lambda _w, on, m=method: getattr(on, m)())
    add("HeapScene.recover", lambda w, on: on.recover(w.rng.choice([w.device, w.junk()])))
