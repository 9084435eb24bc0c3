"""What adding, removing and resizing costs after a long time, and how much memory holes take.

The sizes drift: geometries of twenty vertices at times, of hundreds at others, so that what is given
back does not fit what comes. Prints the CPU time of the first and the last tenth of the operations, and the share of
waste and the pages on the way.

Run it as ``python benchmarks/churn.py [OPERATIONS] [--page-bytes N] [--share S] [--still]``.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from heapscene.adaptive import cval
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.heap import DrawHeap
from heapscene.shader import VEC3, VEC4, Interface

POINTS = PipelineState(topology="point-list")
OPERATIONS = 100_000
PER_FRAME = 100
LIVE = 3000
PERIODS = 5
SMALLEST, TIMES = 20, 16


class Points:
    """A program as far as a heap looks at it."""

    hash = "points"
    interface = Interface({"position": VEC3}, {"color": VEC4})


class Churn:
    """A heap in which draws come, go and change their size.

    Attributes
    ----------
    largest_waste, most_pages
        What there was at most after a frame: the share of used bytes that was free, on any page.
    moved
        Bytes that compaction moved.
    """

    def __init__(
        self, operations: int = OPERATIONS, page_bytes: int = 2**23, n_live: int = LIVE
    ) -> None:
        self.rng = np.random.default_rng(0)
        self.n_live = n_live
        self.program = Points()
        self.operations = operations
        self.heap = DrawHeap(page_bytes, {})
        self.live: list[tuple[Draw, Any]] = []
        self.done = 0
        self.compacts = True
        self.largest_waste = 0.0
        self.most_pages = 0
        self.moved = 0

    def size(self) -> int:
        """Vertices of a geometry, of a size that is usual now."""
        turn = np.cos(2 * np.pi * PERIODS * self.done / self.operations)
        middle = SMALLEST * TIMES ** (0.5 - 0.5 * turn)
        return int(np.clip(self.rng.lognormal(np.log(middle), 0.7), 1, 20_000))

    def points(self) -> np.ndarray[Any, Any]:
        """Return positions of as many vertices as are usual now."""
        return self.rng.random((self.size(), 3), np.float32)

    def arrive(self) -> Draw:
        """Return a new draw."""
        position = cval(self.points())
        geometry = Geometry({"position": position})
        draw = Draw(self.program, geometry, {"color": (1, 0, 0, 1)}, state=POINTS)
        self.live.append((draw, position))
        return draw

    def fill(self) -> None:
        """Begin with as many draws as there will be."""
        self.heap.apply([DrawChange(None, self.arrive()) for _ in range(self.n_live)])

    def frame(self) -> None:
        """Do the operations of a frame, and what the heap does in one."""
        changes: list[DrawChange] = []
        for _ in range(PER_FRAME):
            dice = self.rng.random()
            if len(self.live) < self.n_live or dice < 0.3:
                changes.append(DrawChange(None, self.arrive()))
            elif dice < 0.6:
                draw, _ = self.live.pop(int(self.rng.integers(len(self.live))))
                changes.append(DrawChange(draw, None))
            else:
                self.live[int(self.rng.integers(len(self.live)))][1].value = self.points()
            self.done += 1
        self.heap.apply(changes)
        self.heap.pull()
        if self.compacts:
            self.moved += self.heap.memory.compact_some()
        for page in self.heap.pages:
            allocator = page.allocator
            if allocator.waste > self.heap.memory.compactor.least_waste:
                self.largest_waste = max(self.largest_waste, allocator.waste / allocator.cursor)
        self.most_pages = max(self.most_pages, len(self.heap.pages))


def main() -> None:
    """Run it, and print a line for each tenth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operations", nargs="?", type=int, default=OPERATIONS)
    parser.add_argument("--page-bytes", type=int, default=2**23)
    parser.add_argument("--share", type=float, help="compact from this share of waste on")
    parser.add_argument("--still", action="store_true", help="let nothing move")
    options = parser.parse_args()
    churn = Churn(options.operations, options.page_bytes)
    churn.compacts = not options.still
    if options.share is not None:
        churn.heap.memory.compactor.waste_share = options.share
    churn.fill()
    times: list[float] = []
    print("operations  µs each   live MB  used MB  waste  most  pages  moved MB")
    for _ in range(10):
        churn.largest_waste = 0.0
        start = time.process_time()
        for _ in range(options.operations // 10 // PER_FRAME):
            churn.frame()
        times.append((time.process_time() - start) / (options.operations // 10) * 1e6)
        stats = churn.heap.stats()
        waste = stats["waste_bytes"] / stats["page_bytes"]
        print(
            f"{churn.done:10,}  {times[-1]:7.1f}  {stats['live_bytes'] / 1e6:8.2f} "
            f"{stats['page_bytes'] / 1e6:8.2f}  {waste:5.2f}  {churn.largest_waste:4.2f}"
            f"  {stats['pages']:5}  {churn.moved / 1e6:8.1f}"
        )
    print(f"last tenth / first tenth: {times[-1] / times[0]:.2f}")


if __name__ == "__main__":
    main()
