"""Options that commands share, with their checks."""

from __future__ import annotations

import re
from typing import Any

import click

from heapscene.errors import InputError

__all__ = ["BACKGROUND", "SIZE", "json_option"]


class SizeType(click.ParamType[tuple[int, int]]):
    """Width and height in pixels, as ``1280x720``."""

    name = "WIDTHxHEIGHT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return ``(width, height)``."""
        if isinstance(value, tuple):
            return (int(value[0]), int(value[1]))
        found = re.fullmatch(r"(\d{1,6})[xX×](\d{1,6})", str(value).strip())
        if found is None or 0 in (size := (int(found[1]), int(found[2]))):
            self.fail(f"{value!r} is not a size such as 1280x720", param, ctx)
        return size


class ColorType(click.ParamType[tuple[float, float, float, float]]):
    """A colour, as CSS writes it."""

    name = "COLOR"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float, float, float]:
        """Return red, green, blue, alpha in 0..1 (sRGB)."""
        from heapscene.draw import rgba

        try:
            return rgba(str(value))
        except InputError as error:
            self.fail(" ".join(str(error).split()), param, ctx)


SIZE = SizeType()
BACKGROUND = ColorType()

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print exactly one JSON object instead of text."
)
