"""Everything public says what it is, in one short line without an address."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.heap import Fault
from heapscene.render import OffscreenTarget
from heapscene.shader import ComputeProgram, Resource, builtin, compute, storage, u32, vec3u
from heapscene.wording import brief, counted, one_line

LONG = "a name that is longer than anybody would ever want to read in one line, and then some"
words = storage("words", u32, binding=0, access="read_write")


@compute(workgroup_size=64)
def fill(i: vec3u = builtin.global_invocation_id) -> None:
    words[i.x] = i.x


def mesh() -> hs.Mesh:
    return hs.Mesh(hs.geometry.box(), hs.PhongMaterial(hs.cval("red", name=LONG)))


def table() -> hs.DrawTable:
    return hs.DrawTable(hs.UnlitMaterial(), hs.geometry.box(), {"position": np.zeros((5, 3))})


def draw(**options: Any) -> hs.Draw:
    program = hs.UnlitMaterial().program
    return hs.Draw(program, hs.geometry.box(), {"color": hs.cval((1, 0, 0, 1))}, **options)


def failing() -> hs.AVal[int]:
    value = hs.cval(0).map(lambda x: 1 // x)
    with pytest.raises(ZeroDivisionError):
        value.force()
    return value


def inside_itself() -> hs.AVal[Any]:
    items: list[Any] = []
    value = hs.cval(items, name="loop")
    items.append(value)
    return value


def report() -> hs.FrameReport:
    times = {"heap": 1.23456789, "gpu": 0.5}
    return hs.FrameReport(draws=3, visible_draws=2, bytes_uploaded=1_048_576, stage_ms=times)


def kept(value: hs.AVal[Any]) -> hs.AVal[Any]:
    value.force()
    return value


SAMPLES: dict[str, Callable[[], Any]] = {
    "cset": lambda: hs.cset([1], name=LONG),
    "aset": lambda: hs.aset(range(1000)),
    "mapped set": lambda: hs.cset([1]).map(str),
    "union": lambda: hs.cset([1]).union(hs.cset([2])),
    "clist": lambda: hs.clist([[1] * 100]),
    "alist": lambda: hs.alist([]),
    "filtered list": lambda: hs.clist([1]).filter(bool),
    "cdict": lambda: hs.cdict({1: 2}),
    "mapped dictionary": lambda: hs.cdict({1: 2}).map(lambda key, _: key),
    "reader": lambda: hs.cset([1]).reader(),
    "subscription": lambda: hs.cval(1, name=LONG).on_change(print),
    "cval": lambda: hs.cval(np.zeros((100, 100))),
    "long cval": lambda: hs.cval(list(range(1000)), name="ids"),
    "loop": inside_itself,
    "constant": lambda: hs.constant("x" * 1000),
    "map": lambda: hs.cval(1).map(str),
    "known map": lambda: kept(hs.cval(1).map(str)),
    "failed map": failing,
    "computed": lambda: hs.computed(lambda: 3),
    "amap": lambda: hs.amap(max, hs.cval(1), hs.cval(2)),
    "bind": lambda: hs.cval(1).bind(lambda _: hs.constant(2)),
    "sum": lambda: hs.clist([1]).sum(),
    "max": lambda: hs.clist([1]).max(),
    "fold": lambda: hs.clist([1]).fold(max, None, 0),
    "clock": hs.clock,
    "mesh": mesh,
    "scene": lambda: hs.Scene(mesh()),
    "group": lambda: hs.Group([mesh() for _ in range(10)]),
    "empty group": hs.Group,
    "draw": draw,
    "draw of many": lambda: draw(instance_count=100, instances={"model": np.tile(np.eye(4), (100, 1, 1))}),
    "table": table,
    "geometry": hs.geometry.box,
    "state": lambda: hs.PipelineState(blend="alpha", depth_write=False, cull_mode="back"),
    "perspective": hs.PerspectiveCamera,
    "orthographic": lambda: hs.OrthographicCamera(position=hs.cval((1.5, 2.5, 3.5), name=LONG)),
    "phong": hs.PhongMaterial,
    "unlit": lambda: hs.UnlitMaterial(hs.cval("red", name=LONG)),
    "program": lambda: hs.PhongMaterial().program,
    "compute program": lambda: ComputeProgram(fill),
    "resource": lambda: words,
    "targets": hs.Targets,
    "report": report,
    "faults": lambda: hs.ValidationReport((Fault("headers", LONG, LONG),) * 9, {"headers": 9}),
    "validation": hs.ValidationReport,
}  # fmt: skip


def is_short(text: str) -> bool:
    return "\n" not in text and len(text) <= 120 and "0x" not in text and "object at" not in text


@pytest.mark.parametrize("name", SAMPLES)
def test_a_repr_is_one_short_line(name: str) -> None:
    value = SAMPLES[name]()
    assert is_short(repr(value)), repr(value)
    assert repr(value)[0] != "<" or isinstance(value, Resource)


@pytest.mark.gpu
def test_so_are_those_of_what_needs_a_gpu(device) -> None:
    scene = hs.Scene(mesh())
    with hs.Heap(device) as heap, hs.HeapScene(device, hs.Targets(), scene, heap=heap) as drawn:
        drawn.update()
        with hs.Renderer((64, 32), device=device) as renderer:
            renderer.draw(scene)
            target = OffscreenTarget(device, (8, 8), hs.Targets())
            opened = [heap, drawn, renderer, target]
            assert all(is_short(repr(one)) for one in opened), opened
            assert [repr(one) for one in opened[:3]] == [
                "Heap(1 page, 1 scene)",
                "HeapScene(1 draw, 1 page)",
                "Renderer((64, 32), samples=4; 1 scene)",
            ]
            target.close()
    assert [repr(one) for one in (heap, drawn, renderer)] == [
        "Heap(closed)", "HeapScene(closed)", "Renderer(closed)"
    ]  # fmt: skip
    assert "closed" in repr(target)


def test_no_public_class_is_left_out() -> None:
    tested = {kind for make in SAMPLES.values() for kind in type(make()).__mro__}
    on_gpu = {hs.Heap, hs.HeapScene, hs.Renderer}
    classes = {one for one in vars(hs).values() if inspect.isclass(one)}
    left = {one for one in classes - tested - on_gpu if not issubclass(one, Exception)}
    assert left == set()


def test_reprs_say_what_there_is() -> None:
    assert repr(hs.Scene(mesh(), hs.Group())) == "Scene(2 children: Mesh, Group)"
    assert repr(SAMPLES["group"]()) == "Group(10 children: Mesh, Mesh, Mesh, ...)"
    assert repr(kept(hs.cval(1).map(str))) == "AVal('1'; from str)"
    assert repr(hs.cval(1).map(str)) == "AVal(out of date; from str)"
    assert repr(hs.PipelineState(depth_write=False)) == "PipelineState(depth_write=False)"
    assert repr(inside_itself()) == "cval([cval(...)], name='loop')"
    value = hs.cval(1).map(kept)
    line = kept.__code__.co_firstlineno
    assert repr(value) == f"AVal(out of date; from kept, test_reprs.py:{line})"
    derived = hs.cset([1]).map(str)
    assert repr(derived) == "MappedSet(out of date)"
    derived.force()
    assert repr(derived) == "MappedSet(1 element)"


def test_a_repr_computes_nothing() -> None:
    runs: list[int] = []
    value = hs.cval(1).map(runs.append)
    assert "out of date" in repr(value)
    assert runs == []


def test_a_report_is_read_by_people() -> None:
    assert repr(report()) == "FrameReport(2 of 3 draws in 0 calls, 1,048,576 bytes, 1.73 ms)"
    text = str(report())
    assert 3 <= len(text.splitlines()) <= 8
    assert all(len(line) <= 100 for line in text.splitlines())
    for part in (
        "visible 2",
        "slots 0, pages 0",
        "1,048,576 bytes",
        "passes",
        "heap 1.23",
        "gpu 0.50",
    ):
        assert part in text


def test_brief_never_raises() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise ValueError

    assert brief(Broken()) == "Broken(ValueError)"
    assert brief([Broken()]) == "[Broken(ValueError)]"
    assert brief("a\nb") == r"'a\nb'"
    assert len(brief(dict.fromkeys(range(1000), "x" * 500))) == 60
    assert brief(np.zeros((1000, 3), np.float32)) == "array(float32 (1000, 3))"
    assert one_line("a\n  b") == "a b"
    assert (counted(1, "page"), counted(0, "page")) == ("1 page", "0 pages")
