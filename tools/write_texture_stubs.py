"""Write what editors know of the intrinsics on textures, from the table of operations.

python tools/write_texture_stubs.py

The functions take any arguments and look them up in the table when they run, so that the table is the
only place where signatures stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from heapscene.shader.lang import sampling, texture_access
from heapscene.shader.operations import INTRINSICS

FOLDER = Path(__file__).parents[1] / "src" / "heapscene" / "shader" / "lang"
MODULES = {"sampling": sampling, "texture_access": texture_access}
TOKENS = {
    "f32": "float",
    "int": "int",
    "u32": "int",
    "void": "None",
    "T.texel": "_V",
    "vec2int": "vec2i | vec2u",
    "vec3int": "vec3i | vec3u",
}
NAMES = {"sampler": "how", "sampler_comparison": "how", "T.texel": "value"}
MORE = {
    "sample_bias": ["bias"],
    "sample_level": ["level"],
    "sample_grad": ["dx", "dy"],
    "sample_compare": ["reference"],
    "sample_compare_level": ["reference"],
    "gather": ["channel"],
    "gather_compare": ["reference"],
    "load": ["level"],
}
"""Names of numbers behind the place, by the name of the function."""
WIDTH = 100

HEAD = """# Written by tools/write_texture_stubs.py from the table of operations.
from typing import {}TypeVar, overload

"""


def signatures(name: str) -> Iterator[tuple[list[str], list[tuple[str, str]], str]]:
    """Yield textures, further parameters and result; rules that differ in the texture are one."""
    rules = [rule.partition(" -> ") for rule in INTRINSICS[name].rules]
    parts = [(left.split(), result) for left, _, result in rules]
    grouped: dict[tuple[tuple[tuple[str, str], ...], str], list[str]] = {}
    for (kind, *rest), result in parts:
        longer = {(kind, *rest, more) for more in ("vec2i", "vec3i", "int")}
        others = [tuple(left) for left, other in parts if other == result]
        if name == "texture_dimensions" and rest:
            continue  # the level is optional
        if rest and rest[-1] in ("vec2i", "vec3i") and (kind, *rest[:-1]) in others:
            continue  # so is the offset
        more = next((left[-1] for left in others if left in longer), None)
        has_texel = "T.texel" in (*rest, result)
        parameters = [*_named(name, kind, rest), *_optional(name, more)]
        grouped.setdefault((tuple(parameters), TOKENS.get(result, result)), []).append(
            _texture(kind, "_V" if has_texel else "Any")
        )
    for (parameters, result), kinds in grouped.items():
        yield kinds, list(parameters), result


def _texture(kind: str, texel: str) -> str:
    plain = kind.partition("<")[0]
    if plain != kind:
        return f"{plain}[vec4]"
    return plain if "depth" in plain else f"{plain}[{texel}]"


def _optional(name: str, more: str | None) -> list[tuple[str, str]]:
    if more is None or (more == "int") != (name == "texture_dimensions"):
        return []
    return [("level" if more == "int" else "offset", f"{more} = ...")]


def _named(name: str, kind: str, tokens: list[str]) -> Iterator[tuple[str, str]]:
    """Name the parameters behind the texture; all are given by position."""
    layer = ["layer"] if "array" in kind and len(tokens) > 1 else []
    given = iter(["at", *layer, *MORE.get(name.partition("_")[2], [])])
    for token in tokens:
        yield NAMES.get(token) or next(given), TOKENS.get(token, token)


def _parameter(name: str, kinds: list[str]) -> str:
    line = f"    {name}: {' | '.join(kinds)},"
    return line if len(line) <= WIDTH else f"    {name}: " + "\n    | ".join(kinds) + ","


def _function(name: str) -> str:
    found = list(signatures(name))
    mark = "@overload\n" if len(found) > 1 else ""
    texts: list[str] = []
    for kinds, parameters, result in found:
        lines = [_parameter("texture", kinds)]
        lines += [f"    {parameter}: {kind}," for parameter, kind in parameters]
        texts.append("\n".join([f"{mark}def {name}(", *lines, "    /,", f") -> {result}: ..."]))
    return "\n".join(texts)


def stub(module: str) -> str:
    """Return the stub of a module."""
    functions = "\n".join(_function(name) for name in MODULES[module].__all__)
    used = sorted(word for word in _classes() if word in _words(functions))
    imports = _import("textures", [w for w in used if w.startswith(("texture", "sampler"))])
    imports += _import("vectors", [w for w in used if w.startswith("vec")])
    names = "\n".join(f'    "{name}",' for name in MODULES[module].__all__)
    variable = '_V = TypeVar("_V", vec4, vec4i, vec4u)\n'
    anything = "Any, " if "Any" in _words(functions) else ""
    return f"{HEAD.format(anything)}{imports}\n__all__ = [\n{names}\n]\n\n{variable}\n{functions}\n"


def _classes() -> set[str]:
    from heapscene.shader.lang import textures, vectors

    return {*textures.__all__, *vectors.__all__}


def _words(text: str) -> set[str]:
    for mark in "[](),:|=.":
        text = text.replace(mark, " ")
    return {*text.split(), "vec4", "vec4i", "vec4u"}


def _import(module: str, names: list[str]) -> str:
    listed = "\n".join(f"    {name}," for name in names)
    return f"from heapscene.shader.lang.{module} import (\n{listed}\n)\n"


if __name__ == "__main__":
    for module_name in MODULES:
        path = FOLDER / f"{module_name}.pyi"
        path.write_text(stub(module_name), encoding="utf-8")
