"""Reading the text of functions and resolving their names."""

from __future__ import annotations

import ast
import linecache
import textwrap
import types

import pytest

from heapscene.errors import ShaderNameError, ShaderSyntaxError, ShaderTypeError
from heapscene.shader import f32, function, struct, vec3, vertex
from heapscene.shader.source import read_source

OFFSET = 3.0


@function
def plain(x: f32) -> f32:
    return x + OFFSET  # resolved in the module


def lines_of_this_file() -> list[str]:
    with open(__file__, encoding="utf-8") as file:  # noqa: PTH123
        return file.read().splitlines(keepends=True)


def segment(source, node) -> str:
    line = source.lines[node.lineno - 1].encode()
    return line[node.col_offset : node.end_col_offset].decode()


def test_positions_are_those_of_the_file():
    source = plain.source
    assert source.filename == __file__
    assert source.lines == lines_of_this_file()
    returned = source.tree.body[0].value
    assert segment(source, returned) == "x + OFFSET"
    assert source.lines[source.tree.lineno - 1].startswith("def plain")
    assert source.text.startswith("@function\ndef plain")


def test_positions_of_an_indented_function():
    factor = 2.0

    @function
    def inner(x: f32) -> f32:
        """é
        not indented"""
        return x * factor

    source = inner.source
    returned = source.tree.body[-1]
    assert isinstance(returned, ast.Return)
    assert segment(source, returned) == "return x * factor"
    assert returned.col_offset == 8
    assert source.resolve("factor") == 2.0
    assert source.resolve("OFFSET") == 3.0
    assert source.resolve("max") is max


def test_names_are_looked_up_late():
    @function
    def caller(x: f32) -> f32:
        return later(x)

    with pytest.raises(ShaderNameError):
        caller.source.resolve("later")

    @function
    def later(x: f32) -> f32:
        return x * 2.0

    assert caller.source.resolve("later") is later
    assert caller(3.0) == 6


def test_unknown_name_suggests():
    with pytest.raises(ShaderNameError, match=r"similar +OFFSET") as caught:
        plain.source.resolve("OFSET")
    assert isinstance(caught.value, NameError)
    assert f"plain ({__file__}:" in str(caught.value)


def test_annotations_with_local_types():
    @struct
    class Local:
        x: f32

    @function
    def first(a: Local) -> f32:
        return a.x

    @vertex
    def second(a: Local) -> Local:
        return Local(x=a.x)

    assert first.parameters[0].annotation is Local
    assert first.parameters[0].type == Local.__shader_type__
    assert first.returns is f32
    assert second.returns is Local
    assert first(Local(x=2)) == 2


def test_text_that_is_not_there():
    scope = {"function": function, "f32": f32}
    text = "@function\ndef hidden(x: f32) -> f32:\n    return x * 2.0\n"
    with pytest.raises(ShaderSyntaxError, match="source=text"):
        exec(text, scope)
    bare = text.replace("@function", "@function(source=TEXT)")
    exec(bare, {**scope, "TEXT": bare}, scope)
    assert scope["hidden"](4.0) == 8
    assert "return x * 2.0" in "".join(linecache.getlines(scope["hidden"].source.filename))


def test_text_known_to_linecache_only():
    text = "@function\ndef cell(x: f32) -> f32:\n    return x * 4.0\n"
    linecache.cache["<cell 7>"] = (len(text), None, text.splitlines(keepends=True), "<cell 7>")
    scope = {"function": function, "f32": f32, "__name__": "notebook"}
    exec(compile(text, "<cell 7>", "exec"), scope)
    assert scope["cell"](1.0) == 4
    assert scope["cell"].source.filename == "<cell 7>"
    del linecache.cache["<cell 7>"]


def test_text_of_other_code_is_refused(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return x + 1.0\n")
    module = types.ModuleType("edited")
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    assert read_source(module.f).tree.name == "f"
    for changed in (
        "def f(x):\n    return x - 1.0\n",
        "def f(x):\n    return x + 2.0\n",
        "y = 1\n",
    ):
        path.write_text(changed + "# longer, so that the cached text is seen to be old\n" * 2)
        with pytest.raises(ShaderSyntaxError):
            _ = read_source(module.f).tree


def test_text_is_that_of_the_time_of_the_decorator(tmp_path):
    path = tmp_path / "late.py"
    text = "def f(x):\n    return x + 1.0\n"
    path.write_text(text)
    module = types.ModuleType("late")
    exec(compile(text, str(path), "exec"), vars(module))
    read = read_source(module.f)
    path.write_text("def f(x):\n    return x - 1.0\n" * 3)
    linecache.checkcache(str(path))
    assert read.text == text
    assert read.tree.name == "f"


def test_text_of_local_functions_is_checked_at_once(tmp_path):
    path = tmp_path / "inner.py"
    text = "def outer():\n    def f(x):\n        return x + 1.0\n    return f\n"
    path.write_text(text.replace("+", "-"))
    module = types.ModuleType("inner")
    exec(compile(text, str(path), "exec"), vars(module))
    with pytest.raises(ShaderSyntaxError, match="does not belong"):
        read_source(module.outer())


def test_busy_functions_pass_the_check():
    limit = 4

    @function
    def busy(v: vec3, n: f32 = 1.0) -> vec3:
        """Have a docstring."""
        total = vec3(0.0)
        for i in range(limit):
            if i == 2 and n > 0.5:
                continue
            total = total + v * (0.5 if i > 1 else n)
        while total.x > 100.0:
            total = total * 0.5
        return total

    assert busy(vec3(1.0)).x == 2.5
    assert busy(vec3(1.0), 2.0).x == 6.5 - 2.0


def test_what_cannot_be_a_shader_function():
    with pytest.raises(ShaderSyntaxError, match="lambda"):
        function(lambda x: x)
    with pytest.raises(ShaderTypeError, match="'def'"):
        function(len)
    with pytest.raises(ShaderTypeError, match="cannot be given by position"):

        @function
        def keyword_only(*, x: f32) -> f32:
            return x

    with pytest.raises(ShaderTypeError, match="cannot be given by position"):

        @function
        def starred(*x: f32) -> f32:
            return x[0]

    @function
    def untyped(x) -> f32:
        return x

    with pytest.raises(ShaderTypeError, match="has no type"):
        _ = untyped.parameters

    @function
    def wrongly_typed(x: int) -> f32:
        return x

    with pytest.raises(ShaderTypeError, match=r"parameter 'x' of wrongly_typed.*\n*.*i32"):
        _ = wrongly_typed.parameters


def test_tabs_and_many_lines():
    text = textwrap.dedent(
        """
        if True:
        \t@function(source=TEXT)
        \tdef tabbed(
        \t\tx: f32,
        \t) -> f32:
        \t\treturn (
        \t\t\tx
        \t\t\t* 2.0
        \t\t)
        """
    )
    scope = {"function": function, "f32": f32, "TEXT": text}
    exec(text, scope)
    assert scope["tabbed"](2.0) == 4
    assert scope["tabbed"].source.tree.lineno == 4


def test_only_named_locals_are_kept():
    marker = object()

    @function
    def small(x: f32) -> f32:
        return x

    assert marker
    assert not small.source._enclosing


def test_annotation_in_quotes():
    @function
    def quoted(x: "f32", y: "Later") -> "f32":  # noqa: UP037
        return x * y.scale

    @struct
    class Later:
        scale: f32

    with pytest.raises(ShaderNameError, match="Later"):
        _ = quoted.parameters
    globals()["Later"] = Later
    assert quoted(2, Later(scale=3)) == 6
    del globals()["Later"]
