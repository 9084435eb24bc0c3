"""The group of commands, and what happens when one fails."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from heapscene._version import __version__
from heapscene.cli.demo import demo
from heapscene.cli.doctor import doctor
from heapscene.cli.output import show_failure
from heapscene.cli.render import render
from heapscene.errors import HeapsceneError

__all__ = ["cli", "main"]


class CommandLine(click.Group):
    """A group whose failures are messages, or one JSON object, and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run a command and leave the process with its exit code."""
        del standalone_mode  # click's own handling is what this replaces
        arguments = list(sys.argv[1:] if args is None else args)
        as_json = "--json" in arguments
        try:
            code = super().main(arguments, prog_name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            if as_json:
                code = show_failure(error.format_message(), as_json=True, code=error.exit_code)
            else:
                error.show()
                code = error.exit_code
        except (HeapsceneError, OSError) as error:
            code = show_failure(str(error), as_json=as_json)
        except (KeyboardInterrupt, click.Abort):
            code = show_failure("interrupted", as_json=as_json)
        except Exception as error:  # noqa: BLE001  a traceback helps nobody at a prompt
            text = f"unexpected {type(error).__name__}: {error}\nPlease report this command."
            code = show_failure(text, as_json=as_json)
        sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=CommandLine, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="heapscene")
def cli() -> None:
    """Draw many independent, changing objects with WebGPU."""


cli.add_command(demo)
cli.add_command(render)
cli.add_command(doctor)


def main() -> NoReturn:
    """Run the command line; the entry point of the installed ``heapscene``."""
    # without a handler, Python prints what trimesh logs: tracebacks of things that it works around
    logging.getLogger("trimesh").addHandler(logging.NullHandler())
    cli.main(prog_name="heapscene")
