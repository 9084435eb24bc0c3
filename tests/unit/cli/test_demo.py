import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from heapscene.cli import cli
from heapscene.cli.demo import covered_share

pytestmark = pytest.mark.gpu


def test_the_demo_draws_what_it_promises(tmp_path):
    path = tmp_path / "demo.png"
    result = CliRunner().invoke(cli, ["demo", "-o", str(path), "--size", "320x180", "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["objects"] == 10_000
    assert facts["shapes"] >= 4
    assert facts["colors"] >= 200
    assert facts["covered"] >= 0.4
    assert facts["draw_calls"] <= 2
    assert facts["still"]["bytes_uploaded"] == 0
    assert 0 < facts["change"]["bytes_uploaded"] < 10_000 * 16 / 4
    with Image.open(path) as written:
        assert written.size == (320, 180)
        assert covered_share(np.asarray(written)) == facts["covered"]


def test_its_lines_say_what_was_measured(tmp_path):
    path = tmp_path / "demo.png"
    arguments = ["demo", "-o", str(path), "--objects", "60", "--size", "64x36"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert names == ["adapter", "scene", "frame", "change", "wrote"]
    assert "60 objects, 5 shapes, 60 colours" in result.stdout
