"""Each check of ``validate()`` sees the fault that is planted for it, and no other check does."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import heapscene as hs
from heapscene.adaptive import cset, cval
from heapscene.draw import Draw, DrawTable, PipelineState
from heapscene.errors import FrameOrderError, HeapsceneError
from heapscene.geometry import box
from heapscene.gpu import read_texture
from heapscene.heap import RECORD
from heapscene.kernels import probe
from heapscene.kernels.kernel import kernel
from heapscene.render import probe_pass, validate
from heapscene.shader import builtin, compute, vec3u
from reference.damage import bits_of, peek, poke
from reference.pictures import BACKGROUND, CAMERA, SIZE, Side
from reference.programs import PROGRAMS
from reference.worlds import make_geometries

pytestmark = pytest.mark.gpu

BLENDED = PipelineState(depth_compare="less-equal", blend="alpha")


def make_elements():
    """Draws of three programs in two states, one hidden, some with instances, and a table."""
    rng = np.random.default_rng(3)
    geometries = make_geometries(np.random.default_rng(5))
    elements = []
    for k in range(14):
        model = np.eye(4)
        model[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0] * 0.4
        model[:3, 3] = rng.uniform(-0.9, 0.9, 3)
        program = PROGRAMS[k % 3]
        instances = {}
        if "offset" in program.interface.inputs:
            instances = {"offset": rng.uniform(-0.4, 0.4, (3, 3)).astype(np.float32)}
        elements.append(
            Draw(
                program,
                geometries[k % 4],
                inputs={"model": model, "color": (*rng.uniform(0.3, 1, 3), 1.0)},
                instances=instances,
                instance_count=3 if instances else 1,
                visible=k != 4,
                state=BLENDED if k % 5 == 0 else PipelineState(),
            )
        )
    columns = {
        "position": rng.uniform(-0.9, 0.9, (40, 3)),
        "scale": rng.uniform(0.1, 0.3, 40),
        "color": rng.random((40, 4)),
        "geometry": rng.integers(0, 2, 40),
        "visible": rng.random(40) < 0.8,
    }
    plain = next(p for p in PROGRAMS if "offset" not in p.interface.inputs)
    material = type("Plain", (), {"program": plain, "inputs": {}, "state": PipelineState()})()
    elements.insert(7, DrawTable(material, geometries[:2], columns))
    return elements


class Lab:
    """A scene that is drawn, and where things of it lie on the GPU."""

    def __init__(self, device, encoding):
        self.elements = make_elements()
        self.set = cset(self.elements)
        self.side = Side(device, self.set, encoding, 1)
        self.scene = self.side.scene
        self.encoding = encoding
        self.picture = self.side.picture()

    @property
    def heap(self):
        return self.scene._heap

    def resident(self, number):
        return self.heap._residents[self.elements[number]]

    def chunk(self):
        (found,) = [r for r in self.heap._residents.values() if hasattr(r, "chunks")]
        return found.chunks[0]

    def on_gpu(self, owner):
        return self.scene._buckets[owner.bucket]

    def page(self, owner):
        return self.scene._pages[owner.bucket.page]

    def record_word(self, resident, name):
        at = resident.slot.find(resident.rank)
        return at * RECORD.itemsize // 4 + RECORD.names.index(name)

    def header_word(self, owner, name, which, row=None):
        field = [f for f in owner.bucket.fields if f.name == name][-1]  # attributes come first
        row = owner.row if row is None else row
        return row * owner.bucket.schema.row_words + field.word + which

    def base(self, owner, name, row=None):
        """Word of the page at which a field of a draw begins."""
        return peek(self.on_gpu(owner)._headers, self.header_word(owner, name, 0, row))

    def first(self, resident):
        """The first emitted index of a draw."""
        at = resident.slot.find(resident.rank)
        return peek(self.on_gpu(resident)._kernels.firsts, 2 * at)

    def tiles(self, owner):
        kernels = self.on_gpu(owner)._kernels
        return kernels.vertex_tiles if self.encoding == "expanded" else kernels.emitted_tiles

    def place(self, element):
        return self.scene.order().index(element)

    def run_kernels(self):
        """Let kernels run on what lies on the GPU."""
        for bucket in self.heap.buckets:
            bucket.generation += 1
        return self.side.picture()


@pytest.fixture(params=["expanded", "mega"])
def lab(device, request):
    made = Lab(device, request.param)
    yield made
    made.side.close()


def test_a_scene_without_faults_is_clean(lab):
    report = lab.scene.validate()
    assert report.ok, report
    assert not report.skipped
    assert report.frame == 1
    checked = report.checked
    emitted = lab.side.report.emitted_indices
    assert checked["search"] == emitted > 1000
    assert checked["triangle-coherence"] == emitted // 3
    assert checked["expanded-indices" if lab.encoding == "expanded" else "search"] == emitted
    assert lab.side.report.slots >= 5
    assert min(checked.values()) > 0
    assert (lab.side.picture() == lab.picture).all()


# Each plants one fault and returns what the report should say: offset, element, expected, found.


def base_of_an_input(lab):
    draw = lab.resident(2)
    word = lab.header_word(draw, "color", 0)
    buffer = lab.on_gpu(draw)._headers
    return word, 2, *poke(buffer, word, peek(buffer, word) + 4)


def base_of_an_attribute(lab):
    draw = lab.resident(5)
    word = lab.header_word(draw, "position", 0)
    return word, 5, *poke(lab.on_gpu(draw)._headers, word, lab.base(draw, "normal"))


def base_of_a_column(lab):
    chunk = lab.chunk()
    word = lab.header_word(chunk, "position", 0, chunk.rows[1])
    buffer = lab.on_gpu(chunk)._headers
    return word, None, *poke(buffer, word, peek(buffer, word) + 3)


def header_of_a_neighbour(lab):
    draw = lab.resident(3)
    word = lab.record_word(draw, "header")
    buffer = lab.on_gpu(draw)._records
    return word, 3, *poke(buffer, word, peek(buffer, word) ^ draw.bucket.schema.row_words)


def start_of_the_indices(lab):
    draw = lab.resident(1)
    word = lab.record_word(draw, "index_start")
    buffer = lab.on_gpu(draw)._records
    return word, 1, *poke(buffer, word, peek(buffer, word) + 6)


def stride_of_an_attribute(lab):
    draw = lab.resident(1)
    word = lab.header_word(draw, "normal", 1)
    return word, 1, *poke(lab.on_gpu(draw)._headers, word, 4)


def stride_of_an_instance(lab):
    number = next(k for k in range(14) if k != 7 and lab.elements[k].instances)
    draw = lab.resident(number)
    word = lab.header_word(draw, "offset", 1)
    return word, number, *poke(lab.on_gpu(draw)._headers, word, 0)


def index_of_no_vertex(lab):
    draw = next(r for r in map(lab.resident, (0, 1, 2)) if r.part.shape.width == 2)
    word = draw.part.index_start // 4
    vertices = len(draw.draw.geometry.attributes["position"])
    before, now = poke(lab.page(draw), word, peek(lab.page(draw), word) & 0xFFFF0000 | 60000)
    assert (now & 0xFFFF, before >> 16) == (60000, now >> 16)
    return word, None, f"at most {vertices - 1}", 60000


def position_that_is_no_number(lab):
    draw = lab.resident(0)
    word = lab.base(draw, "position") + 3 * draw.part.shape.vertex_first + 1
    poke(lab.page(draw), word, bits_of(np.nan))
    return word, None, "a finite number", np.nan


def infinite_matrix(lab):
    draw = lab.resident(6)
    word = lab.base(draw, "model") + 7
    poke(lab.page(draw), word, bits_of(-np.inf))
    return word, 6, "a finite number", -np.inf


def infinite_row(lab):
    chunk = lab.chunk()
    row = int(np.flatnonzero(chunk.drawn)[3])
    word = lab.base(chunk, "position", chunk.rows[0]) + 3 * row
    poke(lab.page(chunk), word, bits_of(np.inf))
    return word, None, "a finite number", np.inf


def stale_colour(lab):
    draw = lab.resident(8)
    word = lab.base(draw, "color") + 1
    return word, 8, *poke(lab.page(draw), word, bits_of(0.125))


def another_index(lab):
    draw = next(r for r in map(lab.resident, (0, 1, 2)) if r.part.shape.width == 1)
    word = draw.part.index_start // 4
    before = peek(lab.page(draw), word)
    return word, None, *poke(lab.page(draw), word, before & 0xFFFFFF00 | (before >> 8 & 0xFF))


def hidden_row(lab):
    chunk = lab.chunk()
    word = lab.base(chunk, "color", chunk.rows[0]) + 4 * int(np.flatnonzero(~chunk.drawn)[0])
    return word, None, *poke(lab.page(chunk), word, bits_of(7.5))


def half_the_triangles(lab):
    draw = lab.resident(0)
    word = lab.record_word(draw, "count")
    buffer = lab.on_gpu(draw)._records
    return word, 0, *poke(buffer, word, peek(buffer, word) // 6 * 3)


def shown_though_hidden(lab):
    draw = lab.resident(4)
    word = lab.record_word(draw, "count")
    return word, 4, *poke(lab.on_gpu(draw)._records, word, 6)


def another_element(lab):
    chunk = lab.chunk()
    at = chunk.slot.find(chunk.rank) + 9
    word = at * 8 + RECORD.names.index("first_instance")
    return word, None, *poke(lab.on_gpu(chunk)._records, word, 4)


def unused_record(lab):
    draw = lab.resident(0)
    slot = draw.bucket.slots[0]
    assert slot.room > slot.length
    return slot.stop * 8 + 4, None, *poke(lab.on_gpu(draw)._records, slot.stop * 8 + 4, 1)


def first_index(lab):
    draw = lab.resident(3)
    word = 2 * draw.slot.find(draw.rank)
    buffer = lab.on_gpu(draw)._kernels.firsts
    return word, 3, *poke(buffer, word, peek(buffer, word) + 1)


def tile_too_far(lab):
    draw = lab.resident(0)
    buffer = lab.tiles(draw)
    return 0, None, *poke(buffer, 0, peek(buffer, 0) + 1)


def last_bound(lab):
    draw = lab.resident(0)
    kernels = lab.on_gpu(draw)._kernels
    axis = int(lab.encoding == "expanded")
    total = peek(kernels.firsts, 2 * draw.bucket.n_records + axis)
    word = -(-total // 64)
    return word, None, *poke(lab.tiles(draw), word, draw.bucket.n_records)


def count_of_a_call(lab):
    buffer = lab.on_gpu(lab.resident(0))._kernels.arguments
    return 5, None, *poke(buffer, 5, peek(buffer, 5) - 3)


def first_of_a_call(lab):
    buffer = lab.on_gpu(lab.resident(0))._kernels.arguments
    return 7, None, *poke(buffer, 7, peek(buffer, 7) + 3)


def frame_input(lab):
    return 5, None, *poke(lab.scene._uniform, 5, bits_of(0.3))


PLANTED = {
    base_of_an_input: "references",
    base_of_an_attribute: "references",
    base_of_a_column: "references",
    header_of_a_neighbour: "references",
    start_of_the_indices: "references",
    stride_of_an_attribute: "headers",
    stride_of_an_instance: "headers",
    index_of_no_vertex: "sizes",
    position_that_is_no_number: "finite-data",
    infinite_matrix: "finite-data",
    infinite_row: "finite-data",
    stale_colour: "page-words",
    another_index: "page-words",
    hidden_row: "page-words",
    half_the_triangles: "records",
    shown_though_hidden: "records",
    another_element: "records",
    unused_record: "records",
    first_index: "prefix-sums",
    tile_too_far: "tile-bounds",
    last_bound: "tile-bounds",
    count_of_a_call: "indirect-arguments",
    first_of_a_call: "indirect-arguments",
    frame_input: "frame-inputs",
}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_one_wrong_word_is_reported_by_one_check(lab, plant):
    word, element, expected, found = plant(lab)
    report = lab.scene.validate()
    assert report.counts == {PLANTED[plant]: 1}, report
    (fault,) = report.faults
    assert fault.check == PLANTED[plant]
    assert fault.offset == 4 * word
    assert fault.expected == expected
    assert fault.found == found or np.isnan([fault.found, found]).all()
    if element is not None:
        assert fault.draw == lab.place(lab.elements[element])
    assert (fault.page is None) == (plant is frame_input)


BEFORE_KERNELS = (half_the_triangles, another_index, another_element, stride_of_an_attribute)


@pytest.mark.parametrize("plant", BEFORE_KERNELS, ids=lambda plant: plant.__name__)
def test_what_kernels_made_of_a_fault_is_no_other_fault(lab, plant):
    plant(lab)
    lab.run_kernels()
    assert lab.scene.validate().counts == {PLANTED[plant]: 1}


def test_a_wrong_index_in_the_expanded_buffer(device):
    lab = Lab(device, "expanded")
    draw = lab.resident(2)
    begin = peek(lab.on_gpu(draw)._kernels.firsts, 2 * draw.slot.start)
    word = lab.on_gpu(draw)._windows.placed[draw.slot][0] + lab.first(draw) - begin + 4
    before, now = poke(lab.on_gpu(draw)._kernels.indices, word, 1)
    report = lab.scene.validate()
    assert report.counts == {"expanded-indices": 1}
    (fault,) = report.faults
    assert (fault.offset, fault.expected, fault.found) == (4 * word, before, now)
    assert fault.draw == lab.place(lab.elements[2])
    assert len(report.skipped) == 1
    assert "search" in report.skipped[0]
    lab.side.close()


def test_rows_of_tables_are_named(lab):
    another_element(lab)
    (fault,) = lab.scene.validate().faults
    assert lab.scene.order()[fault.draw].table is lab.chunk().table
    assert fault.row == 9
    assert "first instance" in str(fault)


def test_numbers_in_columns_name_their_row(lab):
    word, _, _, _ = infinite_row(lab)
    chunk = lab.chunk()
    row = int(np.flatnonzero(chunk.drawn)[3])
    (fault,) = lab.scene.validate().faults
    assert (fault.what, fault.row, fault.offset) == ("position", row, 4 * word)
    assert lab.scene.order()[fault.draw].table is chunk.table


def test_a_report_is_json(lab):
    position_that_is_no_number(lab)
    report = lab.scene.validate()
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data["ok"] is False
    assert data["counts"] == {"finite-data": 1}
    assert data["faults"][0]["found"] == "nan"
    assert data["frame"] == 1
    assert "finite-data" in str(report)


def test_many_faults_are_counted_though_not_listed(lab):
    bucket = lab.resident(0).bucket
    n = bucket.records.used
    buffer = lab.scene._buckets[bucket]._records
    lab.side.device.queue.write_buffer(buffer.buffer, 0, np.full(n, 99, np.uint32))
    report = lab.scene.validate()
    count = sum(report.counts.values())
    assert count > n * 0.9
    assert sum(fault.check == "records" for fault in report.faults) == min(
        100, report.counts["records"]
    )


# Faults in the books: not a byte on the GPU is wrong.


def forget_a_free_block(lab):
    allocator = lab.heap.pages[0].allocator
    allocator._free.pop(next(iter(allocator._free)))


def free_block_too_large(lab):
    allocator = lab.heap.pages[0].allocator
    offset = next(iter(allocator._free))
    allocator._free[offset] += 16


def free_what_is_in_use(lab):
    page = lab.heap.pages[0]
    page.allocator._free[page.entries[0].offset] = 16


def list_a_free_block_under_another_size(lab):
    allocator = lab.heap.pages[0].allocator
    size = allocator._sizes[0]
    allocator._by_size[size + 16] = allocator._by_size.pop(size)
    allocator._sizes[0] = size + 16


def end_of_a_free_block(lab):
    allocator = lab.heap.pages[0].allocator
    allocator._ends.pop(next(iter(allocator._ends)))


def miscounted_bytes(lab):
    lab.heap.pages[0].allocator.live_bytes += 16


def overlapping_allocations(lab):
    entries = sorted(lab.heap.pages[0].entries, key=lambda entry: entry.offset)
    pairs = pairwise(entries)
    entry = next(a for a, b in pairs if a.nbytes == 16 and b.offset == a.offset + 16)
    entry.nbytes += 16


def one_draw_too_many(lab):
    lab.heap.draw_count += 1


def wrong_sum(lab):
    lab.resident(0).slot.emitted += 3


def one_reference_too_many(lab):
    lab.resident(0).entries[0].refs += 1


BOOKS = {
    forget_a_free_block: "free-lists",
    free_block_too_large: "free-lists",
    free_what_is_in_use: "free-lists",
    list_a_free_block_under_another_size: "free-lists",
    end_of_a_free_block: "free-lists",
    miscounted_bytes: "free-lists",
    overlapping_allocations: "overlap",
    one_draw_too_many: "books",
    wrong_sum: "books",
    one_reference_too_many: "books",
}


@pytest.mark.parametrize("plant", BOOKS, ids=lambda plant: plant.__name__)
def test_wrong_books_are_reported_by_one_check(device, plant):
    lab = Lab(device, "mega")
    lab.set.remove(lab.elements[2])
    lab.set.remove(lab.elements[5])
    lab.side.picture()
    assert lab.heap.pages[0].allocator._free, "there are free blocks to damage"
    assert lab.scene.validate().ok
    plant(lab)
    report = lab.scene.validate()
    assert set(report.counts) == {BOOKS[plant]}, report
    assert report.faults[0].buffer == "books"
    lab.side.close()


def test_the_probe_sees_a_wrong_search(lab, monkeypatch):
    """A search that ends one record early is what the tables alone cannot show."""
    wrong = hasty(lab.encoding)
    monkeypatch.setattr(probe_pass, f"probe_{wrong.name.removeprefix('hasty_')}", wrong)
    report = lab.scene.validate()
    assert set(report.counts) == {"search"}
    fault = report.faults[0]
    assert fault.what == "record"
    assert fault.found < fault.expected
    assert fault.draw is not None
    assert 0 < report.counts["search"] < report.checked["search"]


def hasty(encoding):
    """Return a probe that takes a tile's first record for that of all its numbers."""

    @kernel(twin=lambda *_: None)
    @compute(workgroup_size=64)
    def hasty_emitted(
        thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
    ) -> None:
        number = probe.stretch.first + probe.invocation(thread, groups, 64)
        if number >= probe.stretch.stop:
            return
        located = probe.locate_emitted(number)
        probe.write_found((number - probe.stretch.first) * 5, probe.tiles[number >> 6], located)

    @kernel(twin=lambda *_: None)
    @compute(workgroup_size=64)
    def hasty_vertices(
        thread: vec3u = builtin.global_invocation_id, groups: vec3u = builtin.num_workgroups
    ) -> None:
        at = probe.invocation(thread, groups, 64)
        if at >= probe.stretch.stop - probe.stretch.first:
            return
        number = probe.indices[at] + probe.stretch.base_vertex
        probe.write_found(at * 5, probe.tiles[number >> 6], probe.locate_vertex(number))

    return hasty_vertices if encoding == "expanded" else hasty_emitted


@pytest.mark.parametrize("number", [0, 1])
def test_torn_triangles_are_seen(lab, number):
    """A count that is no multiple of three: every table is right, and the picture is wrong."""
    draw = lab.resident(number)
    assert (len(draw.slot.residents) == 1) == (number == 0), "one slot with others, one without"
    shape = draw.part.shape
    users = [r for r in lab.heap._residents.values() if getattr(r, "part", None) is draw.part]
    assert shape.count > 4
    shape.count = 4
    for user in users:
        user.bucket.rewrite(user)
    (table,) = [r for r in lab.heap._residents.values() if hasattr(r, "chunks")]
    lab.set.remove(table.draw.table)  # its rows have the same geometry
    lab.side.picture()
    report = lab.scene.validate()
    assert set(report.counts) == {"triangle-coherence"}, report
    assert lab.scene.order()[report.faults[0].draw] in lab.elements
    what = "corners of the last primitive" if number == 0 else "record of the last corner"
    assert what in {fault.what for fault in report.faults}


def test_numbers_of_the_user_that_are_not_finite_are_reported(device):
    elements = make_elements()
    model = np.eye(4)
    model[0, 3] = np.nan
    geometry = elements[0].geometry
    bad = Draw(PROGRAMS[0], geometry, {"color": (1, 0, 0, 1)}, {"model": [model]})
    hidden = Draw(
        PROGRAMS[0],
        geometry,
        {"color": "red"},
        {"model": [-model + 2 * np.diag([0, 0, 0, 1])]},
        visible=False,
    )
    side = Side(device, cset([*elements, bad, hidden]), "mega", 1)
    side.picture()
    report = side.scene.validate()
    assert report.counts == {"finite-data": 1}
    assert side.scene.order()[report.faults[0].draw] is report.faults[0].subject is bad
    side.close()


# When it may be called


def test_it_is_about_the_last_update_and_changes_nothing(device):
    color = cval((1, 0, 0, 1))
    draw = Draw(PROGRAMS[0], box(), {"model": np.eye(4), "color": color})
    side = Side(device, draw, "expanded", 1)
    report = side.scene.validate()
    assert (report.ok, report.frame) == (True, 0)
    assert report.skipped
    red = side.picture()
    color.value = (0, 1, 0, 1)
    report = side.scene.validate()
    assert (report.ok, report.frame, report.skipped) == (True, 1, ())
    green = side.picture()
    assert (red != green).any()
    assert side.report.bytes_uploaded == 16
    assert side.scene.validate().frame == 2
    side.close()
    with pytest.raises(FrameOrderError, match="closed"):
        side.scene.validate()


def test_it_does_not_disturb_a_frame(device):
    draw = Draw(PROGRAMS[0], box(), {"model": np.eye(4), "color": "red"})
    side, other = Side(device, draw, "expanded", 1), Side(device, draw, "expanded", 1)
    scene = side.scene
    scene.update(CAMERA, inputs={"viewport": SIZE, "time": 0.7})
    report = scene.validate()
    assert report.ok
    assert "have not run" in report.skipped[0]
    encoder = device.create_command_encoder()
    scene.encode_compute(encoder)
    assert scene.validate().skipped
    render_pass = encoder.begin_render_pass(**side.target.pass_descriptor(BACKGROUND))
    scene.encode_draws(render_pass)
    render_pass.end()
    device.queue.submit([encoder.finish()])
    report = scene.validate()
    assert report.ok
    assert not report.skipped
    image = read_texture(device, side.target.color, SIZE)
    assert (image == other.picture()).all()
    side.close()
    other.close()


def test_an_update_that_raised_is_no_frame(device):
    good, bad = cval((1, 0, 0, 1)), cval((0, 0, 1, 1))
    draws = [Draw(PROGRAMS[0], box(), {"model": np.eye(4), "color": c}) for c in (good, bad)]
    side = Side(device, cset(draws), "mega", 1)
    side.picture()
    good.value, bad.value = (0, 1, 0, 1), "no colour"
    with pytest.raises(HeapsceneError):
        side.picture()
    report = side.scene.validate()
    assert report.ok
    assert "raised" in report.skipped[0]
    bad.value = (1, 1, 1, 1)
    side.picture()
    report = side.scene.validate()
    assert (report.ok, report.skipped, report.frame) == (True, (), 2)
    side.close()


def test_no_object_is_left_on_the_gpu(lab):
    counters = lab.scene._counters
    lab.scene.validate()
    before, nbytes = counters.snapshot(), lab.scene.stats()
    lab.scene.validate()
    assert counters.since(before).pipelines_created == 0
    assert lab.scene.stats() == nbytes
    lab.side.picture()
    assert lab.side.report.buffers_created == lab.side.report.bytes_uploaded == 0


def test_a_renderer_reports_on_all_its_scenes(device):
    first, second = make_elements()[:3], make_elements()[3:6]
    with hs.Renderer((32, 32), device=device) as renderer:
        renderer.render(first)
        renderer.render(second)
        assert renderer.validate().ok
        (_, scene) = list(renderer._scenes.values())[1]
        buffer = next(iter(scene._buckets.values()))._records
        poke(buffer, 3, peek(buffer, 3) + 3)
        report = renderer.validate()
        assert report.counts == {"records": 1}
        assert report.faults[0].scene == 1
        assert renderer.order(second)[report.faults[0].draw] in second
        assert report.faults[0].subject in second
        assert "subject" not in report.to_dict()["faults"][0]
    with pytest.raises(FrameOrderError):
        renderer.validate()


@pytest.mark.parametrize("part", [64, 320])
def test_parts_make_no_difference(lab, monkeypatch, part):
    """The same faults are found where indices are read back in many parts."""
    monkeypatch.setattr(validate, "_PART", part)
    whole = lab.scene.validate()
    assert whole.ok
    assert whole.checked["triangle-coherence"] == whole.checked["search"] // 3 > part
    draw = lab.resident(1)
    draw.part.shape.count = 4
    for user in [r for r in lab.heap._residents.values() if getattr(r, "part", 0) is draw.part]:
        user.bucket.rewrite(user)
    (table,) = [r for r in lab.heap._residents.values() if hasattr(r, "chunks")]
    lab.set.remove(table.draw.table)
    lab.side.picture()
    small = lab.scene.validate()
    monkeypatch.undo()
    assert small.faults == lab.scene.validate().faults
    assert set(small.counts) == {"triangle-coherence"}


def test_an_empty_scene_has_nothing_wrong(device):
    draws = cset()
    side = Side(device, draws, "expanded", 1)
    side.picture()
    assert side.scene.validate().ok
    draws.add(Draw(PROGRAMS[0], box(), {"model": np.eye(4), "color": "red"}, visible=False))
    side.picture()
    report = side.scene.validate()
    assert report.ok
    assert not report.skipped
    assert report.checked["records"] > 0
    side.close()


def test_the_subject_of_a_fault_is_what_was_put_into_the_scene(device):
    bad = [hs.Geometry({"position": np.eye(3) * (k + 1) + [np.nan, 0, 0]}) for k in range(3)]
    mesh = hs.Mesh(bad[0], hs.PhongMaterial(hs.cval("red")), scale=2.0)
    draw = Draw(PROGRAMS[0], bad[1], {"model": np.eye(4), "color": (1, 0, 0, 1)})
    table = hs.DrawTable(hs.UnlitMaterial(), bad[2], {"position": np.eye(3)})
    inner = hs.Scene(hs.Group(mesh, draw, table, position=(1, 0, 0)), hs.Mesh(box(), mesh.material))
    for what in (inner, [inner], cset([inner])):
        with hs.Renderer((8, 8), device=device) as renderer:
            renderer.draw(what)
            subjects = [fault.subject for fault in renderer.validate().faults]
            found = {id(getattr(each, "table", each)) for each in subjects}
            assert found == {id(mesh), id(draw), id(table)}
