"""Decorators that make shader functions.

A shader function can be called like any Python function: it then runs in CPython, with the
arithmetic of the GPU (:mod:`heapscene.shader.cpu`). ``.ir`` is its typed form, from which WGSL is
made.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast, overload

from heapscene.errors import ShaderSyntaxError, ShaderTypeError, explain
from heapscene.shader.diagnostics import Diagnostic, raise_all
from heapscene.shader.lang import result_type, type_of
from heapscene.shader.source import FunctionSource, read_source
from heapscene.shader.types import Type

__all__ = [
    "Parameter",
    "ShaderFunction",
    "Stage",
    "compute",
    "fragment",
    "function",
    "vertex",
    "wgsl_function",
]

Stage = Literal["vertex", "fragment", "compute", "function"]
P = ParamSpec("P")
R = TypeVar("R")

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_MAX_INVOCATIONS = 256  # per workgroup, WebGPU's default limit


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a shader function.

    Attributes
    ----------
    name
        As in the signature.
    annotation
        The class after the colon, for example ``vec3`` or a ``@struct`` class.
    default
        A value, a :class:`~heapscene.shader.lang.Builtin`, or ``None`` if there is none.
    """

    name: str
    annotation: Any
    default: Any = None

    @property
    def type(self) -> Type:
        """The type that the annotation stands for."""
        return type_of(self.annotation)


class ShaderFunction(Generic[P, R]):
    """A Python function in the shader language. Made by the decorators.

    Attributes
    ----------
    name
        The function's name.
    stage
        ``"vertex"``, ``"fragment"``, ``"compute"``, or ``"function"`` for a helper.
    source
        Its text and the meaning of its names.
    workgroup_size
        Invocations per workgroup in x, y and z; ``None`` unless the stage is ``"compute"``.
    wgsl
        The body in WGSL, for one made by :func:`wgsl_function`.
    """

    def __init__(
        self,
        body: Callable[P, R],
        stage: Stage,
        source: FunctionSource,
        workgroup_size: tuple[int, int, int] | None = None,
        wgsl: str | None = None,
    ) -> None:
        functools.update_wrapper(self, body)
        self.wgsl = wgsl
        self.name = source.name
        self.stage: Stage = stage
        self.source = source
        self.workgroup_size = workgroup_size
        self._body = body
        self._signature = inspect.signature(body)
        _check_kinds(self)

    def __repr__(self) -> str:
        return f"<{self.stage} {self.name} at {self.source.where}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function in CPython, with the arithmetic of the GPU."""
        return cast("R", self._run(args, kwargs))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters in order, annotations resolved."""
        found: list[Parameter] = []
        for parameter in self._signature.parameters.values():
            if parameter.annotation is inspect.Parameter.empty:
                raise _without_type(self, parameter.name)
            annotation = self.source.evaluate(parameter.annotation)
            default = None if parameter.default is inspect.Parameter.empty else parameter.default
            type_of(
                annotation, f"parameter {parameter.name!r} of {self.name} ({self.source.where})"
            )
            found.append(Parameter(parameter.name, annotation, default))
        return tuple(found)

    @cached_property
    def returns(self) -> Any:
        """The class after the arrow; ``None`` for ``-> None`` and for no arrow."""
        annotation = self._signature.return_annotation
        if annotation is inspect.Signature.empty:
            return None
        resolved = self.source.evaluate(annotation)
        read = result_type if self.stage == "function" and self.wgsl is None else type_of
        read(resolved, f"result of {self.name} ({self.source.where})")
        return resolved

    @cached_property
    def ir(self) -> Any:
        """The typed form of the function, made at the first use."""
        from heapscene.shader.frontend import lower  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

        return lower(self)

    @cached_property
    def _run(self) -> Callable[[tuple[Any, ...], dict[str, Any]], object]:
        from heapscene.shader.cpu import Runner, Twin

        return Runner(self).run if self.wgsl is None else Twin(self).run


def _check_kinds(shader: ShaderFunction[..., Any]) -> None:
    from heapscene.shader.ir.nodes import Span

    for parameter in shader._signature.parameters.values():
        if parameter.kind in _POSITIONAL:
            continue
        args = shader.source.tree.args
        nodes = [each for each in (args.vararg, args.kwarg, *args.kwonlyargs) if each is not None]
        node = next(each for each in nodes if each.arg == parameter.name)
        span = Span(
            shader.source.filename,
            node.lineno,
            node.col_offset,
            node.end_lineno or node.lineno,
            node.end_col_offset or node.col_offset + 1,
        )
        word = "*" if args.vararg is node else "**" if args.kwarg is node else ""
        what = f"the parameter {word + node.arg!r} cannot be given by position"
        fix = "Write a fixed list of parameters, such as  a: f32, b: f32."
        raise_all([Diagnostic("type", what, span, shader.name, {}, fix)])


def _without_type(shader: ShaderFunction[..., Any], name: str) -> ShaderTypeError:
    return ShaderTypeError(
        explain(
            f"parameter {name!r} of {shader.name} has no type",
            facts={"at": shader.source.where},
            fix=f"Write the type after the name, for example  {name}: f32",
        )
    )


def _make(
    body: Callable[P, R],
    stage: Stage,
    source: str | None,
    workgroup_size: tuple[int, int, int] | None = None,
) -> ShaderFunction[P, R]:
    # Two frames up is the definition: every decorator calls this function itself.
    enclosing = sys._getframe(2).f_locals
    read = read_source(body, source=source, enclosing=enclosing)
    return ShaderFunction(body, stage, read, workgroup_size)


@overload
def vertex(body: Callable[P, R], /) -> ShaderFunction[P, R]: ...
@overload
def vertex(*, source: str | None = None) -> Callable[[Callable[P, R]], ShaderFunction[P, R]]: ...
def vertex(body: Any = None, /, *, source: str | None = None) -> Any:
    """Make a vertex function: attributes and inputs to varyings.

    Parameters
    ----------
    body
        ``(attributes)`` or ``(attributes, inputs)``, both ``@struct`` classes; returns a
        ``@struct`` with a ``builtin.position``.
    source
        The function's text, where Python does not know it (``exec``, a plain prompt).

    Examples
    --------
    >>> @vertex                                             # doctest: +SKIP
    ... def place(a: Attributes, u: Inputs) -> Varyings:
    ...     return Varyings(clip=u.proj @ u.view @ u.model @ vec4(a.position, 1.0), normal=a.normal)
    """
    if body is None:
        return lambda late: _make(late, "vertex", source)  # pyright: ignore[reportUnknownLambdaType]
    return _make(body, "vertex", source)


@overload
def fragment(body: Callable[P, R], /) -> ShaderFunction[P, R]: ...
@overload
def fragment(*, source: str | None = None) -> Callable[[Callable[P, R]], ShaderFunction[P, R]]: ...
def fragment(body: Any = None, /, *, source: str | None = None) -> Any:
    """Make a fragment function: varyings and inputs to colours.

    Parameters
    ----------
    body
        ``(varyings)`` or ``(varyings, inputs)``; returns ``vec4`` or a ``@struct`` with one field
        per target.
    source
        The function's text, where Python does not know it.
    """
    if body is None:
        return lambda late: _make(late, "fragment", source)  # pyright: ignore[reportUnknownLambdaType]
    return _make(body, "fragment", source)


@overload
def function(body: Callable[P, R], /) -> ShaderFunction[P, R]: ...
@overload
def function(*, source: str | None = None) -> Callable[[Callable[P, R]], ShaderFunction[P, R]]: ...
def function(body: Any = None, /, *, source: str | None = None) -> Any:
    """Make a helper that other shader functions call.

    Parameters
    ----------
    body
        Any parameters with types; the return type is required if it returns something.
    source
        The function's text, where Python does not know it.
    """
    if body is None:
        return lambda late: _make(late, "function", source)  # pyright: ignore[reportUnknownLambdaType]
    return _make(body, "function", source)


def wgsl_function(text: str, /) -> Callable[[Callable[P, R]], ShaderFunction[P, R]]:
    """Make a helper out of WGSL, where the language has no words for something.

    Parameters
    ----------
    text
        What stands between the braces: statements of WGSL that compute the result from the
        parameters, by their names, and from nothing else. The compiler does not read it; the GPU's
        validator does when a program that calls it is built.

    Returns
    -------
    Callable
        Decorator of a Python function with the types of parameters and result. Its body is the
        twin: plain Python or NumPy that computes the same, run in CPython and by the interpreter.

    Raises
    ------
    ShaderSyntaxError
        Braces or parentheses do not match, or nothing is returned.

    Examples
    --------
    >>> @wgsl_function("return dot(vec4f(x, y, 0.0, 0.0), vec4f(x, y, 0.0, 0.0));")  # doctest: +SKIP
    ... def squared(x: f32, y: f32) -> f32:
    ...     return x * x + y * y
    """
    problem = _fault_of(text)
    if problem:
        raise ShaderSyntaxError(
            explain(
                f"the WGSL text {problem}",
                facts={"text": text.strip().split("\n")[0]},
                fix="Write the statements between the braces, such as  return x * y;",
            )
        )

    def decorate(body: Callable[P, R]) -> ShaderFunction[P, R]:
        enclosing = sys._getframe(1).f_locals
        read = read_source(body, enclosing=enclosing)
        return ShaderFunction(body, "function", read, wgsl=text)

    return decorate


def _fault_of(text: str) -> str:
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    open_: list[str] = []
    for letter in plain:
        if letter in "({[":
            open_.append(")}]"["({[".index(letter)])
        elif letter in ")}]" and (not open_ or open_.pop() != letter):
            return f"closes a {letter!r} that it did not open"
    if open_:
        return f"does not close with {open_[-1]!r}"
    return "" if re.search(r"\breturn\b", plain) else "returns nothing"


def compute(
    *, workgroup_size: int | tuple[int, ...], source: str | None = None
) -> Callable[[Callable[P, R]], ShaderFunction[P, R]]:
    """Make a compute entry point.

    Parameters
    ----------
    workgroup_size
        Invocations per workgroup: x, or (x, y) or (x, y, z), at most 256 in all.
    source
        The function's text, where Python does not know it.

    Raises
    ------
    ShaderTypeError
        Not one to three positive integers, or more than 256 invocations.
    """
    given = workgroup_size if isinstance(workgroup_size, tuple) else (workgroup_size,)
    right = all(type(n) is int and n > 0 for n in given) and 1 <= len(given) <= 3
    if not right or math.prod(given) > _MAX_INVOCATIONS:
        raise ShaderTypeError(
            explain(
                f"workgroup_size {workgroup_size!r} is not possible",
                fix="Give one to three positive integers, at most 256 in all: workgroup_size=64",
            )
        )
    x, y, z = (*given, 1, 1)[:3]
    return lambda body: _make(body, "compute", source, (x, y, z))
