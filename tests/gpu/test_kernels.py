"""Each kernel on the GPU against its NumPy twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heapscene as hs
from heapscene.errors import GpuError
from heapscene.gpu import BindGroup, Counters, GpuBuffer, Pipelines, SmallBuffer, Usage, read_buffer
from heapscene.kernels import (
    PROBE_WORDS,
    BucketKernels,
    BucketLoad,
    SlotLoad,
    args_reference,
    expand_reference,
    plan,
    probe_emitted,
    probe_reference,
    probe_vertices,
    scan_reference,
    tiles_reference,
    workgroups,
)

pytestmark = pytest.mark.gpu
LENGTHS = (0, 1, 2, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025)


@pytest.fixture(scope="module")
def pipelines(device) -> Pipelines:
    return Pipelines(device, Counters())


def random_page(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 2**32, 400, dtype=np.uint64).astype(np.uint32)


def random_records(rng: np.random.Generator, n: int, largest: int = 40) -> np.ndarray:
    """All index widths, 0 to 3 instances, a third hidden, starts aligned to the width."""
    records = np.zeros((n, 8), np.uint32)
    width = rng.choice([0, 1, 2, 4], n)
    records[:, 0] = rng.integers(0, 1000, n)
    records[:, 1] = rng.integers(4, 300, n) * width
    records[:, 2] = width | rng.integers(0, 9, n) << 3
    records[:, 3] = rng.integers(1, largest, n) * (rng.random(n) > 0.33)
    records[:, 4] = rng.integers(0, 4, n)
    records[:, 5] = rng.integers(0, 5, n)
    records[:, 6] = rng.integers(1, 30, n)
    return records


def random_slots(rng: np.random.Generator, records: np.ndarray, kinds: str) -> list[SlotLoad]:
    """Slots over random ranges of records; those of kind ``e`` have windows without order."""
    firsts = scan_reference(records)
    slots: list[SlotLoad] = []
    end = 0
    for kind in kinds:
        start, stop = np.sort(rng.integers(0, len(records) + 1, 2)).tolist()
        room = int(firsts[stop, 0]) - int(firsts[start, 0]) + int(rng.integers(0, 100))
        slots.append(SlotLoad(start, stop, end, room) if kind == "e" else SlotLoad(start, stop))
        end += (-(-room // 64) + int(rng.integers(0, 3))) * 64 if kind == "e" else 0
    return slots


def whole(records: np.ndarray, encoding: str, more: int = 0) -> list[SlotLoad]:
    """All records as one slot."""
    emitted = int(scan_reference(records)[-1, 0])
    if encoding == "mega":
        return [SlotLoad(0, len(records))]
    return [SlotLoad(0, len(records), 0, emitted + more)]


def upload(device, data: np.ndarray) -> SmallBuffer:
    buffer = SmallBuffer(device, "test", Usage.STORAGE, Counters())
    buffer.ensure(data.nbytes)
    buffer.write(data)
    return buffer


def words(device, buffer: GpuBuffer, count: int) -> np.ndarray:
    return read_buffer(device, buffer.buffer, count * 4).view(np.uint32)


def tiles_of(kernels: BucketKernels) -> tuple[GpuBuffer, GpuBuffer]:
    return kernels.emitted_tiles, kernels.vertex_tiles


def run(kernels: BucketKernels, device, records: np.ndarray, page: np.ndarray) -> None:
    encoder: Any = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    kernels.encode(compute, upload(device, records), upload(device, page), range(99))
    compute.end()
    device.queue.submit([encoder.finish()])


def check(pipelines: Pipelines, records: np.ndarray, page: np.ndarray, kinds: str) -> None:
    device = pipelines.device
    slots = random_slots(np.random.default_rng(len(records)), records, kinds)
    firsts = scan_reference(records)
    emitted, vertices = map(int, firsts[-1])
    kernels = BucketKernels(pipelines, "test")
    kernels.prepare(BucketLoad(len(records), emitted, vertices), slots)
    run(kernels, device, records, page)
    got = words(device, kernels.firsts, firsts.size).reshape(-1, 2)
    assert np.array_equal(got, firsts)
    for axis, kind in enumerate("me"):
        if kind in kinds:
            table = tiles_reference(firsts, axis)
            assert np.array_equal(words(device, tiles_of(kernels)[axis], len(table)), table)
    bounds = np.array([(s.start, s.stop, s.window or 0, s.window is not None) for s in slots])
    arguments = args_reference(firsts, bounds.astype(np.uint32))
    got = words(device, kernels.arguments, 5 * len(slots)).reshape(-1, 5)
    assert np.array_equal(got, arguments)
    for slot in slots:
        if slot.window is not None:
            own = firsts[slot.start : slot.stop + 1] - firsts[slot.start]
            indices = expand_reference(records[slot.start : slot.stop], own, page)
            got = words(device, kernels.indices, slot.window + len(indices))[slot.window :]
            assert np.array_equal(got, indices)
    kernels.close()


@pytest.mark.parametrize("kinds", ["eee", "mmm", "eme"])
@pytest.mark.parametrize("n", LENGTHS)
def test_kernels_equal_their_twins(pipelines, n: int, kinds: str) -> None:
    rng = np.random.default_rng(n)
    check(pipelines, random_records(rng, n), random_page(rng), kinds)


@pytest.mark.parametrize("kinds", ["eee", "mmm", "eme"])
def test_many_records(pipelines, kinds: str) -> None:
    rng = np.random.default_rng(70)
    check(pipelines, random_records(rng, 70_000, largest=12), random_page(rng), kinds)


def test_a_million_records_are_scanned(pipelines) -> None:
    records = random_records(np.random.default_rng(1), 1_000_000)
    check(pipelines, records, np.zeros(4, np.uint32), "mmm")


def huge(emitted: int) -> np.ndarray:
    """Return three records that emit so much together, the middle one nothing."""
    records = np.zeros((3, 8), np.uint32)
    records[:, 3] = emitted // 3, 0, emitted - emitted // 3
    records[:, 4:7] = 1, 0, 5
    return records


def test_very_many_draws_and_very_many_instances(pipelines) -> None:
    """Neither number is packed with the other into one."""
    rng = np.random.default_rng(8)
    records = random_records(rng, 70_000, largest=3)
    records[69_990] = [0, 0, 0, 2, 70_000, 3, 2, 0]
    check(pipelines, records, random_page(rng), "em")


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_tiles_around_a_full_row_of_workgroups(pipelines, more: int) -> None:
    """A dispatch of 65,535 workgroups of 64 tiles with 64 indices, one tile more and one less."""
    tiles = 65_535 * 64 + more
    check(pipelines, huge((tiles - 1) * 64 - 3), np.zeros(4, np.uint32), "mmm")


@pytest.mark.long
@pytest.mark.parametrize("emitted", [10**9, 2**31 - 64])
def test_a_billion_indices_are_scanned(pipelines, emitted: int) -> None:
    check(pipelines, huge(emitted), np.zeros(4, np.uint32), "mmm")


def test_more_tiles_than_a_binding_holds_are_refused_with_numbers(pipelines) -> None:
    kernels = BucketKernels(pipelines, "test")
    with pytest.raises(GpuError, match="'test emitted tiles' cannot grow to 134,217,732 bytes"):
        kernels.prepare(BucketLoad(3, 2**31 - 63, 0), [SlotLoad(0, 3)])
    kernels.close()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_as_many_records_as_a_binding_holds(pipelines) -> None:
    records = random_records(np.random.default_rng(1), (128 << 20) // 32, largest=12)
    check(pipelines, records, np.zeros(4, np.uint32), "mmm")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_five_million_rows_on_several_pages(device) -> None:
    """They would fit on one page, but their records do not fit a binding."""
    rng = np.random.default_rng(2)
    corners = np.array([[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0]], np.float32)
    places = rng.uniform(-0.5, 0.5, (5_000_000, 3)).astype(np.float32)
    table = hs.DrawTable(
        hs.UnlitMaterial("red"),
        geometry=[hs.Geometry({"position": corners})],
        columns={"position": places},
    )
    camera = hs.PerspectiveCamera(position=(0, 0, 3), target=(0, 0, 0), near=0.1, far=50)
    pictures, pages = [], []
    for page_bytes, encoding in ((None, "mega"), (None, "expanded"), (2**25, "auto")):
        options = {"samples": 1, "encoding": encoding, "page_bytes": page_bytes}
        with hs.Renderer((16, 16), device=device, **options) as renderer:
            pictures.append(renderer.render(table, camera))
            report = renderer.report
            assert (report.visible_draws, report.emitted_indices) == (5_000_000, 15_000_000)
            assert report.draw_calls == report.pages
            pages.append(report.pages)
    assert pages == [2, 2, 3]
    assert (pictures[0] == pictures[1]).all()
    assert (pictures[0] == pictures[2]).all()
    assert np.ptp(pictures[0][..., 1]) > 100


@pytest.mark.parametrize("kinds", ["eee", "mmm", "eme"])
def test_everything_hidden(pipelines, kinds: str) -> None:
    records = random_records(np.random.default_rng(2), 300)
    records[:, 3] = 0
    check(pipelines, records, np.zeros(4, np.uint32), kinds)


def test_long_runs_of_hidden_records_between_visible_ones(pipelines) -> None:
    rng = np.random.default_rng(5)
    records = random_records(rng, 5_000)
    records[rng.random(5_000) > 0.01, 3] = 0
    check(pipelines, records, random_page(rng), "eem")


def test_one_large_mesh_between_small_ones(pipelines) -> None:
    rng = np.random.default_rng(6)
    records = random_records(rng, 9)
    page = rng.integers(0, 2**32, 60_000, dtype=np.uint64).astype(np.uint32)
    records[4] = [0, 16, 2, 100_000, 2, 3, 40_000, 0]
    check(pipelines, records, page, "eem")


def test_bounds_that_are_too_high_change_nothing(pipelines) -> None:
    """Sizes may be upper bounds: what lies past the real totals is never written or selected."""
    device = pipelines.device
    rng = np.random.default_rng(7)
    records, page = random_records(rng, 200), random_page(rng)
    firsts = scan_reference(records)
    emitted, vertices = map(int, firsts[-1])
    kernels = BucketKernels(pipelines, "test")
    slots = whole(records, "expanded", more=500)
    kernels.prepare(BucketLoad(200, emitted + 500, vertices + 300), slots)
    run(kernels, device, records, page)
    indices = words(device, kernels.indices, emitted + 500)
    assert np.array_equal(indices[:emitted], expand_reference(records, firsts, page))
    assert not indices[emitted:].any()
    count = -(-(vertices + 300) // 64)
    table = words(device, kernels.vertex_tiles, count + 1)
    assert np.array_equal(table, tiles_reference(firsts, 1, count))
    assert words(device, kernels.arguments, 5).tolist() == [emitted, 1, 0, 0, 0]


def test_an_index_buffer_in_several_windows(pipelines, monkeypatch) -> None:
    from heapscene.kernels import encode

    def in_small_windows(load, slots, *, window_bytes):
        made = plan(load, slots, window_bytes=16 << 10)
        assert sum(item.window is not None for item in made.dispatches) > 3
        return made

    monkeypatch.setattr(encode, "plan", in_small_windows)
    rng = np.random.default_rng(9)
    check(pipelines, random_records(rng, 2_000), random_page(rng), "eem")


def test_workgroups_in_two_dimensions(pipelines, monkeypatch) -> None:
    from heapscene.kernels import bucket_passes

    monkeypatch.setattr(bucket_passes, "_MOST_GROUPS", 3)
    rng = np.random.default_rng(10)
    check(pipelines, random_records(rng, 5_000), random_page(rng), "eem")


def test_a_second_run_makes_and_sends_nothing(pipelines) -> None:
    device = pipelines.device
    rng = np.random.default_rng(11)
    records, page = random_records(rng, 100), random_page(rng)
    emitted, vertices = map(int, scan_reference(records)[-1])
    kernels = BucketKernels(pipelines, "test")
    slots = random_slots(rng, records, "em")
    load = BucketLoad(100, emitted, vertices)
    kernels.prepare(load, slots)
    run(kernels, device, records, page)
    before = pipelines.counters.snapshot()
    kernels.prepare(load, slots)
    run(kernels, device, records, page)
    assert pipelines.counters.since(before) == Counters()


def test_an_encoding_may_change(pipelines) -> None:
    device = pipelines.device
    rng = np.random.default_rng(12)
    records, page = random_records(rng, 100), random_page(rng)
    firsts = scan_reference(records)
    load = BucketLoad(100, int(firsts[-1, 0]), int(firsts[-1, 1]))
    kernels = BucketKernels(pipelines, "test")
    for encoding, axis in (("mega", 0), ("expanded", 1), ("mega", 0)):
        kernels.prepare(load, whole(records, encoding))
        run(kernels, device, records, page)
        table = tiles_reference(firsts, axis)
        assert np.array_equal(words(device, tiles_of(kernels)[axis], len(table)), table)


def test_only_slots_that_are_asked_for_are_expanded(pipelines) -> None:
    device = pipelines.device
    rng = np.random.default_rng(13)
    records, page = random_records(rng, 90), random_page(rng)
    firsts = scan_reference(records)
    slots = [SlotLoad(0, 30, 0, 4096), SlotLoad(30, 60, 4096, 4096), SlotLoad(60, 90, 8192, 4096)]
    kernels = BucketKernels(pipelines, "test")
    kernels.prepare(BucketLoad(90, *map(int, firsts[-1])), slots)
    encoder: Any = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    assert kernels.encode(compute, upload(device, records), upload(device, page), {1}) == 6
    compute.end()
    device.queue.submit([encoder.finish()])
    written = words(device, kernels.indices, 3 * 4096).reshape(3, 4096).any(axis=1)
    assert written.tolist() == [False, True, False]


def test_kernels_stay_within_eight_storage_buffers() -> None:
    for dispatch in plan(BucketLoad(1, 1, 1), [SlotLoad(0, 1, 0, 1)]).dispatches:
        assert sum(b.kind != "uniform" for b in dispatch.kernel.bindings) <= 8


@pytest.mark.parametrize("encoding", ["mega", "expanded"])
@pytest.mark.parametrize("n", [1, 64, 1025])
def test_the_probe_finds_what_its_twin_finds(device, pipelines, n, encoding):
    rng = np.random.default_rng(n)
    records, page = random_records(rng, n), random_page(rng)
    records[0, 3:5] = 7, 2
    starts = scan_reference(records)
    emitted = int(starts[-1, 0])
    first, stop = emitted // 3 // 64 * 64, emitted
    kernel = probe_emitted if encoding == "mega" else probe_vertices
    axis = int(encoding == "expanded")
    numbers = expand_reference(records, starts, page)
    if encoding == "expanded":  # random pages hold indices outside of the records' spans
        numbers = rng.integers(0, starts[-1, 1], emitted).astype(np.uint32)
    stretch = np.array([first, stop, n, 0], np.uint32)
    given = {
        "stretch": stretch,
        "page": page,
        "records": records,
        "firsts": starts,
        "tiles": tiles_reference(starts, axis),
        "indices": numbers[first:],
        "found": np.zeros((stop - first) * PROBE_WORDS, np.uint32),
    }
    want = given["found"].copy()
    names = [binding.name for binding in kernel.bindings]
    kernel.twin(*[given[name] for name in names[:-1]], want)
    if encoding == "mega":
        assert (want.reshape(-1, 5) == probe_reference(records, starts, page, first, stop)).all()
    buffers = {}
    for binding in kernel.bindings:
        usage = Usage.UNIFORM if binding.name == "stretch" else Usage.STORAGE
        buffers[binding.name] = SmallBuffer(device, binding.name, usage, Counters())
        buffers[binding.name].write(given[binding.name])
    group = BindGroup(pipelines.layouts).get(kernel.bindings, [buffers[name] for name in names])
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(
        pipelines.compute(kernel.wgsl, kernel.entry, (kernel.bindings,), kernel.name)
    )
    compute.set_bind_group(0, group)
    compute.dispatch_workgroups(*workgroups(stop - first, kernel))
    compute.end()
    device.queue.submit([encoder.finish()])
    got = words(device, buffers["found"], len(want))
    assert (got == want).all()
    for buffer in buffers.values():
        buffer.close()
