"""Scenes belong to one thread; others post what they want to change."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

import heapscene as hs
from heapscene.adaptive import drain_posted
from heapscene.errors import AdaptiveError


def raised_in_a_thread(function: Callable[[], object]) -> Exception | None:
    found: list[Exception] = []

    def work() -> None:
        try:
            function()
        except Exception as error:  # noqa: BLE001  looked at below
            found.append(error)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()
    return found[0] if found else None


class Fixture:
    def __init__(self) -> None:
        self.mesh = hs.Mesh(hs.geometry.box(), hs.PhongMaterial(color="red"))
        self.inner = hs.Group(self.mesh, position=(1, 2, 3))
        self.other = hs.Group()
        self.scene = hs.Scene(self.inner, self.other, background="white")
        self.camera = hs.PerspectiveCamera()
        self.reader = self.scene.draw_reader()
        self.reader.changes()


EDITS: dict[str, Callable[[Fixture], object]] = {
    "add": lambda f: f.scene.add(hs.Group()),
    "remove": lambda f: f.scene.remove(f.other),
    "clear": lambda f: f.inner.clear(),
    "move": lambda f: (f.inner.remove(f.mesh), f.other.add(f.mesh)),
    "position": lambda f: setattr(f.inner, "position", (0, 0, 0)),
    "transform": lambda f: setattr(f.other, "transform", None),
    "visible": lambda f: setattr(f.mesh, "visible", False),
    "geometry": lambda f: setattr(f.mesh, "geometry", hs.geometry.sphere()),
    "material": lambda f: setattr(f.mesh, "material", hs.UnlitMaterial("blue")),
    "colour": lambda f: setattr(f.mesh.material, "color", "blue"),
    "state": lambda f: setattr(f.mesh.material, "state", hs.PipelineState(cull_mode="back")),
    "camera": lambda f: setattr(f.camera, "position", (1, 2, 3)),
    "background": lambda f: setattr(f.scene, "background", "black"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_from_another_thread_is_refused_with_the_reason(name: str) -> None:
    fixture = Fixture()
    nodes = (fixture.scene, fixture.inner, fixture.other)
    before = [list(node) for node in nodes], fixture.scene.background, fixture.mesh.geometry
    error = raised_in_a_thread(lambda: EDITS[name](fixture))
    assert isinstance(error, AdaptiveError)
    first, *_ = str(error).splitlines()
    assert "is changed outside of the thread that owns the values" in first
    assert "hs.post(" in str(error)
    assert "worker" in str(error)
    after = [list(node) for node in nodes], fixture.scene.background, fixture.mesh.geometry
    assert after == before
    assert fixture.mesh.material.color == "red"
    assert not fixture.reader.changes()


@pytest.mark.parametrize("name", EDITS)
def test_the_same_edit_may_be_posted(name: str) -> None:
    fixture = Fixture()
    assert raised_in_a_thread(lambda: hs.post(lambda: EDITS[name](fixture))) is None
    assert drain_posted() == 1


def test_the_thread_of_a_scene_owns_it_before_there_is_any_value() -> None:
    code = """
import threading
import heapscene as hs
from heapscene.errors import AdaptiveError
scene = hs.Scene()
def work():
    try:
        scene.add(hs.Group())
    except AdaptiveError:
        print("refused")
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(len(scene))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused", "0"]


def test_nodes_may_be_made_in_any_thread() -> None:
    made: list[hs.Group] = []

    def work() -> None:
        mesh = hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red"), position=(1, 2, 3))
        made.append(hs.Group(mesh))
        hs.post(lambda: scene.add(made[0]))

    scene = hs.Scene()
    assert raised_in_a_thread(work) is None
    drain_posted()
    assert list(scene) == made


def test_when_the_owner_has_ended_the_next_one_takes_over():
    text = """
import threading, _thread, time
import heapscene as hs
made = []
def make():
    made.append(hs.cval((0.0, 0.0, 0.0)))
    made.append(made[0].map(lambda p: (p[0] + 1, p[1], p[2])))
    made.append(hs.Scene(hs.Mesh(hs.geometry.box(), hs.PhongMaterial(), position=made[1])))
thread = threading.Thread(target=make)
thread.start(); thread.join()
cell, follows, scene = made
cell.value = (4.0, 0.0, 0.0)
assert follows.value == (5.0, 0.0, 0.0)
scene.add(hs.Group())
refused = []
def edit():
    try:
        cell.value = (5.0, 0.0, 0.0)
    except hs.errors.AdaptiveError:
        refused.append(True)
thread = threading.Thread(target=edit)
thread.start(); thread.join()
assert refused, "the owner is alive"
# a thread that threading has not made is alive, too
go, done = _thread.allocate_lock(), _thread.allocate_lock()
go.acquire(); done.acquire()
def own():
    hs.adopt_thread(); done.release(); go.acquire(); done.release()
_thread.start_new_thread(own, ())
done.acquire()
edit()
assert len(refused) == 2
go.release(); done.acquire()
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
