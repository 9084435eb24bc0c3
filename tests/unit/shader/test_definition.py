"""Finding a definition in its lines: a guess that is checked, against parsing the whole file."""

from __future__ import annotations

import ast
import inspect
import linecache
import random
import textwrap

import pytest

from heapscene.errors import ShaderSyntaxError
from heapscene.shader import ComputeProgram, builtin, compute, f32, function, storage, vec3u
from heapscene.shader.definition import definition_of, nodes_of
from heapscene.shader.source import read_source

SIGNATURES = [
    "def {name}(x, y=1.0):",
    "def {name}(\n{margin}    x,\n{margin}    y=1.0,\n{margin}) -> float:",
    "def {name}(x,  # why {{\n  y='''\n{margin}no def here(:\n'''):",
]
DECORATORS = [
    "",
    "@mark\n{margin}",
    "@mark_with(\n{margin}    1,\n{margin})\n{margin}@mark\n{margin}",
]
STATEMENTS = [
    "x = x + {number}",
    "if x > {number}:\n    x = x - {number}\nelse:\n    x = x * {number}",
    "for k in range(3):\n    while x > {number}:\n        x = x * 0.5\n        # deep",
    "x = (\n{left}{number}\n{left}+ x)",
    "x = x + \\\n{left}{number}",
    "x = x if x > 1 \\\n{left}else {number}",
    'x = x + len("""\n{left}def wrong():\n{left}    return 1\n""") + {number}',
    "{left}# a comment further to the left\nx = x - {number}",
    "\n\n   \nx = {number}; x = x + 1.0",
    "def inner(z):\n    return z * {number}\nx = inner(x)",
    "x = x + é_{number_name}(x)",
    "x = sum(x for _ in range(2)) + {number}",
]
ENDS = ["\n", "", "\n# the end", "\n\n\n    # deeper than anything\n", "\n# left\n"]
AROUND = [
    "{block}",
    "if True:\n{block}",
    "class Around_{name}:\n{block}\nsame = Around_{name}.{name}\nglobals()['{name}'] = same",
    "def make_{name}(captured, other):\n{block}\n{inner}return {name}\n{name} = make_{name}(2.0, 3)",
]


def a_file(rng: random.Random) -> tuple[str, dict[str, float]]:
    """Return the text of a module, and its functions, each with a number that only it has."""
    texts = ["def mark(f):\n    return f\n\ndef mark_with(_):\n    return mark\n"]
    numbers: dict[str, float] = {}
    for count in range(rng.randint(1, 5)):
        name, number = f"f{count}", 1000.5 + count
        around = rng.choice(AROUND)
        inner = rng.choice(["    ", "\t", " "]) if around != "{block}" else ""
        left = rng.choice(["", inner, inner + "  "])
        step = rng.choice(["    ", "  ", "\t"])
        head = rng.choice(DECORATORS) + rng.choice(SIGNATURES)
        lines = [head.format(name=name, margin=inner)]
        body = [rng.choice(STATEMENTS) for _ in range(rng.randint(1, 4))]
        body.append("return x + captured" if "captured" in around else "return x")
        for statement in body:
            made = statement.format(number=number, number_name=count, left="\0" + left)
            lines.append(textwrap.indent(made, inner + step))
        block = inner + "\n".join(lines) + rng.choice(ENDS)
        # What is marked stands where it is, however deep the statement.
        block = "\n".join(
            line.split("\0")[-1] if "\0" in line else line for line in block.split("\n")
        )
        texts.append(around.format(block=block, name=name, inner=inner))
        numbers[name] = number
        texts.append("\n".join(f"é_{count} = float" for _ in range(rng.randint(1, 2))))
    return "\n".join(texts) + rng.choice(["", "\n"]), numbers


def dumped(tree: ast.AST) -> str:
    return ast.dump(tree, include_attributes=True)


def whole_file(text: str, name: str) -> str:
    """Find the definition the slow way."""
    found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    return dumped(next(node for node in found if node.name == name))


@pytest.mark.parametrize("seed", range(150))
def test_definitions_are_those_of_the_whole_file(seed: int):
    rng = random.Random(seed)
    text, numbers = a_file(rng)
    scope: dict[str, object] = {}
    exec(compile(text, "<file>", "exec"), scope)
    lines = text.splitlines(keepends=True)
    shifted = ["\n", *lines]
    changed = rng.choice(sorted(numbers))
    edited = [line.replace(str(numbers[changed]), "7.25") for line in lines]
    for name in numbers:
        code = scope[name].__code__
        tree, nodes = definition_of(code, lines, "<file>")
        assert dumped(tree) == whole_file(text, name)
        assert {node.id for node in nodes[ast.Name]} == {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
        }
        if name == changed and "7.25" in "".join(edited):
            with pytest.raises(ShaderSyntaxError, match="does not belong"):
                definition_of(code, edited, "<file>")
        try:
            moved, _ = definition_of(code, shifted, "<file>")
        except ShaderSyntaxError:
            continue
        assert dumped(moved) == whole_file("".join(shifted), name)


@pytest.fixture
def tokenized(monkeypatch):
    """Count how often the end of a definition is looked for token by token."""
    calls: list[int] = []
    careful = inspect.getblock
    monkeypatch.setattr(inspect, "getblock", lambda lines: calls.append(1) or careful(lines))
    return calls


def test_a_guess_that_cannot_be_parsed_is_replaced(tokenized):
    text = "def f(x):\n    x = x + (\n1.0)\n    return x\n"
    scope: dict[str, object] = {}
    exec(compile(text, "<left>", "exec"), scope)
    tree, _ = definition_of(scope["f"].__code__, text.splitlines(keepends=True), "<left>")
    assert dumped(tree) == whole_file(text, "f")
    assert len(tokenized) <= 1


def test_a_mangled_name_needs_the_class_around(tokenized):
    text = "class A:\n    def f(self):\n        return self.__x\n\nf = A.f\n"
    scope: dict[str, object] = {}
    exec(compile(text, "<mangled>", "exec"), scope)
    tree, _ = definition_of(scope["f"].__code__, text.splitlines(keepends=True), "<mangled>")
    assert tree.name == "f"
    assert len(tokenized) == 1


def test_annotations_of_the_future_are_no_difference(tokenized):
    text = (
        "from __future__ import annotations\n\n"
        "def f(x):\n    def inner(y: Unknown) -> x.y:\n        return y\n    return inner\n"
    )
    scope: dict[str, object] = {}
    exec(compile(text, "<future>", "exec", dont_inherit=True), scope)
    assert definition_of(scope["f"].__code__, text.splitlines(keepends=True), "<future>")
    assert not tokenized


def test_closures_are_guessed_too(tokenized):
    half, limit = 0.5, 4.0

    @function
    def halved(x: f32) -> f32:
        return x * half if x < limit else x

    assert halved(2.0) == 1.0
    assert not tokenized


PROGRAM = """
from heapscene.shader import *

target = storage("target", f32, binding=0, access="read_write")

@function
def doubled(x: f32) -> f32:
    return x * 2.0 + {number}

@compute(workgroup_size=64)
def main(thread: vec3u = builtin.global_invocation_id) -> None:
    target[thread.x] = doubled(f32(thread.x))
"""


def run_cell(name: str, text: str) -> dict[str, object]:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, object] = {"__name__": "notebook"}
    exec(compile(text, name, "exec", dont_inherit=True), scope)
    return scope


def test_each_function_is_parsed_once_and_its_tree_let_go(monkeypatch, tokenized):
    texts: list[str] = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text, *more: texts.append(text) or parse(text, *more))
    scope = run_cell("<cell 1>", PROGRAM.format(number=1.25))
    assert not texts  # importing a module of shaders parses nothing
    assert "1.25f" in ComputeProgram(scope["main"]).wgsl
    assert len(texts) == 2
    assert not tokenized
    source = scope["doubled"].source
    assert source._read is None
    assert source.tree.name == "doubled"  # read again
    assert len(texts) == 3


def test_a_cell_that_runs_again_is_another_function():
    first = run_cell("<cell 2>", PROGRAM.format(number=1.25))
    again = run_cell("<cell 2>", PROGRAM.format(number=2.5))
    assert "2.5f" in ComputeProgram(again["main"]).wgsl
    assert "1.25f" in ComputeProgram(first["main"]).wgsl  # lines of the time of the decorator
    assert first["doubled"](1.0) == 3.25
    assert again["doubled"](1.0) == 4.5


def test_a_tree_that_was_let_go_is_still_checked(tmp_path):
    path = tmp_path / "kept.py"
    path.write_text("def f(x):\n    return x + 1.0\n")
    scope: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    source = read_source(scope["f"])
    before = dumped(source.tree)
    source.forget()
    assert dumped(source.tree) == before
    source.forget()
    source.lines[1] = "    return x - 1.0\n"
    with pytest.raises(ShaderSyntaxError, match="does not belong"):
        _ = source.tree


def test_depth_counts_what_becomes_nested():
    chain = " and ".join(["x"] * 200)
    with pytest.raises(ShaderSyntaxError, match="nested more than"):
        nodes_of(ast.parse(f"def f(x):\n    return {chain}\n").body[0], "<deep>")
    row = "\n".join(["    x = x + x"] * 400)
    found = nodes_of(ast.parse(f"def f(x):\n{row}\n").body[0], "<long>")
    assert len(found[ast.Name]) == 1200


def test_stored_functions_stay_what_they_were():
    numbers = storage("numbers", f32, binding=0, access="read_write")

    @compute(workgroup_size=1)
    def fill(thread: vec3u = builtin.global_invocation_id) -> None:
        numbers[thread.x] = 1.0

    made = ComputeProgram(fill)
    assert made.hash == ComputeProgram(fill).hash
    assert fill.ir is made.module.entries[0].function
