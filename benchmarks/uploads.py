"""Which way changed words should go: writes, a scatter, or the whole span.

Prints milliseconds of the CPU, and until the GPU is done, with the bytes sent; the constants of
``heapscene/gpu/upload.py`` come from here:  python benchmarks/uploads.py
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from heapscene.gpu import (
    Counters,
    GpuBuffer,
    Pipelines,
    Scatter,
    Usage,
    read_buffer,
    request_device,
)
from heapscene.gpu.upload import Ranges, join, route, stage
from heapscene.heap import DirtyRanges
from heapscene.kernels import scatter

ROUNDS = 7


class Bench:
    def __init__(self, rows: int, words: int) -> None:
        self.device = request_device()
        self.rng = np.random.default_rng(1)
        self.rows, self.words = rows, words
        self.data = np.zeros(rows * words, np.uint32)
        pipelines = Pipelines(self.device, Counters())
        self.target = GpuBuffer(self.device, "target", Usage.STORAGE, pipelines.counters)
        self.target.ensure(self.data.nbytes)
        self.sender = Scatter(pipelines, scatter)
        self.outbox = self.sender.outbox()

    def ranges(self, k: int) -> Ranges:
        dirty = DirtyRanges()
        dirty.add_rows(
            np.sort(self.rng.choice(self.rows, k, replace=False)) * self.words, self.words
        )
        return dirty.drain()

    def write(self, ranges: Ranges) -> int:
        for start, stop in ranges.tolist():
            self.device.queue.write_buffer(self.target.buffer, start * 4, self.data[start:stop])
        return int((ranges[:, 1] - ranges[:, 0]).sum()) * 4

    def scatter(self, ranges: Ranges) -> int:
        self.sender.send(self.target, self.outbox, self.data, ranges)
        self.sender.submit()
        return stage(self.data, ranges).nbytes

    def span(self, ranges: Ranges) -> int:
        return self.write(np.array([[ranges[0, 0], ranges[-1, 1]]]))

    def done(self) -> None:
        read_buffer(self.device, self.target.buffer, 4)


def measure(bench: Bench, send: Callable[[Ranges], int], k: int) -> str:
    cpu, done = [], []
    nbytes = 0
    for _ in range(ROUNDS + 2):
        ranges = bench.ranges(k)
        bench.done()
        start = time.perf_counter()
        if send == bench.scatter:
            bench.sender.send(bench.target, bench.outbox, bench.data, ranges)
            bench.sender.submit()
        else:
            nbytes = send(ranges)
        sent = time.perf_counter()
        bench.done()
        cpu.append((sent - start) * 1e3)
        done.append((time.perf_counter() - start) * 1e3)
    if send == bench.scatter:
        nbytes = stage(bench.data, ranges).nbytes
    times = f"{statistics.median(cpu[2:]):6.2f} {statistics.median(done[2:]):6.2f}"
    return f"{times} {nbytes / 1000:8.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--words", type=int, nargs="*", default=[16, 4, 1])
    chosen = parser.parse_args()
    head = "    cpu   done       kB"
    for words in chosen.words:
        bench = Bench(chosen.rows, words)
        ways = {
            "writes": bench.write,
            "joined": lambda ranges, bench=bench: bench.write(join(ranges)),
            "scatter": bench.scatter,
            "span": bench.span,
        }
        print(f"\n{chosen.rows:,} rows of {4 * words} bytes, k of them at random")
        print("      k " + "".join(f"| {name:<22}" for name in ways) + "| chosen")
        print("        " + f"| {head} "[:-1] * len(ways) + "|")
        for k in (10, 20, 30, 50, 100, 1_000, 3_000, 10_000, 30_000, 50_000):
            cells = [
                measure(bench, way, k) if k <= 1_000 or name in ("scatter", "span") else " " * 22
                for name, way in ways.items()
            ]
            plan = route(bench.ranges(k))
            name = "scatter" if len(plan.scattered) else f"{len(plan.written)} writes"
            print(f"{k:7,} " + "".join(f"| {cell:<22}" for cell in cells) + f"| {name}")


if __name__ == "__main__":
    main()
