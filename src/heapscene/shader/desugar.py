"""What CPython and the compiler see alike: ``match`` written as ``if``, and calls of ``static``.

Patterns compare: numbers, bools, enumeration members, several of them joined by ``|``, and ``_``.
Anything else is left as it is, and refused where it is compiled.
"""

from __future__ import annotations

import ast
import copy
from functools import reduce
from typing import TYPE_CHECKING, Any

from heapscene.shader.lang import static

if TYPE_CHECKING:
    from heapscene.shader.source import FunctionSource

__all__ = ["desugared", "is_static_call", "static_names"]


def desugared(source: FunctionSource) -> ast.FunctionDef:
    """Return the definition without ``match``; the tree itself stays as it is."""
    if source.nodes(ast.Match):
        return ast.fix_missing_locations(_Matches().visit(copy.deepcopy(source.tree)))
    return source.tree


def static_names(source: FunctionSource) -> frozenset[str]:
    """Return the names under which a function calls :func:`~heapscene.shader.static`."""
    called = {_dotted(node.func) for node in source.nodes(ast.Call)}
    return frozenset(name for name in called if name and source.stands_for(name, static))


def is_static_call(node: ast.AST, names: frozenset[str]) -> bool:
    """Tell whether a node calls ``static`` by one of these names."""
    return isinstance(node, ast.Call) and bool(names) and _dotted(node.func) in names


def _dotted(node: ast.expr) -> str:
    """Return a name with dots as it is written, or nothing for other expressions."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


class _Matches(ast.NodeTransformer):
    def __init__(self) -> None:
        self._count = 0

    def visit_Match(self, node: ast.Match) -> Any:
        self.generic_visit(node)
        if not all(_is_plain(case.pattern) for case in node.cases):
            return node
        if any(_is_open(case) for case in node.cases[:-1]):
            return node  # Python refuses it, and would say so
        self._count += 1
        name = f"subject_{self._count}"
        begin = ast.copy_location(
            ast.Assign([_name(name, node.subject, ast.Store())], node.subject), node
        )
        begin.end_lineno, begin.end_col_offset = (
            node.subject.end_lineno,
            node.subject.end_col_offset,
        )
        rest: list[ast.stmt] = []
        for case in reversed(node.cases):
            test = _test(case, name)
            if test is None:
                rest = case.body
                continue
            branch = ast.copy_location(ast.If(test, case.body, rest), case.pattern)
            branch.end_lineno = case.body[-1].end_lineno
            branch.end_col_offset = case.body[-1].end_col_offset
            rest = [branch]
        return [begin, *rest]


def _name(name: str, at: ast.AST, how: ast.expr_context) -> ast.expr:
    return ast.copy_location(ast.Name(name, how), at)


def _is_plain(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue():
            return True
        case ast.MatchSingleton(value=value):
            return isinstance(value, bool)
        case ast.MatchOr(patterns=patterns):
            return all(isinstance(each, ast.MatchValue | ast.MatchSingleton) for each in patterns)
        case ast.MatchAs(pattern=None, name=None):
            return True
        case _:
            return False


def _is_open(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.guard is None


def _test(case: ast.match_case, name: str) -> ast.expr | None:
    parts = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
    tests: list[ast.expr] = []
    for part in parts:
        match part:
            case ast.MatchValue(value=value):
                made: ast.expr = ast.Compare(_name(name, part, ast.Load()), [ast.Eq()], [value])
                tests.append(ast.copy_location(made, part))
            case ast.MatchSingleton(value=value):
                subject = _name(name, part, ast.Load())
                made = subject if value else ast.UnaryOp(ast.Not(), subject)
                tests.append(ast.copy_location(made, part))
            case _:
                pass
    found = reduce(lambda a, b: _joined(ast.Or(), a, b), tests) if tests else None
    if case.guard is None:
        return found
    return case.guard if found is None else _joined(ast.And(), found, case.guard)


def _joined(op: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    made = ast.copy_location(ast.BoolOp(op, [left, right]), left)
    made.end_lineno, made.end_col_offset = right.end_lineno, right.end_col_offset
    return made
