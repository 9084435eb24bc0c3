import json
import os
from pathlib import Path

import numpy as np
import pytest
import trimesh
from click.testing import CliRunner
from PIL import Image

from heapscene.cli import cli


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(cli, ["render", *map(str, arguments)])


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "box.ply"
    trimesh.creation.box().export(path)
    return path


@pytest.fixture(scope="session")
def data():
    given = os.environ.get("HEAPSCENE_DATA")
    folder = Path(given) if given else Path(__file__).parents[4] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"real files are not at {folder}; set HEAPSCENE_DATA")
    return folder


def drawn(path):
    with Image.open(path) as written:
        picture = np.asarray(written)
    return (picture != picture[0, 0]).any(axis=2).mean()


@pytest.mark.parametrize("output", ["out", "out.pdf", "missing/out.png"])
def test_an_output_that_cannot_be_is_said_before_anything_is_drawn(run, box, tmp_path, output):
    result = run(box, "-o", tmp_path / output)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stdout == ""


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("name", ["none.glb", ".", "text.glb", "cut.glb"])
def test_files_that_cannot_be_read_fail_in_one_line(run, box, tmp_path, name, as_json):
    (tmp_path / "text.glb").write_text("hello, I am text\n")
    trimesh.creation.box().export(tmp_path / "whole.glb")
    (tmp_path / "cut.glb").write_bytes((tmp_path / "whole.glb").read_bytes()[:700])
    result = run(box, tmp_path / name, "-o", tmp_path / "a.png", *(["--json"] if as_json else []))
    assert result.exit_code == 1
    assert not (tmp_path / "a.png").exists()
    said = json.loads(result.stdout)["error"] if as_json else result.stderr
    assert "\n" not in said.strip()
    assert "Traceback" not in result.output


@pytest.mark.gpu
@pytest.mark.parametrize("encoding", ["auto", "expanded", "mega"])
@pytest.mark.parametrize("samples", [1, 4])
def test_a_box_is_drawn(run, box, tmp_path, encoding, samples):
    path = tmp_path / "a.png"
    result = run(
        *(box, "-o", path, "--size", "64x48", "--json", "--encoding", encoding),
        *("--samples", samples, "--page-bytes", 65536, "--background", "navy"),
    )
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert (facts["objects"], facts["size"], facts["warnings"]) == (1, [64, 48], [])
    assert facts["report"]["draw_calls"] == 1
    with Image.open(path) as written:
        assert written.size == (64, 48)
        assert written.getpixel((0, 0)) == (0, 0, 128, 255)
    assert drawn(path) > 0.1


@pytest.mark.gpu
def test_a_picture_that_the_device_cannot_draw_is_refused(run, box, tmp_path):
    result = run(box, "-o", tmp_path / "a.png", "--size", "999999x8")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: a picture of 999999×8 pixels is larger")


@pytest.mark.gpu
def test_an_empty_file_is_an_empty_picture_and_a_warning(run, tmp_path):
    (tmp_path / "empty.obj").write_text("# nothing\n")
    result = run(tmp_path / "empty.obj", "-o", tmp_path / "a.png", "--size", "8x8")
    assert result.exit_code == 0, result.output
    assert result.stderr == "warning: empty.obj: holds no triangles, the scene is empty\n"
    assert drawn(tmp_path / "a.png") == 0


@pytest.mark.gpu
def test_a_grid_lays_inputs_side_by_side(run, box, tmp_path):
    shares = []
    for extra in ([], ["--grid"]):
        result = run(box, box, box, box, "-o", tmp_path / "a.png", "--size", "64x64", *extra)
        assert result.exit_code == 0, result.output
        assert "4 objects from 4 files" in result.stdout
        shares.append(drawn(tmp_path / "a.png"))
    assert shares[0] != shares[1]


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "objects"),
    [
        ("2CylinderEngine.glb", 115),
        ("many-cubes/many-cubes.gltf", 501),
        ("palm-tree/PalmTree.gltf", 10),
        ("vertex-count/01_vertex_count_16bit.gltf", 1),
        ("vertex-count/01_vertex_count_32bit.gltf", 1),
        ("trimesh/nested.glb", 3),
        ("trimesh/no_indices_3storybuilding.glb", 3),
        pytest.param("gpu-instancing/24_gpu_instancing.gltf", 1900, marks=pytest.mark.long),
        ("trimesh/nancolor.obj", 1),
    ],
)
def test_real_files_are_drawn(run, data, tmp_path, name, objects):
    path = tmp_path / "a.png"
    result = run(data / name, "-o", path, "--size", "96x54", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["objects"] == objects
    assert drawn(path) > 0.02


@pytest.mark.gpu
def test_many_files_go_into_one_picture(run, data, tmp_path):
    parts = sorted((data / "urdf-parts").glob("*.obj"))
    path = tmp_path / "a.png"
    result = run(*parts, "-o", path, "--size", "160x90", "--grid", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["objects"] >= 80
    assert drawn(path) > 0.1


@pytest.mark.gpu
def test_what_was_drawn_is_validated(run, box, tmp_path, monkeypatch):
    output = tmp_path / "box.png"
    result = run(box, "-o", output, "--size", "32x32", "--validate", "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.output)
    assert facts["validation"]["ok"] is True
    assert facts["validation"]["checked"]["search"] == facts["report"]["emitted_indices"]
    assert "no faults" in run(box, "-o", output, "--size", "32x32", "--validate").output

    from heapscene.render import Renderer, ValidationReport

    wrong = ValidationReport(counts={"records": 1})
    monkeypatch.setattr(Renderer, "validate", lambda _: wrong)
    result = run(box, "-o", output, "--size", "32x32", "--validate", "--json")
    assert result.exit_code == 1
    assert "1 records" in json.loads(result.output)["error"]
