from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import wgpu

from heapscene.errors import AdapterError
from heapscene.gpu import DEFAULT_LIMITS, adapter_facts, device, request_device

pytestmark = pytest.mark.gpu


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**env, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_device_has_exactly_the_default_limits(device) -> None:
    limits = device.limits
    reported = {name: limits[name] for name in DEFAULT_LIMITS if limits.get(name)}
    assert reported == {name: DEFAULT_LIMITS[name] for name in reported}
    assert limits["max-storage-buffers-per-shader-stage"] == 8
    assert limits["max-storage-buffer-binding-size"] == 128 << 20


def test_adapter_limits_are_granted_on_request() -> None:
    roomy = request_device(limits="adapter")
    assert roomy.limits["max-texture-dimension-2d"] >= 8192


def test_an_adapter_below_the_limits_is_refused_with_numbers(monkeypatch) -> None:
    monkeypatch.setitem(DEFAULT_LIMITS, "max-buffer-size", 1 << 60)
    with pytest.raises(
        AdapterError, match=r"max-buffer-size .* offered, 1,152,921,504,606,846,976"
    ):
        request_device()


def test_facts_are_json_and_name_the_adapter() -> None:
    facts = json.loads(json.dumps(adapter_facts()))
    assert facts["ok"] is True
    assert facts["adapter"]["device"]
    assert facts["limits"]["max-buffer-size"]["webgpu"] == 256 << 20
    assert set(facts["versions"]) == {"python", "heapscene", "wgpu", "rendercanvas", "numpy"}


def test_driver_files_follow_the_loaders_variables(monkeypatch, tmp_path: Path) -> None:
    manifest = tmp_path / "some_icd.json"
    manifest.write_text("{}")
    monkeypatch.setenv("VK_DRIVER_FILES", f"{manifest}{os.pathsep}{tmp_path / 'absent.json'}")
    assert device._icd_files() == [str(manifest)]
    monkeypatch.setenv("VK_DRIVER_FILES", "")
    monkeypatch.setenv("VK_ICD_FILENAMES", str(tmp_path))
    assert device._icd_files() == [str(manifest)]


def test_no_adapter_says_what_to_install() -> None:
    done = run(
        "from heapscene.gpu import adapter_facts, request_device\n"
        "facts = adapter_facts(); assert facts['ok'] is False and facts['adapter'] is None\n"
        "assert 'apt-get' in facts['error']\n"
        "request_device()",
        VK_DRIVER_FILES="/nonexistent",
        WGPU_BACKEND_TYPE="Vulkan",
    )
    assert done.returncode == 1
    assert "AdapterError: no graphics adapter" in done.stderr
    assert "ICD files   none in /nonexistent" in done.stderr
    assert "apt-get install mesa-vulkan-drivers" in done.stderr
    assert "heapscene doctor" in done.stderr


def test_an_opengl_adapter_is_refused() -> None:
    done = run(
        "from heapscene.gpu import request_device; request_device()", VK_DRIVER_FILES="/none"
    )
    assert done.returncode == 1
    assert "AdapterError" in done.stderr
    assert "apt-get install mesa-vulkan-drivers" in done.stderr


def test_a_software_vulkan_is_taken_where_opengl_is_offered_first(monkeypatch) -> None:
    offered = SimpleNamespace(
        info={"backend_type": "OpenGL", "device": "Fast", "description": "3.3"},
        features=(),
        limits={},
    )
    monkeypatch.setattr(wgpu.gpu, "request_adapter_sync", lambda **_: offered)
    monkeypatch.delenv("WGPU_BACKEND_TYPE", raising=False)
    taken = request_device()
    assert not taken.adapter.info["backend_type"].startswith("OpenGL")
    monkeypatch.setenv("WGPU_BACKEND_TYPE", "OpenGL")
    with pytest.raises(AdapterError, match=r"found +Fast \(OpenGL, 3.3\)"):
        request_device()


def test_the_driver_does_not_complain_about_its_folder() -> None:
    done = run(
        "import os; from heapscene.gpu import request_device; request_device()\n"
        "assert os.path.isdir(os.environ['XDG_RUNTIME_DIR'])"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_folder_loads_no_driver() -> None:
    done = run("import sys, heapscene.gpu; assert 'wgpu' not in sys.modules")
    assert (done.returncode, done.stderr) == (0, "")
