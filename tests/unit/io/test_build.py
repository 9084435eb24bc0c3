import numpy as np
import pytest

from heapscene.errors import LoadError
from heapscene.io import LoadedMaterial, LoadedNode, LoadedPart, build_scene, load, read_model

TRIANGLE = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.float32)


def moved(x, y=0.0, z=0.0):
    matrix = np.eye(4)
    matrix[:3, 3] = (x, y, z)
    return matrix


def part(material=None, indices=None):
    attributes = {"position": TRIANGLE, "normal": np.tile((0.0, 0.0, 1.0), (3, 1))}
    return LoadedPart(attributes, indices, material or LoadedMaterial())


def draws_of(scene):
    return [change.new for change in scene.draw_reader().changes()]


def place_of(draw):
    value = draw.inputs["model"]
    matrix = value.force() if hasattr(value, "force") else value
    return tuple(np.asarray(matrix)[:3, 3])


def test_hierarchy_names_and_places_become_nodes():
    leaf = LoadedNode("leaf", moved(1), parts=(part(),))
    root = LoadedNode("file", children=(LoadedNode("arm", moved(0, 2), children=(leaf,)),))
    scene = build_scene(root)
    (file,) = scene
    (arm,) = file
    (found,) = arm
    assert [node.name for node in (file, arm, found)] == ["file", "arm", "leaf"]
    np.testing.assert_array_equal(arm.transform, moved(0, 2))
    (draw,) = draws_of(scene)
    assert place_of(draw) == (1, 2, 0)


def test_what_is_shared_stays_shared():
    paint = LoadedMaterial("paint", (1.0, 0.0, 0.0, 1.0))
    one, other = part(paint), part(paint)
    children = [LoadedNode(str(k), moved(k), parts=(one, other)) for k in range(3)]
    draws = draws_of(build_scene(LoadedNode("", children=tuple(children))))
    assert len(draws) == 6
    assert len({id(draw.geometry) for draw in draws}) == 2
    assert len({id(draw.program) for draw in draws}) == 1


def test_each_instance_is_an_object_in_file_order():
    places = np.stack([moved(k) for k in range(4)])
    node = LoadedNode("many", moved(0, 5), parts=(part(),), instances=places)
    after = LoadedNode("after", moved(9), parts=(part(),))
    draws = draws_of(build_scene(LoadedNode("", children=(node, after))))
    assert [place_of(draw) for draw in draws] == [
        *((0, 5, 0), (1, 5, 0), (2, 5, 0), (3, 5, 0)),
        (9, 0, 0),
    ]


def test_an_empty_model_is_an_empty_scene():
    assert draws_of(build_scene(LoadedNode("nothing"))) == []


def test_load_gives_a_scene(gltf, tmp_path):
    mesh = gltf.mesh(TRIANGLE, [0, 1, 2], material=0)
    gltf.nodes({"mesh": mesh, "name": "a"}, {"mesh": mesh, "translation": [3, 0, 0]})
    gltf.header["materials"] = [
        {"pbrMetallicRoughness": {"baseColorFactor": [0.21404114048223255, 0, 1, 1]}}
    ]
    draws = draws_of(load(gltf.save(tmp_path / "a.glb")))
    assert [place_of(draw) for draw in draws] == [(0, 0, 0), (3, 0, 0)]
    assert draws[0].geometry is draws[1].geometry
    color = draws[0].inputs["color"]
    color = color.force() if hasattr(color, "force") else color
    assert tuple(color) == pytest.approx((0.5, 0, 1, 1))


def test_a_transform_that_no_scene_takes_is_a_load_error(gltf, tmp_path):
    mesh = gltf.mesh(TRIANGLE)
    gltf.nodes({"mesh": mesh, "matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]})
    with pytest.raises(LoadError, match=r"a\.glb: the place of node"):
        load(gltf.save(tmp_path / "a.glb"))


def test_an_index_past_the_end_is_a_load_error(tmp_path):
    path = tmp_path / "a.ply"
    path.write_text(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nproperty float nx\nproperty float ny\nproperty float nz\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 7\n"
    )
    for read in (load, read_model):  # without a scene, too: a command reads many files into one
        with pytest.raises(LoadError, match=r"a\.ply.*vertex that is not among"):
            read(path)
