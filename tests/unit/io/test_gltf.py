import json

import numpy as np
import pytest

from heapscene.errors import LoadError
from heapscene.io import read_model

TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
FAN = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (-1, 0.5, 0)]


def only_part(model):
    parts = [part for node, _ in model.walk() for part in node.parts]
    assert len(parts) == 1
    return parts[0]


@pytest.mark.parametrize("name", ["a.glb", "a.gltf"])
@pytest.mark.parametrize("buffer", ["data", "file"])
def test_reads_hierarchy_names_and_transforms(gltf, read, tmp_path, name, buffer):
    mesh = gltf.mesh(TRIANGLE, [0, 1, 2])
    gltf.nodes(
        {"name": "root", "children": [1, 2], "translation": [1, 2, 3]},
        {"name": "left", "mesh": mesh, "scale": [-1, 2, 3]},
        {
            "name": "right",
            "mesh": mesh,
            "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1],
        },
        scenes=[{"nodes": [0]}],
    )
    model, warned = read(gltf.save(tmp_path / name, buffer=buffer))
    assert warned == []
    (root,) = model.children
    left, right = root.children
    assert [node.name for node in (model, root, left, right)] == [name, "root", "left", "right"]
    np.testing.assert_array_equal(root.transform[:3, 3], (1, 2, 3))
    np.testing.assert_array_equal(np.diag(left.transform), (-1, 2, 3, 1))
    np.testing.assert_array_equal(right.transform @ (1, 0, 0, 1), (5, 7, 7, 1))
    assert left.parts[0] is right.parts[0]
    assert model.object_count == 2


def test_rotation_is_x_y_z_w_and_any_length(gltf, tmp_path):
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE), "rotation": [0, 0, 3, 3], "scale": [2, 1, 1]})
    node = read_model(gltf.save(tmp_path / "a.glb")).children[0]
    np.testing.assert_allclose(node.transform @ (1, 0, 0, 1), (0, 2, 0, 1), atol=1e-15)


def test_without_scenes_the_roots_are_drawn(gltf, tmp_path):
    mesh = gltf.mesh(TRIANGLE)
    gltf.nodes({"mesh": mesh, "name": "b"}, {"children": [0], "name": "a"}, {"name": "c"})
    model = read_model(gltf.save(tmp_path / "a.glb"))
    assert [child.name for child in model.children] == ["a", "c"]


def test_the_chosen_scene_is_drawn(gltf, tmp_path):
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE)}, {"name": "b", "mesh": 0})
    gltf.header |= {"scenes": [{"nodes": [0]}, {"nodes": [1]}], "scene": 1}
    model = read_model(gltf.save(tmp_path / "a.glb"))
    assert [child.name for child in model.children] == ["b"]


def test_deep_nesting_needs_no_recursion(gltf, tmp_path):
    mesh = gltf.mesh(TRIANGLE)
    chain = [{"children": [k + 1], "translation": [1, 0, 0]} for k in range(3000)]
    gltf.nodes(*chain, {"mesh": mesh}, scenes=[{"nodes": [0]}])
    model = read_model(gltf.save(tmp_path / "a.glb"))
    assert model.bounds()[0, 0] == 3000


@pytest.mark.parametrize("children", [[[1], [0]], [[0]], [[2], [2], []]])
def test_nodes_that_are_no_tree_are_refused(gltf, tmp_path, children):
    gltf.nodes(*({"children": some} if some else {} for some in children))
    gltf.header["scenes"] = [{"nodes": [0] if len(children) < 3 else [0, 1]}]
    with pytest.raises(LoadError, match="reached twice"):
        read_model(gltf.save(tmp_path / "a.glb"))


def test_base_color_is_converted_exactly(gltf, tmp_path):
    factor = [0.5, 0.002, 1.0, 0.25]
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE, material=0)})
    gltf.header["materials"] = [
        {"name": "paint", "pbrMetallicRoughness": {"baseColorFactor": factor}}
    ]
    material = only_part(read_model(gltf.save(tmp_path / "a.glb"))).material
    assert material.name == "paint"
    assert material.color == pytest.approx((0.7353569830524495, 0.02584, 1.0, 1.0), abs=1e-12)
    assert not material.unlit


def test_materials_are_shared_and_unlit_ones_known(gltf, read, tmp_path):
    first, second = gltf.mesh(TRIANGLE, material=0), gltf.mesh(TRIANGLE, material=0)
    gltf.nodes({"mesh": first}, {"mesh": second}, extensionsRequired=["KHR_materials_unlit"])
    gltf.header["materials"] = [{"extensions": {"KHR_materials_unlit": {}}}]
    model, warned = read(gltf.save(tmp_path / "a.glb"))
    one, two = (child.parts[0].material for child in model.children)
    assert one is two
    assert one.unlit
    assert one.color == (1, 1, 1, 1)
    assert warned == []


@pytest.mark.parametrize(
    ("dtype", "top", "width"), [("u1", 255, 3), ("u2", 65535, 4), ("f4", 1.0, 4)]
)
def test_vertex_colors_are_linear_and_multiplied(gltf, tmp_path, dtype, top, width):
    rows = (np.array([(0, 0.2, 1, 0.5)] * 3)[:, :width] * top).astype(dtype)
    color = gltf.accessor(rows, dtype, normalized=dtype != "f4", stride=8 if width == 3 else None)
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE, attributes={"COLOR_0": color}, material=0)})
    gltf.header["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.5, 1]}}]
    part = only_part(read_model(gltf.save(tmp_path / "a.glb")))
    assert part.material.color == (1, 1, 1, 1)
    np.testing.assert_allclose(part.attributes["color"][0], (0, 0.34919, 0.73536, 1), atol=1e-4)
    assert part.attributes["color"].dtype == np.float32


def test_interleaved_and_sparse_arrays(gltf, tmp_path):
    sparse_rows = gltf.accessor([1], "u2")
    sparse_values = gltf.accessor([(9, 9, 9)])
    views = [gltf.header["accessors"][k]["bufferView"] for k in (sparse_rows, sparse_values)]
    sparse = {
        "count": 1,
        "indices": {"bufferView": views[0], "componentType": 5123},
        "values": {"bufferView": views[1]},
    }
    position = gltf.accessor(TRIANGLE, stride=20, sparse=sparse)
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE, attributes={"POSITION": position})})
    part = only_part(read_model(gltf.save(tmp_path / "a.glb")))
    np.testing.assert_array_equal(part.attributes["position"], [(0, 0, 0), (9, 9, 9), (0, 1, 0)])


def test_quantized_positions(gltf, tmp_path):
    position = gltf.accessor([(-127, 0, 127)] * 3, "i1", normalized=True, stride=4)
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE, attributes={"POSITION": position})})
    gltf.header["extensionsRequired"] = ["KHR_mesh_quantization"]
    part = only_part(read_model(gltf.save(tmp_path / "a.glb")))
    np.testing.assert_array_equal(part.attributes["position"][0], (-1, 0, 1))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (4, [(0, 1, 2)]),
        (5, [(0, 1, 2), (1, 3, 2), (2, 3, 4)]),
        (6, [(1, 2, 0), (2, 3, 0), (3, 4, 0)]),
    ],
)
@pytest.mark.parametrize("indexed", [False, True])
def test_lists_strips_and_fans_become_triangles(gltf, tmp_path, mode, expected, indexed):
    order = [4, 3, 2, 1, 0] if indexed else None
    gltf.nodes({"mesh": gltf.mesh(FAN, order, mode=mode)})
    part = only_part(read_model(gltf.save(tmp_path / "a.glb")))
    wanted = np.array(expected)
    np.testing.assert_array_equal(part.indices.reshape(-1, 3), 4 - wanted if indexed else wanted)


@pytest.mark.parametrize(("dtype", "last"), [("u1", 255), ("u2", 65535), ("u4", 65536)])
def test_the_largest_index_is_a_vertex_not_a_restart(gltf, tmp_path, dtype, last):
    positions = np.zeros((last + 1, 3))
    positions[last] = (1, 2, 3)
    gltf.nodes({"mesh": gltf.mesh(positions, [0, 1, last], index_type=dtype)})
    part = only_part(read_model(gltf.save(tmp_path / "a.glb")))
    assert part.indices.tolist() == [0, 1, last]
    assert part.indices.dtype == dtype
    np.testing.assert_array_equal(part.attributes["position"][part.indices[2]], (1, 2, 3))


def test_missing_normals_are_flat(gltf, tmp_path):
    quad = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.1)]
    gltf.nodes({"mesh": gltf.mesh(quad, [0, 1, 2, 0, 2, 3], normals=False)})
    part = only_part(read_model(gltf.save(tmp_path / "a.glb")))
    normal = part.attributes["normal"][part.indices].reshape(-1, 3, 3)
    assert (normal == normal[:, :1]).all()
    assert not np.array_equal(normal[0], normal[1])


def test_instances_are_drawn(gltf, tmp_path):
    attributes = {
        "TRANSLATION": gltf.accessor([(0, 0, 0), (5, 0, 0)]),
        "ROTATION": gltf.accessor([(0, 0, 0, 127), (0, 0, 127, 0)], "i1", normalized=True),
        "SCALE": gltf.accessor([(1, 1, 1), (2, 2, 2)]),
    }
    extension = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE), "extensions": extension, "translation": [0, 0, 7]})
    gltf.header["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    model = read_model(gltf.save(tmp_path / "a.glb"))
    assert model.object_count == 2
    node = model.children[0]
    np.testing.assert_allclose(node.instances[1] @ (1, 0, 0, 1), (3, 0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(model.bounds(), [(0, -2, 7), (5, 1, 7)], atol=1e-6)


def test_instances_of_different_number_are_refused(gltf, tmp_path):
    attributes = {
        "TRANSLATION": gltf.accessor([(0, 0, 0)]),
        "SCALE": gltf.accessor([(1, 1, 1), (2, 2, 2)]),
    }
    extension = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE), "extensions": extension})
    with pytest.raises(LoadError, match="arrays of one length"):
        read_model(gltf.save(tmp_path / "a.glb"))


@pytest.mark.parametrize(
    "place",
    [
        {"translation": [float("nan"), 0, 0]},
        {"scale": [1, float("inf"), 1]},
        {"matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
    ],
)
def test_a_place_that_no_node_can_have_is_a_load_error(gltf, tmp_path, place):
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE), "name": "wheel", **place})
    with pytest.raises(LoadError, match=r"a\.glb: the place of node 'wheel'"):
        read_model(gltf.save(tmp_path / "a.glb"))


def test_instances_at_no_place_are_a_load_error(gltf, tmp_path):
    attributes = {"TRANSLATION": gltf.accessor([(0, 0, 0), (0, float("nan"), 0)])}
    extension = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE), "extensions": extension})
    with pytest.raises(LoadError, match="not a finite affine matrix"):
        read_model(gltf.save(tmp_path / "a.glb"))


def test_one_warning_says_all_that_is_not_drawn(gltf, read, tmp_path):
    targets = [{"POSITION": 0}]
    meshes = [
        gltf.mesh(TRIANGLE, material=0, targets=targets),
        gltf.mesh(TRIANGLE, mode=0),
        *(gltf.mesh(TRIANGLE, mode=mode) for mode in (1, 2, 3)),
    ]
    gltf.nodes(*({"mesh": mesh} for mesh in meshes))
    gltf.header |= {
        "materials": [{"alphaMode": "BLEND"}],
        "textures": [{}, {}],
        "skins": [{}],
        "animations": [{}, {}, {}],
        "extensionsUsed": ["KHR_materials_unlit", "KHR_lights_punctual"],
    }
    model, warned = read(gltf.save(tmp_path / "a.glb"))
    assert model.object_count == 1
    expected = (
        "a.glb: not drawn yet: 2 textures, 1 skin, 3 animations, 1 morph target, "
        "1 transparent material, 1 point set, 3 line sets, extension KHR_lights_punctual"
    )
    assert warned == [expected]


def test_an_unknown_required_extension_is_named(gltf, tmp_path):
    gltf.nodes({}, extensionsRequired=["KHR_draco_mesh_compression", "KHR_mesh_quantization"])
    with pytest.raises(LoadError, match=r"requires KHR_draco_mesh_compression, which") as caught:
        read_model(gltf.save(tmp_path / "a.glb"))
    assert "EXT_mesh_gpu_instancing" in str(caught.value)


def test_nothing_to_draw_is_said(gltf, read, tmp_path):
    model, warned = read(gltf.nodes({}).save(tmp_path / "a.glb"))
    assert model.object_count == 0
    assert np.isnan(model.bounds()).all()
    assert warned == ["a.glb: holds no triangles, the scene is empty"]


def test_an_index_past_the_end_is_refused(gltf, tmp_path):
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE, [0, 1, 3])})
    with pytest.raises(LoadError, match="index 3 is past the last of 3 vertices"):
        read_model(gltf.save(tmp_path / "a.glb"))


@pytest.mark.parametrize(
    "change",
    [
        {"count": 4},
        {"componentType": 5124},
        {"type": "MAT4"},
        {"type": "VEC2"},
        {"byteOffset": 4},
        {"byteOffset": -4},
        {"count": -1},
        {"count": "many"},
        {"count": 10**15},
        {"bufferView": 99},
    ],
)
def test_a_broken_accessor_is_a_load_error(gltf, tmp_path, change):
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE)})
    gltf.header["accessors"][0] |= change
    with pytest.raises(LoadError):
        read_model(gltf.save(tmp_path / "a.glb"))


@pytest.mark.parametrize(
    "header",
    [
        {"nodes": 3},
        {"nodes": [{"mesh": 7}]},
        {"nodes": [{"mesh": "x"}]},
        {"nodes": [{"children": [5]}], "scenes": [{"nodes": [0]}]},
        {"nodes": [{"matrix": [1, 2]}]},
        {"meshes": [{}]},
        {"scenes": [{"nodes": [0]}]},
        {"scenes": [{}], "scene": 4},
        {"buffers": {}, "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": 1}]}]},
    ],
)
def test_a_header_against_the_specification_is_a_load_error(tmp_path, header):
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps({"asset": {"version": "2.0"}, **header}))
    with pytest.raises(LoadError, match=r"a\.gltf"):
        read_model(path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"hello, I am text\n", "not a binary glTF"),
        (b"", "not a binary glTF"),
        (b"glTF", "cut off"),
        (b"glTF\2\0\0\0\x14\0\0\0\x04\0\0\0JSON", "does not hold valid JSON|cut off"),
    ],
)
def test_what_is_not_glb_is_refused(tmp_path, content, match):
    path = tmp_path / "a.glb"
    path.write_bytes(content)
    with pytest.raises(LoadError, match=match) as caught:
        read_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"asset": {"version": "1.0"}}', "[" * 100_000])
def test_what_is_not_gltf_json_is_refused(tmp_path, text):
    path = tmp_path / "a.gltf"
    path.write_text(text)
    with pytest.raises(LoadError, match=r"a\.gltf") as caught:
        read_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "uri", ["none.bin", "https://example.com/a.bin", "data:;base64,!!", "data:;base64,AAAA"]
)
def test_a_buffer_that_is_not_there_is_named(gltf, tmp_path, uri):
    path = gltf.nodes({"mesh": gltf.mesh(TRIANGLE)}).save(tmp_path / "a.gltf")
    header = json.loads(path.read_text())
    header["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(header))
    with pytest.raises(LoadError, match=r"none\.bin|buffer 0"):
        read_model(path)


def test_every_truncation_is_a_load_error(gltf, tmp_path):
    whole = gltf.nodes({"mesh": gltf.mesh(TRIANGLE)}).save(tmp_path / "a.glb").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / "b.glb").write_bytes(whole[:length])
        with pytest.raises(LoadError):
            read_model(tmp_path / "b.glb")


def test_flipped_bytes_never_raise_anything_else(gltf, read, tmp_path):
    rng = np.random.default_rng(7)
    attributes = {"TRANSLATION": gltf.accessor([(0, 0, 0), (5, 0, 0)])}
    extension = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    gltf.nodes({"mesh": gltf.mesh(TRIANGLE, [0, 1, 2], mode=5), "extensions": extension})
    whole = np.frombuffer(gltf.save(tmp_path / "a.glb").read_bytes(), np.uint8)
    refused = 0
    for _ in range(500):
        broken = whole.copy()
        broken[rng.integers(len(whole), size=3)] = rng.integers(256, size=3)
        (tmp_path / "b.glb").write_bytes(broken.tobytes())
        try:
            read(tmp_path / "b.glb")
        except LoadError:
            refused += 1
    assert 50 < refused < 500
