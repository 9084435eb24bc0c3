"""``heapscene doctor``: whether this machine can draw, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from heapscene.cli.options import json_option
from heapscene.cli.output import show_result

__all__ = ["doctor"]


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say which adapter would draw, or why none can."""
    from heapscene.gpu import adapter_facts

    facts = adapter_facts()
    show_result(facts, describe(facts), as_json=as_json)
    if not facts["ok"]:
        if not as_json:
            click.echo(f"error: {facts['error']}", err=True)
        raise click.exceptions.Exit(1)


def describe(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts as lines for people."""
    lines = {"versions": ", ".join(f"{k} {v}" for k, v in facts["versions"].items())}
    if facts["adapter"] is not None:
        adapter = facts["adapter"]
        lines["adapter"] = f"{adapter['device']} ({adapter['backend']}, {adapter['type']})"
        lines["driver"] = str(adapter["driver"])
    for name, limit in facts["limits"].items():
        lines[name] = f"{limit['adapter']:,} (WebGPU promises {limit['webgpu']:,})"
    for name, offered in facts["features"].items():
        lines[name] = "yes" if offered else "no"
    lines["driver files"] = ", ".join(map(str, facts["icd_files"])) or "none"
    lines["verdict"] = "ready to draw" if facts["ok"] else "cannot draw"
    return lines
