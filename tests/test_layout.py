"""The shape of the source: sizes, names, front doors, and a light import."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "heapscene"
MODULES = sorted(SOURCE.rglob("*.py"))
FOLDERS = sorted(path.parent for path in SOURCE.glob("*/__init__.py"))

MAX_MODULE_LINES = 600
MAX_FUNCTION_LINES = 80
MAX_PARAMETERS = 8
VAGUE_NAMES = {"utils", "util", "core", "helpers", "misc", "common"}
HEAVY = ("trimesh", "rendercanvas", "wgpu.backends.wgpu_native", "cmap", "PIL", "glfw")

each_module = pytest.mark.parametrize(
    "module", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix()
)


@cache
def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def parameter_count(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [
        item.arg
        for item in (
            *function.args.posonlyargs,
            *function.args.args,
            *function.args.kwonlyargs,
        )
    ]
    return len(names) - (names[:1] in (["self"], ["cls"]))


@each_module
def test_module_is_short(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES


@each_module
def test_functions_are_short(module: Path) -> None:
    long = {
        function.name: lines
        for function in functions(tree_of(module))
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > MAX_FUNCTION_LINES
    }
    assert not long


@each_module
def test_parameters_are_few(module: Path) -> None:
    many = {
        function.name: count
        for function in functions(tree_of(module))
        if (count := parameter_count(function)) > MAX_PARAMETERS
    }
    assert not many


@each_module
def test_name_says_something(module: Path) -> None:
    assert not VAGUE_NAMES & {part.removesuffix(".py") for part in module.relative_to(SOURCE).parts}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_folder_says_what_goes_in_and_out(folder: Path) -> None:
    docstring = ast.get_docstring(tree_of(folder / "__init__.py")) or ""
    words = ("In", "Out", "Keeps")
    missing = [word for word in words if not re.search(rf"^{word}\b", docstring, re.MULTILINE)]
    assert not missing, f"{folder.name}/__init__.py: its docstring has no line {missing}"


def side_doors(tree: ast.Module, own: str) -> list[str]:
    """Imports that reach past the ``__init__`` of another folder."""
    folders = {folder.name for folder in FOLDERS}
    targets: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            targets.append(node.module)
        elif isinstance(node, ast.Import):
            targets += [alias.name for alias in node.names]
    return [
        target
        for target in targets
        if (parts := target.split("."))[0] == "heapscene"
        and len(parts) > 2
        and parts[1] in folders
        and parts[1] != own
    ]


@each_module
def test_other_folders_are_entered_by_the_front_door(module: Path) -> None:
    parts = module.relative_to(SOURCE).parts
    assert not side_doors(tree_of(module), parts[0] if len(parts) > 1 else "")


def test_side_doors_are_seen() -> None:
    tree = ast.parse("from heapscene.draw.state import PipelineState\nimport heapscene.draw")
    assert side_doors(tree, "heap") == ["heapscene.draw.state"]
    assert side_doors(tree, "draw") == []


def test_import_is_light() -> None:
    # `wgpu` alone is only declarations; its native backend is what opens drivers and makes devices.
    code = "import heapscene, json, sys; print(json.dumps(sorted(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": str(SOURCE.parent), "PATH": ""},
    )
    loaded = set(json.loads(answer.stdout))
    assert "heapscene" in loaded
    assert not loaded & set(HEAVY)
