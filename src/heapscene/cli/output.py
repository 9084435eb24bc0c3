"""Where a command's words go: results to standard output, the rest to standard error."""

from __future__ import annotations

import json
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import click

__all__ = ["counted", "show_failure", "show_result", "warnings_shown"]


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> counted(1, "draw call"), counted(1200, "object")
    ('1 draw call', '1,200 objects')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def show_result(facts: Mapping[str, Any], lines: Mapping[str, str], *, as_json: bool) -> None:
    """Print the facts as one JSON object, or the lines as an aligned list."""
    if as_json:
        click.echo(json.dumps(facts, indent=2, allow_nan=False))
        return
    width = max((len(name) for name in lines), default=0)
    for name, text in lines.items():
        click.echo(f"{name:<{width}}  {text}")


def show_failure(message: str, *, as_json: bool, code: int = 1) -> int:
    """Print a message and return the exit code that goes with it."""
    if as_json:
        click.echo(json.dumps({"error": message}))
    else:
        click.echo(f"error: {message}", err=True)
    return code


@contextmanager
def warnings_shown() -> Generator[list[str]]:
    """Print each warning that is meant for users as one line, and collect their texts."""
    caught: list[str] = []

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        del category
        text = " ".join(str(message).split())
        caught.append(text)
        click.echo(f"warning: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield caught
