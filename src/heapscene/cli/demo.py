"""``heapscene demo``: a picture of many objects, and what it cost."""

from __future__ import annotations

import time
from typing import Any

import click

from heapscene.cli.options import SIZE, json_option
from heapscene.cli.output import counted, show_result, warnings_shown

__all__ = ["demo", "run_demo"]

_STILL_FRAMES = 10
_STILL_SECONDS = 3.0
_CHANGES = 100


@click.command()
@click.option("-o", "--output", default="demo.png", show_default=True, help="The picture to write.")
@click.option("--objects", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--size", type=SIZE, default=(1280, 720), show_default="1280x720")
@json_option
def demo(output: str, objects: int, size: tuple[int, int], as_json: bool) -> None:
    """Draw thousands of separate objects, then change some of their colours."""
    with warnings_shown() as warned:
        facts = run_demo(output, objects, size)
    facts["warnings"] = warned
    still, change = facts["still"], facts["change"]
    lines = {
        "adapter": facts["adapter"],
        "scene": f"{counted(facts['objects'], 'object')}, {counted(facts['shapes'], 'shape')}, "
        f"{counted(facts['colors'], 'colour')}; built in {facts['build_ms']:,.0f} ms",
        "frame": f"{counted(facts['draw_calls'], 'draw call')}; "
        f"first {facts['first_frame_ms']:,.0f} ms, then {still['frame_ms']:,.1f} ms "
        f"({still['cpu_ms']:,.2f} ms of it Python), {still['bytes_uploaded']:,} bytes uploaded",
        "change": f"{counted(change['colors'], 'colour')}: {change['bytes_uploaded']:,} bytes uploaded",
        "wrote": f"{output} ({size[0]} x {size[1]}, {facts['covered']:.0%} covered)",
    }
    show_result(facts, lines, as_json=as_json)


def run_demo(output: str, objects: int, size: tuple[int, int]) -> dict[str, Any]:
    """Draw the demo scene into a picture file, and measure; return the figures, ready for JSON.

    Raises
    ------
    InputError
        The picture cannot be written there.
    AdapterError
        There is no adapter to draw with.
    """
    from heapscene.cli.demo_scene import BACKGROUND, make_demo
    from heapscene.io import check_image_path, save_image
    from heapscene.render import Renderer

    check_image_path(output)
    started = time.perf_counter()
    made = make_demo(objects)
    built = time.perf_counter()
    with Renderer(size, background=BACKGROUND) as renderer:
        ready = time.perf_counter()
        picture = renderer.render(made.scene, camera=made.camera)
        first = time.perf_counter()
        calls = renderer.report.draw_calls
        still = measure_still_frames(renderer, made)
        change = measure_changes(renderer, made)
        adapter = renderer.device.adapter.info
    save_image(output, picture)
    return {
        "adapter": f"{adapter['device']} ({adapter['backend_type']})",
        "objects": len(made.colors),
        "shapes": made.shapes,
        "colors": len({color.force() for color in made.colors}),
        "draw_calls": calls,
        "build_ms": (built - started) * 1e3,
        "first_frame_ms": (first - ready) * 1e3,
        "still": still,
        "change": change,
        "covered": covered_share(picture),
        "output": output,
        "size": list(size),
    }


def measure_still_frames(renderer: Any, made: Any) -> dict[str, float]:
    """Draw frames in which nothing changed; return mean times and all bytes uploaded."""
    frames, uploaded, cpu, elapsed = 0, 0, 0.0, 0.0
    started = time.perf_counter()
    while frames < _STILL_FRAMES and elapsed < _STILL_SECONDS:
        report = renderer.draw(made.scene, camera=made.camera)
        report.resolve()
        frames += 1
        uploaded += report.bytes_uploaded
        cpu += sum(report.stage_ms.values())
        elapsed = time.perf_counter() - started
    return {
        "frames": frames,
        "frame_ms": elapsed * 1e3 / frames,
        "cpu_ms": cpu / frames,
        "bytes_uploaded": uploaded,
    }


def measure_changes(renderer: Any, made: Any) -> dict[str, int]:
    """Give objects all over the scene another colour, draw, and return what was uploaded."""
    from heapscene.adaptive import transact

    chosen = made.colors[:: max(1, len(made.colors) // _CHANGES)][:_CHANGES]
    with transact():
        for color in chosen:
            r, g, b, a = color.force()
            color.value = (g, b, r, a)
    report = renderer.draw(made.scene, camera=made.camera)
    return {"colors": len(chosen), "bytes_uploaded": report.bytes_uploaded}


def covered_share(picture: Any) -> float:
    """Return which part of the picture differs from its first pixel, which shows the background."""
    return float((picture != picture[0, 0]).any(axis=2).mean())
