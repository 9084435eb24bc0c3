"""Renderer: scenes in, pictures out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, Reading, evaluations, tick_clock
from heapscene.draw import encode_value
from heapscene.errors import FrameOrderError, HeapsceneError, InputError, explain
from heapscene.gpu import GpuCalls, Timer, read_texture, request_device, shared_device, submit
from heapscene.render.arguments import check_device, check_kind
from heapscene.render.closing import Closing
from heapscene.render.heap_scene import HeapScene
from heapscene.render.in_use import InUse
from heapscene.render.posted import raised_after, run_posted
from heapscene.render.recovery import check_takes_over
from heapscene.render.report import FrameReport
from heapscene.render.targets import OffscreenTarget, Targets, check_size
from heapscene.render.validation import ValidationReport, join_reports
from heapscene.shader import VEC4
from heapscene.typing import ColorLike
from heapscene.wording import counted

if TYPE_CHECKING:
    import wgpu

__all__ = ["Renderer", "render"]

BACKGROUND = (0.925, 0.935, 0.95, 1.0)
KEPT_SCENES = 4  # the docstring of Renderer and docs/performance.md say so


class Renderer(Closing):
    """Draws scenes into a picture, again and again, each time for the price of what changed.

    The four scenes that were drawn last are kept, here and on the GPU, also when nobody else refers to
    them. Another one takes the place of the one that was not drawn for longest: drawn again, that one
    is sent anew as a whole. To draw more scenes in turn, use several renderers, or a
    :class:`HeapScene` for each, which stays until you close it.

    Parameters
    ----------
    size
        Width and height in physical pixels. Either may be 0, as of a window that starts minimised: frames are
        skipped until :meth:`resize`.
    samples
        Samples per pixel, 1 or 4.
    device
        A ``wgpu.GPUDevice`` to use; by default one is requested with WebGPU's default limits.
    page_bytes
        Largest size of a heap page; by default the device's limit for a storage binding, at most 256 MiB.
    encoding
        ``"expanded"`` (an index buffer is written by a kernel, so that vertices are reused),
        ``"mega"`` (none: the vertex shader looks up every index) or ``"auto"`` (expanded while it fits a budget).
    background
        Colour behind everything; by default the scene's own, or a light grey.

    Raises
    ------
    AdapterError
        No usable adapter; the message says which package to install.
    InputError
        A size, an encoding, a page size or a background that cannot be.
    StateError
        Another number of samples.

    Examples
    --------
    >>> import heapscene as hs
    >>> with hs.Renderer((64, 64)) as renderer:
    ...     image = renderer.render(hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red"))))
    >>> image.shape
    (64, 64, 4)
    """

    _instead = "Write hs.Renderer(r.size, device=r.device): a device may have any number of them."

    def __init__(
        self,
        size: tuple[int, int] = (800, 600),
        *,
        samples: int = 4,
        device: wgpu.GPUDevice | None = None,
        page_bytes: int | None = None,
        encoding: str = "auto",
        background: ColorLike | None = None,
    ) -> None:
        self._targets = Targets(samples=samples)
        self._size = check_size(size, least=0)
        self._background = None if background is None else _rgba(background)
        self._options: dict[str, Any] = {"page_bytes": page_bytes, "encoding": encoding}
        if device is not None:
            check_device(device)
        self.device = request_device() if device is None else device
        check_size(size, self.device, least=0)
        # no scene could be made with options that an empty one refuses
        HeapScene(self.device, self._targets, (), **self._options).close()
        self._closed = False
        self._in_use = InUse("renderer")
        self._target: OffscreenTarget | None = None
        self._scenes: dict[tuple[int, ...], tuple[Any, HeapScene]] = {}
        self._timer = Timer(self.device)
        self.report = FrameReport()

    # -- pictures
    def render(self, what: Any, camera: Any = None) -> NDArray[np.uint8]:
        """Draw ``what`` and read the picture back.

        Parameters
        ----------
        what
            A scene, a draw, an adaptive set of those, or a short list of those. Passing the same scene
            again costs what changed in it.
        camera
            Where to look from; by default fitted to what is visible at the first frame and then kept.

        Returns
        -------
        NDArray[np.uint8]
            Shape ``(height, width, 4)``, sRGB with straight alpha, first row on top.

        Raises
        ------
        GpuError
            As for :meth:`draw`.
        """
        report = self.draw(what, camera)
        if 0 in self._size:
            return np.zeros((self._size[1], self._size[0], 4), np.uint8)
        with self._in_use:
            return self._read(report)

    def _read(self, report: FrameReport) -> NDArray[np.uint8]:
        """Return the picture that was drawn last."""
        start = time.perf_counter()
        report.resolve()  # timestamps are there when the frame is: reading them waits for it
        drawn = time.perf_counter()
        image = read_texture(self.device, self._own_target().color, self._size)
        report.wait_ms = (drawn - start) * 1e3
        report.readback_ms = (time.perf_counter() - drawn) * 1e3
        return image

    def draw(
        self, what: Any, camera: Any = None, *, target: OffscreenTarget | None = None
    ) -> FrameReport:
        """Encode and submit one frame; wait for nothing.

        A renderer without pixels, see :meth:`resize`, skips the frame: changes wait for the next one.

        Parameters
        ----------
        what, camera
            As for :meth:`render`.
        target
            Where to draw instead of this renderer's own picture; with the same formats and samples.

        Returns
        -------
        FrameReport
            Its ``resolve()`` gives the time on the GPU until the next frame is drawn.

        Raises
        ------
        InputError
            ``target`` has other formats or samples; the background is no colour.
        FrameOrderError
            The renderer is closed.
        OutOfMemoryError
            The GPU has no memory for what is to be drawn.
        DeviceLostError
            The device is lost; :meth:`recover` goes on with another one.
        GpuError
            The device refused something else. After any of these three the next call tries again.
        """
        self._check_open()
        with raised_after(run_posted()):
            self._check_open()  # what was posted may have closed it
            with self._in_use:
                return self._draw_frame(what, camera, target)

    def _draw_frame(self, what: Any, camera: Any, target: OffscreenTarget | None) -> FrameReport:
        if target is None and 0 in self._size:
            return self._report(FrameReport())
        target = self._own_target() if target is None else self._checked_target(target)
        scene = self._scene_of(what)
        seen = {"viewport": target.size}
        report = scene._update_only(FrameReport(), camera, seen, evaluations())
        background = self._background_of(what)
        try:
            self._submit(scene, target, background)
        except BaseException:
            scene.forget_encoded()
            raise
        report._pending = self._timer.milliseconds
        tick_clock()
        return self._report(report)

    def _report(self, report: FrameReport) -> FrameReport:
        self.report._pending = None  # the timestamps are those of this frame now
        self.report = report
        return report

    def _submit(
        self, scene: HeapScene, target: OffscreenTarget, background: tuple[float, ...]
    ) -> None:
        refused = GpuCalls("the pass of a frame was not encoded")
        with refused:
            encoder = self.device.create_command_encoder(label="heapscene frame")
        scene.encode_compute(encoder)
        with scene.report.stage("render"), refused:
            descriptor = target.pass_descriptor(_linear(background))
            render_pass = encoder.begin_render_pass(**descriptor, **self._timer.pass_arguments())
        scene.encode_draws(render_pass)
        with scene.report.stage("render"), refused:
            render_pass.end()
            self._timer.resolve_into(encoder)
            submit(self.device, encoder)

    def _own_target(self) -> OffscreenTarget:
        if self._target is None:
            self._target = OffscreenTarget(self.device, self._size, self._targets)
        return self._target

    def _checked_target(self, target: OffscreenTarget) -> OffscreenTarget:
        check_kind("target", target, OffscreenTarget, "OffscreenTarget(device, (8, 8), targets)")
        target.check_open()
        if target.targets.key == self._targets.key:
            return target
        raise InputError(
            explain(
                "the target has other formats or samples than this renderer",
                facts={"target": target.targets, "renderer": self._targets},
                fix=f"Write Renderer(samples={target.targets.samples}), or make a target that fits.",
            )
        )

    def _background_of(self, what: Any) -> tuple[float, ...]:
        if self._background is not None:
            return self._background
        background = getattr(what, "background", None)
        if not isinstance(background, AVal):
            return _rgba(BACKGROUND if background is None else background)
        try:
            now = background.force()
            return _rgba(BACKGROUND if now is None else now)
        except Exception as error:
            Reading("background", what, background).note_on(error)
            raise

    def _check_open(self) -> None:
        if self._closed:
            raise FrameOrderError(
                explain("this renderer is closed", fix=f"Make another one: Renderer({self._size}).")
            )

    def _scene_of(self, what: Any) -> HeapScene:
        key = _identity(what)
        kept = self._scenes.pop(key, None)
        if kept is None:
            scene = HeapScene(self.device, self._targets, what, **self._options)
            while len(self._scenes) >= KEPT_SCENES:
                oldest = next(iter(self._scenes))
                self._scenes.pop(oldest)[1].close()
            kept = (what, scene)
        self._scenes[key] = kept
        return kept[1]

    # -- settings
    def fit(self) -> None:
        """Fit the camera anew at the next frame of each scene.

        Raises
        ------
        FrameOrderError
            The renderer is closed.
        """
        self._check_open()
        for _, scene in self._scenes.values():
            scene.fit()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in physical pixels."""
        return self._size

    def resize(self, size: tuple[int, int]) -> None:
        """Draw into a picture of another size from the next frame on.

        Parameters
        ----------
        size
            Width and height in physical pixels. Either may be 0, as of a window that was minimised: frames are skipped
            until the next call.

        Raises
        ------
        InputError
            Not a size, or larger than the device's textures; nothing has changed then.
        """
        self._check_open()
        size = check_size(size, self.device, least=0)
        self._in_use.check()
        self._size = size
        if self._target is not None:
            self._target.close()
            self._target = None

    def compact(self) -> int:
        """Close all holes in memory now, for example behind a loading screen; return the bytes moved.

        Frames do so by themselves, a little in each. The next pictures are the same.

        Raises
        ------
        FrameOrderError
            The renderer is closed.
        """
        self._check_open()
        return sum(scene.compact() for _, scene in self._scenes.values())

    def order(self, what: Any) -> list[Any]:
        """Return the draws of ``what`` in the order in which the GPU takes them.

        Raises
        ------
        FrameOrderError
            ``what`` is none of the scenes that are kept, see :class:`Renderer`; or the renderer is closed.
        """
        self._check_open()
        kept = self._scenes.get(_identity(what))
        if kept is None:
            raise FrameOrderError(
                explain(
                    "this scene is not drawn yet, or its part was given to another one",
                    facts={
                        "scene": f"{what!r:.80}",
                        "kept": f"{len(self._scenes)} of {KEPT_SCENES}",
                    },
                    fix="Call render(scene) first.",
                )
            )
        return kept[1].order()

    def recover(self, device: wgpu.GPUDevice | None = None) -> None:
        """Go on with another device: all that the lost one held is made anew from what is here.

        The next frame of each scene sends everything and draws the same picture. The old device need not
        be lost; it is not destroyed.

        Parameters
        ----------
        device
            A ``wgpu.GPUDevice`` to use; by default a new adapter is asked for a new one.

        Raises
        ------
        AdapterError
            There is no usable adapter any more; nothing has changed then.
        GpuError
            ``device`` is lost as well, or too small for what is drawn; nothing has changed then.
        FrameOrderError
            The renderer is closed.
        """
        self._check_open()
        self._in_use.check()
        if device is not None:
            check_device(device)
        device = request_device() if device is None else device
        check_size(self._size, device, least=0)
        scenes = [scene for _, scene in self._scenes.values()]
        for scene in scenes:
            check_takes_over(device, scene.page_bytes, scene.table_bytes)
        timer = Timer(device)
        for scene in scenes:
            scene.recover(device)
        self._close_own()
        self._timer = timer
        self.device = device
        self.report._pending = None  # its timestamps were on the old device

    def stats(self) -> dict[str, Any]:
        """Return sizes of all scenes' heaps: pages, bytes, buckets, slots, draws.

        Raises
        ------
        FrameOrderError
            The renderer is closed.
        """
        self._check_open()
        return {"scenes": [scene.stats() for _, scene in self._scenes.values()]}

    def validate(self) -> ValidationReport:
        """Read everything back that was drawn last, and check it; for when a picture is wrong.

        One report for all scenes that are kept; see :meth:`HeapScene.validate`.

        Raises
        ------
        FrameOrderError
            The renderer is closed.
        """
        self._check_open()
        self._in_use.check()
        return join_reports([scene.validate() for _, scene in self._scenes.values()])

    # -- life time
    def close(self) -> None:
        """Free everything on the GPU; nothing can be drawn after that. Closing twice is fine."""
        self._in_use.check()
        self._closed = True
        for _, scene in self._scenes.values():
            scene.close()
        self._scenes.clear()
        self._close_own()

    def _close_own(self) -> None:
        if self._target is not None:
            self._target.close()
            self._target = None
        self._timer.close()

    def __repr__(self) -> str:
        if self._closed:
            return "Renderer(closed)"
        kept = counted(len(self._scenes), "scene")
        return f"Renderer({self._size}, samples={self._targets.samples}; {kept})"


def render(
    what: Any,
    *,
    size: tuple[int, int] = (800, 600),
    camera: Any = None,
    background: ColorLike | None = None,
    samples: int = 4,
    device: wgpu.GPUDevice | None = None,
) -> NDArray[np.uint8]:
    """Render one picture without a window.

    For many pictures, or many of one scene, make one :class:`Renderer`: it keeps what it has sent.

    Parameters
    ----------
    what
        A scene, a draw, an adaptive set of those, or a short list of those.
    size
        Width and height in physical pixels.
    camera
        Where to look from. By default fitted to what is visible: 50° field of view, looking along
        (−1, −0.7, −1), 5 % margin.
    background
        Colour behind everything; by default the scene's own, or a light grey.
    samples
        Samples per pixel, 1 or 4.
    device
        A ``wgpu.GPUDevice`` to use; by default one that all these calls of the process share.

    Returns
    -------
    NDArray[np.uint8]
        Shape ``(height, width, 4)``, sRGB with straight alpha, first row on top.

    Raises
    ------
    AdapterError
        No usable adapter; the message says what was found and which package to install.
    """
    check_size(size)
    device = shared_device() if device is None else device
    with Renderer(size, samples=samples, device=device, background=background) as renderer:
        return renderer.render(what, camera)


def _identity(what: Any) -> tuple[int, ...]:
    if isinstance(what, Sequence) and not isinstance(what, str | bytes):
        return tuple(id(element) for element in what)
    return (id(what),)


def _rgba(color: Any) -> tuple[float, float, float, float]:
    try:
        r, g, b, a = np.frombuffer(encode_value(VEC4, color, "background"), "<f4")
    except HeapsceneError as cause:
        raise InputError(
            explain(
                f"background cannot be {color!r}",
                fix='Write a colour such as background="white" or background=(1, 1, 1, 1).',
            )
        ) from cause
    return (float(r), float(g), float(b), float(a))


def _linear(color: tuple[float, ...]) -> tuple[float, float, float, float]:
    """Return sRGB as linear light, what an ``-srgb`` target expects as clear value."""
    r, g, b = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in color[:3]
    )
    return (r, g, b, color[3])
