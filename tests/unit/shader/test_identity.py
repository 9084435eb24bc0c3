"""The hash of a program: what it must not depend on, and everything that it must."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

import heapscene.shader as language
from heapscene.shader import ComputeProgram, Program

PROGRAM = """\
@struct
class Attributes:
    position: vec3
    uv: vec2 = vec2(0.0)

@struct
class Inputs:
    model: mat4
    gain: f32 = 2.0

@struct
class Varyings:
    clip: vec4 = builtin.position
    uv: vec2
    kind: u32 = flat

@struct
class Paint:
    color: vec4

@function
def wave(x: f32, steps: u32) -> f32:
    total = 0.25
    for k in range(1, 5, 2):
        if f32(k) > x and steps != 3 or x < 0.125:
            total += sin(x * f32(k)) / 7.0
        else:
            total = total - max(x, 0.5)
    while total > 9.0:
        total = -total * GAIN
    return total

@vertex
def place(a: Attributes, u: Inputs, number: u32 = builtin.vertex_index) -> Varyings:
    height = wave(a.position.x, number // 6)
    moved = a.position + SHIFT * height * u.gain
    return Varyings(clip=u.model @ vec4(moved, 1.0), uv=a.uv.yx, kind=number & 11)

@fragment
def shade(v: Varyings, u: Paint) -> vec4:
    return vec4(v.uv, numbers[v.kind + 1], 0.75) * u.color
"""

KERNEL = """\
@compute(workgroup_size=64)
def double(i: u32 = builtin.local_invocation_index) -> None:
    tile[i] = words[i]
    workgroup_barrier()
    results[i] = words[i] << 1 | u32(params.size) ^ 13
"""

CAPTURES = """\
GAIN = 0.5
SHIFT = vec3(0.0, 1.0, 0.0)
numbers = storage("numbers", f32, binding=3)
words = storage("words", u32, binding=0)
results = storage("results", u32, binding=1, access="read_write")
tile = workgroup("tile", u32, 64)
@struct
class Params:
    size: f32
params = uniform("params", Params, binding=2)
"""

numbered = count()


def scope_of(text: str) -> dict:
    """Run a text of decorated functions as if each stood in a file."""
    scope = {n: getattr(language, n) for n in vars(language) if n[0] != "_"}
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            name = f"SOURCE_{next(numbered)}"
            scope[name] = "".join(lines[node.lineno - 1 : node.end_lineno])
            at = node.decorator_list[0].lineno - 1
            old = lines[at].rstrip("\n")
            lines[at] = f"{old[:-1]}, source={name})\n" if "(" in old else f"{old}(source={name})\n"
    exec(compile("".join(lines), "<identity>", "exec", dont_inherit=True), scope)
    return scope


def hash_of(program: str = PROGRAM, captures: str = CAPTURES) -> str:
    scope = scope_of(captures + program)
    if "place" in scope:
        return Program(scope["place"], scope["shade"]).hash
    return ComputeProgram(scope["double"]).hash


SAME = {
    "locals": ("total", "sum_of_all"),
    "loop variable": (r"\bk\b", "index"),
    "parameters": (r"(?<!\.)\bx\b", "place_on_x"),
    "helper": ("wave", "ripple"),
    "struct parameter": (r"\ba\b", "attributes"),
    "comment": (r"    total = 0.25\n", "    # what follows is a sum\n    total = 0.25\n\n"),
    "docstring": (r"(def wave.*)\n", r'\1\n    """Make waves."""\n'),
    "parentheses": ("-total \\* GAIN", "((-total) * (GAIN))"),
    "another spelling": ("number & 11", "number & 0b1011"),
    "capture's name": ("GAIN", "SOME_FACTOR"),
}


@pytest.mark.parametrize("name", SAME)
def test_equal_content(name):
    old, new = SAME[name]
    changed, changed_captures = (re.sub(old, new, text) for text in (PROGRAM, CAPTURES))
    assert changed != PROGRAM
    assert hash_of(changed, changed_captures) == hash_of()


def test_equal_wherever_it_stands_in_a_file():
    assert hash_of("\n\n\n# moved\n" + PROGRAM) == hash_of()


def test_equal_when_stage_functions_have_other_names():
    text = PROGRAM.replace("def shade", "def paint")
    scope = scope_of(CAPTURES + text)
    assert Program(scope["place"], scope["paint"]).hash == hash_of()


OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mod,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitXor, ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift,
    ast.Gt: ast.GtE, ast.Lt: ast.LtE, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def mutants(text: str):
    """Change each literal and each operator, one at a time."""
    for number, node in enumerate(ast.walk(ast.parse(text))):
        tree = ast.parse(text)
        twin = list(ast.walk(tree))[number]
        match node:
            case ast.Constant(value=bool() | str()):
                continue
            case ast.Constant(value=int() as value):
                if value == 64:  # a workgroup's size
                    continue
                twin.value = value + 1
            case ast.Constant(value=float() as value):
                twin.value = value * 1.5 + 0.25
            case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op):
                if type(op) not in OPERATORS:
                    continue
                twin.op = OPERATORS[type(op)]()
            case ast.Compare(ops=[op]):
                twin.ops = [OPERATORS[type(op)]()]
            case _:
                continue
        yield ast.unparse(tree) + "\n", ast.unparse(node) if isinstance(node, ast.expr) else "+="


@pytest.mark.parametrize("text", [PROGRAM, KERNEL], ids=["program", "kernel"])
def test_every_literal_and_operator_counts(text):
    base = hash_of(text)
    found = [base]
    for changed, what in mutants(text):
        mutant = hash_of(changed)
        assert mutant != base, what
        found.append(mutant)
    assert len(set(found)) == len(found)
    assert len(found) > (30 if text == PROGRAM else 3)


DIFFERENT = {
    "type of an input": ("color: vec4", "color: f32"),
    "name of an attribute": (r"(?<!builtin\.)position", "place_of"),
    "name of an input": ("color", "colour"),
    "default of an attribute": (r"vec2\(0.0\)", "vec2(1.0)"),
    "default of an input": ("gain: f32 = 2.0", "gain: f32 = 3.0"),
    "no default": ("gain: f32 = 2.0", "gain: f32"),
    "builtin": ("builtin.vertex_index", "builtin.instance_index"),
    "order of operands": ("-total \\* GAIN", "GAIN * -total"),
    "intrinsic": (r"sin\(", "cos("),
    "swizzle": ("a.uv.yx", "a.uv.xy"),
    "branch": (r"steps != 3 or", "steps != 3 and"),
    "bounds": (r"range\(1, 5, 2\)", "range(5, 1, -2)"),
    "what is returned": (", kind=number", ", kind=number + number"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_content(name):
    old, new = DIFFERENT[name]
    changed = re.sub(old, new, PROGRAM)
    assert changed != PROGRAM
    assert hash_of(changed) != hash_of()


CAPTURED = {
    "number": ("GAIN = 0.5", "GAIN = 0.625"),
    "vector": ("0.0, 1.0, 0.0", "0.0, 1.0, 0.5"),
    "binding": ("binding=3", "binding=4"),
    "group": ("binding=3", "binding=3, group=1"),
    "element": ('"numbers", f32', '"numbers", u32'),
}


@pytest.mark.parametrize("name", CAPTURED)
def test_a_capture_counts(name):
    old, new = CAPTURED[name]
    text = PROGRAM.replace("numbers[v.kind + 1]", "f32(numbers[v.kind + 1])")
    assert hash_of(text, CAPTURES.replace(old, new)) != hash_of(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("workgroup_size=64", "workgroup_size=32"),
        ("workgroup_size=64", "workgroup_size=(32, 2)"),
        ("workgroup_barrier", "storage_barrier"),
    ],
)
def test_an_option_of_a_kernel_counts(old, new):
    assert hash_of(KERNEL.replace(old, new)) != hash_of(KERNEL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"tile", u32, 64', '"tile", u32, 128'),
        ('workgroup("tile", u32, 64)', 'private("tile", u32, 64)'),
        ('"results", u32, binding=1', '"results", u32, binding=5'),
        ("binding=0)", 'binding=0, access="read_write")'),
        ("size: f32", "size: i32"),
        ("size: f32", "size: f32\n    more: f32"),
    ],
)
def test_a_resource_of_a_kernel_counts(old, new):
    changed = CAPTURES.replace(old, new)
    assert changed != CAPTURES
    assert hash_of(KERNEL, changed) != hash_of(KERNEL)


def test_interpolation_counts_where_there_is_one():
    assert hash_of(PROGRAM.replace("uv: vec2\n", "uv: vec2 = flat\n")) != hash_of()


def test_types_of_attributes_count():
    text = PROGRAM.replace("uv=a.uv.yx", "uv=vec2(a.uv).yx")
    changed = text.replace("uv: vec2 = vec2(0.0)", "uv: vec2i = vec2i(0)")
    assert hash_of(changed) != hash_of(text)


def test_equal_in_every_process(tmp_path):
    script = tmp_path / "hashes.py"
    folder = str(Path(__file__).parent)
    script.write_text(
        f"import sys; sys.path[:0] = [{folder!r}]\n"
        "import test_identity as t\n"
        "print(t.hash_of(), t.hash_of(t.KERNEL))\n",
        encoding="utf-8",
    )
    found = {
        subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "77")
    }
    assert found == {f"{hash_of()} {hash_of(KERNEL)}\n"}
