"""Sides of a random comparison: a heap scene with a small picture, and how far it may be from its twin's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from heapscene.draw import TableRows
from heapscene.gpu import read_texture
from heapscene.render import HeapScene, OffscreenTarget, Targets
from reference.naive_renderer import now, row_draws

SIZE = (64, 64)


def _camera() -> SimpleNamespace:
    """A camera given as plain matrices: looking down −Z from 4 in front, 50° wide."""
    f = 1 / np.tan(np.radians(25))
    near, far = 0.5, 12.0
    proj = np.array(
        [
            [f, 0, 0, 0],
            [0, f, 0, 0],
            [0, 0, far / (near - far), near * far / (near - far)],
            [0, 0, -1, 0],
        ]
    )
    view = np.eye(4)
    view[:3, :3] = np.array([[0.8, 0, -0.6], [0.24, 0.9165, 0.32], [0.55, -0.4, 0.7332]])
    view[:3, :3] = np.linalg.qr(view[:3, :3].T)[0].T
    view[:3, 3] = (0, 0, -4)
    return SimpleNamespace(view=view, proj=proj, position=-view[:3, :3].T @ view[:3, 3])


CAMERA = _camera()
BACKGROUND = (0.05, 0.06, 0.08, 1.0)


def frame_values():
    return {
        "view": CAMERA.view,
        "proj": CAMERA.proj,
        "camera_position": CAMERA.position,
        "viewport": np.array(SIZE, float),
        "time": 0.7,
    }


class Side:
    """One heap scene that follows a world, in one encoding."""

    def __init__(self, device, world, encoding, samples, page_bytes=64 * 1024, expanded_bytes=None):
        self.device, self.samples = device, samples
        targets = Targets(samples=samples)
        self.target = OffscreenTarget(device, SIZE, targets)
        self.scene = HeapScene(
            device,
            targets,
            world,
            page_bytes=page_bytes,
            encoding=encoding,
            expanded_bytes=expanded_bytes,
        )

    def picture(self):
        self.report = self.scene.update(CAMERA, inputs={"viewport": SIZE, "time": 0.7})
        encoder = self.device.create_command_encoder()
        self.scene.encode_compute(encoder)
        render_pass = encoder.begin_render_pass(**self.target.pass_descriptor(BACKGROUND))
        self.scene.encode_draws(render_pass)
        render_pass.end()
        self.device.queue.submit([encoder.finish()])
        return read_texture(self.device, self.target.color, SIZE)

    def twin(self, naive, order=None):
        """Return what one draw call per object draws, in the order of this side if none is given."""
        return naive.render(
            self.scene.order() if order is None else order,
            frame_values(),
            size=SIZE,
            samples=self.samples,
            background=BACKGROUND,
        )

    def close(self):
        self.scene.close()
        self.target.close()


@dataclass
class Seen:
    """What random sequences have shown, to see that they were worth their time."""

    pictures: int = 0
    covered: int = 0
    most: Counter[str] = field(default_factory=Counter)
    mixed: int = 0

    def check_covered(self) -> None:
        assert self.covered >= 0.9 * self.pictures, "too many empty pictures to prove anything"


def compare(sides: Sequence[Side], naive: Any, seen: Seen, told: str) -> Sequence[Any]:
    """Draw all sides, compare them with the twin, and return the order that they share."""
    images = [side.picture() for side in sides]
    order = sides[0].scene.order()
    assert all(side.scene.order() == order for side in sides[1:]), told
    want = sides[0].twin(naive, order)
    for side, image in zip(sides, images, strict=True):
        wrong = differing(image, want)
        assert is_tolerable(
            side.device, wrong, order, lambda rows, side=side: side.twin(naive, rows)
        ), f"{told}, {side.report.encodings}: {wrong} pixels differ"
    report = sides[0].report
    seen.pictures += 1
    seen.covered += bool((want != want[0, 0]).any(-1).mean() >= 0.05)
    seen.mixed += len(report.encodings) == 2
    seen.most |= Counter(slots=report.slots, pages=report.pages)
    return order


def validate(sides: Sequence[Side], told: str) -> None:
    for side in sides:
        report = side.scene.validate()
        assert report.ok, f"{told}: {report}"
        assert not report.skipped


def differing(image, want):
    return int((image != want).any(-1).sum())


def allowance(device):
    """Return how many pixels may differ: none, but for GPUs that fuse products and sums.

    The twin composes a row's matrix with NumPy, the heap in the vertex stage: a fused multiply-add
    there moves a vertex by a unit in the last place, and now and then an edge across a pixel centre.
    """
    return 0 if device.adapter.info["adapter_type"] == "CPU" else SIZE[0] * SIZE[1] // 400


def is_tolerable(
    device: Any, wrong: int, order: Sequence[Any], draw: Callable[[Sequence[Any]], Any]
) -> bool:
    """Say whether a picture of rows of tables may differ from its twin's in so many pixels.

    A face that is seen edge-on comes or goes as a whole: on a GPU that fuses, as many pixels may differ
    as in pictures of the twin whose matrices are changed by one unit in the last place.
    """
    if wrong == 0:
        return True
    fused = allowance(device)
    if fused == 0 or not any(isinstance(item, TableRows) for item in order):
        return False
    if wrong <= fused:
        return True
    rng = np.random.default_rng(0)
    rows = [
        d for item in order for d in (row_draws(item) if isinstance(item, TableRows) else [item])
    ]
    want = draw(rows)
    return any(
        differing(draw([shaken(row, rng) for row in rows]), want) >= wrong for _ in range(12)
    )


def shaken(draw, rng):
    """Return the draw with each number of its matrix one unit in the last place off, or as it is."""
    matrix = np.array(now(draw.inputs.get("model", np.eye(4))), np.float32)
    step = rng.integers(-1, 2, matrix.shape).astype(np.int32)
    # What is 0 or 1 is so without rounding.
    off = np.where(np.isin(matrix, (0, 1)), matrix, (matrix.view(np.int32) + step).view(np.float32))
    return replace(draw, inputs={**draw.inputs, "model": off})
