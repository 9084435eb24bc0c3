"""The text of a shader function, and what its names mean.

The text is read when the decorator runs, so it is the text that Python has just compiled; that it
belongs to the running code is checked by compiling it again and comparing the instructions.
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
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from heapscene.errors import ShaderNameError, ShaderSyntaxError, ShaderTypeError, explain

__all__ = ["FunctionSource", "read_source"]

_given_texts = itertools.count(1)


@dataclass(frozen=True, eq=False)
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
    """

    tree: ast.FunctionDef
    filename: str
    lines: list[str]
    text: str
    _function: Any = field(repr=False)
    _enclosing: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def resolve(self, name: str) -> object:
        """Return the object that a free name of the function stands for.

        Looks at closure cells, then module globals, then builtins, at the time of the call: helpers
        may be defined below their users.

        Raises
        ------
        ShaderNameError
            Nothing has that name; the message lists similar names.
        """
        for scope in self._scopes():
            if name in scope:
                return scope[name]
        raise self._unknown(name)

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
        return self.evaluate(found)  # a string in quotes gives a string once more

    @property
    def where(self) -> str:
        """``file:line`` of the ``def``."""
        return f"{self.filename}:{self.tree.lineno}"

    def _scopes(self) -> Iterator[Mapping[str, Any]]:
        yield _closure(self._function)
        yield self._function.__globals__
        yield vars(builtins)

    def _unknown(self, name: str) -> ShaderNameError:
        known = [key for scope in self._scopes() for key in scope] + list(self._enclosing)
        similar = difflib.get_close_matches(name, known, n=3)
        facts: dict[str, object] = {"in": f"{self.tree.name} ({self.where})"}
        if similar:
            facts["similar"] = ", ".join(dict.fromkeys(similar))
        return ShaderNameError(
            explain(
                f"the name {name!r} is not defined",
                facts=facts,
                fix="Define it in the module or in an enclosing function, or import it.",
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
    filename, lines, block, first = _text_of(function, source)
    tree = _parse(block, first, name, filename)
    if source is None:
        _check_same_code(tree, function, lines, filename)
    wanted = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | _names_in_strings(
        function
    )
    local = {key: value for key, value in (enclosing or {}).items() if key in wanted}
    text = textwrap.dedent("".join(block))
    return FunctionSource(tree, filename, lines, text, function, local)


def _text_of(function: FunctionType, source: str | None) -> tuple[str, list[str], list[str], int]:
    if source is not None:
        lines = source.splitlines(keepends=True)
        filename = function.__code__.co_filename
        if not linecache.getlines(filename):
            if filename.startswith("<"):
                filename = f"<shader source {next(_given_texts)}>"
            linecache.cache[filename] = (len(source), None, lines, filename)
        return filename, lines, lines, 1
    try:
        block, first = inspect.getsourcelines(function)
    except (OSError, TypeError, IndentationError) as error:
        raise ShaderSyntaxError(
            explain(
                f"the source text of {function.__name__!r} is not available",
                facts={"code from": function.__code__.co_filename},
                fix=(
                    f"Define the function in a file, or pass its text: @{'function'}(source=text)."
                ),
            )
        ) from error
    filename = function.__code__.co_filename
    return (
        filename,
        linecache.getlines(filename, function.__globals__) or block,
        block,
        max(first, 1),
    )


def _parse(block: list[str], first: int, name: str, filename: str) -> ast.FunctionDef:
    # An indented definition is parsed below an 'if', so that columns stay those of the file.
    indented = block[0][:1] in (" ", "\t")
    text = "".join(block)
    try:
        module = ast.parse("if 1:\n" + text if indented else text, filename)
    except SyntaxError as error:
        raise ShaderSyntaxError(
            explain(f"the source text of {name!r} cannot be parsed: {error.msg}")
        ) from error
    ast.increment_lineno(module, first - 2 if indented else first - 1)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise _not_the_text(name, filename)


def _check_same_code(
    tree: ast.FunctionDef, function: FunctionType, lines: list[str], filename: str
) -> None:
    # pytest rewrites 'assert' before it compiles, so such functions cannot be compared.
    if any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        return
    codes = _codes_of("".join(lines), filename)
    if codes and _signature(function.__code__) not in codes:
        raise _not_the_text(tree.name, filename)


@functools.lru_cache(maxsize=4)
def _codes_of(text: str, filename: str) -> frozenset[tuple[Any, ...]]:
    # The whole file, since what surrounds a function changes its instructions.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pending = [compile(text, filename, "exec", dont_inherit=True)]
        except SyntaxError:  # for example a cell with magic commands
            return frozenset()
    found: set[tuple[Any, ...]] = set()
    while pending:
        code = pending.pop()
        found.add(_signature(code))
        pending += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return frozenset(found)


def _signature(code: CodeType) -> tuple[Any, ...]:
    constants = [repr(value) for value in code.co_consts if not isinstance(value, CodeType)]
    return code.co_name, code.co_code, tuple(constants), code.co_names


def _not_the_text(name: str, filename: str) -> ShaderSyntaxError:
    return ShaderSyntaxError(
        explain(
            f"the source text does not belong to the running function {name!r}",
            facts={"file": filename},
            fix="Was the file edited after it was imported? Start Python again.",
        )
    )


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
