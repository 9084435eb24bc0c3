import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from heapscene.cli import cli
from heapscene.cli.doctor import describe
from heapscene.gpu import adapter_facts

REFUSED = {
    "ok": False,
    "error": "no Vulkan driver\nInstall it",
    "adapter": None,
    "limits": {},
    "features": {},
    "icd_files": [],
    "versions": {"python": "3.11"},
}


@pytest.mark.gpu
def test_it_says_what_would_draw():
    result = CliRunner().invoke(cli, ["doctor"])
    assert result.exit_code == 0, result.output
    assert adapter_facts()["adapter"]["device"] in result.stdout
    assert "ready to draw" in result.stdout


@pytest.mark.gpu
def test_json_is_one_object():
    result = CliRunner().invoke(cli, ["doctor", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["adapter"]["backend"] == "Vulkan"


@pytest.mark.gpu
def test_a_process_of_its_own_prints_nothing_else():
    environment = {k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"}
    done = subprocess.run(
        [sys.executable, "-m", "heapscene", "doctor", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["ok"] is True


@pytest.mark.parametrize("as_json", [False, True])
def test_without_an_adapter_it_fails(monkeypatch, as_json):
    monkeypatch.setattr("heapscene.gpu.adapter_facts", lambda: REFUSED)
    result = CliRunner().invoke(cli, ["doctor", *(["--json"] if as_json else [])])
    assert result.exit_code == 1
    if as_json:
        assert json.loads(result.stdout) == REFUSED
    else:
        assert "cannot draw" in result.stdout
        assert result.stderr == f"error: {REFUSED['error']}\n"


def test_missing_driver_files_are_said():
    assert describe(REFUSED)["driver files"] == "none"
