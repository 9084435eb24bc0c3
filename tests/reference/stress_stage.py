"""What shows a stress world: scenes on one heap, a scene on its own, and what is done to them.

Every picture has a twin that is drawn object by object in the order that the scene tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import wgpu

from heapscene.draw import Draw, DrawChange, Geometry, TableRows
from heapscene.gpu import read_texture
from heapscene.heap import check
from heapscene.render import Heap, HeapScene, Targets
from reference.naive_renderer import DEPTH_FORMAT, NaiveRenderer, now, row_draws
from reference.pictures import BACKGROUND, CAMERA, SIZE, differing, frame_values, is_tolerable
from reference.programs import PROGRAMS
from reference.stress_world import StressWorld

PAGE_BYTES = 64 * 1024
ENCODINGS = (("expanded", None), ("mega", None), ("auto", 1500))


class Mismatch(AssertionError):
    """A picture or a book is wrong."""


@dataclass
class Tally:
    """What a sequence has shown, to see that it was worth its time."""

    pictures: int = 0
    covered: int = 0
    most: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.pictures += other.pictures
        self.covered += other.covered
        self.seen += other.seen
        self.most |= other.most


class Filtered:
    """A source of those draws of another that have one of two programs, and of tables."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def draw_reader(self) -> Any:
        return _FilteredReader(self.source.draw_reader())


class _FilteredReader:
    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def changes(self) -> list[DrawChange]:
        kept = [DrawChange(_kept(old), _kept(new)) for old, new in self.reader.changes()]
        return [step for step in kept if step != (None, None)]


def _kept(draw: Any) -> Any:
    return None if draw is None or draw.program is PROGRAMS[0] else draw


class View:
    """A scene with a target: a picture, or depth alone."""

    def __init__(
        self,
        device: Any,
        source: Any,
        *,
        heap: Heap | None,
        encoding: tuple[str, int | None],
        samples: int = 1,
        page_bytes: int | None = None,
        is_depth: bool = False,
    ) -> None:
        self.is_depth, self.samples = is_depth, samples
        self.targets = Targets(colors={}) if is_depth else Targets(samples=samples)
        self.open_target(device)
        self.scene: Any = HeapScene(
            device,
            self.targets,
            source,
            heap=heap,
            page_bytes=page_bytes,
            encoding=encoding[0],
            expanded_bytes=encoding[1],
        )

    def open_target(self, device: Any) -> None:
        self.device = device
        self.color, self.depth = (
            None if self.is_depth else self._texture("rgba8unorm-srgb", 1),
            self._texture(DEPTH_FORMAT, self.samples),
        )
        self.sampled = self._texture("rgba8unorm-srgb", self.samples) if self.samples > 1 else None

    def _texture(self, format_: str, samples: int) -> Any:
        usage = wgpu.TextureUsage.RENDER_ATTACHMENT
        usage |= wgpu.TextureUsage.COPY_SRC if samples == 1 else 0
        return self.device.create_texture(
            size=(*SIZE, 1), format=format_, usage=usage, sample_count=samples
        )

    def update(self) -> None:
        self.report = self.scene.update(CAMERA, inputs={"viewport": SIZE, "time": 0.7})

    def encode(self) -> Any:
        encoder = self.device.create_command_encoder()
        self.scene.encode_compute(encoder)
        depth = {
            "view": self.depth.create_view(),
            "depth_load_op": "clear",
            "depth_store_op": "store",
            "depth_clear_value": 1.0,
        }
        colors = []
        if self.color is not None:
            target = self.color.create_view()
            color = {"view": target, "clear_value": BACKGROUND}
            color |= {"load_op": "clear", "store_op": "store"}
            if self.sampled is not None:
                color |= {"view": self.sampled.create_view(), "resolve_target": target}
            colors.append(color)
        render_pass = encoder.begin_render_pass(
            color_attachments=colors, depth_stencil_attachment=depth
        )
        self.scene.encode_draws(render_pass)
        render_pass.end()
        return encoder.finish()

    def picture(self) -> np.ndarray:
        return read_texture(self.device, self.depth if self.is_depth else self.color, SIZE)

    def moved_to(self, device: Any) -> None:
        """Follow a scene that was recovered on another device."""
        self.close_target()
        self.open_target(device)

    def close_target(self) -> None:
        for texture in (self.color, self.depth, self.sampled):
            if texture is not None:
                texture.destroy()

    def close(self) -> None:
        self.scene.close()
        self.close_target()


class Stage:
    """Three views of a world: a main one, a second one that shares its heap, and one apart."""

    def __init__(self, world: StressWorld, seed: int, devices: Sequence[Any]) -> None:
        rng = np.random.default_rng([seed, 1])
        self.world, self.devices, self.device = world, devices, devices[0]
        self.samples = int(rng.choice([1, 4]))
        first = int(rng.integers(3))
        self.encodings = [ENCODINGS[(first + k) % 3] for k in range(3)]
        self.second_is_depth = bool(rng.integers(2))
        self.other_page_bytes = (32 * 1024, None, 2**20)[int(rng.integers(3))]
        self.restless = [bool(rng.integers(2)), bool(rng.integers(2))]
        self.most_bytes = int(rng.choice([500, 20_000, 2**23]))
        self._wanted: dict[Any, np.ndarray] = {}
        self.tally = Tally()
        self.open_heap()
        self.apart = View(
            self.device,
            world.scene,
            heap=None,
            encoding=self.encodings[2],
            samples=self.samples,
            page_bytes=self.other_page_bytes,
        )
        if self.restless[1]:
            self._make_restless(self.apart.scene._heap.memory)

    def do(self, name: str, number: int) -> None:
        """Carry out one operation on what shows the world."""
        STAGE_OPERATIONS[name][1](self, np.random.default_rng(number))

    # -- what is open
    def open_heap(self) -> None:
        self.heap = Heap(self.device, page_bytes=PAGE_BYTES)
        if self.restless[0]:
            self._make_restless(self.heap.memory)
        self.second: View | None = None
        self.open_main()
        self.open_second()

    def _make_restless(self, memory: Any) -> None:
        memory.compactor.waste_share = memory.compactor.least_waste = 0
        memory.compactor.most_bytes = self.most_bytes

    def open_main(self) -> None:
        self.main = View(
            self.device,
            self.world.scene,
            heap=self.heap,
            encoding=self.encodings[0],
            samples=self.samples,
        )

    def open_second(self) -> None:
        self.second = View(
            self.device,
            self.world.scene if self.second_is_depth else Filtered(self.world.scene),
            heap=self.heap,
            encoding=self.encodings[1],
            samples=1 if self.second_is_depth else self.samples,
            is_depth=self.second_is_depth,
        )

    @property
    def sharers(self) -> list[View]:
        return [self.main] if self.second is None else [self.main, self.second]

    @property
    def views(self) -> list[View]:
        return [*self.sharers, self.apart]

    def close(self) -> None:
        for view in self.views:
            view.close()
        self.heap.close()

    # -- pictures
    def draw(self, views: Sequence[View]) -> None:
        """Draw a frame of views: all updates, then all encodings, then one submit."""
        for view in views:
            view.update()
            self._note(view)
        self.device.queue.submit([view.encode() for view in views])

    def _note(self, view: View) -> None:
        report = view.report
        self.tally.seen["moved"] += report.bytes_moved > 0
        self.tally.most["slots"] = max(self.tally.most["slots"], report.slots)
        if view is not self.apart:
            self.tally.most["pages"] = max(self.tally.most["pages"], report.pages)

    def wanted(self, view: View) -> np.ndarray:
        """Draw object by object what a view has to look like; once, if two have the same order."""
        order = view.scene.order()
        key = (tuple(order), view.samples, view.is_depth)
        if key not in self._wanted:
            self.tally.seen["twins"] += 1
            self._wanted[key] = self._twin(view, order)
        return self._wanted[key]

    def _twin(self, view: View, order: Sequence[Any]) -> np.ndarray:
        naive = naive_renderer(self.device)
        image = naive.render(
            order, frame_values(), size=SIZE, samples=view.samples, background=BACKGROUND
        )
        return naive.depths(SIZE) if view.is_depth else image

    def expect_twin(self, what: str, view: View) -> None:
        """Raise unless a view looks like its twin; GPUs that fuse may round rows of tables otherwise."""
        image, wanted = view.picture(), self.wanted(view)
        wrong = differing(image, wanted)
        if wrong:
            order = view.scene.order()
            for is_indexed, is_clipped in product((False, True), repeat=2):
                drawn = redrawn(order, is_indexed, is_clipped=is_clipped)
                if not differing(image, self._twin(view, drawn)):
                    self.tally.seen["drawn otherwise"] += 1
                    return
            draw = lambda rows: self._twin(view, rows)
            if not is_tolerable(self.device, wrong, order, draw):
                raise Mismatch(f"{what} against its twin: {wrong} pixels differ")

    def check(self, *, is_last: bool) -> None:
        """Raise a :class:`Mismatch` unless all is as it has to be."""
        self.draw(self.views)
        self._wanted.clear()
        main, want = self.main.picture(), self.wanted(self.main)
        self.expect_twin("main", self.main)
        if self.second is not None:
            self.expect_twin("second", self.second)
        self._check_apart(main)
        self._check_fresh(main)
        # By turns, one at every other check: reading everything back takes as long as all the rest.
        turn, is_between = divmod(self.tally.pictures, 2)
        for number, view in enumerate(self.views):
            is_turn = not is_between and turn % len(self.views) == number
            if is_last or not is_turn:
                self._check_books(view)
            if is_last or is_turn:
                self._validate(view)
        self.tally.pictures += 1
        self.tally.covered += bool((want != want[0, 0]).any(-1).mean() >= 0.05)
        self.tally.seen["mixed"] += len(self.main.report.encodings) == 2

    def _check_books(self, view: View) -> None:
        try:
            check(view.scene._heap)
        except AssertionError as error:
            raise Mismatch(f"check of {name_of(self, view)}: {error}") from error

    def _validate(self, view: View) -> None:
        report = view.scene.validate()
        if not report.ok or report.skipped:
            raise Mismatch(f"validate of {name_of(self, view)}: {report} {report.skipped}")

    def _check_apart(self, main: np.ndarray) -> None:
        """Compare with pages of another size: with the main picture if no order can be seen."""
        image = self.apart.picture()
        if self.world.is_order_free:
            self.tally.seen["across pages"] += 1
            if np.array_equal(image, main):
                return
            # Surfaces that cut each other may have equal depths at a pixel: then order can be seen.
            self.tally.seen["ties"] += 1
        self.expect_twin("apart", self.apart)

    def _check_fresh(self, main: np.ndarray) -> None:
        """Compare with a scene that has just been made, if its things lie on the same pages."""
        fresh = View(
            self.device,
            self.world.scene,
            heap=None,
            encoding=self.encodings[1],
            samples=self.samples,
            page_bytes=PAGE_BYTES,
        )
        try:
            self.draw([fresh])
            ours, theirs = by_page(self.main.scene), by_page(fresh.scene)
            agree = [set(part) for part in ours] == [set(part) for part in theirs]
            self.tally.seen["fresh"] += 1
            self.tally.seen["same pages"] += agree
            if agree and ours != theirs:
                raise Mismatch("main and a fresh scene differ in their order")
            if agree and differing(main, fresh.picture()):
                self.expect_twin("a fresh scene", fresh)  # which main has been compared with
        finally:
            fresh.close()


def name_of(stage: Stage, view: View) -> str:
    return next(name for name in ("main", "second", "apart") if getattr(stage, name) is view)


def redrawn(order: Sequence[Any], is_indexed: bool, *, is_clipped: bool) -> list[Draw]:
    """Return draws of the same triangles, all by indices or all without, and maybe one to clip in each.

    The software driver gives now and then a sample of a thin triangle to its neighbour when the same
    vertices come without indices, as they do in mega slots, or when something else in the same call
    has to be clipped, since it culls what is seen edge-on in another way then. So it does for the twin.
    """
    rows = [
        d for item in order for d in (row_draws(item) if isinstance(item, TableRows) else [item])
    ]
    draws: list[Draw] = []
    for draw in rows:
        geometry: Geometry = now(draw.geometry)
        arrays, numbers = geometry.read_attributes(), geometry.read_indices()
        if numbers is None:
            numbers = np.arange(len(arrays["position"]), dtype=np.uint32)
        first, count = geometry.range or (0, len(numbers))
        numbers = numbers[first : first + count]
        hidden = behind_camera(now(draw.inputs.get("model", np.eye(4)))) if is_clipped else None
        if hidden is not None and now(draw.state).topology == "triangle-list":
            arrays = {
                n: a if len(a) == 1 else np.concatenate([a[:1]] * 3 + [a])
                for n, a in arrays.items()
            }
            arrays["position"][:3] = hidden
            numbers = np.concatenate([np.arange(3), numbers + 3]).astype(np.uint32)
        if is_indexed:
            same = Geometry(arrays, numbers)
        else:
            same = Geometry({n: a if len(a) == 1 else a[numbers] for n, a in arrays.items()})
        draws.append(replace(draw, geometry=same))
    return draws


def behind_camera(model: Any) -> np.ndarray | None:
    """Return a place of an object's own that lies far behind the camera, if it has one."""
    try:
        inverse = np.linalg.inv(np.asarray(model, np.float64))
    except np.linalg.LinAlgError:
        return None
    place = inverse @ np.append(CAMERA.position + 30 * CAMERA.view[2, :3], 1)
    return place[:3] if np.abs(place).max() < 1e6 else None


def by_page(scene: Any) -> list[list[Any]]:
    """Return what is drawn, rows of tables one by one, in order: a list per program and page."""
    parts: list[list[Any]] = []
    order = iter(scene.order())
    for bucket in scene._heap.buckets:
        count = sum(r is not None for slot in bucket.slots for r in slot.residents)
        parts.append([])
        for _ in range(count):
            item: Draw | TableRows = next(order)
            if isinstance(item, TableRows):
                alive = item.table.alive
                parts[-1] += [(item.draw, row) for row in item.rows if alive[row]]
            else:
                parts[-1].append(item)
    return [part for part in parts if part]


_naive: dict[Any, NaiveRenderer] = {}


def naive_renderer(device: Any) -> NaiveRenderer:
    """Return the twin on a device; it keeps its pipelines, which take longest to make."""
    if device not in _naive:
        _naive[device] = NaiveRenderer(device)
    return _naive[device]


# -- operations on the stage
def frame(stage: Stage, rng: np.random.Generator) -> None:
    """Draw some views, which nobody looks at, in any order."""
    views = [view for view in stage.views if rng.random() < 0.7]
    stage.draw([views[k] for k in rng.permutation(len(views))])


def dropped_frame(stage: Stage, rng: np.random.Generator) -> None:
    """Update views whose frames are never encoded."""
    for view in stage.views:
        if rng.random() < 0.5:
            view.update()
            stage._note(view)


def crossed_frame(stage: Stage, rng: np.random.Generator) -> None:
    """Encode one scene of a heap before the other is updated, and look at both."""
    views = stage.sharers[:: 1 if rng.random() < 0.5 else -1]
    encoded = []
    for view in views:
        view.update()
        stage._note(view)
        if rng.random() < 0.4:
            stage.heap.compact()
        encoded.append(view.encode())
    stage.device.queue.submit(encoded)
    stage._wanted.clear()
    for view in views:
        stage.expect_twin("a crossed frame", view)


def compact(stage: Stage, rng: np.random.Generator) -> None:
    moved = stage.heap.compact() + stage.apart.scene._memory.compact()
    stage.tally.seen["compacted"] += moved > 0


def recover(stage: Stage, rng: np.random.Generator) -> None:
    """Begin anew on the same device, or on the other one."""
    if rng.random() < 0.25:
        stage.device = stage.devices[1 - stage.devices.index(stage.device)]
        stage.tally.seen["changed device"] += 1
    views = stage.sharers
    views[int(rng.integers(len(views)))].scene.recover(stage.device)
    stage.apart.scene.recover(stage.device)
    for view in stage.views:
        if view.device is not stage.device:
            view.moved_to(stage.device)
    stage.tally.seen["recovered"] += 1


def toggle_second(stage: Stage, rng: np.random.Generator) -> None:
    """Close the second scene, or let it come back."""
    if stage.second is None:
        stage.open_second()
    else:
        stage.second.close()
        stage.second = None


def reopen(stage: Stage, rng: np.random.Generator) -> None:
    """Close the main scene, or the whole heap, and open it again."""
    stage.tally.seen["reopened"] += 1
    if rng.random() < 0.7:
        stage.main.close()
        stage.open_main()
        return
    stage.heap.close()
    for view in stage.sharers:
        view.close_target()
    stage.open_heap()


STAGE_OPERATIONS: dict[str, tuple[float, Callable[[Stage, np.random.Generator], None]]] = {
    "frame": (12, frame),
    "dropped_frame": (2, dropped_frame),
    "crossed_frame": (2, crossed_frame),
    "compact": (4, compact),
    "recover": (1.2, recover),
    "toggle_second": (2, toggle_second),
    "reopen": (1, reopen),
}
"""Name, weight and meaning of what is done to the scenes rather than to the world."""
