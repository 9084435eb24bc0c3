"""Parts of a file are found by the names that the file gives them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import SceneError
from heapscene.io import LoadedMaterial, LoadedNode, LoadedPart, LoadWarning, build_scene
from heapscene.scene import Group

POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float32)
PART = LoadedPart({"position": POINTS, "normal": POINTS}, None, LoadedMaterial())


def car() -> hs.Scene:
    wheels = [LoadedNode("wheel", parts=(PART,)), LoadedNode("wheel", parts=(PART, PART))]
    axle = LoadedNode("axle", children=tuple(wheels))
    body = LoadedNode("body", children=(axle, LoadedNode("", parts=(PART,))), parts=(PART,))
    return build_scene(LoadedNode("car.glb", children=(body, LoadedNode("wheel"))))


def test_the_first_of_a_name_is_found_and_may_be_edited() -> None:
    scene = car()
    wheel = scene.find("wheel")
    assert isinstance(wheel, Group)
    assert wheel.parent is scene.find("axle")
    assert [len(node) for node in scene.find_all("wheel") if isinstance(node, Group)] == [1, 2, 0]
    assert scene.find_all("wheel")[0] is wheel
    assert scene.find("axle").find_all("wheel") == scene.find_all("wheel")[:2]
    assert scene.find("car.glb").parent is scene
    reader = scene.draw_reader()
    assert len(reader.changes()) == 5
    wheel.visible = False
    assert len(reader.changes()) == 1


def test_what_is_not_there_is_told_with_names_like_it() -> None:
    scene = car()
    with pytest.raises(SceneError, match=r"is called 'weel'[\s\S]*names +'wheel'"):
        scene.find("weel")
    for odd in ("", 5, None, np.zeros(3)):
        with pytest.raises(SceneError, match="is called"):
            scene.find(odd)  # pyright: ignore[reportArgumentType]
        assert scene.find_all(odd) == []  # pyright: ignore[reportArgumentType]
    with pytest.raises(SceneError, match=r"names +none"):
        hs.Scene().find("wheel")


def test_nodes_that_are_taken_out_are_not_found() -> None:
    scene = car()
    axle = scene.find("axle")
    parent = axle.parent
    assert parent is not None
    parent.remove(axle)
    assert len(scene.find_all("wheel")) == 1
    scene.add(hs.cset([axle]))
    assert scene.find("axle") is axle
    assert len(scene.find_all("wheel")) == 3


def test_names_of_files(tmp_path: Path) -> None:
    (tmp_path / "two.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no door\nf 1 2 3\no window\nf 1 2 4\n"
    )
    scene = hs.load(tmp_path / "two.obj")
    assert scene.find("door") is not scene.find("window")
    header = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "arm", "children": [1]}, {"name": "hand"}],
    }
    (tmp_path / "arm.gltf").write_text(json.dumps(header))
    with pytest.warns(LoadWarning):
        scene = hs.load(tmp_path / "arm.gltf")
    assert scene.find("hand").parent is scene.find("arm")


def test_a_node_without_a_name_has_that_of_its_mesh(tmp_path: Path) -> None:
    meshes = [{"name": "piston", "primitives": []}, {"primitives": []}]
    nodes = [{"mesh": 0}, {"mesh": 0, "name": "left"}, {"mesh": 1}, {"name": "", "mesh": 0}]
    header = {"asset": {"version": "2.0"}, "meshes": meshes, "nodes": nodes}
    (tmp_path / "engine.gltf").write_text(json.dumps(header))
    with pytest.warns(LoadWarning):
        scene = hs.load(tmp_path / "engine.gltf")
    (root,) = scene
    assert [node.name for node in root] == ["piston", "left", "", "piston"]
    assert len(scene.find_all("piston")) == 2


def test_a_part_that_the_file_does_not_move_can_be_moved() -> None:
    scene = car()
    (mesh,) = scene.find_all("wheel")[0]
    mesh.position = (0, 0, 5)
    wheel = scene.find("wheel")
    wheel.position = (1, 0, 0)
    moved = LoadedNode("far", np.diag((2.0, 2.0, 2.0, 1.0)), parts=(PART,))
    far = build_scene(moved).find("far")
    assert far.transform.tolist() == moved.transform.tolist()
    with pytest.raises(SceneError, match="transform"):
        far.position = (0, 0, 0)
