"""Write the table of intrinsics into docs/shaders.md, from the table of operations.

python tools/write_intrinsics.py
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import heapscene.shader
from heapscene.shader.operations import INTRINSICS, PARTS, Operation

PAGE = Path(__file__).parents[1] / "docs" / "shaders.md"
BEGIN, END = "<!-- intrinsics: tools/write_intrinsics.py -->", "<!-- end of intrinsics -->"
EVERYWHERE = ("vertex", "fragment", "compute")
ON_PLACES = {
    "array_length": "array -> u32",
    "workgroup_uniform_load": "element -> its value",
}
TITLES = {
    "number": "Numbers, vectors, matrices",
    "derivative": "Derivatives",
    "barrier": "Barriers",
    "atomic": "Atomics",
    "texture": "Textures",
    "array": "Arrays",
}


def table() -> str:
    """Return the tables, one for each family of operations."""
    families: dict[str, list[Operation]] = {}
    firsts = {names[0]: function for function, names in PARTS.items()}
    others = {name for names in PARTS.values() for name in names[1:]}
    for name, operation in INTRINSICS.items():
        whole = _joined(firsts[name]) if name in firsts else operation
        if name not in others:
            families.setdefault(operation.family, []).append(whole)
    parts: list[str] = []
    for family, operations in families.items():
        rows = [_row(operation) for operation in operations if _doc(operation.name)]
        if rows:
            parts += [f"### {TITLES[family]}", "", "| function | takes -> gives | what |"]
            parts += ["| --- | --- | --- |", *rows, ""]
    return "\n".join(parts).rstrip()


def _joined(function: str) -> Operation:
    """Return the parts of what a function gives as one row of the table."""
    parts = [INTRINSICS[name] for name in PARTS[function]]
    longest = max(len(part.rules) for part in parts)
    columns = [part.rules * (longest // len(part.rules)) for part in parts]
    rules = tuple(
        ", ".join((row[0], *(rule.partition(" -> ")[2] for rule in row[1:])))
        for row in zip(*columns, strict=True)
    )
    return replace(parts[0], name=function, rules=rules)


def _doc(name: str) -> str:
    return (getattr(getattr(heapscene.shader, name, None), "__doc__", "") or "").split("\n")[0]


def _row(operation: Operation) -> str:
    rules = list(dict.fromkeys(" ".join(rule.split()) for rule in operation.rules))
    rules = rules or [ON_PLACES[operation.name]]
    shown = "; ".join(f"`{rule}`" for rule in rules[:3]) + (" …" if len(rules) > 3 else "")
    what = _doc(operation.name).replace("|", "\\|").replace("``", "`")
    if tuple(operation.stages) != EVERYWHERE:
        what += f" Only in {' and '.join(operation.stages)} functions."
    return f"| `{operation.name}` | {shown} | {what} |"


def page_with(text: str, page: str) -> str:
    """Return the page with the table in its place."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", page)


if __name__ == "__main__":
    PAGE.write_text(page_with(table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
