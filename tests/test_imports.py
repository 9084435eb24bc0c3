"""The import contracts of pyproject.toml hold, and a broken one is noticed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHECK = (
    "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package and its contracts that a test may spoil."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    return tmp_path


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_contracts_hold(checkout: Path) -> None:
    answer = lint(checkout)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("folder", "line", "complaint"),
    [
        (
            "render",
            "import heapscene.scene",
            "heapscene.render is not allowed to import heapscene.scene",
        ),
        ("heap", "import heapscene.gpu", "heapscene.heap is not allowed to import heapscene.gpu"),
        ("draw", "import wgpu", "heapscene.draw is not allowed to import wgpu"),
    ],
)
def test_wrong_imports_are_found(checkout: Path, folder: str, line: str, complaint: str) -> None:
    (checkout / "src" / "heapscene" / folder / "wrong.py").write_text(line + "\n")
    answer = lint(checkout)
    assert answer.returncode != 0
    assert complaint in " ".join(answer.stdout.split())


def test_naive_renderer_shares_nothing_with_what_it_checks() -> None:
    twin = ROOT / "tests" / "reference" / "naive_renderer.py"
    imported = {
        name
        for node in ast.walk(ast.parse(twin.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    assert {name for name in imported if name.startswith("heapscene")} == {"heapscene.draw"}
    assert not any(name.startswith(("reference", "tests")) for name in imported)
