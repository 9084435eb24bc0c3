"""The definition of a function in the lines of its file: found, parsed, and seen to be what runs.

In:    lines of a file, and a function that was made from them.
Out:   the syntax tree of that function, at the positions of the file, and all nodes of it.
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import warnings
from collections import defaultdict
from types import CodeType
from typing import Any, TypeAlias

from heapscene.errors import ShaderSyntaxError, explain
from heapscene.shader.diagnostics import Diagnostic, raise_all

__all__ = ["LEAVES", "Nodes", "children_of", "definition_of", "nodes_of", "parsed"]

_MAX_DEPTH = 150
_TAB = 8  # what Python's tokenizer takes a tab for
_FUTURE = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag,
    __future__.all_feature_names,
    0,
)


Nodes: TypeAlias = "dict[type[ast.AST], list[Any]]"


def definition_of(code: CodeType, lines: list[str], filename: str) -> tuple[ast.FunctionDef, Nodes]:
    """Return the definition that ``code`` was compiled from, and all its nodes by kind.

    Raises
    ------
    ShaderSyntaxError
        The lines are not what was compiled, or are nested too deep.
    """
    found = _guessed(code, lines, filename)
    if found is not None:
        return found
    name, first = code.co_name, max(code.co_firstlineno, 1)
    try:
        block = inspect.getblock(lines[first - 1 :])
    except (SyntaxError, IndexError) as error:
        raise _not_the_text(name, filename) from error
    tree = parsed(block, first, name, filename)
    nodes = nodes_of(tree, filename)
    _check_same_code(tree, nodes, code, lines, filename)
    return tree, nodes


def _guessed(
    code: CodeType, lines: list[str], filename: str
) -> tuple[ast.FunctionDef, Nodes] | None:
    """Return the definition if it ends where its indentation does, as nearly all do.

    To find the end exactly takes a tokenizer, which takes longer than all other reading. A guess is
    right if it gives the very instructions that run. What surrounds a function may change these;
    then there is no guess.
    """
    name, first = code.co_name, max(code.co_firstlineno, 1)
    if first > len(lines):
        return None
    try:
        tree = parsed(lines[first - 1 : _end_of_block(code, lines)], first, name, filename)
    except ShaderSyntaxError:  # a string or parentheses go on further to the left
        return None
    nodes = nodes_of(tree, filename)
    codes = _codes_in(_alone(tree, code.co_freevars), filename, code.co_flags & _FUTURE)
    return (tree, nodes) if _signature(code, []) in codes else None


def _alone(tree: ast.FunctionDef, captured: tuple[str, ...]) -> ast.Module:
    """Return a module with the definition, where what it captures are names of a function."""
    if not captured:
        return ast.Module([tree], [])
    module = ast.parse(f"def outer({', '.join(captured)}): pass")
    outer = module.body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [tree]
    return module


def _end_of_block(code: CodeType, lines: list[str]) -> int:
    """Return the number of lines before the first that is indented no more than the definition."""
    first = max(code.co_firstlineno, 1)
    margin = _indentation(lines[first - 1])
    begin = max([line or 0 for _, _, line in code.co_lines()], default=first)
    for number in range(begin, len(lines)):
        text = lines[number].lstrip()
        if text and text[0] != "#" and _indentation(lines[number]) <= margin:
            return number
    return len(lines)


def _indentation(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(_TAB))


def parsed(block: list[str], first: int, name: str, filename: str) -> ast.FunctionDef:
    """Return the definition of ``name`` in a block of lines that begins on line ``first``.

    Raises
    ------
    ShaderSyntaxError
        The block cannot be parsed, or has no such definition.
    """
    # An indented definition is parsed below an 'if', so that columns stay those of the file.
    indented = block[0][:1] in (" ", "\t")
    # Empty lines before it give its lines the numbers that they have in the file.
    before = "\n" * (first - 2) + "if 1:\n" if indented else "\n" * (first - 1)
    try:
        module = ast.parse(before + "".join(block), filename)
    except SyntaxError as error:
        raise ShaderSyntaxError(
            explain(
                f"the source text of {name!r} cannot be parsed: {error.msg}",
                fix="Save the file as it was when it was imported, or start Python again.",
            )
        ) from error
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise _not_the_text(name, filename)


def nodes_of(tree: ast.FunctionDef, filename: str) -> Nodes:
    """Return all nodes of a definition by kind; operators and ``Load`` or ``Store`` are none.

    Raises
    ------
    ShaderSyntaxError
        They are nested deeper than the compilers of WGSL, and recursive passes over them, can take.
    """
    found: Nodes = defaultdict(list)
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        found[type(node)].append(node)
        if depth > _MAX_DEPTH and isinstance(node, (ast.expr, ast.stmt)):
            raise_all([_too_deep(node, tree.name, filename)])
        if type(node) in LEAVES:
            continue
        children = children_of(node)
        # "a and b and c" is one node of Python and two of the IR, one below the other.
        deeper = len(children) if isinstance(node, (ast.BoolOp, ast.Compare, ast.Call)) else 1
        if isinstance(node, (ast.BoolOp, ast.Compare)):
            deeper += len(node.ops) if isinstance(node, ast.Compare) else 1
        pending += [(child, depth + deeper) for child in children]
    return dict(found)


LEAVES = (ast.Name, ast.Constant)
_PLAIN = ("arg", "attr", "ctx", "id", "kind", "name", "op", "ops", "type_comment")
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def children_of(node: ast.AST) -> list[ast.AST]:
    """List the nodes directly below ``node``, in the order of the text."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif type(value) is list:
            items: list[Any] = value
            found += [each for each in items if isinstance(each, ast.AST)]
    return found


def _too_deep(node: ast.expr | ast.stmt, name: str, filename: str) -> Diagnostic:
    from heapscene.shader.ir.nodes import Span

    end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset + 1)
    span = Span(filename, node.lineno, node.col_offset, *end)
    what = f"this is nested more than {_MAX_DEPTH} deep"
    fix = "Give parts of it names on lines of their own, or move them to a helper."
    return Diagnostic("syntax", what, span, name, {}, fix)


def _check_same_code(
    tree: ast.FunctionDef,
    nodes: Nodes,
    code: CodeType,
    lines: list[str],
    filename: str,
) -> None:
    # pytest rewrites 'assert' before it compiles, so such functions cannot be compared.
    if ast.Assert in nodes:
        return
    codes = _codes_of("".join(lines), filename)
    if codes and _signature(code, []) not in codes:
        raise _not_the_text(tree.name, filename)


@functools.lru_cache(maxsize=4)
def _codes_of(text: str, filename: str) -> frozenset[tuple[Any, ...]]:
    # The whole file, since what surrounds a function changes its instructions.
    return frozenset(_codes_in(text, filename))


def _codes_in(source: str | ast.Module, filename: str, flags: int = 0) -> list[tuple[Any, ...]]:
    """Return the signatures of all code in a text; none if it is no Python by itself."""
    found: list[tuple[Any, ...]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code = compile(source, filename, "exec", flags, dont_inherit=True)
        except SyntaxError:  # for example a cell with magic commands
            return found
    _signature(code, found)
    return found


def _signature(code: CodeType, found: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return what tells code from other code, and append it, and all in it, to ``found``."""
    constants = [
        _signature(each, found) if isinstance(each, CodeType) else repr(each)
        for each in code.co_consts
    ]
    made = (code.co_name, code.co_code, tuple(constants), code.co_names)
    found.append(made)
    return made


def _not_the_text(name: str, filename: str) -> ShaderSyntaxError:
    return ShaderSyntaxError(
        explain(
            f"the source text does not belong to the running function {name!r}",
            facts={"file": filename},
            fix="Was the file edited after it was imported? Start Python again.",
        )
    )
