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
