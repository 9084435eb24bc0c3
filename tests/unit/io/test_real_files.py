"""Files from the world; what each is there for is told in the data folder's PROVENANCE.md."""

import numpy as np
import pytest

from heapscene.errors import LoadError
from heapscene.io import read_model

OBJECTS = {
    "2CylinderEngine.glb": 115,
    "many-cubes/many-cubes.gltf": 501,
    "gpu-instancing/24_gpu_instancing.gltf": 1900,
    "trimesh/mode5.gltf": 412,
    "trimesh/nested.glb": 3,
    "trimesh/no_indices_3storybuilding.glb": 3,
    "trimesh/BoxInterleaved.glb": 1,
    "trimesh/cubevc.glb": 1,
    "trimesh/rgb_cube_with_primitives.gltf": 3,
    "trimesh/two_objects.obj": 2,
    "trimesh/negative_indices.obj": 1,
    "trimesh/nancolor.obj": 1,
}


@pytest.mark.parametrize(("name", "count"), OBJECTS.items())
def test_objects_are_counted_without_a_warning(data, read, name, count):
    model, warned = read(data / name)
    assert model.object_count == count
    assert warned == []
    assert np.isfinite(model.bounds()).all()


@pytest.mark.parametrize("bits", [16, 32])
def test_the_largest_index_of_16_and_32_bits(data, bits):
    model = read_model(data / f"vertex-count/01_vertex_count_{bits}bit.gltf")
    (part,) = (part for node, _ in model.walk() for part in node.parts)
    assert part.indices.max() == {16: 65534, 32: 65535}[bits]
    assert part.indices.dtype == f"uint{bits}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("palm-tree/PalmTree.gltf", "not drawn yet: 2 textures"),
        ("flight-helmet/FlightHelmet.gltf", "not drawn yet: 15 textures, 1 transparent material"),
        ("vertex-color/22_vertex_color.gltf", "not drawn yet: 3 line sets, 4 point sets"),
        ("trimesh/empty.obj", "holds no triangles, the scene is empty"),
        ("trimesh/empty_nodes.glb", "holds no triangles, the scene is empty"),
    ],
)
def test_what_is_not_drawn_is_said_once(data, read, name, expected):
    _, warned = read(data / name)
    assert warned == [f"{name.split('/')[1]}: {expected}"]


def test_mirrored_nodes_stay_mirrored(data, read):
    model, _ = read(data / "palm-tree/PalmTree.gltf")
    assert any(np.linalg.det(node.transform[:3, :3]) < 0 for node, _ in model.walk())


def test_shared_meshes_are_shared(data):
    model = read_model(data / "2CylinderEngine.glb")
    parts = [part for node, _ in model.walk() for part in node.parts]
    assert len({id(part) for part in parts}) == 34
    assert len({part.material.color for part in parts}) > 3


@pytest.mark.parametrize(
    "name", ["2CylinderEngine.glb", "trimesh/nested.glb", "palm-tree/PalmTree.gltf"]
)
def test_places_agree_with_trimesh(data, read, name):
    import trimesh

    path = data / name
    theirs = trimesh.load_scene(path, process=False)
    points = [
        part.attributes["position"] @ to_root[:3, :3].T + to_root[:3, 3]
        for node, to_root in read(path)[0].walk()
        for part in node.parts
    ]
    size = np.ptp(theirs.bounds)
    extremes = [np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)]
    np.testing.assert_allclose(extremes, theirs.bounds, atol=1e-6 * size)


def test_every_urdf_part_is_read(data):
    paths = sorted((data / "urdf-parts").glob("*.obj"))
    assert len(paths) == 80
    assert all(read_model(path).object_count >= 1 for path in paths)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("trimesh/TestScene.gltf", r"needs 'TestScene\.bin', which cannot be read"),
        ("trimesh", "is a folder"),
        ("trimesh/none.glb", "no such file"),
        ("zurich_subset_lod2.json", "cannot be read"),
    ],
)
def test_broken_files_are_one_line(data, name, match):
    with pytest.raises(LoadError, match=match) as caught:
        read_model(data / name)
    assert "\n" not in str(caught.value)


def test_a_truncated_real_file_is_cut_off(data, tmp_path):
    whole = (data / "2CylinderEngine.glb").read_bytes()
    (tmp_path / "a.glb").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LoadError, match="cut off"):
        read_model(tmp_path / "a.glb")
