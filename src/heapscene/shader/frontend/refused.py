"""What of Python is not part of the language, and what to write instead."""

from __future__ import annotations

import ast

__all__ = ["EXPRESSIONS", "STATEMENTS", "instead_of_in", "instead_of_loop"]

EXPRESSIONS: dict[type, tuple[str, str]] = {
    ast.Lambda: ("lambda", "Write a helper with @function."),
    ast.List: ("a list", "Use a vector, or a workgroup array."),
    ast.Tuple: (
        "a tuple as a value",
        "Use a vector or a @struct, or return it as tuple[f32, vec3].",
    ),
    ast.Dict: ("a dict", "Use a @struct."),
    ast.Set: ("a set", "Compare with == and or."),
    ast.ListComp: ("a comprehension", "Write a 'for' loop."),
    ast.SetComp: ("a comprehension", "Write a 'for' loop."),
    ast.DictComp: ("a comprehension", "Write a 'for' loop."),
    ast.GeneratorExp: ("a generator", "Write a 'for' loop."),
    ast.JoinedStr: ("an f-string", "Shaders have no text."),
    ast.NamedExpr: ("':='", "Assign on a line of its own."),
    ast.Starred: ("'*'", "Give the arguments one by one."),
    ast.Await: ("await", "Shaders run to their end."),
    ast.Yield: ("yield", "Return one value."),
    ast.YieldFrom: ("yield", "Return one value."),
    ast.Slice: ("a slice", "Index one element, or use a swizzle such as v.xyz."),
}
"""Expressions: what they are called, and the advice."""

STATEMENTS: dict[type, tuple[str, str]] = {
    ast.Try: ("'try'", "Shaders raise nothing."),
    ast.With: ("'with'", "Shaders open nothing: write its body."),
    ast.Raise: ("'raise'", "Return a value that says so, or discard()."),
    ast.Global: ("'global'", "Pass the value as a parameter."),
    ast.Nonlocal: ("'nonlocal'", "Pass the value as a parameter."),
    ast.Delete: ("'del'", "Remove the line: variables end with the function."),
    ast.Import: ("'import'", "Import at the top of the module."),
    ast.ImportFrom: ("'import'", "Import at the top of the module."),
    ast.Match: ("'match'", "Write if, elif, else."),
    ast.FunctionDef: ("a function inside a function", "Define it outside, with @function."),
    ast.AsyncFunctionDef: ("'async'", "Shaders run to their end."),
    ast.AsyncFor: ("'async'", "Shaders run to their end."),
    ast.AsyncWith: ("'async'", "Shaders run to their end."),
    ast.ClassDef: ("a class inside a function", "Define it outside, with @struct."),
}
"""Statements, likewise."""


def instead_of_in(node: ast.Compare, op: ast.cmpop) -> str:
    """Return what to write instead of ``in`` and ``is``."""
    left, found = ast.unparse(node.left), node.comparators[0]
    within, equal, join = (
        ("not ", "!=", " and ") if isinstance(op, ast.NotIn) else ("", "==", " or ")
    )
    if len(node.ops) == 1 and isinstance(op, ast.In | ast.NotIn):
        match found:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) if parts:
                each = [f"{left} {equal} {ast.unparse(part)}" for part in parts]
                return f"Write {join.join(each)}."
            case ast.Call(func=ast.Name(id="range"), args=[stop]):
                text = f"0 <= {left} < {ast.unparse(stop)}"
                return f"Write {within}({text})." if within else f"Write {text}."
            case _:
                pass
    return "Compare with == and !=."


def instead_of_loop(node: ast.expr) -> str:
    """Return what a loop may run over instead of something else."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
    if parts and all(isinstance(part, ast.Constant) for part in parts):
        return f"Write static({ast.unparse(node)})."
    return "Write for i in range(n): and index with i."
