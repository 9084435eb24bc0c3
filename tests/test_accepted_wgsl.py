"""Kernels and materials are accepted by naga and by Tint, and the tool that says so can refuse.

``make test`` gives both compilers every text that any test emitted; here are those of the package.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heapscene.kernels import Kernel
from heapscene.materials import ShadedMaterial

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "accept_wgsl.py"

needs_tint = pytest.mark.skipif(
    not (ROOT / "build" / "tint" / "wgpudawn").exists(),
    reason="Tint is not there; type:  make build/tint/.stamp",
)

NOT_UNIFORM = """
var<workgroup> shared_sum: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) number: u32) {
    if (number < 3u) {
        shared_sum = number;
        workgroupBarrier();
    }
}
"""


def modules(*names: str) -> list[Any]:
    found: list[Any] = []
    for name in names:
        package = importlib.import_module(name)
        found.append(package)
        found += [
            importlib.import_module(each.name)
            for each in pkgutil.walk_packages(package.__path__, f"{name}.")
        ]
    return found


def is_material(value: Any) -> bool:
    is_class = isinstance(value, type) and issubclass(value, ShadedMaterial)
    return is_class and value is not ShadedMaterial


def texts() -> dict[str, str]:
    """Every kernel, and the direct form of every material; heap forms come from the renderer's tests."""
    found: dict[str, str] = {}
    for module in modules("heapscene.kernels", "heapscene.materials"):
        for value in vars(module).values():
            if isinstance(value, Kernel):
                found[value.name] = value.wgsl
            elif is_material(value):
                found[value.__name__] = value().program.wgsl
    return found


def accept(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.gpu
@needs_tint
def test_kernels_and_materials(tmp_path: Path) -> None:
    found = texts()
    assert len(found) >= 9
    for name, text in found.items():
        (tmp_path / f"{name}.wgsl").write_text(text, encoding="utf-8")
    done = accept(tmp_path)
    assert done.returncode == 0, done.stdout
    for compiler in ("naga", "Tint"):
        assert f"{compiler}: {len(found)} texts, 0 refused" in done.stdout


@pytest.mark.gpu
@needs_tint
@pytest.mark.parametrize("text", [NOT_UNIFORM, "fn main( {"])
def test_the_tool_refuses(text: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.wgsl").write_text(text, encoding="utf-8")
    done = accept(tmp_path)
    assert done.returncode == 1
    assert "Tint refuses wrong.wgsl" in done.stdout


def test_no_wgsl_is_written_by_hand() -> None:
    """All text comes from the emitter, which ``make test`` listens to."""
    found = [
        f"{path}:{node.lineno}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        if "shader/wgsl" not in path.as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"@compute @|\bfn \w+\(|var<\w+[,>]", node.value)
    ]
    assert not found
