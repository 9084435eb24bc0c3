"""The text of a shader function, and what its names mean.

The lines are read when the decorator runs, so they are what Python has just compiled; that they
belong to the running code is checked by compiling them again and comparing the instructions. For
functions of modules that happens at the first use, so that importing a module of shaders is cheap.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import inspect
import itertools
import linecache
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

from heapscene.errors import ShaderNameError, ShaderSyntaxError, ShaderTypeError, explain
from heapscene.shader.advice import advice
from heapscene.shader.definition import Nodes, definition_of, nodes_of, parsed

__all__ = ["FunctionSource", "read_source"]

N = TypeVar("N", bound=ast.AST)

_given_texts = itertools.count(1)
_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class FunctionSource:
    """Syntax tree, text and names of one function.

    Attributes
    ----------
    tree
        The definition. ``lineno`` counts from the first line of the file and ``col_offset`` (UTF-8
        bytes) from the start of that line, also when the definition is indented.
    filename
        Where the text is, as tracebacks show it.
    lines
        All lines of the file, with line ends.
    text
        The lines of the function, decorators included, not indented.
    name
        What ``def`` calls it.

    Raises
    ------
    ShaderSyntaxError
        By ``tree`` and ``text`` at their first use: the text is not that of the function.
    """

    def __init__(
        self,
        function: FunctionType,
        filename: str,
        lines: list[str],
        given: str | None = None,
        enclosing: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = function.__code__.co_name
        self.filename = filename
        self.lines = lines
        self._given = given
        self._function = function
        self._read: tuple[ast.FunctionDef, Nodes] | None = None
        self._enclosing: Mapping[str, Any] = {}
        if enclosing:
            used = {node.id for node in self.nodes(ast.Name)}
            used |= _names_in_strings(function)
            self._enclosing = {key: value for key, value in enclosing.items() if key in used}

    def __repr__(self) -> str:
        return f"FunctionSource({self.name} in {self.filename})"

    @property
    def tree(self) -> ast.FunctionDef:
        """The definition."""
        return self._definition()[0]

    def nodes(self, kind: type[N]) -> list[N]:
        """Return all nodes of one kind in the definition."""
        return self._definition()[1].get(kind, [])

    def forget(self) -> None:
        """Let go of the tree, which is larger than what is made of it; it is read again if needed."""
        self._read = None

    @property
    def text(self) -> str:
        """The lines of the function."""
        if self._given is not None:
            return textwrap.dedent("".join(self.lines))
        first = max(self._function.__code__.co_firstlineno, 1)
        return textwrap.dedent("".join(self.lines[first - 1 : self.tree.end_lineno]))

    def _definition(self) -> tuple[ast.FunctionDef, Nodes]:
        if self._read is None and self._given is None:
            self._read = definition_of(self._function.__code__, self.lines, self.filename)
        elif self._read is None:
            tree = parsed(self.lines, 1, self.name, self.filename)
            self._read = tree, nodes_of(tree, self.filename)
        return self._read

    def resolve(self, name: str, local: Sequence[str] = ()) -> object:
        """Return the object that a free name of the function stands for.

        Looks at closure cells, then module globals, then builtins, at the time of the call: helpers
        may be defined below their users. ``local`` are names that a misspelt one may have meant.

        Raises
        ------
        ShaderNameError
            Nothing has that name; the message lists similar names.
        """
        for scope in self._scopes():
            if name in scope:
                return scope[name]
        raise self._unknown(name, local)

    def stands_for(self, name: str, wanted: object) -> bool:
        """Tell whether a free name, which may have dots, means this very object now."""
        root, *rest = name.split(".")
        for scope in self._scopes():
            if root in scope:
                found = scope[root]
                for part in rest:
                    found = getattr(found, part, None)
                return found is wanted
        return False

    def evaluate(self, annotation: object) -> object:
        """Return the object that an annotation means; a string is read where the function is.

        Raises
        ------
        ShaderNameError
            A name in the annotation is unknown.
        """
        if not isinstance(annotation, str):
            return annotation
        scope = {**self._enclosing, **_closure(self._function)}
        try:
            found = eval(annotation, self._function.__globals__, scope)  # noqa: S307
        except NameError as error:
            raise self._unknown(error.name or annotation) from error
        except Exception as error:  # an annotation is any expression of Python
            raise ShaderTypeError(
                explain(
                    f"{annotation!r} is no type: {type(error).__name__}: {error}",
                    facts={"in": f"{self.tree.name} ({self.where})"},
                    fix="Write the name of a type, such as f32.",
                )
            ) from error
        return self.evaluate(found)  # a string in quotes gives a string once more

    def compute(self, text: str, names: Mapping[str, object]) -> object:
        """Return the value of an expression, read where the function is.

        Parameters
        ----------
        text
            Python code; errors in it are raised as they are.
        names
            Further names that it may use.
        """
        scope = {**self._function.__globals__, **self._enclosing, **_closure(self._function)}
        return eval(text, {**scope, **names})  # noqa: S307

    @functools.cached_property
    def where(self) -> str:
        """``file:line`` of the ``def``."""
        return f"{self.filename}:{self.tree.lineno}"

    def _scopes(self) -> Iterator[Mapping[str, Any]]:
        yield _closure(self._function)
        yield self._function.__globals__
        yield vars(builtins)

    def _unknown(self, name: str, local: Sequence[str] = ()) -> ShaderNameError:
        known = [*local, *(key for scope in self._scopes() for key in scope), *self._enclosing]
        similar = difflib.get_close_matches(name, known, n=3)
        facts: dict[str, object] = {"in": f"{self.tree.name} ({self.where})"}
        if similar:
            facts["similar"] = ", ".join(dict.fromkeys(similar))
        return ShaderNameError(
            explain(
                f"the name {name!r} is not defined",
                facts=facts,
                fix=advice(name),
            )
        )


def read_source(
    function: Callable[..., Any],
    *,
    source: str | None = None,
    enclosing: Mapping[str, Any] | None = None,
) -> FunctionSource:
    """Read the text of a function.

    Parameters
    ----------
    function
        A function made by ``def``.
    source
        Its text, for code that is in no file (``exec``, a plain prompt). Tracebacks then show it
        too.
    enclosing
        Local names at the place of definition, for annotations that are strings.

    Raises
    ------
    ShaderSyntaxError
        There is no text, or it is not the text of this function.
    ShaderTypeError
        Not a function made by ``def``.
    """
    if isinstance(function, (staticmethod, classmethod)) or not isinstance(function, FunctionType):
        raise ShaderTypeError(
            explain(
                f"{function!r} is not a plain function",
                fix="Define it with 'def' and put the decorator directly above.",
            )
        )
    name = function.__code__.co_name
    if name == "<lambda>":
        raise ShaderSyntaxError(
            explain("a lambda cannot be a shader function", fix="Write it as 'def'.")
        )
    if function.__code__.co_flags & _ASYNC:
        raise ShaderSyntaxError(
            explain(
                f"{name!r} is an async function, and shaders run to their end",
                fix=f"Write  def {name}(...).",
            )
        )
    filename, lines = _lines_of(function, source)
    in_module = enclosing is None or enclosing is function.__globals__
    if in_module and "." not in function.__qualname__:
        return FunctionSource(function, filename, lines, source)
    read = FunctionSource(function, filename, lines, source, enclosing)
    _ = read.tree  # a function inside another one or a class is checked at once
    return read


def _lines_of(function: FunctionType, source: str | None) -> tuple[str, list[str]]:
    if source is not None:
        lines = source.splitlines(keepends=True)
        filename = function.__code__.co_filename
        if not linecache.getlines(filename):
            if filename.startswith("<"):
                filename = f"<shader source {next(_given_texts)}>"
            linecache.cache[filename] = (len(source), None, lines, filename)
        return filename, lines
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    found = linecache.getlines(filename, function.__globals__)
    if not found:
        raise ShaderSyntaxError(
            explain(
                f"the source text of {function.__name__!r} is not available",
                facts={"code from": function.__code__.co_filename},
                fix=(
                    f"Define the function in a file, or pass its text: @{'function'}(source=text)."
                ),
            )
        )
    return filename, found


def _closure(function: FunctionType) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # assigned later in the enclosing function
            continue
    return found


def _names_in_strings(function: FunctionType) -> set[str]:
    names: set[str] = set()
    for annotation in function.__annotations__.values():
        if isinstance(annotation, str):
            try:
                tree = ast.parse(annotation, mode="eval")
            except SyntaxError:
                continue
            names |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return names
