"""What an editor says about shader code: the types it shows, and the faults it finds."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PRELUDE = """
from heapscene.shader import (
    all, builtin, f32, flat, function, mat4, max, mix, normalize, select, storage, struct,
    u32, vec2, vec3, vec4,
)

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
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    lines = [f"    reveal_type({text})" for text in SHOWN] + [f"    {text}" for text in REFUSED]
    body = "@function\ndef run(p: vec3, u: Inputs, n: u32) -> None:\n" + "\n".join(lines)
    folder = tmp_path_factory.mktemp("typing")
    path = folder / "sample.py"
    path.write_text(textwrap.dedent(PRELUDE) + "\n" + body + "\n")
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
