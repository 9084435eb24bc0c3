"""What an editor says about shader code: the types it shows, and the faults it finds."""

import importlib
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from heapscene.shader.operations import INTRINSICS, NAMES, RESOURCE_NAMES, spelled

PRELUDE = """
from heapscene.shader import (
    all, atomic_add, atomic_u32, builtin, cross, dot, f32, flat, frexp, function, mat4, mat4x3, max,
    mix, modf, normalize, sampler, select, static, storage, struct, texture_2d, texture_load, texture_sample,
    texture_storage_2d, texture_store, transpose, u32, vec2, vec2u, vec3, vec4, vec4u,
)

counts = storage("counts", atomic_u32, binding=1, access="read_write")
albedo = texture_2d("albedo", binding=2)
ids = texture_2d("ids", vec4u, binding=3)
linear = sampler("linear", binding=4)
picture = texture_storage_2d("picture", "rgba8unorm", binding=5)
view = mat4x3.from_rows(vec4(0.0), vec4(0.0), vec4(0.0))

@struct
class Inputs:
    model: mat4
    color: vec4
    time: f32 = 0.0

@struct
class Varyings:
    normal: vec3
    tint: vec4 = flat
    clip: vec4 = builtin.position

page = storage("page", vec4, binding=0)

@function
def half(x: f32) -> f32:
    return 0.5 * x
"""

PRELUDE += """
@function
def both(x: f32) -> tuple[f32, vec3]:
    return x, vec3(x)
"""

# Expressions and the types that the editor must show.
SHOWN = {
    "p": "vec3",
    "p * 2.0": "vec3",
    "2 * p": "vec3",
    "p * u.time": "vec3",
    "u.time * p": "vec3",
    "p.xy": "vec2",
    "u.color.rgb": "vec3",
    "p.x": "float",
    "p == p": "vec3b",
    "all(p < p)": "bool",
    "mix(p, p, 0.5)": "vec3",
    "max(p.x, 0.1)": "float",
    "normalize(p)": "vec3",
    "u.model @ vec4(p, 1.0)": "vec4",
    "vec4(p, 1.0) @ u.model": "vec4",
    "u.model @ u.model": "mat4",
    "u.model[0].xyz": "vec3",
    "select(p, p, p.x > 0.0)": "vec3",
    "page[3].xyz": "vec3",
    "half(u.time)": "float",
    "half(0.5)": "float",
    "p.with_x(1.0)": "vec3",
    "n * 2 + 1": "int",
    "view @ vec4(p, 1.0)": "vec3",
    "p @ view": "vec4",
    "view @ u.model": "mat4x3",
    "transpose(view)": "mat3x4",
    "transpose(view) @ view": "mat4",
    "view[0]": "vec3",
    "atomic_add(counts[0], 1)": "int",
    "texture_sample(albedo, linear, p.xy)": "vec4",
    "texture_load(ids, vec2u(1, 2), 0)": "vec4u",
    "static(0.5)": "float",
    "both(u.time)": "tuple[float, vec3]",
    "modf(u.time)": "tuple[float, float]",
    "modf(p)": "tuple[vec3, vec3]",
    "frexp(u.time)": "tuple[float, int]",
    "frexp(p)": "tuple[vec3, vec3i]",
    "Varyings(normal=p, clip=vec4(p, 1.0))": "Varyings",
}
# Lines that the editor must refuse.
REFUSED = [
    "u.model @ p",
    "p + vec2(1.0)",
    "p.w",
    "p.x = 1.0",
    "u.time = 1.0",
    "vec4(p, p)",
    "half(p)",
    "Varyings(normal=u.color)",
    "Inputs(model=u.model, colour=u.color)",
    "u.model * u.model",
    "view @ p",
    "u.model @ view",
    "u.model + view",
    "dot(p, p.xy)",
    "cross(p.xy, p.xy)",
    "counts[0] + 1",
    "counts[0] = n",
    "atomic_add(page[0], 1)",
    "texture_sample(albedo, linear, p)",
    "texture_sample(albedo, albedo, p.xy)",
    "texture_sample(ids, linear, p.xy)",
    "texture_load(albedo, p.xy, 0)",
    "max(p, p.xy)",
    "modf(p) * 2.0",
    "frexp(u.model)",
    "p if p == p else 0.0",
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    lines = [f"    reveal_type({text})" for text in SHOWN] + [f"    {text}" for text in REFUSED]
    body = "@function\ndef run(p: vec3, u: Inputs, n: u32) -> None:\n" + "\n".join(lines)
    folder = tmp_path_factory.mktemp("typing")
    path = folder / "sample.py"
    path.write_text(textwrap.dedent(PRELUDE) + "\n" + body + "\n")
    return checked_by_editor(folder)


def checked_by_editor(folder):
    """Return what basedpyright says of ``sample.py``: the line, how severe, the message."""
    path = folder / "sample.py"
    source = str(Path(__file__).parents[3] / "src")
    config = {"extraPaths": [source], "typeCheckingMode": "standard", "include": ["sample.py"]}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    pytest.importorskip("basedpyright")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(
        [*command, "-p", str(folder)], capture_output=True, text=True, check=False
    )
    text = path.read_text().splitlines()
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [
        (text[item["range"]["start"]["line"]].strip(), item["severity"], item["message"])
        for item in found
    ]


def test_types_shown(said):
    shown = {line: message for line, severity, message in said if severity == "information"}
    for text, expected in SHOWN.items():
        found = re.search(r'is "(.*)"$', shown[f"reveal_type({text})"])
        assert found, text
        assert found.group(1) == expected, text


def test_faults_found(said):
    wrong = {line for line, severity, _ in said if severity == "error"}
    assert set(REFUSED) <= wrong
    assert wrong <= set(REFUSED)


# Every rule of the table -------------------------------------------------------------------------

WORDS = {"f32": "float", "i32": "int", "u32": "int", "void": "None"}
LETTERS = {
    "F": ("f32", "vec3"),
    "N": ("f32", "i32", "vec2u", "vec4i", "vec3"),
    "I": ("u32", "vec2i", "vec4u"),
    "U": ("f32", "u32", "bool", "vec2", "vec3i"),
    "B": ("bool", "vec2b", "vec4b"),
    "V": ("vec2", "vec4"),
    "W": ("vec3", "vec2i", "vec4u"),
    "M": ("mat2", "mat3x4", "mat4"),
}
LOOSE = {"int": "i32", "vec2int": "vec2u", "vec3int": "vec3i"}


def calls_of(name):
    """Yield a call for each rule and meaning of its letters, and the type of the result."""
    for rule in INTRINSICS[name].rules:
        tokens = rule.partition(" -> ")[0].split()
        letter = next((token for token in tokens if token in LETTERS), "")
        for kind in LETTERS.get(letter, ("",)):
            types = [kind if token == letter else LOOSE.get(token, token) for token in tokens]
            mask = f"{kind[:4]}b" if kind.startswith("vec") else "bool"
            types = [mask if token.startswith("mask(") else token for token in types]
            found = [RESOURCE_NAMES.get(t) or NAMES[t] for t in types]
            made = INTRINSICS[name].type_for(found)
            assert made is not None, (name, types)
            arguments = ", ".join(f"a_{t}" for t in types)
            yield f"{name}({arguments})", types, spelled(made)


def test_the_editor_knows_every_rule_of_the_table(tmp_path):
    families = {"number", "derivative", "barrier"}
    names = [n for n, op in INTRINSICS.items() if op.family in families and "." not in n]
    calls = [call for name in names if not INTRINSICS[name].place for call in calls_of(name)]
    assert len(calls) > 190
    used = sorted({t for _, types, _ in calls for t in types})
    lines = [
        "from heapscene.shader import *",
        "from heapscene.shader import all, any, max, min",
        "",
    ]
    lines += [f"def run({', '.join(f'a_{t}: {t}' for t in used)}) -> None:"]
    lines += [f"    reveal_type({text})" for text, _, _ in calls]
    (tmp_path / "sample.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = [found for _, severity, found in checked_by_editor(tmp_path) if severity != "error"]
    shown = [re.search(r'is "(.*)"$', message) for message in shown]
    assert len(shown) == len(calls)
    for found, (text, _, result) in zip(shown, calls, strict=True):
        assert found is not None, text
        assert found.group(1) == WORDS.get(result, result), text


def test_the_stubs_of_textures_are_those_of_the_table(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "tools"))
    tool = importlib.import_module("write_texture_stubs")
    for module in tool.MODULES:
        path = tool.FOLDER / f"{module}.pyi"
        assert path.read_text(encoding="utf-8") == tool.stub(module)
        assert set(tool.MODULES[module].__all__) <= set(INTRINSICS)
