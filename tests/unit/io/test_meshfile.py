import numpy as np
import pytest
import trimesh

from heapscene.errors import LoadError
from heapscene.io import read_model

TETRA = """
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


def only_part(model):
    parts = [part for node, _ in model.walk() for part in node.parts]
    assert len(parts) == 1
    return parts[0]


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "off", "glb"])
def test_a_box_reads_alike_in_every_format(tmp_path, suffix):
    path = tmp_path / f"box.{suffix}"
    trimesh.creation.box(extents=(1, 2, 3)).export(path)
    model = read_model(path)
    assert model.object_count == 1
    np.testing.assert_allclose(model.bounds(), [(-0.5, -1, -1.5), (0.5, 1, 1.5)])
    part = only_part(model)
    corners = np.arange(len(part.attributes["position"])) if part.indices is None else part.indices
    points = part.attributes["position"][corners].astype(float).reshape(-1, 3, 3)
    cross = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    assert np.linalg.norm(cross, axis=1).sum() / 2 == pytest.approx(22)
    normal = part.attributes["normal"][corners].reshape(-1, 3, 3)
    assert (np.einsum("fk,fck->fc", cross, normal) > 0).all()


def test_edges_are_flat_where_the_file_has_no_normals(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text(TETRA)
    part = only_part(read_model(path))
    normal = part.attributes["normal"][part.indices].reshape(-1, 3, 3)
    assert (normal == normal[:, :1]).all()
    np.testing.assert_allclose(normal[3, 0], np.ones(3) / np.sqrt(3), rtol=1e-6)


def test_a_fine_sphere_is_smooth_and_shares_vertices(tmp_path):
    path = tmp_path / "a.stl"
    trimesh.creation.icosphere(subdivisions=3).export(path)
    part = only_part(read_model(path))
    assert len(part.indices) == 3840
    assert len(part.attributes["position"]) == 642
    outward = np.einsum("ij,ij->i", part.attributes["normal"], part.attributes["position"])
    assert outward.min() > 0.999


def test_obj_objects_stay_separate(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("o one\n" + TETRA + "o two\n" + TETRA.replace("f 1 3 2", "f -4 -2 -3"))
    model = read_model(path)
    assert sorted(child.name for child in model.children) == ["one", "two"]


def test_material_colors_of_obj_are_srgb(tmp_path):
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0.2 0\nnewmtl blue\nKd 0 0 1\n")
    path = tmp_path / "a.obj"
    path.write_text(
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\n"
        "usemtl red\nf 1/1 2/1 3/1\nusemtl blue\nf 1/1 2/1 4/1\n"
    )
    colors = [part.material.color for node, _ in read_model(path).walk() for part in node.parts]
    assert sorted(colors) == [(0, 0, 1, 1), (1, 0.2, 0, 1)]


def test_texture_coordinates_without_a_material_are_plain(tmp_path, read):
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.5\nf 1/1 2/1 3/1\n")
    model, warned = read(path)
    assert warned == []
    assert only_part(model).attributes["uv"].shape == (3, 2)


def test_vertex_colors_follow_split_vertices(tmp_path):
    mesh = trimesh.creation.box()
    mesh.visual.vertex_colors = np.column_stack([np.arange(8) * 30] * 3 + [np.full(8, 255)])
    path = tmp_path / "a.ply"
    mesh.export(path, vertex_normal=False)
    part = only_part(read_model(path))
    assert part.material.color == (1, 1, 1, 1)
    expected = {
        tuple(v): c for v, c in zip(mesh.vertices, mesh.visual.vertex_colors[:, 0], strict=True)
    }
    found = part.attributes["color"][:, 0] * 255
    assert len(found) == 36
    wanted = [expected[tuple(v)] for v in part.attributes["position"].astype(float)]
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_face_colors_color_whole_faces(tmp_path):
    mesh = trimesh.creation.box()
    colors = np.column_stack([np.arange(12) * 20] * 3 + [np.full(12, 255)]).astype(np.uint8)
    mesh.visual.face_colors = colors
    path = tmp_path / "a.off"
    path.write_text(
        "COFF\n8 12 0\n"
        + "\n".join(" ".join(map(str, v)) for v in mesh.vertices)
        + "\n"
        + "\n".join(f"3 {a} {b} {c}" for a, b, c in mesh.faces)
    )
    assert read_model(path).object_count == 1
    path = tmp_path / "a.ply"
    mesh.export(path, vertex_normal=False)
    part = only_part(read_model(path))
    found = part.attributes["color"][part.indices].reshape(-1, 3, 4) * 255
    np.testing.assert_allclose(found, np.repeat(colors[:, None], 3, axis=1), atol=1e-4)


def test_transparent_colors_are_drawn_opaque_and_said(tmp_path, read):
    mesh = trimesh.creation.box()
    mesh.visual.vertex_colors = np.full((8, 4), 102, np.uint8)
    mesh.export(tmp_path / "a.ply", vertex_normal=False)
    model, warned = read(tmp_path / "a.ply")
    assert warned == ["a.ply: not drawn yet: 1 transparent mesh"]
    np.testing.assert_allclose(only_part(model).attributes["color"][0], (0.4, 0.4, 0.4, 1))


def test_normals_of_a_file_are_kept(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0.6 0.8\nf 1//1 2//1 3//1\n")
    part = only_part(read_model(path))
    np.testing.assert_allclose(part.attributes["normal"], [(0, 0.6, 0.8)] * 3, atol=1e-6)


def test_hierarchy_of_a_scene_file_is_kept(tmp_path):
    box = trimesh.creation.box()
    scene = trimesh.Scene()
    scene.add_geometry(box, node_name="a", geom_name="box")
    move = trimesh.transformations.translation_matrix((2, 0, 0))
    scene.graph.update("b", "a", geometry="box", matrix=move)
    from heapscene.io.meshfile import from_trimesh
    from heapscene.io.omitted import Omitted

    model = from_trimesh(scene, "x", Omitted())
    (a,) = model.children
    (b,) = a.children
    assert (a.name, b.name) == ("a", "b")
    assert a.parts[0] is b.parts[0]
    np.testing.assert_array_equal(b.transform, move)


def test_points_are_counted(tmp_path, read):
    path = tmp_path / "a.ply"
    trimesh.PointCloud(np.eye(3)).export(path)
    model, warned = read(path)
    assert model.object_count == 0
    assert warned == ["a.ply: holds no triangles, the scene is empty; not drawn yet: 1 point set"]


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "off"])
def test_garbage_is_a_load_error_or_empty(tmp_path, read, suffix):
    rng = np.random.default_rng(3)
    path = tmp_path / f"a.{suffix}"
    for content in (b"", b"hello\n", b"solid x\nfacet", b"ply\nformat", rng.bytes(400)):
        path.write_bytes(content)
        said: list[str] = []
        try:
            model, said = read(path)
            assert model.object_count == 0
        except LoadError as error:
            said.append(str(error))
        assert len(said) == 1
        assert "\n" not in said[0]


def test_an_unknown_suffix_lists_the_known_ones(tmp_path):
    path = tmp_path / "a.xyzzy"
    path.write_text("")
    with pytest.raises(LoadError, match=r"'\.xyzzy' cannot be read.*glb.*obj.*stl"):
        read_model(path)
