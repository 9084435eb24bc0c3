"""``heapscene render``: files to a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from heapscene.cli.options import BACKGROUND, SIZE, json_option
from heapscene.cli.output import counted, show_result, warnings_shown
from heapscene.errors import GpuError

if TYPE_CHECKING:
    from heapscene.io import LoadedNode

__all__ = ["RenderOptions", "render", "render_files"]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How to draw; field names are those of the options."""

    size: tuple[int, int] = (1280, 720)
    samples: int = 4
    encoding: Literal["auto", "expanded", "mega"] = "auto"
    page_bytes: int | None = None
    background: tuple[float, float, float, float] | None = None
    grid: bool = False
    validate: bool = False


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", required=True, metavar="OUT.png", help="The picture to write.")
@click.option("--size", type=SIZE, default=(1280, 720), show_default="1280x720")
@click.option("--samples", type=click.Choice(["1", "4"]), default="4", show_default=True)
@click.option(
    "--encoding", type=click.Choice(["auto", "expanded", "mega"]), default="auto", show_default=True
)
@click.option("--page-bytes", type=click.IntRange(min=1), help="Largest page of the heap.")
@click.option("--background", type=BACKGROUND, help="A CSS colour.")
@click.option("--grid", is_flag=True, help="Lay the inputs out in rows instead of where they are.")
@click.option("--validate", is_flag=True, help="Read everything back and check it; fail on faults.")
@json_option
def render(inputs: tuple[str, ...], output: str, as_json: bool, **options: Any) -> None:
    """Draw files into one picture.

    INPUT is glTF (.glb, .gltf), OBJ, STL, PLY, OFF or another format that trimesh reads. Several
    inputs share one scene.
    """
    options["samples"] = int(options["samples"])
    chosen = RenderOptions(**options)
    with warnings_shown() as warned:
        facts = render_files(inputs, output, chosen)
    facts["warnings"] = warned
    report = facts["report"]
    lines = {
        "scene": f"{counted(facts['objects'], 'object')} from {counted(len(inputs), 'file')}",
        "frame": counted(report["draw_calls"], "draw call"),
        "wrote": f"{output} ({chosen.size[0]} x {chosen.size[1]})",
    }
    if chosen.validate:
        lines["checks"] = f"no faults in {sum(facts['validation']['checked'].values()):,} numbers"
    show_result(facts, lines, as_json=as_json)


def render_files(inputs: Sequence[str], output: str, options: RenderOptions) -> dict[str, Any]:
    """Draw files into a picture file, and return what was done, ready for JSON.

    Raises
    ------
    InputError
        The picture cannot be written there.
    LoadError
        A file cannot be read.
    AdapterError
        There is no adapter to draw with.
    GpuError
        ``validate`` was asked for, and found faults; the picture is written all the same.
    """
    from heapscene.io import build_scene, check_image_path, save_image

    check_image_path(output)
    root = read_files(inputs, grid=options.grid)
    from heapscene.render import Renderer  # after reading: a bad file needs no adapter to be told

    with Renderer(
        options.size,
        samples=options.samples,
        page_bytes=options.page_bytes,
        encoding=options.encoding,
        background=options.background,
    ) as renderer:
        picture = renderer.render(build_scene(root))
        report = renderer.report.to_dict()
        checks = renderer.validate() if options.validate else None
    save_image(output, picture)
    if checks is not None and not checks.ok:
        raise GpuError(str(checks))
    return {
        "output": str(Path(output)),
        "size": list(options.size),
        "inputs": list(inputs),
        "objects": root.object_count,
        "report": report,
        **({} if checks is None else {"validation": checks.to_dict()}),
    }


def read_files(inputs: Sequence[str], *, grid: bool) -> LoadedNode:
    """Read files into one model, where they are or side by side."""
    from heapscene.io import LoadedNode, arrange_in_grid, read_model

    models = [read_model(path) for path in inputs]
    if grid:
        return arrange_in_grid(models)
    return models[0] if len(models) == 1 else LoadedNode("", children=tuple(models))
