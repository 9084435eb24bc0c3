"""The public names: exactly those listed in public_names.txt, each documented."""

from __future__ import annotations

import ast
import importlib
import inspect
import pydoc
import types
from pathlib import Path

import pytest

import heapscene

LIST = Path(__file__).with_name("public_names.txt")
NAMES = [
    name
    for line in LIST.read_text(encoding="utf-8").splitlines()
    if (name := line.partition("#")[0].strip())
]


def exported(module: types.ModuleType) -> list[str]:
    """Names that ``__init__`` imports as themselves, which is how typed packages export."""
    tree = ast.parse(inspect.getsource(module))
    return [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]


def test_names_are_as_listed() -> None:
    assert sorted(exported(heapscene)) == sorted(NAMES)


def test_list_is_sorted_and_short() -> None:
    assert sorted(set(NAMES), key=lambda name: (name.lower(), name)) == NAMES
    assert len(NAMES) <= 90


def test_nothing_else_looks_public() -> None:
    extra = {
        name
        for name, value in vars(heapscene).items()
        if not name.startswith("_")
        and name not in NAMES
        and not isinstance(value, types.ModuleType)
    }
    assert not extra


def test_everything_public_is_documented() -> None:
    bare = [
        name
        for name in NAMES
        if callable(value := getattr(heapscene, name)) and not inspect.getdoc(value)
    ]
    assert not bare


def test_public_methods_are_documented() -> None:
    bare = [
        f"{name}.{member}"
        for name in NAMES
        if inspect.isclass(cls := getattr(heapscene, name))
        for member, value in vars(cls).items()
        if not member.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, property))
        and not inspect.getdoc(getattr(cls, member))
    ]
    assert not bare


def test_what_is_shown_is_what_is_listed() -> None:
    assert sorted(heapscene.__all__) == sorted(NAMES)
    assert sorted(dir(heapscene)) == sorted(NAMES)


@pytest.mark.parametrize("package", ["heapscene", "heapscene.shader"])
def test_a_star_imports_everything(package: str) -> None:
    module = importlib.import_module(package)
    found: dict[str, object] = {}
    exec(f"from {package} import *", found)
    del found["__builtins__"]
    assert set(found) == set(exported(module)) == set(dir(module))
    assert not [
        name
        for name, value in found.items()
        if isinstance(value, types.ModuleType) and name not in NAMES
    ]


@pytest.mark.parametrize("package", ["heapscene", "heapscene.shader"])
def test_help_tells_of_functions_and_classes(package: str) -> None:
    text = pydoc.plain(pydoc.render_doc(importlib.import_module(package)))
    for part in ("\nCLASSES\n", "\nFUNCTIONS\n", "class Program("):
        assert part in text
