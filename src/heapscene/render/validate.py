"""Reading a scene back from the GPU, and running all checks on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heapscene.gpu import GpuBuffer, SmallBuffer, read_buffer
from heapscene.heap import BucketBooks, DrawHeap, Fault, Faults, Page, Words, check_heap
from heapscene.kernels import ARGS_WORDS, KernelTables, TableChecks
from heapscene.render.bucket_gpu import BucketGpu
from heapscene.render.probe_pass import ProbePass
from heapscene.render.validation import ValidationReport, make_report

if TYPE_CHECKING:
    from heapscene.heap import Bucket

__all__ = ["SceneState", "validate_scene"]

_PART = 1 << 20  # emitted indices that are read back together; a multiple of a binding's alignment


class SceneState:
    """What there is of a scene on both sides.

    Attributes
    ----------
    heap, pages, buckets, uniform
        The heap, the GPU's copies of its pages and buckets, and the frame inputs.
    frame
        Number of the last update that was finished; 0 if there was none.
    is_submitted
        Whether the kernels that were encoded last have been submitted, too.
    subjects
        Returns what draws stand for, those that come from nodes.
    """

    __slots__ = ("buckets", "frame", "heap", "is_submitted", "pages", "subjects", "uniform")

    def __init__(
        self,
        heap: DrawHeap,
        pages: Mapping[Page, GpuBuffer],
        buckets: Mapping[Bucket, BucketGpu],
        uniform: SmallBuffer,
        frame: int,
        *,
        is_submitted: bool,
        subjects: Callable[[], Mapping[Any, object]],
    ) -> None:
        self.heap = heap
        self.pages = pages
        self.buckets = buckets
        self.uniform = uniform
        self.frame = frame
        self.is_submitted = is_submitted
        self.subjects = subjects

    def order(self) -> list[object]:
        """Return what there is in drawing order, as the user calls it."""
        subjects = self.subjects()
        return [subjects.get(draw, draw) for draw in self.heap.order()]

    @property
    def is_sent(self) -> bool:
        """Whether the GPU has got all that the heap holds."""
        words: list[Words] = [*self.heap.pages]
        for bucket in self.heap.buckets:
            words += (bucket.headers, bucket.records)
        return (
            not any(item.dirty for item in words)
            and set(self.pages) == set(self.heap.pages)
            and set(self.buckets) == set(self.heap.buckets)
            and all(on_gpu.ready for on_gpu in self.buckets.values())
        )

    def read(self, words: Words) -> NDArray[np.uint32]:
        """Return words of the heap as the GPU has them."""
        if isinstance(words, Page):
            return read_words(self.pages[words], words.used)
        for bucket, on_gpu in self.buckets.items():
            if words is bucket.headers:
                return read_words(on_gpu._headers, words.used)
            if words is bucket.records:
                return read_words(on_gpu._records, words.used)
        raise KeyError(words)


def read_words(buffer: GpuBuffer, count: int, first: int = 0) -> NDArray[np.uint32]:
    """Return words of a buffer, as many as it has; this waits for the GPU."""
    count = min(count, buffer.nbytes // 4 - first)
    return read_buffer(buffer.device, buffer.buffer, count * 4, first * 4).view(np.uint32)


def validate_scene(state: SceneState) -> ValidationReport:
    """Read everything back and check it; nothing is changed, on either side."""
    faults, skipped = Faults(), list[str]()
    if state.frame == 0 or not state.is_sent:
        check_heap(faults, state.heap, None)
        why = "the last update raised, or went to another device"
        why = "there was no update yet" if state.frame == 0 else why
        skipped.append(f"what lies on the GPU: {why}")
        return make_report(faults, skipped, state.frame, state.order)
    books = check_heap(faults, state.heap, state.read)
    _check_uniform(faults, state.uniform)
    for bucket in books:
        name = f"bucket {bucket.number}"
        on_gpu = state.buckets[bucket.bucket]
        if not (state.is_submitted and on_gpu.tables_ready):
            skipped.append(f"what kernels write for {name}: they have not run since the update")
            continue
        if not _check_bucket(faults, state, bucket, on_gpu):
            skipped.append(f"the search in {name}: the tables that it reads have faults")
    return make_report(faults, skipped, state.frame, state.order)


def _check_bucket(faults: Faults, state: SceneState, books: BucketBooks, on_gpu: BucketGpu) -> bool:
    """Check what kernels have written; return whether the search could be checked as well."""
    bucket, made = books.bucket, on_gpu._kernels
    placed = on_gpu._windows.placed
    windows = [placed[slot][0] if slot in placed else None for slot in bucket.slots]
    checks = TableChecks(faults, books, windows)
    before = faults.total
    records = state.read(bucket.records).reshape(-1, 8)
    has_mega, has_expanded = None in windows, set(windows) != {None}
    tables = KernelTables(
        records,
        read_words(made.firsts, 2 * (bucket.n_records + 1)).reshape(-1, 2),
        read_words(made.arguments, len(windows) * ARGS_WORDS),
        (
            read_words(made.emitted_tiles, checks.tiles(0) + 1) if has_mega else None,
            read_words(made.vertex_tiles, checks.tiles(1) + 1) if has_expanded else None,
        ),
        lambda: state.read(bucket.page),
    )
    checks.check_tables(tables)
    parts = list(_parts(checks, windows))
    for slot, first, stop, at in parts:
        if at is not None:
            checks.check_indices(slot, first, read_words(made.indices, stop - first, at))
    if faults.total > before or not np.array_equal(records, books.records):
        return False
    with ProbePass(on_gpu, state.pages[bucket.page], bucket.n_records) as probe:
        for slot, first, stop, at in parts:
            base = int(checks.starts[books.ranges[slot, 0], 1])
            checks.check_search(slot, first, probe.run(first, stop, at, base))
    return True


def _parts(
    checks: TableChecks, windows: list[int | None]
) -> Iterator[tuple[int, int, int, int | None]]:
    """Return slot, first and last emitted index, and where they lie in the index buffer."""
    for slot, window in enumerate(windows):
        begin, end = checks.emitted_of(slot)
        for first in range(begin, end, _PART):
            at = None if window is None else window + first - begin
            yield slot, first, min(first + _PART, end), at


def _check_uniform(faults: Faults, uniform: SmallBuffer) -> None:
    """Check that the frame inputs are those of the last update."""
    sent = np.frombuffer(uniform._last or b"", np.uint32)
    faults.looked("frame-inputs", len(sent))
    found = read_words(uniform, len(sent))
    for at in np.flatnonzero(found != sent).tolist():
        faults.add(
            Fault(
                "frame-inputs",
                "word",
                "frame",
                offset=at * 4,
                expected=int(sent[at]),
                found=int(found[at]),
            )
        )
