"""Where the variables of a function live: Python has one scope per function, WGSL one per block.

Each variable is declared in the innermost block that holds all its uses.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from heapscene.shader.definition import LEAVES, children_of

__all__ = ["Uses", "find_uses"]


@dataclass(slots=True)
class Uses:
    """Uses of one name.

    Attributes
    ----------
    depth
        How many blocks are open where the name has to be declared; 0 is the function's own block.
    stores
        How often it is assigned.
    first
        Its first assignment.
    """

    path: tuple[int, ...]
    stores: int = 0
    first: ast.expr | None = field(default=None)

    @property
    def depth(self) -> int:
        """How many blocks are open where the name is declared."""
        return len(self.path)


class _Finder:
    def __init__(self) -> None:
        self.uses: dict[str, Uses] = {}
        self._blocks = 0

    def block(self, statements: list[ast.stmt], path: tuple[int, ...]) -> None:
        for statement in statements:
            self._statement(statement, path)

    def _inner(self, statements: list[ast.stmt], path: tuple[int, ...]) -> None:
        self._blocks += 1
        self.block(statements, (*path, self._blocks))

    def _statement(self, node: ast.stmt, path: tuple[int, ...]) -> None:
        match node:
            case ast.If(test=test) | ast.While(test=test):
                self._names(test, path)
                self._inner(node.body, path)
                self._inner(node.orelse, path)
            case ast.For():
                self._names(node.iter, path)
                self._inner(node.body, path)
                self._inner(node.orelse, path)
            case ast.AnnAssign():
                self._names(node.target, path)
                if node.value is not None:
                    self._names(node.value, path)
            case ast.AugAssign():
                self._names(node, path)
                if isinstance(node.target, ast.Name):
                    self._use(node.target, path, stored=True)
            case _:
                self._names(node, path)

    def _names(self, root: ast.AST, path: tuple[int, ...]) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name):
                self._use(node, path, stored=isinstance(node.ctx, ast.Store))
            elif type(node) not in LEAVES:
                stack += reversed(children_of(node))

    def _use(self, node: ast.Name, path: tuple[int, ...], *, stored: bool) -> None:
        uses = self.uses.get(node.id)
        if uses is None:
            uses = self.uses[node.id] = Uses(path)
        elif uses.path is not path:
            length = 0
            for a, b in zip(uses.path, path, strict=False):
                if a != b:
                    break
                length += 1
            uses.path = uses.path[:length]
        if stored:
            uses.stores += 1
            uses.first = uses.first or node


def find_uses(body: list[ast.stmt]) -> dict[str, Uses]:
    """Return the names that ``body`` assigns, other than by a loop header."""
    finder = _Finder()
    finder.block(body, ())
    return {name: uses for name, uses in finder.uses.items() if uses.stores}
