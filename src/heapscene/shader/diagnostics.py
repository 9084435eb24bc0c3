"""What is wrong in a shader function: collected, placed under a caret, raised once.

In:    faults with a span, found while a function is compiled.
Out:   one exception of :mod:`heapscene.errors` whose text lists all of them.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from heapscene.errors import (
    ShaderError,
    ShaderNameError,
    ShaderSyntaxError,
    ShaderTypeError,
)

if TYPE_CHECKING:
    from heapscene.shader.ir.nodes import Span

__all__ = ["CallSite", "Diagnostic", "Refusal", "place", "raise_all", "render"]

_CLASSES: dict[str, type[ShaderError]] = {
    "type": ShaderTypeError,
    "name": ShaderNameError,
    "syntax": ShaderSyntaxError,
}


class Refusal(ShaderTypeError):
    """A smart constructor refuses its operands; the front-end adds the place."""

    def __init__(self, what: str, facts: Mapping[str, object] | None = None, fix: str = "") -> None:
        self.what = what
        self.facts = dict(facts or {})
        self.fix = fix
        lines = [what, *_facts(self.facts), *([fix] if fix else [])]
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class CallSite:
    """Where a helper is called: function, file and line of the caller."""

    function: str
    filename: str
    line: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault.

    Attributes
    ----------
    kind
        ``type``, ``name`` or ``syntax``: the class of the exception.
    facts
        What was found, by label, such as the types of two operands.
    fix
        The line to write instead.
    chain
        Calls that led to the function, innermost first.
    """

    kind: str
    what: str
    span: Span
    function: str
    facts: Mapping[str, object] = field(default_factory=dict)
    fix: str = ""
    chain: tuple[CallSite, ...] = ()

    def called_from(self, site: CallSite) -> Diagnostic:
        """Return the same fault as seen from a caller."""
        return replace(self, chain=(*self.chain, site))


def _facts(facts: Mapping[str, object]) -> list[str]:
    width = max((len(label) for label in facts), default=0)
    return [f"  {label:<{width}}  {value}" for label, value in facts.items()]


def _excerpt(span: Span, lines: Sequence[str] | None) -> list[str]:
    if lines is not None:
        text = lines[span.line - 1] if span.line <= len(lines) else ""
    else:
        text = linecache.getline(span.filename, span.line)
    text = text.rstrip("\n")
    if not text.strip():
        return []
    raw = text.encode()
    start = len(raw[: span.column].decode(errors="replace"))
    stop = len(text.rstrip())
    if span.end_line == span.line:
        stop = len(raw[: span.end_column].decode(errors="replace"))
    margin = len(text) - len(text.lstrip())
    caret = " " * (start - margin) + "^" * max(1, stop - start)
    return [f"      {text.lstrip()}", f"      {caret}"]


def place(span: Span, function: str, lines: Sequence[str] | None = None) -> list[str]:
    """Return file and line as tracebacks show them, the line, and a caret under the span."""
    return [
        f'  File "{span.filename}", line {span.line}, in {function}',
        *_excerpt(span, lines),
    ]


def render(diagnostic: Diagnostic, lines: Sequence[str] | None = None) -> str:
    """Return the text of one fault: what, where, caret, facts, calls, what to write.

    ``lines`` is the text of the file, if it is not the one on disk.
    """
    parts = [
        diagnostic.what,
        *place(diagnostic.span, diagnostic.function, lines),
        *_facts(diagnostic.facts),
    ]
    parts += [
        f"  called from {site.function} ({site.filename}, line {site.line})"
        for site in diagnostic.chain
    ]
    if diagnostic.fix:
        parts.append(diagnostic.fix)
    return "\n".join(parts)


def raise_all(diagnostics: Sequence[Diagnostic]) -> NoReturn:
    """Raise one exception for all faults; its class is that of the first.

    Raises
    ------
    ShaderTypeError, ShaderNameError, ShaderSyntaxError
        Always.
    """
    unique = list(dict.fromkeys((d.what, d.span) for d in diagnostics))
    first = {(d.what, d.span): d for d in reversed(diagnostics)}
    texts = [render(first[key]) for key in unique]
    if len(texts) > 1:
        texts.append(f"{len(texts)} faults.")
    raise _CLASSES[diagnostics[0].kind]("\n\n".join(texts))
