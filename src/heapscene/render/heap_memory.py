"""Heap: memory on one device that several scenes share."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from heapscene.errors import FrameOrderError, InputError, explain
from heapscene.gpu import Mirror, Scatter, Usage, pipelines_of
from heapscene.heap import DrawHeap, Memory, Page
from heapscene.kernels import scatter
from heapscene.render.arguments import check_count, check_device
from heapscene.render.closing import Closing
from heapscene.render.in_use import InUse
from heapscene.render.recovery import bucket_limits, page_limit
from heapscene.render.validation import ValidationReport, join_reports
from heapscene.shader import types
from heapscene.wording import counted

if TYPE_CHECKING:
    import wgpu

__all__ = ["Heap"]


class Tenant(Protocol):
    """A scene, as the heap sees it."""

    bound: dict[Page, int]
    """The buffers (by generation) of pages that it has encoded since its last update."""

    def send_tables(self) -> None:
        """Send header rows and records that lead to other places now."""
        ...

    def validate(self) -> ValidationReport:
        """Read back what lies on the GPU, and check it."""
        ...

    def close(self) -> None:
        """Free everything."""
        ...


class Heap(Closing):
    """Paged memory on a device, for scenes that draw the same things.

    What scenes on one heap have in common (geometry, values, columns of tables) is stored and sent once,
    for example for a picture and for a pass that only writes depth. Each scene keeps its own drawing
    order, pipelines and kernels, and may be closed at any time.

    Update all scenes of a frame, then encode: a picture shows what values are when it is submitted.

    Parameters
    ----------
    device
        A ``wgpu.GPUDevice``, the one that the scenes are drawn with.
    page_bytes
        Largest size of a page; by default the device's limit, at most 256 MiB. A draw with all that it
        needs has to fit on a page.

    Raises
    ------
    InputError
        ``page_bytes`` is too small, or more than the device can bind.

    Examples
    --------
    ::

        with hs.Heap(device) as heap:
            picture = hs.HeapScene(device, hs.Targets(samples=4), scene, heap=heap)
            depth = hs.HeapScene(device, hs.Targets(colors={}), casters, heap=heap)
    """

    _instead = "Any number of scenes may share one; or write hs.Heap(device)."

    def __init__(self, device: wgpu.GPUDevice, *, page_bytes: int | None = None) -> None:
        check_device(device)
        most = page_limit(device)
        if page_bytes is not None:
            check_count("page_bytes", page_bytes, most)
        self.memory = Memory(most if page_bytes is None else page_bytes, bucket_limits(device))
        self.mirrors: dict[Page, Mirror] = {}
        self._scenes: weakref.WeakKeyDictionary[Any, weakref.finalize[..., Any]] = (
            weakref.WeakKeyDictionary()
        )
        self._abandoned: list[DrawHeap] = []
        self._is_closed = False
        self.in_use = InUse("scene")
        self.open(device)

    def open(self, device: wgpu.GPUDevice) -> None:
        """Begin with nothing on a device; the next update sends what there is."""
        self.device = device
        self.memory.limits.become(bucket_limits(device))
        self.pipelines = pipelines_of(device)
        self.scatter = Scatter(self.pipelines, scatter)

    def __repr__(self) -> str:
        if self._is_closed:
            return "Heap(closed)"
        pages = counted(len(self.memory.pages), "page")
        return f"Heap({pages}, {counted(len(self._scenes), 'scene')})"

    # -- scenes
    @property
    def scenes(self) -> list[Any]:
        """The scenes that are open, in the order in which they were made."""
        return list(self._scenes)

    def join(
        self, scene: Tenant, device: wgpu.GPUDevice, frame_inputs: Mapping[str, types.Type]
    ) -> DrawHeap:
        """Take a scene in; return what is to hold its draws.

        Raises
        ------
        FrameOrderError
            The heap is closed.
        InputError
            The scene is to be drawn with another device.
        """
        self._check_open()
        if device is not self.device:
            raise InputError(
                explain(
                    "the heap lies on another device than the scene",
                    facts={"scene": device, "heap": self.device},
                    fix="Make both with one device: HeapScene(device, targets, draws, heap=Heap(device)).",
                )
            )
        self.clear_abandoned()
        held = DrawHeap(self.memory, frame_inputs)
        # A scene that is dropped without close() is found by the next one that is updated: what runs
        # here may run at any time, in any thread.
        self._scenes[scene] = dropped = weakref.finalize(scene, self._abandoned.append, held)
        dropped.atexit = False
        return held

    def leave(self, scene: Tenant, held: DrawHeap) -> None:
        """Let a scene go, with what only it has here."""
        dropped = self._scenes.pop(scene, None)
        if dropped is not None:
            dropped.detach()
            held.close()

    def clear_abandoned(self) -> None:
        """Give back what scenes held that were dropped without being closed."""
        while self._abandoned:
            self._abandoned.pop().close()

    # -- a frame
    def compact_some(self, scene: Tenant | None = None) -> int:
        """Move what one frame may move, in the update of `scene`; return how many bytes."""
        return self.memory.compact_some(lambda page: self._may_move(page, scene))

    def sync(self, scene: Tenant | None = None) -> None:
        """Send what changed in pages, and where it lies now to all scenes but `scene`."""
        for page in self.memory.pages:
            mirror = self.mirrors.get(page)
            if mirror is None:
                mirror = self.mirrors[page] = Mirror(
                    self.device,
                    f"page {page.number}",
                    Usage.STORAGE,
                    self.pipelines.counters,
                    scatter=self.scatter,
                )
            mirror.sync(page, may_shrink=not self._bound(page, scene))
        if len(self.mirrors) > len(self.memory.pages):
            kept = set(self.memory.pages)
            for page in [page for page in self.mirrors if page not in kept]:
                self.mirrors.pop(page).close()
        for other in self.scenes:
            if other is not scene:
                other.send_tables()

    def _bound(self, page: Page, scene: Tenant | None) -> list[int]:
        """Return with which buffers of a page other scenes have encoded since they were updated."""
        return [
            other.bound[page]
            for other in self._scenes
            if other is not scene and page in other.bound
        ]

    def _may_move(self, page: Page, scene: Tenant | None) -> bool:
        """Whether what another scene has encoded, and nobody knows whether submitted, follows.

        It sees where things lie by its header rows, which are sent; the data it sees in the buffer
        that it was encoded with, which has to be the one that is written.
        """
        bound = self._bound(page, scene)
        if not bound:
            return True
        mirror = self.mirrors[page]
        return page.used * 4 <= mirror.nbytes and all(was == mirror.generation for was in bound)

    # -- for users
    def stats(self) -> dict[str, int]:
        """Return sizes: pages, bytes in use, wasted and reserved, entries, scenes, bytes on the GPU."""
        self._check_open()
        self.clear_abandoned()
        gpu = sum(mirror.nbytes for mirror in self.mirrors.values())
        return {**self.memory.stats(), "scenes": len(self._scenes), "gpu_bytes": gpu}

    def compact(self) -> int:
        """Close all holes now, at once; a frame by itself moves at most 8 MiB, and only what is worth it.

        Call it before the updates of a frame. The next pictures are the same.

        Returns
        -------
        int
            Bytes moved.

        Raises
        ------
        FrameOrderError
            The heap is closed.
        """
        self._check_open()
        self.in_use.check()
        self.clear_abandoned()
        moved = self.memory.compact(lambda page: self._may_move(page, None))
        if moved and self.mirrors:
            self.sync()
            self.scatter.submit()
        return moved

    def validate(self) -> ValidationReport:
        """Read everything back that the scenes have drawn last, and check it; see :meth:`HeapScene.validate`.

        Returns
        -------
        ValidationReport
            One for all scenes, in the order in which they were made.

        Raises
        ------
        FrameOrderError
            The heap is closed.
        """
        self._check_open()
        return join_reports([scene.validate() for scene in self.scenes])

    def close(self) -> None:
        """Free everything, here and on the GPU, and close the scenes. Closing twice is fine."""
        if self._is_closed:
            return
        self.in_use.check()
        self._is_closed = True
        scenes = list(self._scenes.items())
        self._scenes.clear()
        for scene, dropped in scenes:
            dropped.detach()
            scene.close()
        self.close_gpu()
        self.memory = Memory(self.memory.page_bytes, self.memory.limits)

    def close_gpu(self) -> None:
        """Free what is on the GPU."""
        for mirror in self.mirrors.values():
            mirror.close()
        self.mirrors.clear()

    def _check_open(self) -> None:
        if self._is_closed:
            raise FrameOrderError(explain("this heap is closed", fix="Make another: Heap(device)."))
