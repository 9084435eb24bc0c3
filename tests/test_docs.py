"""The code in README.md, in docs/ and in docstrings runs."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.document import Document, PythonDocStringDocument
from sybil.parsers.doctest import DocTestParser
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DOCSTRINGS = sorted(
    path for path in SOURCE.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def run(document: Document) -> int:
    examples = list(document.examples())
    for example in examples:
        example.evaluate()
    return len(examples)


@pytest.mark.gpu
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(Sybil(parsers=[PythonCodeBlockParser(), SkipParser()]).parse(page))


@pytest.mark.gpu
@pytest.mark.parametrize("module", DOCSTRINGS, ids=name_of)
def test_docstring_runs(module: Path) -> None:
    parts = module.relative_to(SOURCE).with_suffix("").parts
    loaded = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    sybil = Sybil(parsers=[DocTestParser()], document_types={".py": PythonDocStringDocument})
    document = sybil.parse(module)
    document.namespace.update(vars(loaded))
    assert run(document) > 0


def test_readme_is_short_and_shows_something() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert "```python" in text
    for command in ("make demo", "make test"):
        assert command in text
    assert "docs/images/demo.png" in text


def test_architecture_is_short() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_table_of_intrinsics_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    written = importlib.import_module("write_intrinsics")
    page = written.PAGE.read_text(encoding="utf-8")
    assert written.page_with(written.table(), page) == page, "run tools/write_intrinsics.py"
    for name in ("normalize", "dpdx", "workgroup_barrier"):
        assert f"| `{name}` |" in page


def links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    dead = [
        link
        for link in links(page)
        if not link.startswith(("http://", "https://")) and not (page.parent / link).exists()
    ]
    assert not dead


def test_pitfalls_name_tests_that_exist() -> None:
    text = (ROOT / "docs" / "design" / "pitfalls.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z]+/)*test_\w+\.py)`", text))
    assert named
    assert not [name for name in sorted(named) if not (ROOT / "tests" / name).exists()]


def test_every_pitfall_has_a_test_or_a_reason() -> None:
    text = (ROOT / "docs" / "design" / "pitfalls.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([PS]\d+) \|([^|]+)\|([^|]*)\|([^|]*)\|$", text, re.MULTILINE)
    numbers = [row[0] for row in rows]
    assert len(numbers) == len(set(numbers)) > 100
    assert not [number for number, _, test, reason in rows if not (test.strip() or reason.strip())]
